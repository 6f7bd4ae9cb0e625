// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "incast/flow.hpp"
#include "incast/parts.hpp"
#include "incast/slot_payload.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// This end of what two ranks do with each other in a case. What goes wrong with it is kept: the
/// rank's other connections go on.
class Connection {
  public:
    /// Connects; the peer does so at the same time.
    /// @param lines communicator for what the two ends tell each other
    Connection(Transport& transport, RegisteredMemory& memory, MPI_Comm lines, int case_id,
               const IncastCall& call, const Part& part, const RowSource& rows,
               std::int64_t delay_ns);

    Flow& flow() { return *flow_; }
    int peer() const { return part_.peer; }

    /// Does something with the flow. An error other than StrandedError ends the connection, and the
    /// peer hears of it.
    void guard(const std::function<void(Flow&)>& action);

    /// Whether nothing more is to be done in this window or check round.
    bool is_over() const { return failure_ || flow_->is_abandoned() || flow_->is_finished(); }

    /// @return whether anything happened
    bool step(std::int64_t now_ns);

    const std::optional<Error>& failure() const { return failure_; }

    /// Payloads of a check round into the slots to send from, poison into those to receive into.
    /// @param alive called after each slot
    void lay_out(SlotPayload& payload, int self, std::uint64_t round,
                 const std::function<void()>& alive) const;

    /// Compares what was received.
    CheckTally compare(SlotPayload& payload, std::uint64_t round,
                       const std::function<void()>& alive) const;

    /// The clean end, when nothing is in flight and nothing went wrong; else gives up.
    void close();

  private:
    bool sends(int slot) const;
    bool receives(int slot) const;
    void fail(const Error& error);

    Part part_;
    Line line_;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Flow> flow_;
    std::optional<Error> failure_;
};

}  // namespace railgauge
