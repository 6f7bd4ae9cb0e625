// SPDX-License-Identifier: Apache-2.0
// Faults strike where they are asked for, are seen as the real library shows them, and abort ends
// them.
#include <cstdlib>
#include <string>

#include "rank.hpp"

namespace {

class NcclFaultTest : public testing::Test {
  protected:
    void TearDown() override { unsetenv("RAILGAUGE_DOUBLE_FAULT"); }

    // For communicators made from now on.
    static void strike(const char* fault) { setenv("RAILGAUGE_DOUBLE_FAULT", fault, 1); }
    void all_reduce(ncclComm_t comm) {
        EXPECT_NCCL(
            ncclAllReduce(buffer.data(), buffer.data(), size, ncclFloat32, ncclSum, comm, stream));
    }

    static constexpr std::size_t size = 1000;
    const Stream stream;
    const DeviceArray<float> buffer{std::vector<float>(size, 1.0f)};
};

TEST_F(NcclFaultTest, corrupt_changes_exactly_so_many_elements_of_one_rank) {
    strike("1:1:corrupt:3");
    const World world;
    ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclSum, world, stream);
    all_reduce(world);
    stream.synchronize();
    const auto right = static_cast<float>(world_ranks());
    std::size_t wrong = 0;
    for (const float value : buffer.read())
        wrong += value != right ? 1 : 0;
    EXPECT_EQ(wrong, world_rank() == 1 ? 3u : 0u);
}

TEST_F(NcclFaultTest, slow_delays_all_but_harms_nothing) {
    strike("1:*:slow:20000");
    const World world;
    ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclSum, world, stream);
    const auto start = std::chrono::steady_clock::now();
    all_reduce(world);
    stream.synchronize();
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(19000));
    EXPECT_EQ(buffer.read(), std::vector<float>(size, static_cast<float>(world_ranks())));
}

TEST_F(NcclFaultTest, error_is_seen_on_its_rank_and_abort_frees_the_others) {
    strike("1:1:error");
    const World world(End::abort);
    ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclSum, world, stream);
    all_reduce(world);
    if (world_rank() == 1) {
        ncclResult_t state = ncclSuccess;
        while (state == ncclSuccess)
            EXPECT_NCCL(ncclCommGetAsyncError(world, &state));
        EXPECT_EQ(state, ncclRemoteError);
        EXPECT_NE(std::string(ncclGetLastError(world)).find("injected"), std::string::npos);
        EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclSum, world, stream),
                  ncclRemoteError);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_F(NcclFaultTest, a_hang_lasts_until_abort) {
    {
        strike("1:1:hang");
        const World world(End::abort);
        ncclAllReduce(nullptr, nullptr, 0, ncclInt8, ncclSum, world, stream);
        all_reduce(world);
        all_reduce(world);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
        ncclResult_t state{};
        EXPECT_NCCL(ncclCommGetAsyncError(world, &state));
        EXPECT_EQ(state, ncclSuccess);
    }
    stream.synchronize();
}

TEST_F(NcclFaultTest, ranks_in_different_collectives_are_told) {
    const World world(End::abort);
    const auto operation = world_rank() == 0 ? ncclSum : ncclMax;
    EXPECT_NCCL(
        ncclAllReduce(buffer.data(), buffer.data(), size, ncclFloat32, operation, world, stream));
    stream.synchronize();
    ncclResult_t state{};
    EXPECT_NCCL(ncclCommGetAsyncError(world, &state));
    EXPECT_EQ(state, ncclInvalidUsage);
    EXPECT_NE(std::string(ncclGetLastError(world)).find("mismatch"), std::string::npos);
}

TEST_F(NcclFaultTest, a_message_received_with_another_size_is_told) {
    const World world(End::abort);
    if (world_rank() == 0) {
        EXPECT_NCCL(ncclSend(buffer.data(), 10, ncclFloat32, 1, world, stream));
    }
    if (world_rank() == 1) {
        EXPECT_NCCL(ncclRecv(buffer.data(), 20, ncclFloat32, 0, world, stream));
        stream.synchronize();
        ncclResult_t state{};
        EXPECT_NCCL(ncclCommGetAsyncError(world, &state));
        EXPECT_EQ(state, ncclInvalidUsage);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
