// SPDX-License-Identifier: Apache-2.0
// What the tests of the recorder over MPI share.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/team.hpp"
#include "record/recorder.hpp"
#include "record/run_paths.hpp"
#include "support.hpp"

namespace railgauge::test {

/// A Recorder on every rank of the job, writing to one folder of rank 0's.
class RecorderFixture : public testing::Test {
  protected:
    RecorderFixture() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        context_ = make_context(size_);
    }

    void SetUp() override {
        if (is_root()) folder_.emplace();
        use_folder(is_root() ? folder_->path() : "");
    }

    /// All ranks wait before rank 0 removes the folder.
    void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }

    void use_folder(const std::filesystem::path& folder) {
        std::array<char, 4096> name{};
        folder.native().copy(name.data(), name.size() - 1);
        MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        paths_ = RunPaths(std::filesystem::path(name.data()) / "결과");
    }

    bool is_root() const { return rank_ == 0; }

    Recorder open(ExistingRun existing = ExistingRun::refuse) {
        return Recorder(MPI_COMM_WORLD, team_, progress_,
                        {.out = paths_.out(),
                         .existing = existing,
                         .writer = writer_,
                         .node = 0,
                         .block_cells = block_cells_},
                        context_, plan_);
    }

    CaseResult record(Recorder& recorder, int id, const SampleSource* samples,
                      CaseStatus status = CaseStatus::done, Observations observations = {}) {
        return recorder.record({.c = plan_[static_cast<std::size_t>(id)],
                                .result = make_result(status),
                                .group = 0,
                                .clock_offset_ns = clock_offset_ns_,
                                .samples = samples,
                                .observations = std::move(observations),
                                .on_gathered = on_gathered_,
                                .heard = heard_});
    }

    /// start_ns of all ranks' numbered samples.
    std::vector<std::int64_t> expected_starts(std::uint64_t rows) const {
        std::vector<std::int64_t> starts;
        for (int rank = 0; rank < size_; ++rank) {
            for (std::uint64_t row = 0; row < rows; ++row) {
                starts.push_back(std::int64_t{rank} * 1'000'000 + static_cast<std::int64_t>(row));
            }
        }
        return starts;
    }

    int rank_ = 0;
    int size_ = 0;
    std::optional<TemporaryFolder> folder_;
    RunPaths paths_{""};
    Progress progress_;
    MpiTeam team_{MPI_COMM_WORLD, "node"};
    RunContext context_;
    std::vector<Case> plan_ = make_cases(3);
    std::int64_t clock_offset_ns_ = 0;
    std::size_t block_cells_ = 1 << 20;
    std::function<void(int, std::size_t, std::span<const Cell>)> on_gathered_;
    ColumnSet heard_;
    Writer writer_ = Writer::gather;
};

}  // namespace railgauge::test
