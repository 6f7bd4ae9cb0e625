// SPDX-License-Identifier: Apache-2.0
#include "watchdog/frame.hpp"

#include <random>

#include <gtest/gtest.h>

namespace railgauge::board {
namespace {

Frame some_frame() {
    Frame frame;
    frame.type = FrameType::hello;
    frame.token.fill(0xa5);
    frame.rank = 767;
    frame.at = {Phase::timed, 41, 0x1234567890abcdefULL};
    frame.pulse = ~0ULL;
    frame.idle = milliseconds{61'000};
    frame.cpu_ms = 997;
    frame.host = "노드-07";
    return frame;
}

TEST(FrameTest, comes_back_as_it_was_sent) {
    const Frame sent = some_frame();
    const auto got = decode(encode(sent));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->type, sent.type);
    EXPECT_EQ(got->token, sent.token);
    EXPECT_EQ(got->rank, sent.rank);
    EXPECT_EQ(got->at.phase, sent.at.phase);
    EXPECT_EQ(got->at.case_id, sent.at.case_id);
    EXPECT_EQ(got->at.sequence, sent.at.sequence);
    EXPECT_EQ(got->pulse, sent.pulse);
    EXPECT_EQ(got->idle, sent.idle);
    EXPECT_EQ(got->cpu_ms, sent.cpu_ms);
    EXPECT_EQ(got->host, sent.host);
}

TEST(FrameTest, takes_no_field_out_of_range) {
    const FrameBytes good = encode(some_frame());
    for (const std::size_t offset : {0U, 3U, 4U, 5U, 11U, 15U}) {  // magic, type, phase, rank, case
        FrameBytes bad = good;
        bad[offset] = 0xee;
        EXPECT_FALSE(decode(bad)) << offset;
    }
}

TEST(FrameTest, survives_random_bytes) {
    std::mt19937 random(7);
    FrameBytes bytes = encode(some_frame());
    for (int i = 0; i < 100'000; ++i) {
        bytes[4 + random() % (frame_bytes - 4)] = static_cast<std::uint8_t>(random());
        const auto frame = decode(bytes);
        if (!frame) continue;
        EXPECT_GE(frame->rank, 0);
        EXPECT_LE(frame->at.phase, Phase::finalize);
    }
}

TEST(FrameTest, cuts_a_long_host_between_characters) {
    Frame frame = some_frame();
    frame.host.clear();
    while (frame.host.size() < 100)
        frame.host += "가";  // three bytes each; 64 is no multiple
    const auto got = decode(encode(frame));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->host, frame.host.substr(0, 63));
}

}  // namespace
}  // namespace railgauge::board
