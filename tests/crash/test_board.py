# SPDX-License-Identifier: Apache-2.0
"""The deadline board when rank 0 or the launcher itself is what fails."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from conftest import Job, Start, kill, read_parts

DEADLINE_S = 3.0
PLAN = ("--op", "all_reduce", "--sizes", "4KiB", "--iterations", "500")
DEADLINE = ("--timeout", f"{DEADLINE_S:.0f}s")
IN_THE_LOOP = "function=MPI_Allreduce,call=200"
PLACE = "operation all_reduce, 4096 bytes, phase timed, iteration"


def board_file(job: Job) -> Path:
    """Where ranks look for the board before MPI_Init."""
    return Path(f"{job.out}.board")


def report_of(job: Job) -> dict[str, object]:
    """The job's expired.json."""
    loaded: dict[str, object] = json.loads(
        Path(f"{job.out}.parts/expired.json").read_text(encoding="utf-8")
    )
    return loaded


def states(report: dict[str, object]) -> dict[int, str]:
    """The state of each rank that the report knows."""
    ranks = report["ranks"]
    assert isinstance(ranks, list)
    return {rank["rank"]: rank["state"] for rank in ranks}


def test_a_clean_run_leaves_no_trace_of_the_board(start: Start) -> None:
    job = start(*PLAN)
    ended = job.wait()
    assert ended.code == 0, ended.stderr
    assert not board_file(job).exists()
    assert not Path(f"{job.out}.parts").exists()


def test_rank_0_stopped_is_named_by_rank_1(start: Start) -> None:
    job = start(*PLAN, *DEADLINE, fault=f"rank=0,{IN_THE_LOOP},action=stop")
    ended = job.wait()
    assert ended.code == 5, ended.stderr
    (line,) = ended.own_lines
    assert line.startswith("railgauge-collective: rank 1: no progress")
    assert PLACE in line
    assert "rank 0" in line.split(PLACE)[1]
    assert states(report_of(job))[0] == "silent"


@pytest.mark.parametrize(("victim", "speaker"), [(2, ""), (0, "rank 1: ")])
def test_a_death_is_told_at_once_with_its_place(victim: int, speaker: str, start: Start) -> None:
    # No deadline of a minute is waited for: the launcher ends the job within seconds.
    job = start(*PLAN, "--timeout", "100s", fault=f"rank={victim},{IN_THE_LOOP},action=die")
    ended = job.wait(60)
    assert ended.code == 137, ended.stderr
    (line,) = ended.own_lines
    assert line.startswith(f"railgauge-collective: {speaker}rank {victim} on ")
    assert f"died in case all_reduce/mpi/host/float32/sum/out/4096 ({PLACE}" in line


def test_rank_0_dying_in_mpi_init_is_named(start: Start) -> None:
    job = start(*PLAN, *DEADLINE, fault="rank=0,function=MPI_Init,action=die")
    ended = job.wait()
    assert ended.code == 137, ended.stderr
    assert any("rank 0" in line and "phase init" in line for line in ended.own_lines), ended.stderr


def test_every_rank_is_in_the_report(start: Start) -> None:
    job = start(*PLAN, *DEADLINE, ranks=4, fault=f"rank=3,{IN_THE_LOOP},action=hang_after")
    ended = job.wait()
    assert ended.code == 5, ended.stderr
    assert states(report_of(job)) == {0: "left", 1: "left", 2: "left", 3: "inside"}
    assert "rank 3" in str(report_of(job)["text"])


def test_a_slow_rank_that_gets_on_is_waited_for(start: Start) -> None:
    # Half a second in each call: the job takes longer than the deadline, no single call does.
    job = start(
        *("--op", "all_reduce", "--sizes", "4KiB", "--iterations", "24", "--warmup", "1"),
        *("--timeout", "5s"),
        fault="rank=1,function=MPI_Allreduce,action=slow:250",
    )
    ended = job.wait()
    assert ended.code == 0, ended.stderr


def test_ranks_do_not_outlive_a_killed_launcher(start: Start) -> None:
    job = start("--sizes", "1KiB:64KiB:1KiB", "--iterations", "2000", "--timeout", "100s")
    job.wait_for_cases(2)
    launcher = job.launcher()
    assert launcher is not None
    kill(launcher, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while job.ranks():
        assert time.monotonic() < deadline, "orphans would write into a resumed run"
        time.sleep(0.1)
    assert read_parts(job.out) >= 2
