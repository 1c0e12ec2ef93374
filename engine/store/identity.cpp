#include "engine/store/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/store/escape.hpp"

namespace banzuke {
namespace {

using Item = std::pair<std::string, std::string>;

/// What `difference` and the canonical text are made of, in order.
std::vector<Item> items(const Identity& identity) {
  std::vector<Item> result;
  result.emplace_back("job", identity.job);
  result.emplace_back("job version", fmt::format("{}", identity.job_version));
  result.emplace_back("seed", fmt::format("{}", identity.seed));
  result.emplace_back("stream algorithm", identity.stream_algorithm);
  result.emplace_back("stream version", fmt::format("{}", identity.stream_version));
  for (const auto& [key, value] : identity.keys) result.emplace_back("config " + key, value);
  for (const InputFile& input : identity.inputs) {
    result.emplace_back("input " + input.key,
                        fmt::format("sha256 {} of {} bytes", input.sha256, input.bytes));
  }
  return result;
}

const std::string* find(const std::vector<Item>& all, const std::string& key) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Item& item) { return item.first == key; });
  return found == all.end() ? nullptr : &found->second;
}

/// "games.files" for "config games.files": people know the key by that name.
std::string shown(const std::string& key) {
  constexpr std::string_view prefix = "config ";
  return key.starts_with(prefix) ? key.substr(prefix.size()) : key;
}

/// "rule[3]" of "rule[3].name"; empty for a key that stands in no array of tables.
std::string table_of(const std::string& key) {
  const std::size_t end = key.find("].");
  return end == key.npos ? std::string() : key.substr(0, end + 1);
}

}  // namespace

Identity without_appended_tables(const Identity& stored, const Identity& now) {
  std::set<std::string> known;
  for (const auto& [key, value] : stored.keys) known.insert(table_of(key));
  for (const InputFile& input : stored.inputs) known.insert(table_of(input.key));
  const auto appended = [&](const std::string& key) {
    const std::string table = table_of(key);
    return !table.empty() && !known.contains(table);
  };
  Identity rest = now;
  std::erase_if(rest.keys, [&](const auto& item) { return appended(item.first); });
  std::erase_if(rest.inputs, [&](const InputFile& input) { return appended(input.key); });
  return rest;
}

std::string Identity::canonical_text() const {
  std::string text;
  for (const auto& [key, value] : items(*this)) {
    text += fmt::format("{}: {}\n", escaped(key), escaped(value));
  }
  return text;
}

std::optional<std::string> difference(const Identity& stored, const Identity& now) {
  const std::vector<Item> before = items(stored);
  const std::vector<Item> after = items(now);
  std::vector<std::string> lines;
  for (const auto& [key, value] : before) {
    const std::string* other = find(after, key);
    if (other == nullptr) {
      lines.push_back(fmt::format("{}: {} → (not set)", shown(key), escaped(value)));
    } else if (*other != value) {
      lines.push_back(fmt::format("{}: {} → {}", shown(key), escaped(value), escaped(*other)));
    }
  }
  for (const auto& [key, value] : after) {
    if (find(before, key) == nullptr) {
      lines.push_back(fmt::format("{}: (not set) → {}", shown(key), escaped(value)));
    }
  }
  if (lines.empty() && before != after) {
    lines.push_back("the order of the keys or of the inputs differs");
  }
  if (lines.empty()) return std::nullopt;
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace banzuke
