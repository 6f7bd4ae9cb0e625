# SPDX-License-Identifier: Apache-2.0
"""The report of a run of railgauge-incast: its figures, and a browser that draws them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects
import pytest
from conftest import Railgauge
from synthetic_incast import (
    MS,
    Cluster,
    IncastCase,
    Rows,
    healthy,
    site_of,
    steady,
    triple,
    write_incast_run,
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


def lively(limited: int) -> Any:
    """Senders whose rates breathe, and one that is limited to half."""

    def rows(case: IncastCase, rank: int) -> Rows:
        period = 40_000 * len(case.senders) * (2 if rank == limited else 1)
        step = period + (np.arange(20_000) * (rank % 7) // 61 % 5) * period // 9
        completed = np.cumsum(step)
        completed = completed[completed < case.duration_ns]
        wave = (np.arange(completed.size) * 37 + rank) % 101
        return Rows(completed, 20_000 * len(case.senders) + 1500 * wave + 9000 * (wave == 7) * rank)

    return rows


def demonstration(folder: Path) -> Path:
    """A sweep into 47 senders with a victim: what the screenshot shows."""
    hosts = [f"gpu-{i:02d}" for i in range(50)]
    hosts[5] = "서울-노드"
    cluster = Cluster(hosts, site=site_of(Cluster(hosts), 20.0))
    cases: list[IncastCase] = []
    for senders in (2, 8, 47):
        for queues in (1, 8):
            for case in triple(
                len(cases),
                (48, 49),
                (4_000, 4_000 + 150 * senders),
                senders=tuple(range(1, senders + 1)),
                queues=queues,
                duration_ns=400 * MS,
                rows=lively(5 if senders > 2 else 0),
            ):
                case.id = len(cases)
                case.counters = healthy(cluster, rx_discards_phy=3 if senders == 47 else 0)
                cases.append(case)
    return write_incast_run(folder / "incast", cluster, cases)


def hostile(folder: Path) -> Path:
    cluster = Cluster([HOSTILE.replace("/", "|"), "n1", "n2"])
    case = IncastCase(0, senders=(1, 2), memory=HOSTILE, rows=steady({1: 0.5}))
    return write_incast_run(folder / "hostile", cluster, [case], origin="double")


RUNS = {"demonstration": demonstration, "hostile": hostile}


def page_of(folder: Path, name: str) -> str:
    return render(open_run(RUNS[name](folder)), allow_rig=False)


@pytest.mark.parametrize("name", RUNS)
def test_figures_are_valid_plotly(tmp_path: Path, name: str) -> None:
    data = report_data(page_of(tmp_path, name))
    several = [figure for charts in data["facets"].values() for figure in charts]
    assert set(data["facets"]) >= {"sweep", "time", "requests"}
    for figure in several:
        plotly.graph_objects.Figure(figure, skip_invalid=False)
        assert bool(figure["layout"].get("annotations")) == (name == "hostile")


def test_47_senders_are_a_map_and_few_are_lines(tmp_path: Path) -> None:
    data = report_data(page_of(tmp_path, "demonstration"))
    kinds = {len(f["data"]): f["data"][-1]["type"] for f in data["facets"]["time"]}
    assert kinds == {2: "heatmap", 9: "scatter", 3: "scatter"}
    large = next(f for f in data["facets"]["time"] if len(f["data"]) == 2)["data"][1]
    assert len(large["z"]) == len(large["y"]) == 47
    limited = [v for v in large["z"][4] if v is not None]
    assert np.mean(limited) == pytest.approx(0.5, abs=0.1)
    assert large["y"][4] == "서울-노드 rank 5 rail 0"


def test_the_sweep_has_a_line_per_number_of_queues_and_the_line_rate(tmp_path: Path) -> None:
    data = report_data(page_of(tmp_path, "demonstration"))
    congested, alone = data["facets"]["sweep"]
    for figure in (congested, alone):
        names = [t["name"] for t in figure["data"]]
        assert names == ["1 QP"] * 3 + ["8 QPs"] * 3 + ["nominal rate"]
        assert figure["data"][0]["x"] == ["2", "8", "47"]
        assert figure["data"][-1]["y"] == [20.0, 20.0]


def test_victims_are_drawn_isolated_and_congested_with_their_factors(tmp_path: Path) -> None:
    page = page_of(tmp_path, "demonstration")
    first = report_data(page)["facets"]["victims"][0]
    assert [t["name"].split(" ")[0] for t in first["data"]] == ["isolated", "congested"]
    for trace in first["data"]:
        assert trace["y"] == sorted(trace["y"])
        assert (trace["y"][0], trace["y"][-1]) == (0.0, 100.0)
    assert "average x 2.76" in first["layout"]["title"]["text"]


def test_classes_reasons_and_counters_are_in_the_page(tmp_path: Path) -> None:
    text = Outline(page_of(tmp_path, "demonstration")).text
    assert "Was the congestion controlled?" in text
    assert "lost packets: rx_discards_phy +144 on 48 devices, most gpu-00 eth0 +3" in text
    assert "서울-노드 rank 5 rail 0: 0.5" in text
    assert "senders below their share" in text


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    page = page_of(tmp_path, "hostile")
    assert "<img" not in page.split('id="report-data"')[0]
    assert Outline(page).scripts == 3
    for charts in report_data(page)["facets"].values():
        for figure in charts:
            names = [str(t.get("name", "")) for t in figure["data"]]
            assert not any("<" in n for n in names)


def test_a_run_without_a_finished_case_still_gives_a_report(tmp_path: Path) -> None:
    case = IncastCase(0, status="failed", reason="no way")
    run = write_incast_run(tmp_path / "run", Cluster(["n0", "n1", "n2", "n3"]), [case])
    text = Outline(render(open_run(run), allow_rig=False)).text
    assert "No incast was measured to its end." in text
    assert "no way" in text


@pytest.mark.parametrize("name", RUNS)
def test_a_browser_draws_the_incast_without_an_error(
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
    plots = r'<div[^>]*id="plot-facet-(\w+)"[^>]*class="[^"]*js-plotly-plot'
    mirrored = r'<div[^>]*class="[^"]*js-plotly-plot[^"]*"[^>]*id="plot-facet-(\w+)"'
    drawn = {*re.findall(plots, dom), *re.findall(mirrored, dom)}
    assert {"sweep", "time", "requests"} <= drawn
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    picture = ARTIFACTS / f"report-incast-{name}.png"
    picture.unlink(missing_ok=True)
    browse(chromium, page, tmp_path / "profile", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000
