// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_card.hpp"

#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ucx/endpoint.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

UcxCard example() {
    return {.error = {},
            .channel = 7,
            .queues = 3,
            .base = 0x7f00'1234'5678,
            .bytes = 1 << 20,
            .address = {std::byte{1}, std::byte{2}, std::byte{255}},
            .key = {std::byte{9}}};
}

std::string refusal(std::span<const std::byte> bytes) {
    try {
        static_cast<void>(decode_ucx_card(bytes, "rank 3 on n5"));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::library);
        EXPECT_THAT(error.what(), HasSubstr("rank 3 on n5"));
        return error.what();
    }
    return "";
}

TEST(UcxCardTest, arrives_as_it_was_sent) {
    const UcxCard card = decode_ucx_card(encode(example()), "x");
    EXPECT_EQ(card.channel, 7u);
    EXPECT_EQ(card.queues, 3u);
    EXPECT_EQ(card.base, 0x7f00'1234'5678u);
    EXPECT_EQ(card.bytes, 1u << 20);
    EXPECT_EQ(card.address, example().address);
    EXPECT_EQ(card.key, example().key);
}

TEST(UcxCardTest, of_a_side_that_failed_says_why_in_bounds) {
    EXPECT_EQ(decode_ucx_card(encode({.error = "no memory"}), "x").error, "no memory");
    const std::string endless(1 << 20, 'x');
    EXPECT_EQ(decode_ucx_card(encode({.error = endless}), "x").error.size(), 4096u);
}

TEST(UcxCardTest, cut_anywhere_is_refused) {
    const std::vector<std::byte> whole = encode(example());
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THAT(refusal(std::span(whole).first(size)), HasSubstr("it ends too early")) << size;
}

TEST(UcxCardTest, with_more_than_a_card_is_refused) {
    std::vector<std::byte> bytes = encode(example());
    bytes.push_back({});
    EXPECT_THAT(refusal(bytes), HasSubstr("1 bytes are left over"));
}

TEST(UcxCardTest, of_another_kind_or_version_is_refused) {
    std::vector<std::byte> bytes = encode(example());
    bytes[4] = std::byte{2};
    EXPECT_THAT(refusal(bytes), HasSubstr("it has version 2, not 1"));
    bytes[0] = std::byte{'X'};
    EXPECT_THAT(refusal(bytes), HasSubstr("it is no card of the transport ucx"));
}

TEST(UcxCardTest, whose_sizes_lie_is_refused) {
    std::vector<std::byte> bytes = encode(example());
    constexpr std::size_t address_size_at = 4 + 4 + 4 + 4 + 4 + 8 + 8;
    for (std::size_t i = 0; i < 4; ++i)
        bytes[address_size_at + i] = std::byte{255};
    EXPECT_THAT(refusal(bytes), HasSubstr("a field claims 4294967295 bytes"));
}

TEST(UcxCardTest, whose_memory_wraps_or_whose_blobs_are_missing_is_refused) {
    UcxCard card = example();
    card.base = std::numeric_limits<std::uint64_t>::max() - 5;
    EXPECT_THAT(refusal(encode(card)), HasSubstr("ends beyond the last address"));
    card = example();
    card.key.clear();
    EXPECT_THAT(refusal(encode(card)), HasSubstr("no address or no key"));
}

TEST(UcxCardTest, with_any_bytes_changed_is_read_or_refused) {
    std::mt19937 random(1);
    const std::vector<std::byte> whole = encode(example());
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes = whole;
        for (int i = 0; i < 3; ++i)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        static_cast<void>(refusal(bytes));
    }
}

TEST(UcxPathTest, is_each_transport_and_device_once) {
    EXPECT_EQ(lanes_in("#  lane[0]:  2:rc_verbs/mlx5_0:1.0 md[3]   -> md[3]/ib/sysdev[1] am\n"
                       "#  lane[1]:  2:rc_verbs/mlx5_0:1.1 md[3]   -> md[3]\n"
                       "#  lane[2]:  11:tcp/eth0.100 md[3]   -> md[3]\n"),
              "rc_verbs/mlx5_0:1, tcp/eth0");
    EXPECT_EQ(lanes_in("# UCP endpoint\n"), "");
}

}  // namespace
}  // namespace railgauge
