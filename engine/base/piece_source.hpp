#pragma once
#include <functional>
#include <string_view>

namespace banzuke {

/// Gives the next piece of a stream of bytes, which is valid until the next call; an empty one at
/// the end, and again if it is asked further.
using PieceSource = std::function<std::string_view()>;

}  // namespace banzuke
