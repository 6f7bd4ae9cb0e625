# SPDX-License-Identifier: Apache-2.0
"""SIGKILL of any rank or of mpirun at any instant loses at most the case in flight."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from conftest import Start, finished_parts, kill, railgauge, read_parts

KILLS = int(os.environ.get("RAILGAUGE_KILLS", "52"))
RESUME_EVERY = 6
PLAN = ("--sizes", "1KiB:4KiB:256", "--iterations", "300", "--timeout", "60s")
CASES = 13
WRITERS = ("gather", "parallel")


@pytest.mark.parametrize("seed", range(KILLS))
def test_finished_cases_survive_and_resume_completes(seed: int, start: Start) -> None:
    choice = random.Random(seed)
    first, second = choice.choice(WRITERS), choice.choice(WRITERS)
    job = start(*PLAN, "--writer", first)
    time.sleep(choice.uniform(0.2, 2.2))
    victims = [pid for pid in [*job.ranks(), job.launcher()] if pid is not None]
    if victims:
        kill(choice.choice(victims), signal.SIGKILL)
    job.wait_until_gone()
    if not job.out.exists():
        read_parts(job.out)
        if finished_parts(job.out) or (job.out.parent / f"{job.out.name}.parts/header.h5").exists():
            shown = railgauge("show", str(job.out))
            assert shown.returncode == 0, shown.stderr
    if seed % RESUME_EVERY == 0:
        resumed = start(*PLAN, "--resume", "--writer", second).wait()
        assert resumed.code == 0, resumed.stderr
        checked = railgauge("check", str(job.out))
        assert checked.returncode == 0, checked.stdout
        assert f"{CASES} of {CASES} cases finished" in checked.stdout


def test_show_says_that_none_is_finished_and_exits_0(start: Start) -> None:
    job = start(
        *("--sizes", "1KiB", "--iterations", "1000", "--timeout", "60s"),
        *("--start", "window", "--window-period", "1s"),
    )
    header = job.out.parent / f"{job.out.name}.parts/header.h5"
    deadline = time.monotonic() + 60
    while not header.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for rank in job.ranks():
        kill(rank, signal.SIGKILL)
    job.wait()
    shown = railgauge("show", str(job.out))
    assert shown.returncode == 0, shown.stderr
    assert "0 of 1 cases finished" in shown.stdout


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_ranks_closes_files_and_gives_its_code(
    number: signal.Signals, code: int, start: Start
) -> None:
    job = start("--sizes", "1KiB:64KiB:1KiB", "--iterations", "2000", "--timeout", "60s")
    job.wait_for_cases(2)
    signalled = time.monotonic()
    kill(job.process.pid, number)
    ended = job.wait()
    assert ended.code == code, ended.stderr
    assert time.monotonic() - signalled < 30  # 5 s on a machine that has nothing else to do
    assert job.ranks() == []
    assert read_parts(job.out) >= 2
    assert railgauge("show", str(job.out)).returncode == 0
