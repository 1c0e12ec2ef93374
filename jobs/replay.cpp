#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ostream>
#include <span>

#include "engine/base/text.hpp"
#include "engine/random/stream_ids.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/report.hpp"
#include "jobs/verbs.hpp"

namespace banzuke {
namespace {

/// The values of one replicate: of each field, one for each element.
struct Record {
  std::uint8_t status = status_missing;
  std::vector<std::vector<double>> reals;         ///< [field]; empty where it is whole
  std::vector<std::vector<std::int64_t>> wholes;  ///< [field]; empty where it is real
};

bool is_whole(const Field& field) {
  return field.type != FieldType::float64 && field.type != FieldType::float32;
}

/// Equal bits; every NaN counts as the same.
bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

Record compute(const Job& job, const Layout& layout, std::size_t point, std::uint64_t row) {
  // The whole group of lanes, as a run computes it.
  const std::uint64_t group = job.lane_group();
  const std::uint64_t first = row / group * group;
  const auto count = static_cast<std::size_t>(std::min(group, layout.rows() - first));
  std::vector<std::uint64_t> memory(RowBlock::bytes(layout, count) / sizeof(std::uint64_t));
  const RowBlock rows(layout, point, first, count, reinterpret_cast<std::byte*>(memory.data()));
  rows.fill();
  job.compute(rows);
  const auto at = static_cast<std::size_t>(row - first);
  Record record;
  record.status = rows.status()[at];
  for (std::size_t f = 0; f < layout.fields.size(); ++f) {
    const std::size_t width = layout.width(f);
    const auto copy = [&](const auto& values, auto& into) {
      const auto own = values.subspan(at * width, width);
      into.assign(own.begin(), own.end());
    };
    record.reals.emplace_back();
    record.wholes.emplace_back();
    switch (layout.fields[f].type) {
      case FieldType::float64:
        copy(rows.doubles(f), record.reals.back());
        break;
      case FieldType::float32:
        copy(rows.floats(f), record.reals.back());
        break;
      case FieldType::int64:
        copy(rows.integers(f), record.wholes.back());
        break;
      case FieldType::int32:
        copy(rows.integers32(f), record.wholes.back());
        break;
      case FieldType::uint8:
        copy(rows.octets(f), record.wholes.back());
        break;
    }
  }
  return record;
}

Record read(const ResultFile& file, std::size_t point, std::uint64_t number) {
  const RowRange row{number, 1};
  Record record;
  record.status = file.read_status(point, row)[0];
  for (std::size_t f = 0; f < file.layout().fields.size(); ++f) {
    const bool whole = is_whole(file.layout().fields[f]);
    record.reals.push_back(whole ? std::vector<double>() : file.read_doubles(f, point, row));
    record.wholes.push_back(whole ? file.read_integers(f, point, row)
                                  : std::vector<std::int64_t>());
  }
  return record;
}

/// The job of a file, made again from its set-up; refused where it would compute other numbers.
std::unique_ptr<Job> make_again(const ResultFile& file, const std::string& path) {
  const Identity& identity = file.identity();
  const JobKind& kind = find_job(catalogue(), identity.job, {path, 0});
  const auto sessions = file.sessions();
  const std::string remedy =
      sessions.empty() ? "use the version that made it"
                       : fmt::format("replay it with version {}", sessions.back().version);
  if (identity.job_version != kind.version || identity.stream_version != stream_version ||
      identity.stream_algorithm != stream_algorithm) {
    throw InputError(
        "the file was computed by another version",
        fmt::format("{} {}, streams {} {}; this program has {} {}, {} {}", identity.job,
                    identity.job_version, identity.stream_algorithm, identity.stream_version,
                    kind.name, kind.version, stream_algorithm, stream_version),
        remedy, {path, 0});
  }
  std::unique_ptr<Job> job = kind.make(file.read_setup(), identity.seed);
  if (job->layout(file.run_layout().replicates) != file.run_layout()) {
    throw InputError("the file has other fields than this program computes", "", remedy, {path, 0});
  }
  return job;
}

std::uint64_t replicate_numbered(const std::string& text, const Layout& layout) {
  const auto number = parse_integer(text);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) < layout.replicates) {
    return static_cast<std::uint64_t>(*number);
  }
  throw InputError(fmt::format("there is no replicate {}", in_quotes(text)),
                   fmt::format("they are counted from 0 to {}", layout.replicates - 1),
                   "give one of them");
}

}  // namespace

std::size_t point_called(const Layout& layout, const std::string& name) {
  const auto& points = layout.points;
  const auto found = std::find(points.begin(), points.end(), name);
  if (found != points.end()) return static_cast<std::size_t>(found - points.begin());
  const auto number = parse_integer(name);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < points.size()) {
    return static_cast<std::size_t>(*number);
  }
  const auto near = nearest_name(name, points);
  constexpr std::size_t listed = 12;
  const bool all = points.size() <= listed;
  const std::span<const std::string> first(points.data(), all ? points.size() : listed);
  throw InputError(
      fmt::format("there is no point {}", in_quotes(name)),
      fmt::format("there are {}: {}{}", points.size(), join(first, ", "), all ? "" : ", …"),
      near ? fmt::format("did you mean {}?", in_quotes(*near))
           : fmt::format("give a label, or a number from 0 to {}", points.size() - 1));
}

int replay_verb(const std::string& path, const std::string& point_name,
                const std::string& replicate_name, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const ResultFile file = ResultFile::open(path);
  const Layout& layout = file.run_layout();
  const std::size_t point = point_called(layout, point_name);
  const std::uint64_t replicate = replicate_numbered(replicate_name, layout);
  const std::size_t first_point = file.shard() ? file.shard()->first_point : 0;
  const std::uint64_t row = replicate / layout.segment;
  const std::uint64_t first_row = file.shard() ? file.shard()->first_row : 0;
  if (point < first_point || point - first_point >= file.layout().points.size() ||
      row < first_row || row - first_row >= file.layout().rows()) {
    throw InputError("this shard does not hold the row", file.shard()->describe(),
                     "replay it from the shard that does, or from the merged file", {path, 0});
  }
  const Record computed = compute(*make_again(file, path), layout, point, row);
  const Record stored = read(file, point - first_point, row - first_row);
  const std::string& stored_status = layout.statuses[stored.status];
  const bool is_there = stored.status != status_missing && stored_status != "not_needed";

  Report report;
  report.counted = "values equal to the stored row";
  report.table = Table({{"field", "field", "of the record", "1", left},
                        {"dimension", "dimension", "axis of the field", "1", left},
                        {"element", "of", "element of the dimension", "1", left},
                        {"computed", "computed", "value computed now"},
                        {"stored", "stored", "value in the file"},
                        {"units", "units", "of the value", "1", left},
                        {"verdict", "verdict", "whether both are equal, bit for bit", "1", left},
                        {"meaning", "meaning", "what the field is", "1", left}});
  std::vector<std::string> shown{"field", "element", "computed", "units"};
  const auto add = [&](const std::string& name, const std::string& dimension,
                       const std::string& element, const Cell& now, const Cell& then, bool equal,
                       const std::string& units, const std::string& meaning) {
    ++report.total;
    report.done += is_there && equal ? 1U : 0U;
    report.table.add({Cell::text(name), Cell::text(dimension), Cell::text(element), now,
                      is_there ? then : Cell(), Cell::text(units),
                      Cell::text(!is_there ? ""
                                 : equal   ? "equal"
                                           : "DIFFERS"),
                      Cell::text(meaning)});
  };
  add("status", "", "", Cell::text(layout.statuses[computed.status]), Cell::text(stored_status),
      computed.status == stored.status, "", "how the replicate ended");
  for (std::size_t f = 0; f < layout.fields.size(); ++f) {
    const Field& field = layout.fields[f];
    const auto dimension =
        std::find_if(layout.dimensions.begin(), layout.dimensions.end(),
                     [&](const Dimension& other) { return other.name == field.dimension; });
    for (std::size_t e = 0; e < layout.width(f); ++e) {
      std::string element;
      if (dimension != layout.dimensions.end()) {
        element = dimension->labels.empty() ? fmt::format("{}", e) : dimension->labels[e];
      }
      const std::string units = field.units == "1" ? "" : field.units;
      if (is_whole(field)) {
        const std::int64_t now = computed.wholes[f][e], then = stored.wholes[f][e];
        add(field.name, field.dimension, element, Cell::whole(now), Cell::whole(then), now == then,
            units, field.long_name);
      } else {
        const double now = computed.reals[f][e], then = stored.reals[f][e];
        add(field.name, field.dimension, element, Cell::full(now), Cell::full(then),
            same(now, then), units, field.long_name);
      }
    }
  }
  const std::uint64_t different = report.total - report.done;
  const std::string verdict =
      stored.status == status_missing ? "the stored row is missing"
      : !is_there                     ? "no row is stored: it was not needed"
      : different == 0
          ? "equal to the stored row"
          : fmt::format("DIFFERS from the stored row in {} of {} values", different, report.total);
  if (is_there && different > 0) shown = {"field", "element", "computed", "stored", "verdict"};
  report.table.show(shown);
  const std::uint64_t last = std::min(row * layout.segment + layout.segment, layout.replicates) - 1;
  const std::string what = layout.segment == 1 ? fmt::format("replicate {}", replicate)
                                               : fmt::format("segment of replicates {} to {}",
                                                             row * layout.segment, last);
  report.title = {fmt::format("{}: job {}, point {} ({}), {}", path, file.identity().job, point,
                              printable(layout.points[point]), what),
                  verdict};
  report.facts = {{"point", layout.points[point]},
                  {"replicate", fmt::format("{}", replicate)},
                  {"verdict", verdict}};
  for (const Field& field : layout.fields) {
    report.notes.push_back(fmt::format("{}: {}.", field.name, field.long_name));
  }
  print(report, request, out);
  if (stored.status == status_missing) return exit_stopped;
  return is_there && different > 0 ? exit_bug : exit_done;
}

}  // namespace banzuke
