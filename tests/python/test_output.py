# SPDX-License-Identifier: Apache-2.0
"""No output replaces a run, a part, a device or a link, and a failed one says why in one line."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import Railgauge, one_error_line
from synthetic import Plan, write_parts, write_run

from railgauge.output import reason_of

COMMANDS = (["report"], ["export", "--as", "csv"], ["export", "--as", "parquet", "--samples"])


@pytest.fixture(params=COMMANDS, ids=" ".join)
def command(request: pytest.FixtureRequest) -> list[str]:
    return list(request.param)


def test_an_output_never_replaces_a_run(
    finished: Path, tmp_path: Path, plan: Plan, railgauge: Railgauge, command: list[str]
) -> None:
    other = write_run(tmp_path / "other", plan)
    before = finished.read_bytes(), other.read_bytes()
    reasons = {finished: "it is the run itself", other: "it holds HDF5 data, a run perhaps"}
    for output, why in reasons.items():
        line = one_error_line(railgauge(*command, finished, "-o", output))
        assert f"{output} cannot be written ({why})" in line
        assert "Choose another -o." in line
    assert (finished.read_bytes(), other.read_bytes()) == before


@pytest.mark.parametrize("name", ["run", "run.parts", "run.parts/0001.h5", "run.parts/new.csv"])
def test_an_output_keeps_off_the_parts(
    tmp_path: Path, plan: Plan, railgauge: Railgauge, command: list[str], name: str
) -> None:
    folder = write_parts(tmp_path / "run", plan)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    one_error_line(railgauge(*command, tmp_path / "run", "-o", tmp_path / name))
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.parts"]


def test_an_output_replaces_files_and_nothing_else(
    finished: Path, tmp_path: Path, railgauge: Railgauge, command: list[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    reasons = {"pipe": "a device or a pipe", "folder": "a folder"}
    for name in ("pipe", "folder", "link", "dangling"):
        line = one_error_line(railgauge(*command, finished, "-o", tmp_path / name))
        assert f"{tmp_path / name} cannot be written (it is {reasons.get(name, 'a link')})" in line
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "file").read_text() == "old"
    assert railgauge(*command, finished, "-o", tmp_path / "file").returncode == 0
    assert (tmp_path / "file").read_bytes() != b"old"


@pytest.mark.parametrize("output", [".", "", "/"])
def test_a_folder_is_no_output(
    finished: Path, railgauge: Railgauge, command: list[str], output: str
) -> None:
    assert "it is a folder" in one_error_line(railgauge(*command, finished, "-o", output))


def test_a_place_that_cannot_be_written_is_named_as_the_person_did(
    finished: Path, tmp_path: Path, railgauge: Railgauge, command: list[str]
) -> None:
    for output in (tmp_path / "nowhere" / "x", tmp_path / ("x" * 250)):
        line = one_error_line(railgauge(*command, finished, "-o", output))
        assert f"{output} cannot be written" in line
        assert ".tmp" not in line
        assert line.endswith("Choose another -o.")


def test_only_the_systems_reason_is_passed_on() -> None:
    hdf5 = "[Errno 28] Can't write (file write failed: errno = 28, error message = 'No space left')"
    assert reason_of(OSError(hdf5)) == "No space left"
    arrow = OSError(13, "Failed to open local file '/x/.y.1.tmp'. Detail: [errno 13]")
    assert reason_of(arrow) == "Permission denied"


def test_pack_replaces_no_link_even_when_told_to(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    target = write_run(tmp_path / "elsewhere", plan)
    write_parts(tmp_path / "run", plan)
    (tmp_path / "run").symlink_to(target)
    line = one_error_line(railgauge("pack", tmp_path / "run", "--overwrite"))
    assert "it is a link" in line
    assert (tmp_path / "run").is_symlink()
    (tmp_path / "run").unlink()
    shutil.move(target, tmp_path / "run")
    assert railgauge("pack", tmp_path / "run", "--overwrite").returncode == 0
