// SPDX-License-Identifier: Apache-2.0
// The interposed functions. Each row of the table below becomes a function of MPI's name that goes
// through its Injector to MPI's own, by the profiling interface.
#include <algorithm>
#include <array>
#include <string_view>

#include <mpi.h>

#include "injector.hpp"

namespace railgauge::faults {
namespace {

Received elements(void* data, MPI_Count count, MPI_Datatype type) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    return {data, static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes)};
}

Received per_rank(void* data, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    return elements(data, count * ranks, type);
}

}  // namespace
}  // namespace railgauge::faults

using railgauge::faults::elements;
using railgauge::faults::Injector;
using railgauge::faults::per_rank;
using railgauge::faults::Received;

// clang-format off
#define RAILGAUGE_INTERPOSED(ROW)                                                                  \
  ROW(MPI_Init, (int* argc, char*** argv), (argc, argv), Received{})                               \
  ROW(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided),                     \
      (argc, argv, required, provided), Received{})                                                \
  ROW(MPI_Finalize, (), (), Received{})                                                            \
  ROW(MPI_Barrier, (MPI_Comm comm), (comm), Received{})                                            \
  ROW(MPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),              \
      (data, count, type, root, comm), elements(data, count, type))                                \
  ROW(MPI_Allreduce,                                                                               \
      (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),         \
      (in, out, count, type, op, comm), elements(out, count, type))                                \
  ROW(MPI_Reduce,                                                                                  \
      (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,               \
       MPI_Comm comm),                                                                             \
      (in, out, count, type, op, root, comm),                                                      \
      out == nullptr ? Received{} : elements(out, count, type))                                    \
  ROW(MPI_Reduce_scatter_block,                                                                    \
      (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),         \
      (in, out, count, type, op, comm), elements(out, count, type))                                \
  ROW(MPI_Allgather,                                                                               \
      (const void* in, int n, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,       \
       MPI_Comm comm),                                                                             \
      (in, n, in_type, out, count, type, comm), per_rank(out, count, type, comm))                  \
  ROW(MPI_Alltoall,                                                                                \
      (const void* in, int n, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,       \
       MPI_Comm comm),                                                                             \
      (in, n, in_type, out, count, type, comm), per_rank(out, count, type, comm))                  \
  ROW(MPI_Gather,                                                                                  \
      (const void* in, int n, MPI_Datatype in_type, void* out, int count, MPI_Datatype type,       \
       int root, MPI_Comm comm),                                                                   \
      (in, n, in_type, out, count, type, root, comm), Received{})                                  \
  ROW(MPI_Gatherv,                                                                                 \
      (const void* in, int n, MPI_Datatype in_type, void* out, const int counts[],                 \
       const int offsets[], MPI_Datatype type, int root, MPI_Comm comm),                           \
      (in, n, in_type, out, counts, offsets, type, root, comm), Received{})                        \
  ROW(MPI_Send,                                                                                    \
      (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),            \
      (data, count, type, to, tag, comm), Received{})                                              \
  ROW(MPI_Isend,                                                                                   \
      (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,             \
       MPI_Request* request),                                                                      \
      (data, count, type, to, tag, comm, request), Received{})                                     \
  ROW(MPI_Recv,                                                                                    \
      (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,                 \
       MPI_Status* status),                                                                        \
      (data, count, type, from, tag, comm, status), elements(data, count, type))                   \
  ROW(MPI_Irecv,                                                                                   \
      (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,                 \
       MPI_Request* request),                                                                      \
      (data, count, type, from, tag, comm, request), Received{})                                   \
  ROW(MPI_Sendrecv,                                                                                \
      (const void* in, int n, MPI_Datatype in_type, int to, int out_tag, void* out, int count,     \
       MPI_Datatype type, int from, int in_tag, MPI_Comm comm, MPI_Status* status),                \
      (in, n, in_type, to, out_tag, out, count, type, from, in_tag, comm, status),                 \
      elements(out, count, type))                                                                  \
  ROW(MPI_Wait, (MPI_Request* request, MPI_Status* status), (request, status), Received{})         \
  ROW(MPI_Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),                     \
      (count, requests, statuses), Received{})                                                     \
  ROW(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), Received{})                     \
  ROW(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made),                         \
      (comm, color, key, made), Received{})

// NOLINTBEGIN(readability-function-size): the parameters are MPI's.
#define RAILGAUGE_DEFINE(FUNCTION, PARAMETERS, ARGUMENTS, RECEIVED) \
  extern "C" int FUNCTION PARAMETERS {                              \
    static Injector injector(#FUNCTION);                            \
    const std::uint64_t call = injector.before();                   \
    const int result = P##FUNCTION ARGUMENTS;                       \
    injector.after(call, RECEIVED);                                 \
    return result;                                                  \
  }
RAILGAUGE_INTERPOSED(RAILGAUGE_DEFINE)
// NOLINTEND(readability-function-size)

#define RAILGAUGE_NAME(FUNCTION, PARAMETERS, ARGUMENTS, RECEIVED) std::string_view(#FUNCTION),
bool railgauge::faults::is_interposed(const std::string& function) {
  static constexpr std::array names = {RAILGAUGE_INTERPOSED(RAILGAUGE_NAME)};
  return std::find(names.begin(), names.end(), function) != names.end();
}
// clang-format on
