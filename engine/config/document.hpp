#pragma once
#include <toml++/toml.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.hpp"

/// What stands behind Config and Section. Internal: here is the TOML library.
namespace banzuke::detail {

struct Document {
  std::string path;
  std::string verbatim;
  toml::table root;
  toml::table empty;  ///< stands for tables that were left out
  /// The names that getters have asked of each table.
  std::map<const toml::table*, std::vector<std::string>> asked;
  /// Dotted path of a key from the command line -> how it was given there.
  std::map<std::string, std::string> overridden;
  std::vector<EffectiveKey> effective;
  std::shared_ptr<Sketch> sketch;  ///< asked instead of the tables above, where it is there
};

/// Reads TOML and puts the overrides of the command line above it.
std::shared_ptr<Document> read_document(std::string text, const std::string& name,
                                        const std::vector<std::string>& overrides);

/// Dotted name of a key in the table `prefix`; the root's is empty.
std::string joined(const std::string& prefix, std::string_view name);

/// Where the key at `path` stands: the command line, or the file and line of `key`.
Location location(const Document& document, const std::string& path, const toml::key& key,
                  const toml::node& node);

/// A TOML basic string.
std::string canonical_text(std::string_view text);
/// A value as TOML, always written the same way.
std::string canonical(const toml::node& node);

}  // namespace banzuke::detail
