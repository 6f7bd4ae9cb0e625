// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include <thread>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "first_contact.hpp"
#include "launch.hpp"

namespace gpu_double {
namespace {

struct Group {
    int depth = 0;
    ncclResult_t error = ncclSuccess;
    std::vector<Launch> launches;
    std::vector<SetUp> set_ups;
};

thread_local Group group;

using Lane = std::vector<SetUp>;

std::vector<Lane> by_lane(std::vector<SetUp> set_ups) {
    std::vector<Lane> lanes;
    for (auto& set_up : set_ups) {
        Lane* lane = nullptr;
        for (auto& candidate : lanes)
            if (candidate.front().lane == set_up.lane) lane = &candidate;
        if (lane == nullptr) lane = &lanes.emplace_back();
        lane->push_back(std::move(set_up));
    }
    return lanes;
}

ncclResult_t run_lane(const Lane& lane) {
    ncclResult_t worst = ncclSuccess;
    for (const SetUp& set_up : lane)
        if (const auto result = set_up.job(); result != ncclSuccess) worst = result;
    return worst;
}

// Ranks of one process meet each other, so lanes run side by side.
ncclResult_t run_set_ups(std::vector<SetUp> set_ups) {
    auto lanes = by_lane(std::move(set_ups));
    std::vector<std::thread> threads;
    std::vector<ncclResult_t> results(lanes.size(), ncclSuccess);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const bool in_background = lanes[i].front().blocking == Blocking::no;
        if (in_background) {
            for (const SetUp& set_up : lanes[i])
                set_up.announce();
            std::thread([lane = std::move(lanes[i])] { run_lane(lane); }).detach();
            results[i] = ncclInProgress;
        } else {
            threads.emplace_back([&results, i, &lane = lanes[i]] { results[i] = run_lane(lane); });
        }
    }
    for (auto& thread : threads)
        thread.join();
    ncclResult_t worst = ncclSuccess;
    for (const auto result : results)
        if (result != ncclSuccess && (worst == ncclSuccess || worst == ncclInProgress))
            worst = result;
    return worst;
}

ncclResult_t begin(Group started) {
    if (started.error != ncclSuccess) return started.error;
    ncclResult_t result = ncclSuccess;
    if (!started.set_ups.empty()) result = run_set_ups(std::move(started.set_ups));
    if (result != ncclSuccess && result != ncclInProgress) return result;
    make_first_contacts(started.launches);
    for (auto& launch : started.launches)
        if (const auto error = submit(std::move(launch)); error != ncclSuccess) return error;
    return result;
}

ncclResult_t begin_unless_grouped() {
    return group.depth > 0 ? ncclSuccess : begin(std::exchange(group, {}));
}

Launch& launch_for(const CommunicatorPointer& communicator, cudaStream_t stream) {
    for (auto& launch : group.launches)
        if (launch.communicator == communicator && launch.stream == stream) return launch;
    return group.launches.emplace_back(Launch{communicator, stream, {}, {}});
}

// A rough guess, as the real one is: so long per call and per GB.
float estimated_microseconds(const Group& simulated) {
    constexpr float per_call = 10;
    constexpr float bytes_per_microsecond = 1e5f;
    float total = 0;
    for (const auto& launch : simulated.launches)
        for (const auto& collective : launch.collectives)
            total +=
                per_call + static_cast<float>(collective.count * element_bytes(collective.type)) /
                               bytes_per_microsecond;
    return total;
}

}  // namespace

ncclResult_t refuse(ncclResult_t error) {
    if (group.depth > 0) group.error = error;
    return error;
}

ncclResult_t issue(const CommunicatorPointer& communicator, const Collective& collective,
                   cudaStream_t stream) {
    launch_for(communicator, stream).collectives.push_back(collective);
    return begin_unless_grouped();
}

ncclResult_t issue(const CommunicatorPointer& communicator, const Message& message,
                   cudaStream_t stream) {
    launch_for(communicator, stream).messages.push_back(message);
    return begin_unless_grouped();
}

ncclResult_t issue(SetUp set_up) {
    group.set_ups.push_back(std::move(set_up));
    return begin_unless_grouped();
}

}  // namespace gpu_double

using namespace gpu_double;

extern "C" {

ncclResult_t ncclGroupStart() {
    ++group.depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (group.depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
    if (--group.depth > 0) return ncclSuccess;
    return begin(std::exchange(group, {}));
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
    if (group.depth == 0)
        return fail(ncclInvalidUsage, "ncclGroupSimulateEnd: not in a group call.");
    if (--group.depth > 0) return ncclSuccess;
    const Group simulated = std::exchange(group, {});
    if (info != nullptr) info->estimatedTime = estimated_microseconds(simulated);
    return simulated.error;
}
}
