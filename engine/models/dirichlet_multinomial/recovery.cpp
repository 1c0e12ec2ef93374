#include "engine/models/dirichlet_multinomial/recovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr std::size_t players_at_a_time = 128;

StreamAddress games_address(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate) {
  return {seed, StreamId::games_per_player, point, replicate, 0};
}

const RecoveryRule& checked(const RecoveryRule& rule) {
  check(rule.games);
  if (rule.players == 0) throw std::invalid_argument("a recovery study without players");
  return rule;
}

Tail tail_of(std::span<const std::uint32_t> values) {
  TailCounter counter;
  counter.add(values);
  Tail tail;
  counter.tail(tail);
  return tail;
}

Share share(double count, double of) {
  const double p = count / of;
  return {count, of, p, std::sqrt(p * (1 - p) / of)};
}

/// Count, mean and central moments in one order.
struct Moments {
  double mean = 0;
  double variance = 0;  ///< divisor n - 1
  double error_of_mean = 0;
  double error_of_sd = 0;  ///< sqrt((m4 - m2²)/n)/(2 sd)
};
Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Moments out;
  for (const double x : values) out.mean += x;
  out.mean /= n;
  double second = 0, fourth = 0;
  for (const double x : values) {
    const double square = (x - out.mean) * (x - out.mean);
    second += square;
    fourth += square * square;
  }
  out.variance = n > 1 ? second / (n - 1) : std::numeric_limits<double>::quiet_NaN();
  out.error_of_mean = std::sqrt(out.variance / n);
  const double spread = fourth / n - (second / n) * (second / n);
  out.error_of_sd = std::sqrt(spread / n / out.variance) / 2;
  return out;
}

bool covers(const Interval& interval, double value) {
  return interval.lower <= value && value <= interval.upper;
}

}  // namespace

RecoveryPoint::RecoveryPoint(const RecoveryRule& rule, std::uint64_t seed, std::uint32_t point)
    : rule_(checked(rule)),
      seed_(seed),
      point_(point),
      sampler_(rule.ranks, rule.alpha, largest(rule.games)) {
  if (rule.redraw_games) return;
  games_.resize(rule.players);
  draw_games(rule.games, games_address(seed, point, 0), games_);
  games_tail_ = tail_of(games_);
  condensed_games_ = condense(games_tail_);
}

RecoveryRecord RecoveryPoint::simulate_and_fit(std::uint32_t replicate) const {
  std::vector<std::uint32_t> redrawn;
  std::span<const std::uint32_t> games = games_;
  TailCounts counts;
  counts.ranks = rule_.ranks;
  counts.players = rule_.players;
  CondensedTail condensed;
  if (rule_.redraw_games) {
    redrawn.resize(rule_.players);
    draw_games(rule_.games, games_address(seed_, point_, replicate), redrawn);
    games = redrawn;
    counts.games_tail = tail_of(games);
    condensed = condense(counts.games_tail);
  } else {
    counts.games_tail = games_tail_;
  }
  counts.games = total(counts.games_tail);

  StreamAddress address{seed_, StreamId::dirichlet_multinomial_counts, point_, replicate, 0};
  const auto ranks = static_cast<std::size_t>(rule_.ranks);
  std::vector<std::uint32_t> careers(players_at_a_time * ranks);
  TailCounter counter;
  for (std::size_t first = 0; first < games.size(); first += players_at_a_time) {
    const auto chunk = games.subspan(first, std::min(players_at_a_time, games.size() - first));
    const std::span out(careers.data(), chunk.size() * ranks);
    address.entity = static_cast<std::uint32_t>(first);
    sampler_.draw(address, chunk, out);
    counter.add(out);
  }
  counter.tail(counts.rank_tail);

  const FitOptions options{rule_.confidence};
  const SymmetricFit fit =
      fit_symmetric(counts, rule_.redraw_games ? condensed : condensed_games_, options);
  return {fit.verdict, fit.alpha,          fit.standard_error_log_alpha,   fit.wald,
          fit.profile, fit.log_likelihood, fit.log_likelihood_at_infinity, fit.games,
          fit.players, fit.iterations};
}

RecoverySummary summarise(double true_alpha, std::span<const RecoveryRecord> records) {
  const auto n = static_cast<double>(records.size());
  std::array<double, 5> verdicts{};
  double wald = 0, wald_covers = 0, profile = 0, profile_covers = 0;
  std::vector<double> ratio, log_alpha, standard_error;
  for (const RecoveryRecord& record : records) {
    verdicts[static_cast<std::size_t>(record.verdict)] += 1;
    if (!std::isnan(record.profile.lower)) {
      profile += 1;
      profile_covers += covers(record.profile, true_alpha) ? 1 : 0;
    }
    if (!(record.alpha > 0 && std::isfinite(record.alpha))) continue;
    wald += 1;
    wald_covers += covers(record.wald, true_alpha) ? 1 : 0;
    ratio.push_back(record.alpha / true_alpha - 1);
    log_alpha.push_back(det_log(record.alpha));
    standard_error.push_back(record.standard_error_log_alpha);
  }
  const auto of = [&](Verdict verdict) {
    return share(verdicts[static_cast<std::size_t>(verdict)], n);
  };
  const Moments relative = moments(ratio);
  const Moments logs = moments(log_alpha);
  const Moments errors = moments(standard_error);
  double squares = 0;
  for (const double x : ratio) squares += x * x;
  RecoverySummary out;
  out.replicates = n;
  out.infinite = of(Verdict::infinite);
  out.zero = of(Verdict::zero);
  out.flat = of(Verdict::flat);
  out.bimodal = of(Verdict::bimodal);
  out.finite = static_cast<double>(ratio.size());
  out.mean_alpha = true_alpha * (1 + relative.mean);
  out.relative_bias = relative.mean;
  out.relative_bias_error = relative.error_of_mean;
  out.relative_rmse = std::sqrt(squares / out.finite);
  out.sd_log_alpha = std::sqrt(logs.variance);
  out.sd_log_alpha_error = logs.error_of_sd;
  out.mean_standard_error = errors.mean;
  out.mean_standard_error_error = errors.error_of_mean;
  out.wald_coverage = share(wald_covers, wald);
  out.profile_coverage = share(profile_covers, profile);
  return out;
}

}  // namespace banzuke::dirichlet_multinomial
