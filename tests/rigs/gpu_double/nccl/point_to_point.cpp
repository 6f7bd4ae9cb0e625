// SPDX-License-Identifier: Apache-2.0
#include "point_to_point.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "backoff.hpp"
#include "corruption.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"

namespace gpu_double {
namespace {

enum class Progress { none, some, all, refused };

class Transfer {
  public:
    Transfer(const Message& message, ncclComm& communicator)
        : message_(message),
          bytes_(message.count * element_bytes(message.type)),
          memory_(static_cast<char*>(gpu_double_find(message.memory, bytes_))),
          mailbox_(message.direction == Direction::send
                       ? communicator.segment().mailbox(communicator.rank(), message.peer)
                       : communicator.segment().mailbox(message.peer, communicator.rank())) {}

    bool has_memory() const { return bytes_ == 0 || memory_ != nullptr; }
    bool is_complete() const { return moved_ == bytes_; }
    std::pair<Direction, int> way() const { return {message_.direction, message_.peer}; }

    Progress advance() {
        const Letterbox state = mailbox_.state.load(std::memory_order_acquire);
        if (state == Letterbox::refused) return Progress::refused;
        const bool sends = message_.direction == Direction::send;
        if ((state == Letterbox::empty) != sends) return Progress::none;
        if (!sends && mailbox_.message_bytes != bytes_) {
            mailbox_.state.store(Letterbox::refused, std::memory_order_release);
            return Progress::refused;
        }
        sends ? put() : take();
        return is_complete() ? Progress::all : Progress::some;
    }

    void corrupt_result(std::size_t elements) {
        if (message_.direction == Direction::receive)
            corrupt(memory_, message_.count, element_bytes(message_.type), elements);
    }

  private:
    void put() {
        mailbox_.message_bytes = bytes_;
        mailbox_.bytes = std::min(letter_bytes, bytes_ - moved_);
        std::memcpy(mailbox_.data.data(), memory_ + moved_, mailbox_.bytes);
        moved_ += mailbox_.bytes;
        mailbox_.state.store(Letterbox::full, std::memory_order_release);
    }
    void take() {
        std::memcpy(memory_ + moved_, mailbox_.data.data(), mailbox_.bytes);
        moved_ += mailbox_.bytes;
        mailbox_.state.store(Letterbox::empty, std::memory_order_release);
    }

    const Message& message_;
    const std::size_t bytes_;
    char* const memory_;
    Mailbox& mailbox_;
    std::size_t moved_ = 0;
};

// Messages on one way keep their order: a later one waits for the earlier.
Progress advance_all(std::vector<Transfer>& transfers) {
    std::set<std::pair<Direction, int>> taken;
    Progress all = Progress::all;
    bool moved = false;
    for (Transfer& transfer : transfers) {
        if (transfer.is_complete()) continue;
        Progress one = Progress::none;
        if (taken.insert(transfer.way()).second) one = transfer.advance();
        if (one == Progress::refused) return one;
        moved = moved || one != Progress::none;
        if (!transfer.is_complete()) all = Progress::none;
    }
    return all == Progress::none && moved ? Progress::some : all;
}

Outcome exchange(std::vector<Transfer>& transfers, ncclComm& communicator) {
    Backoff backoff;
    while (!communicator.stopped()) {
        switch (advance_all(transfers)) {
            case Progress::all: return Outcome::done;
            case Progress::some: backoff = {}; break;
            case Progress::none: backoff.pause(); break;
            case Progress::refused:
                communicator.raise(
                    ncclInvalidUsage,
                    "mismatch: a message was sent with one size and received with another");
                return Outcome::stopped;
        }
    }
    return Outcome::stopped;
}

}  // namespace

ncclResult_t validate(const Message& message, const ncclComm& communicator) {
    if (message.type < 0 || message.type >= ncclNumTypes)
        return fail(ncclInvalidArgument, "Send or Recv: no such data type");
    if (message.peer < 0 || message.peer >= communicator.ranks())
        return fail(ncclInvalidArgument, "Send or Recv: no such peer");
    const std::size_t bytes = message.count * element_bytes(message.type);
    if (bytes != 0 && gpu_double_find(message.memory, bytes) == nullptr)
        return fail(ncclInvalidArgument, "Send or Recv: the buffer is not all device memory");
    return ncclSuccess;
}

Outcome run(const std::vector<Message>& messages, ncclComm& communicator, std::uint64_t sequence) {
    std::vector<Transfer> transfers;
    transfers.reserve(messages.size());
    for (const Message& message : messages) {
        if (!transfers.emplace_back(message, communicator).has_memory()) {
            communicator.raise(ncclUnhandledCudaError, "Send or Recv: its memory is gone");
            return Outcome::stopped;
        }
    }
    const auto fault = communicator.faults().at(sequence);
    if (fault && communicator.suffer(*fault, "Send or Recv") == Outcome::stopped)
        return Outcome::stopped;
    if (exchange(transfers, communicator) == Outcome::stopped) return Outcome::stopped;
    if (fault && fault->kind == FaultKind::corrupt)
        for (Transfer& transfer : transfers)
            transfer.corrupt_result(static_cast<std::size_t>(fault->amount));
    return Outcome::done;
}

}  // namespace gpu_double
