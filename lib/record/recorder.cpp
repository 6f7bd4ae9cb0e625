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
#include "record/case_gather.hpp"
#include "record/case_table.hpp"
#include "record/consolidation.hpp"
#include "record/hdf5.hpp"
#include "record/observation_cells.hpp"
#include "record/parallel_columns.hpp"
#include "record/part_assembly.hpp"
#include "record/run_paths.hpp"
#include "record/run_start.hpp"
#include "record/write_guard.hpp"

namespace railgauge {
namespace {

/// The first failure counts; later ones follow from it.
void attempt_unless_failed(std::optional<Failure>& failure, const std::function<void()>& stage) {
    if (!failure) failure = attempt(stage);
}

/// How a case went on this rank.
struct Outcome {
    std::optional<Failure> failure;
    bool is_whole = true;  ///< on rank 0: every rank could read its samples
};

/// Fills blocks by `sender`; a block that it cannot fill says so to rank 0.
CaseGather::Fill filling(const BlockSender& sender, std::optional<Failure>& failure) {
    return [&](std::uint64_t block, std::span<Cell> out) {
        out.front() = RankShare::failed_status;
        attempt_unless_failed(failure, [&] { sender.fill(block, out); });
    };
}

}  // namespace

class Recorder::Implementation {
  public:
    Implementation(MPI_Comm comm, Team& team, Progress& progress, Options options,
                   const RunContext& context, const std::vector<Case>& plan)
        : comm_(comm),
          team_(team),
          progress_(progress),
          options_(std::move(options)),
          gather_(comm, progress, options_.block_cells),
          columns_(comm, team, progress, options_.block_cells),
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

    bool found_wrong() const { return start_.found_wrong; }

    std::optional<std::filesystem::path> archive() const {
        return is_root() && !start_.is_complete ? std::optional(paths_.archive()) : std::nullopt;
    }

    CaseResult record(const CaseRecord& record);
    void finish(const std::string& finished_utc);

  private:
    /// What this rank brings to a case.
    struct OwnShare {
        std::int64_t shift_ns = 0;
        std::vector<Cell> observations;
        RankShare share;
        std::optional<Failure> failure;
    };

    bool is_root() const { return team_.rank() == 0; }

    /// Columns whose rows travel to rank 0: those it writes, or else those it hears of.
    ColumnSet sent(const CaseRecord& record) const {
        return options_.writer == Writer::gather ? ColumnSet{} : record.heard;
    }

    void share_start();
    CaseFrame frame(const CaseRecord& record, CaseResult result) const;
    OwnShare describe(const CaseRecord& record) const;
    Outcome gather_part(std::optional<PartAssembly>& part, std::span<const RankShare> shares,
                        const BlockSender& sender, const CaseRecord& record,
                        const CaseResult& result);
    ParallelColumns::Target end_part(PartAssembly& part, const CaseRecord& record,
                                     const CaseResult& result) const;
    void end_gather(const Outcome& outcome);

    MPI_Comm comm_;
    Team& team_;
    Progress& progress_;
    Options options_;
    CaseGather gather_;
    ParallelColumns columns_;
    RunPaths paths_;
    std::string plan_id_;
    std::vector<Case> plan_;
    CaseTable table_;
    RunStart start_;  ///< complete on rank 0; elsewhere what is shared
};

/// Every rank learns which cases are finished and how its clock is shifted.
void Recorder::Implementation::share_start() {
    start_.parts.resize(plan_.size());
    static_assert(sizeof(PartState) == 1);
    check_mpi(MPI_Bcast(start_.parts.data(), static_cast<int>(plan_.size()), MPI_BYTE, 0, comm_),
              "sharing which cases are finished");
    check_mpi(MPI_Bcast(&start_.found_wrong, 1, MPI_CXX_BOOL, 0, comm_),
              "sharing whether a case is wrong");
    check_mpi(MPI_Bcast(&start_.shift_ns, 1, MPI_INT64_T, 0, comm_), "sharing the clock's shift");
}

Recorder::Implementation::OwnShare Recorder::Implementation::describe(
    const CaseRecord& record) const {
    OwnShare own;
    own.shift_ns = record.clock_offset_ns + start_.shift_ns;
    own.share.group = record.group;
    own.share.block_cells = options_.block_cells;
    own.share.check = record.result.own_check;
    own.failure = attempt([&] {
        own.observations = pack_observations(record.observations, options_.node, own.shift_ns);
        own.share.observation_cells = own.observations.size();
        own.share.describe(record.samples, sent(record));
    });
    if (own.failure) own.share = {.state = RankShare::State::failed};
    return own;
}

CaseResult Recorder::Implementation::record(const CaseRecord& record) {
    const OwnShare own = describe(record);
    const BlockSender sender(own.share, record.samples, own.observations, own.shift_ns,
                             sent(record));
    const auto shares = gather_.gather_shares(own.share, team_.rank(), team_.size());
    Outcome outcome{.failure = own.failure};
    CaseResult result = record.result;
    std::optional<WriteGuard> guard;  // released when the part is closed or removed
    std::optional<PartAssembly> part;
    if (is_root()) {
        result.samples = 0;
        for (const RankShare& rank : shares) {
            result.samples += rank.rows;
            result.rank_checks.push_back(rank.check);
        }
        guard.emplace();
        Outcome gathered = gather_part(part, shares, sender, record, result);
        outcome.is_whole = gathered.is_whole;
        if (!outcome.failure) outcome.failure = std::move(gathered.failure);
    } else if (!outcome.failure) {
        gather_.send(own.share, filling(sender, outcome.failure));
    }
    ParallelColumns::Target target;
    if (part && outcome.is_whole) {
        attempt_unless_failed(outcome.failure, [&] { target = end_part(*part, record, result); });
    }
    end_gather(outcome);
    if (options_.writer == Writer::parallel) {
        if (!guard) guard.emplace();
        columns_.write(std::move(target), {record.samples, own.share.rows, own.shift_ns});
        agreed(team_, [&] {
            if (part) part->commit();
        });
    }
    start_.parts.at(static_cast<std::size_t>(record.c.id())) = PartState::present;
    return result;
}

Outcome Recorder::Implementation::gather_part(std::optional<PartAssembly>& part,
                                              std::span<const RankShare> shares,
                                              const BlockSender& sender, const CaseRecord& record,
                                              const CaseResult& result) {
    Outcome outcome;
    std::optional<Failure>& failure = outcome.failure;
    failure = attempt([&] {
        part.emplace(shares, paths_.part(record.c.id()), frame(record, result), record.on_gathered);
    });
    const CaseGather::Receiver receiver{
        .take =
            [&](int rank, std::uint64_t block, std::span<const Cell> cells) {
                attempt_unless_failed(failure, [&] { part->take(rank, block, cells); });
            },
        .flush = [&] { attempt_unless_failed(failure, [&] { part->flush(); }); }};
    gather_.receive(shares, filling(sender, failure), receiver);
    outcome.is_whole = !failure && part->is_whole();
    return outcome;
}

/// Ends what rank 0 writes by itself.
/// @return what is left to all ranks together
ParallelColumns::Target Recorder::Implementation::end_part(PartAssembly& part,
                                                           const CaseRecord& record,
                                                           const CaseResult& result) const {
    if (options_.writer == Writer::gather) {
        part.commit();
        return {};
    }
    ParallelColumns::Target target;
    target.file = std::filesystem::absolute(part.hand_over());
    target.group = fmt::format("samples/{}", case_group(record.c.id()));
    if (record.samples == nullptr || result.samples == 0) return target;
    for (const SampleColumn& column : record.samples->columns()) {
        if (!column.constant) target.columns.push_back(column.name);
    }
    return target;
}

CaseFrame Recorder::Implementation::frame(const CaseRecord& record, CaseResult result) const {
    const auto& planned = plan_.at(static_cast<std::size_t>(record.c.id()));
    result.started_ns += record.clock_offset_ns + start_.shift_ns;
    return {.case_id = planned.id(),
            .plan_id = plan_id_,
            .case_row = table_.rows({&planned, 1}, {&result, 1}),
            .blocks = result.blocks,
            .columns =
                record.samples == nullptr ? std::vector<SampleColumn>() : record.samples->columns(),
            .sent = sent(record),
            .heard = record.heard,
            .writer = options_.writer};
}

/// Rank 0 knows whether any rank failed; one word from it is enough when none did.
void Recorder::Implementation::end_gather(const Outcome& outcome) {
    int failed = outcome.failure || !outcome.is_whole ? 1 : 0;
    check_mpi(MPI_Bcast(&failed, 1, MPI_INT, 0, comm_), "ending the gathering of a case");
    if (failed != 0) team_.agree(outcome.failure, {});
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

Recorder::Recorder(MPI_Comm comm, Team& team, Progress& progress, Options options,
                   const RunContext& context, const std::vector<Case>& plan)
    : implementation_(std::make_unique<Implementation>(comm, team, progress, std::move(options),
                                                       context, plan)) {}

Recorder::~Recorder() = default;

bool Recorder::is_finished(int case_id) const {
    return implementation_->is_finished(case_id);
}

bool Recorder::found_wrong() const {
    return implementation_->found_wrong();
}

std::optional<std::filesystem::path> Recorder::archive() const {
    return implementation_->archive();
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

std::string Recorder::hdf5_version() {
    return hdf5::library_version();
}

}  // namespace railgauge
