# SPDX-License-Identifier: Apache-2.0
"""Who enters late: a heat map of ranks x cases."""

from __future__ import annotations

import math
from collections.abc import Sequence

from railgauge.figures.style import Figure, base_layout, label_text, log_ticks
from railgauge.model import Case, Rank
from railgauge.results import CaseResult
from railgauge.text import size_label

_COLOURS = [
    [0.0, "#f1f6fb"],
    [0.4, "#b9d6ee"],
    [0.65, "#f6c667"],
    [0.85, "#e8743b"],
    [1.0, "#a3162e"],
]
_LEAST_US = 1e-3
_LEAST_DECADES = 2  # so that the noise of equal ranks does not fill the colour scale
_MOST_DECADES = 4


def lateness_figure(results: Sequence[CaseResult], ranks: Sequence[Rank]) -> Figure | None:
    """Heat map of each rank's median lateness in us; None when there is nothing to compare.

    Cells below twice the clock error bound stay empty, as those of idle ranks do.
    """
    measured = [r for r in results if r.groups]
    if not measured or len(ranks) < 2:
        return None
    late_us: list[list[float | None]] = [[None] * len(measured) for _ in ranks]
    for column, result in enumerate(measured):
        for group in result.groups:
            for rank, value_ns in group.lateness_ns.items():
                late_us[rank][column] = None if value_ns is None else round(value_ns / 1e3, 3)
    names = [label_text(f"{r.case.id} · {_short_name(r.case)}") for r in measured]
    hosts = [label_text(f"{r.rank} · {r.host}", 40) for r in ranks]
    return {
        "data": [_trace(late_us, names, hosts)],
        "layout": _layout(names, hosts),
    }


def _short_name(case: Case) -> str:
    size = case.size_bytes()
    words = [case.operation, str(case.variables.get("dtype", ""))]
    if size is not None:
        words.append(size_label(size))
    return " ".join(w for w in words if w)


def _trace(late_us: list[list[float | None]], names: list[str], hosts: list[str]) -> Figure:
    known = [max(v, _LEAST_US) for row in late_us for v in row if v is not None]
    high = math.log10(max(known, default=1.0))
    low = min(high - _LEAST_DECADES, math.log10(min(known, default=1.0)))
    low = max(low, high - _MOST_DECADES)
    ticks = [t for t in log_ticks([10**low, 10**high]) if low <= math.log10(t) <= high]
    return {
        "type": "heatmap",
        "z": [
            [None if v is None else round(math.log10(max(v, _LEAST_US)), 3) for v in row]
            for row in late_us
        ],
        "zmin": low,
        "zmax": high,
        "customdata": late_us,
        "x": names,
        "y": hosts,
        "hovertemplate": "rank %{y}<br>case %{x}<br>%{customdata} us late<extra></extra>",
        "hoverongaps": False,
        "xgap": 1 if len(names) <= 120 else 0,
        "ygap": 1 if len(hosts) <= 60 else 0,
        "colorscale": _COLOURS,
        "colorbar": {
            "title": {"text": "us late", "side": "top"},
            "tickvals": [math.log10(t) for t in ticks],
            "ticktext": [f"{t:g}" for t in ticks],
            "thickness": 14,
            "outlinewidth": 0,
        },
    }


def _layout(names: list[str], hosts: list[str]) -> Figure:
    every_case = max(1, math.ceil(len(names) / 32))
    every_rank = max(1, math.ceil(len(hosts) / 40))
    axis = {"type": "category", "showgrid": False, "zeroline": False, "automargin": True}
    return base_layout(190 + min(760, max(140, 24 * len(hosts)))) | {
        "xaxis": axis | {"tickvals": names[::every_case], "tickangle": -40},
        "yaxis": axis | {"tickvals": hosts[::every_rank], "autorange": "reversed"},
        "plot_bgcolor": "#e9edf1",
    }
