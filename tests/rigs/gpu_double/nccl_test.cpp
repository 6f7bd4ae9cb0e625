// SPDX-License-Identifier: Apache-2.0
// Collectives and messages of the double's NCCL give what the real library's would.
#include <cstdint>
#include <numeric>

#include <cuda_fp8.h>

#include "rank.hpp"

namespace {

// Counts around what fits into the shared slots, and beyond.
const std::vector<std::size_t> counts{0, 1, 1000, 300001};

std::int32_t element(int rank, std::size_t i) {
    return static_cast<std::int32_t>(rank * 100003 + static_cast<int>(i % 9973) * 7 + 1);
}

std::vector<std::int32_t> values(int rank, std::size_t count) {
    std::vector<std::int32_t> all(count);
    for (std::size_t i = 0; i < count; ++i)
        all[i] = element(rank, i);
    return all;
}

std::int32_t sum_over_ranks(std::size_t i) {
    std::int32_t total = 0;
    for (int rank = 0; rank < world_ranks(); ++rank)
        total += element(rank, i);
    return total;
}

std::vector<std::int32_t> sums(std::size_t first, std::size_t count) {
    std::vector<std::int32_t> all(count);
    for (std::size_t i = 0; i < count; ++i)
        all[i] = sum_over_ranks(first + i);
    return all;
}

std::vector<std::int32_t> part(const std::vector<std::int32_t>& all, int block, std::size_t count) {
    const auto first =
        all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(block) * count);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

struct NcclTest : testing::TestWithParam<std::size_t> {
    const std::size_t count = GetParam();
    const int me = world_rank();
    const int ranks = world_ranks();
    const std::size_t all = count * static_cast<std::size_t>(ranks);
    World world;
    Stream stream;

    void expect_blocks(const DeviceArray<std::int32_t>& result, bool transposed) const {
        const auto got = result.read();
        for (int rank = 0; rank < ranks; ++rank)
            EXPECT_EQ(part(got, rank, count), part(values(rank, all), transposed ? me : 0, count));
    }
};

TEST_P(NcclTest, all_reduce_sums_in_place_and_out_of_place) {
    const DeviceArray<std::int32_t> send(values(me, count)), receive(count);
    EXPECT_NCCL(
        ncclAllReduce(send.data(), receive.data(), count, ncclInt32, ncclSum, world, stream));
    EXPECT_NCCL(ncclAllReduce(send.data(), send.data(), count, ncclInt32, ncclSum, world, stream));
    stream.synchronize();
    EXPECT_EQ(receive.read(), sums(0, count));
    EXPECT_EQ(send.read(), sums(0, count));
}

TEST_P(NcclTest, reduce_gives_the_root_alone_the_result) {
    const DeviceArray<std::int32_t> send(values(me, count));
    const DeviceArray<std::int32_t> receive(std::vector<std::int32_t>(count, -1));
    EXPECT_NCCL(
        ncclReduce(send.data(), receive.data(), count, ncclInt32, ncclMax, 1, world, stream));
    stream.synchronize();
    EXPECT_EQ(receive.read(),
              me == 1 ? values(ranks - 1, count) : std::vector<std::int32_t>(count, -1));
}

TEST_P(NcclTest, broadcast_gives_all_what_the_root_has) {
    const DeviceArray<std::int32_t> buffer(values(me, count));
    EXPECT_NCCL(ncclBcast(buffer.data(), count, ncclInt32, 1, world, stream));
    stream.synchronize();
    EXPECT_EQ(buffer.read(), values(1, count));
}

TEST_P(NcclTest, all_gather_puts_blocks_in_rank_order_also_in_place) {
    const DeviceArray<std::int32_t> receive(all);
    std::int32_t* mine = receive.data() + static_cast<std::size_t>(me) * count;
    const auto own = values(me, count);
    if (count > 0) {
        EXPECT_CUDA(cudaMemcpy(mine, own.data(), count * 4, cudaMemcpyHostToDevice));
    }
    EXPECT_NCCL(ncclAllGather(mine, receive.data(), count, ncclInt32, world, stream));
    stream.synchronize();
    expect_blocks(receive, false);
}

TEST_P(NcclTest, reduce_scatter_gives_each_its_block_also_in_place) {
    const DeviceArray<std::int32_t> send(values(me, all));
    std::int32_t* mine = send.data() + static_cast<std::size_t>(me) * count;
    EXPECT_NCCL(ncclReduceScatter(send.data(), mine, count, ncclInt32, ncclSum, world, stream));
    stream.synchronize();
    EXPECT_EQ(part(send.read(), me, count), sums(static_cast<std::size_t>(me) * count, count));
}

TEST_P(NcclTest, all_to_all_transposes_blocks) {
    const DeviceArray<std::int32_t> send(values(me, all)), receive(all);
    EXPECT_NCCL(ncclAlltoAll(send.data(), receive.data(), count, ncclInt32, world, stream));
    stream.synchronize();
    expect_blocks(receive, true);
}

TEST_P(NcclTest, gather_and_scatter_are_rooted) {
    const DeviceArray<std::int32_t> send(values(me, all)), gathered(all), scattered(count);
    EXPECT_NCCL(ncclGather(send.data(), gathered.data(), count, ncclInt32, 0, world, stream));
    EXPECT_NCCL(ncclScatter(send.data(), scattered.data(), count, ncclInt32, 0, world, stream));
    stream.synchronize();
    if (me == 0) expect_blocks(gathered, false);
    EXPECT_EQ(scattered.read(), part(values(0, all), me, count));
}

TEST_P(NcclTest, grouped_messages_reach_every_peer_and_oneself) {
    const DeviceArray<std::int32_t> send(values(me, all)), receive(all);
    EXPECT_NCCL(ncclGroupStart());
    for (int peer = 0; peer < ranks; ++peer) {
        const std::size_t offset = static_cast<std::size_t>(peer) * count;
        EXPECT_NCCL(ncclSend(send.data() + offset, count, ncclInt32, peer, world, stream));
        EXPECT_NCCL(ncclRecv(receive.data() + offset, count, ncclInt32, peer, world, stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    stream.synchronize();
    expect_blocks(receive, true);
}

INSTANTIATE_TEST_SUITE_P(Counts, NcclTest, testing::ValuesIn(counts));

template <class T>
std::vector<T> all_reduce_of_ranks(ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm) {
    const Stream stream;
    const DeviceArray<T> buffer(
        std::vector<T>(3, static_cast<T>(static_cast<float>(world_rank() + 1))));
    EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 3, type, operation, comm, stream));
    stream.synchronize();
    return buffer.read();
}

template <class T>
void expect_reductions(ncclDataType_t type) {
    const World world;
    const int n = world_ranks();
    const int factorial = n == 2 ? 2 : n == 3 ? 6 : 24;
    const auto check = [&](ncclRedOp_t operation, float expected) {
        for (const T value : all_reduce_of_ranks<T>(type, operation, world))
            EXPECT_EQ(static_cast<float>(value), expected)
                << "type " << type << " op " << operation;
    };
    const int sum = n * (n + 1) / 2;
    check(ncclSum, static_cast<float>(sum));
    check(ncclProd, static_cast<float>(factorial));
    check(ncclMax, static_cast<float>(n));
    check(ncclMin, 1.0f);
}

TEST(NcclReductionTest, all_types_sum_multiply_and_compare) {
    expect_reductions<std::int8_t>(ncclInt8);
    expect_reductions<std::uint8_t>(ncclUint8);
    expect_reductions<std::int32_t>(ncclInt32);
    expect_reductions<std::uint32_t>(ncclUint32);
    expect_reductions<std::int64_t>(ncclInt64);
    expect_reductions<std::uint64_t>(ncclUint64);
    expect_reductions<__half>(ncclFloat16);
    expect_reductions<__nv_bfloat16>(ncclBfloat16);
    expect_reductions<float>(ncclFloat32);
    expect_reductions<double>(ncclFloat64);
    expect_reductions<__nv_fp8_e4m3>(ncclFloat8e4m3);
    expect_reductions<__nv_fp8_e5m2>(ncclFloat8e5m2);
}

TEST(NcclReductionTest, an_average_rounds_integers_down_and_scales_floats_first) {
    const World world;
    const int n = world_ranks();
    EXPECT_EQ(all_reduce_of_ranks<std::int32_t>(ncclInt32, ncclAvg, world)[0], (n + 1) / 2);
    float expected = 0;
    for (int rank = 1; rank <= n; ++rank)
        expected += static_cast<float>(rank) * (1.0f / static_cast<float>(n));
    EXPECT_EQ(all_reduce_of_ranks<float>(ncclFloat32, ncclAvg, world)[0], expected);
}

TEST(NcclReductionTest, premulsum_takes_each_ranks_own_factor) {
    const World world;
    ncclRedOp_t operation{};
    float factor = world_rank() == 0 ? 10.0f : 2.0f;
    EXPECT_NCCL(
        ncclRedOpCreatePreMulSum(&operation, &factor, ncclFloat32, ncclScalarHostImmediate, world));
    const int n = world_ranks();
    const int others = n * (n + 1) / 2 - 1;
    const float expected = 10.0f + 2.0f * static_cast<float>(others);
    EXPECT_EQ(all_reduce_of_ranks<float>(ncclFloat32, operation, world)[0], expected);
    EXPECT_NCCL(ncclRedOpDestroy(operation, world));
    EXPECT_EQ(ncclRedOpDestroy(operation, world), ncclInvalidArgument);
}

TEST(NcclArgumentTest, host_memory_and_overruns_are_refused) {
    const World world;
    const Stream stream;
    std::vector<float> host(4);
    const DeviceArray<float> device(4);
    EXPECT_EQ(ncclAllReduce(host.data(), device.data(), 4, ncclFloat32, ncclSum, world, stream),
              ncclInvalidArgument);
    EXPECT_EQ(
        ncclAllReduce(device.data(), device.data() + 1, 4, ncclFloat32, ncclSum, world, stream),
        ncclInvalidArgument);
    EXPECT_EQ(
        ncclBroadcast(device.data(), device.data(), 4, ncclFloat32, world_ranks(), world, stream),
        ncclInvalidArgument);
    EXPECT_EQ(ncclSend(host.data(), 4, ncclFloat32, 0, world, stream), ncclInvalidArgument);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_EQ(ncclSend(host.data(), 4, ncclFloat32, 0, world, stream), ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
}

TEST(NcclGraphTest, a_captured_collective_runs_at_every_launch) {
    const World world;
    const Stream stream;
    const DeviceArray<std::int32_t> buffer(std::vector<std::int32_t>{1});
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclInt32, ncclSum, world, stream));
    EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = 0; launch < 3; ++launch)
        EXPECT_CUDA(cudaGraphLaunch(executable, stream));
    stream.synchronize();
    const int n = world_ranks();
    EXPECT_EQ(buffer.read()[0], n * n * n);
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
}

}  // namespace
