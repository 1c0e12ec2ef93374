#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/error.hpp"
#include "engine/base/piece_source.hpp"

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
  std::string content;  ///< empty if the file was read as a stream
};

/// The input files of a run, in the order in which they were read. References stay valid.
class Inputs {
 public:
  /// The file as a whole.
  const Input& load(const std::string& key, const std::string& path, const Location& named_at = {});
  /// The file as a stream, of which `use` takes the pieces it wants, so that it need not fit into
  /// memory; the content is not kept. The digest covers what `use` sees and the rest of the file.
  const Input& load_stream(const std::string& key, const std::string& path,
                           const Location& named_at,
                           const std::function<void(const PieceSource&)>& use);
  const std::deque<Input>& files() const { return files_; }

 private:
  std::deque<Input> files_;
};

}  // namespace banzuke
