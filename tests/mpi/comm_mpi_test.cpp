// The collective calls of MpiCommunicator on as many ranks as mpirun starts. Run by
// mpirun -n 1, 2 and 4; a failed check on any rank fails the program.

#include <cstdio>
#include <numeric>

#include "engine/batch/comm.hpp"

namespace {

int failures = 0;

void check(bool good, const char* what, int rank) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
}

std::vector<std::byte> pattern(int rank, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>((static_cast<std::size_t>(rank) * 37 + i * 11) & 0xFFU);
  }
  return bytes;
}

void test_broadcast(banzuke::Communicator& comm) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5'000'000}}) {
    // Elsewhere the vector has another size before, larger or smaller.
    std::vector<std::byte> bytes = pattern(comm.rank(), comm.is_root() ? size : 100);
    comm.broadcast(bytes);
    check(bytes == pattern(0, size), "broadcast", comm.rank());
  }
}

void test_sum(banzuke::Communicator& comm) {
  const double ranks = comm.size();
  double values[3] = {1.0, static_cast<double>(comm.rank()), comm.is_root() ? 0.25 : 0.0};
  comm.sum(values);
  check(values[0] == ranks, "sum of ones", comm.rank());
  check(values[1] == ranks * (ranks - 1) / 2, "sum of ranks", comm.rank());
  check(values[2] == 0.25, "sum with one part", comm.rank());
  comm.sum({});
}

/// Sizes by rank; the root must get all bytes in rank order.
void test_gather(banzuke::Communicator& comm, const std::vector<std::size_t>& sizes) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  std::vector<std::byte> all = pattern(comm.rank(), sizes[rank]);
  comm.gather(all, sizes);
  std::vector<std::byte> wanted;
  for (int r = comm.rank(); r < (comm.is_root() ? comm.size() : comm.rank() + 1); ++r) {
    const auto part = pattern(r, sizes[static_cast<std::size_t>(r)]);
    wanted.insert(wanted.end(), part.begin(), part.end());
  }
  check(all == wanted, "gather", comm.rank());
}

}  // namespace

int main(int argc, char** argv) {
  if (!banzuke::started_under_mpi()) {
    std::fputs("start this program with mpirun\n", stderr);
    return 1;
  }
  const auto comm = banzuke::make_mpi_communicator();
  check(argc == 2 && comm->size() == std::stoi(argv[1]), "number of ranks", comm->rank());
  check(comm->is_root() == (comm->rank() == 0), "root", comm->rank());
  check(comm->library().size() > 3 && comm->library() != "none", "library", comm->rank());
  test_broadcast(*comm);
  test_sum(*comm);
  const auto ranks = static_cast<std::size_t>(comm->size());
  std::vector<std::size_t> rising(ranks), last_only(ranks, 0), first_only(ranks, 0);
  std::iota(rising.begin(), rising.end(), std::size_t{0});
  for (std::size_t& size : rising) size *= 1'000'003;
  last_only.back() = 77;
  first_only.front() = 77;
  test_gather(*comm, rising);
  test_gather(*comm, last_only);
  test_gather(*comm, first_only);
  test_gather(*comm, std::vector<std::size_t>(ranks, 0));
  double all_failures[1] = {static_cast<double>(failures)};
  comm->sum(all_failures);
  return all_failures[0] == 0 ? 0 : 1;
}
