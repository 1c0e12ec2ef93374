#include "engine/base/error.hpp"

#include <fmt/format.h>

namespace banzuke {
namespace {

std::string place_of(const Location& where) {
  if (where.file.empty()) return {};
  return where.line > 0 ? fmt::format("{}:{}: ", where.file, where.line)
                        : fmt::format("{}: ", where.file);
}

std::string message(std::string_view problem, std::string_view why, std::string_view remedy,
                    const Location& where) {
  std::string text = place_of(where);
  text += problem;
  if (!why.empty()) text += fmt::format(" ({})", why);
  if (!remedy.empty()) text += fmt::format(": {}", remedy);
  return text;
}

}  // namespace

InputError::InputError(std::string_view problem, std::string_view why, std::string_view remedy,
                       const Location& where)
    : std::runtime_error(message(problem, why, remedy, where)), place_(place_of(where).size()) {}

InputError::InputError(const std::string& message, std::size_t place)
    : std::runtime_error(message), place_(place) {}

InputError InputError::about(std::string_view subject) const {
  std::string text = what();
  text.insert(place_, fmt::format("{}: ", subject));
  return {text, place_};
}

SystemError::SystemError(std::string_view problem, std::string_view why, std::string_view remedy,
                         const Location& where)
    : std::runtime_error(message(problem, why, remedy, where)) {}

}  // namespace banzuke
