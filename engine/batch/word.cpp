#include "engine/batch/word.hpp"

#include <cstring>

namespace banzuke {
namespace {

Bundle exchanged(const Bundle& bundle, Communicator& comm) {
  std::vector<std::byte> bytes = bundle.to_bytes();
  comm.broadcast(bytes);
  return Bundle::from_bytes(bytes);
}

}  // namespace

void broadcast(StartWord& word, Communicator& comm) {
  const auto whole = [](auto value) { return static_cast<std::int64_t>(value); };
  std::vector<std::int64_t> missing;
  for (const Block& block : word.missing) {
    missing.insert(missing.end(), {whole(block.point), whole(block.first), whole(block.count)});
  }
  Bundle header;
  header.set("job", word.job);
  header.set("numbers", std::vector<std::int64_t>{word.exit_code, whole(word.seed),
                                                  whole(word.replicates), word.threads});
  header.set("missing", missing);
  header = exchanged(header, comm);
  const auto numbers = header.integers("numbers");
  word.exit_code = static_cast<int>(numbers[0]);
  if (word.exit_code != 0) return;
  word.job = header.scalar_string("job");
  word.seed = static_cast<std::uint64_t>(numbers[1]);
  word.replicates = static_cast<std::uint64_t>(numbers[2]);
  word.threads = static_cast<int>(numbers[3]);
  const auto ranges = header.integers("missing");
  word.missing.clear();
  for (std::size_t i = 0; i < ranges.size(); i += 3) {
    word.missing.push_back({static_cast<std::size_t>(ranges[i]),
                            static_cast<std::uint64_t>(ranges[i + 1]),
                            static_cast<std::uint64_t>(ranges[i + 2])});
  }
  word.set_up = exchanged(word.set_up, comm);
}

void broadcast(RoundWord& word, Communicator& comm) {
  std::vector<std::byte> bytes(sizeof word);
  std::memcpy(bytes.data(), &word, sizeof word);
  comm.broadcast(bytes);
  std::memcpy(&word, bytes.data(), sizeof word);
}

}  // namespace banzuke
