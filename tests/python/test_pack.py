# SPDX-License-Identifier: Apache-2.0
"""pack, as a person uses it: nothing is lost, whatever stands in its way."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from pathlib import Path

from conftest import Railgauge, one_error_line
from synthetic import Plan, expired_document, write_parts

from railgauge.load import open_run
from railgauge.model import Status
from railgauge.results import iterate

import h5py  # isort: skip


def test_pack_makes_the_file_that_a_clean_end_makes(
    tmp_path: Path, finished: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.cases[3].reason = "a text longer than any the header knows"
    folder = write_parts(tmp_path / "other", plan)
    before = open_run(tmp_path / "other")
    assert railgauge("pack", tmp_path / "other").returncode == 0
    assert not folder.exists()
    packed, whole = open_run(tmp_path / "other"), open_run(finished)
    assert packed.location.finished
    assert packed.interrupted  # nobody saw its clean end
    assert packed.cases == before.cases
    for one, other in zip(iterate(packed), iterate(whole), strict=True):
        assert one.groups[0].time == other.groups[0].time
    with h5py.File(tmp_path / "other") as file, h5py.File(finished) as reference:
        assert file["counters/0002"][...] == reference["counters/0002"][...]
        column = file["samples/0002/bytes"]
        assert column.id.get_storage_size() == 0
        assert column[3] == 65536
        assert file["cases"].dtype["status"].itemsize >= len("planned")
        assert dict(file["samples/0002"].attrs)["blocks"].tolist() == [0, 12, 24, 36, 48]


def test_pack_folds_the_passed_deadline_in(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.hosts = ["노드", "노드", "n2", "n2"]
    plan.expired = expired_document(plan, plan.cases[2])
    write_parts(tmp_path / "run", plan, finished=2)
    assert railgauge("pack", tmp_path / "run").returncode == 0
    run = open_run(tmp_path / "run")
    statuses = [c.status for c in run.cases]
    assert statuses == [Status.DONE] * 2 + [Status.EXPIRED] + [Status.PLANNED] * 3
    assert "rank 2 did not enter" in run.cases[2].reason
    with h5py.File(tmp_path / "run") as file:
        assert json.loads(file["expired"][()])["ranks"][0]["host"] == "노드"


def test_pack_replaces_nothing_unless_told_to(
    finished: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(finished, plan, finished=1)
    before = finished.read_bytes()
    assert "Give --overwrite" in one_error_line(railgauge("pack", finished))
    assert finished.read_bytes() == before
    assert (folder / "0000.h5").exists()
    assert railgauge("pack", finished, "--overwrite").returncode == 0
    assert len(open_run(finished).finished_cases) == 1


def test_pack_keeps_everything_when_a_part_is_damaged(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(tmp_path / "run", plan)
    (folder / "0001.h5").write_bytes(b"junk")
    names = sorted([*(p.name for p in folder.iterdir()), "lock"])
    line = one_error_line(railgauge("pack", tmp_path / "run"))
    assert "part 0001.h5" in line
    assert "Move it out of run.parts" in line
    assert sorted(p.name for p in folder.iterdir()) == names
    assert [p.name for p in tmp_path.iterdir()] == ["run.parts"]


def test_pack_keeps_off_a_run_that_is_still_measured(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "still measured" in one_error_line(railgauge("pack", tmp_path / "run"))
    assert railgauge("pack", tmp_path / "run").returncode == 0
    assert not folder.exists()


def test_pack_leaves_foreign_files_and_says_so(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    for name in ("notes.txt", "0002.h5.tmp"):
        (folder / name).write_text("x")
    result = railgauge("pack", tmp_path / "run", "--format", "json")
    assert json.loads(result.stdout)["left"] == ["notes.txt"]
    assert [p.name for p in folder.iterdir()] == ["notes.txt"]


def test_pack_removes_the_address_that_a_killed_job_left(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    write_parts(tmp_path / "run", plan, finished=2)
    (tmp_path / "run.board").write_text("10.0.0.1:4711")
    assert railgauge("pack", tmp_path / "run").returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_pack_on_a_full_or_unwritable_disk_keeps_the_parts(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    limit = "ulimit -f 8; trap '' XFSZ; exec \"$@\""
    command = ["bash", "-c", limit, "-", sys.executable, "-m", "railgauge.cli", "pack"]
    result = subprocess.run(
        [*command, tmp_path / "run"], capture_output=True, text=True, timeout=60
    )
    line = one_error_line(result)
    assert "run cannot be written" in line
    assert "The parts are kept" in line
    assert sorted(p.name for p in folder.iterdir()) == [
        "0000.h5",
        "0001.h5",
        "header.h5",
        "lock",
    ]
    assert [p.name for p in tmp_path.iterdir()] == ["run.parts"]


def test_there_is_nothing_to_pack_in_a_finished_run(finished: Path, railgauge: Railgauge) -> None:
    assert "one file already" in one_error_line(railgauge("pack", finished))
