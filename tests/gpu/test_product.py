# SPDX-License-Identifier: Apache-2.0
"""Every operation, type, reduction and place gives right results at any number of ranks."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
from conftest import Measure

MOVES = ("all_gather", "broadcast", "alltoall", "alltoallv", "gather", "scatter", "sendrecv")
REDUCES = ("all_reduce", "reduce_scatter", "reduce")
NEEDS_POWER_OF_TWO = "hypercube"
ONLY_OUT_OF_PLACE = ("alltoallv", "sendrecv")
INTEGERS = ("int8", "uint8", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64", "float8e4m3", "float8e5m2")
REDUCTIONS = ("sum", "prod", "min", "max", "avg", "mulsum")
SIZES = ("1000", "64KiB")

FULL = os.environ.get("RAILGAUGE_FULL_PRODUCT") == "1"
SEED = int(os.environ.get("RAILGAUGE_PRODUCT_SEED", "1"))


def sample(ranks: int) -> tuple[list[str], list[str]]:
    """Types and reductions to measure: all, or some of each kind, the same for a seed."""
    if FULL:
        return [*INTEGERS, *FLOATS, "bytes"], list(REDUCTIONS)
    choice = random.Random(SEED * 1000 + ranks)
    types = [*choice.sample(INTEGERS, 1), *choice.sample(FLOATS, 2), "bytes"]
    return types, choice.sample(REDUCTIONS, 3)


def expected_cases(ranks: int, types: list[str], reductions: list[str]) -> Counter[str]:
    """How many cases of each operation have which status."""
    expected: Counter[str] = Counter()
    numbers = [name for name in types if name != "bytes"]
    hypercube = [NEEDS_POWER_OF_TWO] if ranks & (ranks - 1) == 0 else []
    for operation in REDUCES:
        expected[f"{operation} done"] = len(numbers) * len(reductions) * 2 * len(SIZES)
    for operation in (*MOVES, *hypercube):
        places = 1 if operation in ONLY_OUT_OF_PLACE else 2
        expected[f"{operation} done"] = len(types) * places * len(SIZES)
    in_place = len(types) * len(SIZES)
    expected["alltoall done"] -= in_place
    expected["alltoall skipped"] = in_place
    return expected


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
def test_every_case_has_no_wrong_element_or_is_skipped_for_a_reason(
    ranks: int, measure: Measure
) -> None:
    types, reductions = sample(ranks)
    ended = measure(
        *("--op", "all", "--dtype", ",".join(types), "--redop", ",".join(reductions)),
        *("--place", "both", "--sizes", ",".join(SIZES), "-n", "2", "-w", "1"),
        ranks=ranks,
    )
    assert ended.code == 0, ended.stderr
    run = ended.run
    found = Counter(f"{case['operation']} {case['status']}" for case in run.cases)
    assert found == expected_cases(ranks, types, reductions), (SEED, types, reductions)
    for case in run.status("done"):
        assert (case["wrong_elements"], case["reason"]) == (0, ""), case
        assert case["checked_elements"] > 0, case
    assert all("no alltoall in place" in case["reason"] for case in run.status("skipped"))


def test_any_root_of_any_group_is_right(measure: Measure) -> None:
    ended = measure(
        *("--op", "broadcast,reduce,gather,scatter", "--root", "1", "--place", "both"),
        *("--split", "pair", "--groups", "both", "--sizes", "4KiB", "-n", "2"),
        ranks=4,
    )
    assert ended.code == 0, ended.stderr
    assert len(ended.run.status("done")) == 4 * 2 * 3
    assert not any(case["wrong_elements"] for case in ended.run.cases)
