# SPDX-License-Identifier: Apache-2.0
"""Shares, Jain's index, slices and gaps of known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from railgauge.incast_shares import (
    MOST_CELLS,
    SenderTally,
    SlicePlan,
    coarser,
    gbit_per_s,
    jain,
    last_step_ns,
    named,
    plan_slices,
    shares,
    slice_fairness,
)

MS = 1_000_000


@pytest.mark.parametrize("n", [1, 2, 3, 7, 47, 1000])
@pytest.mark.parametrize("value", [1, 3, 10**15 + 1])
def test_jain_is_exactly_1_where_all_have_the_same_and_1_of_n_where_one_has_all(
    n: int, value: int
) -> None:
    assert jain([value] * n) == 1.0
    assert jain([value] + [0] * (n - 1)) == 1 / n


def test_jain_of_unequal_parts_is_its_formula() -> None:
    assert jain([1, 2, 3]) == pytest.approx(36 / (3 * 14))
    assert math.isnan(jain([0, 0]))


def test_a_share_is_the_part_of_the_mean() -> None:
    assert shares([2, 1, 3]).tolist() == [1.0, 0.5, 1.5]
    assert np.isnan(shares([0, 0])).all()


@pytest.mark.parametrize("senders", [2, 4, 8, 47])
def test_a_sender_limited_to_half_is_named_and_nobody_in_a_fair_window(senders: int) -> None:
    limited = [100] * (senders - 1) + [50]
    assert named(shares(limited)) == [senders - 1]
    nearly_fair = [100 + (i % 3) for i in range(senders)]
    assert named(shares(nearly_fair)) == []


def test_those_named_come_least_first() -> None:
    assert named(shares([100, 10, 100, 50, 100, 100])) == [1, 3]


def test_bits_per_nanosecond_are_gbit_per_second() -> None:
    assert gbit_per_s(125_000_000, 10**9) == 1.0


def test_the_last_step_of_a_ramp_begins_when_the_last_sender_starts() -> None:
    assert last_step_ns(100, 4) == 75
    assert last_step_ns(100, 1) == 0


def tally(plan: SlicePlan, completed: list[int], cuts: int = 1) -> SenderTally:
    found = SenderTally(plan)
    for part in np.array_split(np.array(completed, np.int64), cuts):
        found.add(part, np.full(part.size, 10), np.full(part.size, 2))
    found.finish()
    return found


def test_a_completion_at_a_border_is_in_the_slice_that_begins_there() -> None:
    plan = plan_slices(0, 30 * MS, 10 * MS, 1)
    times = [0, 10 * MS - 1, 10 * MS, 20 * MS, 30 * MS - 1, 30 * MS, 31 * MS]
    found = tally(plan, times)
    assert found.bytes.tolist() == [20, 10, 20]
    assert (found.rows, found.requests) == (5, 10)


def test_a_shorter_last_slice_counts_but_is_not_compared() -> None:
    plan = plan_slices(0, 25 * MS, 10 * MS, 1)
    assert (plan.count, plan.full, plan.duration_ns) == (3, 2, 25 * MS)
    assert tally(plan, [24 * MS]).bytes.tolist() == [0, 0, 10]


def test_slices_of_a_ramp_begin_with_its_last_step() -> None:
    plan = plan_slices(75 * MS, 100 * MS, 10 * MS, 4)
    assert tally(plan, [74 * MS, 75 * MS, 85 * MS]).bytes.tolist() == [10, 10, 0]


def test_slices_of_long_windows_are_widened_so_that_memory_is_bounded() -> None:
    plan = plan_slices(0, 10**14, 10 * MS, 47)
    assert plan.count * 47 <= MOST_CELLS
    assert plan.width_ns % (10 * MS) == 0


@pytest.mark.parametrize("cuts", [1, 2, 5])
def test_the_longest_gap_includes_begin_and_end_and_does_not_care_for_blocks(cuts: int) -> None:
    plan = plan_slices(0, 100, 10, 1)
    assert tally(plan, [10, 20, 60, 61, 90], cuts).longest_gap_ns == 40
    assert tally(plan, [50, 60, 70, 80, 90], cuts).longest_gap_ns == 50
    assert tally(plan, [1, 2, 3, 4, 30], cuts).longest_gap_ns == 70
    assert tally(plan, [], 1).longest_gap_ns == 100


def test_starvation_counts_slices_in_which_others_finished_something() -> None:
    x = np.array([[1, 0, 0, 4], [1, 2, 0, 4], [1, 2, 0, 0]])
    found = slice_fairness(x, 30.0)
    assert found.starved == (1, 0, 1)
    assert found.slices == 3
    assert (found.jain_lowest, found.jain_median) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert math.isnan(found.jain_p5)  # takes 200 slices
    assert found.tells
    assert not slice_fairness(x, 19.9).tells


def test_nothing_in_any_slice_is_no_fairness() -> None:
    found = slice_fairness(np.zeros((2, 3), np.int64), 0.0)
    assert found.slices == 0
    assert math.isnan(found.jain_median)
    assert slice_fairness(np.zeros((2, 0), np.int64), 0.0).starved == (0, 0)


def test_coarser_slices_keep_every_byte() -> None:
    x = np.arange(20).reshape(2, 10)
    found, each = coarser(x, 4)
    assert each == 3
    assert found.tolist() == [[3, 12, 21, 9], [33, 42, 51, 19]]
