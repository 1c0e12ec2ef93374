#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <random>
#include <string>

#include "engine/base/sha256.hpp"
#include "engine/records/byte_scan.hpp"
#include "engine/records/pair_table.hpp"

namespace {

using namespace banzuke;

/// Style of a file of games: how much a record holds beside its result.
enum Style : int64_t { tags_only, plain_moves, clock_comments, engine_comments };

std::string games(Style style, std::size_t bytes) {
  std::mt19937 generator(7);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  std::string text;
  for (int round = 1; text.size() < bytes; ++round) {
    const unsigned white = random() % 150;
    const char* const result = random() % 2 == 0 ? "1-0" : "0-1";
    if (style != tags_only) {
      text += fmt::format(
          "[Event \"League\"]\n[Site \"server\"]\n[Date \"2016.05.01\"]\n[Round \"{}\"]\n", round);
    }
    text += fmt::format("[White \"Engine {}\"]\n[Black \"Engine {}\"]\n[Result \"{}\"]\n", white,
                        white + 1 + random() % 20, result);
    if (style != tags_only) {
      text += "[BlackElo \"2731\"]\n[ECO \"A05\"]\n[PlyCount \"66\"]\n[TimeControl \"7200+15\"]\n";
    }
    text += '\n';
    for (unsigned move = 1; style != tags_only && move < 40 + random() % 80; ++move) {
      for (const char* const side : {"Nf3", "Bxc6+"}) {
        text += side;
        if (style == clock_comments) text += fmt::format(" {{ [%clk 0:0{}:00] }}", move % 10);
        if (style == engine_comments) {
          text += fmt::format(" {{ d={}, mt=00:04:20, s=12619 kN/s, n=3284515502, pv=", move % 40);
          for (unsigned i = random() % 60; i > 0; --i) text += "Bg2 ";
          text += "tb=0, wv=0.34, }\n";
        }
        text += ' ';
      }
      if (move % 6 == 0) text += '\n';
    }
    text += fmt::format("{}\n\n", result);
  }
  return text;
}

void pgn_parse(benchmark::State& state) {
  const std::string text = games(static_cast<Style>(state.range(0)), std::size_t{8} << 20);
  for (auto _ : state) {
    PairTableReader reader({});
    reader.begin_pgn("g.pgn");
    // In the pieces in which a file is read.
    for (std::size_t at = 0; at < text.size(); at += 1 << 18) {
      reader.feed_pgn(std::string_view(text).substr(at, 1 << 18));
    }
    reader.end_pgn();
    benchmark::DoNotOptimize(reader.table());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetLabel(std::array{"tags only", "moves", "clock comments",
                            "engine comments"}[static_cast<std::size_t>(state.range(0))]);
}
BENCHMARK(pgn_parse)->DenseRange(tags_only, engine_comments)->Unit(benchmark::kMillisecond);

/// The limit: finding nothing, and the digest that every input gets.
void pgn_limit_scan(benchmark::State& state) {
  const std::string text(std::size_t{8} << 20, 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(find_byte<MovetextStops>(text.data(), text.data() + text.size()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(pgn_limit_scan)->Unit(benchmark::kMillisecond);

void pgn_limit_sha256(benchmark::State& state) {
  const std::string text(std::size_t{8} << 20, 'x');
  for (auto _ : state) benchmark::DoNotOptimize(sha256_hex(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(pgn_limit_sha256)->Unit(benchmark::kMillisecond);

}  // namespace
