// SPDX-License-Identifier: Apache-2.0
// Which requests get a row, and that rows together account for every request.
#include "incast/request_rows.hpp"

#include <map>
#include <numeric>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr Window window{1000 * ms, 2000 * ms};

struct Trial {
    explicit Trial(std::int64_t rows_per_second, const CommonCells& common_cells = {})
        : common(common_cells),
          sink("/tmp", request_columns(common)),
          rows(sink, common, window, rows_per_second, {7, 3, Role::sender, 10, 2}) {}

    std::vector<std::int64_t> column(const std::string& name) const {
        const auto& columns = sink.columns();
        std::size_t place = 0;
        while (columns[place].name != name)
            ++place;
        std::vector<Cell> cells(sink.rows());
        sink.copy(place, 0, cells);
        return {cells.begin(), cells.end()};
    }

    std::int64_t sum(const std::string& name) const {
        const auto cells = column(name);
        return std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
    }

    CommonCells common;
    SampleSink sink;
    RequestRows rows;
};

TEST(RequestRowsTest, a_row_says_all_of_its_request) {
    Trial trial(0);
    trial.rows.add(1, 1003 * ms, 1005 * ms);
    trial.rows.finish();
    ASSERT_EQ(trial.sink.rows(), 1u);
    const std::map<std::string, std::int64_t> expected{{"start_ns", 1003 * ms},
                                                       {"elapsed_ns", 2 * ms},
                                                       {"bytes", 10},
                                                       {"peer", 7},
                                                       {"rail", 3},
                                                       {"queue", 1},
                                                       {"role", 1},
                                                       {"requests", 1},
                                                       {"longest_ns", 2 * ms},
                                                       {"completed_ns", 5 * ms}};
    for (const auto& [name, value] : expected)
        EXPECT_EQ(trial.column(name).front(), value) << name;
    EXPECT_EQ(trial.sink.columns().size(), expected.size());
}

TEST(RequestRowsTest, cells_that_all_rows_share_are_no_part_of_a_row) {
    Trial trial(0, {.rail = 3, .queue = 0, .role = Role::sender});
    trial.rows.add(0, 1003 * ms, 1005 * ms);
    EXPECT_EQ(trial.column("requests").front(), 1);
    EXPECT_EQ(trial.column("completed_ns").front(), 5 * ms);
    EXPECT_EQ(trial.sink.columns()[4].constant, Cell{3});
}

TEST(RequestRowsTest, requests_that_finish_before_the_window_have_no_row) {
    Trial trial(0);
    trial.rows.add(0, 900 * ms, 999 * ms);
    trial.rows.add(0, 900 * ms, 1000 * ms);
    trial.rows.finish();
    EXPECT_EQ(trial.column("completed_ns"), (std::vector<std::int64_t>{0}));
}

/// A request on each of two queues every 10 us: 200,000 a second, from the warm-up to the drain.
void run_requests(Trial& trial) {
    for (std::int64_t end = 0; end < 2100 * ms; end += ms / 100) {
        trial.rows.add(0, end - 50, end);
        trial.rows.add(1, end - (end == 1500 * ms ? 7777 : 40), end);
    }
    trial.rows.finish();
}

TEST(RequestRowsTest, beyond_the_limit_rows_stand_for_several_requests_and_account_for_all) {
    Trial trial(1000);
    run_requests(trial);
    EXPECT_LE(trial.sink.rows(), 1300u);
    EXPECT_GE(trial.sink.rows(), 500u);
    EXPECT_EQ(trial.sum("requests"), 2 * 110'000);
    EXPECT_EQ(trial.sum("bytes"), 10 * trial.sum("requests"));
    const auto longest = trial.column("longest_ns");
    EXPECT_EQ(*std::max_element(longest.begin(), longest.end()), 7777);
}

TEST(RequestRowsTest, no_row_has_requests_of_both_sides_of_the_windows_end) {
    Trial trial(1000);
    run_requests(trial);
    const auto completed = trial.column("completed_ns");
    const auto requests = trial.column("requests");
    std::int64_t within = 0;
    for (std::size_t i = 0; i < completed.size(); ++i)
        within += completed[i] < 1000 * ms ? requests[i] : 0;
    EXPECT_EQ(within, 2 * 100'000);
}

TEST(RequestRowsTest, without_a_limit_every_request_has_its_row) {
    Trial trial(0);
    run_requests(trial);
    EXPECT_EQ(trial.sink.rows(), 2u * 110'000);
}

}  // namespace
}  // namespace railgauge
