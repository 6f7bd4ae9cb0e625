// SPDX-License-Identifier: Apache-2.0
#include "base/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;

TEST(ParseBytesTest, tells_decimal_from_binary_units) {
    EXPECT_EQ(parse_bytes("4096"), 4096u);
    EXPECT_EQ(parse_bytes("32MB"), 32'000'000u);
    EXPECT_EQ(parse_bytes("32MiB"), 33'554'432u);
    EXPECT_EQ(parse_bytes("8k"), 8'000u);
    EXPECT_EQ(parse_bytes("2gib"), 2'147'483'648u);
    EXPECT_EQ(parse_bytes("16B"), 16u);
}

TEST(ParseBytesTest, refuses_what_is_no_size) {
    for (const char* text : {"", "x", "-1", "1.5MiB", "4QiB", "12 KiB", "0x10", "1KiBB",
                             "18446744073709551616", "99999999999TiB", "MiB"}) {
        EXPECT_THROW(parse_bytes(text), Error) << text;
    }
}

TEST(ParseByteListTest, expands_geometric_ranges_up_to_the_last_that_fits) {
    EXPECT_THAT(parse_byte_list("8:64:2x"), ElementsAre(8, 16, 32, 64));
    EXPECT_THAT(parse_byte_list("8:64"), ElementsAre(8, 16, 32, 64));
    EXPECT_THAT(parse_byte_list("1KiB:10KiB:3x"), ElementsAre(1024, 3072, 9216));
}

TEST(ParseByteListTest, expands_arithmetic_ranges) {
    EXPECT_THAT(parse_byte_list("1KiB:4KiB:1KiB"), ElementsAre(1024, 2048, 3072, 4096));
}

TEST(ParseByteListTest, sorts_mixtures_and_drops_repeats) {
    EXPECT_THAT(parse_byte_list("1MiB,8:16,16,4"), ElementsAre(4, 8, 16, 1048576));
}

TEST(ParseByteListTest, ends_at_the_largest_number_without_wrapping) {
    EXPECT_THAT(parse_byte_list("9223372036854775808:18446744073709551615:2x"),
                ElementsAre(9223372036854775808u));
}

TEST(ParseByteListTest, refuses_endless_and_reversed_ranges) {
    for (const char* text :
         {"8:4", "0:8:2x", "1:8:1x", "1:8:0", "1:2:3:4", "1:1000000:1", "", "8,,16", "8:"}) {
        EXPECT_THROW(parse_byte_list(text), Error) << text;
    }
}

TEST(ParseDurationTest, knows_the_units_people_write) {
    EXPECT_EQ(parse_duration_ns("250ms"), 250'000'000);
    EXPECT_EQ(parse_duration_ns("1.5s"), 1'500'000'000);
    EXPECT_EQ(parse_duration_ns("2min"), 120'000'000'000);
    EXPECT_EQ(parse_duration_ns("3"), 3'000'000'000);
    EXPECT_EQ(parse_duration_ns("50ns"), 50);
}

TEST(ParseDurationTest, refuses_nothing_negative_infinite_and_endless) {
    for (const char* text : {"", "0", "-1s", "inf", "nan", "1 s", "5 parsecs", "2000h", "0.1ns"}) {
        EXPECT_THROW(parse_duration_ns(text), Error) << text;
    }
}

TEST(FormatBytesTest, is_exact) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1000), "1000 B");
    EXPECT_EQ(format_bytes(16u << 20), "16 MiB");
    EXPECT_EQ(format_bytes((1u << 20) + 1024), "1025 KiB");
}

}  // namespace
}  // namespace railgauge
