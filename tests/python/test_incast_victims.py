# SPDX-License-Identifier: Apache-2.0
"""Congestion factors of victims: of known times, with their intervals, from the right cases."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from synthetic_incast import MS, Cluster, IncastCase, Rows, ping, steady, triple, write_incast_run

from railgauge.incast import Congestion
from railgauge.incast_latency import LatencyTally
from railgauge.incast_results import iterate_incast
from railgauge.incast_sets import Triple, triples
from railgauge.incast_victims import BlockTally, VictimTimes, factors
from railgauge.load import open_run

HOSTS = ["n0", "n1", "n2", "n3", "n4", "n5"]


def joined(folder: Path, cases: list[IncastCase]) -> list[Triple]:
    results = list(iterate_incast(open_run(write_incast_run(folder / "r", Cluster(HOSTS), cases))))
    assert [r.problem for r in results] == [""] * len(cases)
    return triples(results)


def times_of(elapsed: np.ndarray, weights: np.ndarray | None = None) -> VictimTimes:  # type: ignore[type-arg]
    tally, blocks = LatencyTally(), BlockTally(0, elapsed.size)
    tally.add((elapsed, elapsed, weights))
    blocks.add(np.arange(elapsed.size), elapsed, weights)
    blocks.finish()
    latency = tally.finish(lambda: [(elapsed, elapsed, weights)])
    assert latency is not None
    return VictimTimes(latency, blocks)


def test_factors_are_congested_over_isolated_of_average_and_p99() -> None:
    isolated = np.tile(np.arange(1000, 1100), 20)
    congested = isolated * 3
    congested[::40] = 50_000  # 2.5 % of all
    found = factors(times_of(isolated), times_of(congested))
    assert found.average.value == pytest.approx(congested.mean() / isolated.mean())
    assert found.tail.value == 50_000 / 1098  # the smallest value with 99 % up to it
    assert (found.isolated_rows, found.congested_rows) == (2000, 2000)


def test_rows_of_a_victim_are_weighed_by_their_requests() -> None:
    elapsed, weights = np.tile([1000, 2000], 1000), np.tile([3, 1], 1000)
    found = factors(times_of(elapsed, weights), times_of(2 * elapsed, weights))
    assert found.average.value == 2.0
    assert times_of(elapsed, weights).latency.mean == 1250


def test_p99_takes_1000_round_trips_of_each() -> None:
    short, long = np.full(999, 1000), np.full(1000, 2000)
    assert math.isnan(factors(times_of(short), times_of(long)).tail.value)
    assert factors(times_of(long), times_of(long)).tail.value == 1.0


def test_intervals_enclose_the_factor_and_narrow_with_steadiness() -> None:
    random = np.random.RandomState(3)
    steady_times = 1000 + random.randint(0, 50, 20_000)
    phases = 1000 + 400 * (np.arange(20_000) // 625 % 3) + random.randint(0, 50, 20_000)
    calm = factors(times_of(steady_times), times_of(2 * steady_times)).average
    moody = factors(times_of(steady_times), times_of(2 * phases)).average
    for found in (calm, moody):
        assert found.low <= found.value <= found.high
    assert calm.high - calm.low < 0.01
    assert moody.high - moody.low > 0.2  # phases, which single round trips would hide


def test_equal_files_give_equal_intervals() -> None:
    elapsed = 1000 + np.arange(5000) % 77
    first = factors(times_of(elapsed), times_of(3 * elapsed))
    assert first == factors(times_of(elapsed), times_of(3 * elapsed))


def test_too_few_stretches_with_round_trips_have_no_interval() -> None:
    tally = BlockTally(0, 3200)
    tally.add(np.arange(9) * 100, np.full(9, 5), None)
    assert tally.resampled(np.random.RandomState(1)) is None
    tally.add(np.array([950]), np.array([5]), None)
    assert tally.resampled(np.random.RandomState(1)) is not None


def test_the_three_cases_of_a_measurement_are_joined_and_no_others(tmp_path: Path) -> None:
    cases = triple(0, (4, 5), (5_000, 12_500)) + triple(3, (4, 5), (5_000, 50_000), queues=4)
    cases.append(IncastCase(6))  # without a victim
    first, second, alone = joined(tmp_path, cases)
    assert [list(t.parts) for t in (first, second)] == [list(Congestion)] * 2
    assert list(alone.parts) == [Congestion.ALONE]
    assert alone.factors is None
    assert first.factors is not None
    assert second.factors is not None
    assert first.factors.average.value == pytest.approx(2.5, rel=1e-3)
    assert second.factors.average.value == pytest.approx(10, rel=1e-3)
    assert first.change == (0.0,)


def test_cases_are_joined_by_what_they_are_and_not_by_their_order(tmp_path: Path) -> None:
    cases = triple(0, (4, 5), (5_000, 12_500))[:2]
    cases += triple(2, (4, 5), (5_000, 50_000), queues=4)[:2]
    mixed = [replace(cases[i], id=n) for n, i in enumerate((0, 2, 1, 3))]
    found = [t.factors.average.value for t in joined(tmp_path, mixed) if t.factors]
    assert found == [pytest.approx(2.5, rel=1e-3), pytest.approx(10, rel=1e-3)]


def test_a_victim_that_slows_the_incast_down_shows_in_its_change(tmp_path: Path) -> None:
    cases = triple(0, (4, 5), (5_000, 12_500))
    cases[1].rows = steady(every_ns=125_000)
    (found,) = joined(tmp_path, cases)
    assert found.change == (pytest.approx(-0.2),)


def test_the_receiver_itself_may_answer_the_victim(tmp_path: Path) -> None:
    (found,) = joined(tmp_path, triple(0, (5, 0), (5_000, 10_000), senders=(1, 2)))
    assert found.factors is not None
    assert found.factors.average.value == pytest.approx(2, rel=1e-3)
    assert [s.rank for s in found.parts[Congestion.CONGESTED].receivers[0].senders] == [1, 2]


def test_round_trips_after_the_window_or_before_a_ramps_last_step_are_left_out(
    tmp_path: Path,
) -> None:
    def early_and_late(case: IncastCase, rank: int) -> Rows:
        found = ping(5_000, spread=1)(case, rank)
        before = found.completed_ns < 2 * case.duration_ns // 3
        times = np.where(before, 1000, found.elapsed_ns)
        completed = np.append(found.completed_ns, case.duration_ns + MS)
        return Rows(completed, np.append(times, 99_000))

    cases = [
        replace(c, ramp=True, victim_rows=early_and_late) for c in triple(0, (4, 5), (5_000, 5_000))
    ]
    (found,) = joined(tmp_path, cases)
    congested = found.parts[Congestion.CONGESTED].victim
    assert congested is not None
    assert congested.latency.maximum == 5_000


def test_wrong_data_have_no_factor(tmp_path: Path) -> None:
    cases = triple(0, (4, 5), (5_000, 12_500))
    cases[1] = replace(cases[1], status="wrong", wrong=8)
    (found,) = joined(tmp_path, cases)
    assert found.factors is None
    assert found.change == ()
