#include "engine/base/error.hpp"

#include <fmt/format.h>

namespace banzuke {
namespace {

std::string message(std::string_view problem, std::string_view why, std::string_view remedy,
                    const Location& where) {
  std::string text;
  if (!where.file.empty()) {
    text = where.line > 0 ? fmt::format("{}:{}: ", where.file, where.line)
                          : fmt::format("{}: ", where.file);
  }
  text += problem;
  if (!why.empty()) text += fmt::format(" ({})", why);
  if (!remedy.empty()) text += fmt::format(": {}", remedy);
  return text;
}

}  // namespace

InputError::InputError(std::string_view problem, std::string_view why, std::string_view remedy,
                       const Location& where)
    : std::runtime_error(message(problem, why, remedy, where)) {}

SystemError::SystemError(std::string_view problem, std::string_view why, std::string_view remedy,
                         const Location& where)
    : std::runtime_error(message(problem, why, remedy, where)) {}

}  // namespace banzuke
