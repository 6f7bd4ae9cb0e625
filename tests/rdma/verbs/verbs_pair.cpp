// SPDX-License-Identifier: Apache-2.0
// verbs_pair SCENARIO --here OPTIONS --there OPTIONS: two processes without MPI, so that one may
// die or lie. Each says how it ended in one line; the exit code is that of `here`.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "scenarios.hpp"

namespace railgauge {
namespace {

FabricOptions parse(const std::string& text) {
    FabricOptions options;
    CLI::App app;
    options.add_to(app);
    app.parse(text, false);
    return options;
}

int play_side(const std::string& scenario, const Side& side) {
    try {
        play(scenario, side);
        return 0;
    } catch (const Error& error) {
        side.say(fmt::format("error {}: {}", static_cast<int>(error.code()), error.what()));
        return static_cast<int>(error.code());
    }
}

int play_both(const std::string& scenario, Side here, Side there) {
    constexpr unsigned most_seconds = 50;
    int sockets[2];
    check_errno(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), "connecting", "");
    here.socket = sockets[0];
    there.socket = sockets[1];
    there.role = Role::there;
    here.other = check_errno(fork(), "starting", "the other process");
    alarm(most_seconds);
    if (here.other == 0) {
        close(here.socket);
        _exit(play_side(scenario, there));
    }
    close(there.socket);
    const int code = play_side(scenario, here);
    close(here.socket);
    waitpid(here.other, nullptr, 0);
    return code;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
    CLI::App app("Two processes over RDMA verbs");
    std::string scenario;
    std::string here_options;
    std::string there_options;
    railgauge::Side side;
    app.add_option("scenario", scenario)
        ->required()
        ->check(CLI::IsMember(railgauge::scenario_names()));
    app.add_option("--here", here_options);
    app.add_option("--there", there_options);
    app.add_option("--memory", side.memory);
    app.add_option("--queues", side.queues);
    app.add_option("--depth", side.depth);
    CLI11_PARSE(app, argc, argv);
    railgauge::Side there = side;
    side.options = railgauge::parse(here_options);
    there.options = railgauge::parse(there_options);
    return railgauge::play_both(scenario, side, there);
}
