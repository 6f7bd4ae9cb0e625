// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "checks.hpp"
#include "collective/pattern.hpp"
#include "collectives/collectives.hpp"
#include "memory/cuda.hpp"

namespace railgauge::smoke {
namespace {

constexpr std::size_t elements = 1 << 20;

struct Manner {
    BufferKind kind = BufferKind::plain;
    Place place = Place::out;
    LaunchManner launch{};
};

/// A send and a receive buffer; in place they are one.
struct CallBuffers {
    Buffer send;
    Buffer receive;

    void* result() const { return receive.data() != nullptr ? receive.data() : send.data(); }
};

class AllReduces {
  public:
    explicit AllReduces(Collectives& group) : group_(group) {}

    /// Wrong elements of all results.
    std::uint64_t run(const Manner& manner) {
        std::vector<CallBuffers> buffers;
        std::vector<CollectiveCall> calls;
        for (int i = 0; i < manner.launch.together; ++i) {
            buffers.push_back(make_buffers(manner));
            calls.push_back(call_of(buffers.back(), manner.place));
        }
        group_.prepare(calls, manner.launch);
        group_.launch();
        group_.complete();
        std::uint64_t wrong = 0;
        for (const CallBuffers& pair : buffers)
            wrong += pattern_.count_wrong({reduced_over_ranks, 0, 0, elements}, pair.result());
        return wrong;
    }

  private:
    CallBuffers make_buffers(const Manner& manner) {
        constexpr std::size_t bytes = elements * sizeof(float);
        CallBuffers buffers{group_.allocate(*space_, bytes, manner.kind), {}};
        pattern_.write({0, 0, 0, elements}, buffers.send.data());
        if (manner.place == Place::in) return buffers;
        buffers.receive = group_.allocate(*space_, bytes, manner.kind);
        pattern_.poison(buffers.receive.data(), bytes);
        return buffers;
    }

    static CollectiveCall call_of(const CallBuffers& buffers, Place place) {
        return {Operation::all_reduce,
                DataType::float32,
                ReduceOperation::sum,
                place,
                0,
                elements,
                buffers.send.data(),
                buffers.result(),
                {}};
    }

    Collectives& group_;
    std::unique_ptr<MemorySpace> space_ = make_cuda_memory();
    std::unique_ptr<PatternEngine> engine_ = make_cuda_pattern_engine();
    Pattern pattern_{*engine_, DataType::float32, ReduceOperation::sum, 1};
};

Row check_manner(AllReduces& all_reduces, const std::string& name, const Manner& manner) {
    return guarded(name, [&]() -> Row {
        const std::uint64_t wrong = all_reduces.run(manner);
        return {name,
                wrong == 0 ? Outcome::pass : Outcome::fail,
                fmt::format("{} elements wrong", wrong),
                {}};
    });
}

}  // namespace

std::vector<Row> check_all_reduces() {
    const auto group = make_nccl_collectives({.comm = MPI_COMM_WORLD, .group = 0});
    std::vector<Row> rows;
    AllReduces all_reduces(*group);
    for (const std::string& kind : buffer_kind_names()) {
        for (const Place place : {Place::out, Place::in}) {
            const std::string name =
                fmt::format("buffers: {}, {}", kind, place == Place::in ? "in place" : "apart");
            rows.push_back(check_manner(all_reduces, name, {parse_buffer_kind(kind), place}));
        }
    }
    const BufferKind plain = BufferKind::plain;
    rows.push_back(check_manner(all_reduces, "4 operations in a group call",
                                {plain, Place::out, {.together = 4}}));
    rows.push_back(check_manner(all_reduces, "CUDA graph of 8 operations",
                                {plain, Place::out, {.captured = 8}}));
    const Manner graph_of_groups{plain, Place::out, {.together = 4, .captured = 8}};
    rows.push_back(check_manner(all_reduces, "CUDA graph of 8 group calls", graph_of_groups));
    group->close();
    return rows;
}

}  // namespace railgauge::smoke
