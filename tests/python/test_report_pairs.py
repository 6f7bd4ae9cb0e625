# SPDX-License-Identifier: Apache-2.0
"""The report of a run of railgauge-pairs: its figures, and a browser that draws them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest
from conftest import Railgauge
from synthetic_pairs import Fabric, all_pairs, degraded_port, write_pairs_run
from test_report import (  # noqa: F401 - chromium is a fixture
    ARTIFACTS,
    HOSTILE,
    Outline,
    browse,
    chromium,
    report_data,
)

from railgauge.load import open_run
from railgauge.report import render


def fabric_of(nodes: int, rails: int = 4) -> Fabric:
    hosts = [f"gpu-node-{i:03d}.cluster.example" for i in range(nodes)]
    hosts[nodes // 2] = "서울-노드"
    return Fabric(hosts, rails, gbit_per_s=degraded_port(nodes // 2, rails - 1, 0.7))


def demonstration(folder: Path) -> Path:
    """Bandwidth over sizes and depths and latency, one round failed: what the screenshot shows."""
    fabric = fabric_of(12)
    cases = all_pairs(fabric, [1 << 16, 1 << 20, 1 << 24], [1, 16])
    cases[-3] = replace(cases[-3], status="failed", reason="MPI_ERR_OTHER")
    trip: dict[str, Any] = {"operation": "latency", "direction": "round-trip", "samples": 300}
    for case in all_pairs(fabric, [8, 4096], **trip):
        cases.append(replace(case, id=len(cases)))
    return write_pairs_run(folder / "pairs", fabric, cases)


def large(folder: Path) -> Path:
    """96 nodes, whose labels must be thinned to be read."""
    fabric = fabric_of(96, rails=2)
    return write_pairs_run(folder / "pairs-96", fabric, all_pairs(fabric, [1 << 20], samples=6))


def hostile(folder: Path) -> Path:
    """A double whose hosts would like to be markup."""
    fabric = Fabric([HOSTILE.replace("/", "|"), "n1"])
    cases = all_pairs(fabric, [1 << 20], pattern=HOSTILE)
    return write_pairs_run(folder / "pairs-hostile", fabric, cases, origin="double")


RUNS = {"demonstration": demonstration, "large": large, "hostile": hostile}


def page_of(folder: Path, name: str) -> str:
    return render(open_run(RUNS[name](folder)), allow_rig=False)


@pytest.mark.parametrize("name", ["demonstration", "hostile"])
def test_figures_are_valid_plotly(tmp_path: Path, name: str) -> None:
    data = report_data(page_of(tmp_path, name))
    figures = list(data["figures"].values())
    for found in data["maps"]:
        figures += [*found["rails"], found["boxes"]]
    for figure in figures:
        plotly.graph_objects.Figure(figure, skip_invalid=False)
        assert bool(figure["layout"].get("annotations")) == (name == "hostile")


def test_each_rail_has_a_map_whose_gaps_are_null_and_never_zero(tmp_path: Path) -> None:
    data = report_data(page_of(tmp_path, "demonstration"))
    assert set(data["figures"]) == {"rates", "latencies", "trips"}
    assert [m["label"].split(" · ")[-1] for m in data["maps"][:2]] == ["depth 1", "depth 16"]
    assert len(data["maps"]) == 3 * 2 + 2
    failed = data["maps"][5]
    for found, gaps in ((data["maps"][4], 12), (failed, 12 + 12)):
        assert len(found["rails"]) == 4
        for figure in found["rails"]:
            cells = [v for row in figure["data"][0]["z"] for v in row]
            assert len(cells) == 144
            assert cells.count(None) == gaps
            assert 0 not in cells
    assert data["first"] == 5


def test_the_slow_port_is_what_the_slowest_pairs_name(tmp_path: Path) -> None:
    data = report_data(page_of(tmp_path, "demonstration"))
    for found in data["maps"]:
        slowest = [pair for pair, _, _ in found["slowest"][:11]]  # round trips have one asker
        assert all("서울-노드" in pair and "rail 3" in pair for pair in slowest)
        median = found["rails"][3]["data"][0]["meta"]["median"]
        shares = [v / median for v in found["rails"][3]["data"][0]["z"][6] if v is not None]
        slow = (1 / 0.7) if found["unit"] == "us" else 0.7
        assert shares == pytest.approx([slow] * len(shares), rel=0.04)


def test_labels_of_many_nodes_are_thinned_and_all_cells_kept(tmp_path: Path) -> None:
    (found,) = report_data(page_of(tmp_path, "large"))["maps"]
    figure = found["rails"][0]
    assert len(figure["data"][0]["z"]) == 96
    assert len(set(figure["data"][0]["y"])) == 96
    assert len(figure["layout"]["yaxis"]["tickvals"]) <= 24
    assert len(figure["layout"]["xaxis"]["tickvals"]) <= 16
    assert figure["layout"]["yaxis"]["ticktext"][0] == "gpu-node-000"


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    page = page_of(tmp_path, "hostile")
    assert "<img" not in page.split('id="report-data"')[0]
    found = report_data(page)["maps"][0]
    assert not any("<" in label for label in found["rails"][0]["data"][0]["x"])
    assert "<script" not in found["boxes"]["data"][1]["text"][0]


def test_a_run_without_a_measured_pair_still_gives_a_report(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"])
    cases = all_pairs(fabric, [1 << 20], status="failed", reason="cut off")
    run = write_pairs_run(tmp_path / "run", fabric, cases)
    text = Outline(render(open_run(run), allow_rig=False)).text
    assert "No case was measured to its end." in text
    assert "cut off" in text


@pytest.mark.parametrize("name", RUNS)
def test_a_browser_draws_the_pairs_without_an_error(
    tmp_path: Path,
    railgauge: Railgauge,
    chromium: str,  # noqa: F811
    name: str,
) -> None:
    page = tmp_path / "report.html"
    assert railgauge("report", RUNS[name](tmp_path), "-o", page).returncode == 0
    dom, console = browse(chromium, page, tmp_path / "profile", "--dump-dom")
    assert [line for line in console.splitlines() if "CONSOLE" in line] == []
    assert 'data-ready="yes"' in dom
    assert "<title>owned" not in dom
    drawn = set(re.findall(r'<div[^>]*id="plot-([a-z0-9]+)"[^>]*class="[^"]*js-plotly-plot', dom))
    drawn |= set(re.findall(r'<div[^>]*class="[^"]*js-plotly-plot[^"]*"[^>]*id="plot-(\w+)"', dom))
    assert {"rail0", "rail1", "rails", "rates"} <= drawn
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    picture = ARTIFACTS / f"report-pairs-{name}.png"
    picture.unlink(missing_ok=True)
    browse(chromium, page, tmp_path / "profile", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000
