#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "engine/base/error.hpp"

namespace banzuke {

/// The whole of a file. Throws InputError where it is missing, a folder, or unreadable; `what`
/// names it in the message ("the config"), `named_at` is where the user wrote its name.
std::string read_whole_file(const std::string& path, const std::string& what,
                            const Location& named_at = {});

/// An input as read: its content decides whether a run may be resumed, not its name.
struct Input {
  std::string key;     ///< the config key that names it
  std::string path;    ///< as resolved
  std::string sha256;  ///< of the content, hexadecimal
  std::uint64_t bytes = 0;
  std::string content;
};

/// The input files of a run, in the order in which they were read. References stay valid.
class Inputs {
 public:
  const Input& load(const std::string& key, const std::string& path, const Location& named_at = {});
  const std::deque<Input>& files() const { return files_; }

 private:
  std::deque<Input> files_;
};

}  // namespace banzuke
