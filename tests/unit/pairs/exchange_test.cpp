// SPDX-License-Identifier: Apache-2.0
// Exchanges on a channel that the test completes message by message.
#include "pairs/exchange.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using testing::ElementsAre;

/// Completes the oldest message with every poll, those of the verb `first` before others, and notes
/// what was posted and completed, in order: "s0" a send from offset 0, "r64" a receive into offset
/// 64, "tell" and "listen" the empty messages, "." a completion.
class ScriptedChannel : public Channel {
  public:
    explicit ScriptedChannel(int depth) : depth_(depth) {}

    void post(const Message& message) override {
        under_way_.push_back(message);
        const auto of_verb =
            std::count_if(under_way_.begin(), under_way_.end(),
                          [&](const Message& other) { return other.verb == message.verb; });
        EXPECT_LE(of_verb, depth_);
        log.push_back(name_of(message));
    }

    std::span<const Completion> poll() override {
        if (under_way_.empty()) {
            ADD_FAILURE() << "waits for a message that was never posted";
            std::abort();  // it would wait for ever
        }
        time_ns += 10;
        auto next = std::find_if(under_way_.begin(), under_way_.end(),
                                 [&](const Message& message) { return message.verb == first; });
        if (next == under_way_.end()) next = under_way_.begin();
        done_ = {next->id, time_ns};
        under_way_.erase(next);
        log.emplace_back(".");
        return {&done_, 1};
    }

    void close() override {}
    bool idle() const { return under_way_.empty(); }

    std::optional<Verb> first;
    std::vector<std::string> log;
    std::int64_t time_ns = std::int64_t{1} << 62;  // later than any clock

  private:
    static std::string name_of(const Message& message) {
        const bool send = message.verb == Verb::send;
        if (message.bytes == 0) return send ? "tell" : "listen";
        return (send ? "s" : "r") + std::to_string(message.offset);
    }

    int depth_;
    std::deque<Message> under_way_;
    Completion done_;
};

constexpr PairCall call_with(PairOperation operation, Direction direction, int depth) {
    return {operation, direction, 64, depth};
}

struct Trial {
    Trial(const PairCall& call, Duty duty)
        : channel(channel_parameters(call, {}).send_depth),
          exchange(make_exchange(call, duty, {}, channel)) {}

    std::vector<std::string> run(int launches) {
        channel.log.clear();
        for (int i = 0; i < launches; ++i)
            exchange->launch();
        exchange->complete();
        EXPECT_TRUE(channel.idle());
        return channel.log;
    }

    ScriptedChannel channel;
    std::unique_ptr<Exchange> exchange;
};

constexpr PairCall window(Direction direction) {
    return call_with(PairOperation::bandwidth, direction, 2);
}

TEST(WindowExchangeTest, a_sender_posts_its_window_and_waits_for_the_confirmation) {
    Trial trial(window(Direction::forward), Duty::send);
    EXPECT_THAT(trial.run(1), ElementsAre("s0", "s64", "listen", ".", ".", "."));
    EXPECT_GT(trial.exchange->acknowledged_ns(), 0);
}

TEST(WindowExchangeTest, a_receiver_confirms_only_when_all_has_arrived) {
    Trial trial(window(Direction::forward), Duty::receive);
    EXPECT_THAT(trial.run(1), ElementsAre("r128", "r192", ".", ".", "tell", "."));
    EXPECT_EQ(trial.exchange->acknowledged_ns(), -1);
}

TEST(WindowExchangeTest, in_both_directions_receives_are_posted_first) {
    Trial trial(window(Direction::both), Duty::send_and_receive);
    EXPECT_THAT(trial.run(1), ElementsAre("r128", "r192", "s0", "s64", "listen", ".", ".", "tell",
                                          ".", ".", ".", "."));
    EXPECT_GT(trial.exchange->acknowledged_ns(), 0);
}

TEST(WindowExchangeTest, windows_in_a_row_use_each_slot_again_when_its_message_is_done) {
    Trial trial(window(Direction::forward), Duty::send);
    EXPECT_THAT(trial.run(2),
                ElementsAre("s0", "s64", ".", "s0", ".", "s64", "listen", ".", ".", "."));
}

TEST(WindowExchangeTest, windows_in_a_row_send_on_while_nothing_arrives) {
    Trial trial(call_with(PairOperation::bandwidth, Direction::both, 1), Duty::send_and_receive);
    trial.channel.first = Verb::send;
    EXPECT_THAT(trial.run(3), ElementsAre("r64", "s0", ".", "s0", ".", "s0", ".", ".", "r64", ".",
                                          "r64", "listen", ".", "tell", ".", "."));
}

TEST(WindowExchangeTest, windows_in_a_row_receive_on_while_nothing_is_sent) {
    Trial trial(call_with(PairOperation::bandwidth, Direction::both, 1), Duty::send_and_receive);
    trial.channel.first = Verb::receive;
    EXPECT_THAT(trial.run(3), ElementsAre("r64", "s0", ".", "r64", ".", "r64", ".", ".", "s0", ".",
                                          "s0", "listen", "tell", ".", ".", "."));
}

TEST(WindowExchangeTest, windows_in_a_row_post_every_message_once_and_confirm_after_all) {
    Trial trial(call_with(PairOperation::bandwidth, Direction::both, 3), Duty::send_and_receive);
    const std::vector<std::string> log = trial.run(5);
    const auto posted = [&](char verb) {
        return std::count_if(log.begin(), log.end(),
                             [&](const std::string& entry) { return entry.front() == verb; });
    };
    EXPECT_EQ(posted('s'), 15);
    EXPECT_EQ(posted('r'), 15);
    const auto last = [&](char verb) {
        return std::find_if(log.rbegin(), log.rend(),
                            [&](const std::string& entry) { return entry.front() == verb; })
            .base();
    };
    EXPECT_LT(last('r'), last('l'));
    EXPECT_LT(last('s'), last('t'));
}

TEST(WindowExchangeTest, acknowledgement_counts_from_the_first_launch_of_each_operation) {
    Trial trial(window(Direction::forward), Duty::send);
    trial.run(1);
    const std::int64_t first_ns = trial.exchange->acknowledged_ns();
    trial.run(1);
    // The clock runs on between them, the channel's by 30 ns.
    EXPECT_LE(trial.exchange->acknowledged_ns(), first_ns + 30);
}

TEST(RoundTripTest, the_asking_rank_expects_the_answer_before_it_asks) {
    const PairCall call = call_with(PairOperation::latency, Direction::round_trip, 1);
    Trial trial(call, Duty::ask);
    EXPECT_THAT(trial.run(1), ElementsAre("r64", "s0", ".", "."));
    EXPECT_GT(trial.exchange->acknowledged_ns(), 0);
}

TEST(RoundTripTest, the_answering_rank_answers_when_it_was_asked) {
    const PairCall call = call_with(PairOperation::latency, Direction::round_trip, 1);
    Trial trial(call, Duty::answer);
    EXPECT_THAT(trial.run(2), ElementsAre("r64", ".", "s0", ".", "r64", ".", "s0", "."));
    EXPECT_EQ(trial.exchange->acknowledged_ns(), -1);
}

TEST(ExchangeTest, ranks_meet_by_an_empty_message_each_way) {
    Trial trial(window(Direction::forward), Duty::receive);
    trial.exchange->meet();
    EXPECT_THAT(trial.channel.log, ElementsAre("listen", "tell", ".", "."));
}

TEST(DutyTest, forward_is_from_the_lower_rank) {
    EXPECT_EQ(duty_of(window(Direction::forward), 2, 5), Duty::send);
    EXPECT_EQ(duty_of(window(Direction::forward), 5, 2), Duty::receive);
    EXPECT_EQ(duty_of(window(Direction::backward), 2, 5), Duty::receive);
    EXPECT_EQ(duty_of(window(Direction::backward), 5, 2), Duty::send);
    EXPECT_EQ(duty_of(window(Direction::both), 5, 2), Duty::send_and_receive);
}

TEST(SlotsTest, no_two_messages_share_a_cache_line) {
    const Slots slots{65, 3};
    EXPECT_EQ(slots.to_send(1), 128u);
    EXPECT_EQ(slots.received(0), 3 * 128u);
    EXPECT_EQ(slots.size(), 6 * 128u);
}

TEST(SlotsTest, a_size_beyond_64_bits_is_none_and_not_a_small_one) {
    const Slots slots{std::size_t{1} << 60, 8};
    EXPECT_FALSE(slots.size_within(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_FALSE((Slots{65, 3}.size_within(767)));
    EXPECT_EQ((Slots{65, 3}.size_within(768)), 6 * 128u);
}

}  // namespace
}  // namespace railgauge
