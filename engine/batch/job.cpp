#include "engine/batch/job.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace banzuke {

const JobKind& find_job(const Catalogue& catalogue, const std::string& name,
                        const Location& where) {
  std::vector<std::string> names;
  for (const JobKind& kind : catalogue) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  const auto near = nearest_name(name, names);
  throw InputError(fmt::format("there is no job {}", in_quotes(name)),
                   fmt::format("the jobs are {}", join(names, ", ")),
                   near ? fmt::format("did you mean {}?", in_quotes(*near)) : "choose one of them",
                   where);
}

}  // namespace banzuke
