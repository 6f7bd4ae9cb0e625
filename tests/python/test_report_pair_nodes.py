# SPDX-License-Identifier: Apache-2.0
"""The report of pairs within nodes: its figures, and a browser that draws them."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest
from conftest import Railgauge
from synthetic_nodes import (
    Boxes,
    node_first,
    node_pairs,
    renumbered,
    slow_pair,
    write_nodes_run,
)
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


def boxes_of(nodes: int) -> Boxes:
    """Nodes of 8, the last but one of 4 and the last of 1; GPU 2 -> GPU 5 of node 3 is slow."""
    hosts = [f"gpu{i:02d}" for i in range(nodes)]
    hosts[3] = "서울-노드"
    return Boxes(hosts, sizes=[8] * (nodes - 2) + [4, 1], gbit_per_s=slow_pair(3, 2, 5, 0.6))


def demonstration(folder: Path, hosts: list[str] | None = None, **changes: Any) -> Path:
    boxes = boxes_of(6)
    boxes.hosts = hosts or boxes.hosts
    trip: dict[str, Any] = {"operation": "latency", "direction": "round-trip"}
    lists = (
        node_pairs(boxes),
        node_pairs(boxes, bytes=1 << 16, direction="forward"),
        node_pairs(boxes, **trip),
        node_first(boxes),
        node_first(boxes, **trip),
    )
    return write_nodes_run(folder / "nodes", boxes, renumbered(*lists), **changes)


def hostile(folder: Path) -> Path:
    """A double whose hosts would like to be markup."""
    hosts = [f"{HOSTILE.replace('/', '|')}{i}" for i in range(6)]
    return demonstration(folder, hosts, origin="double")


RUNS = {"demonstration": demonstration, "hostile": hostile}


def maps_of(folder: Path, name: str) -> list[dict[str, Any]]:
    maps: list[dict[str, Any]] = report_data(render(open_run(RUNS[name](folder)), allow_rig=False))[
        "maps"
    ]
    return maps


def figure_of(found: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Do what the page does."""
    figure = copy.deepcopy(found["shape"])
    figure["layout"]["title"]["text"] = node["title"]
    for trace, piece in zip(figure["data"], node["data"], strict=True):
        trace.update(piece)
    return figure


@pytest.mark.parametrize("name", RUNS)
def test_figures_of_every_node_are_valid_plotly(tmp_path: Path, name: str) -> None:
    for found in maps_of(tmp_path, name):
        for figure in (found["boxes"], *(figure_of(found, n) for n in found["nodes"])):
            plotly.graph_objects.Figure(figure, skip_invalid=False)
            assert bool(figure["layout"].get("annotations")) == (name == "hostile")


def test_the_node_with_the_slowest_pair_comes_first_and_the_unmeasured_last(tmp_path: Path) -> None:
    for found in maps_of(tmp_path, "demonstration")[:3]:
        hosts = [n["host"] for n in found["nodes"]]
        assert hosts[0] == "서울-노드"
        assert hosts[-1] == "gpu05"
        assert found["nodes"][-1]["note"] == "not measured"
        assert found["slowest"][0][0] == "서울-노드 GPU 2 -> GPU 5"


def test_gaps_of_a_node_map_are_null_and_its_other_cells_are_not(tmp_path: Path) -> None:
    both, forward, trips, *_ = maps_of(tmp_path, "demonstration")
    for found, gaps in ((both, 8), (forward, 8 + 28), (trips, 8 + 28)):
        (trace,) = found["nodes"][0]["data"]
        cells = [v for row in trace["customdata"] for v in row]
        assert (len(cells), cells.count(None)) == (64, gaps)
        assert 0 not in cells
        assert trace["x"] == [f"GPU {i}" for i in range(8)]
    assert both["nodes"][0]["data"][0]["customdata"][2][5] == pytest.approx(24, abs=0.3)


def test_bars_go_from_the_first_gpu_to_each_other_and_back(tmp_path: Path) -> None:
    *_, rates, trips = maps_of(tmp_path, "demonstration")
    node = next(n for n in rates["nodes"] if n["host"] == "서울-노드")
    sent, received, others, _ = node["data"]
    assert sent["x"] == received["x"] == [f"GPU {i}" for i in range(1, 8)]
    assert (sent["name"], received["name"]) == ("from GPU 0", "to GPU 0")
    assert sent["customdata"] == pytest.approx([100] * 7, abs=3)
    assert others["y"] == pytest.approx([40] * 7, rel=0.02)
    assert len(trips["nodes"][0]["data"]) == 2
    assert [n["data"][0]["x"] for n in rates["nodes"][-1:]] == [[]]


def test_boxes_stand_for_the_measured_nodes(tmp_path: Path) -> None:
    boxes = maps_of(tmp_path, "demonstration")[0]["boxes"]
    assert boxes["data"][0]["x"] == ["gpu00", "gpu01", "gpu02", "서울-노드", "gpu04"]
    assert "서울-노드 GPU 2 -&gt; GPU 5<br>24 Gb/s, 60 %" in boxes["data"][1]["text"][3]


def test_a_run_of_pairs_within_nodes_has_no_section_of_rails(tmp_path: Path) -> None:
    page = render(open_run(demonstration(tmp_path)), allow_rig=False)
    text = Outline(page).text
    assert "Pairs within nodes" in text
    assert "rail by rail" not in text
    assert "slowest pair within a node" in text


@pytest.mark.parametrize("name", RUNS)
def test_a_browser_draws_the_nodes_without_an_error(
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
    assert {"node0", "node1", "node2", "node3", "nodes", "rates", "trips"} <= drawn
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    picture = ARTIFACTS / f"report-pair-nodes-{name}.png"
    picture.unlink(missing_ok=True)
    browse(chromium, page, tmp_path / "profile", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000
