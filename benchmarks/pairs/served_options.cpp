// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "memory/memory_space.hpp"
#include "pairs/options.hpp"
#include "transport/control_address.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

void require_given(const std::string& value, const char* option) {
    if (!value.empty()) return;
    throw Error(ExitCode::usage, fmt::format("pattern served needs {}", option),
                "it measures with a receiver outside the job", fmt::format("give {}", option));
}

void require_unused(const std::string& value, const char* option) {
    if (value.empty()) return;
    throw Error(ExitCode::usage, fmt::format("{} has no use", option),
                "only pattern served measures with a receiver outside the job",
                "leave it out, or use --pattern served");
}

[[noreturn]] void refuse(const std::string& what, const char* remedy) {
    throw Error(ExitCode::usage, fmt::format("pattern served cannot measure {}", what),
                "a receiver outside the job only answers what ranks write and read", remedy);
}

void require_answerable(const PairsOptions& options) {
    if (!transport_traits(options.backend).one_sided)
        refuse(fmt::format("--backend {}", options.backend), "use --backend verbs or ucx");
    const std::vector<std::string> verbs = options.verb_names();
    for (const std::string& verb : verbs)
        if (verb == "send") refuse("--verb send", "use --verb write or read");
    if (options.directions.empty()) return;
    for (const std::string& verb : verbs) {
        const std::string own = verb == "write" ? "forward" : "backward";
        for (const std::string& direction : options.directions)
            if (direction != own)
                refuse(fmt::format("--direction {} with --verb {}", direction, verb),
                       "leave --direction out: write is forward, read is backward");
    }
}

}  // namespace

void ServedOptions::add_to(CLI::App& app) {
    CLI::Option_group& group =
        *app.add_option_group("Served", "The receiver outside the job of --pattern served");
    group
        .add_option("--served", server,
                    fmt::format("Where railgauge-pairs --serve listens; port {} by default",
                                default_control_port))
        ->type_name("HOST[:PORT]");
    group
        .add_option("--token-file", token_file, "What both sides know, readable by its owner only")
        ->type_name("FILE");
    group.add_option("--served-memory", memory, "Where the server's buffers live, as it says")
        ->type_name("NAME")
        ->check(CLI::IsMember(railgauge::memory_names()).description(""))
        ->capture_default_str();
}

bool is_served(const PairsOptions& options) {
    return std::ranges::find(options.patterns, "served") != options.patterns.end();
}

void require_served_use(const PairsOptions& options) {
    const ServedOptions& served = options.served;
    if (!is_served(options)) {
        require_unused(served.server, "--served");
        return require_unused(served.token_file, "--token-file");
    }
    require_given(served.server, "--served HOST:PORT");
    require_given(served.token_file, "--token-file FILE");
    parse_control_address(served.server, "--served");
    require_answerable(options);
}

}  // namespace railgauge
