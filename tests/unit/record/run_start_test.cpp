// SPDX-License-Identifier: Apache-2.0
// What becomes of a run that exists already.
#include "record/run_start.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "record/consolidation.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int ranks = 2;

class RunStartTest : public testing::Test {
  protected:
    RunStart start(ExistingRun existing) { return start_run(paths_, existing, context_, plan_); }

    /// An attempt that measured the first cases, with these statuses, and was killed.
    void interrupted_run(const std::vector<CaseStatus>& statuses) {
        const RunStart begun = start(ExistingRun::overwrite);
        for (std::size_t i = 0; i < statuses.size(); ++i) {
            write_case(static_cast<int>(i), statuses[i]);
        }
    }

    void write_case(int id, CaseStatus status) {
        const auto samples = test::numbered_samples(0, 3);
        const test::RankData rank{&samples};
        test::write_part(paths_.part(id), plan_, id, test::make_result(status), {rank, rank},
                         context_.plan_id);
    }

    void finished_run(const std::vector<CaseStatus>& statuses) {
        interrupted_run(statuses);
        std::vector<PartState> parts(plan_.size(), PartState::missing);
        std::fill_n(parts.begin(), statuses.size(), PartState::present);
        consolidate(paths_, parts, "2024-05-01T01:00:00Z", [] {});
        std::filesystem::remove_all(paths_.folder());
    }

    std::vector<std::string> files() const { return test::list(folder_.path()); }

    test::TemporaryFolder folder_;
    RunPaths paths_{folder_.path() / "결과"};
    RunContext context_ = test::make_context(ranks);
    std::vector<Case> plan_ = test::make_cases(4);
};

TEST_F(RunStartTest, a_new_run_has_a_header_with_every_planned_case) {
    for (const ExistingRun existing :
         {ExistingRun::refuse, ExistingRun::overwrite, ExistingRun::resume}) {
        const RunStart begun = start(existing);
        EXPECT_THAT(test::list(paths_.folder()), ElementsAre("header.h5", "lock"));
        EXPECT_EQ(begun.parts, std::vector<PartState>(4, PartState::missing));
        EXPECT_THAT(test::read_text_column(paths_.header(), "cases", "status"),
                    ElementsAre("planned", "planned", "planned", "planned"));
        EXPECT_THAT(test::read_integer_column(paths_.header(), "cases", "bytes"),
                    ElementsAre(1024, 2048, 3072, 4096));
        EXPECT_THAT(test::read_text_column(paths_.header(), "ranks", "host"),
                    ElementsAre("노드-1", "노드-1"));
        EXPECT_EQ(test::read_attribute(paths_.header(), "/", "argv"), R"(["--out","a b\"c"])");
        std::filesystem::remove_all(paths_.folder());
    }
}

TEST_F(RunStartTest, the_folder_is_for_its_owner_to_write) {
    const RunStart begun = start(ExistingRun::refuse);
    struct stat status {};
    ASSERT_EQ(::stat(paths_.folder().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0022, 0U);
}

TEST_F(RunStartTest, refuses_what_exists_unless_told_otherwise) {
    test::write_file(paths_.out(), "something");
    EXPECT_THAT(
        [&] { start(ExistingRun::refuse); },
        ThrowsMessage<Error>(AllOf(HasSubstr(paths_.out().native()), HasSubstr("--overwrite"))));
    EXPECT_THAT(files(), ElementsAre("결과"));
}

TEST_F(RunStartTest, refuses_an_interrupted_run_unless_told_otherwise) {
    interrupted_run({CaseStatus::done});
    EXPECT_THAT([&] { start(ExistingRun::refuse); }, ThrowsMessage<Error>(HasSubstr("--resume")));
    EXPECT_TRUE(std::filesystem::exists(paths_.part(0)));
}

TEST_F(RunStartTest, what_a_job_killed_before_its_header_left_is_no_run) {
    std::filesystem::create_directory(paths_.folder());
    for (const char* name : {"lock", "header.h5.tmp", "expired.json"}) {
        test::write_file(paths_.folder() / name, "x");
    }
    const RunStart begun = start(ExistingRun::refuse);
    EXPECT_THAT(test::list(paths_.folder()), ElementsAre("header.h5", "lock"));
}

TEST_F(RunStartTest, overwriting_drops_the_archive_and_resuming_keeps_it) {
    interrupted_run({CaseStatus::done});
    std::filesystem::create_directory(paths_.archive());
    test::write_file(paths_.archive() / "nccl-graph.xml", "x");
    { const RunStart resumed = start(ExistingRun::resume); }
    EXPECT_THAT(test::list(paths_.archive()), ElementsAre("nccl-graph.xml"));
    const RunStart begun = start(ExistingRun::overwrite);
    EXPECT_THAT(test::list(paths_.folder()), ElementsAre("header.h5", "lock"));
}

TEST_F(RunStartTest, overwriting_begins_anew_and_leaves_foreign_files_alone) {
    interrupted_run({CaseStatus::done, CaseStatus::done});
    test::write_file(paths_.folder() / "0002.h5.tmp", "x");
    test::write_file(paths_.folder() / "expired.json", "{}");
    test::write_file(paths_.folder() / "notes.txt", "mine");
    const RunStart begun = start(ExistingRun::overwrite);
    EXPECT_THAT(test::list(paths_.folder()), ElementsAre("header.h5", "lock", "notes.txt"));
    EXPECT_EQ(begun.parts, std::vector<PartState>(4, PartState::missing));
}

TEST_F(RunStartTest, overwriting_keeps_the_old_run_until_the_new_one_is_made) {
    finished_run({CaseStatus::done, CaseStatus::done, CaseStatus::done, CaseStatus::done});
    const std::string old = test::read_file(paths_.out());
    const RunStart begun = start(ExistingRun::overwrite);
    EXPECT_EQ(test::read_file(paths_.out()), old);
}

TEST_F(RunStartTest, overwriting_never_takes_what_is_no_run) {
    test::write_file(paths_.out(), "a letter");
    EXPECT_THAT([&] { start(ExistingRun::overwrite); }, ThrowsMessage<Error>(HasSubstr("no run")));
    std::filesystem::remove(paths_.out());
    std::filesystem::create_directory(paths_.out());
    EXPECT_THAT([&] { start(ExistingRun::overwrite); },
                ThrowsMessage<Error>(HasSubstr("no regular file")));
    EXPECT_THAT(files(), ElementsAre("결과"));
}

TEST_F(RunStartTest, an_empty_file_may_be_overwritten) {
    test::write_file(paths_.out(), "");
    EXPECT_NO_THROW(start(ExistingRun::overwrite));
}

TEST_F(RunStartTest, resuming_measures_only_what_is_not_finished) {
    interrupted_run({CaseStatus::done, CaseStatus::wrong, CaseStatus::failed});
    EXPECT_THAT(start(ExistingRun::resume).parts,
                ElementsAre(PartState::finished, PartState::finished, PartState::present,
                            PartState::missing));
}

TEST_F(RunStartTest, a_skipped_case_is_finished_and_an_expired_one_is_not) {
    interrupted_run({CaseStatus::skipped, CaseStatus::expired});
    const RunStart resumed = start(ExistingRun::resume);
    EXPECT_EQ(resumed.parts[0], PartState::finished);
    EXPECT_EQ(resumed.parts[1], PartState::present);
}

TEST_F(RunStartTest, resuming_keeps_the_header_and_removes_what_a_killed_job_left) {
    interrupted_run({CaseStatus::done});
    test::write_file(paths_.folder() / "0001.h5.tmp", "x");
    test::write_file(paths_.folder() / "expired.json", "{}");
    const std::string header = test::read_file(paths_.header());
    context_.started_utc = "2024-05-02T00:00:00Z";
    const RunStart resumed = start(ExistingRun::resume);
    EXPECT_THAT(test::list(paths_.folder()), ElementsAre("0000.h5", "header.h5", "lock"));
    EXPECT_EQ(test::read_file(paths_.header()), header);
}

TEST_F(RunStartTest, resuming_moves_times_to_the_clock_of_the_header) {
    interrupted_run({CaseStatus::done});
    context_.clock_unix_ns += 12'345;
    EXPECT_EQ(start(ExistingRun::resume).shift_ns, 12'345);
}

TEST_F(RunStartTest, refuses_to_resume_another_plan) {
    interrupted_run({CaseStatus::done});
    context_.plan_id = "fedcba9876543210";
    EXPECT_THAT([&] { start(ExistingRun::resume); },
                ThrowsMessage<Error>(AllOf(HasSubstr("another plan"), HasSubstr("--overwrite"))));
    EXPECT_TRUE(std::filesystem::exists(paths_.part(0)));
}

TEST_F(RunStartTest, refuses_to_resume_on_other_hosts) {
    interrupted_run({CaseStatus::done});
    context_.ranks[1].host = "노드-2";
    EXPECT_THAT([&] { start(ExistingRun::resume); },
                ThrowsMessage<Error>(HasSubstr("rank 1 ran on 노드-1 and is on 노드-2 now")));
}

TEST_F(RunStartTest, refuses_to_resume_with_another_number_of_ranks) {
    interrupted_run({CaseStatus::done});
    context_ = test::make_context(3);
    EXPECT_THAT([&] { start(ExistingRun::resume); },
                ThrowsMessage<Error>(HasSubstr("2 ranks and this job 3")));
}

TEST_F(RunStartTest, a_finished_run_is_complete_failed_cases_included) {
    finished_run({CaseStatus::done, CaseStatus::failed, CaseStatus::wrong, CaseStatus::skipped});
    const RunStart resumed = start(ExistingRun::resume);
    EXPECT_TRUE(resumed.is_complete);
    EXPECT_EQ(resumed.parts, std::vector<PartState>(4, PartState::finished));
}

TEST_F(RunStartTest, refuses_to_resume_a_run_that_was_packed_too_early) {
    finished_run({CaseStatus::done});
    EXPECT_THAT([&] { start(ExistingRun::resume); },
                ThrowsMessage<Error>(AllOf(HasSubstr("3 of its 4 cases"), HasSubstr("packed"))));
    EXPECT_THAT(files(), ElementsAre("결과"));
}

TEST_F(RunStartTest, the_newer_interrupted_run_is_resumed_and_not_the_older_finished_one) {
    finished_run({CaseStatus::done, CaseStatus::done, CaseStatus::done, CaseStatus::done});
    interrupted_run({CaseStatus::done});
    const RunStart resumed = start(ExistingRun::resume);
    EXPECT_FALSE(resumed.is_complete);
    EXPECT_EQ(resumed.parts[1], PartState::missing);
}

TEST_F(RunStartTest, one_job_at_a_time_writes_a_run) {
    const RunStart begun = start(ExistingRun::refuse);
    for (const ExistingRun existing : {ExistingRun::overwrite, ExistingRun::resume}) {
        EXPECT_THAT([&] { start(existing); }, ThrowsMessage<Error>(HasSubstr("another job")));
    }
    EXPECT_TRUE(std::filesystem::exists(paths_.header()));
}

TEST_F(RunStartTest, a_missing_folder_is_made) {
    paths_ = RunPaths(folder_.path() / "없는" / "폴더" / "run");
    start(ExistingRun::refuse);
    EXPECT_TRUE(std::filesystem::exists(paths_.header()));
}

TEST_F(RunStartTest, a_folder_that_cannot_be_is_named) {
    std::ofstream(folder_.path() / "파일") << "no folder";
    paths_ = RunPaths(folder_.path() / "파일" / "run");
    EXPECT_THAT([&] { start(ExistingRun::refuse); },
                ThrowsMessage<Error>(HasSubstr("파일/run.parts")));
}

TEST_F(RunStartTest, a_full_disk_leaves_nothing) {
    const test::SmallDisk disk(1 << 20);
    if (!disk.is_mounted()) GTEST_SKIP() << "no tmpfs can be mounted";
    disk.fill(4096);
    paths_ = RunPaths(disk.path() / "run");
    EXPECT_THAT([&] { start(ExistingRun::refuse); },
                ThrowsMessage<Error>(HasSubstr("No space left on device")));
    EXPECT_THAT(test::list(disk.path()), ElementsAre("filler"));
}

TEST_F(RunStartTest, ten_thousand_and_one_cases_are_taken_up) {
    plan_ = test::make_cases(10'001);
    interrupted_run({});
    write_case(10'000, CaseStatus::done);
    const RunStart resumed = start(ExistingRun::resume);
    EXPECT_EQ(resumed.parts[10'000], PartState::finished);
    EXPECT_EQ(resumed.parts[1'000], PartState::missing);
}

TEST_F(RunStartTest, a_run_of_another_version_cannot_be_resumed) {
    interrupted_run({CaseStatus::done});
    context_.git_revision = "another";
    EXPECT_THAT(
        [&] { start(ExistingRun::resume); },
        ThrowsMessage<Error>(AllOf(HasSubstr("was measured by version"), HasSubstr("(another)"))));
}

TEST_F(RunStartTest, wrong_data_of_an_earlier_attempt_is_not_forgotten) {
    interrupted_run({CaseStatus::done, CaseStatus::wrong});
    EXPECT_TRUE(start(ExistingRun::resume).found_wrong);
    finished_run({CaseStatus::done, CaseStatus::wrong, CaseStatus::done, CaseStatus::done});
    EXPECT_TRUE(start(ExistingRun::resume).found_wrong);
    finished_run({CaseStatus::done, CaseStatus::done, CaseStatus::done, CaseStatus::failed});
    EXPECT_FALSE(start(ExistingRun::resume).found_wrong);
}

}  // namespace
}  // namespace railgauge
