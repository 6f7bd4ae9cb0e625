// SPDX-License-Identifier: Apache-2.0
#include "collectives/element.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

using Half = SmallFloat<std::uint16_t, 5, 10>;
using BFloat = SmallFloat<std::uint16_t, 8, 7>;
using E4m3 = SmallFloat<std::uint8_t, 4, 3>;
using E5m2 = SmallFloat<std::uint8_t, 5, 2>;

TEST(ElementTest, whole_numbers_have_the_bits_of_their_format) {
    EXPECT_EQ(Half::from_whole(0), 0x0000);
    EXPECT_EQ(Half::from_whole(1), 0x3c00);
    EXPECT_EQ(Half::from_whole(-2), 0xc000);
    EXPECT_EQ(Half::from_whole(2047), 0x67ff);
    EXPECT_EQ(Half::from_whole(2048), 0x6800);
    EXPECT_EQ(BFloat::from_whole(1), 0x3f80);
    EXPECT_EQ(BFloat::from_whole(-255), 0xc37f);
    EXPECT_EQ(E4m3::from_whole(1), 0x38);
    EXPECT_EQ(E4m3::from_whole(15), 0x57);
    EXPECT_EQ(E5m2::from_whole(1), 0x3c);
    EXPECT_EQ(E5m2::from_whole(-7), 0xc7);
}

template <class Element>
void expect_wholes_are_read_back(std::int64_t most) {
    for (std::int64_t value = -most; value <= most; ++value)
        EXPECT_EQ(Element::to_double(Element::from_whole(value)), static_cast<double>(value));
}

TEST(ElementTest, whole_numbers_are_read_back) {
    expect_wholes_are_read_back<Half>(2048);
    expect_wholes_are_read_back<BFloat>(256);
    expect_wholes_are_read_back<E4m3>(16);
    expect_wholes_are_read_back<E5m2>(8);
}

TEST(ElementTest, fractions_and_denormal_numbers_are_read) {
    EXPECT_EQ(Half::to_double(0x3800), 0.5);
    EXPECT_EQ(Half::to_double(0x0001), 0x1p-24);
    EXPECT_EQ(E4m3::to_double(0x7e), 448);
    EXPECT_EQ(E4m3::to_double(0x01), 0x1p-9);
    EXPECT_EQ(E5m2::to_double(0x7b), 57'344);
}

TEST(ElementTest, what_is_no_number_reads_as_nan) {
    EXPECT_TRUE(std::isnan(Half::to_double(0x7c00)));
    EXPECT_TRUE(std::isnan(BFloat::to_double(0xffff)));
    EXPECT_TRUE(std::isnan(E4m3::to_double(0xff)));
    EXPECT_TRUE(std::isnan(E5m2::to_double(0x7c)));
}

}  // namespace
}  // namespace railgauge
