# SPDX-License-Identifier: Apache-2.0
"""`railgauge pack` makes of the parts what the rank program makes of them at a clean end."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from conftest import Start, finished_parts, railgauge

PLAN = ("--op", "all_reduce,broadcast", "--sizes", "1KiB:4KiB", "--iterations", "2000")
CASES = 6


def column(cells: Any) -> Any:
    """Texts without their padding, which may differ; anything else to the bit, NaN too."""
    cells = np.asarray(cells)
    return cells.tolist() if cells.dtype.kind in "SO" else (cells.dtype, cells.tobytes())


def contents(path: Path) -> dict[str, Any]:
    """Every group, attribute and dataset by its name."""
    found: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        found[name] = type(item).__name__
        if isinstance(item, h5py.Dataset):
            names = item.dtype.names
            values = {n: column(item[n]) for n in names} if names else column(item[()])
            found[name] = (item.shape, values)
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = (item.attrs.get_id(key).dtype, np.asarray(value).tolist())

    with h5py.File(path) as file:
        note("/", file)
        file.visititems(note)
    return found


def test_pack_and_the_rank_program_make_equal_runs_of_the_same_parts(start: Start) -> None:
    job = start(*PLAN)
    job.wait_for_cases(1)
    job.out.mkdir()  # in the way of the run: its parts stay
    ended = job.wait()
    assert ended.code == 6, ended.stderr
    assert len(finished_parts(job.out)) == CASES
    job.out.rmdir()
    packed = job.out.with_name("packed.h5")
    shutil.copytree(f"{job.out}.parts", f"{packed}.parts")

    resumed = start(*PLAN, "--resume").wait()
    assert resumed.code == 0, resumed.stderr
    assert f"{CASES} of {CASES} cases are measured" in resumed.stderr
    command = railgauge("pack", str(packed))
    assert command.returncode == 0, command.stderr

    made, by_pack = contents(job.out), contents(packed)
    assert made.pop("/@finished_utc")
    assert made.keys() == by_pack.keys()
    assert "samples/0000/start_ns" in made
    for name, value in made.items():
        assert value == by_pack[name], name
