// SPDX-License-Identifier: Apache-2.0
#include "transport/payload.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

using Bytes = std::vector<std::byte>;

constexpr PayloadKey key{7, 3, 11};

Bytes payload(const PayloadKey& of, std::size_t size) {
    Bytes bytes(size);
    write_payload(of, bytes);
    return bytes;
}

TEST(PayloadTest, is_right_where_it_was_written) {
    for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 4096u, 4099u})
        EXPECT_EQ(count_wrong(key, payload(key, size)), 0u) << size;
}

TEST(PayloadTest, writes_no_byte_beyond_its_end) {
    Bytes bytes(16, std::byte{0x5a});
    write_payload(key, std::span(bytes).first(13));
    for (std::size_t i = 13; i < bytes.size(); ++i)
        EXPECT_EQ(bytes[i], std::byte{0x5a});
}

TEST(PayloadTest, counts_each_wrong_byte_once) {
    Bytes bytes = payload(key, 1003);
    for (const std::size_t i : {0u, 1u, 500u, 1000u, 1002u})
        bytes[i] ^= std::byte{0x10};
    EXPECT_EQ(count_wrong(key, bytes), 5u);
}

TEST(PayloadTest, another_sender_message_or_round_is_nearly_all_wrong) {
    constexpr std::size_t size = 4096;
    for (const PayloadKey& other : {PayloadKey{8, 3, 11}, {7, 4, 11}, {7, 3, 12}, {3, 7, 11}}) {
        // A byte is right by chance once in 256.
        EXPECT_GT(count_wrong(key, payload(other, size)), size * 98 / 100);
    }
}

TEST(PayloadTest, a_shift_by_any_number_of_bytes_is_nearly_all_wrong) {
    constexpr std::size_t size = 4096;
    const Bytes longer = payload(key, size + 64);
    for (std::size_t shift = 1; shift <= 64; ++shift)
        EXPECT_GT(count_wrong(key, std::span(longer).subspan(shift, size)), size * 98 / 100)
            << shift;
}

TEST(PayloadTest, poison_is_wrong_in_every_byte) {
    Bytes bytes(4099);
    write_poison(key, bytes);
    EXPECT_EQ(count_wrong(key, bytes), bytes.size());
}

TEST(PayloadTest, a_message_that_stops_early_is_wrong_from_there_on) {
    Bytes bytes(4096);
    write_poison(key, bytes);
    const Bytes whole = payload(key, bytes.size());
    std::copy_n(whole.begin(), 1000, bytes.begin());
    EXPECT_EQ(count_wrong(key, bytes), 3096u);
}

}  // namespace
}  // namespace railgauge
