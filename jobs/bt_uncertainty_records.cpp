#include "jobs/bt_uncertainty_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/models/bradley_terry/goodness_of_fit.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "jobs/bt_status.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

/// Replicates of a segment are computed so many ratings at a time (8 MiB), but at least as many as
/// the kernel plays side by side.
constexpr std::size_t chunk_values = std::size_t{1} << 20;
constexpr std::size_t least_chunk = 64;

std::vector<Field> replicate_fields(const Storage& storage, const std::string& units) {
  std::vector<Field> fields{
      {"rating", FieldType::float64, "player", units, "refitted rating; NaN where not rated"},
      {"log_likelihood", FieldType::float64, "", "1",
       "log-likelihood of the refit, without binomial coefficients"},
      {"iterations", FieldType::int32, "", "1", "gradient evaluations of the refit"},
      {"players_rated", FieldType::int32, "", "1", "players in the anchor's component"},
      {"last_step", FieldType::float64, "", units,
       "largest change of a rating in the refit's last step"}};
  if (storage.deviance) {
    fields.push_back({"deviance", FieldType::float64, "", "1",
                      "deviance of the refit over pair totals, games between rated players"});
  }
  if (storage.control) {
    fields.push_back({"linearised", FieldType::float64, "player", units,
                      "linearised estimate minus the true rating: the control variate"});
  }
  return fields;
}

std::vector<Field> segment_fields(const Storage& storage, const std::string& units) {
  const auto power = [&](int n) {
    return units == "1" || n == 1 ? units : units + "^" + std::to_string(n);
  };
  std::vector<Field> fields{
      {"replicates_rated", FieldType::int32, "player", "1",
       "replicates of the segment in which the player was rated"},
      {"rating_mean", FieldType::float64, "player", units, "mean refitted rating in the segment"},
      {"rating_m2", FieldType::float64, "player", power(2),
       "sum of squared deviations from that mean"},
      {"rating_m3", FieldType::float64, "player", power(3), "sum of their third powers"},
      {"rating_m4", FieldType::float64, "player", power(4), "sum of their fourth powers"},
      {"replicates_ok", FieldType::int32, "", "1", "replicates of the segment that were refitted"},
      {"replicates_unsolvable", FieldType::int32, "", "1",
       "replicates that left fewer than two players to rate"},
      {"replicates_not_converged", FieldType::int32, "", "1",
       "replicates whose refit did not converge"},
      {"log_likelihood_mean", FieldType::float64, "", "1",
       "mean log-likelihood of the refits, without binomial coefficients"},
      {"iterations", FieldType::int64, "", "1", "gradient evaluations of the segment's refits"},
      {"players_rated", FieldType::int64, "", "1",
       "sum over the refits of the players in the anchor's component"},
      {"last_step", FieldType::float64, "", units,
       "largest change of a rating in a refit's last step"}};
  if (storage.deviance) {
    fields.push_back({"deviance_mean", FieldType::float64, "", "1", "mean deviance of the refits"});
    fields.push_back({"deviance_m2", FieldType::float64, "", "1",
                      "sum of squared deviations from the mean deviance"});
    fields.push_back({"deviance_as_large", FieldType::int32, "", "1",
                      "refits with a deviance of at least that of the fit"});
  }
  if (storage.control) {
    for (const CrossField& field : cross_fields()) {
      fields.push_back({field.name, FieldType::float64, "player", power(field.power),
                        "sum of products of powers: x the linearised estimate, d the refitted "
                        "rating, both minus the true rating"});
    }
  }
  return fields;
}

}  // namespace

Storage storage_of(const Bundle& set_up) {
  Storage storage;
  if (!set_up.has("segment")) return storage;  // version 2 and before
  storage.segment = static_cast<std::uint64_t>(set_up.scalar_integer("segment"));
  storage.control = set_up.scalar_integer("has_control_variate") == 1;
  storage.deviance = set_up.scalar_integer("has_deviance") == 1;
  return storage;
}

void store_storage(const Storage& storage, Bundle& set_up) {
  set_up.set("segment", static_cast<std::int64_t>(storage.segment), "1",
             "replicates a row; more than 1: a row holds their moments only");
  set_up.set("has_control_variate", std::int64_t{storage.control}, "1",
             "1: linearised estimates are kept, to reduce the variance of the uncertainties");
  set_up.set("has_deviance", std::int64_t{storage.deviance}, "1",
             "1: deviances are kept, to test the goodness of the fit");
}

const std::array<CrossField, 12>& cross_fields() {
  using bt::CrossMoments;
  static constexpr std::array<CrossField, 12> fields{{{"sum_x", 1, &CrossMoments::x},
                                                      {"sum_x2", 2, &CrossMoments::x2},
                                                      {"sum_x3", 3, &CrossMoments::x3},
                                                      {"sum_x4", 4, &CrossMoments::x4},
                                                      {"sum_d", 1, &CrossMoments::d},
                                                      {"sum_d2", 2, &CrossMoments::d2},
                                                      {"sum_d3", 3, &CrossMoments::d3},
                                                      {"sum_d4", 4, &CrossMoments::d4},
                                                      {"sum_dx", 2, &CrossMoments::dx},
                                                      {"sum_dx2", 3, &CrossMoments::dx2},
                                                      {"sum_d2x", 3, &CrossMoments::d2x},
                                                      {"sum_d2x2", 4, &CrossMoments::d2x2}}};
  return fields;
}

std::vector<Field> fields_of(const Storage& storage, const std::string& units) {
  return storage.moments_only() ? segment_fields(storage, units) : replicate_fields(storage, units);
}

Recorder::Recorder(const PointView& view, const Storage& storage, const RatingScale& scale)
    : kernel_(view.schedule, view.ability, view.anchor),
      player_(view.player),
      truth_(view.rating.begin(), view.rating.end()),
      pairs_(view.schedule.size()),
      fit_deviance_(view.deviance.value_or(0)),
      storage_(storage),
      scale_(scale) {}

double Recorder::cost() const {
  return static_cast<double>(pairs_ + player_.size());
}

std::size_t Recorder::workspace_bytes() const {
  // Of the kernel: wins of up to 64 replicates, and some 120 bytes a player and lane.
  const std::size_t kernel =
      std::max(16 * pairs_, std::min(64 * pairs_, std::size_t{1} << 25)) * 4 +
      16 * 120 * player_.size();
  const std::size_t chunk =
      storage_.moments_only() ? 8 * std::max(chunk_values, least_chunk * player_.size()) : 0;
  return (std::size_t{4} << 20) + kernel + (storage_.control ? 2 : 1) * chunk;
}

void Recorder::compute(std::uint64_t seed, const RowBlock& rows) const {
  if (!storage_.moments_only()) return compute_replicates(seed, rows);
  for (std::size_t row = 0; row < rows.count(); ++row) compute_segment(seed, rows, row);
}

/// From rows of the point's rated players, packed at the front, to rows of all players. In place,
/// from the last row: a row never begins before its packed form.
void Recorder::spread(std::size_t count, std::span<double> values) const {
  const std::size_t width = values.size() / count;
  std::vector<double> row(player_.size());
  for (std::size_t r = count; r-- > 0;) {
    std::copy_n(values.begin() + static_cast<long>(r * row.size()), row.size(), row.begin());
    const std::span<double> whole = values.subspan(r * width, width);
    std::fill(whole.begin(), whole.end(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < row.size(); ++i) whole[player_[i]] = row[i];
  }
}

void Recorder::compute_replicates(std::uint64_t seed, const RowBlock& rows) const {
  const auto doubles = [&](std::string_view name) {
    return rows.doubles(rows.layout().field_index(name));
  };
  const auto integers = [&](std::string_view name) {
    return rows.integers32(rows.layout().field_index(name));
  };
  const std::size_t values = rows.count() * player_.size();
  std::vector<bt::ReplicateStatus> status(rows.count());
  const std::span<double> ratings = doubles("rating"), last_step = doubles("last_step");
  bt::ReplicateOutput out{ratings.first(values),
                          doubles("log_likelihood"),
                          integers("iterations"),
                          integers("players_rated"),
                          status,
                          last_step};
  if (storage_.deviance) out.deviance = doubles("deviance");
  if (storage_.control) out.control = doubles("linearised").first(values);
  kernel_.run(seed, static_cast<std::uint32_t>(rows.point()), rows.first(), rows.count(), out);
  for (double& rating : out.ratings) rating = rating_of(rating);
  for (double& estimate : out.control) estimate *= scale_.unit;
  for (double& step : last_step) step *= scale_.unit;
  spread(rows.count(), ratings);
  if (storage_.control) spread(rows.count(), doubles("linearised"));
  for (std::size_t i = 0; i < status.size(); ++i) rows.status()[i] = bt_status::code_of(status[i]);
}

void Recorder::compute_segment(std::uint64_t seed, const RowBlock& rows, std::size_t row) const {
  const std::size_t players = player_.size();
  const std::uint64_t begin = (rows.first() + row) * storage_.segment;
  const std::uint64_t end = std::min(begin + storage_.segment, rows.layout().replicates);
  const std::size_t chunk = std::min<std::uint64_t>(
      end - begin, std::max(least_chunk, chunk_values / players / least_chunk * least_chunk));

  std::vector<double> ratings(chunk * players), control(storage_.control ? ratings.size() : 0);
  std::vector<double> log_likelihood(chunk), last_step(chunk), deviance(chunk);
  std::vector<std::int32_t> iterations(chunk), players_rated(chunk);
  std::vector<bt::ReplicateStatus> status(chunk);

  std::vector<bt::MomentSums> moments(players);
  std::vector<bt::CrossMoments> cross(storage_.control ? players : 0);
  bt::MomentSums log_likelihoods;
  bt::DevianceTally deviances;
  std::int32_t outcomes[3] = {0, 0, 0};
  std::int64_t all_iterations = 0, all_rated = 0;
  double largest_step = 0;
  for (std::uint64_t first = begin; first < end; first += chunk) {
    const std::size_t count = std::min<std::uint64_t>(chunk, end - first);
    const auto part = [&](auto& values, std::size_t width = 1) {
      return std::span(values).first(values.empty() ? 0 : count * width);
    };
    kernel_.run(seed, static_cast<std::uint32_t>(rows.point()), first, count,
                {part(ratings, players), part(log_likelihood), part(iterations),
                 part(players_rated), part(status), part(last_step),
                 storage_.deviance ? part(deviance) : std::span<double>(), part(control, players)});
    for (std::size_t r = 0; r < count; ++r) {
      ++outcomes[static_cast<std::size_t>(status[r])];
      all_iterations += iterations[r];
      if (status[r] != bt::ReplicateStatus::ok) continue;
      all_rated += players_rated[r];
      largest_step = std::max(largest_step, last_step[r] * scale_.unit);
      log_likelihoods.add(log_likelihood[r]);
      if (storage_.deviance) deviances.add(deviance[r], fit_deviance_);
      for (std::size_t i = 0; i < players; ++i) {
        const double rating = rating_of(ratings[r * players + i]);
        moments[i].add(rating);
        if (storage_.control)
          cross[i].add(rating - truth_[i], control[r * players + i] * scale_.unit);
      }
    }
  }

  const Layout& layout = rows.layout();
  const auto field = [&](std::string_view name) { return layout.field_index(name); };
  const auto put = [&](std::string_view name, double value) {
    rows.doubles(field(name))[row] = value;
  };
  const auto put_count = [&](std::string_view name, std::int32_t value) {
    rows.integers32(field(name))[row] = value;
  };
  const auto put_players = [&](std::string_view name, auto value_of) {
    const std::size_t index = field(name), width = layout.width(index);
    for (std::size_t i = 0; i < players; ++i) {
      rows.doubles(index)[row * width + player_[i]] = value_of(i);
    }
  };
  const std::size_t counts = field("replicates_rated"), width = layout.width(counts);
  for (std::size_t i = 0; i < players; ++i) {
    rows.integers32(counts)[row * width + player_[i]] = static_cast<std::int32_t>(moments[i].count);
  }
  put_players("rating_mean", [&](std::size_t i) {
    return moments[i].count > 0 ? moments[i].mean : std::numeric_limits<double>::quiet_NaN();
  });
  put_players("rating_m2", [&](std::size_t i) { return moments[i].m2; });
  put_players("rating_m3", [&](std::size_t i) { return moments[i].m3; });
  put_players("rating_m4", [&](std::size_t i) { return moments[i].m4; });
  for (std::size_t f = 0; storage_.control && f < cross_fields().size(); ++f) {
    const CrossField& sum = cross_fields()[f];
    put_players(sum.name, [&](std::size_t i) { return cross[i].*sum.sum; });
  }
  put_count("replicates_ok", outcomes[static_cast<int>(bt::ReplicateStatus::ok)]);
  put_count("replicates_unsolvable", outcomes[static_cast<int>(bt::ReplicateStatus::unsolvable)]);
  put_count("replicates_not_converged",
            outcomes[static_cast<int>(bt::ReplicateStatus::not_converged)]);
  put("log_likelihood_mean",
      log_likelihoods.count > 0 ? log_likelihoods.mean : std::numeric_limits<double>::quiet_NaN());
  rows.integers(field("iterations"))[row] = all_iterations;
  rows.integers(field("players_rated"))[row] = all_rated;
  put("last_step", largest_step);
  if (storage_.deviance) {
    put("deviance_mean", deviances.sums.mean);
    put("deviance_m2", deviances.sums.m2);
    put_count("deviance_as_large", static_cast<std::int32_t>(deviances.as_large));
  }
  rows.status()[row] = status_ok;
}

}  // namespace banzuke::bt_uncertainty
