// SPDX-License-Identifier: Apache-2.0
#include "incast/options.hpp"

#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {
namespace {

/// A transport that an incast can use. NCCL is none: its receive is a kernel that waits on the GPU
/// for a message of equal size, so that none can stand ready for a sender that has finished.
struct BackendRow {
    std::string_view name;
    const char* usual_verb;
    bool writes;
};

constexpr std::array<BackendRow, 3> backends{
    {{"mpi", "send", false}, {"verbs", "write", true}, {"ucx", "send", true}}};

template <class T>
CLI::Option* add_choice(CLI::App& app, const char* flag, T& value, const char* help,
                        const std::vector<std::string>& choices) {
    return app.add_option(flag, value, fmt::format("{}: {}", help, fmt::join(choices, ", ")))
        ->check(CLI::IsMember(choices).description(""))
        ->type_name("NAME")
        ->capture_default_str();
}

void add_numbers(CLI::App& app, const char* flag, std::vector<int>& values, int most,
                 const char* help) {
    app.add_option(flag, values, help)
        ->delimiter(',')
        ->check(CLI::Range(1, most).description(""))
        ->capture_default_str();
}

/// "all", or how many.
std::string check_senders(const std::string& text) {
    std::string copy = text;
    if (text == "all" || CLI::Range(1, 1'000'000)(copy).empty()) return {};
    return fmt::format("'{}' is neither a number of senders nor 'all'", text);
}

void add_who(CLI::App& group, IncastOptions& options) {
    group
        .add_option("--senders", options.senders,
                    "Senders into each receiver, a list; all = "
                    "as many as there are")
        ->delimiter(',')
        ->check(CLI::Validator(&check_senders, ""))
        ->capture_default_str();
    add_choice(group, "--receivers", options.receivers, "Which ranks receive",
               {"one", "in-turn", "at-once"});
    group
        .add_option("--receiver", options.receiver,
                    "Ranks or hosts that receive; a list with --receivers in-turn and at-once")
        ->delimiter(',')
        ->type_name("RANK|HOST")
        ->default_str("the first; of every node, in turn; of two nodes, at once");
    add_choice(
        group, "--spread", options.spread,
        "Senders are ranks on the receiver's rail, on any rail of other nodes, or on its own "
        "node, too",
        {"rail", "nodes", "all"});
    group.add_flag("--ramp", options.ramp, "Senders start one after the other, in equal steps");
}

void add_victim(CLI::App& group, IncastOptions& options) {
    add_choice(group, "--victim", options.victim,
               "A ping-pong beside the incast, measured alone, too",
               {"none", "same-receiver", "same-leaf", "other"});
    group.add_option("--victim-size", options.victim_bytes, "Bytes of its messages")
        ->type_name("SIZE")
        ->capture_default_str();
}

}  // namespace

void IncastOptions::add_to(CLI::App& app) {
    CLI::Option_group& group = *app.add_option_group("Incast", "What is measured");
    add_choice(group, "--backend", backend, "Transport under test", names_of(backends));
    add_choice(group, "--memory", memory, "Where buffers live", memory_names());
    add_choice(group, "--verb", verb, "What a request is", {"send", "write"})
        ->default_str("send, write with --backend verbs");
    add_who(group, *this);
    add_numbers(group, "--queues", queues, 4096,
                "Queues of each sender (queue pairs, with RDMA), a list");
    group
        .add_option("--sizes", sizes, "Bytes of a message: first:last:step (4x or 1KiB) or a list")
        ->type_name("SIZES")
        ->capture_default_str();
    add_numbers(group, "--depth", depths, 4096, "Messages in flight on each queue, a list");
    add_victim(group, *this);
    group
        .add_option("--rows-per-second", rows_per_second,
                    "Most rows of a rank; beyond, each stands for several requests. 0 = every "
                    "request has its own")
        ->check(CLI::Range(0, 1'000'000'000).description(""))
        ->capture_default_str();
    fabric.add_to(app);
}

std::string IncastOptions::verb_name() const {
    const BackendRow& row = row_named(backends, backend, "backend");
    if (verb.empty()) return row.usual_verb;
    if (verb == "send" || row.writes) return verb;
    throw Error(ExitCode::usage, fmt::format("--verb {} cannot be had", verb),
                fmt::format("backend {} has no one-sided messages", backend),
                "use --verb send, or --backend verbs");
}

bool IncastOptions::needs_gpu() const {
    return railgauge::needs_gpu(memory);
}

}  // namespace railgauge
