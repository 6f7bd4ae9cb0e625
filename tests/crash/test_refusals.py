# SPDX-License-Identifier: Apache-2.0
"""Bad input ends a job before it measures: one line with the problem, code 2 or 6, nothing lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import PATIENCE_S, PROGRAM, ROOT, Ended, Start, railgauge

SMALL = ("--sizes", "1KiB", "--iterations", "5")


def refused(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, ended.stderr
    assert len(ended.own_lines) == 1, ended.stderr
    for word in words:
        assert word in ended.own_lines[0], ended.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--no-such-option",), ("--no-such-option", "--help")),
        (("--expect-nodes", "2"), ("1 node(s), 2 expected",)),
        (("--expect-ranks-per-node", "8"), ("runs 3 rank(s), 8 expected",)),
        (("--op", "reduce", "--root", "9"), ("root",)),
        (("--sizes", "1"), ("1 B",)),
        (("--site", "/nowhere/site.toml"), ("/nowhere/site.toml",)),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], words: tuple[str, ...], start: Start
) -> None:
    job = start(*arguments)
    refused(job.wait(), 2, *words)
    assert not job.out.exists()


def test_an_existing_run_is_kept_unless_told(start: Start) -> None:
    assert start(*SMALL).wait().code == 0
    job = start(*SMALL)
    before = job.out.read_bytes()
    refused(job.wait(), 2, "--overwrite")
    assert job.out.read_bytes() == before
    assert start(*SMALL, "--resume").wait().code == 0
    assert start(*SMALL, "--overwrite").wait().code == 0


def test_another_plan_cannot_be_resumed(start: Start) -> None:
    assert start(*SMALL).wait().code == 0
    refused(
        start("--sizes", "2KiB", "--iterations", "5", "--resume").wait(), 2, "cannot be resumed"
    )


def test_a_folder_that_cannot_be_written_is_named(start: Start) -> None:
    job = start(*SMALL, out="/proc/nowhere/run.h5")
    refused(job.wait(), 6, "/proc/nowhere")


def test_ranks_with_other_arguments_are_refused(tmp_path: Path) -> None:
    common = [str(PROGRAM), *SMALL, "--out", str(tmp_path / "run.h5")]
    done = subprocess.run(
        [
            *(
                "mpirun",
                "--allow-run-as-root",
                "--oversubscribe",
                "--mca",
                "orte_execute_quiet",
                "1",
            ),
            *("-n", "1", *common, ":", "-n", "1", *common, "--warmup", "1"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        cwd=ROOT,
    )
    assert done.returncode == 2, done.stderr
    assert "rank 1 on" in done.stderr
    assert "arguments or version differ" in done.stderr


@pytest.mark.parametrize("start_mode", ["window", "barrier"])
def test_every_way_to_start_measures(start_mode: str, start: Start) -> None:
    job = start(*SMALL, "--start", start_mode)
    assert job.wait().code == 0
    assert railgauge("check", str(job.out)).returncode == 0
