#include "engine/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/text.hpp"
#include "engine/config/document.hpp"
#include "engine/config/input_file.hpp"

namespace banzuke {

Config Config::parse(std::string text, const std::string& name,
                     const std::vector<std::string>& overrides) {
  return Config(detail::read_document(std::move(text), name, overrides));
}

Config Config::of_sketch(std::shared_ptr<detail::Sketch> sketch) {
  auto document = std::make_shared<detail::Document>();
  document->sketch = std::move(sketch);
  return Config(std::move(document));
}

Config Config::read(const std::string& path, const std::vector<std::string>& overrides) {
  return parse(read_whole_file(path, "the config"), path, overrides);
}

Section Config::root() const {
  return {document_, &document_->root, ""};
}

namespace {

void refuse_unknown(const detail::Document& document, const toml::table& table,
                    const std::string& prefix) {
  const auto entry = document.asked.find(&table);
  const std::vector<std::string> none;
  const std::vector<std::string>& known = entry == document.asked.end() ? none : entry->second;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string path = detail::joined(prefix, name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto near = nearest_name(name, known);
      const std::string here = prefix.empty() ? "at the top" : fmt::format("in [{}]", prefix);
      throw InputError(fmt::format("unknown key {}", in_quotes(path)), "",
                       near ? fmt::format("did you mean {}?", in_quotes(*near))
                            : fmt::format("remove it; the keys {} are {}", here, join(known, ", ")),
                       detail::location(document, path, key, node));
    }
    if (const auto* inner = node.as_table(); inner && document.asked.count(inner)) {
      refuse_unknown(document, *inner, path);
    } else if (const auto* array = node.as_array(); array && array->is_array_of_tables()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        refuse_unknown(document, *array->get(i)->as_table(), fmt::format("{}[{}]", path, i));
      }
    }
  }
}

}  // namespace

void Config::refuse_unknown_keys() const {
  refuse_unknown(*document_, document_->root, "");
}

const std::vector<EffectiveKey>& Config::effective() const {
  return document_->effective;
}
const std::string& Config::path() const {
  return document_->path;
}
const std::string& Config::verbatim() const {
  return document_->verbatim;
}

std::string Config::resolve(const std::string& path) const {
  const std::filesystem::path given(path);
  if (given.is_absolute()) return path;
  return (std::filesystem::path(document_->path).parent_path() / given).lexically_normal().string();
}

}  // namespace banzuke
