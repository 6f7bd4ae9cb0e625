// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/log.hpp"
#include "measure/sweep.hpp"
#include "mpi/communicator.hpp"
#include "mpi/gather_texts.hpp"
#include "mpi/session.hpp"
#include "mpi/team.hpp"
#include "program/campaign.hpp"
#include "program/command_line.hpp"
#include "program/job_context.hpp"
#include "program/job_site.hpp"
#include "program/program.hpp"
#include "program/utc.hpp"
#include "record/run_paths.hpp"
#include "watchdog/watchdog.hpp"

namespace railgauge {
namespace {

/// A measurement takes milliseconds, and drift since the last is part of the bound.
constexpr std::int64_t clock_lasts_ns = 20'000'000'000;

Watchdog::Options watchdog_options(const CommandLine& line, const std::string& program,
                                   const LauncherIdentity& launched) {
    const RunPaths paths(line.run.out);
    Watchdog::Options options;
    options.program = program;
    options.rank = launched.rank;
    options.size = launched.size;
    options.host = host_name();
    options.deadline = std::chrono::nanoseconds(line.run.timeout_ns);
    options.control_interface = line.run.control_interface;
    options.rendezvous = paths.board();
    options.expired_report = paths.expired_report();
    options.schema = run_schema;
    options.wait_until_idle = &Recorder::wait_until_idle;
    return options;
}

std::vector<CaseLabel> labels_of(const std::vector<Case>& plan) {
    std::vector<CaseLabel> labels;
    labels.reserve(plan.size());
    for (const Case& c : plan) {
        const auto bytes = c.has("bytes") ? static_cast<std::uint64_t>(c.integer("bytes")) : 0;
        labels.push_back({c.name(), c.text("operation"), bytes});
    }
    return labels;
}

/// The plan with the columns that say how it is run; the same on every rank, or every rank throws.
std::vector<Case> agree_on_plan(const Job& job, const CommandLine& line, Program& program) {
    std::vector<Case> plan;
    agreed(job.team, [&] {
        plan = program.plan(job);
        for (Case& c : plan) {
            c.annotate("benchmark", std::string(program.name()));
            if (program.kind() == WorkloadKind::iteration) line.measure.annotate(c);
            if (program.kind() == WorkloadKind::window) line.window.annotate(c);
        }
        plan = make_plan(std::move(plan));
    });
    return plan;
}

/// The course of a job whose ranks are connected.
class Course {
  public:
    Course(MPI_Comm comm, Progress& progress, Watchdog& watchdog, const CommandLine& line,
           Program& program, JobSite site)
        : comm_(comm),
          progress_(progress),
          watchdog_(watchdog),
          line_(line),
          program_(program),
          site_(std::move(site)),
          placement_(exchange_placement(comm)),
          team_(comm, host_of_this_rank()) {}

    ExitCode run() {
        progress_.set(Phase::setup);
        team_.agree(line_.mistake, {});
        agree_on_command(comm_, team_, line_);
        site_ = share_job_site(comm_, team_, std::move(site_), line_.run.site);
        agreed(team_, [&] {
            check_expected_placement(placement_, line_.run.expect_nodes,
                                     line_.run.expect_ranks_per_node);
        });
        if (program_.needs_gpu()) bind_gpus(comm_, team_, placement_);
        watchdog_.set_library(program_.library_watch());
        CommonClock clock(comm_, placement_, monotonic_clock, clock_lasts_ns);
        const Job job{comm_, team_, placement_, site_.site ? &*site_.site : nullptr};
        const std::vector<Case> plan = agree_on_plan(job, line_, program_);
        const RunContext context = make_context(clock.offset(), plan);
        Recorder recorder(comm_, team_, progress_, recorder_options(), context, plan);
        watchdog_.set_plan(context.plan_id, labels_of(plan));
        agreed(team_, [&] {
            if (const auto folder = recorder.archive()) program_.prepare_archive(*folder);
        });
        const ExitCode code = Campaign(job, progress_, line_, clock, program_, recorder).run(plan);
        progress_.set(Phase::finalize, -1);
        recorder.finish(utc_iso());
        log_root("wrote {}", line_.run.out.string());
        return code;
    }

  private:
    std::string host_of_this_rank() const {
        int rank = 0;
        MPI_Comm_rank(comm_, &rank);
        const auto node =
            static_cast<std::size_t>(placement_.ranks[static_cast<std::size_t>(rank)].node);
        return placement_.nodes[node].host;
    }

    RunContext make_context(const ClockOffset& clock, const std::vector<Case>& plan) {
        const std::string name = fmt::format("railgauge-{}", program_.name());
        RunContext context;
        agreed(team_, [&] { context = gather_run_context(comm_, placement_, clock, line_, name); });
        context.site = site_.text;
        if (site_.site) context.site_json = site_json(*site_.site);
        context.plan_id = plan_id(plan, fmt::format("{} {} {} {}", name, run_schema, team_.size(),
                                                    line_.measure.limits()));
        return context;
    }

    Recorder::Options recorder_options() const {
        Recorder::Options options;
        options.out = line_.run.out;
        options.existing = line_.run.existing();
        options.writer = line_.run.writer;
        options.node = placement_.ranks[static_cast<std::size_t>(team_.rank())].node;
        return options;
    }

    MPI_Comm comm_;
    Progress& progress_;
    Watchdog& watchdog_;
    const CommandLine& line_;
    Program& program_;
    JobSite site_;
    Placement placement_;
    MpiTeam team_;
};

void join_board(MPI_Comm comm, int rank, int size, Watchdog& watchdog) {
    const std::string address = rank == 0 ? watchdog.board_address() : std::string();
    watchdog.connect(rank, size, broadcast_text(comm, 0, address));
}

/// An error of this rank alone: the others wait somewhere else, so the job cannot end cleanly.
[[noreturn]] void give_up(Watchdog& watchdog, ExitCode code, const std::string& text) {
    log_here("{}", text);
    watchdog.announce_failure();
    MpiSession::abort(static_cast<int>(code));
}

ExitCode run_connected(const Communicator& world, Progress& progress, Watchdog& watchdog,
                       const CommandLine& line, Program& program, JobSite site) {
    try {
        join_board(world.get(), world.rank(), world.size(), watchdog);
        return Course(world.get(), progress, watchdog, line, program, std::move(site)).run();
    } catch (const AgreedError& error) {
        log_root("{}", error.what());
        return error.code();
    } catch (const Error& error) {
        give_up(watchdog, error.code(), error.what());
    } catch (const std::exception& error) {
        give_up(watchdog, ExitCode::library, fmt::format("unexpected error: {}", error.what()));
    }
}

ExitCode run_under_mpi(int argc, char** argv, Progress& progress, Watchdog& watchdog,
                       const CommandLine& line, Program& program, JobSite site) {
    progress.set(Phase::init);
    MpiSession session(argc, argv);
    try {
        Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
        set_log_identity(fmt::format("railgauge-{}", program.name()), world.rank());
        const ExitCode code =
            run_connected(world, progress, watchdog, line, program, std::move(site));
        progress.set(Phase::finalize, -1);
        world.close();
        session.close();
        watchdog.close();
        return code;
    } catch (const Error& error) {  // said here: the session's destructor would end the process
        give_up(watchdog, error.code(), error.what());
    }
}

}  // namespace

int run_program(int argc, char** argv, Program& program) {
    const LauncherIdentity launched = launcher_identity();
    const std::string name = fmt::format("railgauge-{}", program.name());
    set_log_identity(name, launched.rank);
    CommandLine line;
    parse_command_line(argc, argv, program, line);
    if (!line.answer.empty()) {
        if (launched.rank <= 0) std::fputs(line.answer.c_str(), stdout);
        return 0;
    }
    try {
        Progress progress;
        JobSite site = read_job_site(line.run.site, launched.rank);
        line.run.control_interface = board_interface(line.run.control_interface, site);
        if (launched.rank <= 0)
            RunPaths(line.run.out).make_parent();  // the board's address lies there
        Watchdog watchdog(progress, watchdog_options(line, name, launched));
        return static_cast<int>(
            run_under_mpi(argc, argv, progress, watchdog, line, program, std::move(site)));
    } catch (const Error& error) {
        log_here("{}", error.what());
        return static_cast<int>(error.code());
    }
}

}  // namespace railgauge
