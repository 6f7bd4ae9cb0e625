// SPDX-License-Identifier: Apache-2.0
#include "verbs/card.hpp"

#include <cstring>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "gids.hpp"
#include "verbs/queue_pair.hpp"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Card example() {
    Card card;
    card.host = "n5";
    card.port = "mlx5_0:1";
    card.end = {LinkLayer::ethernet, 0, gid_of("::ffff:10.0.0.5"), false};
    card.mtu_bytes = 4096;
    card.most_reads_out = 16;
    card.most_reads_in = 8;
    card.key = 0xdeadbeef;
    card.address = 0x7fff'0000'1000;
    card.bytes = 1 << 20;
    card.queues = {{0x123456, 0xabcdef}, {17, 0}};
    return card;
}

std::string error_of(const std::function<void()>& step) {
    try {
        step();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::library);
        return error.what();
    }
    return "accepted";
}

std::string decoding(const std::vector<std::byte>& bytes) {
    return error_of([&] { decode_card(bytes, "rank 3 on n5"); });
}

TEST(CardTest, arrives_as_it_was_sent) {
    const Card sent = example();
    const Card got = decode_card(encode(sent), "");
    EXPECT_EQ(got.error, "");
    EXPECT_EQ(got.host, "n5");
    EXPECT_EQ(got.port, "mlx5_0:1");
    EXPECT_EQ(got.end.link_layer, LinkLayer::ethernet);
    EXPECT_EQ(std::memcmp(got.end.gid.raw, sent.end.gid.raw, 16), 0);
    EXPECT_EQ(got.mtu_bytes, 4096u);
    EXPECT_EQ(got.most_reads_out, 16);
    EXPECT_EQ(got.most_reads_in, 8);
    EXPECT_EQ(got.key, 0xdeadbeef);
    EXPECT_EQ(got.address, sent.address);
    EXPECT_EQ(got.bytes, sent.bytes);
    ASSERT_EQ(got.queues.size(), 2u);
    EXPECT_EQ(got.queues[0].number, 0x123456u);
    EXPECT_EQ(got.queues[0].first_packet, 0xabcdefu);
}

TEST(CardTest, cut_anywhere_or_too_long_it_is_refused) {
    std::vector<std::byte> bytes = encode(example());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<std::byte> cut(bytes.begin(),
                                         bytes.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THAT(decoding(cut), HasSubstr("rank 3 on n5 cannot be connected")) << size;
    }
    bytes.push_back(std::byte{0});
    EXPECT_THAT(decoding(bytes), HasSubstr("something follows its end"));
}

TEST(CardTest, nonsense_is_refused_or_read_but_never_crashes) {
    std::mt19937 random(1);
    const std::vector<std::byte> whole = encode(example());
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes = whole;
        for (int i = 0; i < 3; ++i)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        decoding(bytes);
    }
}

TEST(CardTest, another_version_is_named) {
    std::vector<std::byte> bytes = encode(example());
    bytes[4] = std::byte{9};
    EXPECT_THAT(decoding(bytes), HasSubstr("it is of version 9, and this is 1"));
}

TEST(CardTest, numbers_that_no_device_has_are_refused) {
    Card card = example();
    card.queues[0].number = 0x100'0000;
    EXPECT_THAT(decoding(encode(card)), HasSubstr("exceed 24 bits"));
    card = example();
    card.mtu_bytes = 1500;
    EXPECT_THAT(decoding(encode(card)), HasSubstr("its MTU is none"));
    card = example();
    card.address = ~std::uint64_t{0} - 10;
    EXPECT_THAT(decoding(encode(card)), HasSubstr("its memory wraps around"));
    card = example();
    card.queues.resize(2000);
    EXPECT_THAT(decoding(encode(card)), HasSubstr("it has too many queues"));
}

TEST(CardTest, a_text_reaches_no_terminal_as_a_command) {
    Card card = example();
    card.host = "n5\x1b[2J\xff";
    EXPECT_EQ(decode_card(encode(card), "").host, "n5?[2J?");
}

TEST(RequireMatchingTest, sides_that_fit_are_accepted) {
    EXPECT_EQ(error_of([] { require_matching(example(), example(), ""); }), "accepted");
}

TEST(RequireMatchingTest, what_the_peer_says_is_passed_on_with_its_name) {
    Card refused;
    refused.error = "no memory";
    const Card arrived = decode_card(encode(refused), "rank 3 on n5");
    EXPECT_THAT(error_of([&] { require_matching(example(), arrived, "rank 3 on n5"); }),
                AllOf(HasSubstr("rank 3 on n5 cannot be connected"), HasSubstr("no memory")));
}

TEST(RequireMatchingTest, networks_of_two_kinds_cannot_be_connected) {
    Card other = example();
    other.end.link_layer = LinkLayer::infiniband;
    EXPECT_THAT(error_of([&] { require_matching(example(), other, "rank 3"); }),
                AllOf(HasSubstr("is on InfiniBand"), HasSubstr("Ethernet (RoCE)")));
    other = example();
    other.end.gid = gid_of("fe80::5");
    EXPECT_THAT(error_of([&] { require_matching(example(), other, "rank 3"); }),
                AllOf(HasSubstr("the link-local GID fe80::5"), HasSubstr("--gid-kind")));
}

TEST(RequireMatchingTest, another_number_of_queues_is_refused) {
    Card other = example();
    other.queues.pop_back();
    EXPECT_THAT(error_of([&] { require_matching(example(), other, "rank 3"); }),
                HasSubstr("it has 1 queue pairs, and this side 2"));
}

TEST(AgreeTest, takes_the_least_of_what_both_offer) {
    Card mine = example();
    Card theirs = example();
    theirs.mtu_bytes = 1024;
    theirs.most_reads_out = 4;
    theirs.most_reads_in = 12;
    const Agreement agreement = agree(mine, theirs, {});
    EXPECT_EQ(agreement.mtu, IBV_MTU_1024);
    EXPECT_EQ(agreement.reads_out, 12);  // 16 offered here, 12 answered there
    EXPECT_EQ(agreement.reads_in, 4);    // 4 offered there, 8 answered here
}

}  // namespace
}  // namespace railgauge
