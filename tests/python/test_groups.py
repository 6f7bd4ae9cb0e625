# SPDX-License-Identifier: Apache-2.0
"""Groups of a split: their names, their rows, and the slow one among them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest
from conftest import Railgauge, one_error_line
from synthetic import Plan, write_run
from synthetic_groups import RAIL_OF, SIZES, rails_plan, split_case, steady
from test_report import Outline, report_data

from railgauge.group_sets import GroupSets
from railgauge.groups import NAME_LIMIT, group_name
from railgauge.load import open_run
from railgauge.model import Rank
from railgauge.report import render
from railgauge.results import iterate
from railgauge.rows import rows

import h5py  # isort: skip
import numpy as np


@pytest.fixture
def rails(tmp_path: Path) -> Path:
    return write_run(tmp_path / "rails", rails_plan())


def ranks_of(*hosts: str) -> list[Rank]:
    return [Rank(i, i, 0, host, -1, "", "", "", -1, -1, "", 0, 0) for i, host in enumerate(hosts)]


def show_json(railgauge: Railgauge, run: Path) -> Any:
    result = railgauge("show", run, "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("split", "number", "name"),
    [
        ("none", 0, ""),
        ("node", 1, "gpu02"),
        ("node", 7, "node7"),
        ("node", 2, "twin#2"),
        ("rail", 2, "rail2"),
        ("local-index", 0, "local0"),
        ("pair", 5, "pair5"),
        ("switch", 3, "switch3"),
    ],
)
def test_a_group_is_named_by_its_split(split: str, number: int, name: str) -> None:
    assert group_name(split, number, ranks_of("gpu01", "gpu02", "twin", "twin")) == name


def test_a_name_is_short_whatever_the_file_says() -> None:
    assert len(group_name("node", 0, ranks_of("x" * 100_000, "x" * 100_000))) <= NAME_LIMIT
    assert len(group_name("y" * 100_000, 2**31 - 1, ranks_of("a"))) <= NAME_LIMIT


def test_the_slow_rail_is_named_by_its_ratio_to_the_median_rail(rails: Path) -> None:
    (found,) = GroupSets(iterate(open_run(rails))).comparable()
    assert found.size_bytes == SIZES[-1]
    slowest, *others = found.ranking()
    assert slowest.name == "rail2"
    assert slowest.ratio == pytest.approx(0.70, abs=1e-4)
    assert slowest.alone_ratio == pytest.approx(0.70, abs=1e-4)
    assert slowest.together_to_alone == pytest.approx(0.8, abs=1e-4)
    assert [(g.name, g.ratio) for g in others] == [("rail0", 1.0), ("rail1", 1.0), ("rail3", 1.0)]


def test_of_two_groups_the_faster_is_the_reference(tmp_path: Path) -> None:
    case = split_case(0, 1 << 20, "pair", [0, 0, 1, 1], samples=steady({1: 0.7}))
    run = write_run(tmp_path / "run", Plan([case]))
    (found,) = GroupSets(iterate(open_run(run))).comparable()
    assert [(g.name, round(g.ratio, 3)) for g in found.ranking()] == [("pair1", 0.7), ("pair0", 1)]


def test_wrong_data_and_a_single_group_compare_with_nothing(tmp_path: Path) -> None:
    plan = rails_plan(alone=False)
    for case in plan.cases:
        case.status, case.wrong = "wrong", 1
    run = open_run(write_run(tmp_path / "wrong", plan))
    assert GroupSets(iterate(run)).comparable() == []
    lone = split_case(0, 1024, "node", [0] * 4, samples=steady({}))
    run = open_run(write_run(tmp_path / "lone", Plan([lone])))
    assert GroupSets(iterate(run)).comparable() == []


def test_show_has_a_row_per_case_and_group(rails: Path, railgauge: Railgauge) -> None:
    lines = railgauge("show", rails).stdout.splitlines()
    rows = [line.split() for line in lines if line.split()[5:6] and "done" in line]
    names = [(row[5], row[6]) for row in rows]
    every = [(f"rail{r}", "together") for r in range(4)]
    assert names == every * 2 + [(f"rail{r}", f"rail{r}") for r in range(4) for _ in SIZES]
    assert any(line.split()[:2] == ["rail2", "0.70"] for line in lines)
    assert sum("unknown, the library" in line for line in lines) == 1


def test_what_the_library_chose_is_shown_where_it_is_known(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    plan = rails_plan(alone=False)
    plan.cases[0].variables |= {"algorithm": "RING", "protocol": "LL128", "channels": 16}
    lines = railgauge("show", write_run(tmp_path / "run", plan)).stdout.splitlines()
    assert sum(line.split()[-4:] == ["RING", "LL128", "16", "done"] for line in lines) == 4
    assert sum(line.split()[-4:] == ["-", "-", "-", "done"] for line in lines) == 4
    assert not any("unknown, the library" in line for line in lines)


def test_what_is_unusual_is_in_the_heading(tmp_path: Path, railgauge: Railgauge) -> None:
    plan = rails_plan(alone=False)
    plan.cases[1].variables |= {"buffers": "symmetric", "graph": 4, "traffic_class": 106}
    output = railgauge("show", write_run(tmp_path / "run", plan)).stdout
    assert "split rail  buffers symmetric  graph 4  traffic_class 106\n" in output
    assert "aggregate" not in output


def test_device_times_are_per_operation_and_pooled_over_the_ranks(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    plan = rails_plan(alone=False)
    plan.cases = [replace(c, ops_per_sample=2) for c in plan.cases]
    rows = show_json(railgauge, write_run(tmp_path / "run", plan))["cases"]
    assert {row["host_minus_device_us"] for row in rows} == {2.5}
    assert rows[0]["device_us"] == pytest.approx((10_000 + 1024 - 5000) / 2e3)


def test_long_cases_have_the_same_device_times(
    rails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [g.device for r in iterate(open_run(rails)) for g in r.groups]
    for module in ("device", "samples", "results"):
        monkeypatch.setattr(f"railgauge.{module}.SLAB_SAMPLES", 16)
    assert [g.device for r in iterate(open_run(rails)) for g in r.groups] == whole
    assert None not in whole


def test_json_and_export_hold_groups_and_device_times(
    tmp_path: Path, rails: Path, railgauge: Railgauge
) -> None:
    document = show_json(railgauge, rails)
    (slowest,) = (g for g in document["groups"] if g["group_name"] == "rail2")
    assert slowest["ratio"] == pytest.approx(0.70, abs=1e-4)
    assert railgauge("export", rails, "-o", tmp_path / "out.csv").returncode == 0
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [r["group_name"] for r in rows[:4]] == ["rail0", "rail1", "rail2", "rail3"]
    assert rows[0]["host_minus_device_us"] == "5"
    assert rows[0]["channels"] == ""
    assert rows[-1]["active"] == "rail3"


def test_the_report_draws_the_groups_with_valid_figures(rails: Path) -> None:
    page = render(open_run(rails), allow_rig=False)
    figures = report_data(page)["figures"]
    assert set(figures) == {"sizes0", "lateness", "groups0", "devices0"}
    for figure in figures.values():
        plotly.graph_objects.Figure(figure, skip_invalid=False)
    bars, alone, *lines = figures["groups0"]["data"]
    assert bars["x"] == ["rail0", "rail1", "rail2", "rail3"]
    assert bars["text"] == ["1.00", "1.00", "0.70", "1.00"]
    colours = bars["marker"]["color"]
    assert colours.index(next(c for c in colours if colours.count(c) == 1)) == 2
    assert alone["name"] == "alone"
    assert [line["y"][0] for line in lines] == [bars["y"][0], alone["y"][0]]
    labels = {t["name"] for t in figures["sizes0"]["data"]}
    assert "all_reduce · rail2 · alone" in labels
    text = Outline(page).text
    assert "Groups compared" in text
    assert "GPU-0003" in text


def test_a_run_of_a_double_keeps_its_mark_in_the_new_figures(tmp_path: Path) -> None:
    plan = rails_plan(alone=False)
    plan.origin = "double"
    page = render(open_run(write_run(tmp_path / "run", plan)), allow_rig=False)
    for figure in report_data(page)["figures"].values():
        assert figure["layout"]["annotations"][0]["text"] == "RIG"


# --- hostile -------------------------------------------------------------------------------------


def change_cases(run: Path, **columns: Any) -> None:
    """Give columns of /cases another type and other values."""
    with h5py.File(run, "r+") as file:
        rows = file["cases"][...]
        kinds = {n: np.asarray(v).dtype for n, v in columns.items()}
        fields = [(n, kinds.get(n, rows.dtype[n])) for n in rows.dtype.names]
        changed = np.zeros(rows.shape, fields)
        for name in rows.dtype.names:
            changed[name] = columns.get(name, rows[name])
        del file["cases"]
        file["cases"] = changed


@pytest.mark.parametrize(
    "columns",
    [
        {"split": 7},
        {"split": np.nan},
        {"split": b"\xff\x1b[31m</script>"},
        {"split": b"x" * 50_000, "active": b"y" * 50_000},
        {"active": np.nan, "active_group": np.nan},
        {"active_group": -(2**63)},
        {"channels": np.nan, "algorithm": 1e300},
        {"channels": b"many", "protocol": b"\xff" * 9_000},
        {"channels": np.uint64(2**64 - 1), "aggregate": -1, "graph": np.inf},
        {"buffers": b"z" * 50_000, "min_ctas": b"q"},
    ],
)
def test_hostile_columns_are_harmless(
    rails: Path, railgauge: Railgauge, columns: dict[str, Any]
) -> None:
    change_cases(rails, **columns)
    for command in ("show", "report", "check"):
        result = railgauge(command, rails)
        # Its ranks have no NICs that could prove rails: a check may say that it does not know.
        assert result.returncode in ((0, 3) if command == "check" else (0,)), result.stderr
        assert "\x1b" not in result.stdout
        assert max(map(len, result.stdout.splitlines())) < 2_000
    show_json(railgauge, rails)
    for name in ("out.csv", "out.parquet"):
        result = railgauge("export", rails, "-o", rails.with_name(name))
        assert result.returncode == 0, result.stderr


def test_groups_beyond_the_nodes_get_a_harmless_name(tmp_path: Path, railgauge: Railgauge) -> None:
    case = split_case(0, 1024, "node", [0, 0, 2**31 - 1, -(2**31)], samples=steady({}))
    run = write_run(tmp_path / "run", Plan([case], hosts=["노드-일", "노드-일", "b", "b"]))
    output = railgauge("show", run).stdout
    assert "노드-일" in output
    assert f"node{2**31 - 1}" in output


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full(168, -1), "device_ns is damaged (it holds -1 to -1)"),
        (np.full(168, 2**63 - 1), "device_ns is damaged"),
        (np.full(168, 2**64 - 1, "u8"), "device_ns is damaged"),
        (np.full(168, np.nan), "device_ns is damaged (it holds nan to nan)"),
        (np.full(168, np.inf), "device_ns is damaged (it holds inf to inf)"),
    ],
)
def test_damaged_device_times_leave_those_of_the_host(
    rails: Path, railgauge: Railgauge, values: Any, reason: str
) -> None:
    with h5py.File(rails, "r+") as file:
        del file["samples/0000/device_ns"]
        file["samples/0000/device_ns"] = values
    rows = show_json(railgauge, rails)["cases"]
    assert reason in rows[0]["reason"]
    assert rows[0]["device_us"] is None
    assert rows[0]["median_us"] == pytest.approx(11.024)
    assert "Samples unreadable" in render(open_run(rails), allow_rig=False)


def old(file: Any) -> None:
    rows = file["cases"][...]
    kept = [n for n in rows.dtype.names if n not in ("split", "active", "active_group", "channels")]
    del file["cases"]
    file["cases"] = np.array(rows[kept], dtype=[(n, rows.dtype[n]) for n in kept])


@pytest.mark.parametrize("change", [old])
def test_a_run_without_the_columns_reads_as_one_without_a_split(
    rails: Path, railgauge: Railgauge, change: Callable[[Any], None]
) -> None:
    with h5py.File(rails, "r+") as file:
        change(file)
        for case in file["samples"].values():
            del case["device_ns"]
    output = railgauge("show", rails).stdout
    assert "group 2 done" in output
    assert "together" not in output
    assert "host-dev" not in output
    assert "Groups compared" not in Outline(render(open_run(rails), allow_rig=False)).text


def test_a_column_of_a_known_name_and_a_foreign_type_is_still_one_line(
    rails: Path, railgauge: Railgauge
) -> None:
    change_cases(rails, algbw_bytes=np.nan)
    assert "column algbw_bytes is no int" in one_error_line(railgauge("show", rails))


def test_groups_by_rail_follow_the_ranks(rails: Path) -> None:
    (first, *_) = iterate(open_run(rails))
    assert [[RAIL_OF[r] for r in g.group.ranks] for g in first.groups] == [
        [r] * 2 for r in range(4)
    ]


def add_checks(run: Path, wrong: list[int]) -> None:
    """Give every case what its ranks verified, and the status that follows from it."""
    kinds = [("checked_elements", "u8"), ("wrong_elements", "u8")]
    table = np.array([(100, count) for count in wrong], kinds)
    with h5py.File(run, "r+") as file:
        for number in file["cases"]["id"]:
            file.require_group("checks").create_dataset(f"{number:04d}", data=table)
    change_cases(run, status=b"wrong", wrong_elements=np.uint64(sum(wrong)))


def test_wrong_elements_are_said_of_the_group_whose_ranks_found_them(rails: Path) -> None:
    with h5py.File(rails) as file:
        group = file["samples/0000/group"][...]
    add_checks(rails, [0] * (len(group) - 1) + [3])
    found = [row for row in rows(iterate(open_run(rails))) if row["case"] == 0]
    assert len(found) == len(set(group))
    for row in found:
        expected = ("wrong", 3) if row["group"] == group[-1] else ("done", 0)
        assert (row["status"], row["wrong_elements"]) == expected, row


def test_checks_of_another_number_of_ranks_are_said_to_be_damaged(
    rails: Path, railgauge: Railgauge
) -> None:
    add_checks(rails, [0, 1])
    result = railgauge("show", rails)
    assert "has 2 rows for" in result.stdout + result.stderr
