// SPDX-License-Identifier: Apache-2.0
#include "pairs/serve.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "memory/memory_space.hpp"
#include "pairs/served_session.hpp"
#include "program/command_line.hpp"
#include "transport/session_server.hpp"
#include "watchdog/local_events.hpp"

namespace railgauge {
namespace {

constexpr const char* program = "railgauge-pairs --serve";

struct ServeOptions {
    std::string listen;
    std::string token_file;
    std::string backend = "verbs";
    std::string memory = "host";
    ServedLimits limits;
    SessionLimits sessions;
    FabricOptions fabric;

    void add_to(CLI::App& app);
    void add_limits(CLI::App& group);
};

/// Memories that no GPU has to be bound for.
std::vector<std::string> host_memory_names() {
    std::vector<std::string> names = memory_names();
    std::erase_if(names, [](const std::string& name) { return needs_gpu(name); });
    return names;
}

void ServeOptions::add_to(CLI::App& app) {
    app.add_flag("--serve")
        ->description("Be a receiver outside MPI, for --pattern served")
        ->required();
    app.add_option(
           "--listen", listen,
           fmt::format("Address for control connections; port {} by default, 0 = a free one",
                       default_control_port))
        ->type_name("ADDRESS[:PORT]")
        ->required();
    app.add_option("--token-file", token_file, "What clients know, readable by its owner only")
        ->type_name("FILE")
        ->required();
    app.add_option("--backend", backend, fmt::format("Fabric: {}", fmt::join(fabric_names(), ", ")))
        ->check(CLI::IsMember(fabric_names()).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--memory", memory,
                   fmt::format("Where buffers live: {}", fmt::join(host_memory_names(), ", ")))
        ->check(CLI::IsMember(host_memory_names()).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    add_limits(app);
    fabric.add_to(app);
}

void ServeOptions::add_limits(CLI::App& app) {
    app.add_option_function<std::string>(
           "--memory-limit",
           [this](const std::string& text) { limits.memory_bytes = parse_bytes(text); },
           "Most memory of a session")
        ->type_name("SIZE")
        ->default_str(format_bytes(limits.memory_bytes));
    app.add_option_function<std::string>(
           "--idle",
           [this](const std::string& text) {
               limits.idle = std::chrono::nanoseconds(parse_duration_ns(text));
           },
           "A session of whose client nothing has come for so long ends")
        ->type_name("DURATION")
        ->default_str("60s");
    constexpr int most = 1'000'000;
    app.add_option("--most-sessions", sessions.most_sessions, "Sessions at once")
        ->check(CLI::Range(1, most).description(""))
        ->capture_default_str();
    app.add_option("--sessions", sessions.sessions, "End after so many sessions; 0 = never")
        ->check(CLI::Range(0, most).description(""))
        ->capture_default_str();
}

/// Whether there is something to serve; else the text that was asked for is shown.
bool parse(int argc, char** argv, ServeOptions& options) {
    CLI::App app("Receives what ranks of other clusters write and read (docs/pairs.md).", program);
    app.set_version_flag("--version");
    app.get_formatter()->column_width(34);
    options.add_to(app);
    try {
        app.parse(argc, argv);
        return true;
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", app.help());
    } catch (const CLI::CallForVersion&) {
        fmt::print("{}", version_line("railgauge-pairs"));
    } catch (const CLI::ParseError& error) {
        throw Error(ExitCode::usage, "the command line is not understood", error.what(),
                    fmt::format("see {} --help", program));
    }
    return false;
}

std::unique_ptr<Fabric> open_fabric(const ServeOptions& options, ControlChannel& control) {
    try {
        return make_fabric(options.backend, options.fabric);
    } catch (const Error& error) {
        end_session(control, error.what());
        throw;
    }
}

std::string serve_session(const ServeOptions& options, ControlChannel& control) {
    const auto memory = make_memory_space(options.memory);
    return ServedSession(control, open_fabric(options, control), *memory, options.limits).run();
}

/// @param signals blocked before any thread is
int serve(const ServeOptions& options, const board::SignalGuard& signals) {
    const Token token = read_token(options.token_file);
    ControlListener listener = listen_at(parse_control_address(options.listen, "--listen"));
    make_memory_space(options.memory);             // throws when the build lacks it,
    make_fabric(options.backend, options.fabric);  // or there is no such device
    const std::string at = listener.at.text();
    SessionServer server(
        std::move(listener), token, options.sessions,
        [&](ControlChannel& control) { return serve_session(options, control); }, &refuse_session);
    log_here("serving on {}: {}, up to {} sessions of {} of {} memory", at, options.backend,
             options.sessions.most_sessions, format_bytes(options.limits.memory_bytes),
             options.memory);
    server.run(signals.descriptor());
    const int signal = signals.take().value_or(0);
    if (signal != 0) log_here("ends by {}", board::signal_name(signal));
    const int code = signal == 0 ? 0 : 128 + signal;
    // Sessions that are inside of a library's own wait lose their connection with the process.
    constexpr auto grace = std::chrono::milliseconds(1500);
    if (!server.stop(grace)) std::_Exit(code);
    return code;
}

}  // namespace

bool is_serving(int argc, const char* const* argv) {
    return std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--serve"; });
}

int run_server(int argc, char** argv) {
    set_log_identity("railgauge-pairs", -1);
    try {
        ServeOptions options;
        if (!parse(argc, argv, options)) return 0;
        const board::SignalGuard signals;
        return serve(options, signals);
    } catch (const Error& error) {
        log_here("{}", error.what());
        return static_cast<int>(error.code());
    }
}

}  // namespace railgauge
