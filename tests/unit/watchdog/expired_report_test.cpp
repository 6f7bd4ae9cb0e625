// SPDX-License-Identifier: Apache-2.0
#include "watchdog/expired_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace railgauge::board {
namespace {

const Plan plan{"5eed", {{"case 0", "barrier", 0}, {"case 1", "all_reduce", 1048576}}};

RankEntry entry_at(int rank, const std::string& host, Progress::Snapshot at) {
    RankEntry entry;
    entry.rank = rank;
    entry.host = host;
    entry.at = at;
    entry.cpu_ms = 12;
    return entry;
}

ExpiredReport some_report() {
    ExpiredReport report;
    report.schema = "railgauge/1";
    report.ranks = {entry_at(0, "서버\"1", {Phase::timed, 1, 83}),
                    entry_at(1, "n\xff", {Phase::timed, 1, 82})};
    report.judgement.states = {RankState::inside, RankState::not_entered};
    report.judgement.suspects = {1};
    report.judgement.place = {Phase::timed, 1, 83};
    report.deadline = milliseconds{60'000};
    report.elapsed = milliseconds{60'200};
    report.text = "no rank got on";
    return report;
}

TEST(ExpiredReportTest, has_the_documented_members) {
    const auto json = nlohmann::json::parse(to_json(some_report(), plan));
    EXPECT_EQ(json.at("schema"), "railgauge/1");
    EXPECT_EQ(json.at("plan_id"), "5eed");
    EXPECT_EQ(json.at("case"), 1);
    EXPECT_EQ(json.at("case_name"), "case 1");
    EXPECT_EQ(json.at("operation"), "all_reduce");
    EXPECT_EQ(json.at("bytes"), 1048576);
    EXPECT_EQ(json.at("phase"), "timed");
    EXPECT_EQ(json.at("deadline_s"), 60.0);
    EXPECT_EQ(json.at("elapsed_s"), 60.2);
    EXPECT_EQ(json.at("text"), "no rank got on");
    const auto& rank = json.at("ranks").at(1);
    EXPECT_EQ(rank.at("rank"), 1);
    EXPECT_EQ(rank.at("phase"), "timed");
    EXPECT_EQ(rank.at("sequence"), 82);
    EXPECT_EQ(rank.at("state"), "not-entered");
    EXPECT_EQ(rank.at("cpu_ms"), 12);
}

TEST(ExpiredReportTest, is_valid_json_whatever_hosts_are_called) {
    const auto json = nlohmann::json::parse(to_json(some_report(), plan));
    EXPECT_EQ(json.at("ranks").at(0).at("host"), "서버\"1");
    EXPECT_EQ(json.at("ranks").at(1).at("host"), "n\xef\xbf\xbd");
}

TEST(ExpiredReportTest, marks_the_case_that_rank_0_has_not_written) {
    ExpiredReport report = some_report();
    report.ranks[0].at = {Phase::record, 0, 0};
    EXPECT_EQ(expired_case(report), 0) << "others have gone on to the next";
    report.ranks[0].at = {Phase::between, 0, 0};
    EXPECT_EQ(expired_case(report), 1) << "case 0 is written";
    report.judgement.place = {Phase::finalize, -1, 0};
    EXPECT_EQ(expired_case(report), -1);
}

}  // namespace
}  // namespace railgauge::board
