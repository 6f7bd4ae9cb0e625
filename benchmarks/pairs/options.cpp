// SPDX-License-Identifier: Apache-2.0
#include "pairs/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
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
    add_choice(group, "--memory", memories, "Where buffers live; a list", railgauge::memory_names())
        ->default_str("host, cuda with --backend nccl");
    add_choice(group, "--pattern", patterns, "Who talks to whom; a list", pattern_names());
    add_choice(group, "--op", operations, "Operations; a list", pair_operation_names());
    add_choice(group, "--verb", verbs, "How payload is moved, a list", pair_verb_names())
        ->default_str("write with --backend verbs or ucx, else send");
    add_choice(group, "--direction", directions,
               "Directions of bandwidth, a list; forward is from the node of the lower rank",
               {"forward", "backward", "both"})
        ->default_str("both; with --pattern served forward of write, backward of read");
    group
        .add_option("--sizes", sizes, "Bytes of a message: first:last:step (4x or 1KiB) or a list")
        ->type_name("SIZES")
        ->capture_default_str();
    group
        .add_option("--depth", depths,
                    "Messages in flight on each queue, a list; 1 is always measured too. A sample "
                    "of bandwidth is a window of so many messages, acknowledged")
        ->delimiter(',')
        ->check(CLI::Range(1, 4096).description(""))
        ->capture_default_str();
    group
        .add_option("--queues,--qp", queues,
                    "Queue pairs (QPs) to each peer that bandwidth is spread over, a list")
        ->delimiter(',')
        ->check(CLI::Range(1, 32).description(""))
        ->capture_default_str();
    group
        .add_option("--signal-interval", signal_interval,
                    "Messages of a queue for which one completion is asked for; --backend verbs")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("NUMBER")
        ->default_str("a quarter of --depth");
    add_choice(group, "--rails", rails, "Rails of all-pairs, one-pair and bisection",
               {"at-once", "one-by-one", "both"});
    group.add_option("--pair", pair, "The pair of --pattern one-pair: two ranks or two hosts")
        ->type_name("A:B");
    group
        .add_option("--between", between,
                    "The groups of --pattern bipartite, as the site file names them: gpu:storage")
        ->type_name("A:B");
    add_number(group, "--repeats", repeats, "Go through the rounds so often, in another order");
    group.add_option("--seed", seed, "Of the orders of --repeats")->capture_default_str();
    served.add_to(app);
    fabric.add_to(app);
}

void PairsOptions::validate() const {
    const TransportTraits traits = transport_traits(backend);
    for (const std::string& verb : verb_names()) {
        if (verb == "send" || traits.one_sided) continue;
        throw Error(ExitCode::usage, fmt::format("--verb {} cannot be had", verb),
                    fmt::format("transport {} sends, it does not reach into memory", backend),
                    "use --verb send, or --backend verbs or ucx");
    }
    if (signal_interval > 1 && !traits.coalesces) {
        throw Error(ExitCode::usage, fmt::format("--signal-interval {}", signal_interval),
                    fmt::format("transport {} completes every message by itself", backend),
                    "leave it out");
    }
    if (!traits.one_sided && fabric != FabricOptions()) {
        throw Error(ExitCode::usage, "an option of the group Fabric has no use",
                    fmt::format("transport {} is no RDMA fabric", backend),
                    "leave it out, or use --backend verbs or ucx");
    }
    require_served_use(*this);
    const bool is_bipartite = std::ranges::find(patterns, "bipartite") != patterns.end();
    if (!between.empty() && !is_bipartite) {
        throw Error(ExitCode::usage, fmt::format("--between {} has no use", between),
                    "only pattern bipartite measures between groups",
                    "leave it out, or use --pattern bipartite");
    }
    for (const std::string& memory : memory_names()) {
        require_transport(backend, memory);
        make_memory_space(memory);  // throws when the build lacks it
    }
}

std::vector<std::string> PairsOptions::memory_names() const {
    if (!memories.empty()) return memories;
    return {transport_traits(backend).needs_gpu ? "cuda" : "host"};
}

std::vector<std::string> PairsOptions::verb_names() const {
    if (!verbs.empty()) return verbs;
    return {transport_traits(backend).one_sided ? "write" : "send"};
}

int PairsOptions::signal_interval_of(int depth) const {
    if (signal_interval > 0) return std::min(signal_interval, depth);
    return transport_traits(backend).coalesces ? std::max(1, depth / 4) : 1;
}

bool PairsOptions::needs_gpu() const {
    return std::ranges::any_of(memory_names(), railgauge::needs_gpu);
}

}  // namespace railgauge
