// SPDX-License-Identifier: Apache-2.0
#include "collectives/call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collectives/collectives.hpp"

namespace railgauge {
namespace {

TEST(CallTest, names_of_types_are_read_back) {
    for (const std::string& name : data_type_names())
        EXPECT_EQ(to_text(parse_data_type(name)), name);
    EXPECT_EQ(data_type_names().size(), 13u);
}

TEST(CallTest, types_have_the_size_their_name_says) {
    for (const std::string& name : data_type_names()) {
        const std::size_t digits = name.find_first_of("0123456789");
        const std::size_t bytes =
            digits == std::string::npos ? 1 : std::stoul(name.substr(digits)) / 8;
        EXPECT_EQ(size_of(parse_data_type(name)), bytes) << name;
    }
}

TEST(CallTest, names_of_reductions_and_places_are_read_back) {
    for (const std::string& name : reduce_operation_names())
        EXPECT_EQ(to_text(parse_reduce_operation(name)), name);
    for (const char* name : {"out", "in"})
        EXPECT_EQ(to_text(parse_place(name)), name);
}

TEST(CallTest, an_unknown_name_is_refused_with_the_known_ones) {
    try {
        parse_data_type("float");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), testing::HasSubstr("'float'"));
        EXPECT_THAT(error.what(), testing::HasSubstr("float16, bfloat16, float32, float64, "));
    }
}

TEST(CollectivesTest, a_backend_that_needs_a_gpu_refuses_pageable_memory_or_is_not_built_in) {
    try {
        require_backend("nccl", "host");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(),
                    testing::AnyOf(testing::HasSubstr("not configured: built without NCCL"),
                                   testing::HasSubstr("cannot use memory 'host'")));
    }
}

TEST(CollectivesTest, an_unknown_backend_is_refused) {
    EXPECT_THROW(make_collectives("gloo", {}), Error);
}

}  // namespace
}  // namespace railgauge
