# SPDX-License-Identifier: Apache-2.0
"""Lives of communicators: medians of their steps, in every output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from conftest import ROOT, Railgauge
from synthetic import Plan, write_run
from synthetic_groups import LIFE, communicator_case, communicators_run
from test_report import Outline

from railgauge.checks import run_checks
from railgauge.load import open_run
from railgauge.report import render
from railgauge.results import iterate
from railgauge.verdict import Verdict


@pytest.fixture
def lives(tmp_path: Path) -> Path:
    return communicators_run(tmp_path / "lives")


def test_steps_are_medians_of_the_ranks_medians_and_that_of_the_slowest(lives: Path) -> None:
    ((group,),) = (r.groups for r in iterate(open_run(lives)))
    init, memory = group.steps["init"], group.steps["memory"]
    assert (init.median, init.slowest) == (30_000_000, 500_000_000)
    assert (memory.median, memory.slowest) == (32 << 20, 48 << 20)
    assert group.steps["finalize"].median == 9_000
    assert "split" not in group.steps


def test_lives_in_which_a_step_was_not_taken_do_not_count(tmp_path: Path) -> None:
    steps = LIFE | {"split_ns": [-1, 4_000, -1] * 4}
    run = write_run(tmp_path / "run", Plan([communicator_case(0, steps)]))
    ((group,),) = (r.groups for r in iterate(open_run(run)))
    assert group.steps["split"].median == 4_000


def test_show_has_a_table_of_its_own(lives: Path, railgauge: Railgauge) -> None:
    lines = railgauge("show", lives).stdout.splitlines()
    assert not any(line.startswith("#       size") for line in lines)
    (row,) = (line.split() for line in lines if not line.startswith("#"))
    assert row[:2] == ["all", "3"]
    assert row[2:5] == ["30000.0", "/", "500000.0"]
    assert row[5] == "-"
    assert row[-4:] == ["32.0", "/", "48.0", "done"]


def test_export_and_json_have_the_steps_as_columns(lives: Path, railgauge: Railgauge) -> None:
    (row,) = json.loads(railgauge("show", lives, "--format", "json").stdout)["cases"]
    assert (row["init_us"], row["init_slowest_us"], row["split_us"]) == (30_000, 500_000, None)
    assert row["algbw_GB_s"] is None
    path = lives.with_name("out.parquet")
    assert railgauge("export", lives, "-o", path).returncode == 0
    (exported,) = pyarrow.parquet.read_table(path).to_pylist()
    assert (exported["register_us"], exported["memory_most_bytes"]) == (7, 48 << 20)


def test_the_report_has_a_table_of_them(lives: Path) -> None:
    text = Outline(render(open_run(lives), allow_rig=False)).text
    assert "Communicators" in text
    assert "init (us)" in text
    assert "split (us)" not in text


def test_a_failed_case_says_why(tmp_path: Path, railgauge: Railgauge) -> None:
    run = communicators_run(tmp_path / "run", status="failed", reason="no device")
    assert "failed: no device" in railgauge("show", run).stdout
    assert "no device" in Outline(render(open_run(run), allow_rig=False)).text


def test_communicators_have_no_data_to_verify(lives: Path) -> None:
    verdicts = {r.name: r.verdict for r in run_checks(open_run(lives), allow_rig=False)}
    assert verdicts == {"case_complete": Verdict.PASS, "data_right": Verdict.SKIP}


@pytest.mark.parametrize(
    "values", [[-2] * 12, [2**62] * 12, np.full(12, np.nan), np.full(12, 2**64 - 1, "u8")]
)
def test_hostile_steps_give_one_line(tmp_path: Path, railgauge: Railgauge, values: Any) -> None:
    steps = LIFE | {"init_ns": values}
    run = write_run(tmp_path / "run", Plan([communicator_case(0, steps)]))
    result = railgauge("show", run)
    assert result.returncode == 0
    assert "done: init_ns is damaged" in result.stdout
    assert railgauge("report", run).returncode == 0


# --- on the double -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def double_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the built program on the GPU double; RAILGAUGE_BUILD names another build folder."""
    build = Path(os.environ.get("RAILGAUGE_BUILD", ROOT / "build" / "release"))
    program = build / "bin" / "railgauge-collective"
    double = build / "gpu_double"
    twins = double / "librailgauge_double_twins.so"
    if not (program.exists() and twins.exists()) or shutil.which("mpirun") is None:
        pytest.skip(f"no program with its GPU double in {build}, or no mpirun: build it first")
    out = tmp_path_factory.mktemp("double") / "run.h5"
    environment = {"LD_LIBRARY_PATH": str(double), "RAILGAUGE_DOUBLE_TWINS": str(twins)}
    command = [str(ROOT / "scripts" / "run-mpirun"), "-n", "2", str(program), "--backend", "nccl"]
    command += ["--op", "all_reduce,communicator", "--sizes", "1KiB", "--iterations", "10"]
    result = subprocess.run(
        [*command, "--out", str(out)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "built without NCCL" in result.stderr:
        pytest.skip(f"the program in {build} was built without NCCL")
    assert result.returncode == 0, result.stderr
    return out


def test_a_run_on_the_double_is_unknown_unless_allowed(
    double_run: Path, railgauge: Railgauge
) -> None:
    result = railgauge("check", double_run)
    assert result.returncode == 3
    assert "measured on a double" in result.stdout
    allowed = railgauge("check", double_run, "--allow-rig")
    assert allowed.returncode == 0
    assert allowed.stdout.startswith("RIG: origin double")


def test_a_run_on_the_double_has_device_times_and_communicators(
    double_run: Path, railgauge: Railgauge
) -> None:
    rows = json.loads(railgauge("show", double_run, "--format", "json").stdout)["cases"]
    by_operation = {row["operation"]: row for row in rows}
    assert by_operation["all_reduce"]["device_us"] > 0
    assert by_operation["communicator"]["init_us"] > 0
    assert by_operation["communicator"]["memory_bytes"] > 0
