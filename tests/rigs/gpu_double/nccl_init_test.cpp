// SPDX-License-Identifier: Apache-2.0
// Communicators begin, divide and end as the real library's do.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "rank.hpp"

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_CUDA(cudaMemGetInfo(&free, &total));
    return free;
}

ncclConfig_t non_blocking() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return config;
}

class NcclInitTest : public testing::Test {
  protected:
    void SetUp() override { EXPECT_CUDA(cudaSetDevice(me)); }
    void expect_sum(ncclComm_t comm, int expected) {
        const Stream stream;
        const DeviceArray<int> buffer(std::vector<int>{me});
        EXPECT_NCCL(
            ncclAllReduce(buffer.data(), buffer.data(), 1, ncclInt32, ncclSum, comm, stream));
        stream.synchronize();
        EXPECT_EQ(buffer.read()[0], expected);
    }
    const int me = world_rank();
    const int ranks = world_ranks();
};

TEST_F(NcclInitTest, a_communicator_knows_who_it_is_and_takes_memory) {
    const std::size_t before = free_bytes();
    {
        const World world;
        int count = 0, rank = -1, device = -1;
        EXPECT_NCCL(ncclCommCount(world, &count));
        EXPECT_NCCL(ncclCommUserRank(world, &rank));
        EXPECT_NCCL(ncclCommCuDevice(world, &device));
        EXPECT_EQ(count, ranks);
        EXPECT_EQ(rank, me);
        EXPECT_EQ(device, me);
        EXPECT_EQ(before - free_bytes(), 16 * MiB);
    }
    EXPECT_EQ(free_bytes(), before);
}

TEST_F(NcclInitTest, the_shared_memory_has_no_name_once_all_are_there) {
    const ncclUniqueId id = common_id();
    ncclComm_t comm = nullptr;
    EXPECT_NCCL(
        ncclCommInitRankScalable(&comm, ranks, me, 1, const_cast<ncclUniqueId*>(&id), nullptr));
    EXPECT_FALSE(std::filesystem::exists(std::string("/dev/shm") + id.internal));
    EXPECT_NCCL(ncclCommFinalize(comm));
    EXPECT_NCCL(ncclCommDestroy(comm));
}

TEST_F(NcclInitTest, non_blocking_steps_are_in_progress_until_all_are_there) {
    ncclConfig_t config = non_blocking();
    ncclComm_t comm = nullptr;
    const ncclUniqueId id = common_id();
    if (me != 0) MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(ncclCommInitRankConfig(&comm, ranks, id, me, &config), ncclInProgress);
    if (me == 0) {
        ncclResult_t state{};
        int count = 0;
        EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
        EXPECT_EQ(state, ncclInProgress);
        EXPECT_EQ(ncclCommCount(comm, &count), ncclInvalidArgument);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT_EQ(settle(comm), ncclSuccess);
    expect_sum(comm, ranks * (ranks - 1) / 2);

    ncclComm_t child = nullptr;
    EXPECT_EQ(ncclCommSplit(comm, 0, -me, &child, nullptr), ncclInProgress);
    EXPECT_EQ(settle(comm), ncclSuccess);
    EXPECT_EQ(settle(child), ncclSuccess);
    int rank = -1;
    EXPECT_NCCL(ncclCommUserRank(child, &rank));
    EXPECT_EQ(rank, ranks - 1 - me);
    EXPECT_EQ(ncclCommFinalize(child), ncclInProgress);
    EXPECT_EQ(settle(child), ncclSuccess);
    EXPECT_NCCL(ncclCommDestroy(child));
    EXPECT_NCCL(ncclCommDestroy(comm));
}

TEST_F(NcclInitTest, split_makes_a_communicator_per_color) {
    const World world;
    ncclComm_t half = nullptr, some = nullptr;
    EXPECT_NCCL(ncclCommSplit(world, me % 2, me, &half, nullptr));
    int expected = 0;
    for (int rank = me % 2; rank < ranks; rank += 2)
        expected += rank;
    expect_sum(half, expected);
    EXPECT_NCCL(ncclCommSplit(world, me == 0 ? NCCL_SPLIT_NOCOLOR : 5, 0, &some, nullptr));
    EXPECT_EQ(some == nullptr, me == 0);
    if (some != nullptr) expect_sum(some, ranks * (ranks - 1) / 2);
    EXPECT_NCCL(ncclCommDestroy(some));
    EXPECT_NCCL(ncclCommDestroy(half));
}

TEST_F(NcclInitTest, two_ranks_on_one_gpu_are_refused) {
    EXPECT_CUDA(cudaSetDevice(0));
    ncclComm_t comm = nullptr;
    EXPECT_EQ(ncclCommInitRank(&comm, ranks, common_id(), me), ncclInvalidUsage);
    EXPECT_NE(std::string(ncclGetLastError(comm)).find("Duplicate GPU"), std::string::npos);
    EXPECT_NCCL(ncclCommAbort(comm));
}

TEST_F(NcclInitTest, a_hanging_split_ends_by_abort) {
    setenv("RAILGAUGE_DOUBLE_FAULT", "1:init:hang", 1);
    setenv("RAILGAUGE_DOUBLE_FAULT_COMM", "split", 1);
    const World world;
    ncclConfig_t config = non_blocking();
    ncclComm_t child = nullptr;
    EXPECT_EQ(ncclCommSplit(world, 0, me, &child, &config), ncclInProgress);
    EXPECT_EQ(settle(world), ncclSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ncclResult_t state{};
    EXPECT_NCCL(ncclCommGetAsyncError(child, &state));
    EXPECT_EQ(state, ncclInProgress);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_NCCL(ncclCommAbort(child));
    unsetenv("RAILGAUGE_DOUBLE_FAULT");
    unsetenv("RAILGAUGE_DOUBLE_FAULT_COMM");
}

TEST_F(NcclInitTest, the_dumps_asked_for_say_whose_they_are) {
    const std::string path = testing::TempDir() + "gpu_double_topology.xml";
    setenv("NCCL_TOPO_DUMP_FILE", path.c_str(), 1);
    const World world;
    unsetenv("NCCL_TOPO_DUMP_FILE");
    if (me != 0) return;
    std::string line;
    std::getline(std::ifstream(path) >> std::ws, line);
    EXPECT_NE(line.find("railgauge GPU double"), std::string::npos);
    std::filesystem::remove(path);
}

TEST_F(NcclInitTest, buffers_and_windows_are_registered_once_they_are_device_memory) {
    const World world;
    void* memory = nullptr;
    void* handle = nullptr;
    int local = 0;
    EXPECT_NCCL(ncclMemAlloc(&memory, 4096));
    EXPECT_NCCL(ncclCommRegister(world, memory, 4096, &handle));
    EXPECT_NCCL(ncclCommDeregister(world, handle));
    EXPECT_EQ(ncclCommDeregister(world, handle), ncclInvalidArgument);
    ncclWindow_t window = nullptr;
    EXPECT_NCCL(ncclCommWindowRegister(world, memory, 4096, &window, NCCL_WIN_COLL_SYMMETRIC));
    EXPECT_NCCL(ncclCommWindowDeregister(world, window));
    EXPECT_EQ(ncclCommRegister(world, &local, sizeof local, &handle), ncclInvalidArgument);
    EXPECT_NCCL(ncclMemFree(memory));
}

}  // namespace
