# SPDX-License-Identifier: Apache-2.0
"""Wrong elements are found and counted exactly, where they are."""

from __future__ import annotations

import pytest
from conftest import Measure

# A case of --iterations 2 --warmup 1 has as many collectives, the first and last of them checked.
PER_CASE = 1 + 1 + 2 + 1
FEW = ("--sizes", "4KiB", "-n", "2", "-w", "1")
ON_EVERY_RANK = "all_reduce,all_gather,reduce_scatter,broadcast,alltoall,alltoallv,scatter,sendrecv"
TYPES = (
    *("int8", "uint8", "int32", "uint32", "int64", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "float8e4m3", "float8e5m2"),
)


def faults(rank: int, cases: int, offset: int, elements: int) -> str:
    """In collective `offset` of every case."""
    moments = (number * PER_CASE + offset for number in range(cases))
    return ",".join(f"{rank}:{moment}:corrupt:{elements}" for moment in moments)


@pytest.mark.parametrize(("ranks", "offset"), [(2, 0), (3, PER_CASE - 1), (8, 0)])
def test_a_check_round_counts_the_wrong_elements_of_every_operation(
    ranks: int, offset: int, measure: Measure
) -> None:
    ended = measure("--op", ON_EVERY_RANK, *FEW, ranks=ranks, fault=faults(1, 8, offset, 3))
    assert ended.code == 4, ended.stderr
    found = {
        case["operation"]: (case["status"], case["wrong_elements"]) for case in ended.run.cases
    }
    assert found == dict.fromkeys(ON_EVERY_RANK.split(","), ("wrong", 3)) | {
        "alltoallv": ("wrong", 3 * ranks)  # the fault is in each message that the rank receives
    }


def test_a_check_round_counts_the_wrong_elements_of_the_root_alone(measure: Measure) -> None:
    ended = measure(
        *("--op", "reduce,gather", "--root", "2", *FEW),
        ranks=3,
        fault=f"{faults(2, 2, 0, 5)},{faults(1, 2, 0, 7)}",
    )
    assert ended.code == 4, ended.stderr
    assert [case["wrong_elements"] for case in ended.run.cases] == [5, 5]


def test_one_bit_of_any_type_is_seen(measure: Measure) -> None:
    ended = measure("--dtype", ",".join(TYPES), *FEW, fault=faults(0, len(TYPES), 0, 1))
    assert ended.code == 4, ended.stderr
    assert [case["wrong_elements"] for case in ended.run.cases] == [1] * len(TYPES)


def test_wrong_elements_of_all_ranks_and_rounds_add_up_for_their_case_alone(
    measure: Measure,
) -> None:
    ended = measure(
        *("--op", "all_gather,all_reduce", *FEW),
        ranks=3,
        fault=f"1:0:corrupt:3,2:0:corrupt:4,1:{PER_CASE - 1}:corrupt:5",
    )
    assert ended.code == 4, ended.stderr
    wrong, right = ended.run.cases
    assert (wrong["status"], wrong["wrong_elements"]) == ("wrong", 12)
    assert wrong["reason"] == "12 of 6138 checked elements are wrong"
    assert (right["status"], right["wrong_elements"]) == ("done", 0)
