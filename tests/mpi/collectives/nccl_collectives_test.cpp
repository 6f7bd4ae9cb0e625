// SPDX-License-Identifier: Apache-2.0
// On the GPU double: what the NCCL backend does around an operation, counted.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "collectives/collectives.hpp"
#include "cuda/gpu.hpp"
#include "memory/cuda.hpp"

namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): counted by replaced functions
thread_local bool counting = false;
int allocations = 0;
int events = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

// Bounds of this program's own code, by the linker.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the linker's name
extern "C" const char __executable_start;
extern "C" const char etext;

// Everybody's calls find these instead of the libraries'. Counted is what the measuring thread asks
// for from the program's own code: what the double allocates is no cost of a real library.
void* operator new(std::size_t size) {
    const auto* const caller = static_cast<const char*>(__builtin_return_address(0));
    const bool is_own = caller >= &__executable_start && caller < &etext;
    if (counting && is_own) ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

extern "C" cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    using Record = cudaError_t (*)(cudaEvent_t, cudaStream_t);
    static const auto real = reinterpret_cast<Record>(::dlsym(RTLD_NEXT, "cudaEventRecord"));
    if (counting) ++events;
    return real(event, stream);
}

namespace railgauge {
namespace {

int comm_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int comm_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

class NcclCollectivesTest : public testing::Test {
  protected:
    void SetUp() override {
        bind_gpu(comm_rank(), comm_size());
        ASSERT_TRUE(is_gpu_double()) << "this test counts what the double makes cheap";
        collectives_ = make_nccl_collectives({MPI_COMM_WORLD});
        memory_ = make_cuda_memory();
        buffer_ = memory_->allocate(2048);
    }
    void TearDown() override {
        if (!collectives_) return;
        buffer_ = {};
        collectives_->close();
    }

    CollectiveCall call() const {
        auto* const begin = static_cast<std::byte*>(buffer_.data());
        CollectiveCall call{};
        call.operation = Operation::all_reduce;
        call.type = DataType::float32;
        call.reduce = ReduceOperation::sum;
        call.count = 256;
        call.send = begin;
        call.receive = begin + 1024;
        return call;
    }

    std::unique_ptr<Collectives> collectives_;
    std::unique_ptr<MemorySpace> memory_;
    Buffer buffer_;
};

TEST_F(NcclCollectivesTest, a_sample_records_two_events_whatever_it_holds) {
    const CollectiveCall one = call();
    collectives_->prepare({&one, 1}, {});
    for (const int launches : {1, 7}) {
        events = 0;
        counting = true;
        for (int i = 0; i < launches; ++i)
            collectives_->launch();
        collectives_->complete();
        counting = false;
        EXPECT_EQ(events, 2);
    }
}

TEST_F(NcclCollectivesTest, nothing_is_allocated_around_an_operation) {
    const CollectiveCall one = call();
    collectives_->prepare({&one, 1}, {});
    collectives_->reserve_device_times(16);
    allocations = 0;
    counting = true;
    for (int i = 0; i < 16; ++i) {
        collectives_->launch();
        collectives_->complete();
    }
    collectives_->collect_device_times(16);
    counting = false;
    EXPECT_EQ(allocations, 0);
    counting = true;
    const std::vector<int> seen(100, 1);
    counting = false;
    EXPECT_EQ(allocations, 1) << "the counter does not count";
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(collectives_->device_times_ns().size(), 16u);
}

TEST_F(NcclCollectivesTest, device_times_are_of_the_samples_in_their_order) {
    const CollectiveCall one = call();
    collectives_->prepare({&one, 1}, {});
    collectives_->reserve_device_times(8);
    for (int i = 0; i < 8; ++i) {
        collectives_->launch();
        collectives_->complete();
        if (i == 3) collectives_->collect_device_times(4);
    }
    collectives_->collect_device_times(4);
    EXPECT_EQ(collectives_->device_times_ns().size(), 8u);
}

TEST_F(NcclCollectivesTest, the_life_of_a_communicator_has_all_steps_and_takes_memory) {
    const CommunicatorLife life = collectives_->live();
    for (const std::int64_t ns :
         {life.init_ns, life.split_ns, life.register_ns, life.first_ns, life.finalize_ns})
        EXPECT_GT(ns, 0);
    EXPECT_GT(life.memory_bytes, 0);
}

}  // namespace
}  // namespace railgauge
