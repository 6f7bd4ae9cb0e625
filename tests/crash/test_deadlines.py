# SPDX-License-Identifier: Apache-2.0
"""A rank that hangs or dies is named with case, operation, size and phase."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from conftest import Ended, Job, Start, kill, railgauge

DEADLINE = ("--timeout", "3s")
PLAN = ("--op", "all_reduce", "--sizes", "4KiB", "--iterations", "500")


def expiry(job: Job) -> dict[str, Any]:
    """What rank 0 wrote when the deadline expired."""
    report = Path(f"{job.out}.parts/expired.json")
    assert report.exists(), list(report.parent.parent.iterdir())
    loaded: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return loaded


def said(ended: Ended, *words: str) -> bool:
    """Whether one line of the program holds all the words."""
    return any(all(word in line for word in words) for line in ended.own_lines)


@pytest.mark.parametrize("action", ["hang_before", "hang_after"])
def test_a_rank_that_hangs_in_an_operation_is_named(action: str, start: Start) -> None:
    # Calls of the set-up and the check rounds come before those of the timed loop.
    job = start(*PLAN, *DEADLINE, fault=f"rank=2,function=MPI_Allreduce,call=200,action={action}")
    ended = job.wait()
    assert ended.code == 5, ended.stderr
    assert said(ended, "all_reduce", "4096", "timed"), ended.stderr
    report = expiry(job)
    assert (report["operation"], report["bytes"], report["phase"]) == ("all_reduce", 4096, "timed")
    shown = railgauge("show", str(job.out))
    assert shown.returncode == 0
    assert "expired" in shown.stdout
    others_cpu_ms = [rank["cpu_ms"] for rank in report["ranks"] if rank["rank"] != 2]
    if action == "hang_before" and min(others_cpu_ms) < 100:
        # All are inside one operation, and only the sleeper's idle CPU betrays it.
        pytest.skip("this machine is too busy for waiting ranks to spin visibly")
    assert said(ended, "rank 2"), ended.stderr


def test_a_stopped_rank_is_named_as_silent(start: Start) -> None:
    job = start(
        "--op", "all_reduce", "--sizes", "4KiB:64KiB:1KiB", "--iterations", "20000", *DEADLINE
    )
    job.wait_for_cases(1)
    victim = job.ranks()[-1]
    kill(victim, signal.SIGSTOP)
    try:
        ended = job.wait()
    finally:
        kill(victim, signal.SIGKILL)
    assert ended.code == 5, ended.stderr
    assert said(ended, "all_reduce", "timed"), ended.stderr


def test_a_hanging_mpi_init_is_ended_and_named(start: Start) -> None:
    job = start(*PLAN, *DEADLINE, fault="rank=1,function=MPI_Init,action=hang_before")
    ended = job.wait()
    assert ended.code == 5, ended.stderr
    assert said(ended, "phase init"), ended.stderr


def test_a_rank_that_dies_in_mpi_init_is_named(start: Start) -> None:
    job = start(*PLAN, *DEADLINE, fault="rank=1,function=MPI_Init,action=die")
    ended = job.wait()
    assert ended.code != 0
    assert said(ended, "rank 1", "init"), ended.stderr


def test_wrong_data_is_counted_and_ends_with_4(start: Start) -> None:
    # The first MPI_Alltoall of a job is that of the check round before the timed loop.
    job = start(
        *("--op", "alltoall", "--sizes", "4KiB", "--iterations", "5"),
        fault="rank=1,function=MPI_Alltoall,call=1,action=corrupt",
        ranks=2,
    )
    ended = job.wait()
    assert ended.code == 4, ended.stderr
    checked = railgauge("check", str(job.out))
    assert checked.returncode == 1, checked.stdout
    assert "1 of 4096 checked elements" in railgauge("show", str(job.out)).stdout
