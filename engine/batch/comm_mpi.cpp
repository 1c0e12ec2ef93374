// The C interface only: the C++ bindings were removed from the standard.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/batch/comm.hpp"

namespace banzuke {
namespace {

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED) {
      throw std::runtime_error("this MPI does not offer MPI_THREAD_FUNNELED");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void broadcast(std::vector<std::byte>& bytes) override {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    bytes.resize(size);
    // Counts are ints: large set-ups go in pieces.
    constexpr std::uint64_t piece = std::uint64_t{1} << 30;
    for (std::uint64_t at = 0; at < size; at += piece) {
      MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_BYTE, 0,
                MPI_COMM_WORLD);
    }
  }

  void sum(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  }

  void gather(std::vector<std::byte>& bytes, std::span<const std::size_t> sizes) override {
    if (size_ == 1) return;
    if (rank_ != 0) {
      MPI_Gatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, nullptr, nullptr, nullptr,
                  MPI_BYTE, 0, MPI_COMM_WORLD);
      return;
    }
    std::vector<int> counts, offsets;
    std::size_t total = 0;
    for (const std::size_t size : sizes) {
      offsets.push_back(static_cast<int>(total));
      counts.push_back(static_cast<int>(size));
      total += size;
    }
    if (total > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("a round of more than 2 GiB was planned");
    }
    bytes.resize(total);
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_BYTE, bytes.data(), counts.data(), offsets.data(), MPI_BYTE, 0,
                MPI_COMM_WORLD);
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::abort();
  }

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string_view whole(text, static_cast<std::size_t>(length));
    return std::string(trimmed(whole.substr(0, whole.find(','))));
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

bool started_under_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (std::getenv(name)) return true;
  }
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks && parse_integer(tasks).value_or(1) > 1) {
    throw InputError(fmt::format("srun started {} tasks that cannot find each other", tasks),
                     "it offers no PMIx", "use srun --mpi=pmix, or mpirun, or one task");
  }
  return false;
}

std::unique_ptr<Communicator> make_mpi_communicator() {
  return std::make_unique<MpiCommunicator>();
}

}  // namespace banzuke
