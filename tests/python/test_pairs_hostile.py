# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-pairs that cannot be: what is damaged costs its case, with one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Railgauge
from synthetic_pairs import Fabric, write_pairs_run
from test_pairs import one_round, opened

from railgauge.load import open_run
from railgauge.pair_results import iterate_pairs


def put(name: str, place: Any, value: int) -> Callable[[Any], None]:
    def change(samples: Any) -> None:
        samples[name][place] = value

    return change


def drop(name: str) -> Callable[[Any], None]:
    def change(samples: Any) -> None:
        del samples[name]

    return change


def as_floats(name: str) -> Callable[[Any], None]:
    def change(samples: Any) -> None:
        values = samples[name][...]
        del samples[name]
        samples[name] = values.astype("f8")

    return change


FIRST_RANK = slice(0, 20)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("peer", FIRST_RANK, 4), "rank 0 has peer 4 of 4 ranks"),
        (put("peer", FIRST_RANK, -1), "rank 0 has peer -1 of 4 ranks"),
        (put("peer", FIRST_RANK, 0), "rank 0 has peer 0 of 4 ranks"),
        (put("peer", FIRST_RANK, 1), "rank 0 has peer 1, which has 3"),
        (put("peer", 7, 3), "peer of rank 0 changes within the case"),
        (put("rail", FIRST_RANK, 1024), "rank 0 is on rail 1024, past 0 to 1023"),
        (put("rail", FIRST_RANK, -2), "rank 0 is on rail -2, past 0 to 1023"),
        (put("rail", 7, 1), "rail of rank 0 changes within the case"),
        (put("acknowledged_ns", 3, 0), "acknowledged_ns of rank 0 holds 0 to"),
        (put("acknowledged_ns", 3, -1), "acknowledged_ns of rank 0 holds -1 to"),
        (put("acknowledged_ns", 3, 1 << 60), "acknowledged_ns of rank 0 holds"),
        (drop("peer"), "no column peer of integers"),
        (drop("acknowledged_ns"), "no column acknowledged_ns of integers"),
        (as_floats("peer"), "no column peer of integers"),
    ],
)
def test_samples_that_cannot_be_cost_their_case_with_one_line(
    tmp_path: Path, railgauge: Railgauge, change: Callable[[Any], None], reason: str
) -> None:
    fabric = Fabric(["n0", "n1"])
    bad, good = one_round(fabric, change=change), one_round(fabric, id=1, round=1)
    run = write_pairs_run(tmp_path / "run", fabric, [bad, good])
    broken, whole = iterate_pairs(open_run(run))
    assert reason in broken.problem
    assert broken.pairs == ()
    assert len(whole.pairs) == 4
    result = railgauge("show", run)
    assert result.returncode == 0
    assert result.stderr == ""
    assert sum(reason in line for line in result.stdout.splitlines()) == 1
    checked = railgauge("check", run)
    assert checked.returncode == 3
    assert reason in checked.stdout


def test_a_missing_rail_column_leaves_the_rail_of_the_rank(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"])
    (result,) = iterate_pairs(opened(tmp_path, fabric, [one_round(fabric, change=drop("rail"))]))
    assert {p.path.source_rail for p in result.pairs} == {0, 1}


def test_variables_of_a_foreign_type_do_not_break_the_table(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    import h5py

    fabric = Fabric(["n0", "n1"])
    run = write_pairs_run(tmp_path / "run", fabric, [one_round(fabric)])
    with h5py.File(run, "r+") as file:
        rows = file["cases"][...]
        names = [n for n in rows.dtype.names if n not in ("depth", "rails")]
        types = [(n, rows.dtype[n]) for n in names] + [("depth", "f8"), ("rails", "f8")]
        changed = np.zeros(rows.shape, types)
        for name in names:
            changed[name] = rows[name]
        changed["depth"] = math.nan
        del file["cases"]
        file["cases"] = changed
    for command in (["show"], ["show", "--format", "json"], ["check"]):
        result = railgauge(command[0], run, *command[1:])
        assert result.returncode in (0, 3)
        assert result.stderr == ""
