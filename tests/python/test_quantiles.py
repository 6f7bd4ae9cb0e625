# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from railgauge.quantiles import VALUE_LIMIT, ExactQuantiles

values_lists = st.lists(
    st.one_of(
        st.integers(0, 30_000),
        st.integers(0, 10_000_000),
        st.integers(0, VALUE_LIMIT - 1),
    ),
    min_size=1,
    max_size=300,
)


def resolve(values: np.ndarray, ranks: list[int], bits: int, slab: int) -> ExactQuantiles:
    slabs = [values[i : i + slab] for i in range(0, values.size, slab)]
    exact = ExactQuantiles(bits)
    for part in slabs:
        exact.add(part)
    exact.aim(ranks)
    passes = 1
    while not exact.resolved:
        for part in slabs:
            exact.refine(part)
        exact.narrow()
        passes += 1
        assert passes < 10
    return exact


@settings(deadline=None)
@given(values_lists, st.sampled_from([4, 8, 14]), st.integers(1, 100))
def test_every_order_statistic_equals_the_sorted_values(
    numbers: list[int], bits: int, slab: int
) -> None:
    values = np.array(numbers, np.int64)
    exact = resolve(values, list(range(values.size)), bits, slab)
    assert [exact.value(r) for r in range(values.size)] == sorted(numbers)
    assert exact.count == len(numbers)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000_000), st.integers(1, 9)), min_size=1, max_size=99))
def test_a_weight_is_as_many_equal_values(pairs: list[tuple[int, int]]) -> None:
    values, weights = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    repeated = sorted(np.repeat(values, weights).tolist())
    exact = ExactQuantiles(4)
    exact.add(values, weights)
    exact.aim(range(len(repeated)))
    while not exact.resolved:
        exact.refine(values, weights)
        exact.narrow()
    assert exact.count == len(repeated)
    assert [exact.value(r) for r in range(len(repeated))] == repeated


@settings(deadline=None)
@given(values_lists, st.integers(0, 10_000_000))
def test_count_above_is_exact_for_the_threshold_it_returns(numbers: list[int], value: int) -> None:
    exact = ExactQuantiles()
    exact.add(np.array(numbers, np.int64))
    threshold, count = exact.count_above(value)
    assert value < threshold <= value * (1 + 2**-13) + 1
    assert count == sum(n >= threshold for n in numbers)


def test_short_times_need_one_pass_only() -> None:
    exact = ExactQuantiles()
    exact.add(np.arange(16_000, dtype=np.int64))
    exact.aim(range(0, 16_000, 7))
    assert exact.resolved
    assert exact.value(7) == 7


def test_ranks_out_of_range_are_not_wanted() -> None:
    exact = ExactQuantiles()
    exact.add(np.array([3], np.int64))
    exact.aim([-1, 0, 5])
    assert exact.value(0) == 3
    with pytest.raises(KeyError):
        exact.value(5)


@pytest.mark.parametrize("value", [-1, 2 * VALUE_LIMIT])
def test_values_outside_the_domain_are_refused(value: int) -> None:
    with pytest.raises(ValueError, match=r"below 2\^52|negative"):
        ExactQuantiles().add(np.array([1, value], np.int64))


def test_a_stream_that_changes_between_passes_is_noticed() -> None:
    exact = ExactQuantiles(4)
    exact.add(np.array([1000, 1001, 1002], np.int64))
    exact.aim([2])
    exact.refine(np.array([5], np.int64))
    with pytest.raises(ValueError, match="changed"):
        exact.narrow()
