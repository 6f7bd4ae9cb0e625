// SPDX-License-Identifier: Apache-2.0
#include "collective/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collective/operations.hpp"
#include "collectives/call.hpp"

namespace railgauge {
namespace {

std::vector<std::string> operation_choices() {
    std::vector<std::string> choices = operation_names();
    choices.emplace_back("all");
    return choices;
}

/// "none" is what operations that do not reduce have; it is not asked for.
std::vector<std::string> reduction_choices() {
    std::vector<std::string> choices = reduce_operation_names();
    std::erase(choices, "none");
    return choices;
}

/// "Operations: all_reduce, ..., as a list"
std::string choices_help(const char* what, const std::vector<std::string>& choices) {
    return fmt::format("{}: {}; a comma-separated list", what, fmt::join(choices, ", "));
}

CLI::Option* add_list(CLI::App& app, const char* flag, std::vector<std::string>& values,
                      const char* what, const std::vector<std::string>& choices) {
    return app.add_option(flag, values, choices_help(what, choices))
        ->delimiter(',')
        ->check(CLI::IsMember(choices).description(""))
        ->type_name("NAMES")
        ->capture_default_str();
}

}  // namespace

void CollectiveOptions::add_to(CLI::App& app) {
    CLI::Option_group& group = *app.add_option_group("Collectives", "What is measured");
    group.add_option("--backend", backend, "Library under test: mpi, nccl")
        ->check(CLI::IsMember({"mpi", "nccl"}).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    group.add_option("--memory", memory, "Where buffers live: host, cuda")
        ->check(CLI::IsMember({"host", "cuda"}).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    add_list(group, "--op", operations, "Operations", operation_choices());
    group
        .add_option("--sizes", sizes,
                    "Bytes of the larger buffer, rounded down to whole elements per rank: "
                    "first:last:step (2x or 1KiB) or a list; 1KB is 1000, 1KiB 1024")
        ->type_name("SIZES")
        ->capture_default_str();
    add_list(group, "--dtype", types, "Element types", data_type_names());
    add_list(group, "--redop", reductions, "Reductions", reduction_choices());
    group
        .add_option("--place", place,
                    "Buffers: out (send and receive differ), in (one buffer), both")
        ->check(CLI::IsMember({"out", "in", "both"}).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    group.add_option("--root", root, "Root of broadcast, reduce, gather and scatter")
        ->type_name("RANK")
        ->capture_default_str();
    auto* const from_file = group
                                .add_option("--matrix", matrix,
                                            "File of who sends whom how much in alltoallv: a line "
                                            "per sender, a weight per receiver, "
                                            "scaled to the size")
                                ->type_name("FILE");
    group
        .add_option("--spread", spread_percent,
                    "How far chunks of alltoallv differ from their mean, in %")
        ->check(CLI::Range(0.0, 100.0).description(""))
        ->excludes(from_file)
        ->type_name("PERCENT")
        ->capture_default_str();
    group.add_option("--seed", seed, "Seed of that spread")
        ->excludes(from_file)
        ->type_name("NUMBER")
        ->capture_default_str();
}

std::string CollectiveOptions::spread() const {
    if (!matrix.empty()) return fmt::format("matrix {}", matrix.filename().native());
    return fmt::format("+-{:g} % seed {}", spread_percent, seed);
}

Weights CollectiveOptions::weights(int ranks) const {
    const auto n = static_cast<std::size_t>(ranks);
    return matrix.empty() ? seeded_weights(n, spread_percent / 100, seed) : read_weights(matrix, n);
}

}  // namespace railgauge
