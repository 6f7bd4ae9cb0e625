// SPDX-License-Identifier: Apache-2.0
#include "incast/connection.hpp"

namespace railgauge {
namespace {

Stream stream_of(const IncastCall& call, const Part& part) {
    return {call.verb, part.area, part.remote_begin};
}

bool is_stream(Task task) {
    return task == Task::send || task == Task::receive;
}

ChannelParameters parameters_of(const IncastCall& call, const Part& part) {
    return is_stream(part.task) ? stream_parameters(stream_of(call, part)) : ping_parameters();
}

std::unique_ptr<Flow> make_flow(Channel& channel, Line& line, const IncastCall& call,
                                const Part& part, const RowSource& rows, std::int64_t delay_ns) {
    switch (part.task) {
        case Task::send:
            return make_sending_flow(channel, line, stream_of(call, part), rows, delay_ns);
        case Task::receive: return make_receiving_flow(channel, line, stream_of(call, part));
        case Task::ask: return make_asking_flow(channel, line, part.area, rows);
        case Task::answer: break;
    }
    return make_answering_flow(channel, line, part.area);
}

}  // namespace

Connection::Connection(Transport& transport, RegisteredMemory& memory, MPI_Comm lines, int case_id,
                       const IncastCall& call, const Part& part, const RowSource& rows,
                       std::int64_t delay_ns)
    : part_(part),
      line_(lines, part.peer, case_id),
      channel_(transport.connect(part.peer, memory, parameters_of(call, part))),
      flow_(make_flow(*channel_, line_, call, part, rows, delay_ns)) {}

void Connection::guard(const std::function<void(Flow&)>& action) {
    try {
        action(*flow_);
    } catch (const StrandedError&) {
        throw;
    } catch (const Error& error) {
        fail(error);
    }
}

bool Connection::step(std::int64_t now_ns) {
    try {
        return flow_->step(now_ns);
    } catch (const StrandedError&) {
        throw;
    } catch (const Error& error) {
        fail(error);
        return true;
    }
}

void Connection::lay_out(SlotPayload& payload, int self, std::uint64_t round,
                         const std::function<void()>& alive) const {
    for (int slot = 0; slot < part_.area.slots(); ++slot, alive()) {
        const auto message = static_cast<std::uint64_t>(slot);
        if (sends(slot)) payload.write(part_.area, slot, {self, message, round});
        if (receives(slot)) payload.poison(part_.area, slot, {part_.peer, message, round});
    }
}

CheckTally Connection::compare(SlotPayload& payload, std::uint64_t round,
                               const std::function<void()>& alive) const {
    CheckTally tally;
    for (int slot = 0; slot < part_.area.slots(); ++slot, alive()) {
        if (!receives(slot)) continue;
        const PayloadKey key{part_.peer, static_cast<std::uint64_t>(slot), round};
        tally.checked += part_.area.bytes;
        tally.wrong += payload.wrong(part_.area, slot, key);
    }
    return tally;
}

void Connection::close() {
    if (failure_ || flow_->is_abandoned()) return;
    channel_->close();
}

/// Slot 0 of a ping-pong goes to the answerer, slot 1 comes back.
bool Connection::sends(int slot) const {
    switch (part_.task) {
        case Task::send: return true;
        case Task::receive: return false;
        case Task::ask: return slot == 0;
        case Task::answer: break;
    }
    return slot == 1;
}

bool Connection::receives(int slot) const {
    return part_.task != Task::send && !sends(slot);
}

void Connection::fail(const Error& error) {
    failure_ = error;
    flow_->give_up();
}

}  // namespace railgauge
