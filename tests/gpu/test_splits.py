# SPDX-License-Identifier: Apache-2.0
"""Groups of ranks work by themselves, and each has its own result."""

from __future__ import annotations

import platform

import pytest
from conftest import Measure, Run

PER_CASE = 1 + 1 + 3 + 1  # collectives of a case: check, warm-up, timed, check
FEW = ("--sizes", "4KiB", "-n", "3", "-w", "1", "--groups", "both")


def groups(run: Run) -> dict[str, list[int]]:
    """By what a case is called after its split: the group of each rank."""
    return {
        case["active"]: run.samples[case["id"]].group
        for case in run.cases
        if case["id"] in run.samples
    }


def expect_samples_of_active_ranks_alone(run: Run) -> None:
    """A rank that works has all the samples, one that rests has none."""
    for case in run.cases:
        samples = run.samples[case["id"]]
        assert samples.counts == [0 if group < 0 else 3 for group in samples.group], case["name"]
        assert case["samples"] == sum(samples.counts)
        assert (case["status"], case["wrong_elements"]) == ("done", 0), case


@pytest.mark.parametrize(
    ("split", "ranks", "group_ranks", "expected"),
    [
        (
            *("pair", 4, 2),
            {"together": [0, 0, 1, 1], "pair0": [0, 0, -1, -1], "pair1": [-1, -1, 1, 1]},
        ),
        (
            *("pair", 3, 2),  # the last one has no partner
            {"together": [0, 0, -1], "pair0": [0, 0, -1]},
        ),
        (
            *("local-index", 3, 1),
            {
                "together": [0, 1, 2],
                "local0": [0, -1, -1],
                "local1": [-1, 1, -1],
                "local2": [-1, -1, 2],
            },
        ),
        (*("node", 3, 3), {"together": [0, 0, 0], platform.node(): [0, 0, 0]}),
    ],
)
def test_a_group_has_its_own_samples_and_others_rest(
    split: str, ranks: int, group_ranks: int, expected: dict[str, list[int]], measure: Measure
) -> None:
    ended = measure(*FEW, "--split", split, ranks=ranks)
    assert ended.code == 0, ended.stderr
    run = ended.run
    assert groups(run) == expected
    expect_samples_of_active_ranks_alone(run)
    for case in run.cases:
        assert (case["split"], case["group_ranks"]) == (split, group_ranks)
        assert case["name"].endswith(f"/{split}/{case['active']}")
        together = case["active"] == "together"
        alone = -1 if together else max(run.samples[case["id"]].group)
        assert case["active_group"] == alone


def test_a_group_s_wrong_elements_are_its_own(measure: Measure) -> None:
    # In the case of that group alone, which is its second; the case of all comes first.
    fault = f"export RAILGAUGE_DOUBLE_FAULT=1:{PER_CASE}:corrupt:3"
    ended = measure(
        *(*FEW, "--split", "pair"),
        ranks=4,
        rank_setting=f'[ "$OMPI_COMM_WORLD_RANK" != 3 ] || {fault}',
    )
    assert ended.code == 4, ended.stderr
    wrong = {case["active"]: case["wrong_elements"] for case in ended.run.cases}
    assert wrong == {"together": 0, "pair0": 0, "pair1": 3}


def test_groups_that_work_at_once_count_wrong_elements_together(measure: Measure) -> None:
    ended = measure(
        *(*FEW, "--split", "pair"),
        ranks=4,
        rank_setting=(
            'case "$OMPI_COMM_WORLD_RANK" in\n'
            "1) export RAILGAUGE_DOUBLE_FAULT=1:0:corrupt:3 ;;\n"
            "2) export RAILGAUGE_DOUBLE_FAULT=0:0:corrupt:4 ;;\n"
            "esac"
        ),
    )
    assert ended.code == 4, ended.stderr
    wrong = {case["active"]: case["wrong_elements"] for case in ended.run.cases}
    assert wrong == {"together": 7, "pair0": 0, "pair1": 0}
    # Each row of the table on stdout has what its own ranks found.
    rows = [line.split() for line in ended.stdout.splitlines() if " together " in line]
    assert [(row[0], row[-1]) for row in rows] == [("pair0", "3"), ("pair1", "4")]


def test_every_kind_of_buffer_is_measured_with_every_choice_of_groups(measure: Measure) -> None:
    ended = measure(*(*FEW, "--split", "pair", "--buffers", "plain,registered,symmetric"), ranks=4)
    assert ended.code == 0, ended.stderr
    run = ended.run
    found = [(case["buffers"], case["active"]) for case in run.cases]
    kinds = ("plain", "registered", "symmetric")
    assert found == [(kind, who) for kind in kinds for who in ("together", "pair0", "pair1")]
    expect_samples_of_active_ranks_alone(run)
