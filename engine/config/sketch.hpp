#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/config/description.hpp"

namespace banzuke::detail {

/// Something a reader of configs asks before it knows how to go on, and what it was told.
struct Decision {
  enum class Kind { has, is_table, is_text, choice, choices, flag, tables };
  std::string path;
  Kind kind = Kind::has;
  std::string answer;  ///< "yes", "no", or a word of a choice

  bool operator==(const Decision&) const = default;
  auto operator<=>(const Decision&) const = default;
};

/// Stands in for a config while its reader is observed: every getter notes its declaration here
/// and is told a default, or something of the right kind.
class Sketch {
 public:
  /// What to answer; "no", defaults and first words otherwise.
  explicit Sketch(std::vector<Decision> answers) : answers_(std::move(answers)) {}

  std::string text(const std::string& path, const Key& key,
                   std::optional<std::string_view> otherwise);
  std::string choice(const std::string& path, const Key& key, const std::vector<std::string>& words,
                     std::string_view otherwise);
  std::vector<std::string> choices(const std::string& path, const Key& key,
                                   const std::vector<std::string>& words);
  double number(const std::string& path, const Key& key, std::optional<double> otherwise,
                Range range);
  std::int64_t integer(const std::string& path, const Key& key,
                       std::optional<std::int64_t> otherwise, Range range);
  bool flag(const std::string& path, const Key& key, bool otherwise);
  std::vector<double> numbers(const std::string& path, const Key& key, Range range);
  std::vector<double> axis(const std::string& path, const Key& key, Range range, bool whole);
  std::vector<std::string> texts(const std::string& path, const Key& key);
  void table(const std::string& path, const Key& key, bool required);
  /// Whether the array has a table.
  bool tables(const std::string& path, const Key& key);
  bool ask(const std::string& path, Decision::Kind kind);

  const std::vector<KeyDescription>& keys() const { return keys_; }
  /// In the order in which they were met, each once.
  const std::vector<Decision>& decisions() const { return decisions_; }
  /// The other answers there are to a decision of this sketch.
  std::vector<Decision> alternatives(const Decision& decision) const;

 private:
  KeyDescription& note(const std::string& path, const Key& key, std::string type);
  std::string decide(const std::string& path, Decision::Kind kind, std::string otherwise);

  std::vector<Decision> answers_;
  std::vector<Decision> decisions_;
  std::vector<KeyDescription> keys_;
  std::map<std::string, std::vector<std::string>> words_;  ///< of choices, by path
};

}  // namespace banzuke::detail
