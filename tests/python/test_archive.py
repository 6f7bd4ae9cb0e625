# SPDX-License-Identifier: Apache-2.0
"""Files that a run keeps beside its results."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Railgauge, one_error_line
from synthetic import Plan, write_parts, write_run

from railgauge.archive import archive_line, read_archive
from railgauge.load import open_run
from railgauge.tables import flatten

TOPOLOGY = b'<system version="1">\xff</system>\n'


def put(folder: Path, name: str, raw: bytes = b"x") -> Path:
    """Write a file into the archive of a parts folder."""
    (folder / "archive").mkdir(exist_ok=True)
    path = folder / "archive" / name
    path.write_bytes(raw)
    return path


@pytest.fixture
def parts(tmp_path: Path, plan: Plan) -> Path:
    """Return the parts of an interrupted run that keeps two files."""
    folder = write_parts(tmp_path / "run", plan, finished=2)
    put(folder, "nccl-topology.xml", TOPOLOGY)
    put(folder, "empty", b"")
    return folder


def test_packing_keeps_the_archive_where_plain_h5py_reads_it(
    tmp_path: Path, parts: Path, railgauge: Railgauge
) -> None:
    before = read_archive(open_run(tmp_path / "run"))
    assert before == {"nccl-topology.xml": TOPOLOGY, "empty": b""}
    assert railgauge("pack", tmp_path / "run").returncode == 0
    assert not parts.exists()
    with h5py.File(tmp_path / "run") as file:
        assert file["archive/nccl-topology.xml"][()] == TOPOLOGY
    assert read_archive(open_run(tmp_path / "run")) == before


def test_packing_leaves_what_the_run_does_not_keep(
    tmp_path: Path, parts: Path, railgauge: Railgauge
) -> None:
    put(parts, "has space")
    put(parts, ".hidden")
    (parts / "archive" / "link").symlink_to("/etc/hostname")
    with put(parts, "large").open("wb") as file:
        file.truncate((16 << 20) + 1)
    for i in range(20):
        put(parts, f"b{i:02d}")
    result = railgauge("pack", tmp_path / "run", "--format", "json")
    assert json.loads(result.stdout)["left"] == ["archive"]
    kept = [f"b{i:02d}" for i in range(16)]
    assert sorted(read_archive(open_run(tmp_path / "run"))) == kept
    left = {p.name for p in (parts / "archive").iterdir()}
    assert {"has space", ".hidden", "link", "large", "b16"} <= left
    assert not left & set(kept)


def test_packing_follows_no_link_in_place_of_the_archive(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine").write_text("x")
    (folder / "archive").symlink_to(other)
    assert railgauge("pack", tmp_path / "run").returncode == 0
    assert (other / "mine").exists()
    assert read_archive(open_run(tmp_path / "run")) == {}


@pytest.mark.usefixtures("parts")
def test_the_archive_is_written_out_byte_by_byte(tmp_path: Path, railgauge: Railgauge) -> None:
    for name in ("from-parts", "from-file"):
        folder = tmp_path / name / "new"
        result = railgauge("export", tmp_path / "run", "--archive", folder)
        assert result.returncode == 0, result.stderr
        assert (folder / "nccl-topology.xml").read_bytes() == TOPOLOGY
        assert (folder / "empty").read_bytes() == b""
        railgauge("pack", tmp_path / "run")


@pytest.mark.usefixtures("parts")
def test_exporting_the_archive_replaces_nothing(tmp_path: Path, railgauge: Railgauge) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "nccl-topology.xml").symlink_to(tmp_path / "nowhere")
    line = one_error_line(railgauge("export", tmp_path / "run", "--archive", folder))
    assert "nccl-topology.xml" in line
    assert [p.name for p in folder.iterdir()] == ["nccl-topology.xml"]
    assert not (tmp_path / "nowhere").exists()


def test_the_archive_goes_into_no_parts_folder(
    tmp_path: Path, parts: Path, railgauge: Railgauge
) -> None:
    line = one_error_line(railgauge("export", tmp_path / "run", "--archive", parts))
    assert "parts folder" in line


def test_a_run_without_an_archive_says_so(finished: Path, railgauge: Railgauge) -> None:
    line = one_error_line(railgauge("export", finished, "--archive", finished.parent / "out"))
    assert "has no archive" in line
    assert not (finished.parent / "out").exists()


def test_an_export_has_one_target(finished: Path, railgauge: Railgauge) -> None:
    assert "either -o" in one_error_line(railgauge("export", finished))
    both = railgauge("export", finished, "-o", "a.csv", "--archive", "b")
    assert "either -o" in one_error_line(both)


def test_a_hostile_archive_writes_no_file_outside_its_folder(
    finished: Path, railgauge: Railgauge
) -> None:
    with h5py.File(finished, "r+") as file:
        group = file.create_group("archive")
        for name in (".bashrc", "\x1b[31m", "a b"):
            group[name] = np.bytes_(b"x")
        group["good"] = np.bytes_(b"x")
    folder = finished.parent / "out"
    assert railgauge("export", finished, "--archive", folder).returncode == 0
    assert [p.name for p in folder.iterdir()] == ["good"]


@pytest.mark.parametrize("value", [np.zeros(3), h5py.SoftLink("/cases"), "variable length"])
def test_what_is_no_archived_file_is_refused(
    finished: Path, value: object, railgauge: Railgauge
) -> None:
    with h5py.File(finished, "r+") as file:
        file.create_group("archive")["a"] = value
    one_error_line(railgauge("export", finished, "--archive", finished.parent / "out"))
    assert "refused" in archive_line(open_run(finished)) or "damaged" in archive_line(
        open_run(finished)
    )


def test_the_report_lists_the_archive_among_the_facts(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    run = write_run(tmp_path / "run", plan)
    with h5py.File(run, "r+") as file:
        group = file.create_group("archive")
        group["nccl-topology.xml"] = np.bytes_(b"x" * 12_345)
        group["nccl-graph.xml"] = np.bytes_(b"x" * 213)
    assert railgauge("report", run, "-o", tmp_path / "a.html").returncode == 0
    page = (tmp_path / "a.html").read_text()
    assert "nccl-graph.xml 213 B, nccl-topology.xml 12 kB" in page


def test_facts_of_every_gpu_have_names_of_their_own() -> None:
    facts = {"gpus": [{"name": "A", "nvlink": {"state": ["active", None]}}, {"name": "B"}]}
    assert flatten(json.dumps(facts)) == {
        "gpus.0.name": "A",
        "gpus.0.nvlink.state": '["active", null]',
        "gpus.1.name": "B",
    }
