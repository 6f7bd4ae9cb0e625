// SPDX-License-Identifier: Apache-2.0
#include "scenarios.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "socket_peer.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

constexpr std::size_t memory_bytes = 1 << 20;

struct Connection {
    std::unique_ptr<Fabric> fabric;
    std::unique_ptr<MemorySpace> space;
    std::unique_ptr<RegisteredMemory> memory;
    std::unique_ptr<Channel> channel;
};

std::unique_ptr<Channel> make_channel(const Side& side, Connection& connection) {
    return connection.fabric->connect(std::make_unique<SocketPeer>(side.socket), *connection.memory,
                                      {side.depth, side.depth, side.queues});
}

Connection open_memory(const Side& side) {
    Connection connection;
    connection.fabric = make_verbs_fabric(side.options);
    connection.space = make_memory_space(side.memory);
    connection.memory = connection.fabric->allocate(*connection.space, memory_bytes);
    return connection;
}

Connection connect(const Side& side) {
    Connection connection = open_memory(side);
    connection.channel = make_channel(side, connection);
    return connection;
}

void wait_for_one(Channel& channel) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::seconds(30);
    while (channel.poll().empty()) {
        if (Clock::now() < deadline) continue;
        throw Error(ExitCode::deadline, "no completion came", "30 s have passed", "see the rig");
    }
}

/// As many messages as `message` is sent from here, one at a time.
void finish(Channel& channel, const Message& message) {
    channel.post(message);
    wait_for_one(channel);
}

void write_once(const Side& side) {
    Connection connection = connect(side);
    if (side.role == Role::here) finish(*connection.channel, {Verb::write, 0, 65'536, 1});
    connection.channel->close();
    side.say(fmt::format("done, memory by way of {}", connection.memory->way()));
}

/// A receive of there is flushed when there goes; here must hear of the write itself.
void kill_peer(const Side& side) {
    Connection connection = connect(side);
    if (side.role == Role::there) raise(SIGKILL);
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(side.other), &ended, WEXITED | WNOWAIT);
    for (std::uint64_t id = 0; id < 4; ++id)
        connection.channel->post({Verb::receive, 0, 64, id});
    finish(*connection.channel, {Verb::write, 0, 64, 9});
}

void send_without_receive(const Side& side) {
    Connection connection = connect(side);
    if (side.role == Role::here) finish(*connection.channel, {Verb::send, 0, 64, 1});
    connection.channel->close();
}

void write_outside(const Side& side) {
    Connection connection = connect(side);
    if (side.role == Role::here)
        finish(*connection.channel, {Verb::write, 0, 64, 1, memory_bytes * 64});
    connection.channel->close();
}

void swap_nonsense(const Side& side) {
    if (side.role == Role::here) {
        connect(side);
        return;
    }
    SocketPeer peer(side.socket);
    const std::array<std::byte, 100> nonsense{};
    static_cast<void>(peer.swap(nonsense));
    const std::vector<std::byte> told = peer.swap({});
    side.say(fmt::format(
        "told: {}", std::string_view(reinterpret_cast<const char*>(told.data()), told.size())));
}

/// Until the device has no queue pairs left.
void connect_without_end(const Side& side) {
    Connection connection = open_memory(side);
    std::vector<std::unique_ptr<Channel>> channels;
    while (true) {
        channels.push_back(make_channel(side, connection));
        if (channels.size() == 1) side.say("the first is connected");
    }
}

struct ScenarioRow {
    std::string_view name;
    void (*play)(const Side& side);
};

constexpr std::array<ScenarioRow, 6> table{{{"write", &write_once},
                                            {"kill", &kill_peer},
                                            {"no-receive", &send_without_receive},
                                            {"outside", &write_outside},
                                            {"nonsense", &swap_nonsense},
                                            {"exhaust", &connect_without_end}}};

}  // namespace

void Side::say(std::string_view text) const {
    const std::string line = fmt::format("{}: {}\n", role == Role::here ? "here" : "there", text);
    static_cast<void>(::write(STDOUT_FILENO, line.data(), line.size()));
}

std::vector<std::string> scenario_names() {
    return names_of(table);
}

void play(std::string_view scenario, const Side& side) {
    row_named(table, scenario, "scenario").play(side);
}

}  // namespace railgauge
