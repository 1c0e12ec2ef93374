#include "engine/batch/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/batch/desk.hpp"
#include "engine/batch/pace.hpp"
#include "engine/batch/placement.hpp"
#include "engine/batch/plan.hpp"
#include "engine/batch/progress.hpp"
#include "engine/batch/round.hpp"
#include "engine/batch/word.hpp"

namespace banzuke {
namespace {

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// What begins, in a few lines.
void announce(const Order& order, const Desk& desk, const std::vector<Placement>& ranks) {
  const Layout& layout = desk.layout();
  const std::uint64_t total = desk.rows_total();
  if (!desk.part().empty()) say(desk.part());
  if (!desk.lock_note().empty()) say(desk.lock_note());
  say(fmt::format("{}: {} × {}{}, {} of {} to compute, on {} × {}, into {}", order.kind->name,
                  counted(layout.points.size(), "point"), counted(layout.replicates, "replicate"),
                  layout.segment_text(), desk.rows_left(), total, counted(ranks.size(), "rank"),
                  counted(static_cast<std::uint64_t>(order.keys.threads), "thread"),
                  order.keys.output));
  for (const std::string& line : placement_lines(ranks, order.keys.threads)) say("  " + line);
  if (order.keys.threads < order.keys.threads_asked) {
    say(fmt::format("warning: {} a rank instead of {} (OMP_THREAD_LIMIT): raise or unset it",
                    counted(static_cast<std::uint64_t>(order.keys.threads), "thread"),
                    order.keys.threads_asked));
  }
  for (const std::string& warning : placement_warnings(ranks, order.keys.threads)) {
    say("warning: " + warning);
  }
  if (!desk.set_up().has("notes")) return;
  for (const std::string& note : desk.set_up().strings("notes")) {
    say(fmt::format("note: {}", note));
  }
}

}  // namespace

int run(const Catalogue& catalogue, const RunOptions& options, Communicator& comm,
        const Clock& clock) {
  // Rank 0 opens or creates the output; everybody learns the set-up.
  std::optional<StopRule> stop;  // on rank 0 only, as are the next two
  std::optional<Order> order;
  std::optional<Desk> desk;
  StartWord start;
  StageWord stage;
  const std::vector<Placement> placements = gather_placements(own_placement(), comm);
  if (comm.is_root()) {
    try {
      stop.emplace(clock, options.time_limit, scheduled_end());
      order = read_order(catalogue, options);
      stop->watch(order->keys.output + ".stop");
      desk.emplace(*order, comm, hosts_text(placements));
      if (desk->rows_left() > 0) desk->begin_session();
      stage.missing = desk->next_stage();
      start = {exit_done,           order->kind->name, order->keys.seed, order->keys.replicates,
               order->keys.threads, desk->set_up()};
    } catch (const std::exception& error) {
      say(fmt::format("banzuke: {}", error.what()));
      start.exit_code = dynamic_cast<const InputError*>(&error) ? exit_input : exit_bug;
    }
  }
  broadcast(start, comm);
  if (start.exit_code != exit_done) return start.exit_code;

  const std::unique_ptr<Job> job = find_job(catalogue, start.job).make(start.set_up, start.seed);
  const Layout layout = job->layout(start.replicates);
  WorkShape shape{job->lane_group(), layout.row_bytes(), {}};
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    shape.cost.push_back(job->cost(point));
  }
  const std::uint64_t total = desk ? desk->rows_total() : 0;
  const bool complete_before = desk && desk->rows_left() == 0;
  const auto ranks = static_cast<std::size_t>(comm.size());
  const std::size_t workers = ranks * static_cast<std::size_t>(start.threads);
  if (desk && !options.quiet) announce(*order, *desk, placements);
  const std::string noun(layout.row_noun());
  Progress progress(stderr, options.quiet, noun, total, desk ? total - desk->rows_left() : 0);
  Pace pace(order ? order->keys.round_seconds : 0);

  // Stages of rounds, until nothing is missing or something says stop.
  const double begin = clock.seconds();
  bool signalled = false;
  RoundWord word;
  std::vector<std::byte> memory;  // the round's rows; on rank 0 those of all ranks
  std::string why = "done";
  std::string trouble;
  const auto fail = [&](const std::string& text) {
    word.exit_code = exit_bug;
    trouble = text;
  };
  for (broadcast(stage, comm); !stage.missing.empty(); broadcast(stage, comm)) {
    Missing missing(stage.missing, shape);
    pace.begin(missing.mean_cost() * static_cast<double>(workers * shape.lane_group));
    while (true) {
      word.cost = 0;
      if (desk && word.exit_code == exit_done && !missing.empty()) {
        const double needed =
            std::max(pace.shortest_seconds(), std::min(0.5, pace.expected_seconds()));
        pace.fit(stop->room());
        if (const auto reason = stop->reason(needed, signalled || stop_signal() != 0)) {
          word.exit_code = exit_stopped;
          why = *reason;
        } else {
          word.cost = pace.cost();
        }
      }
      broadcast(word, comm);
      if (word.cost == 0) break;

      const double round_begin = clock.seconds();
      const double cost_before = missing.cost();
      const std::vector<Block> blocks = missing.take(word.cost, round_bytes, workers);
      const auto hands = deal(blocks, shape.cost, ranks);
      RoundResult mine = compute_round(*job, layout, hands[static_cast<std::size_t>(comm.rank())],
                                       start.threads, std::move(memory));

      double agreed[3] = {mine.failure ? 1.0 : 0.0, stop_signal() != 0 ? 1.0 : 0.0,
                          mine.busy_seconds};
      comm.sum(agreed);
      signalled = signalled || agreed[1] > 0;
      if (agreed[0] > 0) {
        // The rank that failed tells: what it knows need not reach rank 0.
        if (mine.failure) say(fmt::format("banzuke: {}", *mine.failure));
        fail("a block could not be computed");
        continue;
      }
      std::vector<std::size_t> sizes;
      for (const auto& hand : hands) sizes.push_back(bytes_of(layout, hand));
      comm.gather(mine.rows, sizes);
      memory = std::move(mine.rows);
      if (!desk) continue;

      const double computed = clock.seconds();
      const double round_seconds = std::max(computed - round_begin, 1e-9);
      std::vector<RowBlock> rows;
      std::byte* at = memory.data();
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto of_rank = views(layout, hands[rank], at);
        rows.insert(rows.end(), of_rank.begin(), of_rank.end());
        at += sizes[rank];
      }
      try {
        const double mean_busy = std::max(agreed[2] / static_cast<double>(workers), 1e-9);
        desk->commit(rows, computed - begin, round_seconds / mean_busy);
      } catch (const std::exception& error) {
        fail(error.what());
        continue;
      }
      stop->learn(pace.expected_seconds(), round_seconds, clock.seconds() - computed);
      pace.learn(cost_before - missing.cost(), round_seconds);
      progress.update(total - desk->rows_left(), clock.seconds() - begin);
    }
    stage.missing.clear();
    if (desk && word.exit_code == exit_done && !signalled) {
      try {
        stage.missing = desk->next_stage();
      } catch (const std::exception& error) {
        fail(error.what());
      }
    }
  }

  // Rank 0 says how it ended; a signal may have left blocks of the last round undone.
  if (desk) {
    progress.finish();
    if (word.exit_code == exit_done && desk->rows_left() > 0) {
      word.exit_code = exit_stopped;
      why = "signal";
    }
    if (word.exit_code == exit_bug) {
      // What the file holds is no longer known: it may be gone.
      why = "error";
      say(fmt::format("banzuke: {}", trouble));
      say(fmt::format("banzuke: stopped: the same command goes on from what {} holds",
                      order->keys.output));
    } else if (word.exit_code != exit_done) {
      say(fmt::format("banzuke: stopped ({}) with {} of {} {}s in {}: the same command goes on",
                      why, total - desk->rows_left(), total, noun, order->keys.output));
    } else if (!options.quiet) {
      say(fmt::format("done: all {} are in {}", counted(total, noun), order->keys.output));
    }
    if (!complete_before) {
      try {
        desk->end_session(why);
      } catch (const std::exception& error) {
        say(fmt::format("banzuke: the session's end is not recorded: {}", error.what()));
      }
    }
  }
  broadcast(word, comm);
  return word.exit_code;
}

}  // namespace banzuke
