// SPDX-License-Identifier: Apache-2.0
// Both sides of an exchange whose receives are posted ahead, on two threads and a link on which
// payload that finds no receive is a failure.
#include <array>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pairs/exchange.hpp"
#include "transport/payload.hpp"

namespace railgauge {
namespace {

constexpr Capabilities capabilities{true, 1 << 20, 33, 64, true};

/// What both sides see.
struct Link {
    struct Side {
        std::vector<std::byte> memory;
        std::map<int, std::deque<Message>> receives;
        std::map<int, std::vector<std::uint64_t>> unsignalled;
        std::deque<std::uint64_t> done;
    };
    std::mutex mutex;
    std::array<Side, 2> sides;
    std::int64_t time_ns = std::int64_t{1} << 62;  // later than any clock
};

class LinkChannel : public Channel {
  public:
    LinkChannel(Link& link, std::size_t side, const ChannelParameters& parameters)
        : link_(link), side_(side), parameters_(parameters) {}

    void post(const Message& message) override {
        ASSERT_LT(message.queue, parameters_.queues);
        if (message.verb == Verb::send && message.queue + 1 == parameters_.queues) await_receive();
        const std::lock_guard lock(link_.mutex);
        if (message.verb == Verb::receive) {
            ours().receives[message.queue].push_back(message);
            ASSERT_LE(ours().receives[message.queue].size(),
                      static_cast<std::size_t>(parameters_.receive_depth));
            return;
        }
        move(message);
        std::vector<std::uint64_t>& waiting = ours().unsignalled[message.queue];
        waiting.push_back(message.id);
        ASSERT_LE(waiting.size(), static_cast<std::size_t>(parameters_.send_depth));
        if (!message.signalled) return;
        ours().done.insert(ours().done.end(), waiting.begin(), waiting.end());
        waiting.clear();
    }

    std::span<const Completion> poll() override {
        {
            const std::lock_guard lock(link_.mutex);
            if (!ours().done.empty()) {
                completion_ = {ours().done.front(), link_.time_ns += 10};
                ours().done.pop_front();
                return {&completion_, 1};
            }
        }
        std::this_thread::yield();
        return {};
    }

    void close() override {}

  private:
    Link::Side& ours() { return link_.sides[side_]; }
    Link::Side& theirs() { return link_.sides[1 - side_]; }

    /// Words of who reads are not answered; hardware repeats them until the peer expects them.
    void await_receive() {
        const auto is_expected = [this] {
            const std::lock_guard lock(link_.mutex);
            return !theirs().receives[parameters_.queues - 1].empty();
        };
        while (!is_expected())
            std::this_thread::yield();
    }

    void move(const Message& message) {
        std::byte* const here = ours().memory.data() + message.offset;
        if (message.verb == Verb::read) {
            std::memcpy(here, theirs().memory.data() + message.remote_offset, message.bytes);
        } else if (message.verb == Verb::write) {
            std::memcpy(theirs().memory.data() + message.remote_offset, here, message.bytes);
            if (message.notifies) take_receive(message, 0);
        } else {
            take_receive(message, message.bytes);
        }
    }

    void take_receive(const Message& message, std::size_t bytes) {
        std::deque<Message>& posted = theirs().receives[message.queue];
        ASSERT_FALSE(posted.empty()) << "no receive on queue " << message.queue;
        ASSERT_GE(posted.front().bytes, bytes);
        std::memcpy(theirs().memory.data() + posted.front().offset,
                    ours().memory.data() + message.offset, bytes);
        theirs().done.push_back(posted.front().id);
        posted.pop_front();
    }

    Link& link_;
    std::size_t side_;
    ChannelParameters parameters_;
    Completion completion_;
};

/// One side's part: a verified operation, `samples` of them of `launches` each, a verified one.
struct Part {
    std::uint64_t wrong = 0;
    std::vector<std::int64_t> acknowledged_ns;
};

class Rank {
  public:
    Rank(const PairCall& call, Link& link, int rank)
        : slots_{call.bytes, call.messages()},
          duty_(duty_of(call, rank, 1 - rank)),
          rank_(rank),
          memory_(link.sides[static_cast<std::size_t>(rank)].memory),
          channel_(link, static_cast<std::size_t>(rank), channel_parameters(call, capabilities)) {
        memory_.resize(slots_.size());
        exchange_ = make_exchange(call, duty_, capabilities, channel_);
    }

    void run(int samples, int launches) {
        check(0);
        ask(samples, launches);
        check(1);
    }

    void ask(int samples, int launches) {
        for (int sample = 0; sample < samples; ++sample) {
            for (int i = 0; i < launches; ++i)
                exchange_->launch();
            exchange_->complete();
            part.acknowledged_ns.push_back(exchange_->acknowledged_ns());
        }
    }

    /// Answers whatever comes until that many are answered.
    std::int64_t answer(std::int64_t operations) {
        std::int64_t answered = 0;
        while (answered < operations)
            answered = exchange_->answer();
        return answered;
    }

    void check(std::uint64_t round) {
        for (int i = 0; i < slots_.messages; ++i) {
            const auto message = static_cast<std::uint64_t>(i);
            write_payload({rank_, message, round}, at(slots_.to_send(i)));
            write_poison({1 - rank_, message, round}, at(slots_.received(i)));
        }
        exchange_->meet();
        exchange_->launch();
        exchange_->complete();
        for (int i = 0; receives(duty_) && i < slots_.messages; ++i)
            part.wrong += count_wrong({1 - rank_, static_cast<std::uint64_t>(i), round},
                                      at(slots_.received(i)));
        exchange_->meet();
    }

    Part part;

  private:
    std::span<std::byte> at(std::size_t offset) {
        return std::span(memory_).subspan(offset, slots_.bytes);
    }

    Slots slots_;
    Duty duty_;
    int rank_;
    std::vector<std::byte>& memory_;
    LinkChannel channel_;
    std::unique_ptr<Exchange> exchange_;
};

std::array<Part, 2> play(const PairCall& call, int samples, int launches) {
    Link link;
    Rank low(call, link, 0);
    Rank high(call, link, 1);
    std::thread other([&] { high.run(samples, launches); });
    low.run(samples, launches);
    other.join();
    return {low.part, high.part};
}

struct Trial {
    PairCall call;
    bool low_is_acknowledged;
    bool high_is_acknowledged;
};

std::string name_of(const testing::TestParamInfo<Trial>& info) {
    constexpr std::array<const char*, 4> directions{"forward", "backward", "both", "round_trip"};
    constexpr std::array<const char*, 4> verbs{"send", "receive", "write", "read"};
    const PairCall& call = info.param.call;
    return fmt::format("{}_{}_x{}x{}_{}", verbs[static_cast<std::size_t>(call.verb)],
                       directions[static_cast<std::size_t>(call.direction)], call.depth,
                       call.queues, call.signal_interval);
}

struct Shape {
    int depth;
    int queues;
    int signal_interval;
};

std::vector<Trial> trials() {
    std::vector<Trial> trials;
    for (const Verb verb : {Verb::send, Verb::write, Verb::read}) {
        const bool read = verb == Verb::read;
        for (const Shape& shape : {Shape{1, 1, 1}, {4, 1, 3}, {3, 5, 2}, {2, 32, 2}}) {
            const auto add = [&](Direction direction, bool low, bool high) {
                trials.push_back({{PairOperation::bandwidth, direction, 72, shape.depth, verb,
                                   shape.queues, shape.signal_interval},
                                  low,
                                  high});
            };
            add(Direction::forward, !read, read);
            add(Direction::backward, read, !read);
            add(Direction::both, true, true);
        }
        trials.push_back(
            {{PairOperation::latency, Direction::round_trip, 72, 1, verb}, true, false});
    }
    return trials;
}

class AheadExchangeTest : public testing::TestWithParam<Trial> {};

TEST_P(AheadExchangeTest, every_byte_arrives_in_its_place_and_no_message_comes_unexpected) {
    const auto parts = play(GetParam().call, 20, 3);
    EXPECT_EQ(parts[0].wrong, 0u);
    EXPECT_EQ(parts[1].wrong, 0u);
}

TEST_P(AheadExchangeTest, who_moves_the_payload_knows_when_it_had_arrived) {
    const auto parts = play(GetParam().call, 3, 1);
    const auto positive = testing::Each(testing::Gt(0));
    const auto none = testing::Each(-1);
    const auto expect = [&](const Part& part, bool acknowledged) {
        if (acknowledged)
            EXPECT_THAT(part.acknowledged_ns, positive);
        else
            EXPECT_THAT(part.acknowledged_ns, none);
    };
    expect(parts[0], GetParam().low_is_acknowledged);
    expect(parts[1], GetParam().high_is_acknowledged);
}

INSTANTIATE_TEST_SUITE_P(, AheadExchangeTest, testing::ValuesIn(trials()), name_of);

/// Trials whose lower rank does all: writes, or reads.
std::vector<Trial> answered_trials() {
    std::vector<Trial> answered;
    for (const Trial& trial : trials())
        if (is_answered(trial.call, duty_of(trial.call, 0, 1))) answered.push_back(trial);
    return answered;
}

class AnsweringTest : public testing::TestWithParam<Trial> {};

TEST_P(AnsweringTest,
       who_only_answers_needs_no_number_of_operations_and_can_check_before_and_after) {
    constexpr int samples = 20;
    constexpr int launches = 3;
    const PairCall& call = GetParam().call;
    const std::int64_t operations = answers_to(call, std::int64_t{samples} * launches, samples);
    Link link;
    Rank low(call, link, 0);
    Rank high(call, link, 1);
    std::promise<std::int64_t> answered;
    std::thread other([&] {
        high.check(0);
        answered.set_value(high.answer(operations));
        high.check(1);
    });
    low.check(0);
    low.ask(samples, launches);
    EXPECT_EQ(answered.get_future().get(), operations);
    low.check(1);
    other.join();
    EXPECT_EQ(low.part.wrong, 0u);
    EXPECT_EQ(high.part.wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(, AnsweringTest, testing::ValuesIn(answered_trials()), name_of);

}  // namespace
}  // namespace railgauge
