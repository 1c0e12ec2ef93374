#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace banzuke {

/// The processes of a run, as a value the driver is given. All calls are collective, in the same
/// order on all ranks, from the main thread.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Rank 0's bytes to everyone; elsewhere the vector is resized.
  virtual void broadcast(std::vector<std::byte>& bytes) = 0;
  /// Element-wise sum over the ranks, the result on all of them.
  virtual void sum(std::span<double> values) = 0;
  /// Appends to rank 0's bytes those of the others, in rank order and without gaps; elsewhere the
  /// vector stays as it is. `sizes` holds on rank 0 the number of bytes of each rank (unused
  /// elsewhere). At most 2 GiB in all.
  virtual void gather(std::vector<std::byte>& bytes, std::span<const std::size_t> sizes) = 0;
  /// Ends all ranks at once, after an error that the others cannot know of.
  [[noreturn]] virtual void abort(int exit_code) = 0;
  /// For provenance: the library, or "none".
  virtual std::string library() const = 0;

  bool is_root() const { return rank() == 0; }
};

/// One process on its own.
std::unique_ptr<Communicator> make_self_communicator();

/// Whether this process was started by mpirun, or by srun with PMIx or PMI. Throws InputError where
/// a scheduler started several tasks that cannot find each other.
bool started_under_mpi();

/// MPI_COMM_WORLD, with MPI_THREAD_FUNNELED; MPI is finalised with the object. Install signal
/// handlers before.
std::unique_ptr<Communicator> make_mpi_communicator();

}  // namespace banzuke
