# SPDX-License-Identifier: Apache-2.0
"""The report of a run of pairs over RDMA: its charts, and a browser that draws them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects
import pytest
from conftest import Railgauge
from synthetic_pairs import Fabric, PairsCase, all_pairs, degraded_port, write_pairs_run
from test_rdma_counters import clean_rows, rows_of
from test_report import (  # noqa: F401 - chromium is a fixture
    ARTIFACTS,
    browse,
    chromium,
    report_data,
)

from railgauge.load import open_run
from railgauge.report import render

SIZES = [1 << s for s in range(12, 25, 4)]
WIRE = 390.0


def scaled(factor: float) -> Any:
    def change(samples: Any) -> None:
        times = samples["acknowledged_ns"][...]
        samples["acknowledged_ns"][...] = np.where(times > 0, np.maximum(times * factor, 1), -1)

    return change


def rate_share(size: int, depth: int, queues: int, memory: str) -> float:
    """The more there is in flight, the nearer to the wire; GPUs a tenth below."""
    flying = size * depth * queues
    return flying / (flying + 4e6) * (0.9 if memory == "cuda" else 1)


def demonstration(folder: Path, **plan: Any) -> Path:
    """Verbs x directions x depths x queue pairs x memories, one case with an error."""
    fabric = Fabric(
        ["gpu00", "gpu01"],
        rails=4,
        gbit_per_s=lambda *e: WIRE * 10 * degraded_port(1, 0, 0.85)(*e),
    )
    cases: list[PairsCase] = []
    for memory in ("host", "cuda"):
        for verb, direction in (
            ("write", "both"),
            ("write", "forward"),
            ("read", "both"),
        ):
            for depth in (1, 16):
                for queues in (1, 2, 4):
                    for case in all_pairs(fabric, SIZES, [depth], direction=direction, samples=6):
                        share = rate_share(case.bytes, depth, queues, memory)
                        changes = {
                            "change": scaled(1 / share),
                            "queues": queues,
                            "verb": verb,
                        }
                        more = {
                            "memory": memory,
                            "backend": "verbs",
                            "rdma": clean_rows(),
                        }
                        number = {"id": len(cases), "counters": lambda rows: []}
                        cases.append(replace(case, **changes, **more, **number))  # type: ignore[arg-type]
        for verb in ("send", "read"):
            trip: dict[str, Any] = {"operation": "latency", "direction": "round-trip"}
            for case in all_pairs(fabric, [4096, 65536, 1 << 20], **trip):
                changes = {"verb": verb, "memory": memory, "backend": "verbs"}
                slower = scaled(1.3 if memory == "cuda" else 1)
                number = {
                    "id": len(cases),
                    "change": slower,
                    "counters": lambda rows: [],
                }
                cases.append(replace(case, **changes, **number))  # type: ignore[arg-type]
    cases[3] = replace(cases[3], rdma=rows_of("out_of_sequence", 34))
    cases[7] = replace(cases[7], rdma=rows_of("packet_seq_err", 3))
    return write_pairs_run(folder / "rdma", fabric, cases, **plan)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return render(open_run(demonstration(tmp_path_factory.mktemp("rdma"))), allow_rig=False)


def test_each_verb_direction_and_depth_has_a_chart_with_a_line_per_queue_pairs(
    page: str,
) -> None:
    data = report_data(page)
    assert set(data["facets"]) == {"rates", "latencies"}
    assert not {"rates", "latencies"} & set(data["figures"])
    assert len(data["facets"]["rates"]) == 3 * 2
    for figure in data["facets"]["rates"]:
        lines = [t for t in figure["data"] if "name" in t]
        assert [(t["name"], t["xaxis"]) for t in lines] == [
            (f"{n} QP{'s' * (n > 1)}", axis) for axis in ("x", "x2") for n in (1, 2, 4)
        ]
        assert [t["showlegend"] for t in lines] == [True] * 3 + [False] * 3
        assert figure["layout"]["xaxis"]["title"]["text"] == "memory host"
        assert figure["layout"]["xaxis2"]["title"]["text"] == "memory cuda"
        bands = [t for t in figure["data"] if t.get("fill") == "toself"]
        assert len(bands) == len(lines)
        for line in lines:
            assert line["x"] == SIZES


def test_a_line_is_the_median_pair_and_its_band_has_the_slow_port(page: str) -> None:
    figure = report_data(page)["facets"]["rates"][0]
    band, line = figure["data"][:2]
    low = band["y"][len(SIZES) :][::-1]
    expected = [WIRE * rate_share(s, 1, 1, "host") for s in SIZES]
    assert line["y"] == pytest.approx(expected, rel=0.02)
    assert [lo / mid for lo, mid in zip(low, line["y"], strict=True)] == pytest.approx(
        [0.85] * len(SIZES), rel=0.02
    )


def test_latency_has_a_line_per_memory_and_names_what_it_is(page: str) -> None:
    figures = report_data(page)["facets"]["latencies"]
    assert [[t["name"] for t in f["data"] if "name" in t] for f in figures] == [
        ["host", "cuda"]
    ] * 2
    titles = [f["layout"]["yaxis"]["title"]["text"] for f in figures]
    assert titles == ["half round trip (us)", "time of a read (us)"]
    host, cuda = ([t for t in figures[0]["data"] if "name" in t][i]["y"] for i in (0, 1))
    assert [c / h for h, c in zip(host, cuda, strict=True)] == pytest.approx([1.3] * 3, rel=0.02)


def test_figures_are_valid_plotly_and_a_rig_marks_them(tmp_path: Path, page: str) -> None:
    rig = report_data(render(open_run(demonstration(tmp_path, origin="double")), allow_rig=False))
    for data, marked in ((report_data(page), False), (rig, True)):
        for figure in [f for several in data["facets"].values() for f in several]:
            plotly.graph_objects.Figure(figure, skip_invalid=False)
            assert bool(figure["layout"].get("annotations")) == marked


def test_the_table_has_both_memories_and_the_difference_of_every_size(
    page: str,
) -> None:
    table = page.split('id="sizes-rates"')[1].split("</table>")[0]
    assert table.count("<tr>") == 1 + 6 * 3 * len(SIZES)
    assert "difference (%)" in table
    assert table.count(">-10.0</td>") >= 6 * 3 * len(SIZES) - 6
    assert 'data-table="sizes-rates"' in page
    assert "reference host" in page


def test_a_browser_draws_the_charts_and_changes_them_without_an_error(
    tmp_path: Path,
    railgauge: Railgauge,
    chromium: str,  # noqa: F811
) -> None:
    page = tmp_path / "report.html"
    assert railgauge("report", demonstration(tmp_path), "-o", page).returncode == 0
    dom, console = browse(chromium, page, tmp_path / "profile", "--dump-dom")
    assert [line for line in console.splitlines() if "CONSOLE" in line] == []
    assert 'data-ready="yes"' in dom
    for name in ("plot-facet-rates", "plot-facet-latencies"):
        part = dom.split(f'id="{name}"')[1][:200]
        assert "js-plotly-plot" in part + dom.split(f'id="{name}"')[0][-200:]
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    picture = ARTIFACTS / "report-pairs-rdma.png"
    picture.unlink(missing_ok=True)
    browse(chromium, page, tmp_path / "profile", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000
