#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/config.hpp"

namespace banzuke {

/// A key as a reader of configs declares it.
struct KeyDescription {
  std::string path;  ///< dotted, with [] behind the name of an array of tables
  Key key;
  std::string type;                               ///< in words: "whole number"
  std::optional<std::string> default_value = {};  ///< TOML
  bool required = false;                          ///< where it is read; else it may be left out
  bool always = true;                             ///< read whenever its table is
  Range range = {};
  std::vector<std::string> words = {};  ///< the values there are
  std::string when = {};  ///< in words, what must be set for it to be read; empty: nothing
};

/// All keys that `read` can ask of a config, found by observing it: it is run with a config that
/// has nothing, then with each table, choice and kind of value that it asked for, until nothing
/// new turns up. Its errors end a pass, not the search. Grouped by table, each in the order of
/// declaration.
std::vector<KeyDescription> describe_keys(const std::function<void(const Config&)>& read);

/// "1 to 64", "at least 0"; empty where everything is allowed.
std::string range_text(Range range);
/// What a change of the key means, in words.
std::string role_text(Role role);

}  // namespace banzuke
