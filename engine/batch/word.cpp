#include "engine/batch/word.hpp"

#include <cstring>
#include <type_traits>

namespace banzuke {
namespace {

Bundle exchanged(const Bundle& bundle, Communicator& comm) {
  std::vector<std::byte> bytes = bundle.to_bytes();
  comm.broadcast(bytes);
  return Bundle::from_bytes(bytes);
}

/// The ranks of a run are the same program on like machines, so plain values travel as they are.
template <class T>
void broadcast_values(std::vector<T>& values, Communicator& comm) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  comm.broadcast(bytes);
  values.resize(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

}  // namespace

void broadcast(StartWord& word, Communicator& comm) {
  Bundle header;
  header.set("job", word.job);
  header.set("numbers",
             std::vector<std::int64_t>{word.exit_code, static_cast<std::int64_t>(word.seed),
                                       static_cast<std::int64_t>(word.replicates), word.threads});
  header = exchanged(header, comm);
  const auto numbers = header.integers("numbers");
  word.exit_code = static_cast<int>(numbers[0]);
  if (word.exit_code != 0) return;
  word.job = header.scalar_string("job");
  word.seed = static_cast<std::uint64_t>(numbers[1]);
  word.replicates = static_cast<std::uint64_t>(numbers[2]);
  word.threads = static_cast<int>(numbers[3]);
  word.set_up = exchanged(word.set_up, comm);
}

void broadcast(StageWord& word, Communicator& comm) {
  broadcast_values(word.missing, comm);
}

void broadcast(RoundWord& word, Communicator& comm) {
  std::vector<RoundWord> words{word};
  broadcast_values(words, comm);
  word = words[0];
}

}  // namespace banzuke
