// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "measure/clock.hpp"
#include "measure/progress.hpp"
#include "measure/team.hpp"
#include "measure/workload.hpp"

namespace railgauge::testing {

/// One rank alone, or two of which the other says what the test wants.
class FakeTeam : public Team {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void barrier() override { ++barriers; }
    double max(double value) override {
        ++agreements;
        return value * other_slower;
    }
    std::int64_t max(std::int64_t value) override { return value + other_later_ns; }
    CheckTally agree(const std::optional<Failure>& failure, CheckTally tally) override {
        if (failure) throw AgreedError(failure->code, failure->text);
        if (other_failure) throw AgreedError(other_failure->code, other_failure->text);
        return {tally.checked + other_tally.checked, tally.wrong + other_tally.wrong};
    }

    int barriers = 0;
    int agreements = 0;
    double other_slower = 1;  ///< what the other rank says, over what this one says
    std::int64_t other_later_ns = 0;
    CheckTally other_tally;
    std::optional<Failure> other_failure;
};

/// A clock that only moves when a workload or a reader moves it.
struct FakeClock {
    static inline std::int64_t time_ns = 0;
    static inline std::int64_t step_per_read_ns = 0;
    static std::int64_t now_ns() { return time_ns += step_per_read_ns; }
    static Clock clock() { return {&now_ns}; }
};

/// An operation that takes `duration_ns` of the fake clock.
class FakeWorkload : public IterationWorkload {
  public:
    void prepare(const Case&) override {
        ++prepared;
        if (prepare_failure) throw Error(*prepare_failure);
    }
    int group() const override { return colour; }
    Traffic traffic() const override { return {1000, 2000, 1.5}; }
    void launch() override {
        ++launched;
        FakeClock::time_ns += duration_ns;
        duration_ns += growth_ns;
    }
    void complete() override { ++completed; }
    CheckTally check(std::uint64_t round) override {
        rounds.push_back(round);
        return {100, round == wrong_round ? wrong : 0};
    }

    int colour = 0;
    std::int64_t duration_ns = 500;
    std::int64_t growth_ns = 0;
    std::uint64_t wrong = 0;
    std::uint64_t wrong_round = 1;
    std::optional<Error> prepare_failure;
    int prepared = 0;
    std::uint64_t launched = 0;
    std::uint64_t completed = 0;
    std::vector<std::uint64_t> rounds;
};

/// Requests of 100 ns of the fake clock, back to back until the window ends; those of the warm-up
/// are not sampled.
class FakeWindowWorkload : public WindowWorkload {
  public:
    void prepare(const Case&) override {}
    int group() const override { return colour; }
    Traffic traffic() const override { return {8, 8, 1}; }
    std::vector<SampleColumn> columns() const override {
        return {{"start_ns", "ns", CellType::i64, {}},
                {"elapsed_ns", "ns", CellType::i64, {}},
                {"bytes", "B", CellType::u64, Cell{8}}};
    }
    void run(const Window& window, SampleSink& sink) override {
        seen = window;
        if (progress != nullptr) sequence_inside = progress->snapshot().sequence;
        if (failure) throw Error(*failure);
        for (; FakeClock::time_ns < window.end_ns; FakeClock::time_ns += 100) {
            const std::array<Cell, 2> row{static_cast<Cell>(FakeClock::time_ns), 100};
            if (FakeClock::time_ns >= window.begin_ns) sink.add(row);
        }
    }
    CheckTally check() override { return {10, wrong}; }

    int colour = 0;
    std::uint64_t wrong = 0;
    std::optional<Error> failure;
    std::optional<Window> seen;
    const Progress* progress = nullptr;
    std::uint64_t sequence_inside = 0;
};

}  // namespace railgauge::testing
