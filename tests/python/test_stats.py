# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railgauge import stats
from railgauge.model import Rank


def rank(number: int, error_ns: int) -> Rank:
    host = f"n{number}"
    return Rank(number, number, 0, host, -1, "", "", "", -1, -1, "", 0, error_ns)


def test_time_of_a_collective_runs_from_the_latest_entry_to_the_latest_exit() -> None:
    start = np.array([[100, 200], [150, 190]])
    elapsed = np.array([[80, 30], [40, 35]])
    found = stats.spans(start, elapsed)
    assert found.from_last_entry.tolist() == [190 - 150, 230 - 200]
    assert found.from_first_entry.tolist() == [190 - 100, 230 - 190]
    assert found.lateness.tolist() == [[0, 10], [50, 0]]


@given(st.integers(1, 5000), st.sampled_from(stats.QUANTILES))
def test_a_quantile_is_the_smallest_value_with_enough_values_up_to_it(n: int, p: float) -> None:
    index = stats.order_rank(n, p)
    assert (index + 1) / n >= p - 1e-12
    assert index == 0 or index / n < p


@pytest.mark.parametrize(
    ("n", "p", "shown"),
    [
        (999, 0.99, False),
        (1000, 0.99, True),
        (9_999, 0.999, False),
        (10_000, 0.999, True),
        (199, 0.05, False),
        (200, 0.05, True),
        (200, 0.95, True),
        (1, 0.5, True),
        (0, 0.5, False),
    ],
)
def test_percentiles_are_shown_when_ten_values_lie_beyond(n: int, p: float, shown: bool) -> None:
    assert stats.is_shown(n, p) is shown


@pytest.mark.parametrize(
    ("n", "interval"),
    # Table of David and Nagaraja, order statistics counted from 0.
    [(5, None), (6, (0, 5)), (10, (1, 8)), (20, (5, 14)), (50, (17, 32)), (100, (39, 60))],
)
def test_median_interval_is_the_binomial_one(n: int, interval: tuple[int, int] | None) -> None:
    assert stats.median_interval_ranks(n) == interval


def test_median_interval_goes_over_smoothly_to_the_normal_approximation() -> None:
    exact, approximate = stats.median_interval_ranks(1000), stats.median_interval_ranks(1001)
    assert exact is not None
    assert approximate is not None
    assert all(abs(a - b) <= 2 for a, b in zip(exact, approximate, strict=True))


def test_median_interval_covers_the_true_median_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    interval = stats.median_interval_ranks(41)
    assert interval is not None
    draws = np.sort(rng.lognormal(0, 1, (4000, 41)), axis=1)
    covered = (draws[:, interval[0]] <= 1.0) & (draws[:, interval[1]] >= 1.0)
    assert 0.94 < covered.mean() < 0.985


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=200), st.integers(1, 64))
def test_distribution_matches_the_sorted_values(numbers: list[int], per: int) -> None:
    found = stats.distribution_of(np.array(numbers, np.int64), per)
    ordered = sorted(numbers)
    assert found.n == len(numbers)
    assert found.minimum == ordered[0] / per
    assert found.maximum == ordered[-1] / per
    assert math.isclose(found.mean, sum(numbers) / len(numbers) / per, rel_tol=1e-9)
    for p, value in found.quantiles.items():
        assert value == ordered[stats.order_rank(len(numbers), p)] / per


def test_outliers_lie_beyond_both_fences() -> None:
    steady = stats.distribution_of(np.full(100, 1000, np.int64))
    assert stats.outlier_fence(steady) == 1500
    wide = stats.distribution_of(np.arange(1000, 2001, 10, dtype=np.int64))
    assert stats.outlier_fence(wide) == 1750 + 3 * 500
    assert stats.outlier_fence(stats.distribution_of(np.full(19, 1000, np.int64))) is None


def test_ranks_of_one_clock_have_no_clock_error_among_themselves() -> None:
    ranks = [rank(0, 900), rank(1, 900)]
    assert stats.clock_bound_ns(ranks, ["boot-a", "boot-a"], 900) == 0
    assert stats.clock_bound_ns(ranks, ["boot-a", "boot-b"], 900) == 900


def test_lateness_under_twice_the_clock_error_is_not_reported() -> None:
    assert stats.reported_lateness(799, 400) is None
    assert stats.reported_lateness(800, 400) == 800
    assert stats.reported_lateness(0, 0) == 0


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=500),
    st.integers(1, 50),
    st.integers(1, 100),
)
def test_bins_keep_every_extreme_wherever_the_slabs_fall(
    numbers: list[int], at_most: int, slab: int
) -> None:
    values = np.array(numbers, np.int64)
    bins = stats.even_bins(values.size, at_most)
    assert bins.starts.size <= at_most
    for first in range(0, values.size, slab):
        bins.add(first, values[first : first + slab])
    parts = np.split(values, bins.starts[1:])
    assert bins.minimum.tolist() == [p.min() for p in parts]
    assert bins.maximum.tolist() == [p.max() for p in parts]
    assert bins.peak.tolist() == [
        s + int(p.argmax()) for s, p in zip(bins.starts, parts, strict=True)
    ]
    np.testing.assert_allclose(bins.means, [p.mean() for p in parts])


def test_block_means_follow_the_blocks_of_the_run() -> None:
    bins = stats.Bins(np.array([0, 3, 4]), 6)
    bins.add(0, np.array([1, 2, 3, 10, 5, 7]))
    assert bins.means.tolist() == [2.0, 10.0, 6.0]
