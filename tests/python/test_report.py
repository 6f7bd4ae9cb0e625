# SPDX-License-Identifier: Apache-2.0
"""The report: complete, offline, safe, and drawn by a real browser."""

from __future__ import annotations

import html
import html.parser
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest
from conftest import ROOT, Railgauge
from synthetic import CaseSpec, Plan, expired_document, sweep, write_parts, write_run

from railgauge.figures.sizes import series_of
from railgauge.figures.style import log_ticks
from railgauge.load import open_run
from railgauge.model import Node
from railgauge.report import render, script_json
from railgauge.report_tables import facts_table
from railgauge.results import iterate

ARTIFACTS = ROOT / "build" / "artifacts"
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'"


def demonstration(folder: Path) -> Path:
    """A run with a bit of everything: what the screenshot shows."""
    sizes = [8 << (2 * i) for i in range(11)]
    plan = Plan(
        sweep(["all_reduce", "all_gather", "broadcast"], sizes, iterations=1500),
        hosts=["node-1", "node-1", "노드-이", "노드-이"],
        clock_error_ns={"노드-이": 400},
        facts={"노드-이": {"kernel": "6.1.0-20-amd64", "environment": {"UCX_TLS": "rc"}}},
        site='[site]\nname = "시험"\n',
    )
    return write_run(folder / "demonstration", plan)


def trouble(folder: Path) -> Path:
    """An interrupted run of a double with wrong, failed and expired cases and hostile texts."""
    sizes = [8 << (2 * i) for i in range(8)]
    plan = Plan(
        sweep(["all_reduce", "all_gather"], sizes, iterations=300),
        hosts=["n1", HOSTILE.replace("/", "|"), "노드-이", "노드-이"],
        origin="double",
    )
    plan.cases[5].status, plan.cases[5].wrong = "wrong", 17
    plan.cases[6].status, plan.cases[6].reason = "failed", HOSTILE
    plan.cases[7].redop = HOSTILE
    plan.facts = {"n1": {HOSTILE: HOSTILE}}
    plan.site = HOSTILE
    plan.expired = expired_document(plan, plan.cases[12]) | {"text": HOSTILE}
    write_parts(folder / "trouble", plan, finished=12)
    return folder / "trouble"


RUNS = {"demonstration": demonstration, "trouble": trouble}


def report_data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page)
    assert found
    return json.loads(found.group(1))


class Outline(html.parser.HTMLParser):
    """Collects what a browser would load, run or show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.handlers: list[str] = []
        self.scripts = 0
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.loads += [f"{tag} {n}={v}" for n, v in attributes if n in ("src", "href")]
        self.handlers += [n for n, _ in attributes if n.startswith("on")]

    def handle_data(self, data: str) -> None:
        if len(data) < 100_000:
            self.text += data


@pytest.mark.parametrize("name", RUNS)
def test_the_page_loads_nothing_and_runs_only_its_own_scripts(tmp_path: Path, name: str) -> None:
    page = render(open_run(RUNS[name](tmp_path)), allow_rig=False)
    outline = Outline(page)
    assert outline.loads == []
    assert outline.handlers == []
    assert outline.scripts == 3  # the data, plotly.js, report.js
    policy = html.unescape(page.split('Content-Security-Policy" content="')[1].split('"')[0])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("sha256-") == 2


def test_hostile_texts_are_shown_as_text(tmp_path: Path) -> None:
    page = render(open_run(trouble(tmp_path)), allow_rig=False)
    outline = Outline(page)
    assert HOSTILE in outline.text
    assert "<img" not in page.split('id="report-data"')[0]
    labels = [trace["name"] for trace in report_data(page)["figures"]["sizes0"]["data"]]
    assert any("&lt;/script&gt;" in label for label in labels)
    assert not any("<" in label for label in labels)


def test_script_json_cannot_leave_its_element() -> None:
    text = script_json({"a": "</script><!--\u2028&"})
    assert "<" not in text
    assert ">" not in text
    assert json.loads(text) == {"a": "</script><!--\u2028&"}


@pytest.mark.parametrize("name", RUNS)
def test_figures_are_valid_plotly(tmp_path: Path, name: str) -> None:
    data = report_data(render(open_run(RUNS[name](tmp_path)), allow_rig=False))
    assert set(data["figures"]) == {"sizes0", "lateness"}
    for figure in data["figures"].values():
        plotly.graph_objects.Figure(figure, skip_invalid=False)


def test_trouble_is_prominent_and_marked(tmp_path: Path) -> None:
    page = render(open_run(trouble(tmp_path)), allow_rig=False)
    text = Outline(page).text
    for expected in ("Deadline passed", "Interrupted", "Wrong data", "Failed", "not-entered"):
        assert expected in text
        assert text.index(expected) < text.index("Latency and bus bandwidth by size")
    assert text.count("RIG: origin double, not a measurement of hardware") == 1
    figures = report_data(page)["figures"].values()
    assert all(f["layout"]["annotations"][0]["text"] == "RIG" for f in figures)


def test_a_run_without_a_finished_case_still_gives_a_report(tmp_path: Path, plan: Plan) -> None:
    write_parts(tmp_path / "run", plan, finished=0)
    text = Outline(render(open_run(tmp_path / "run"), allow_rig=False)).text
    assert "0 of 6 cases finished" in text
    assert "No case was measured to its end." in text


def test_outliers_survive_the_downsampling(tmp_path: Path) -> None:
    import numpy as np

    def steady(spec: CaseSpec, rank: int, ranks: int) -> tuple[Any, Any]:
        elapsed = np.full(50_000, 5_000)
        elapsed[31_337] = 900_000
        return np.arange(50_000) * 1_000_000, elapsed

    specs = [CaseSpec(0, iterations=50_000, samples=steady)]
    run = open_run(write_run(tmp_path / "run", Plan(specs)))
    (line,) = report_data(render(run, allow_rig=False))["timelines"]
    assert len(line["high"]) <= 2000
    assert line["peaks"] == [31_337]
    assert line["peakValues"] == [900.0]
    assert line["outliers"] == 1


def test_series_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    specs = sweep(["all_reduce", "all_gather"], [8, 64], dtypes=["float32", "int64"], iterations=20)
    results = list(iterate(open_run(write_run(tmp_path / "run", Plan(specs)))))
    labels = [s.label for s in series_of(results)]
    assert labels == [
        "all_reduce · float32",
        "all_reduce · int64",
        "all_gather · float32",
        "all_gather · int64",
    ]
    assert [p.size_bytes for p in series_of(results)[0].points] == [8, 64]


def test_many_series_are_split_by_operation(tmp_path: Path) -> None:
    operations = ["all_reduce", "all_gather", "reduce", "broadcast"]
    specs = sweep(operations, [8, 64], dtypes=["float32", "float64", "int32", "int64"])
    run = open_run(write_run(tmp_path / "run", Plan(specs)))
    figures = report_data(render(run, allow_rig=False))["figures"]
    titles = [f["layout"]["title"]["text"] for n, f in figures.items() if n.startswith("sizes")]
    assert titles == operations


def test_log_ticks_are_decades_or_their_usual_parts() -> None:
    assert log_ticks([3, 40]) == [1, 2, 5, 10, 20, 50, 100, 200, 500]
    assert log_ticks([1, 1e6])[:3] == [1, 10, 100]
    assert log_ticks([]) == []


def test_facts_that_differ_come_first_with_the_odd_one_marked() -> None:
    nodes = [Node(f"n{i}", i, {"hostname": f"n{i}", "kernel": "6.1"}) for i in range(3)]
    nodes[2].facts["kernel"] = "6.6"
    table = facts_table(nodes)
    assert [f.name for f in table.facts] == ["kernel", "hostname"]
    assert [odd for _, _, odd in table.facts[0].values] == [False, False, True]
    assert not table.facts[1].differs


def test_identifiers_of_gpus_are_no_deviations() -> None:
    nodes = [Node(f"n{i}", i, {"gpus.0.uuid": f"GPU-{i}"}) for i in range(3)]
    assert not facts_table(nodes).facts[0].differs


def test_facts_of_many_nodes_are_listed_by_value() -> None:
    nodes = [Node(f"n{i}", i, {"kernel": "6.1"}) for i in range(96)]
    nodes[17].facts["kernel"] = "6.6"
    (fact,) = facts_table(nodes).facts
    assert fact.values == [("95 nodes", "6.1", False), ("n17", "6.6", True)]


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium on this machine: install the package chromium to test the rendering")


def browse(chromium: str, page: Path, profile: Path, *options: str) -> tuple[str, str]:
    """Load a page in headless Chromium; return the DOM or nothing, and the console."""
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--enable-logging=stderr", "--v=0", "--virtual-time-budget=10000"]
    command += [f"--user-data-dir={profile}", "--window-size=1400,3200", *options]
    result = subprocess.run(
        [*command, page.as_uri()],
        capture_output=True,
        timeout=180,
        env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
    )
    return result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


@pytest.mark.parametrize("name", RUNS)
def test_a_browser_draws_the_report_without_an_error(
    tmp_path: Path, railgauge: Railgauge, chromium: str, name: str
) -> None:
    page = tmp_path / "report.html"
    assert railgauge("report", RUNS[name](tmp_path), "-o", page).returncode == 0
    dom, console = browse(chromium, page, tmp_path / "profile", "--dump-dom")
    complaints = [line for line in console.splitlines() if "CONSOLE" in line]
    assert complaints == []
    assert 'data-ready="yes"' in dom
    assert "<title>owned" not in dom
    for plot in ("plot-sizes0", "plot-lateness", "plot-timeline"):
        assert re.search(rf'id="{plot}"[^>]*class="[^"]*js-plotly-plot', dom) or re.search(
            rf'class="[^"]*js-plotly-plot[^"]*"[^>]*id="{plot}"', dom
        ), plot
    assert dom.count("<svg") >= 6
    assert "노드-이" in dom
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    picture = ARTIFACTS / f"report-{name}.png"
    picture.unlink(missing_ok=True)
    browse(chromium, page, tmp_path / "profile", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000
