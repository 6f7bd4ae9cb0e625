// SPDX-License-Identifier: Apache-2.0
// The recorder as all ranks see it. Every call is collective: a rank that were left out of a
// failure would wait here until the test's time is up.
#include "record/recorder.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "base/error.hpp"
#include "recorder_fixture.hpp"

namespace railgauge {
namespace {

using test::numbered_samples;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// What holds whoever writes.
class RecorderTest : public test::RecorderFixture, public testing::WithParamInterface<Writer> {
  protected:
    RecorderTest() { writer_ = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Writers, RecorderTest, testing::Values(Writer::gather, Writer::parallel),
                         [](const auto& writer) {
                             return writer.param == Writer::gather ? "gather" : "parallel";
                         });

TEST_P(RecorderTest, makes_a_run_of_its_cases) {
    const auto samples = numbered_samples(rank_, 5);
    Recorder recorder = open();
    const CaseResult result = record(recorder, 0, &samples);
    if (is_root()) {
        EXPECT_EQ(result.samples, static_cast<std::uint64_t>(5 * size_));
    }
    record(recorder, 1, nullptr, CaseStatus::failed);
    record(recorder, 2, &samples, CaseStatus::wrong);
    recorder.finish("2024-05-01T01:00:00Z");
    if (!is_root()) return;
    EXPECT_THAT(test::list(folder_->path()), ElementsAre("결과"));
    EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                ElementsAre("done", "failed", "wrong"));
    EXPECT_EQ(test::read_integers(paths_.out(), "samples/0000/start_ns"), expected_starts(5));
    EXPECT_EQ(test::read_attribute(paths_.out(), "/", "finished_utc"), "2024-05-01T01:00:00Z");
}

TEST_P(RecorderTest, rank_0_knows_the_folder_of_files_that_the_run_keeps) {
    Recorder recorder = open();
    EXPECT_EQ(recorder.archive().has_value(), is_root());
    if (is_root()) {
        std::filesystem::create_directory(*recorder.archive());
        test::write_file(*recorder.archive() / "nccl-graph.xml", "<graphs/>");
    }
    recorder.finish("2024-05-01T01:00:00Z");
    if (!is_root()) return;
    EXPECT_THAT(test::list(folder_->path()), ElementsAre("결과"));
    EXPECT_EQ(test::read_text(paths_.out(), "archive/nccl-graph.xml"), "<graphs/>");
}

TEST_P(RecorderTest, nothing_is_archived_where_nothing_is_left_to_measure) {
    const auto samples = numbered_samples(rank_, 5);
    {
        Recorder recorder = open();
        for (int id = 0; id < 3; ++id)
            record(recorder, id, &samples);
        recorder.finish("2024-05-01T01:00:00Z");
    }
    Recorder recorder = open(ExistingRun::resume);
    EXPECT_FALSE(recorder.archive().has_value());
    recorder.finish("2024-05-01T02:00:00Z");
}

TEST_P(RecorderTest, gathers_in_blocks_of_any_size) {
    const auto samples = numbered_samples(rank_, 100);
    const std::uint64_t pulse = progress_.pulse();
    block_cells_ = 16;
    Recorder recorder = open();
    record(recorder, 0, &samples);
    EXPECT_NE(progress_.pulse(), pulse);
    if (is_root()) {
        EXPECT_EQ(test::read_integers(paths_.part(0), "samples/0000/start_ns"),
                  expected_starts(100));
    }
}

TEST_P(RecorderTest, ranks_may_have_different_numbers_of_samples) {
    const auto samples = numbered_samples(rank_, static_cast<std::uint64_t>(rank_ * 10));
    block_cells_ = 8;
    Recorder recorder = open();
    record(recorder, 0, &samples);
    if (!is_root()) return;
    std::vector<std::int64_t> offsets{0};
    for (int rank = 0; rank < size_; ++rank)
        offsets.push_back(offsets.back() + std::int64_t{rank} * 10);
    EXPECT_EQ(test::read_integers(paths_.part(0), "samples/0000/offsets"), offsets);
}

TEST_P(RecorderTest, moves_the_times_of_every_rank_to_the_common_clock) {
    const auto samples = numbered_samples(rank_, 1);
    clock_offset_ns_ = std::int64_t{-rank_} * 1'000'000;
    Recorder recorder = open();
    record(recorder, 0, &samples);
    if (is_root()) {
        EXPECT_EQ(test::read_integers(paths_.part(0), "samples/0000/start_ns"),
                  std::vector<std::int64_t>(static_cast<std::size_t>(size_), 0));
    }
}

TEST_P(RecorderTest, has_the_observations_of_every_rank_that_made_some) {
    Observations observations;
    observations.counters = {
        {"eth" + std::to_string(rank_), -1, "netdev", "tx", 1, 2, CounterStatus::ok}};
    Recorder recorder = open();
    record(recorder, 0, nullptr, CaseStatus::failed, observations);
    if (!is_root()) return;
    std::vector<std::string> devices;
    for (int rank = 0; rank < size_; ++rank)
        devices.push_back("eth" + std::to_string(rank));
    EXPECT_EQ(test::read_text_column(paths_.part(0), "counters/0000", "device"), devices);
}

TEST_P(RecorderTest, rank_0_hears_of_every_sample) {
    const auto samples = numbered_samples(rank_, 3);
    std::map<int, std::size_t> heard;
    on_gathered_ = [&](int rank, std::size_t column, std::span<const Cell> cells) {
        if (column == 0) heard[rank] += cells.size();
    };
    block_cells_ = 4;
    Recorder recorder = open();
    record(recorder, 0, &samples);
    for (int rank = 0; rank < size_; ++rank)
        EXPECT_EQ(heard[rank], is_root() ? 3U : 0U);
}

TEST_P(RecorderTest, rank_0_hears_of_the_columns_that_are_asked_for) {
    const auto samples = numbered_samples(rank_, 3);  // start_ns, bytes (constant), elapsed_ns
    std::map<std::size_t, std::size_t> heard;
    on_gathered_ = [&](int, std::size_t column, std::span<const Cell> cells) {
        heard[column] += cells.size();
    };
    heard_ = {{{"elapsed_ns"}}};
    Recorder recorder = open();
    record(recorder, 0, &samples);
    const auto all = static_cast<std::size_t>(3 * size_);
    EXPECT_EQ(heard, is_root() ? (std::map<std::size_t, std::size_t>{{2, all}})
                               : (std::map<std::size_t, std::size_t>{}));
}

TEST_P(RecorderTest, a_rank_that_cannot_read_its_samples_is_named_on_every_rank) {
    const auto good = numbered_samples(rank_, 40);
    const test::UnreadableSamples bad(40);
    const int last = size_ - 1;
    block_cells_ = 8;
    Recorder recorder = open();
    const SampleSource* samples = rank_ == last ? static_cast<const SampleSource*>(&bad) : &good;
    EXPECT_THAT([&] { record(recorder, 0, samples); },
                ThrowsMessage<AgreedError>(HasSubstr("a test wants it so")));
    if (is_root()) {
        EXPECT_THAT(test::list(paths_.folder()), ElementsAre("header.h5", "lock"));
    }
    record(recorder, 1, &good);
    if (is_root()) {
        EXPECT_TRUE(std::filesystem::exists(paths_.part(1)));
    }
}

TEST_P(RecorderTest, ranks_that_disagree_about_the_columns_all_hear_of_it) {
    if (size_ == 1) GTEST_SKIP() << "one rank cannot disagree";
    const auto samples = numbered_samples(rank_, 1);
    Recorder recorder = open();
    EXPECT_THAT([&] { record(recorder, 0, is_root() ? nullptr : &samples); },
                ThrowsMessage<AgreedError>(HasSubstr("other columns")));
}

TEST_P(RecorderTest, every_rank_is_refused_what_exists) {
    { Recorder recorder = open(); }
    EXPECT_THAT([&] { open(); }, ThrowsMessage<AgreedError>(HasSubstr("--resume")));
}

TEST_P(RecorderTest, every_rank_hears_of_a_folder_that_cannot_be) {
    use_folder("/dev/null/missing");  // below what is no folder
    EXPECT_THAT([&] { open(); }, ThrowsMessage<AgreedError>(HasSubstr("missing")));
}

TEST_P(RecorderTest, a_resumed_run_measures_what_is_missing_and_is_whole) {
    const auto samples = numbered_samples(rank_, 2);
    {
        Recorder killed = open();
        record(killed, 1, &samples);
        record(killed, 2, nullptr, CaseStatus::failed);
    }
    context_.clock_unix_ns += 500;
    {
        Recorder resumed = open(ExistingRun::resume);
        EXPECT_FALSE(resumed.is_finished(0));
        EXPECT_TRUE(resumed.is_finished(1));
        EXPECT_FALSE(resumed.is_finished(2));
        record(resumed, 0, &samples);
        record(resumed, 2, &samples);
        resumed.finish("2024-05-02T01:00:00Z");
    }
    {
        Recorder complete = open(ExistingRun::resume);
        for (const int id : {0, 1, 2})
            EXPECT_TRUE(complete.is_finished(id));
        complete.finish("2024-05-03T01:00:00Z");
    }
    if (!is_root()) return;
    EXPECT_THAT(test::list(folder_->path()), ElementsAre("결과"));
    EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                ElementsAre("done", "done", "done"));
    EXPECT_EQ(test::read_integers(paths_.out(), "samples/0000/start_ns").front(), 500);
    EXPECT_EQ(test::read_integers(paths_.out(), "samples/0001/start_ns").front(), 0);
    EXPECT_EQ(test::read_attribute(paths_.out(), "/", "finished_utc"), "2024-05-02T01:00:00Z");
}

TEST_P(RecorderTest, a_case_that_was_not_measured_stays_planned) {
    const auto samples = numbered_samples(rank_, 1);
    Recorder recorder = open();
    record(recorder, 1, &samples);
    recorder.finish("2024-05-01T01:00:00Z");
    if (is_root()) {
        EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                    ElementsAre("planned", "done", "planned"));
    }
}

TEST_P(RecorderTest, a_run_that_cannot_be_made_keeps_its_parts_and_says_how_to_go_on) {
    const auto samples = numbered_samples(rank_, 1);
    Recorder recorder = open();
    record(recorder, 0, &samples);
    if (is_root()) std::filesystem::create_directory(paths_.out());
    EXPECT_THAT(
        [&] { recorder.finish("2024-05-01T01:00:00Z"); },
        ThrowsMessage<AgreedError>(AllOf(HasSubstr("결과.parts"), HasSubstr("railgauge pack"))));
    if (is_root()) {
        EXPECT_THAT(test::list(paths_.folder()), ElementsAre("0000.h5", "header.h5", "lock"));
    }
}

TEST_P(RecorderTest, a_full_disk_costs_the_case_and_no_other) {
    std::optional<test::SmallDisk> disk;
    if (is_root()) disk.emplace(std::uint64_t{1} << 20);
    int mounted = is_root() && disk->is_mounted() ? 1 : 0;
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (mounted == 0) GTEST_SKIP() << "no tmpfs can be mounted";
    use_folder(is_root() ? disk->path() : "");
    const auto few = numbered_samples(rank_, 3);
    const auto many = numbered_samples(rank_, 100'000);
    block_cells_ = 1000;
    {
        Recorder recorder = open();
        record(recorder, 0, &few);
        EXPECT_THAT([&] { record(recorder, 1, &many); },
                    ThrowsMessage<AgreedError>(HasSubstr("No space left on device")));
        record(recorder, 2, &few);
        recorder.finish("2024-05-01T01:00:00Z");
    }
    if (is_root()) {
        EXPECT_THAT(test::list(disk->path()), ElementsAre("결과"));
        EXPECT_THAT(test::read_text_column(paths_.out(), "cases", "status"),
                    ElementsAre("done", "planned", "done"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace railgauge
