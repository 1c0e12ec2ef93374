#pragma once
#include <string>
#include <string_view>

namespace banzuke {

/// The text on one line: backslash, line feed and carriage return become `\\`, `\n`, `\r`, so that
/// different lists of texts never give the same lines.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace banzuke
