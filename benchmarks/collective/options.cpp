// SPDX-License-Identifier: Apache-2.0
#include "collective/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "collective/groups.hpp"
#include "collective/operations.hpp"
#include "collectives/call.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {
namespace {

std::vector<std::string> operation_choices() {
    std::vector<std::string> choices = operation_names();
    choices.emplace_back("all");
    choices.emplace_back(communicator_operation);
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

CLI::Option* add_choice(CLI::App& app, const char* flag, std::string& value, const char* what,
                        const std::vector<std::string>& choices) {
    return app.add_option(flag, value, fmt::format("{}: {}", what, fmt::join(choices, ", ")))
        ->check(CLI::IsMember(choices).description(""))
        ->type_name("NAME")
        ->capture_default_str();
}

}  // namespace

void CollectiveOptions::add_to(CLI::App& app) {
    CLI::Option_group& group = *app.add_option_group("Collectives", "What is measured");
    add_what(group);
    add_spread(group);
    add_manner(group);
    add_nccl(*app.add_option_group("NCCL", "How its communicators are made; of --backend nccl"));
}

void CollectiveOptions::add_what(CLI::App& group) {
    add_choice(group, "--backend", backend, "Library under test", collectives_names());
    add_choice(group, "--memory", memory, "Where buffers live", memory_names())
        ->default_str("host, cuda with --backend nccl");
    add_list(group, "--op", operations, "Operations", operation_choices());
    group
        .add_option("--sizes", sizes,
                    "Bytes of the larger buffer, rounded down to whole elements per rank: "
                    "first:last:step (2x or 1KiB) or a list; 1KB is 1000, 1KiB 1024")
        ->type_name("SIZES")
        ->capture_default_str();
    add_list(group, "--dtype", types, "Element types", data_type_names());
    add_list(group, "--redop", reductions, "Reductions", reduction_choices());
    add_choice(group, "--place", place,
               "Buffers: send and receive differ, are one, or first so and then so",
               {"out", "in", "both"});
    group.add_option("--root", root, "Root of broadcast, reduce, gather and scatter, in its group")
        ->type_name("RANK")
        ->capture_default_str();
}

void CollectiveOptions::add_spread(CLI::App& group) {
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

void CollectiveOptions::add_manner(CLI::App& group) {
    add_choice(group, "--split", split,
               "Groups, each of which works by itself and has its own result", split_names());
    add_choice(
        group, "--groups", groups,
        "Groups of a split work all at once, each while the others rest, or first so and then so",
        {"together", "alone", "both"});
    group
        .add_option("--aggregate", manner.together,
                    "Operations that are issued as one, each on buffers of its own")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("NUMBER")
        ->capture_default_str();
    group
        .add_option(
            "--graph", manner.captured,
            "How often that is recorded in a CUDA graph, which is then replayed; 0 is no graph")
        ->check(CLI::Range(0, 4096).description(""))
        ->type_name("NUMBER")
        ->capture_default_str();
    add_list(group, "--buffers", buffers, "What the library knows of buffers beforehand",
             buffer_kind_names());
}

void CollectiveOptions::add_nccl(CLI::App& group) {
    add_choice(group, "--cta-policy", nccl.cta_policy, "How NCCL uses the GPU's CTAs",
               {cta_policies.begin(), cta_policies.end()});
    const auto add_number = [&](const char* flag, int& value, const char* help, int least) {
        group.add_option(flag, value, help)
            ->check(CLI::Range(least, 1024).description(""))
            ->type_name("NUMBER")
            ->default_str("NCCL's choice");
    };
    add_number("--min-ctas", nccl.min_ctas, "Fewest CTAs, and so channels, of an operation", 1);
    add_number("--max-ctas", nccl.max_ctas, "Most CTAs, and so channels, of an operation", 1);
    add_number("--traffic-class", nccl.traffic_class, "Traffic class of the network", 0);
}

void CollectiveOptions::validate() const {
    const NcclOptions untouched;
    const bool nccl_given = nccl.cta_policy != untouched.cta_policy || nccl.min_ctas > 0 ||
                            nccl.max_ctas > 0 || nccl.traffic_class >= 0;
    if (nccl_given && backend != "nccl") {
        throw Error(ExitCode::usage, "CTAs and traffic class have no use here", "they are NCCL's",
                    "add --backend nccl or leave them out");
    }
    if (nccl.min_ctas > 0 && nccl.max_ctas > 0 && nccl.min_ctas > nccl.max_ctas) {
        throw Error(
            ExitCode::usage,
            fmt::format("--min-ctas {} is more than --max-ctas {}", nccl.min_ctas, nccl.max_ctas),
            "no number is between them", "swap them");
    }
    const bool has_alltoallv =
        std::any_of(operations.begin(), operations.end(),
                    [](const std::string& name) { return name == "alltoallv" || name == "all"; });
    if (!matrix.empty() && !has_alltoallv) {
        throw Error(ExitCode::usage, "--matrix has no use here", "it belongs to alltoallv",
                    "add --op alltoallv or leave it out");
    }
    if (groups != "together" && split == no_split) {
        throw Error(ExitCode::usage, "--groups has no use here", "there is one group",
                    "add --split or leave it out");
    }
}

std::string CollectiveOptions::memory_name() const {
    if (!memory.empty()) return memory;
    return backend_needs_gpu(backend) ? "cuda" : "host";
}

bool CollectiveOptions::needs_gpu() const {
    return backend_needs_gpu(backend) || railgauge::needs_gpu(memory_name());
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
