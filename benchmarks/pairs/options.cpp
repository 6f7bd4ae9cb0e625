// SPDX-License-Identifier: Apache-2.0
#include "pairs/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "memory/memory_space.hpp"
#include "pairs/patterns.hpp"
#include "pairs/plan.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

template <class T>
CLI::Option* add_choice(CLI::App& app, const char* flag, T& value, const char* help,
                        const std::vector<std::string>& choices) {
    return app.add_option(flag, value, fmt::format("{}: {}", help, fmt::join(choices, ", ")))
        ->delimiter(',')
        ->check(CLI::IsMember(choices).description(""))
        ->type_name("NAMES")
        ->capture_default_str();
}

void add_number(CLI::App& app, const char* flag, int& value, const char* help) {
    app.add_option(flag, value, help)
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->capture_default_str();
}

}  // namespace

void PairsOptions::add_to(CLI::App& app) {
    CLI::Option_group& group = *app.add_option_group("Pairs", "What is measured");
    add_choice(group, "--backend", backend, "Transport under test", transport_names());
    add_choice(group, "--memory", memory, "Where buffers live", memory_names())
        ->default_str("host, cuda with --backend nccl");
    add_choice(group, "--pattern", patterns, "Who talks to whom; a list", pattern_names());
    add_choice(group, "--op", operations, "Operations; a list", pair_operation_names());
    add_choice(group, "--direction", directions,
               "Directions of bandwidth, a list; forward is from the node of the lower rank",
               {"forward", "backward", "both"});
    group
        .add_option("--sizes", sizes, "Bytes of a message: first:last:step (4x or 1KiB) or a list")
        ->type_name("SIZES")
        ->capture_default_str();
    group
        .add_option("--depth", depths,
                    "Messages in flight, a list; 1 is always measured too. A sample of bandwidth "
                    "is a window of so many messages, acknowledged")
        ->delimiter(',')
        ->check(CLI::Range(1, 4096).description(""))
        ->capture_default_str();
    add_choice(group, "--rails", rails, "Rails of all-pairs, one-pair and bisection",
               {"at-once", "one-by-one", "both"});
    group.add_option("--pair", pair, "The pair of --pattern one-pair: two ranks or two hosts")
        ->type_name("A:B");
    add_number(group, "--repeats", repeats, "Go through the rounds so often, in another order");
    group.add_option("--seed", seed, "Of the orders of --repeats")->capture_default_str();
    fabric.add_to(app);
}

std::string PairsOptions::memory_name() const {
    if (!memory.empty()) return memory;
    return transport_needs_gpu(backend) ? "cuda" : "host";
}

bool PairsOptions::needs_gpu() const {
    return transport_needs_gpu(backend) || railgauge::needs_gpu(memory_name());
}

}  // namespace railgauge
