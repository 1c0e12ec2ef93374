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
  if (decision.kind == Decision::Kind::choices) {
    return fmt::format("\"{}\" in {}", decision.answer, decision.path);
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
        key.always = !conditional_.contains(key.path);
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
    // Pairs of settings are all tried; more together where they lead to something new, or where
    // the reader misses something more.
    constexpr std::size_t pairs = 2, many = 4;
    if (!is_new && answers.size() >= (is_whole ? pairs : many)) return;
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
    for (const KeyDescription& key : sketch.keys()) {
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
    for (const Decision& decision : sketch.decisions()) {
      is_new = decided_.insert({decision.path, decision.kind}).second || is_new;
      const bool is_left_out = decision.kind == Decision::Kind::tables && decision.answer == "no";
      if (decision.kind == Decision::Kind::has || (is_whole && is_left_out)) {
        optional_.insert(decision.path);
      }
    }
    note_order(sketch);
    return is_new;
  }

  /// A key is not always read if a pass leaves it out and yet asks for one that comes after it.
  void note_order(const Sketch& sketch) {
    std::set<std::string> here;
    for (const KeyDescription& key : sketch.keys()) here.insert(key.path);
    for (const KeyDescription& key : found_) {
      const std::set<std::string>& later = later_[key.path];
      if (!here.contains(key.path) &&
          std::any_of(later.begin(), later.end(),
                      [&](const std::string& other) { return here.contains(other); })) {
        conditional_.insert(key.path);
      }
    }
    std::map<std::string, std::vector<std::string>> before;  // by table
    for (const KeyDescription& key : sketch.keys()) {
      std::vector<std::string>& siblings = before[parent_of(key.path)];
      for (const std::string& earlier : siblings) later_[earlier].insert(key.path);
      siblings.push_back(key.path);
    }
  }

  std::deque<std::vector<Decision>> queue_;
  std::set<std::vector<Decision>> seen_;
  std::set<std::pair<std::string, Decision::Kind>> decided_;
  std::vector<KeyDescription> found_;
  std::set<std::string> optional_, conditional_;
  std::map<std::string, std::set<std::string>> later_;  ///< keys of the same table asked after one
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
