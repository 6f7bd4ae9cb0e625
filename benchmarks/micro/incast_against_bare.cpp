// SPDX-License-Identifier: Apache-2.0
// What railgauge-incast's window loop adds to each request: alternating blocks of a sender's flow
// and of the loop that everyone writes first, over the same channel, which finishes every message
// at the next poll. Prints the median time of a request in both and their difference.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "incast/flow.hpp"
#include "measure/clock.hpp"
#include "mpi/session.hpp"

namespace railgauge {
namespace {

constexpr int queues = 4;
constexpr int depth = 16;
constexpr std::size_t message_bytes = 4096;
constexpr int polls_of_block = 2000;
constexpr int blocks = 301;

/// Finishes what was posted since the last poll.
class InstantChannel : public Channel {
  public:
    InstantChannel() : posted_(queues * depth), finished_(posted_.size()) {}

    void post(const Message& message) override { posted_[count_++].id = message.id; }

    std::span<const Completion> poll() override {
        const std::int64_t now_ns = monotonic_now_ns();
        std::swap(posted_, finished_);
        const std::size_t count = std::exchange(count_, 0);
        for (std::size_t i = 0; i < count; ++i)
            finished_[i].time_ns = now_ns;
        return {finished_.data(), count};
    }

    void close() override {}

  private:
    std::vector<Completion> posted_;
    std::vector<Completion> finished_;
    std::size_t count_ = 0;
};

Message message_of(std::uint64_t slot) {
    return {.verb = Verb::send,
            .offset = slot * message_bytes,
            .bytes = message_bytes,
            .id = slot,
            .queue = static_cast<int>(slot) / depth};
}

/// ns of one request.
double time_bare() {
    InstantChannel channel;
    for (std::uint64_t slot = 0; slot < queues * depth; ++slot)
        channel.post(message_of(slot));
    const std::int64_t begin_ns = monotonic_now_ns();
    std::size_t requests = 0;
    for (int i = 0; i < polls_of_block; ++i) {
        for (const Completion& completion : channel.poll()) {
            ++requests;
            channel.post(message_of(completion.id));
        }
    }
    return static_cast<double>(monotonic_now_ns() - begin_ns) / static_cast<double>(requests);
}

double time_flow(std::int64_t rows_per_second) {
    InstantChannel channel;
    Line line(MPI_COMM_SELF, 0, 0);
    SampleSink sink("/tmp", request_columns({}));
    const Stream stream{Verb::send, {0, message_bytes, queues, depth}, 0};
    const auto flow =
        make_sending_flow(channel, line, stream,
                          {{}, rows_per_second, {1, 0, Role::sender, message_bytes, queues}}, -1);
    const std::int64_t begin_ns = monotonic_now_ns();
    flow->begin_window({begin_ns, begin_ns + 3'600'000'000'000}, sink);
    flow->step(begin_ns);
    for (int i = 0; i < polls_of_block; ++i)
        flow->step(monotonic_now_ns());
    return static_cast<double>(monotonic_now_ns() - begin_ns) / (polls_of_block * queues * depth);
}

double median_of(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + blocks / 2, values.end());
    return values[blocks / 2];
}

void compare(const char* name, std::int64_t rows_per_second) {
    std::vector<double> bare;
    std::vector<double> flow;
    for (int i = 0; i < blocks; ++i) {
        bare.push_back(time_bare());
        flow.push_back(time_flow(rows_per_second));
    }
    const double bare_ns = median_of(std::move(bare));
    const double flow_ns = median_of(std::move(flow));
    fmt::print("{}: {:.1f} ns a request, bare {:.1f}, own {:.1f}\n", name, flow_ns, bare_ns,
               flow_ns - bare_ns);
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
    railgauge::MpiSession session(argc, argv);
    railgauge::compare("10000 rows a second", 10'000);
    railgauge::compare("a row for every request", 0);
    session.close();
    return 0;
}
