// SPDX-License-Identifier: Apache-2.0
#include "transport/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

std::string refusal(const ChannelParameters& parameters) {
    Capabilities capabilities;
    capabilities.most_queues = 4;
    try {
        require_capable("some", capabilities, parameters);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(RequireCapableTest, says_which_parameter_a_transport_cannot_do) {
    EXPECT_EQ(refusal({1, 1, 4}), "accepted");
    EXPECT_THAT(refusal({1, 1, 5}), HasSubstr("5 queues to a peer cannot be had"));
    EXPECT_THAT(refusal({1, 1, 0}), HasSubstr("transport some has 1 to 4"));
}

TEST(MakeTransportTest, an_unknown_name_is_refused_with_those_there_are) {
    try {
        make_transport("carrier pigeon", MPI_COMM_NULL, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), HasSubstr("there are mpi"));
    }
}

}  // namespace
}  // namespace railgauge
