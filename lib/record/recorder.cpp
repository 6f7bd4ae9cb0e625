// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "measure/team.hpp"
#include "mpi/check.hpp"
#include "mpi/placement.hpp"
#include "mpi/team.hpp"
#include "record/block_plan.hpp"
#include "record/block_sender.hpp"
#include "record/case_table.hpp"
#include "record/consolidation.hpp"
#include "record/observation_cells.hpp"
#include "record/part_assembly.hpp"
#include "record/run_paths.hpp"
#include "record/run_start.hpp"
#include "record/write_guard.hpp"

namespace railgauge {
namespace {

constexpr const char* gathering = "gathering a case";

/// The first failure counts; later ones follow from it.
void attempt_unless_failed(std::optional<Failure>& failure, const std::function<void()>& stage) {
    if (!failure) failure = attempt(stage);
}

}  // namespace

class Recorder::Implementation {
  public:
    Implementation(MPI_Comm comm, Progress& progress, Options options, const RunContext& context,
                   const std::vector<Case>& plan)
        : comm_(comm),
          progress_(progress),
          options_(std::move(options)),
          team_(comm, host_name()),
          paths_(options_.out),
          plan_id_(context.plan_id),
          plan_(plan),
          table_(plan) {
        agreed(team_, [&] {
            if (is_root()) start_ = start_run(paths_, options_.existing, context, plan);
        });
        share_start();
    }

    bool is_finished(int case_id) const {
        return start_.parts.at(static_cast<std::size_t>(case_id)) == PartState::finished;
    }

    CaseResult record(const CaseRecord& record);
    void finish(const std::string& finished_utc);

  private:
    bool is_root() const { return team_.rank() == 0; }

    void share_start();
    std::vector<RankManifest> exchange(const RankManifest& mine,
                                       const std::optional<Failure>& failure);
    CaseFrame frame(const CaseRecord& record, const CaseResult& result) const;
    std::optional<Failure> write_part(const BlockPlan& plan, const BlockSender& sender,
                                      const CaseRecord& record, CaseResult result,
                                      std::int64_t shift_ns);
    std::optional<Failure> gather(const BlockPlan& plan, const BlockSender& sender,
                                  PartAssembly* assembly);
    std::span<Cell> gather_block(const BlockPlan& plan, std::uint64_t block,
                                 const BlockSender& sender, std::optional<Failure>& failure);

    MPI_Comm comm_;
    Progress& progress_;
    Options options_;
    MpiTeam team_;
    RunPaths paths_;
    std::string plan_id_;
    std::vector<Case> plan_;
    CaseTable table_;
    RunStart start_;           ///< complete on rank 0; elsewhere parts and shift only
    std::vector<Cell> cells_;  ///< of a block: all ranks' on rank 0, else this rank's
};

/// Every rank learns which cases are finished and how its clock is shifted.
void Recorder::Implementation::share_start() {
    start_.parts.resize(plan_.size());
    static_assert(sizeof(PartState) == 1);
    check_mpi(MPI_Bcast(start_.parts.data(), static_cast<int>(plan_.size()), MPI_BYTE, 0, comm_),
              "sharing which cases are finished");
    check_mpi(MPI_Bcast(&start_.shift_ns, 1, MPI_INT64_T, 0, comm_), "sharing the clock's shift");
}

std::vector<RankManifest> Recorder::Implementation::exchange(
    const RankManifest& mine, const std::optional<Failure>& failure) {
    std::vector<RankManifest> all(static_cast<std::size_t>(team_.size()));
    check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm_),
              gathering);
    const bool any_failed = std::any_of(all.begin(), all.end(), [](const RankManifest& rank) {
        return rank.state == RankManifest::State::failed;
    });
    if (any_failed) team_.agree(failure, {});
    return all;
}

CaseFrame Recorder::Implementation::frame(const CaseRecord& record,
                                          const CaseResult& result) const {
    const auto& planned = plan_.at(static_cast<std::size_t>(record.c.id()));
    return {.case_id = planned.id(),
            .plan_id = plan_id_,
            .case_row = table_.rows({&planned, 1}, {&result, 1}),
            .blocks = result.blocks,
            .columns = record.samples == nullptr ? std::vector<SampleColumn>()
                                                 : record.samples->columns()};
}

CaseResult Recorder::Implementation::record(const CaseRecord& record) {
    const std::int64_t shift_ns = options_.clock_offset_ns + start_.shift_ns;
    std::vector<Cell> observations;
    RankManifest mine;
    mine.group = record.group;
    const std::optional<Failure> failure = attempt([&] {
        observations = pack_observations(record.observations, options_.node, shift_ns);
        mine.observation_cells = observations.size();
        mine.describe(record.samples);
    });
    if (failure) mine.state = RankManifest::State::failed;
    const BlockPlan plan(exchange(mine, failure), options_.block_cells);
    const BlockSender sender(plan, team_.rank(), record.samples, observations, shift_ns);
    CaseResult result = record.result;
    if (is_root()) {
        result.samples = plan.offsets().back();
        team_.agree(write_part(plan, sender, record, result, shift_ns), {});
    } else {
        team_.agree(gather(plan, sender, nullptr), {});
    }
    start_.parts.at(static_cast<std::size_t>(record.c.id())) = PartState::present;
    return result;
}

std::optional<Failure> Recorder::Implementation::write_part(const BlockPlan& plan,
                                                            const BlockSender& sender,
                                                            const CaseRecord& record,
                                                            CaseResult result,
                                                            std::int64_t shift_ns) {
    result.started_ns += shift_ns;
    const WriteGuard guard;
    PartAssembly assembly(plan, paths_.part(record.c.id()), frame(record, result),
                          record.on_gathered);
    return gather(plan, sender, &assembly);
}

/// @param assembly on rank 0
std::optional<Failure> Recorder::Implementation::gather(const BlockPlan& plan,
                                                        const BlockSender& sender,
                                                        PartAssembly* assembly) {
    std::optional<Failure> failure;
    for (std::uint64_t block = 0; block < plan.blocks(); ++block) {
        const std::span<Cell> cells = gather_block(plan, block, sender, failure);
        if (assembly != nullptr) attempt_unless_failed(failure, [&] { assembly->take(cells); });
        progress_.tick();
    }
    if (assembly != nullptr) attempt_unless_failed(failure, [&] { assembly->commit(); });
    return failure;
}

/// All ranks take part in every block, whatever failed before: the others wait for them.
std::span<Cell> Recorder::Implementation::gather_block(const BlockPlan& plan, std::uint64_t block,
                                                       const BlockSender& sender,
                                                       std::optional<Failure>& failure) {
    const std::size_t own = plan.cells(team_.rank(), block);
    const std::size_t held = is_root() ? plan.block_cells(block) : own;
    if (cells_.size() < held) cells_.resize(held);
    const std::span<Cell> cells(cells_.data(), held);
    cells.front() = BlockPlan::failed_status;
    attempt_unless_failed(failure, [&] { sender.fill(block, cells.first(own)); });
    if (!is_root()) {
        check_mpi(MPI_Gatherv(cells.data(), static_cast<int>(own), MPI_UINT64_T, nullptr, nullptr,
                              nullptr, MPI_UINT64_T, 0, comm_),
                  gathering);
        return cells;
    }
    std::vector<int> counts;
    std::vector<int> places;
    for (int rank = 0, place = 0; rank < plan.ranks(); ++rank) {
        counts.push_back(static_cast<int>(plan.cells(rank, block)));
        places.push_back(place);
        place += counts.back();
    }
    check_mpi(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_UINT64_T, cells.data(), counts.data(), places.data(),
                          MPI_UINT64_T, 0, comm_),
              gathering);
    return cells;
}

void Recorder::Implementation::finish(const std::string& finished_utc) {
    const auto consolidate_all = [&] {
        const WriteGuard guard;
        try {
            if (!start_.is_complete) {
                consolidate(paths_, start_.parts, finished_utc, [&] { progress_.tick(); });
            }
        } catch (const Error& error) {
            throw Error(error.code(),
                        fmt::format("{}; all cases are kept in '{}', make the run of them later "
                                    "with 'railgauge pack {}'",
                                    error.what(), paths_.folder().native(), paths_.out().native()));
        }
        if (!start_.is_complete) start_.folder->clear();
        start_.folder.reset();
    };
    agreed(team_, [&] {
        if (is_root()) consolidate_all();
    });
}

Recorder::Recorder(MPI_Comm comm, Progress& progress, Options options, const RunContext& context,
                   const std::vector<Case>& plan)
    : implementation_(
          std::make_unique<Implementation>(comm, progress, std::move(options), context, plan)) {}

Recorder::~Recorder() = default;

bool Recorder::is_finished(int case_id) const {
    return implementation_->is_finished(case_id);
}

CaseResult Recorder::record(const CaseRecord& record) {
    return implementation_->record(record);
}

void Recorder::finish(const std::string& finished_utc) {
    implementation_->finish(finished_utc);
}

bool Recorder::wait_until_idle(int wait_ms) {
    return stop_writing(wait_ms);
}

}  // namespace railgauge
