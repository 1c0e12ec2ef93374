#pragma once
#include <string>
#include <string_view>

namespace banzuke {

/// An input file already in memory: its name for messages and its whole content. The content is
/// only looked at, so it must live as long as the reader that was given it.
struct NamedText {
  std::string name;
  std::string_view text;
};

}  // namespace banzuke
