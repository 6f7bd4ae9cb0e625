// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_client.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "transport/watched_channel.hpp"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds connecting{30};
constexpr seconds answering{60};  ///< a server fills gigabytes before it answers
constexpr seconds waiting_for_a_place{10};
constexpr milliseconds between_tries{100};

[[noreturn]] void fail(const ControlAddress& server, const std::string& why, const char* remedy) {
    throw Error(ExitCode::library, fmt::format("the server {} ends the session", server.text()),
                why, remedy);
}

}  // namespace

ServedClient::ServedClient(const ServedOptions& options, int rank)
    : address_(parse_control_address(options.server, "--served")),
      memory_name_(options.memory),
      rank_(rank),
      token_(read_token(options.token_file)) {}

template <class Step>
auto ServedClient::keeping_errors(Step step) {
    if (!lost_.empty()) throw Error(ExitCode::library, lost_);
    try {
        return step();
    } catch (const Error& error) {
        if (error.code() == ExitCode::usage) throw;
        lost_ = error.what();
        if (session_) session_->finish();  // a channel may still refer to it
        throw;
    }
}

std::unique_ptr<Channel> ServedClient::connect(Transport& transport, RegisteredMemory& memory,
                                               const PairCall& call,
                                               const ChannelParameters& parameters) {
    require_capable(transport.name(), transport.capabilities(), parameters);
    return keeping_errors([&] {
        require_session();
        ask(PrepareCommand{call, memory_name_, rank_});
        return std::make_unique<WatchedChannel>(connected(transport, memory, parameters),
                                                [this](std::int64_t) { look_up(); });
    });
}

/// The server is in the middle of it, too: no error of it leaves a session behind.
std::unique_ptr<Channel> ServedClient::connected(Transport& transport, RegisteredMemory& memory,
                                                 const ChannelParameters& parameters) {
    try {
        return transport.connect_outside(std::make_unique<ControlPeer>(*session_, answering),
                                         memory, parameters);
    } catch (const Error& error) {
        throw Error(ExitCode::library, error.what());
    }
}

void ServedClient::begin_check(std::uint64_t round, std::int64_t answers) {
    keeping_errors([&] { ask(CheckCommand{round, answers}); });
}

CheckTally ServedClient::end_check() {
    return keeping_errors([&] {
        const ServedReply result = reply();
        return CheckTally{result.checked, result.wrong};
    });
}

void ServedClient::end(std::int64_t answers) {
    keeping_errors([&] { ask(EndCommand{answers}); });
}

void ServedClient::leave() {
    if (!session_ || !lost_.empty()) return;
    keeping_errors([&] { session_->send(encode(LeaveCommand{}), deadline_in(connecting)); });
    session_.reset();
}

/// A place may be free in a moment: that of a rank whose turn was before this one's.
ControlChannel ServedClient::greeted() {
    const Deadline deadline = deadline_in(waiting_for_a_place);
    while (true) {
        std::string why;
        std::optional<ControlChannel> channel = try_to_greet(why);
        if (channel) return std::move(*channel);
        if (std::chrono::steady_clock::now() > deadline)
            fail(address_, why, "raise its --most-sessions, or start fewer ranks");
        std::this_thread::sleep_for(between_tries);
    }
}

std::optional<ControlChannel> ServedClient::try_to_greet(std::string& why) {
    const Deadline deadline = deadline_in(connecting);
    ControlChannel channel = connect_to(address_, deadline);
    prove_to_server(channel, token_, deadline);
    const ServedReply welcome = decode_reply(channel.receive(deadline, most_command_bytes));
    if (welcome.error.empty()) return channel;
    if (!welcome.is_full) fail(address_, welcome.error, "see what it says there");
    why = welcome.error;
    return std::nullopt;
}

void ServedClient::require_session() {
    if (!session_) session_.emplace(greeted());
}

ServedReply ServedClient::ask(const ServedCommand& command) {
    session_->send(encode(command), deadline_in(answering));
    return reply();
}

ServedReply ServedClient::reply() {
    ServedReply result =
        early_ ? *std::exchange(early_, std::nullopt)
               : decode_reply(session_->receive(deadline_in(answering), most_command_bytes));
    if (result.error.empty()) return result;
    if (!result.is_refusal) fail(address_, result.error, "see what it says there");
    throw Error(ExitCode::usage, fmt::format("the server {} refuses this case", address_.text()),
                result.error, "choose another, or change its options");
}

/// While this rank waits in the channel nothing is said but why it waits in vain, or the reply of a
/// server that is a step ahead.
void ServedClient::look_up() {
    if (early_ || !session_->has_news()) return;
    ServedReply result =
        decode_reply(session_->receive(deadline_in(connecting), most_command_bytes));
    if (!result.error.empty()) fail(address_, result.error, "see what it says there");
    early_ = std::move(result);
}

}  // namespace railgauge
