// SPDX-License-Identifier: Apache-2.0
// Checks of one GPU, its CUDA and its NCCL: a line each. Exit status 0, 1 when a check failed, 77
// without a GPU.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/error.hpp"
#include "checks.hpp"
#include "child.hpp"
#include "cuda/gpu.hpp"
#include "head.hpp"
#include "mpi/session.hpp"

namespace railgauge::smoke {
namespace {

using namespace std::chrono_literals;

constexpr int exit_without_gpu = 77;

/// Why there is none, asked in another process since this one may not use CUDA yet; empty when
/// there is one.
std::string why_no_gpu() {
    Child child("GPU", [](const Child::Send& send) {
        send({"GPU", Outcome::pass, bind_gpu(0, 1).name, {}});
    });
    const std::vector<Row> rows = child.wait(std::chrono::steady_clock::now() + 120s);
    return rows.front().outcome == Outcome::pass ? "" : rows.front().remark;
}

using Rows = std::vector<Row>;

void append(Rows& rows, const char* name, Rows (*check)()) {
    try {
        for (Row& row : check())
            rows.push_back(std::move(row));
    } catch (const std::exception& error) {
        rows.push_back({name, Outcome::fail, "-", one_line(error.what())});
    }
}

/// Shows each group of lines when it is there: a later one may hang.
void show(const Rows& rows, bool& is_good) {
    for (const Row& row : rows) {
        fmt::print("{}\n", to_line(row));
        is_good = is_good && row.outcome != Outcome::fail;
    }
    std::fflush(stdout);
}

Rows rows_of(const char* name, Rows (*check)()) {
    Rows rows;
    append(rows, name, check);
    return rows;
}

int run(int argc, char** argv) {
    const std::string absence = why_no_gpu();
    if (!absence.empty()) {
        fmt::print("# no GPU: {}\n", absence);
        return exit_without_gpu;
    }
    Rows own_processes;
    append(own_processes, "two ranks", &check_two_ranks);
    append(own_processes, "lone rank", &check_lone_rank);
    MpiSession session(argc, argv);
    bind_gpu(0, 1);
    fmt::print("{}\n", table_head());
    bool is_good = true;
    show(rows_of("kernels", &check_kernels), is_good);
    show(rows_of("NCCL", &check_all_reduces), is_good);
    show(rows_of("costs", &measure_launch_costs), is_good);
    show(own_processes, is_good);
    session.close();
    return is_good ? 0 : 1;
}

}  // namespace
}  // namespace railgauge::smoke

int main(int argc, char** argv) {
    try {
        return railgauge::smoke::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "railgauge-gpu-smoke: {}\n", error.what());
        return 1;
    }
}
