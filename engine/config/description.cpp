#include "engine/config/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "engine/base/text.hpp"
#include "engine/config/sketch.hpp"

namespace banzuke {
namespace {

using detail::Decision;
using detail::Sketch;

/// Many times what the most intricate job needs.
constexpr std::size_t most_passes = 20000;

std::string parent_of(const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

/// Whether the key stands at `path` or in a table there.
bool is_within(const std::string& key, const std::string& path) {
  return key == path || key.starts_with(path + ".") || key.starts_with(path + "[]");
}

/// A decision as the user would bring it about; empty where the key itself tells.
std::string condition_of(const Decision& decision, const std::string& key) {
  if (decision.kind == Decision::Kind::choice) {
    return fmt::format("{} = \"{}\"", decision.path, decision.answer);
  }
  if (decision.kind == Decision::Kind::flag) {
    return fmt::format("{} = {}", decision.path, decision.answer == "yes" ? "true" : "false");
  }
  const bool is_plain = is_within(key, decision.path);
  if (decision.answer == "no") return is_plain ? "" : fmt::format("no {}", decision.path);
  switch (decision.kind) {
    case Decision::Kind::is_text:
      return is_plain ? "" : fmt::format("{} as text", decision.path);
    case Decision::Kind::is_table:
      return is_plain ? "" : fmt::format("{} as table", decision.path);
    default:
      return is_plain ? "" : decision.path;
  }
}

/// The search: passes to come, and what was found.
class Search {
 public:
  void run(const std::function<void(const Config&)>& read) {
    queue_.push_back({});
    seen_.insert(std::vector<Decision>{});
    while (!queue_.empty() && passes_ < most_passes) {
      const std::vector<Decision> answers = std::move(queue_.front());
      queue_.pop_front();
      pass(read, answers);
    }
  }

  std::vector<KeyDescription> keys() const {
    std::vector<KeyDescription> keys;
    std::vector<std::string> parents{""};
    for (const KeyDescription& key : found_) {
      const std::string parent = parent_of(key.path);
      if (std::find(parents.begin(), parents.end(), parent) == parents.end()) {
        parents.push_back(parent);
      }
    }
    for (const std::string& parent : parents) {
      for (KeyDescription key : found_) {
        if (parent_of(key.path) != parent) continue;
        if (optional_.contains(key.path)) key.required = false;
        keys.push_back(std::move(key));
      }
    }
    return keys;
  }

 private:
  void pass(const std::function<void(const Config&)>& read, const std::vector<Decision>& answers) {
    ++passes_;
    const auto sketch = std::make_shared<Sketch>(answers);
    bool is_whole = true;
    try {
      read(Config::of_sketch(sketch));
    } catch (const std::exception&) {
      is_whole = false;  // something in this mixture does not go together
    }
    const bool is_new = take(*sketch, answers, is_whole);
    constexpr std::size_t always_deep = 2;
    if (answers.size() >= always_deep && !is_new) return;
    for (const Decision& decision : sketch->decisions()) {
      const bool is_set = std::any_of(answers.begin(), answers.end(), [&](const Decision& other) {
        return other.path == decision.path && other.kind == decision.kind;
      });
      if (is_set) continue;
      for (const Decision& other : sketch->alternatives(decision)) {
        std::vector<Decision> next = answers;
        next.push_back(other);
        std::vector<Decision> sorted = next;
        std::sort(sorted.begin(), sorted.end());
        if (seen_.insert(std::move(sorted)).second) queue_.push_back(std::move(next));
      }
    }
  }

  /// Whether the pass met a key or a decision for the first time.
  bool take(const Sketch& sketch, const std::vector<Decision>& answers, bool is_whole) {
    bool is_new = false;
    std::set<std::string> here;
    for (const KeyDescription& key : sketch.keys()) {
      here.insert(key.path);
      const bool is_known =
          std::any_of(found_.begin(), found_.end(),
                      [&](const KeyDescription& known) { return known.path == key.path; });
      if (is_known) continue;
      is_new = true;
      found_.push_back(key);
      std::vector<std::string> conditions;
      for (const Decision& answer : answers) {
        std::string condition = condition_of(answer, key.path);
        if (!condition.empty()) conditions.push_back(std::move(condition));
      }
      found_.back().when = join(conditions, ", ");
    }
    std::set<std::string> tables{""};
    for (const KeyDescription& key : sketch.keys()) tables.insert(parent_of(key.path));
    for (const Decision& decision : sketch.decisions()) {
      is_new = decided_.insert({decision.path, decision.kind}).second || is_new;
      if (decision.kind == Decision::Kind::has) optional_.insert(decision.path);
    }
    // What a whole pass through its table did not ask for is not always needed.
    for (const KeyDescription& key : found_) {
      if (is_whole && tables.contains(parent_of(key.path)) && !here.contains(key.path)) {
        optional_.insert(key.path);
      }
    }
    return is_new;
  }

  std::deque<std::vector<Decision>> queue_;
  std::set<std::vector<Decision>> seen_;
  std::set<std::pair<std::string, Decision::Kind>> decided_;
  std::vector<KeyDescription> found_;
  std::set<std::string> optional_;
  std::size_t passes_ = 0;
};

}  // namespace

std::vector<KeyDescription> describe_keys(const std::function<void(const Config&)>& read) {
  Search search;
  search.run(read);
  return search.keys();
}

std::string range_text(Range range) {
  const auto bound = [](double at) {
    return std::abs(at) >= 0x1.0p62 ? fmt::format("{:.6g}", at) : shortest(at);
  };
  if (std::isinf(range.least) && std::isinf(range.most)) return "";
  if (std::isinf(range.most)) return fmt::format("at least {}", bound(range.least));
  if (std::isinf(range.least)) return fmt::format("at most {}", bound(range.most));
  return fmt::format("{} to {}", bound(range.least), bound(range.most));
}

std::string role_text(Role role) {
  switch (role) {
    case Role::identity:
      return "decides the numbers";
    case Role::extendable:
      return "may be raised later, old rows stay";
    case Role::operational:
      break;
  }
  return "without effect on the numbers";
}

}  // namespace banzuke
