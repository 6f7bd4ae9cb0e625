// SPDX-License-Identifier: Apache-2.0
// Rank 0's work for one case when everything is gathered: taking the ranks' cells apart and writing
// the part, against HDF5 writing the same columns and nothing else. The ranks' 1,000 samples and a
// node's counters are made up, so 96 ranks need one process. Gathering is in recorder_against_bare.
#include <cstdlib>
#include <filesystem>

#include <benchmark/benchmark.h>

#include "record/case_table.hpp"
#include "record/observation_cells.hpp"
#include "record/part_assembly.hpp"
#include "record/rank_share.hpp"
#include "recorder_load.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t rows = 1000;

/// A folder on the disk that runs are written to, removed at the end.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::current_path() / "recorder-XXXXXX").native();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder to write to");
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path file() const { return path_ / "0000.h5"; }

  private:
    std::filesystem::path path_;
};

/// What a gather leaves on rank 0. One rank in eight leads a node and has its counters.
struct Gathered {
    explicit Gathered(int ranks)
        : load(rows),
          observations(pack_observations(micro::node_counters(), 0, 0)),
          shares(static_cast<std::size_t>(ranks)) {
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            RankShare& share = shares[rank];
            share.group = 0;
            share.block_cells = std::size_t{4} << 20;
            share.observation_cells = rank % 8 == 0 ? observations.size() : 0;
            share.describe(&load);
            std::vector<Cell>& cells = blocks.emplace_back(share.cells_of(0));
            BlockSender(share, &load, observations, 0).fill(0, cells);
        }
    }

    micro::RankLoad load;
    std::vector<Cell> observations;
    std::vector<RankShare> shares;
    std::vector<std::vector<Cell>> blocks;
};

void BM_record_part(benchmark::State& state) {
    const Folder folder;
    const Gathered gathered(static_cast<int>(state.range(0)));
    const std::vector<Case> plan = micro::one_case();
    const CaseTable table(plan);
    CaseResult result;
    result.status = CaseStatus::done;
    result.samples = gathered.shares.size() * rows;
    for ([[maybe_unused]] auto _ : state) {
        PartAssembly part(gathered.shares, folder.file(),
                          {.case_id = 0,
                           .plan_id = "0123456789abcdef",
                           .case_row = table.rows({plan.data(), 1}, {&result, 1}),
                           .blocks = {0},
                           .columns = gathered.load.columns()},
                          {});
        for (std::size_t rank = 0; rank < gathered.blocks.size(); ++rank)
            part.take(static_cast<int>(rank), 0, gathered.blocks[rank]);
        part.flush();
        part.commit();
        std::filesystem::remove(folder.file());
    }
}
BENCHMARK(BM_record_part)->Arg(4)->Arg(16)->Arg(64)->Arg(96)->Unit(benchmark::kMicrosecond);

void BM_bare_hdf5(benchmark::State& state) {
    const Folder folder;
    const std::vector<std::vector<Cell>> columns(
        micro::bare_columns.size(),
        std::vector<Cell>(static_cast<std::size_t>(state.range(0)) * rows, 1));
    for ([[maybe_unused]] auto _ : state) {
        micro::write_bare(folder.file(), columns);
        std::filesystem::remove(folder.file());
    }
}
BENCHMARK(BM_bare_hdf5)->Arg(4)->Arg(16)->Arg(64)->Arg(96)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace railgauge
