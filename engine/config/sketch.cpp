#include "engine/config/sketch.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"

namespace banzuke::detail {
namespace {

double inside(Range range, double wanted) {
  return std::clamp(wanted, range.least, range.most);
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

}  // namespace

KeyDescription& Sketch::note(const std::string& path, const Key& key, std::string type) {
  const auto known = std::find_if(keys_.begin(), keys_.end(),
                                  [&](const KeyDescription& other) { return other.path == path; });
  if (known != keys_.end()) return *known;
  KeyDescription description;
  description.path = path;
  description.key = key;
  description.type = std::move(type);
  description.required = true;
  keys_.push_back(std::move(description));
  return keys_.back();
}

std::string Sketch::decide(const std::string& path, Decision::Kind kind, std::string otherwise) {
  const auto same = [&](const Decision& other) { return other.path == path && other.kind == kind; };
  const auto given = std::find_if(answers_.begin(), answers_.end(), same);
  Decision decision{path, kind, given == answers_.end() ? std::move(otherwise) : given->answer};
  if (std::none_of(decisions_.begin(), decisions_.end(), same)) decisions_.push_back(decision);
  return decision.answer;
}

std::vector<Decision> Sketch::alternatives(const Decision& decision) const {
  std::vector<std::string> answers{"no", "yes"};
  if (decision.kind == Decision::Kind::choice || decision.kind == Decision::Kind::choices) {
    answers = words_.at(decision.path);
  }
  std::vector<Decision> others;
  for (const std::string& answer : answers) {
    if (answer != decision.answer) others.push_back({decision.path, decision.kind, answer});
  }
  return others;
}

bool Sketch::ask(const std::string& path, Decision::Kind kind) {
  const auto is_yes = [&](Decision::Kind other) {
    return std::any_of(answers_.begin(), answers_.end(), [&](const Decision& given) {
      return given.path == path && given.kind == other && given.answer == "yes";
    });
  };
  // What is a table or a text is there, and is not the other.
  using enum Decision::Kind;
  if (kind == has && (is_yes(is_table) || is_yes(is_text) || is_yes(tables))) return true;
  if (kind == is_table && is_yes(is_text)) return false;
  if (kind == is_text && is_yes(is_table)) return false;
  return decide(path, kind, "no") == "yes";
}

std::string Sketch::text(const std::string& path, const Key& key,
                         std::optional<std::string_view> otherwise) {
  KeyDescription& description = note(path, key, "text");
  if (!otherwise) return key.name;
  description.required = false;
  description.default_value = quoted(*otherwise);
  return std::string(*otherwise);
}

std::string Sketch::choice(const std::string& path, const Key& key,
                           const std::vector<std::string>& words, std::string_view otherwise) {
  KeyDescription& description = note(path, key, "one of the words");
  description.words = words;
  words_[path] = words;
  const bool has_default = std::find(words.begin(), words.end(), otherwise) != words.end();
  if (has_default) {
    description.required = false;
    description.default_value = quoted(otherwise);
  }
  return decide(path, Decision::Kind::choice, has_default ? std::string(otherwise) : words.front());
}

std::vector<std::string> Sketch::choices(const std::string& path, const Key& key,
                                         const std::vector<std::string>& words) {
  note(path, key, "list of words").words = words;
  words_[path] = words;
  return {decide(path, Decision::Kind::choices, words.front())};
}

double Sketch::number(const std::string& path, const Key& key, std::optional<double> otherwise,
                      Range range) {
  KeyDescription& description = note(path, key, "number");
  description.range = range;
  if (!otherwise) return inside(range, 1.0);
  description.required = false;
  description.default_value = shortest(*otherwise);
  return *otherwise;
}

std::int64_t Sketch::integer(const std::string& path, const Key& key,
                             std::optional<std::int64_t> otherwise, Range range) {
  KeyDescription& description = note(path, key, "whole number");
  description.range = range;
  if (!otherwise) return static_cast<std::int64_t>(inside(range, 1.0));
  description.required = false;
  description.default_value = std::to_string(*otherwise);
  return *otherwise;
}

bool Sketch::flag(const std::string& path, const Key& key, bool otherwise) {
  KeyDescription& description = note(path, key, "true or false");
  description.required = false;
  description.default_value = otherwise ? "true" : "false";
  return decide(path, Decision::Kind::flag, otherwise ? "yes" : "no") == "yes";
}

std::vector<double> Sketch::numbers(const std::string& path, const Key& key, Range range) {
  note(path, key, "number, or list of numbers").range = range;
  return {inside(range, 1.0)};
}

std::vector<double> Sketch::axis(const std::string& path, const Key& key, Range range, bool whole) {
  const std::string kind = whole ? "whole number" : "number";
  note(path, key, kind + ", list of them, or range { from, to, step } or { from, to, per_decade }")
      .range = range;
  return {inside(range, 1.0)};
}

std::vector<std::string> Sketch::texts(const std::string& path, const Key& key) {
  note(path, key, "list of texts");
  return {key.name};
}

void Sketch::table(const std::string& path, const Key& key, bool required) {
  const bool is_array =
      std::any_of(decisions_.begin(), decisions_.end(), [&](const Decision& decision) {
        return decision.path == path && decision.kind == Decision::Kind::tables;
      });
  // Readers ask for a table of this name only to have it told that there is none.
  if (is_array) throw InputError("there is no table " + in_quotes(path), "", "add one");
  KeyDescription& description = note(path, key, "table");
  description.required = required;
}

bool Sketch::tables(const std::string& path, const Key& key) {
  note(path, key, "tables");
  return decide(path, Decision::Kind::tables, "no") == "yes";
}

}  // namespace banzuke::detail
