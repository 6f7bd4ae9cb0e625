// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memory/memory_space.hpp"
#include "pairs/exchange.hpp"
#include "pairs/served_call.hpp"
#include "pairs/slot_check.hpp"
#include "transport/control_channel.hpp"
#include "transport/fabric.hpp"

namespace railgauge {

/// What a receiver outside the job gives one client.
struct ServedLimits {
    std::uint64_t memory_bytes = std::uint64_t{2} << 30;
    std::chrono::nanoseconds idle{std::chrono::seconds(60)};  ///< without a sign of the client
};

/// The server's side of a session: a buffer of its own, which is all that the client can reach, and
/// the answers to what the client writes into it or reads out of it.
class ServedSession {
  public:
    /// @param control of an admitted client, outlives the session
    /// @param memory where the buffer is allocated, outlives the session
    ServedSession(ControlChannel& control, std::unique_ptr<Fabric> fabric, MemorySpace& memory,
                  const ServedLimits& limits)
        : control_(control), fabric_(std::move(fabric)), memory_(memory), limits_(limits) {}

    /// Until the client leaves. Returns what was done. What ends the session is told to the client
    /// before it is thrown.
    std::string run();

  private:
    bool obey(const ServedCommand& command);
    void prepare(const PrepareCommand& command);
    void require_possible(const PrepareCommand& command) const;
    void reserve(const PrepareCommand& command);
    void connect(const PrepareCommand& command);
    void check(const CheckCommand& command);
    void end(const EndCommand& command);
    void leave() const;

    ServedCommand next_command();
    void answer_until_news();
    void answer_all(std::int64_t answers);
    void require_connected(bool is_connected) const;
    void look_up(std::int64_t idle_ns) const;
    void reply(const ServedReply& reply);

    ControlChannel& control_;
    std::unique_ptr<Fabric> fabric_;
    MemorySpace& memory_;
    ServedLimits limits_;
    std::unique_ptr<RegisteredMemory> buffer_;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Exchange> exchange_;
    std::optional<SlotCheck> slots_;
    int cases_ = 0;
    std::int64_t answered_ = 0;
};

/// Tells the client, if it is still there, why its session ends.
void end_session(ControlChannel& control, const std::string& why);

/// How a client is told that the server has no place for it.
void refuse_session(ControlChannel& control, const std::string& why);

}  // namespace railgauge
