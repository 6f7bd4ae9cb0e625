// SPDX-License-Identifier: Apache-2.0
// Files that all ranks write together: equal to those of rank 0 alone, and what one rank fails at
// is heard by all.
#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>

#include "base/error.hpp"
#include "file_contents.hpp"
#include "recorder_fixture.hpp"

namespace railgauge {
namespace {

using test::numbered_samples;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Columns of every type, two of them constant; each cell tells its rank, column and row.
class ManyColumns : public SampleSource {
  public:
    ManyColumns(int rank, std::uint64_t rows) : rank_(rank), rows_(rows) {}

    const std::vector<SampleColumn>& columns() const override { return columns_; }
    std::uint64_t rows() const override { return rows_; }
    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override {
        for (Cell& cell : out)
            cell = static_cast<Cell>(rank_) << 40 | static_cast<Cell>(column) << 32 | first++;
    }

  private:
    int rank_;
    std::uint64_t rows_;
    std::vector<SampleColumn> columns_{
        {"start_ns", "ns", CellType::i64, {}},    {"bytes", "B", CellType::u64, Cell{1 << 20}},
        {"elapsed_ns", "ns", CellType::i64, {}},  {"peer", "", CellType::u64, {}},
        {"temperature", "°C", CellType::f64, {}}, {"rail", "", CellType::i64, Cell{3}}};
};

/// A soft limit of this process, while it lives.
class Limit {
  public:
    Limit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
        ::getrlimit(resource_, &before_);
        const rlimit now{std::min(value, before_.rlim_max), before_.rlim_max};
        ::setrlimit(resource_, &now);
    }
    ~Limit() { ::setrlimit(resource_, &before_); }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

  private:
    __rlimit_resource resource_;
    rlimit before_{};
};

class ParallelWriterTest : public test::RecorderFixture {
  protected:
    ParallelWriterTest() {
        writer_ = Writer::parallel;
        plan_ = test::make_cases(static_cast<int>(rows_of_case().size()));
    }

    /// Rows of this rank in each case; nothing = it has no samples at all.
    std::vector<std::optional<std::uint64_t>> rows_of_case() const {
        const auto rank = static_cast<std::uint64_t>(rank_);
        const bool is_odd = rank_ % 2 == 1;
        return {
            50,
            rank * 37 + 1,
            is_root() ? 0 : 20,
            is_odd ? std::nullopt : std::optional<std::uint64_t>(9),
            0,
            std::nullopt,
        };
    }

    /// @return on rank 0 what the parts contain, and then the run
    std::vector<std::map<std::string, std::string>> measured_by(Writer writer) {
        SetUp();
        writer_ = writer;
        Recorder recorder = open();
        std::vector<std::map<std::string, std::string>> contents;
        for (std::size_t id = 0; id < plan_.size(); ++id) {
            record_case(recorder, static_cast<int>(id));
            if (is_root()) {
                contents.push_back(test::file_contents(paths_.part(static_cast<int>(id))));
            }
        }
        recorder.finish("2024-05-01T01:00:00Z");
        if (is_root()) contents.push_back(test::file_contents(paths_.out()));
        MPI_Barrier(MPI_COMM_WORLD);
        return contents;
    }

    void record_case(Recorder& recorder, int id) {
        const std::optional<std::uint64_t> rows = rows_of_case()[static_cast<std::size_t>(id)];
        const ManyColumns samples(rank_, rows.value_or(0));
        Observations observations;
        observations.counters = {
            {"eth" + std::to_string(rank_), -1, "netdev", "tx", 1, 2, CounterStatus::ok}};
        observations.gauges = {{rank_, "gpu0", "nvml", "power", 250.5}};
        recorder.record({.c = plan_[static_cast<std::size_t>(id)],
                         .result = test::make_result(CaseStatus::done),
                         .group = rows && *rows > 0 ? rank_ : -1,
                         .clock_offset_ns = std::int64_t{1000} * rank_,
                         .samples = rows ? &samples : nullptr,
                         .observations = std::move(observations),
                         .on_gathered = {},
                         .heard = heard_});
    }

    void expect_equal_runs() {
        const auto gathered = measured_by(Writer::gather);
        const auto together = measured_by(Writer::parallel);
        if (!is_root()) return;
        EXPECT_EQ(gathered.back().count("samples/0000/temperature"), 1U);
        EXPECT_EQ(gathered.back().count("samples/0005/offsets"), 0U);
        EXPECT_TRUE(gathered == together);
    }
};

TEST_F(ParallelWriterTest, makes_the_files_that_rank_0_alone_makes) {
    heard_ = {{{"elapsed_ns"}}};
    expect_equal_runs();
}

TEST_F(ParallelWriterTest, makes_the_same_files_in_small_blocks) {
    heard_ = {{{"peer"}}};
    block_cells_ = 8;
    expect_equal_runs();
}

TEST_F(ParallelWriterTest, needs_to_gather_no_column) {
    heard_ = {std::vector<std::string>{}};
    expect_equal_runs();
}

TEST_F(ParallelWriterTest, a_run_may_be_resumed_by_the_other_writer) {
    const auto samples = numbered_samples(rank_, 2);
    for (const Writer writer : {Writer::parallel, Writer::gather, Writer::parallel}) {
        writer_ = writer;
        Recorder recorder = open(ExistingRun::resume);
        const auto done = [&](const Case& c) { return recorder.is_finished(c.id()); };
        const auto next = std::find_if_not(plan_.begin(), plan_.end(), done);
        record(recorder, next->id(), &samples);
    }
    if (!is_root()) return;
    EXPECT_THAT(test::list(paths_.folder()),
                ElementsAre("0000.h5", "0001.h5", "0002.h5", "header.h5", "lock"));
}

TEST_F(ParallelWriterTest, rows_that_a_rank_cannot_read_while_it_writes_cost_the_case_alone) {
    const auto good = numbered_samples(rank_, 40);
    const test::UnreadableSamples bad(40);
    heard_ = {std::vector<std::string>{}};
    block_cells_ = 8;
    Recorder recorder = open();
    const bool is_last = rank_ == size_ - 1;
    EXPECT_THAT(
        [&] { record(recorder, 0, is_last ? static_cast<const SampleSource*>(&bad) : &good); },
        ThrowsMessage<AgreedError>(HasSubstr("a test wants it so")));
    record(recorder, 1, &good);
    if (is_root()) {
        EXPECT_THAT(test::list(paths_.folder()), ElementsAre("0001.h5", "header.h5", "lock"));
    }
}

TEST_F(ParallelWriterTest, a_rank_that_cannot_open_the_file_is_named_on_every_rank) {
    if (size_ == 1) GTEST_SKIP() << "rank 0 opens it before";
    const auto samples = numbered_samples(rank_, 4);
    Recorder recorder = open();
    record(recorder, 0, &samples);
    {
        std::optional<Limit> no_more_files;
        if (rank_ == size_ - 1) no_more_files.emplace(RLIMIT_NOFILE, 0);
        EXPECT_THAT([&] { record(recorder, 1, &samples); },
                    ThrowsMessage<AgreedError>(AllOf(HasSubstr("rank " + std::to_string(size_ - 1)),
                                                     HasSubstr("0001.h5.tmp"),
                                                     HasSubstr("Too many open files"))));
    }
    record(recorder, 2, &samples);
    if (is_root()) {
        EXPECT_THAT(test::list(paths_.folder()),
                    ElementsAre("0000.h5", "0002.h5", "header.h5", "lock"));
    }
}

/// Which ranks' writes reach the disk is the MPI library's choice; where one fails, all hear of it.
TEST_F(ParallelWriterTest, a_write_that_fails_on_one_rank_costs_the_case_alone) {
    std::signal(SIGXFSZ, SIG_IGN);
    const auto few = numbered_samples(rank_, 4);
    const auto many = numbered_samples(rank_, 20'000);
    block_cells_ = 4000;
    Recorder recorder = open();
    for (int victim = 0; victim < size_; ++victim) {
        std::optional<Limit> short_files;
        if (rank_ == victim) short_files.emplace(RLIMIT_FSIZE, 4096);
        std::string text;
        try {
            record(recorder, 0, &many);
        } catch (const AgreedError& error) {
            text = error.what();
        }
        short_files.reset();
        if (victim == 0) {  // who takes the space
            EXPECT_THAT(text, HasSubstr("File too large"));
        }
        if (size_ > 1 && !text.empty()) {
            EXPECT_THAT(
                text, AllOf(HasSubstr("rank " + std::to_string(victim)), HasSubstr("0000.h5.tmp")));
        }
        if (is_root()) {
            EXPECT_EQ(std::filesystem::exists(paths_.part(0)), text.empty());
            std::filesystem::remove(paths_.part(0));
        }
    }
    record(recorder, 1, &few);
    if (is_root()) {
        EXPECT_THAT(test::list(paths_.folder()), ElementsAre("0001.h5", "header.h5", "lock"));
    }
    std::signal(SIGXFSZ, SIG_DFL);
}

/// Reading these samples asks, as a signal's thread does, whether the process may end.
class AskingSamples : public test::FakeSamples {
  public:
    AskingSamples() : test::FakeSamples({1}, {2}, 3) {}

    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override {
        std::thread([this] { may_end_ = may_end_ || Recorder::wait_until_idle(1); }).join();
        was_asked_ = true;
        test::FakeSamples::copy(column, first, out);
    }

    bool was_asked() const { return was_asked_; }
    bool may_end() const { return may_end_; }

  private:
    mutable bool was_asked_ = false;
    mutable bool may_end_ = false;
};

TEST_F(ParallelWriterTest, no_rank_is_idle_while_it_writes) {
    const AskingSamples samples;
    heard_ = {std::vector<std::string>{}};
    Recorder recorder = open();
    record(recorder, 0, &samples);
    EXPECT_TRUE(samples.was_asked());
    EXPECT_FALSE(samples.may_end());
}

}  // namespace
}  // namespace railgauge
