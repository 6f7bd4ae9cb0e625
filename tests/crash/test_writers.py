# SPDX-License-Identifier: Apache-2.0
"""A run that all ranks write together is the run that rank 0 writes alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import pytest
from conftest import Start, finished_parts, railgauge, read_parts

PLAN = ("--op", "all_reduce,broadcast", "--sizes", "1KiB:4KiB", "--iterations", "200")
CASES = 6
WRITERS = ("gather", "parallel")
OTHER_BY_NATURE = "/@argv"  # names the writer


def structure(path: Path) -> dict[str, Any]:
    """Kind, type and extent of every group, dataset and attribute."""
    found: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        found[name] = type(item).__name__
        if isinstance(item, h5py.Dataset):
            found[name] = (item.shape, item.dtype, item.id.get_storage_size())
        for key in item.attrs:
            attribute = item.attrs.get_id(key)
            found[f"{name}@{key}"] = (attribute.shape, attribute.dtype)

    with h5py.File(path) as file:
        note("/", file)
        file.visititems(note)
    return found


def fixed(path: Path) -> dict[str, Any]:
    """The values that no measurement changes."""
    found: dict[str, Any] = {}
    with h5py.File(path) as file:
        for name, case in file["samples"].items():
            for column in ("offsets", "group", "bytes"):
                found[f"{name}/{column}"] = case[column][()].tolist()
            found[f"{name}@blocks"] = case.attrs["blocks"].tolist()
        for column in ("id", "name", "status", "samples", "checked_elements", "stop"):
            found[column] = file["cases"][column].tolist()
    return found


def shape_of(value: Any) -> Any:
    """A JSON value with its numbers and texts replaced by their types."""
    if isinstance(value, dict):
        return {key: shape_of(member) for key, member in value.items()}
    if isinstance(value, list):
        return [shape_of(member) for member in value]
    return type(value).__name__


def described(run: Path) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """What must be equal in two runs of one plan."""
    shown = railgauge("show", str(run), "--format", "json")
    assert shown.returncode == 0, shown.stderr
    return structure(run), fixed(run), shape_of(json.loads(shown.stdout))


def test_both_writers_make_equal_runs_and_tables(start: Start) -> None:
    jobs = {writer: start(*PLAN, "--writer", writer, out=f"{writer}.h5") for writer in WRITERS}
    ended = {writer: job.wait() for writer, job in jobs.items()}
    for end in ended.values():
        assert end.code == 0, end.stderr
    # The median of every line is there: rank 0 heard of all samples, whoever wrote them.
    by_rank_0, by_all = (
        [
            [word.replace(".", "").isdigit() for word in line.split()]
            for line in end.stdout.splitlines()
        ]
        for end in ended.values()
    )
    assert by_rank_0 == by_all
    gathered, together = (described(job.out) for job in jobs.values())
    assert gathered[0].keys() == together[0].keys()
    for name, value in gathered[0].items():
        assert together[0][name] == value or name == OTHER_BY_NATURE, name
    assert gathered[1:] == together[1:]


# HDF5 makes two communicators for every part that all ranks open; before them come the program's.
@pytest.mark.parametrize("call", [5, 6, 8, 9])
def test_a_rank_that_dies_while_all_open_a_part_costs_that_part(call: int, start: Start) -> None:
    job = start(
        *(*PLAN, "--writer", "parallel", "--timeout", "10s"),
        fault=f"rank=1,function=MPI_Comm_dup,call={call},action=die",
    )
    ended = job.wait()
    assert ended.code != 0
    whole = read_parts(job.out)
    assert 1 <= whole < CASES
    resumed = start(*PLAN, "--resume", "--writer", "gather").wait()
    assert resumed.code == 0, resumed.stderr
    assert f"{whole} of {CASES} cases are measured" in resumed.stderr
    assert not finished_parts(job.out)
