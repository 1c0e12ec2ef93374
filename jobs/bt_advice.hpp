#pragma once
#include <string>
#include <vector>

#include "engine/store/bundle.hpp"

namespace banzuke::bt_uncertainty {

/// Who would make a good reference, and where the reference chosen is a bad one; a line each. For a
/// run of several points only the bad ones.
std::vector<std::string> advise(const Bundle& set_up);

}  // namespace banzuke::bt_uncertainty
