#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace banzuke {

/// A place in a config or data file. `line` counts from 1; 0 means the file as a whole.
struct Location {
  std::string file;
  long line = 0;
};

/// A mistake in what the user gave: config, data, arguments. Ends the program with exit code 2.
/// The message has one grammar: `file:line: problem (why): what to do`.
class InputError : public std::runtime_error {
 public:
  InputError(std::string_view problem, std::string_view why, std::string_view remedy,
             const Location& where = {});

  /// The same mistake, told of one of several subjects: `file:line: subject: problem (why): …`.
  InputError about(std::string_view subject) const;

 private:
  InputError(const std::string& message, std::size_t place);

  std::size_t place_ = 0;  ///< length of `file:line: `
};

/// Something outside the program and the user's input went wrong: a full disk, a lost file.
/// What was committed stays; exit code 1, with a message of the same grammar.
class SystemError : public std::runtime_error {
 public:
  SystemError(std::string_view problem, std::string_view why, std::string_view remedy,
              const Location& where = {});
};

}  // namespace banzuke
