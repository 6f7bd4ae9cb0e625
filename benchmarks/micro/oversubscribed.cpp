// SPDX-License-Identifier: Apache-2.0
// The bare program that a railgauge-collective sweep is held against: the same operation, sizes,
// data, checks, warm-up and iterations, samples gathered to rank 0 and written to one HDF5 file per
// case, with nothing around it. Prints the seconds from the first case to the last; see
// benchmarks/micro/oversubscribed_ratio.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include "base/units.hpp"
#include "collective/pattern.hpp"
#include "measure/clock.hpp"

namespace {

using railgauge::Pattern;

struct Options {
    std::string sizes = "8:64KiB:4x";
    int iterations = 100;
    int warmup = 5;
    std::filesystem::path folder;
};

/// All ranks' samples of a case on rank 0.
struct Samples {
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> elapsed_ns;
};

std::uint64_t check(std::vector<float>& send, std::vector<float>& receive, std::size_t count,
                    std::uint64_t round, Pattern& pattern) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pattern.poison(receive.data(), count * sizeof(float));
    pattern.write({rank, round, 0, count}, send.data());
    MPI_Allreduce(send.data(), receive.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    return pattern.count_wrong({railgauge::reduced_over_ranks, round, 0, count}, receive.data());
}

std::vector<std::int64_t> gather(const std::vector<std::int64_t>& own, int ranks) {
    std::vector<std::int64_t> all(own.size() * static_cast<std::size_t>(ranks));
    const auto count = static_cast<int>(own.size());
    MPI_Gather(own.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return all;
}

void write_column(hid_t file, const char* name, const std::vector<std::int64_t>& values) {
    const hsize_t length = values.size();
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    const hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
        throw std::runtime_error("a column could not be written");
    H5Dclose(set);
    H5Sclose(space);
}

void write_case(const std::filesystem::path& path, const Samples& samples) {
    const std::string unfinished = path.string() + ".tmp";
    const hid_t file = H5Fcreate(unfinished.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) throw std::runtime_error("cannot create " + unfinished);
    write_column(file, "start_ns", samples.start_ns);
    write_column(file, "elapsed_ns", samples.elapsed_ns);
    H5Fclose(file);
    std::filesystem::rename(unfinished, path);
}

/// @return wrong elements of this rank
std::uint64_t measure(const Options& options, std::size_t count, std::vector<float>& send,
                      std::vector<float>& receive, Pattern& pattern, Samples& samples) {
    std::uint64_t wrong = check(send, receive, count, 0, pattern);
    const auto call = [&] {
        MPI_Allreduce(send.data(), receive.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD);
    };
    for (int i = 0; i < options.warmup; ++i)
        call();
    samples.start_ns.assign(static_cast<std::size_t>(options.iterations), 0);
    samples.elapsed_ns = samples.start_ns;
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < samples.start_ns.size(); ++i) {
        const std::int64_t entry_ns = railgauge::monotonic_now_ns();
        call();
        samples.start_ns[i] = entry_ns;
        samples.elapsed_ns[i] = railgauge::monotonic_now_ns() - entry_ns;
    }
    wrong += check(send, receive, count, 1, pattern);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return wrong;
}

/// @return seconds from the first case to the last, without the last one's file
double sweep(const Options& options, int rank, int ranks) {
    const std::vector<std::uint64_t> sizes = railgauge::parse_byte_list(options.sizes);
    std::vector<float> send(sizes.back() / sizeof(float));
    std::vector<float> receive(send.size());
    const auto engine = railgauge::make_host_pattern_engine();
    Pattern pattern(*engine, railgauge::DataType::float32, railgauge::ReduceOperation::sum, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t begin_ns = railgauge::monotonic_now_ns();
    std::int64_t end_ns = begin_ns;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Samples samples;
        const std::uint64_t wrong =
            measure(options, sizes[i] / sizeof(float), send, receive, pattern, samples);
        if (wrong != 0) throw std::runtime_error("a result is wrong");
        end_ns = railgauge::monotonic_now_ns();
        const Samples all{gather(samples.start_ns, ranks), gather(samples.elapsed_ns, ranks)};
        if (rank == 0) write_case(options.folder / fmt::format("{:04}.h5", i), all);
    }
    return static_cast<double>(end_ns - begin_ns) / railgauge::ns_per_s;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("all_reduce of float32, sum: the bare form of a railgauge-collective sweep");
    app.add_option("--sizes", options.sizes)->capture_default_str();
    app.add_option("--iterations", options.iterations)->capture_default_str();
    app.add_option("--warmup", options.warmup)->capture_default_str();
    app.add_option("--folder", options.folder, "Where the files go")->required();
    CLI11_PARSE(app, argc, argv);

    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        const double seconds = sweep(options, rank, ranks);
        if (rank == 0) fmt::print("{:.6f}\n", seconds);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "oversubscribed: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
