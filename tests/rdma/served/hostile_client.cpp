// SPDX-License-Identifier: Apache-2.0
// hostile_client OFFSET CLIENT_DEVICE SERVER_DEVICE: an admitted client that writes 64 B at an
// offset of the server's buffer of 128 KiB. Says how the write and the session ended, and whether
// the bytes around the buffer are what they were.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "guarded_memory.hpp"
#include "pairs/served_session.hpp"

namespace railgauge {
namespace {

constexpr std::chrono::seconds patience{40};
constexpr std::size_t message_bytes = 64;
const PairCall call{PairOperation::bandwidth, Direction::forward, 65'536, 1, Verb::write};

FabricOptions on_device(const char* device) {
    FabricOptions options;
    options.device = device;
    return options;
}

void require_done(ControlChannel& control) {
    const ServedReply reply =
        decode_reply(control.receive(deadline_in(patience), most_command_bytes));
    if (!reply.error.empty()) throw Error(ExitCode::library, reply.error);
}

/// Writes there, and says what becomes of it.
std::string write_at(std::size_t offset, Channel& channel, RegisteredMemory& memory) {
    std::fill_n(memory.data(), message_bytes, std::byte{0x77});
    try {
        channel.post({.verb = Verb::write, .bytes = message_bytes, .remote_offset = offset});
        const Deadline deadline = deadline_in(patience);
        while (channel.poll().empty())
            if (std::chrono::steady_clock::now() > deadline) return "no completion";
        return "done";
    } catch (const Error& error) {
        return error.what();
    }
}

std::string attack(ControlChannel& control, std::size_t offset, const char* device) {
    require_done(control);
    control.send(encode(PrepareCommand{call, "host", 0}), deadline_in(patience));
    require_done(control);
    const auto fabric = make_verbs_fabric(on_device(device));
    const auto space = make_host_memory();
    const auto memory = fabric->allocate(*space, Slots{call.bytes, call.messages()}.size());
    const auto channel = fabric->connect(std::make_unique<ControlPeer>(control, patience), *memory,
                                         channel_parameters(call, fabric->capabilities()));
    return write_at(offset, *channel, *memory);
}

std::string serve(ControlChannel& control, GuardedMemory& memory, const char* device) {
    try {
        return ServedSession(control, make_verbs_fabric(on_device(device)), memory, {}).run();
    } catch (const Error& error) {
        return error.what();
    }
}

int play(std::size_t offset, const char* client_device, const char* server_device) {
    int sockets[2] = {-1, -1};
    check_errno(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets),
                "connecting", "");
    ControlChannel server(FileDescriptor{sockets[1]}, ControlSide::server, "the client");
    GuardedMemory memory;
    std::string session;
    std::thread serving([&] { session = serve(server, memory, server_device); });
    std::string written;
    {
        ControlChannel client(FileDescriptor{sockets[0]}, ControlSide::client, "the server");
        written = attack(client, offset, client_device);
    }
    serving.join();
    fmt::print("write: {}\nsession: {}\nguard: {}\nfirst byte: {:#x}\n", written, session,
               memory.is_whole() ? "unchanged" : "CHANGED", memory.at(0));
    return 0;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    constexpr unsigned most_seconds = 100;
    alarm(most_seconds);
    try {
        return railgauge::play(std::strtoull(argv[1], nullptr, 10), argv[2], argv[3]);
    } catch (const railgauge::Error& error) {
        fmt::print("error: {}\n", error.what());
        return 1;
    }
}
