// SPDX-License-Identifier: Apache-2.0
// What the Recorder costs per case over all ranks, against a bare gather of the same columns to
// rank 0 and HDF5 writing them; the two alternate in one process. A case costs from the first
// rank's entry to the last rank's exit. Prints the medians in ms and their ratio:
//
//     scripts/run-mpirun -n 96 build/release/bin/recorder_against_bare --samples 1000
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <mpi.h>

#include "measure/clock.hpp"
#include "mpi/placement.hpp"
#include "mpi/team.hpp"
#include "record/recorder.hpp"
#include "recorder_load.hpp"

namespace {

using railgauge::Cell;

struct Options {
    std::uint64_t samples = 1000;
    int rounds = 30;
    railgauge::Writer writer = railgauge::Writer::gather;
    std::filesystem::path folder = std::filesystem::current_path();
};

/// Milliseconds from the first rank's entry to the last rank's exit.
double time_ms(const std::function<void()>& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t begin_ns = railgauge::monotonic_now_ns();
    work();
    std::int64_t end_ns = railgauge::monotonic_now_ns();
    MPI_Allreduce(MPI_IN_PLACE, &begin_ns, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &end_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return static_cast<double>(end_ns - begin_ns) / 1e6;
}

/// One gather a column. The constant column is gathered and written like the others.
void record_bare(const railgauge::micro::RankLoad& load, int rank, int ranks,
                 const std::filesystem::path& path) {
    const std::vector<Cell>& own = load.cells();
    const auto count = static_cast<int>(own.size());
    std::vector<std::vector<Cell>> columns(railgauge::micro::bare_columns.size());
    for (std::vector<Cell>& column : columns) {
        if (rank == 0) column.resize(own.size() * static_cast<std::size_t>(ranks));
        MPI_Gather(own.data(), count, MPI_UINT64_T, column.data(), count, MPI_UINT64_T, 0,
                   MPI_COMM_WORLD);
    }
    if (rank == 0) railgauge::micro::write_bare(path, columns);
}

void compare(const Options& options, int rank, int ranks) {
    const railgauge::micro::RankLoad load(options.samples);
    const std::vector<railgauge::Case> plan = railgauge::micro::one_case();
    railgauge::RunContext context;
    context.plan_id = "0123456789abcdef";
    context.ranks.resize(static_cast<std::size_t>(ranks));
    railgauge::Progress progress;
    railgauge::MpiTeam team(MPI_COMM_WORLD, railgauge::host_name());
    const std::filesystem::path out = options.folder / "recorder_against_bare.h5";
    railgauge::Recorder recorder(
        MPI_COMM_WORLD, team, progress,
        {.out = out, .existing = railgauge::ExistingRun::overwrite, .writer = options.writer},
        context, plan);
    railgauge::CaseResult result;
    result.status = railgauge::CaseStatus::done;
    const railgauge::Observations counters =
        rank % 8 == 0 ? railgauge::micro::node_counters() : railgauge::Observations{};
    const auto ours = [&] {
        recorder.record({.c = plan.front(),
                         .result = result,
                         .group = 0,
                         .samples = &load,
                         .observations = counters,
                         .on_gathered = {},
                         .heard = {{{"elapsed_ns"}}}});
    };
    const std::filesystem::path bare_path = options.folder / "recorder_against_bare.bare.h5";
    std::vector<double> ours_ms;
    std::vector<double> bare_ms;
    for (int round = 0; round < options.rounds; ++round) {
        ours_ms.push_back(time_ms(ours));
        bare_ms.push_back(time_ms([&] { record_bare(load, rank, ranks, bare_path); }));
    }
    recorder.finish("2024-05-01T00:00:00Z");
    if (rank != 0) return;
    std::filesystem::remove(out);
    std::filesystem::remove(bare_path);
    const auto middle = options.rounds / 2;
    std::nth_element(ours_ms.begin(), ours_ms.begin() + middle, ours_ms.end());
    std::nth_element(bare_ms.begin(), bare_ms.begin() + middle, bare_ms.end());
    const double ours_median = ours_ms[static_cast<std::size_t>(middle)];
    const double bare_median = bare_ms[static_cast<std::size_t>(middle)];
    std::printf("%d ranks x %llu samples: recorder %.3f ms, bare %.3f ms, ratio %.3f\n", ranks,
                static_cast<unsigned long long>(options.samples), ours_median, bare_median,
                ours_median / bare_median);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("The Recorder against a bare gather and HDF5 write");
    app.add_option("--samples", options.samples, "Samples per rank")->capture_default_str();
    app.add_option("--rounds", options.rounds, "Cases of each")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--folder", options.folder, "Where to write");
    const std::map<std::string, railgauge::Writer> writers{
        {"gather", railgauge::Writer::gather}, {"parallel", railgauge::Writer::parallel}};
    app.add_option("--writer", options.writer, "Who writes the samples")
        ->transform(CLI::CheckedTransformer(writers));
    CLI11_PARSE(app, argc, argv);
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    compare(options, rank, ranks);
    MPI_Finalize();
    return 0;
}
