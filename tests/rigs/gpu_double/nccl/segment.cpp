// SPDX-License-Identifier: Apache-2.0
#include "segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backoff.hpp"

namespace gpu_double {
namespace {

std::size_t bytes_for(int ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    return sizeof(Header) + slot_bytes * n + sizeof(Mailbox) * n * n;
}

}  // namespace

std::unique_ptr<Segment> Segment::open(const std::string& name, int ranks) {
    const std::size_t bytes = bytes_for(ranks);
    const int file = shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
    if (file < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return nullptr;
    return std::unique_ptr<Segment>(new Segment(name, ranks, memory, bytes));
}

Segment::~Segment() {
    munmap(memory_, bytes_);
}

bool Segment::agrees_on_ranks() {
    int expected = 0;
    return header().ranks.compare_exchange_strong(expected, ranks_) || expected == ranks_;
}

void Segment::unlink() const {
    shm_unlink(name_.c_str());
}

Outcome Segment::meet(Barrier& barrier, const std::atomic<bool>& stop) {
    const unsigned phase = barrier.phase;
    if (barrier.arrived.fetch_add(1) + 1 == ranks_) {
        barrier.arrived = 0;
        ++barrier.phase;
        return Outcome::done;
    }
    Backoff backoff;
    while (barrier.phase == phase) {
        if (stop) return Outcome::stopped;
        backoff.pause();
    }
    return Outcome::done;
}

char* Segment::slot(int rank) {
    return static_cast<char*>(memory_) + sizeof(Header) +
           slot_bytes * static_cast<std::size_t>(rank);
}

Mailbox& Segment::mailbox(int from, int to) {
    auto* first = reinterpret_cast<Mailbox*>(slot(ranks_));
    return first[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
                 static_cast<std::size_t>(to)];
}

}  // namespace gpu_double
