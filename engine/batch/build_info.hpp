#pragma once
#include <string>

#include "engine/store/provenance.hpp"

namespace banzuke {

/// "0.1.0".
std::string program_version();
/// "0.1.0 (1a2b3c4d5e)", with "+changes" where the tree was not clean.
std::string version_text();
/// Version, commit, compiler, flags and library versions: the part of a run's provenance that the
/// build decides.
Provenance build_provenance();

}  // namespace banzuke
