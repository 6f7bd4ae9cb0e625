// SPDX-License-Identifier: Apache-2.0
#include "first_contact.hpp"

#include "backoff.hpp"

namespace gpu_double {
namespace {

std::atomic<bool>& flag(ncclComm& communicator, Direction direction, int from, int to) {
    Header& header = communicator.segment().header();
    auto& flags = direction == Direction::send ? header.sends : header.receives;
    return flags[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

template <class Use>
void for_each_message(const std::vector<Launch>& launches, Use use) {
    for (const Launch& launch : launches)
        for (const Message& message : launch.messages)
            use(*launch.communicator, message);
}

void announce(ncclComm& communicator, const Message& message) {
    const int self = communicator.rank();
    const bool sends = message.direction == Direction::send;
    flag(communicator, message.direction, sends ? self : message.peer,
         sends ? message.peer : self) = true;
}

void wait_for_counterpart(ncclComm& communicator, const Message& message) {
    const int self = communicator.rank();
    const bool sends = message.direction == Direction::send;
    const Direction opposite = sends ? Direction::receive : Direction::send;
    const std::atomic<bool>& counterpart =
        flag(communicator, opposite, sends ? self : message.peer, sends ? message.peer : self);
    for (Backoff backoff; !counterpart && !communicator.stopped();)
        backoff.pause();
}

}  // namespace

void make_first_contacts(const std::vector<Launch>& launches) {
    for_each_message(launches, announce);
    for_each_message(launches, wait_for_counterpart);
}

}  // namespace gpu_double
