#include "engine/config/document.hpp"

#include <fmt/format.h>

#include <sstream>

#include "engine/base/text.hpp"

namespace banzuke::detail {

std::string joined(const std::string& prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

Location location(const Document& document, const std::string& path, const toml::key& key,
                  const toml::node& node) {
  const auto override_text = document.overridden.find(path);
  if (override_text != document.overridden.end()) return {override_text->second, 0};
  const auto& source = key.source().begin.line > 0 ? key.source() : node.source();
  return {document.path, static_cast<long>(source.begin.line)};
}

std::string canonical_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

std::string canonical(const toml::node& node) {
  if (const auto* text = node.as_string()) return canonical_text(text->get());
  if (const auto* number = node.as_floating_point()) return shortest(number->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* array = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& item : *array) parts.push_back(canonical(item));
    return fmt::format("[{}]", join(parts, ", "));
  }
  if (const auto* table = node.as_table()) {
    std::vector<std::string> parts;
    for (const auto& [key, item] : *table) {
      parts.push_back(fmt::format("{} = {}", key.str(), canonical(item)));
    }
    return fmt::format("{{{}}}", join(parts, ", "));
  }
  std::ostringstream out;  // dates and times
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

namespace {

/// toml++ calls itself for each part of a dotted key, and has no limit to that.
void require_short_keys(std::string_view text, const std::string& name) {
  constexpr int most_dots = 1000;
  long line = 1;
  int dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '.') ++dots;
    if (std::string_view("\n=,[]{}#").find(c) != std::string_view::npos) dots = 0;
    if (dots > most_dots) {
      throw InputError(fmt::format("a key has more than {} parts", most_dots), "", "mend the line",
                       {name, line});
    }
  }
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  require_short_keys(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw InputError("this is not TOML", error.description(), "mend the line",
                     {name, static_cast<long>(error.source().begin.line)});
  }
}

/// Notes that the key at `path`, and all in it, was given on the command line.
void mark_overridden(Document& document, const std::string& path, const toml::node& node,
                     const std::string& given) {
  document.overridden[path] = given;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, inner] : *table) {
      mark_overridden(document, joined(path, key.str()), inner, given);
    }
  }
}

/// Puts the values of `from`, given on the command line as `given`, into `into`, table by table.
void merge(toml::table& into, toml::table&& from, Document& document, const std::string& given,
           const std::string& prefix = "") {
  for (auto&& [key, node] : from) {
    const std::string path = joined(prefix, key.str());
    toml::node* there = into.get(key);
    if (there && there->is_table() && node.is_table()) {
      merge(*there->as_table(), std::move(*node.as_table()), document, given, path);
    } else {
      mark_overridden(document, path, node, given);
      into.insert_or_assign(key, std::move(node));
    }
  }
}

toml::table parse_override(const std::string& text, const std::string& name) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty()) {
    throw InputError(fmt::format("{} is not an assignment", in_quotes(text)), "",
                     "write --set key=value, for example --set replicates=300");
  }
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error&) {
    // A bare word on a command line is meant as text.
    const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
    return parse_toml(text.substr(0, equals + 1) + canonical_text(value), name);
  }
}

}  // namespace

std::shared_ptr<Document> read_document(std::string text, const std::string& name,
                                        const std::vector<std::string>& overrides) {
  auto document = std::make_shared<Document>();
  document->path = name;
  document->root = parse_toml(text, name);
  document->verbatim = std::move(text);
  for (const std::string& assignment : overrides) {
    const std::string given = fmt::format("--set {}", assignment);
    merge(document->root, parse_override(assignment, given), *document, given);
  }
  return document;
}

}  // namespace banzuke::detail
