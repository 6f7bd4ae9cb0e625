// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(Utf8Test, measures_the_text_before_the_first_byte_that_is_none) {
    EXPECT_EQ(utf8_prefix_bytes(""), 0u);
    EXPECT_EQ(utf8_prefix_bytes("서울\n"), 7u);
    EXPECT_EQ(utf8_prefix_bytes("\xf0\x9f\x9a\x84"), 4u);
    EXPECT_EQ(utf8_prefix_bytes("a\xff"), 1u);
    EXPECT_EQ(utf8_prefix_bytes("ab\xc3"), 2u);
    EXPECT_EQ(utf8_prefix_bytes("ab\xc3 "), 2u);
}

TEST(Utf8Test, takes_no_overlong_forms_surrogates_or_terminal_controls) {
    for (const char* text : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80", "\xc2\x9b", "\x80"}) {
        EXPECT_EQ(utf8_prefix_bytes(text), 0u);
    }
}

TEST(Utf8Test, shows_every_byte_that_cannot_be_shown_as_a_question_mark) {
    EXPECT_EQ(printable_utf8("노드\x1b[31m\xff\n"), "노드?[31m??");
}

TEST(Utf8Test, cuts_between_characters) {
    EXPECT_EQ(whole_characters("서울", 6), "서울");
    EXPECT_EQ(whole_characters("서울", 5), "서");
    EXPECT_EQ(whole_characters("서울", 2), "");
}

}  // namespace
}  // namespace railgauge
