# SPDX-License-Identifier: Apache-2.0
"""What NCCL and CUDA report ends the job with rank and reason, and loses no finished case."""

from __future__ import annotations

import pytest
from conftest import Measure

PLAN = ("--op", "all_reduce", "--sizes", "4KiB,8KiB", "-n", "2", "-w", "1")
NCCL_TEXT = "remote process exited or there was a network error"


@pytest.mark.parametrize("moment", [0, 3], ids=["check", "timed loop"])
def test_an_error_of_the_library_is_named_with_its_rank_and_text(
    moment: int, measure: Measure
) -> None:
    ended = measure(*PLAN, ranks=3, fault=f"1:{moment}:error")
    assert ended.code == 6, ended.stderr
    assert ended.said("rank 1", NCCL_TEXT, "AllReduce"), ended.stderr
    assert ended.finished_parts == []


def test_finished_cases_outlive_an_error_and_the_run_is_resumed(measure: Measure) -> None:
    ended = measure(*PLAN, ranks=3, fault="1:7:error")
    assert ended.code == 6, ended.stderr
    assert ended.finished_parts == ["0000.h5"]
    resumed = measure(*PLAN, "--resume", ranks=3)
    assert resumed.code == 0, resumed.stderr
    assert "1 of 2 cases are measured" in resumed.stderr
    run = resumed.run
    assert [case["status"] for case in run.cases] == ["done", "done"]
    assert [run.samples[number].counts for number in (0, 1)] == [[2, 2, 2], [2, 2, 2]]


def test_an_error_of_one_group_ends_all(measure: Measure) -> None:
    error = '[ "$OMPI_COMM_WORLD_RANK" != 2 ] || export RAILGAUGE_DOUBLE_FAULT=0:3:error'
    ended = measure(*PLAN, "--split", "pair", ranks=4, rank_setting=error)
    assert ended.code == 6, ended.stderr
    assert ended.said("rank 2", NCCL_TEXT), ended.stderr


def test_an_error_in_a_communicator_s_first_operation_is_named(measure: Measure) -> None:
    ended = measure(
        *("--op", "communicator", "-n", "2", "-w", "1", "--timeout", "2s"), fault="1:*:error"
    )
    assert ended.code == 6, ended.stderr
    assert ended.said("rank 1", NCCL_TEXT), ended.stderr


def test_an_error_of_one_rank_in_setting_up_is_named(measure: Measure) -> None:
    ended = measure(*PLAN, "--timeout", "2s", fault="1:init:error")
    assert ended.code == 6, ended.stderr
    assert ended.said("rank 1", NCCL_TEXT), ended.stderr


def test_a_kernel_that_cannot_be_launched_is_the_reason_of_every_case(measure: Measure) -> None:
    ended = measure(*PLAN, environment={"RAILGAUGE_DOUBLE_TWINS": ""})
    assert ended.code == 6, ended.stderr
    assert "kernel railgauge_fill has no gpu_double_twin_railgauge_fill" in ended.stderr
    for case in ended.run.cases:
        assert case["status"] == "failed", case
        assert "launching the fill kernel" in case["reason"], case
        assert "operation not supported" in case["reason"], case
    assert ended.stdout.count("launching the fill kernel failed") == 2
