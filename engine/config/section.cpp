#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/base/text.hpp"
#include "engine/config/config.hpp"
#include "engine/config/document.hpp"
#include "engine/config/sketch.hpp"

namespace banzuke {

using detail::canonical;
using detail::canonical_text;

Section::Section(std::shared_ptr<detail::Document> document, const void* table, std::string prefix)
    : document_(std::move(document)), table_(table), prefix_(std::move(prefix)) {}

detail::Sketch* Section::sketch() const {
  return document_->sketch.get();
}

std::string Section::path(std::string_view name) const {
  return detail::joined(prefix_, name);
}

bool Section::has(std::string_view name) const {
  if (sketch()) return sketch()->ask(path(name), detail::Decision::Kind::has);
  return static_cast<const toml::table*>(table_)->contains(name);
}

bool Section::is_table(std::string_view name) const {
  if (sketch()) return sketch()->ask(path(name), detail::Decision::Kind::is_table);
  const toml::node* node = static_cast<const toml::table*>(table_)->get(name);
  return node && node->is_table();
}

bool Section::is_text(std::string_view name) const {
  if (sketch()) return sketch()->ask(path(name), detail::Decision::Kind::is_text);
  const toml::node* node = static_cast<const toml::table*>(table_)->get(name);
  return node && node->is_string();
}

Location Section::where(std::string_view name) const {
  const auto& table = *static_cast<const toml::table*>(table_);
  const auto entry = table.find(name);
  if (entry == table.end()) {
    return {document_->path, static_cast<long>(table.source().begin.line)};
  }
  return detail::location(*document_, path(name), entry->first, entry->second);
}

const void* Section::find(const Key& key, bool required) const {
  const auto& table = *static_cast<const toml::table*>(table_);
  auto& asked = document_->asked[&table];
  if (std::find(asked.begin(), asked.end(), key.name) == asked.end()) asked.push_back(key.name);
  if (const toml::node* node = table.get(key.name)) return node;
  if (!required) return nullptr;
  // A required key that is missing is most often there under a misspelt name.
  std::vector<std::string> strangers;
  for (const auto& [name, node] : table) {
    if (std::find(asked.begin(), asked.end(), name.str()) == asked.end()) {
      strangers.emplace_back(name.str());
    }
  }
  if (const auto slip = nearest_name(key.name, strangers)) {
    throw InputError(fmt::format("unknown key {}", in_quotes(path(*slip))),
                     fmt::format("{} is missing", in_quotes(path(key.name))),
                     fmt::format("did you mean {}?", in_quotes(key.name)), where(*slip));
  }
  throw InputError(fmt::format("the key {} is missing", in_quotes(path(key.name))), key.meaning,
                   "add it", {document_->path, prefix_.empty() ? 0 : where("").line});
}

void Section::record(const Key& key, std::string value, bool written) const {
  auto& effective = document_->effective;
  std::string name = path(key.name);
  // A key asked for twice, by the driver and by its job, stands there once.
  if (std::any_of(effective.begin(), effective.end(),
                  [&](const EffectiveKey& known) { return known.path == name; })) {
    return;
  }
  effective.push_back({std::move(name), std::move(value), key.role, written, key});
}

InputError Section::wrong_type(const Key& key, std::string_view wanted) const {
  const auto* node = static_cast<const toml::table*>(table_)->get(key.name);
  std::ostringstream type;
  type << node->type();
  return InputError(fmt::format("{} must be {}", in_quotes(path(key.name)), wanted),
                    fmt::format("it is {}, a TOML {}", canonical(*node), type.str()),
                    fmt::format("{} is {}", key.name, key.meaning), where(key.name));
}

void Section::check_range(const Key& key, double value, Range range) const {
  if (value >= range.least && value <= range.most) return;
  const auto bound = [](double at) {  // 9223372036854775807, not 9.223372036854776e+18
    return at == 0x1.0p63 ? fmt::format("{}", std::numeric_limits<std::int64_t>::max())
                          : shortest(at);
  };
  const std::string allowed =
      std::isinf(range.most) ? fmt::format("at least {}", bound(range.least))
      : std::isinf(range.least)
          ? fmt::format("at most {}", bound(range.most))
          : fmt::format("from {} to {}", bound(range.least), bound(range.most));
  throw InputError(fmt::format("{} is out of range", in_quotes(path(key.name))),
                   fmt::format("it is {}", shortest(value)), fmt::format("give {}", allowed),
                   where(key.name));
}

std::string Section::text(const Key& key) const {
  if (sketch()) return sketch()->text(path(key.name), key, std::nullopt);
  return given_text(key, false);
}

std::string Section::text(const Key& key, std::string_view otherwise) const {
  if (sketch()) return sketch()->text(path(key.name), key, otherwise);
  if (find(key, false)) return given_text(key, otherwise.empty());
  record(key, canonical_text(otherwise), false);
  return std::string(otherwise);
}

std::string Section::given_text(const Key& key, bool may_be_empty) const {
  const auto* node = static_cast<const toml::node*>(find(key, true));
  const auto* value = node->as_string();
  if (!value) throw wrong_type(key, "a text in quotes");
  check_text(key, value->get());
  if (trimmed(value->get()).empty() && !(may_be_empty && value->get().empty())) {
    throw InputError(fmt::format("{} is {}", in_quotes(path(key.name)),
                                 value->get().empty() ? "empty" : "blank"),
                     "", fmt::format("give {}", key.meaning), where(key.name));
  }
  record(key, canonical(*node), true);
  return value->get();
}

void Section::check_text(const Key& key, const std::string& value) const {
  if (value.find('\0') == std::string::npos) return;
  throw InputError(fmt::format("{} holds a NUL character", in_quotes(path(key.name))),
                   "neither file names nor result files can", "remove it", where(key.name));
}

std::string Section::choice(const Key& key, const std::vector<std::string>& words,
                            std::string_view otherwise) const {
  if (sketch()) return sketch()->choice(path(key.name), key, words, otherwise);
  const std::string word = text(key, otherwise);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  throw no_such_word(key, word, words);
}

std::vector<std::string> Section::choices(const Key& key,
                                          const std::vector<std::string>& words) const {
  if (sketch()) return sketch()->choices(path(key.name), key, words);
  std::vector<std::string> chosen = texts(key);
  for (const std::string& word : chosen) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      throw no_such_word(key, word, words);
    }
  }
  return chosen;
}

InputError Section::no_such_word(const Key& key, const std::string& word,
                                 const std::vector<std::string>& words) const {
  const auto near = nearest_name(word, words);
  std::string choices;
  for (const std::string& choice : words) {
    choices += fmt::format("{}{}", choices.empty() ? "" : ", ", in_quotes(choice));
  }
  return InputError(fmt::format("{} cannot be {}", in_quotes(path(key.name)), in_quotes(word)),
                    fmt::format("it is one of {}", choices),
                    near ? fmt::format("did you mean {}?", in_quotes(*near)) : "choose one of them",
                    where(key.name));
}

double Section::as_number(const Key& key, const void* node) const {
  const auto& given = *static_cast<const toml::node*>(node);
  double value = 0;
  if (const auto* real = given.as_floating_point()) {
    value = real->get();
  } else if (const auto* whole = given.as_integer()) {
    value = static_cast<double>(whole->get());
  } else {
    throw wrong_type(key, "a number");
  }
  if (!std::isfinite(value)) throw wrong_type(key, "a finite number");
  return value;
}

double Section::number(const Key& key, Range range) const {
  if (sketch()) return sketch()->number(path(key.name), key, std::nullopt, range);
  const double value = as_number(key, find(key, true));
  check_range(key, value, range);
  record(key, shortest(value), true);
  return value;
}

double Section::number(const Key& key, double otherwise, Range range) const {
  if (sketch()) return sketch()->number(path(key.name), key, otherwise, range);
  if (find(key, false)) return number(key, range);
  record(key, shortest(otherwise), false);
  return otherwise;
}

std::int64_t Section::integer(const Key& key, Range range) const {
  if (sketch()) return sketch()->integer(path(key.name), key, std::nullopt, range);
  const auto* node = static_cast<const toml::node*>(find(key, true));
  const auto* value = node->as_integer();
  if (!value) throw wrong_type(key, "a whole number");
  check_range(key, static_cast<double>(value->get()), range);
  record(key, canonical(*node), true);
  return value->get();
}

std::int64_t Section::integer(const Key& key, std::int64_t otherwise, Range range) const {
  if (sketch()) return sketch()->integer(path(key.name), key, otherwise, range);
  if (find(key, false)) return integer(key, range);
  record(key, fmt::format("{}", otherwise), false);
  return otherwise;
}

bool Section::flag(const Key& key, bool otherwise) const {
  if (sketch()) return sketch()->flag(path(key.name), key, otherwise);
  const auto* node = static_cast<const toml::node*>(find(key, false));
  if (!node) {
    record(key, otherwise ? "true" : "false", false);
    return otherwise;
  }
  const auto* value = node->as_boolean();
  if (!value) throw wrong_type(key, "true or false");
  record(key, canonical(*node), true);
  return value->get();
}

std::vector<double> Section::numbers(const Key& key, Range range) const {
  if (sketch()) return sketch()->numbers(path(key.name), key, range);
  const auto* node = static_cast<const toml::node*>(find(key, true));
  std::vector<double> values;
  if (const auto* array = node->as_array()) {
    if (array->empty()) throw wrong_type(key, "a number or a list of numbers");
    for (const toml::node& item : *array) values.push_back(as_number(key, &item));
  } else {
    values.push_back(as_number(key, node));
  }
  std::vector<std::string> texts;
  for (const double value : values) {
    check_range(key, value, range);
    texts.push_back(shortest(value));
  }
  record(key, fmt::format("[{}]", join(texts, ", ")), true);
  return values;
}

std::vector<double> Section::axis(const Key& key, Range range, bool whole) const {
  if (sketch()) return sketch()->axis(path(key.name), key, range, whole);
  const auto* node = static_cast<const toml::node*>(find(key, true));
  if (!node->is_table()) {
    const std::vector<double> values = numbers(key, range);
    for (const double value : values) {
      if (whole && value != std::floor(value)) throw wrong_type(key, "whole numbers");
    }
    return values;
  }
  const Section table(document_, node->as_table(), path(key.name));
  const double from = table.number({"from", "the first value"}, range);
  const double to = table.number({"to", "the last value"}, range);
  const bool linear = table.has("step");
  if (linear == table.has("per_decade")) {
    throw InputError(fmt::format("{} needs either step or per_decade", in_quotes(path(key.name))),
                     "",
                     "write { from = 1, to = 100, step = 1 } or { from = 1, to = 1000, "
                     "per_decade = 10 }",
                     where(key.name));
  }
  if (to < from || (!linear && from <= 0)) {
    throw InputError(fmt::format("{} is no ascending range", in_quotes(path(key.name))),
                     fmt::format("it runs from {} to {}", shortest(from), shortest(to)),
                     linear ? "give from below to" : "give 0 < from < to", where(key.name));
  }
  constexpr double most_values = 1e7;
  const double step =
      linear ? table.number({"step", "the distance of two values"}, {1e-300, 1e300})
             : table.number({"per_decade", "values between a number and its tenfold"}, {1e-3, 1e6});
  const double steps = linear ? (to - from) / step : std::log10(to / from) * step;
  if (!(steps < most_values)) {
    throw InputError(fmt::format("{} has too many values", in_quotes(path(key.name))),
                     fmt::format("about {:.3g}", steps), "choose a coarser range", where(key.name));
  }
  // Values by index, not by adding up; the last is `to` itself.
  std::vector<double> values;
  const auto last = static_cast<std::int64_t>(std::floor(steps * (1 + 1e-12)));
  for (std::int64_t i = 0; i <= last; ++i) {
    const double at = static_cast<double>(i);
    const double value = linear ? from + at * step : from * std::pow(10.0, at / step);
    values.push_back(std::min(whole ? std::round(value) : value, to));
  }
  values.push_back(to);
  values.erase(std::unique(values.begin(), values.end(),
                           [](double a, double b) { return b - a <= 1e-12 * std::abs(b); }),
               values.end());
  return values;
}

std::vector<std::string> Section::texts(const Key& key) const {
  if (sketch()) return sketch()->texts(path(key.name), key);
  const auto* node = static_cast<const toml::node*>(find(key, true));
  const auto* array = node->as_array();
  std::vector<std::string> values;
  if (!array || array->empty()) throw wrong_type(key, "a list of texts");
  for (const toml::node& item : *array) {
    const auto* value = item.as_string();
    if (!value || value->get().empty()) throw wrong_type(key, "a list of texts");
    check_text(key, value->get());
    values.push_back(value->get());
  }
  record(key, canonical(*node), true);
  return values;
}

Section Section::table(const Key& key) const {
  if (sketch()) {
    sketch()->table(path(key.name), key, true);
    return {document_, table_, path(key.name)};
  }
  const auto* node = static_cast<const toml::node*>(find(key, true));
  if (!node->is_table()) throw wrong_type(key, fmt::format("a table [{}]", path(key.name)));
  return {document_, node->as_table(), path(key.name)};
}

Section Section::optional_table(const Key& key) const {
  if (sketch()) {
    sketch()->table(path(key.name), key, false);
    return {document_, table_, path(key.name)};
  }
  if (find(key, false)) return table(key);
  return {document_, &document_->empty, path(key.name)};
}

std::vector<Section> Section::tables(const Key& key) const {
  std::vector<Section> sections;
  if (sketch()) {
    if (sketch()->tables(path(key.name), key)) {
      sections.push_back({document_, table_, path(key.name) + "[]"});
    }
    return sections;
  }
  const auto* node = static_cast<const toml::node*>(find(key, false));
  if (!node) return sections;
  const auto* array = node->as_array();
  if (!array || !array->is_array_of_tables()) {
    throw wrong_type(key, fmt::format("tables [[{}]]", path(key.name)));
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    sections.push_back(
        {document_, array->get(i)->as_table(), fmt::format("{}[{}]", path(key.name), i)});
  }
  return sections;
}

}  // namespace banzuke
