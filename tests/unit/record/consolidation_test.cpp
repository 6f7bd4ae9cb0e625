// SPDX-License-Identifier: Apache-2.0
#include "record/consolidation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/case_table.hpp"
#include "record/run_header.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class ConsolidationTest : public testing::Test {
  protected:
    void plan(int cases) {
        plan_ = test::make_cases(cases);
        parts_.assign(plan_.size(), PartState::missing);
        std::filesystem::create_directories(paths_.folder());
        write_header(paths_.header(), context_, CaseTable(plan_).planned(plan_));
    }

    void measure(int id, const CaseResult& result, std::uint64_t rows = 3) {
        const auto samples = test::numbered_samples(id, rows);
        test::RankData rank{&samples};
        if (result.status == CaseStatus::failed) rank.samples = nullptr;
        rank.observations.counters = {{"eth0", -1, "netdev", "tx", 1, 2, CounterStatus::ok}};
        rank.observations.gauges = {{5, "cpu", "proc", "load", 0.5}};
        test::write_part(paths_.part(id), plan_, id, result, {rank}, context_.plan_id);
        parts_[static_cast<std::size_t>(id)] = PartState::present;
    }

    void consolidate_all() {
        consolidate(paths_, parts_, "2024-05-01T01:00:00Z", [&] { ++ticks_; });
    }

    test::TemporaryFolder folder_;
    RunPaths paths_{folder_.path() / "결과.h5"};
    RunContext context_ = test::make_context(1);
    std::vector<Case> plan_;
    std::vector<PartState> parts_;
    int ticks_ = 0;
};

TEST_F(ConsolidationTest, the_run_has_the_header_every_case_and_every_sample) {
    context_.site = "name = \"사이트\"\n";
    context_.site_json = R"({"name": "사이트"})";
    plan(3);
    measure(0, test::make_result(CaseStatus::done));
    measure(2, test::make_result(CaseStatus::wrong));
    consolidate_all();
    const auto& out = paths_.out();
    EXPECT_THAT(test::list(folder_.path()), ElementsAre("결과.h5", "결과.h5.parts"));
    EXPECT_EQ(test::read_attribute(out, "/", "started_utc"), "2024-05-01T00:00:00Z");
    EXPECT_EQ(test::read_attribute(out, "/", "finished_utc"), "2024-05-01T01:00:00Z");
    EXPECT_THAT(test::read_text_column(out, "cases", "status"),
                ElementsAre("done", "planned", "wrong"));
    EXPECT_THAT(test::read_text_column(out, "cases", "reason"), ElementsAre("", "", "왜냐하면"));
    EXPECT_THAT(test::read_integer_column(out, "cases", "samples"), ElementsAre(3, 0, 3));
    EXPECT_THAT(test::read_integers(out, "samples/0002/start_ns"),
                ElementsAre(2'000'000, 2'000'001, 2'000'002));
    EXPECT_THAT(test::read_integers(out, "samples/0000/bytes"), ElementsAre(4096, 4096, 4096));
    EXPECT_EQ(test::read_attribute(out, "samples/0000/bytes", "unit"), "B");
    EXPECT_FALSE(test::exists(out, "samples/0001"));
    EXPECT_THAT(test::read_text_column(out, "counters/0002", "name"), ElementsAre("tx"));
    EXPECT_THAT(test::read_integer_column(out, "series/0000", "time_ns"), ElementsAre(5));
    EXPECT_TRUE(test::exists(out, "nodes/노드-1/facts"));
    EXPECT_TRUE(test::exists(out, "site"));
    EXPECT_TRUE(test::exists(out, "site_json"));
}

TEST_F(ConsolidationTest, a_long_case_shows_that_it_is_being_copied) {
    plan(1);
    measure(0, test::make_result(CaseStatus::done), 1 << 20);  // two columns of 8 MiB
    consolidate_all();
    EXPECT_GE(ticks_, 16);
}

TEST_F(ConsolidationTest, a_constant_column_takes_no_space_in_the_run_either) {
    plan(1);
    measure(0, test::make_result(CaseStatus::done), 100'000);
    consolidate_all();
    EXPECT_THAT(test::read_integers(paths_.out(), "samples/0000/bytes"),
                testing::AllOf(SizeIs(100'000), testing::Each(4096)));
    EXPECT_LT(std::filesystem::file_size(paths_.out()), 2 * 800'000 + 100'000);
}

TEST_F(ConsolidationTest, a_run_of_which_nothing_was_measured_is_a_run) {
    plan(2);
    consolidate_all();
    EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                ElementsAre("planned", "planned"));
}

TEST_F(ConsolidationTest, a_failed_case_keeps_its_counters) {
    plan(1);
    measure(0, test::make_result(CaseStatus::failed));
    consolidate_all();
    EXPECT_FALSE(test::exists(paths_.out(), "samples"));
    EXPECT_TRUE(test::exists(paths_.out(), "counters/0000"));
}

TEST_F(ConsolidationTest, replaces_the_old_run_only_by_a_whole_one) {
    plan(2);
    measure(0, test::make_result(CaseStatus::done));
    measure(1, test::make_result(CaseStatus::done));
    test::write_file(paths_.out(), "old");
    const std::string part = test::read_file(paths_.part(1));
    test::write_file(paths_.part(1), part.substr(0, part.size() / 2));
    EXPECT_THAT([&] { consolidate_all(); }, ThrowsMessage<Error>(HasSubstr("0001.h5")));
    EXPECT_EQ(test::read_file(paths_.out()), "old");
    EXPECT_THAT(test::list(folder_.path()), ElementsAre("결과.h5", "결과.h5.parts"));
    test::write_file(paths_.part(1), part);
    consolidate_all();
    EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                ElementsAre("done", "done"));
}

TEST_F(ConsolidationTest, many_cases_keep_their_names_and_their_order) {
    constexpr int cases = 300;  // more than a group keeps in its header
    plan(cases);
    for (int id = cases - 1; id >= 0; --id)
        measure(id, test::make_result(CaseStatus::done), 1);
    consolidate_all();
    const auto ids = test::read_integer_column(paths_.out(), "cases", "id");
    ASSERT_THAT(ids, SizeIs(cases));
    for (int id = 0; id < cases; ++id) {
        EXPECT_EQ(ids[static_cast<std::size_t>(id)], id);
        EXPECT_THAT(test::read_integers(paths_.out(), "samples/" + case_group(id) + "/start_ns"),
                    ElementsAre(id * 1'000'000));
    }
}

TEST_F(ConsolidationTest, a_disk_that_fills_up_costs_nothing) {
    const test::SmallDisk disk(4 << 20);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    paths_ = RunPaths(disk.path() / "run");
    plan(3);
    for (int id = 0; id < 3; ++id)
        measure(id, test::make_result(CaseStatus::done), 50'000);
    const auto parts = test::list(paths_.folder());
    for (const std::uint64_t free_bytes : {0, 4096, 100'000, 900'000, 1'700'000}) {
        disk.fill(free_bytes);
        EXPECT_THAT([&] { consolidate_all(); },
                    ThrowsMessage<Error>(HasSubstr("No space left on device")))
            << free_bytes;
        EXPECT_THAT(test::list(disk.path()), ElementsAre("filler", "run.parts"));
        EXPECT_EQ(test::list(paths_.folder()), parts);
        std::filesystem::remove(disk.path() / "filler");
    }
}

TEST_F(ConsolidationTest, the_run_keeps_what_lies_in_the_archive) {
    plan(1);
    std::filesystem::create_directory(paths_.archive());
    test::write_file(paths_.archive() / "nccl-graph.xml", "<graphs/>\n");
    consolidate_all();
    EXPECT_EQ(test::read_text(paths_.out(), "archive/nccl-graph.xml"), "<graphs/>\n");
}

TEST_F(ConsolidationTest, the_python_reader_reads_it) {
    if (!std::filesystem::exists(RAILGAUGE_PYTHON)) GTEST_SKIP() << "the venv is missing";
    plan(2);
    measure(0, test::make_result(CaseStatus::done));
    consolidate_all();
    test::write_file(folder_.path() / "read.py",
                     "import sys\n"
                     "from pathlib import Path\n"
                     "from railgauge.load import open_run\n"
                     "run = open_run(Path(sys.argv[1]))\n"
                     "print([str(c.status) for c in run.cases], run.problems, run.interrupted)\n"
                     "with run.samples(run.cases[0]) as s:\n"
                     "    print(s.count, s.blocks.tolist(), sorted(s.columns))\n");
    EXPECT_EQ(test::run_command("'" RAILGAUGE_PYTHON "' '" + (folder_.path() / "read.py").native() +
                                "' '" + paths_.out().native() + "'"),
              "['done', 'planned'] [] False\n3 [0, 2] ['bytes', 'elapsed_ns', 'start_ns']\n");
}

}  // namespace
}  // namespace railgauge
