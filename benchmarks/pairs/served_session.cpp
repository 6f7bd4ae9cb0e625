// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_session.hpp"

#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "measure/clock.hpp"
#include "transport/watched_channel.hpp"

namespace railgauge {
namespace {

using std::chrono::seconds;

constexpr seconds a_frame{10};    ///< for one that has begun, or that the client has to take
constexpr seconds last_words{1};  ///< for why the session ends
constexpr seconds connecting{60};

// As the ranks see it: the client is the lower one of a pair.
constexpr int client_place = 0;
constexpr int server_place = 1;

[[noreturn]] void refuse(const std::string& what, const std::string& why, const char* remedy) {
    throw Error(ExitCode::usage, what, why, remedy);
}

}  // namespace

std::string ServedSession::run() {
    try {
        reply({});
        while (obey(next_command())) {
        }
        return fmt::format("{} cases, {} operations answered", cases_, answered_);
    } catch (const std::exception& error) {
        end_session(control_, error.what());
        throw;
    }
}

bool ServedSession::obey(const ServedCommand& command) {
    if (std::holds_alternative<LeaveCommand>(command)) {
        leave();
        return false;
    }
    if (const auto* const wanted = std::get_if<PrepareCommand>(&command)) prepare(*wanted);
    if (const auto* const wanted = std::get_if<CheckCommand>(&command)) check(*wanted);
    if (const auto* const wanted = std::get_if<EndCommand>(&command)) end(*wanted);
    return true;
}

void ServedSession::prepare(const PrepareCommand& command) {
    require_connected(false);
    try {
        require_possible(command);
        reserve(command);
    } catch (const Error& error) {
        return reply({.error = error.what(), .is_refusal = true});
    }
    reply({});
    connect(command);
    ++cases_;
}

void ServedSession::require_possible(const PrepareCommand& command) const {
    if (command.memory != memory_.name())
        refuse(fmt::format("--served-memory {} cannot be had", command.memory),
               fmt::format("this server's is {}", memory_.name()), "ask for that");
    const Slots slots{command.call.bytes, command.call.messages()};
    const auto needed = slots.size_within(limits_.memory_bytes);
    const std::uint64_t available = memory_.available_bytes(1);
    if (!needed)
        refuse("the case's windows are too large",
               fmt::format("a session has {} (--memory-limit)", format_bytes(limits_.memory_bytes)),
               "use smaller --sizes, --depth or --queues");
    if (*needed > available && (!buffer_ || *needed > buffer_->size()))
        refuse(fmt::format("{} of memory cannot be had", format_bytes(*needed)),
               fmt::format("{} are left on the server", format_bytes(available)),
               "use smaller --sizes, --depth or --queues");
    const Capabilities capabilities = fabric_->capabilities();
    if (command.call.bytes > capabilities.most_bytes)
        refuse(fmt::format("a message of {}", format_bytes(command.call.bytes)),
               fmt::format("{} has at most {}", fabric_->name(),
                           format_bytes(capabilities.most_bytes)),
               "use smaller --sizes");
    require_capable(fabric_->name(), capabilities, channel_parameters(command.call, capabilities));
}

/// The buffer is this session's alone, so that a key to it reaches nothing else.
void ServedSession::reserve(const PrepareCommand& command) {
    const Slots slots{command.call.bytes, command.call.messages()};
    if (!buffer_ || buffer_->size() < slots.size()) {
        buffer_.reset();
        buffer_ = fabric_->allocate(memory_, slots.size());
    }
}

void ServedSession::connect(const PrepareCommand& command) {
    const PairCall& call = command.call;
    const Capabilities capabilities = fabric_->capabilities();
    const Duty duty = duty_of(call, server_place, client_place);
    channel_ = std::make_unique<WatchedChannel>(
        fabric_->connect(std::make_unique<ControlPeer>(control_, connecting), *buffer_,
                         channel_parameters(call, capabilities)),
        [this](std::int64_t idle_ns) { look_up(idle_ns); });
    exchange_ = make_exchange(call, duty, capabilities, *channel_);
    slots_.emplace(memory_, buffer_->data(), Slots{call.bytes, call.messages()}, duty,
                   outside_sender, command.rank);
}

void ServedSession::check(const CheckCommand& command) {
    require_connected(true);
    answer_all(command.answers);
    reply({});
    const CheckTally tally = slots_->run(*exchange_, command.round);
    reply({.checked = tally.checked, .wrong = tally.wrong});
}

void ServedSession::end(const EndCommand& command) {
    require_connected(true);
    answer_all(command.answers);
    reply({});
    answered_ += command.answers;
    slots_.reset();
    exchange_.reset();
    channel_->close();
    channel_.reset();
}

void ServedSession::leave() const {
    require_connected(false);
}

ServedCommand ServedSession::next_command() {
    if (!exchange_)
        return decode_command(control_.receive(deadline_in(limits_.idle), most_command_bytes));
    answer_until_news();
    return decode_command(control_.receive(deadline_in(a_frame), most_command_bytes));
}

/// What the client does is answered at once; whether it says something is looked up when nothing
/// has come for a while, and now and then if it never stops.
void ServedSession::answer_until_news() {
    constexpr int polls_per_look = 2048;
    constexpr int most_polls_per_look = 1 << 18;
    std::int64_t answered = exchange_->answer();
    std::int64_t seen_ns = monotonic_now_ns();
    while (true) {
        const std::int64_t before = answered;
        for (int empty = 0, all = 0; empty < polls_per_look && all < most_polls_per_look; ++all) {
            const std::int64_t now = exchange_->answer();
            empty = now == answered ? empty + 1 : 0;
            answered = now;
        }
        if (control_.has_news()) return;
        const std::int64_t now_ns = monotonic_now_ns();
        if (answered != before) seen_ns = now_ns;
        look_up(now_ns - seen_ns);
    }
}

void ServedSession::answer_all(std::int64_t answers) {
    const std::int64_t begin_ns = monotonic_now_ns();
    std::int64_t answered = exchange_->answer();
    for (int polls = 1; answered < answers; ++polls) {
        answered = exchange_->answer();
        constexpr int polls_per_look = 2048;
        if (polls % polls_per_look == 0) look_up(monotonic_now_ns() - begin_ns);
    }
    if (answered == answers) return;
    throw Error(ExitCode::library, "the client has lost count",
                fmt::format("it says {} operations and {} were answered", answers, answered),
                "see whether both sides are of one version");
}

void ServedSession::require_connected(bool is_connected) const {
    if ((exchange_ != nullptr) == is_connected) return;
    throw Error(ExitCode::library, "a command comes out of turn",
                is_connected ? "no case is prepared" : "a case is prepared already",
                "see whether both sides are of one version");
}

/// Ends a wait for who has gone or stands still; lets others run where CPUs are few.
void ServedSession::look_up(std::int64_t idle_ns) const {
    static_cast<void>(control_.has_news());
    sched_yield();
    if (idle_ns < limits_.idle.count()) return;
    throw Error(ExitCode::library, fmt::format("the client {} stands still", control_.peer()),
                fmt::format("nothing has come for {} s (--idle)",
                            std::chrono::duration_cast<seconds>(limits_.idle).count()),
                "see whether that process still runs, or raise --idle");
}

void ServedSession::reply(const ServedReply& reply) {
    control_.send(encode(reply), deadline_in(a_frame));
}

void end_session(ControlChannel& control, const std::string& why) {
    try {
        control.send(encode(ServedReply{.error = why}), deadline_in(last_words));
        control.finish();
    } catch (const Error&) {  // it has gone, which is no news by now
    }
}

void refuse_session(ControlChannel& control, const std::string& why) {
    control.send(encode(ServedReply{.error = why, .is_full = true}), deadline_in(last_words));
    control.finish();
}

}  // namespace railgauge
