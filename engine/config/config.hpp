#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"

namespace banzuke {

/// What a change of a key's value means for a result file that exists.
enum class Role {
  identity,     ///< changes the numbers: resuming with another value is refused
  extendable,   ///< may be raised later; the old rows stay (replicates)
  operational,  ///< does not touch the numbers (output, threads, time limit)
};

/// A key as its reader declares it.
struct Key {
  std::string name;
  std::string meaning;
  std::string units = "";
  Role role = Role::identity;
};

/// Closed interval of allowed values.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// One key of the effective config: what was used, whether written or by default.
struct EffectiveKey {
  std::string path;   ///< dotted, with [i] for the i-th of an array of tables
  std::string value;  ///< canonical TOML text
  Role role = Role::identity;
  bool written = false;
  Key key;
};

namespace detail {
struct Document;
class Sketch;
}  // namespace detail

/// A table of the config. Every getter declares its key; what no getter declared is refused by
/// Config::refuse_unknown_keys. All getters throw InputError with file and line: a missing key, a
/// wrong type, a value out of range.
class Section {
 public:
  /// Not blank; "" may be given where it is the default.
  std::string text(const Key& key) const;
  std::string text(const Key& key, std::string_view otherwise) const;
  /// One of the given words.
  std::string choice(const Key& key, const std::vector<std::string>& words,
                     std::string_view otherwise) const;
  /// A non-empty list, each item one of the given words.
  std::vector<std::string> choices(const Key& key, const std::vector<std::string>& words) const;
  double number(const Key& key, Range range = {}) const;
  double number(const Key& key, double otherwise, Range range = {}) const;
  std::int64_t integer(const Key& key, Range range = {}) const;
  std::int64_t integer(const Key& key, std::int64_t otherwise, Range range = {}) const;
  bool flag(const Key& key, bool otherwise) const;
  /// A number, or a list of them.
  std::vector<double> numbers(const Key& key, Range range = {}) const;
  /// An axis of a sweep: a number, a list, or a table `{ from, to, step }` (linear, both ends) or
  /// `{ from, to, per_decade }` (logarithmic, both ends). `whole` rounds the values of a range to
  /// whole numbers and refuses others in a list; doubles fall together. Ascending in a range.
  std::vector<double> axis(const Key& key, Range range = {}, bool whole = false) const;
  /// A non-empty array of texts.
  std::vector<std::string> texts(const Key& key) const;

  bool has(std::string_view name) const;
  /// What kind of value a key has, where it may have several; false where it is not there.
  bool is_table(std::string_view name) const;
  bool is_text(std::string_view name) const;
  Section table(const Key& key) const;
  /// The same for a table that may be left out: its getters then give their defaults.
  Section optional_table(const Key& key) const;
  /// The tables of an array `[[name]]`; empty where there is none.
  std::vector<Section> tables(const Key& key) const;

  /// Where the key stands (or this table, where it does not).
  Location where(std::string_view name) const;
  /// Dotted name of a key of this table, as the user would write it.
  std::string path(std::string_view name) const;

 private:
  friend class Config;
  Section(std::shared_ptr<detail::Document> document, const void* table, std::string prefix);
  InputError no_such_word(const Key& key, const std::string& word,
                          const std::vector<std::string>& words) const;
  /// What observes the reader instead of a file; null where there is a file.
  detail::Sketch* sketch() const;
  const void* find(const Key& key, bool required) const;
  void record(const Key& key, std::string value, bool written) const;
  InputError wrong_type(const Key& key, std::string_view wanted) const;
  std::string given_text(const Key& key, bool may_be_empty) const;
  void check_text(const Key& key, const std::string& value) const;
  void check_range(const Key& key, double value, Range range) const;
  double as_number(const Key& key, const void* node) const;

  std::shared_ptr<detail::Document> document_;
  const void* table_;  ///< toml::table; the TOML library stays inside document.hpp
  std::string prefix_;
};

/// A config file with the overrides of the command line.
class Config {
 public:
  /// Each override is `dotted.key=value`, the value in TOML (a bare word is taken as text).
  static Config read(const std::string& path, const std::vector<std::string>& overrides = {});
  /// The same from a text, for tests; `name` stands in messages.
  static Config parse(std::string text, const std::string& name,
                      const std::vector<std::string>& overrides = {});

  /// A config without a file that tells the sketch what it is asked for: see describe_keys().
  static Config of_sketch(std::shared_ptr<detail::Sketch> sketch);

  Section root() const;
  /// Throws InputError for the first key in the file that no getter has asked for, naming the
  /// nearest known key.
  void refuse_unknown_keys() const;

  /// All keys asked for so far, in order.
  const std::vector<EffectiveKey>& effective() const;
  const std::string& path() const;
  const std::string& verbatim() const;
  /// A file name as written in this config, relative to the config's folder.
  std::string resolve(const std::string& path) const;

 private:
  explicit Config(std::shared_ptr<detail::Document> document) : document_(std::move(document)) {}
  std::shared_ptr<detail::Document> document_;
};

}  // namespace banzuke
