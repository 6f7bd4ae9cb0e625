// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace railgauge {

enum class Operation { all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall };
enum class DataType { float32, float64, int32, int64, bytes };
enum class ReduceOperation { none, sum, max };
enum class Place { out, in };

/// One collective of one group, in the backend-neutral words of the sweep.
struct CollectiveCall {
  Operation operation;
  DataType type;
  ReduceOperation reduce;
  Place place;
  int root;
  std::size_t count;  ///< the per-rank argument, as nccl-tests prints it
  const void* send;
  void* receive;
};

/// The backend seam: a group of ranks that can run collectives.
///
/// `prepare` turns a call into the library's own arguments, outside the timed loop; `launch` only issues it.
class Collectives {
 public:
  virtual ~Collectives() = default;
  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// @throws Error(usage) when the library cannot do this call (a count beyond its range, an unknown type)
  virtual void prepare(const CollectiveCall& call) = 0;

  /// Issues the prepared call once.
  virtual void launch() = 0;

  /// Waits for all launched calls. Empty for blocking libraries.
  virtual void complete() = 0;

  /// Clean end, called by all ranks of the group.
  virtual void close() = 0;
};

/// MPI on host memory; the ranks of `comm` form the group.
std::unique_ptr<Collectives> make_mpi_collectives(MPI_Comm comm);

/// "mpi" or "nccl". @throws Error(usage) for an unknown name or one this build lacks
std::unique_ptr<Collectives> make_collectives(std::string_view backend, MPI_Comm comm);

}  // namespace railgauge
