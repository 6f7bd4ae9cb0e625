// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <thread>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>
#include <unistd.h>

#include "abort_row.hpp"
#include "base/error.hpp"
#include "checks.hpp"
#include "child.hpp"
#include "cuda/gpu.hpp"
#include "cuda/handles.hpp"
#include "memory/cuda.hpp"
#include "nccl/check.hpp"
#include "nccl/live.hpp"

namespace railgauge::smoke {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* sum_name = "two ranks: all_reduce";
constexpr const char* peer_name = "two ranks: rank 1";
constexpr const char* hang_name = "abort: peer leaves one out";
constexpr const char* freed_name = "abort: the kernel ends";
constexpr std::size_t elements = 1 << 20;
/// Of NCCL that has NCCL_MULTI_RANK_GPU_ENABLE; before it ranks on one GPU pass as two hosts.
constexpr int multi_rank_version = 23000;

struct Line {
    Pipe id;        ///< rank 0 tells rank 1
    Pipe farewell;  ///< closed when rank 0 is through
};

/// NCCL reads these once.
std::string allow_shared_gpu(int rank) {
    int version = 0;
    check_nccl(ncclGetVersion(&version), "asking for NCCL's version");
    if (version >= multi_rank_version) {
        ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
        return "NCCL_MULTI_RANK_GPU_ENABLE";
    }
    ::setenv("NCCL_HOSTID", fmt::format("railgauge-smoke-{}", rank).c_str(), 1);
    return "NCCL_HOSTID of two hosts";
}

ncclUniqueId share_id(int rank, Line& line) {
    ncclUniqueId id{};
    if (rank == 0) {
        check_nccl(ncclGetUniqueId(&id), "making an id for a communicator");
        check_errno(static_cast<int>(::write(line.id.write_end.get(), &id, sizeof id)),
                    "sending an id to", "the other rank");
        return id;
    }
    line.id.write_end.reset();  // so that an end of rank 0 shows
    if (::read(line.id.read_end.get(), &id, sizeof id) != sizeof id) {
        throw Error(ExitCode::library, "there is no id", "rank 0 ended", "see rank 0");
    }
    return id;
}

struct Buffers {
    std::unique_ptr<MemorySpace> space = make_cuda_memory();
    Buffer memory = space->allocate(elements * sizeof(std::int32_t));
    CudaStream stream = make_stream();
};

void issue_sum(ncclComm_t comm, Buffers& buffers) {
    check_nccl(ncclAllReduce(buffers.memory.data(), buffers.memory.data(), elements, ncclInt32,
                             ncclSum, comm, buffers.stream.get()),
               "ncclAllReduce", comm);
}

/// Elements of the sum over both ranks that are wrong.
std::size_t sum_and_count_wrong(ncclComm_t comm, int rank, Buffers& buffers) {
    std::vector<std::int32_t> values(elements);
    for (std::size_t i = 0; i < elements; ++i)
        values[i] = static_cast<std::int32_t>(i) * (rank + 1);
    buffers.space->write(buffers.memory.data(), std::as_bytes(std::span(values)));
    issue_sum(comm, buffers);
    check_cuda(cudaStreamSynchronize(buffers.stream.get()), "ncclAllReduce");
    buffers.space->read(buffers.memory.data(), std::as_writable_bytes(std::span(values)));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < elements; ++i)
        wrong += values[i] != static_cast<std::int32_t>(i) * 3 ? 1 : 0;
    return wrong;
}

/// Of rank 0: issues a sum in which rank 1 takes no part.
void hang_and_abort(ncclComm_t comm, Buffers& buffers, const Child::Send& send) {
    issue_sum(comm, buffers);
    const Clock::time_point end = Clock::now() + 3s;
    while (Clock::now() < end) {
        if (cudaStreamQuery(buffers.stream.get()) != cudaErrorNotReady) {
            send({hang_name, Outcome::fail, "-", "the operation did not wait for its peer"});
            return;
        }
        std::this_thread::sleep_for(1ms);
    }
    send(abort_live(hang_name, "an all_reduce hung for 3 s, then abort"));
    const cudaError_t after = cudaStreamSynchronize(buffers.stream.get());
    send({freed_name, Outcome::pass, "the stream is free", cudaGetErrorString(after)});
}

/// Rank 0 until it is through: its peer stays, and takes no part.
void stay_away(Line& line) {
    line.farewell.write_end.reset();
    char nothing = 0;
    static_cast<void>(::read(line.farewell.read_end.get(), &nothing, 1));
}

/// Each rank tells its own: the other may wait for ever.
void tell_refusal(int rank, ncclResult_t made, const Child::Send& send) {
    send({rank == 0 ? sum_name : peer_name, Outcome::skip, "-",
          fmt::format("refused by the library: {} ({})", ncclGetErrorString(made),
                      ncclGetLastError(nullptr))});
    if (rank == 0) send({hang_name, Outcome::skip, "-", "as above"});
}

void work(int rank, Line& line, const Child::Send& send) {
    const std::string manner = allow_shared_gpu(rank);
    bind_gpu(0, 1);
    const ncclUniqueId id = share_id(rank, line);
    ncclComm_t comm = nullptr;
    const ncclResult_t made = ncclCommInitRank(&comm, 2, id, rank);
    if (made != ncclSuccess) {
        tell_refusal(rank, made, send);
        return;
    }
    live_communicators().add(comm, LiveCommunicators::Kind::measured);
    Buffers buffers;
    const std::size_t wrong = sum_and_count_wrong(comm, rank, buffers);
    if (rank == 0 || wrong > 0) {
        send({sum_name, wrong == 0 ? Outcome::pass : Outcome::fail,
              fmt::format("{} of {} elements wrong", wrong, elements), "by " + manner});
    }
    if (rank == 0)
        hang_and_abort(comm, buffers, send);
    else
        stay_away(line);
}

}  // namespace

std::vector<Row> check_two_ranks() {
    Line line{make_pipe(), make_pipe()};
    Child first(sum_name, [&line](const Child::Send& send) { work(0, line, send); });
    Child second(peer_name, [&line](const Child::Send& send) { work(1, line, send); });
    line = {};
    const Clock::time_point end = Clock::now() + 60s;
    std::vector<Row> rows = first.wait(end);
    for (Row& row : second.wait(Clock::now() + 20s))
        rows.push_back(std::move(row));
    return rows;
}

}  // namespace railgauge::smoke
