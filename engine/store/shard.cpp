#include "engine/store/shard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace banzuke {
namespace {

std::string range_text(std::string_view noun, std::uint64_t first, std::uint64_t count) {
  return count == 1 ? fmt::format("{} {}", noun, first)
                    : fmt::format("{}s {} to {}", noun, first, first + count - 1);
}

}  // namespace

Layout Shard::own() const {
  Layout layout = whole;
  const auto begin = whole.points.begin() + static_cast<std::ptrdiff_t>(first_point);
  layout.points.assign(begin, begin + static_cast<std::ptrdiff_t>(points));
  layout.replicates = std::min(rows * whole.segment, whole.replicates - first_row * whole.segment);
  return layout;
}

std::string Shard::describe() const {
  const std::string part = points < whole.points.size()
                               ? range_text("point", first_point, points)
                               : range_text(whole.row_noun(), first_row, rows);
  return fmt::format("shard {} of {}: {}", index, count, part);
}

Shard cut(const Layout& whole, std::uint64_t lane_group, std::uint32_t index, std::uint32_t count) {
  if (index < 1 || index > count) {
    throw InputError(fmt::format("there is no shard {}/{}", index, count), "shards count from 1",
                     fmt::format("ask for 1/{0} to {0}/{0}", count));
  }
  Shard shard{index, count, whole, 0, whole.points.size(), 0, whole.rows()};
  const std::uint64_t groups = (whole.rows() + lane_group - 1) / lane_group;
  // floor(parts i / count) without overflow.
  const auto edge = [&](std::uint64_t parts, std::uint64_t i) {
    return parts / count * i + parts % count * i / count;
  };
  if (groups >= count) {
    shard.first_row = edge(groups, index - 1) * lane_group;
    shard.rows = std::min(edge(groups, index) * lane_group, whole.rows()) - shard.first_row;
  } else if (whole.points.size() >= count) {
    shard.first_point = edge(whole.points.size(), index - 1);
    shard.points = edge(whole.points.size(), index) - shard.first_point;
  } else {
    throw InputError(
        fmt::format("the run cannot be cut in {} shards", count),
        fmt::format("it has {} points, and {} groups of {}s a point", whole.points.size(), groups,
                    whole.row_noun()),
        fmt::format("ask for at most {}", std::max<std::uint64_t>(groups, whole.points.size())));
  }
  return shard;
}

}  // namespace banzuke
