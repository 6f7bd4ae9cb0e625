// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const CollectivePlan& plan) {
    std::vector<std::string> names;
    for (const Case& c : plan.cases)
        names.push_back(c.name());
    return names;
}

/// The text of the Error that planning ends with.
std::string refusal(const CollectiveOptions& options, int ranks) {
    try {
        plan_collectives(options, {ranks});
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(CollectivePlanTest, names_say_every_axis) {
    CollectiveOptions options;
    options.sizes = "1MiB";
    EXPECT_THAT(names(plan_collectives(options, {4})),
                ElementsAre("all_reduce/mpi/host/float32/sum/out/1048576"));
}

TEST(CollectivePlanTest, varies_operation_type_reduction_place_and_size_in_this_order) {
    CollectiveOptions options;
    options.operations = {"reduce", "all_gather"};
    options.types = {"float64"};
    options.reductions = {"sum", "max"};
    options.place = "both";
    options.sizes = "64,32";
    EXPECT_THAT(
        names(plan_collectives(options, {2})),
        ElementsAre(
            "reduce/mpi/host/float64/sum/out/32", "reduce/mpi/host/float64/sum/out/64",
            "reduce/mpi/host/float64/sum/in/32", "reduce/mpi/host/float64/sum/in/64",
            "reduce/mpi/host/float64/max/out/32", "reduce/mpi/host/float64/max/out/64",
            "reduce/mpi/host/float64/max/in/32", "reduce/mpi/host/float64/max/in/64",
            "all_gather/mpi/host/float64/none/out/32", "all_gather/mpi/host/float64/none/out/64",
            "all_gather/mpi/host/float64/none/in/32", "all_gather/mpi/host/float64/none/in/64"));
}

TEST(CollectivePlanTest, all_stands_for_every_operation) {
    CollectiveOptions options;
    options.operations = {"all"};
    options.sizes = "1KiB";
    EXPECT_EQ(plan_collectives(options, {4}).cases.size(), operations().size());
}

TEST(CollectivePlanTest, sizes_are_rounded_down_to_whole_elements_per_rank) {
    CollectiveOptions options;
    options.operations = {"all_gather"};
    options.sizes = "1000";
    const CollectivePlan plan = plan_collectives(options, {3});
    EXPECT_EQ(plan.cases.at(0).integer("bytes"), 996);
    EXPECT_EQ(plan.cases.at(0).integer("count"), 83);
    EXPECT_EQ(plan.cases.at(0).integer("group_ranks"), 3);
}

TEST(CollectivePlanTest, sizes_that_round_to_the_same_case_are_one_case) {
    CollectiveOptions options;
    options.operations = {"all_gather"};
    options.sizes = "400,401,500";
    EXPECT_EQ(plan_collectives(options, {96}).cases.size(), 1u);
}

TEST(CollectivePlanTest, the_root_is_noted_where_there_is_one) {
    CollectiveOptions options;
    options.operations = {"broadcast", "all_reduce"};
    options.sizes = "8";
    options.root = 2;
    const CollectivePlan plan = plan_collectives(options, {4});
    EXPECT_EQ(plan.cases.at(0).integer("root"), 2);
    EXPECT_EQ(plan.cases.at(1).integer("root"), -1);
}

TEST(CollectivePlanTest, sizes_below_one_element_are_left_out_with_a_remark) {
    CollectiveOptions options;
    options.operations = {"alltoall"};
    options.sizes = "8:64";
    const CollectivePlan plan = plan_collectives(options, {4});
    EXPECT_EQ(plan.cases.size(), 3u);
    EXPECT_THAT(plan.left_out,
                ElementsAre("alltoall of float32 on 4 ranks leaves out 8 B: one element per rank "
                            "takes 16 B"));
}

TEST(CollectivePlanTest, a_size_that_leaves_nothing_is_refused_by_name) {
    CollectiveOptions options;
    options.operations = {"alltoall"};
    options.types = {"float64"};
    options.sizes = "24";
    const std::string text = refusal(options, 4);
    for (const char* part : {"24 B", "alltoall", "float64", "4 ranks"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST(CollectivePlanTest, bytes_are_moved_but_not_reduced) {
    CollectiveOptions options;
    options.operations = {"all_reduce", "all_gather"};
    options.types = {"bytes", "int32"};
    options.sizes = "64";
    const CollectivePlan plan = plan_collectives(options, {4});
    EXPECT_THAT(names(plan), ElementsAre("all_reduce/mpi/host/int32/sum/out/64",
                                         "all_gather/mpi/host/bytes/none/out/64",
                                         "all_gather/mpi/host/int32/none/out/64"));
    EXPECT_THAT(plan.left_out, ElementsAre(HasSubstr("all_reduce leaves out bytes")));
    options.types = {"bytes"};
    EXPECT_THAT(refusal(options, 4), HasSubstr("they are no numbers"));
}

TEST(CollectivePlanTest, a_root_that_does_not_exist_is_refused) {
    CollectiveOptions options;
    for (const int root : {-1, 4, 9}) {
        options.root = root;
        EXPECT_THAT(refusal(options, 4), HasSubstr("does not exist (a group has 4 ranks)"));
    }
}

TEST(CollectivePlanTest, absurd_sizes_are_refused) {
    CollectiveOptions options;
    options.sizes = "18446744073709551615";
    EXPECT_THAT(refusal(options, 4), HasSubstr("is too large"));
}

TEST(CollectivePlanTest, a_case_is_read_back_as_a_call) {
    CollectiveOptions options;
    options.operations = {"reduce"};
    options.types = {"int64"};
    options.reductions = {"max"};
    options.place = "in";
    options.sizes = "80";
    options.root = 1;
    const CollectiveCall call = call_of(plan_collectives(options, {3}).cases.at(0));
    EXPECT_EQ(call.operation, Operation::reduce);
    EXPECT_EQ(call.type, DataType::int64);
    EXPECT_EQ(call.reduce, ReduceOperation::max);
    EXPECT_EQ(call.place, Place::in);
    EXPECT_EQ(call.count, 10u);
    EXPECT_EQ(call.root, 1);
}

TEST(BufferBytesTest, in_place_there_is_one_buffer_of_the_larger_size) {
    CollectiveCall call{};
    call.operation = Operation::all_gather;
    call.type = DataType::float32;
    call.count = 10;
    call.place = Place::out;
    EXPECT_EQ(buffer_bytes(call, 4).send, 40u);
    EXPECT_EQ(buffer_bytes(call, 4).receive, 160u);
    call.place = Place::in;
    EXPECT_EQ(buffer_bytes(call, 4).send, 0u);
    EXPECT_EQ(buffer_bytes(call, 4).receive, 160u);
}

}  // namespace
}  // namespace railgauge
