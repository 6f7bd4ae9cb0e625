# SPDX-License-Identifier: Apache-2.0
"""Files made to hurt: one clear line, exit 2 or the case marked, never a traceback or a hang."""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Railgauge, one_error_line
from synthetic import Plan, constant_column, sweep, table, write_parts, write_run

from railgauge import guard
from railgauge.errors import RailgaugeError
from railgauge.load import open_run
from railgauge.results import iterate

import h5py  # isort: skip
import numpy as np


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", Plan(sweep(["all_reduce"], [8, 1024], iterations=30)))


def edit(run: Path, change: Callable[[Any], None]) -> None:
    with h5py.File(run, "r+") as file:
        change(file)


# --- files that are no run ----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "check", "report", "pack"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not HDF5"),
        (b"\x00" * 4096, "not HDF5"),
        (os.urandom(4096), "not HDF5"),
        (b"\x89HDF\r\n\x1a\n" + os.urandom(4096), "cannot be read"),
        (b"\x89HDF\r\n\x1a\n", "cannot be read"),
    ],
)
def test_junk_is_refused_in_one_line(
    tmp_path: Path, railgauge: Railgauge, command: str, content: bytes, reason: str
) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(content)
    line = one_error_line(railgauge(command, junk))
    assert reason in line or "nothing to pack" in line


@pytest.mark.parametrize("size", [8, 96, 800, 2048, 10_000])
def test_a_truncated_run_is_refused(run: Path, railgauge: Railgauge, size: int) -> None:
    run.write_bytes(run.read_bytes()[:size])
    assert "cannot be read" in one_error_line(railgauge("show", run))


def test_another_major_is_refused_and_another_minor_read(run: Path, railgauge: Railgauge) -> None:
    edit(run, lambda f: f.attrs.__setitem__("schema", "railgauge/1.7"))
    assert railgauge("show", run).returncode == 0
    edit(run, lambda f: f.attrs.__setitem__("schema", "railgauge/2"))
    assert "its schema is railgauge/2" in one_error_line(railgauge("show", run))
    edit(run, lambda f: f.attrs.__setitem__("schema", "railgauge/10"))
    assert "its schema is railgauge/10" in one_error_line(railgauge("show", run))


def test_an_hdf5_file_of_something_else_is_refused(tmp_path: Path, railgauge: Railgauge) -> None:
    with h5py.File(tmp_path / "other", "w") as file:
        file["data"] = [1, 2, 3]
    assert "no attribute schema" in one_error_line(railgauge("show", tmp_path / "other"))


def test_a_fifo_does_not_block(tmp_path: Path, railgauge: Railgauge) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in one_error_line(railgauge("show", tmp_path / "fifo"))


def test_a_header_that_is_missing_is_named(tmp_path: Path, railgauge: Railgauge) -> None:
    (tmp_path / "run.parts").mkdir()
    assert "header.h5 cannot be opened" in one_error_line(railgauge("show", tmp_path / "run"))


# --- structure: the whole run is refused ---------------------------------------------------------


def replace_table(name: str, **columns: tuple[Any, list[Any]]) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[name]
        file[name] = table(columns)

    return change


def cases_with(column: str, values: list[Any]) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        rows = file["cases"][...]
        rows[column] = values
        file["cases"][...] = rows

    return change


def huge_table(file: Any) -> None:
    kind = file["cases"].dtype
    del file["cases"]
    file.create_dataset("cases", shape=(1 << 40,), dtype=kind, chunks=(1024,))


def external_link(file: Any) -> None:
    del file["cases"]
    file["cases"] = h5py.ExternalLink("/etc/passwd", "/cases")


def soft_cycle(file: Any) -> None:
    del file["cases"]
    file["cases"] = h5py.SoftLink("/cases")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f: f.__delitem__("cases"), "has no dataset cases"),
        (lambda f: f.__delitem__("ranks"), "has no dataset ranks"),
        (external_link, "cases is refused (it is a link to elsewhere)"),
        (soft_cycle, "cases is refused (it is a link to elsewhere)"),
        (huge_table, "it claims"),
        (replace_table("cases", id=("i4", [0])), "no column"),
        (replace_table("ranks", rank=("i4", [0])), "no column"),
        (cases_with("id", [1, 1]), "id 1 occurs 2 times"),
        (cases_with("id", [-1, 0]), "id is negative"),
        (cases_with("status", [b"fine", b"done"]), "status 'fine'"),
        (cases_with("ops_per_sample", [0, 1]), "ops_per_sample is 0"),
        (cases_with("name", [b"same", b"same"]), "name same occurs 2 times"),
        (lambda f: f.attrs.__setitem__("ranks", 7), "not ranks 0 to 6"),
        (lambda f: f.attrs.__setitem__("ranks", 2**31 - 1), "not ranks 0 to 2147483646"),
        (lambda f: f.attrs.__setitem__("ranks", "four"), "not an integer"),
        (lambda f: f.attrs.__setitem__("schema", 1), "not a text"),
    ],
)
def test_a_broken_structure_is_refused_with_its_reason(
    run: Path, railgauge: Railgauge, change: Callable[[Any], None], reason: str
) -> None:
    edit(run, change)
    assert reason in one_error_line(railgauge("show", run))


def test_a_column_of_a_foreign_type_is_refused(run: Path, railgauge: Railgauge) -> None:
    def change(file: Any) -> None:
        rows = file["cases"][...]
        fields = [(n, "f8" if n == "samples" else rows.dtype[n]) for n in rows.dtype.names]
        del file["cases"]
        file["cases"] = rows.astype(fields)

    edit(run, change)
    assert "column samples is no int" in one_error_line(railgauge("show", run))


def test_text_that_is_not_utf8_or_obeys_nobody_is_made_visible(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    specs = sweep(["all_reduce"], [8, 1024], reason="some reason to overwrite")
    run = write_run(tmp_path / "run", Plan(specs))
    edit(run, cases_with("reason", [b"\xff\xfe", b"\x1b[31m\rred"]))
    result = railgauge("show", run)
    assert result.returncode == 0
    assert r"\xff\xfe" in result.stdout
    assert r"\x1b[31m\x0dred" in result.stdout
    assert "\x1b" not in result.stdout


def test_facts_that_are_no_json_cost_only_themselves(run: Path) -> None:
    def change(file: Any) -> None:
        del file["nodes/n1/facts"]
        file["nodes/n1/facts"] = np.bytes_(b"[" * 100_000)
        file[b"nodes/n\xff"] = h5py.ExternalLink("/etc/passwd", "/")

    edit(run, change)
    opened = open_run(run)
    assert len(opened.problems) == 2
    assert opened.nodes[-1].facts["hostname"] == "n2"


# --- samples: their case is marked, the rest is shown ---------------------------------------------


def replace_column(name: str, values: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[f"samples/0000/{name}"]
        file[f"samples/0000/{name}"] = values

    return change


def claim_without_storage(file: Any) -> None:
    parent = file["samples/0000"]
    for name in ("start_ns", "elapsed_ns", "bytes", "offsets"):
        del parent[name]
    huge = 1 << 50
    for name in ("start_ns", "elapsed_ns", "bytes"):
        constant_column(parent, name, 5, huge, "i8")
    parent["offsets"] = np.array([0, huge // 4, huge // 2, huge // 4 * 3, huge], "u8")


def sparse_chunks(file: Any) -> None:
    parent = file["samples/0000"]
    del parent["start_ns"]
    parent.create_dataset("start_ns", shape=(1 << 40,), dtype="i8", chunks=(64,))[0] = 1


def external_storage(file: Any) -> None:
    parent = file["samples/0000"]
    del parent["start_ns"]
    parent.create_dataset(
        "start_ns", shape=(120,), dtype="i8", external=[("/etc/passwd", 0, 120 * 8)]
    )


def virtual_dataset(file: Any) -> None:
    del file["samples/0000/start_ns"]
    layout = h5py.VirtualLayout(shape=(120,), dtype="i8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape=(120,))
    file["samples/0000"].create_virtual_dataset("start_ns", layout)


def cyclic_groups(file: Any) -> None:
    del file["samples/0000"]
    file["samples/0000"] = file["/"]


def link_out(file: Any) -> None:
    del file["samples/0000"]
    file["samples/0000"] = h5py.ExternalLink("/etc/passwd", "/")


DAMAGED_SAMPLES = [
    (lambda f: f.__delitem__("samples/0000"), "has no group 0000"),
    (lambda f: f.__delitem__("samples/0000/offsets"), "has no dataset offsets"),
    (replace_column("offsets", np.array([0, 60, 30, 90, 120], "u8")), "do not ascend"),
    (replace_column("offsets", np.array([1, 30, 60, 90, 120], "u8")), "do not ascend from 0"),
    (replace_column("offsets", np.array([0, 30, 60, 90, 999], "u8")), "offsets end at 999"),
    (replace_column("offsets", np.array([0, 30, 60, 90, 2**64 - 1], "u8")), "past 2^63"),
    (replace_column("offsets", np.array([0, 30], "u8")), "expected 5 integers"),
    (replace_column("offsets", np.array([0, 20, 60, 90, 120], "u8")), "hold 20 to 40 samples"),
    (replace_column("group", np.zeros(4, "f8")), "expected 4 integers"),
    (replace_column("start_ns", np.zeros(119, "i8")), "lengths are"),
    (replace_column("start_ns", np.zeros(120, "f8")), "a time column is no integer"),
    (replace_column("start_ns", np.zeros((60, 2), "i8")), "column start_ns is int64 (60, 2)"),
    (replace_column("start_ns", [b"x"] * 120), "column start_ns is"),
    (replace_column("elapsed_ns", np.full(120, -5)), "elapsed_ns holds -5 to -5"),
    (replace_column("elapsed_ns", np.full(120, 2**62)), "elapsed_ns holds"),
    (replace_column("start_ns", np.arange(120) * 2**51), "start_ns holds"),
    (lambda f: f.__delitem__("samples/0000/elapsed_ns"), "no column elapsed_ns"),
    (claim_without_storage, "stores none"),
    (sparse_chunks, "it claims"),
    (external_storage, "its data lie in another file"),
    (virtual_dataset, "its data lie in another file"),
    (cyclic_groups, "has no dataset offsets"),
    (link_out, "0000 is refused (it is a link to elsewhere)"),
]


@pytest.mark.parametrize(("change", "reason"), DAMAGED_SAMPLES)
def test_damaged_samples_cost_only_their_case(
    run: Path, change: Callable[[Any], None], reason: str
) -> None:
    edit(run, change)
    bad, good = iterate(open_run(run))
    assert reason in bad.problem
    assert not bad.groups
    assert good.groups[0].time.n == 30


def test_a_damaged_case_is_unknown_and_the_run_incomplete(run: Path, railgauge: Railgauge) -> None:
    edit(run, claim_without_storage)
    result = railgauge("check", run)
    assert result.returncode == 3
    assert "stores none" in result.stdout
    assert "Traceback" not in result.stderr


def test_claims_without_storage_take_no_memory(run: Path, tmp_path: Path) -> None:
    edit(run, claim_without_storage)
    edit(run, lambda f: constant_column(f["samples/0001"], "peer", 7, 1 << 60, "i8"))
    limit = 3 << 30

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        return sum(bool(r.groups) for r in iterate(open_run(run)))

    assert guard.run(work, "run") == 0


# --- the guard ------------------------------------------------------------------------------------


def test_a_crash_of_the_library_ends_in_one_line() -> None:
    def work() -> int:
        faulthandler.disable()  # pytest's would print its own account
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0

    with pytest.raises(RailgaugeError, match="crashed on it with SIGSEGV"):
        guard.run(work, "the file")


def test_a_hang_of_the_library_ends_in_one_line() -> None:
    def work() -> int:
        time.sleep(60)
        return 0

    with pytest.raises(RailgaugeError, match=r"no progress for 0\.2 s"):
        guard.run(work, "the file", quiet_s=0.2)


def test_a_beat_reaches_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr(guard, "_pipe", writing)
    guard.beat()
    guard.beat()
    assert os.read(reading, 10) == b".."


def test_an_endless_writer_of_beats_fills_no_pipe() -> None:
    def work() -> int:
        for _ in range(200_000):
            guard.beat()
        return 0

    assert guard.run(work, "the file") == 0


def test_parts_of_a_hostile_run_cannot_reach_other_files(tmp_path: Path) -> None:
    plan = Plan(sweep(["all_reduce"], [8, 1024], iterations=30))
    folder = write_parts(tmp_path / "run", plan)
    edit(folder / "0000.h5", external_storage)
    bad, good = iterate(open_run(tmp_path / "run"))
    assert "its data lie in another file" in bad.problem
    assert good.groups
