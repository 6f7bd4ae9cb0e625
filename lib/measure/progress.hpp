// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace railgauge {

/// Where a rank is, in the order of a run. `launch` lasts until MPI_Init is called.
enum class Phase : std::uint8_t {
    launch,
    init,
    setup,
    prepare,
    check_before,
    warmup,
    timed,
    check_after,
    record,
    between,
    finalize
};

std::string_view to_text(Phase phase);

/// This rank's position, written by the measuring thread and read by its watchdog.
///
/// In the timed loop `sequence` is 2 i + 1 inside operation i and 2 i + 2 after it, so that a rank
/// that has not entered can be told from one that never left. Writing is one relaxed store, about
/// 0.3 ns.
class Progress {
  public:
    struct Snapshot {
        Phase phase;
        int case_id;  ///< -1 outside a case
        std::uint64_t sequence;
    };

    void set(Phase phase, int case_id) noexcept {
        sequence_.store(0, std::memory_order_relaxed);
        place_.store(Place{phase, case_id}, std::memory_order_release);
        changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    void set(Phase phase) noexcept { set(phase, place_.load(std::memory_order_relaxed).case_id); }

    void enter(std::uint64_t operation) noexcept {
        sequence_.store(2 * operation + 1, std::memory_order_relaxed);
    }
    void leave(std::uint64_t operation) noexcept {
        sequence_.store(2 * operation + 2, std::memory_order_relaxed);
    }
    /// In a case that this rank has no part in: until the next set(), others decide what happens.
    static constexpr std::uint64_t resting = ~std::uint64_t{0};
    void rest() noexcept { sequence_.store(resting, std::memory_order_relaxed); }

    /// For work whose operations are not counted (writing a block, a check round): the rank is
    /// alive.
    void tick() noexcept {
        changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    Snapshot snapshot() const noexcept {
        const Place place = place_.load(std::memory_order_acquire);
        return {place.phase, place.case_id, sequence_.load(std::memory_order_relaxed)};
    }

    /// Changes whenever the rank got on; what the deadline watches.
    std::uint64_t pulse() const noexcept {
        return (changes_.load(std::memory_order_relaxed) << 40) ^
               sequence_.load(std::memory_order_relaxed);
    }

  private:
    /// One word, so that no reader sees the phase of one case with the id of another.
    struct Place {
        Phase phase;
        int case_id;
    };
    static_assert(std::atomic<Place>::is_always_lock_free);

    std::atomic<Place> place_{Place{Phase::launch, -1}};
    std::atomic<std::uint64_t> sequence_{0};
    std::atomic<std::uint64_t> changes_{0};
};

}  // namespace railgauge
