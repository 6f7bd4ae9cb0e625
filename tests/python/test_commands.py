# SPDX-License-Identifier: Apache-2.0
"""show, export and the command line itself, as a person uses them."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from conftest import Railgauge, one_error_line
from synthetic import CaseSpec, Plan, sweep, write_parts, write_run
from synthetic import table as table_of

from railgauge.text import clean, display_width, pad, size_label

import h5py  # isort: skip

# --- show -----------------------------------------------------------------------------------------


def test_show_succeeds_without_a_finished_case(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    write_parts(tmp_path / "run", plan, finished=0)
    result = railgauge("show", tmp_path / "run")
    assert result.returncode == 0
    assert "0 of 6 cases finished (6 planned)" in result.stdout


def test_show_reads_a_file_that_somebody_has_open_for_writing(
    finished: Path, railgauge: Railgauge
) -> None:
    with h5py.File(finished, "r+") as file:
        file.flush()
        assert railgauge("show", finished).returncode == 0


def test_show_says_not_verified_instead_of_zero_wrong(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.cases[0].checked = 0
    lines = railgauge("show", write_run(tmp_path / "run", plan)).stdout.splitlines()
    assert "N/A" in next(line for line in lines if line.lstrip().startswith("8 "))


def test_show_gives_every_group_its_own_row(tmp_path: Path, railgauge: Railgauge) -> None:
    run = write_run(tmp_path / "run", Plan([CaseSpec(0, group=[0, 0, 1, 1])]))
    output = railgauge("show", run).stdout
    assert "group 0 done" in output
    assert "group 1 done" in output


def test_a_closed_pipe_ends_quietly(finished: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m railgauge.cli show {finished} | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert result.stderr == ""


def test_a_plain_locale_does_not_break_korean_output(
    tmp_path: Path, railgauge_process: Railgauge
) -> None:
    plan = Plan(sweep(["reduce"], [8], status="failed", reason="노드-이 이(가) 응답하지 않음"))
    run = write_run(tmp_path / "시험", plan)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    assert "노드-이 이(가) 응답하지 않음" in railgauge_process("show", run, env=environment).stdout
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    if not sys.executable.isascii():
        pytest.skip("Python itself cannot read the path of this checkout in the locale C")
    assert railgauge_process("show", run, env=environment).returncode == 0


# --- export ---------------------------------------------------------------------------------------


def test_csv_holds_a_row_per_case_with_bandwidths(
    tmp_path: Path, finished: Path, railgauge: Railgauge
) -> None:
    path = tmp_path / "out.csv"
    assert railgauge("export", finished, "-o", path).returncode == 0
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    last = rows[2]
    assert float(last["algbw_GB_s"]) == pytest.approx(65536 / float(last["median_us"]) / 1e3)
    assert float(last["busbw_GB_s"]) == pytest.approx(float(last["algbw_GB_s"]) * 1.5)
    assert last["rig"] == "false"


def test_parquet_of_unfinished_runs_keeps_its_types(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    write_parts(tmp_path / "none", plan, finished=0)
    write_parts(tmp_path / "all", plan)
    tables = []
    for name in ("none", "all"):
        path = tmp_path / f"{name}.parquet"
        assert railgauge("export", tmp_path / name, "-o", path).returncode == 0
        tables.append(pyarrow.parquet.read_table(path))
    assert tables[0].schema == tables[1].schema
    assert tables[0]["median_us"].null_count == 6


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_samples_are_the_raw_ones(
    tmp_path: Path, railgauge: Railgauge, ending: str
) -> None:
    extra = {"device_ns": ("ns", np.arange(60, dtype="f8"))}
    specs = [
        CaseSpec(0, iterations=20, group=[0, 0, -1, 0], extra_columns=extra),
        CaseSpec(1, bytes=2048, iterations=5),
    ]
    run = write_run(tmp_path / "run", Plan(specs))
    path = tmp_path / f"out.{ending}"
    assert railgauge("export", run, "--samples", "-o", path).returncode == 0
    read = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
    table = read(path)
    assert table.num_rows == 60 + 20
    with h5py.File(run) as file:
        expected = np.concatenate(
            [file["samples/0000/start_ns"][...], file["samples/0001/start_ns"][...]]
        )
    assert table["start_ns"].to_numpy().tolist() == expected.tolist()
    assert table["rank"].to_pylist() == [0] * 20 + [1] * 20 + [3] * 20 + [
        r for r in range(4) for _ in range(5)
    ]
    assert table["iteration"].to_pylist()[:21] == [*range(20), 0]
    assert set(table["bytes"].to_pylist()) == {1024, 2048}
    assert table["device_ns"].null_count == 20


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_counters_have_a_delta_where_it_is_known(
    tmp_path: Path, plan: Plan, railgauge: Railgauge, ending: str
) -> None:
    run = write_run(tmp_path / "run", plan)
    with h5py.File(run, "r+") as file:
        row = file["counters/0001"][...]
        row["status"], row["after"] = b"wrapped", 2**63 - 1
        file["counters/0001"][...] = row
        del file["counters/0002"]
    path = tmp_path / f"out.{ending}"
    result = railgauge("export", run, "--counters", "-o", path)
    assert (result.returncode, result.stdout) == (0, f"{path}: 5 rows\n")
    read = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
    table = read(path)
    assert table["case"].to_pylist() == [0, 1, 3, 4, 5]
    assert table["delta"].to_pylist() == [100, None, 100, 100, 100]
    assert table["after"].to_pylist()[:2] == [200, 2**63 - 1]
    (first,) = table.slice(0, 1).to_pylist()
    assert first == {
        **{"run": "run", "origin": "hardware", "case": 0, "case_name": plan.cases[0].name},
        **{"node": 0, "host": "n1", "device": "eth0", "port": -1, "source": "netdev"},
        **{"name": "tx_bytes", "before": 100, "after": 200, "delta": 100, "status": "ok"},
        **{"delta_bytes": None, "kind": None, "meaning": None},
    }


def test_exported_series_are_the_readings(tmp_path: Path, plan: Plan, railgauge: Railgauge) -> None:
    run = write_run(tmp_path / "run", plan)
    readings = {
        "time_ns": ("i8", [1_000, 2_000]),
        "node": ("i4", [1, 1]),
        "device": (str, ["cpu0", "cpu0"]),
        "source": (str, ["hwmon", "hwmon"]),
        "name": (str, ["celsius", "celsius"]),
        "value": ("f8", [40.5, 41.0]),
    }
    with h5py.File(run, "r+") as file:
        file.create_group("series")["0003"] = table_of(readings)
    path = tmp_path / "out.parquet"
    assert railgauge("export", run, "--series", "-o", path).returncode == 0
    table = pyarrow.parquet.read_table(path)
    assert table["case"].to_pylist() == [3, 3]
    assert table["host"].to_pylist() == ["n2", "n2"]
    assert table["time_ns"].to_pylist() == [1_000, 2_000]
    assert table["value"].to_pylist() == [40.5, 41.0]
    write_parts(tmp_path / "none", plan, finished=1)
    assert railgauge("export", tmp_path / "none", "--series", "-o", path).returncode == 0
    assert pyarrow.parquet.read_table(path).schema == table.schema


def test_a_spreadsheet_runs_no_formula_of_the_file(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.cases[0].reason = "=HYPERLINK(1)"
    path = tmp_path / "out.csv"
    railgauge("export", write_run(tmp_path / "run", plan), "-o", path)
    assert '"\'=HYPERLINK(1)"' in path.read_text()


def test_the_rig_mark_is_in_every_exported_row(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.origin = "simulated"
    run = write_run(tmp_path / "run", plan)
    railgauge("export", run, "-o", tmp_path / "a.parquet")
    railgauge("export", run, "--samples", "-o", tmp_path / "b.parquet")
    assert set(pyarrow.parquet.read_table(tmp_path / "a.parquet")["rig"].to_pylist()) == {True}
    origins = pyarrow.parquet.read_table(tmp_path / "b.parquet")["origin"].to_pylist()
    assert set(origins) == {"simulated"}


def test_export_refuses_what_it_cannot_write(
    tmp_path: Path, finished: Path, railgauge: Railgauge
) -> None:
    line = one_error_line(railgauge("export", finished, "-o", tmp_path / "out.xlsx"))
    assert "neither .csv nor .parquet" in line
    line = one_error_line(railgauge("export", finished, "-o", tmp_path / "no" / "out.csv"))
    assert "cannot be written" in line
    assert not list(tmp_path.glob(".*tmp"))


# --- the command line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["show"],
        ["show", "run", "--colour"],
        ["show", "run", "--format", "xml"],
        ["show", "nowhere"],
        ["export", "run"],
        ["check", "nowhere\n\x1b[31m"],
    ],
)
def test_a_mistake_ends_in_one_line_and_exit_2(railgauge: Railgauge, arguments: list[str]) -> None:
    assert "\x1b" not in one_error_line(railgauge(*arguments))


@pytest.mark.parametrize("command", ["show", "report", "export", "pack", "check"])
def test_every_command_speaks_json(
    tmp_path: Path, plan: Plan, railgauge: Railgauge, command: str
) -> None:
    write_parts(tmp_path / "run", plan, finished=6)
    output = {"report": ["-o", tmp_path / "r.html"], "export": ["-o", tmp_path / "r.csv"]}
    arguments = [command, tmp_path / "run", "--format", "json", *output.get(command, [])]
    result = railgauge(*arguments)
    assert result.returncode == 0, result.stderr
    assert isinstance(json.loads(result.stdout), dict)


def test_a_bug_ends_in_one_line_too(finished: Path, tmp_path: Path) -> None:
    script = (
        "import sys, railgauge.show, railgauge.cli as cli\n"
        "def broken(*_): raise ZeroDivisionError('two\\nlines')\n"
        "railgauge.show.show_text = broken\n"
        f"sys.exit(cli.main(['show', {str(finished)!r}]))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert "ZeroDivisionError: two lines" in one_error_line(result)


# --- text -----------------------------------------------------------------------------------------


def test_wide_characters_are_padded_to_their_width() -> None:
    assert display_width("노드") == 4
    assert pad("노드", 6) == "  노드"
    assert pad("노드", 6, right=False) == "노드  "


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("노드-이 ok", "노드-이 ok"),
        (b"\xea\xb0", r"\xea\xb0"),
        ("a\u202eb", r"a\u202eb"),
        ("tab\tnul\0", r"tab\x09nul\x00"),
    ],
)
def test_only_harmless_text_stays_as_it_is(raw: bytes | str, shown: str) -> None:
    assert clean(raw) == shown


def test_size_labels_are_exact() -> None:
    sizes = (8, 1024, 1536, 1 << 20, 3 << 30)
    assert [size_label(s) for s in sizes] == ["8 B", "1 KiB", "1536 B", "1 MiB", "3 GiB"]
