# SPDX-License-Identifier: Apache-2.0
"""GPU to GPU within a node, over NCCL's sends and receives."""

from __future__ import annotations

import pytest
from conftest import PAIRS, Measure

FEW = ("--sizes", "4KiB", "-n", "5", "--depth", "1")
NCCL_TEXT = "remote process exited or there was a network error"


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_every_pair_of_gpus_is_measured_and_right(ranks: int, measure: Measure) -> None:
    ended = measure(
        *(*FEW, "--pattern", "node-pairs,node-first", "--op", "bandwidth,latency"),
        *("--direction", "forward,both", "--depth", "4"),
        ranks=ranks,
        program=PAIRS,
    )
    assert ended.code == 0, ended.stderr
    run = ended.run
    assert {case["status"] for case in run.cases} == {"done"}
    assert {case["memory"] for case in run.cases} == {"cuda"}
    assert sum(case["wrong_elements"] for case in run.cases) == 0
    assert all(case["checked_elements"] > 0 for case in run.cases)


def test_an_error_is_named_with_its_rank_and_text(measure: Measure) -> None:
    ended = measure(
        *(*FEW, "--pattern", "node-first", "--timeout", "3s"), fault="1:9:error", program=PAIRS
    )
    assert ended.code == 6, ended.stderr
    assert ended.said("rank 1", NCCL_TEXT), ended.stderr


def test_a_rank_that_rests_in_a_round_is_not_blamed_for_a_hang(measure: Measure) -> None:
    ended = measure(
        *(*FEW, "--pattern", "node-pairs", "--timeout", "3s"),
        ranks=3,
        fault="1:9:hang",
        program=PAIRS,
    )
    assert ended.code == 5, ended.stderr
    assert not ended.said("rank 0"), ended.stderr
    assert ended.expiry["ranks"][0]["state"] == "ok"


def test_one_queue_to_the_gpu_is_refused(measure: Measure) -> None:
    ended = measure(
        *(*FEW, "--pattern", "node-first"),
        environment={"CUDA_DEVICE_MAX_CONNECTIONS": "1"},
        program=PAIRS,
    )
    assert ended.code == 2, ended.stderr
    assert ended.said("CUDA_DEVICE_MAX_CONNECTIONS"), ended.stderr
