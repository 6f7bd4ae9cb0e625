# SPDX-License-Identifier: Apache-2.0
"""An incast against senders and queues, and its senders over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from railgauge.figures.style import (
    GRID_COLOUR,
    PALETTE,
    WRONG_COLOUR,
    Figure,
    base_layout,
    label_text,
)
from railgauge.incast_results import ReceiverResult
from railgauge.incast_shares import NAMED_SHARE, Floats, coarser
from railgauge.text import plural

_MOST_LINES = 8
_BELOW = {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"}
_SHARES = [[0, "#b2182b"], [0.25, "#ef8a62"], [0.5, "#f7f7f7"], [0.75, "#67a9cf"], [1, "#2166ac"]]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One receiver of one case: how many senders with how many queues, and what they got."""

    senders: int
    queues: int
    receiver: ReceiverResult
    named: int


def sweep_figure(points: Sequence[SweepPoint]) -> Figure:
    """Rate at the receiver, and Jain's index with the lowest share, against senders.

    A line per number of queues; a red ring marks points with senders far below their share.
    """
    data: list[Figure] = []
    for number, queues in enumerate(sorted({p.queues for p in points})):
        own = sorted((p for p in points if p.queues == queues), key=lambda p: p.senders)
        data += _lines(own, plural(queues, "QP"), PALETTE[number % len(PALETTE)])
    lines = {p.receiver.line_gbit_per_s for p in points} - {None}
    senders = sorted({p.senders for p in points})
    if len(lines) == 1 and (line := lines.pop()):
        data.append(_level([str(senders[0]), str(senders[-1])], line, "nominal rate"))
    ticks = {"type": "category", "categoryarray": [str(s) for s in senders]}
    common = {"gridcolor": GRID_COLOUR, "zeroline": False, "automargin": True}
    layout = base_layout(420) | {
        "xaxis": {**ticks, "domain": [0, 0.46], "title": {"text": "senders"}},
        "xaxis2": {**ticks, "domain": [0.54, 1], "title": {"text": "senders"}, "anchor": "y2"},
        "yaxis": {**common, "rangemode": "tozero", "title": {"text": "at the receiver (Gb/s)"}},
        "yaxis2": {
            **common,
            "range": [0, 1.05],
            "anchor": "x2",
            "title": {"text": "Jain's index (line), lowest share (dots)"},
        },
        "legend": _BELOW,
        "showlegend": True,
    }
    return {"data": data, "layout": layout}


def _lines(points: Sequence[SweepPoint], name: str, colour: str) -> list[Figure]:
    x = [str(p.senders) for p in points]
    marked = {
        "size": 8,
        "color": colour,
        "line": {"width": [3 if p.named else 0 for p in points], "color": WRONG_COLOUR},
    }
    shared: Figure = {"type": "scatter", "x": x, "name": name, "legendgroup": name}
    rates = [_short(p.receiver.gbit_per_s) for p in points]
    rate: Figure = shared | {
        "y": rates,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2},
        "marker": marked,
        "hovertemplate": f"%{{x}} senders: %{{y:.4g}} Gb/s<extra>{name}</extra>",
    }
    other = shared | {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
    jain: Figure = other | {
        "y": [_short(p.receiver.jain) for p in points],
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2},
        "marker": marked,
        "hovertemplate": f"%{{x}} senders: Jain %{{y:.4f}}<extra>{name}</extra>",
    }
    lowest: Figure = other | {
        "y": [_short(min(s.share for s in p.receiver.senders)) for p in points],
        "mode": "markers",
        "marker": {"size": 6, "symbol": "circle-open", "color": colour},
        "hovertemplate": f"%{{x}} senders: lowest share %{{y:.3f}}<extra>{name}</extra>",
    }
    return [rate, jain, lowest]


def _level(x: Sequence[str | float], y: float, name: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(x),
        "y": [y] * len(x),
        "name": name,
        "line": {"color": "#1d2733", "width": 1.5, "dash": "dash"},
        "hoverinfo": "skip",
    }


def time_figure(receiver: ReceiverResult, names: Sequence[str], points: int) -> Figure:
    """Senders over time: lines of rates where they are few, else a map of shares.

    Parameters
    ----------
    names : sequence of str
        Of the senders, in the order of ``receiver.senders``.
    points : int
        Most points along the time.
    """
    table, each = coarser(receiver.curves.bytes, points)
    width_ns = receiver.curves.width_ns * each
    if table.shape[1] > 1:  # the last point may hold fewer slices
        table = table[:, : table.shape[1] - (receiver.curves.bytes.shape[1] % each > 0)]
    begin = receiver.plan.begin_ns
    times = [_short((begin + (i + 0.5) * width_ns) / 1e9) for i in range(table.shape[1])]
    labels = [label_text(n) for n in names]
    rates = 8 * table / width_ns
    few = len(labels) <= _MOST_LINES
    top = [_rates(times, rates.sum(axis=0), "all senders", "#1d2733")]
    if few:
        named = zip(rates, labels, PALETTE, strict=False)
        top += [_rates(times, rate, label, colour) for rate, label, colour in named]
        return {"data": top, "layout": _time_layout(420) | {"showlegend": True, "legend": _BELOW}}
    mean = table.sum(axis=0) / len(labels)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = table / mean
    cells = [[None if v != v else _short(v) for v in row] for row in parts.tolist()]
    height = 240 + max(240, 13 * len(labels))
    layout = _time_layout(height)
    share = 150 / height
    layout["yaxis"] |= {"domain": [1 - share, 1]}
    layout["yaxis2"] = {
        "domain": [0, 1 - share - 60 / height],
        "type": "category",
        "automargin": True,
        "autorange": "reversed",
        "dtick": 1 if len(labels) <= 64 else None,
        "tickfont": {"size": 9.5},
    }
    layout["xaxis"] |= {"anchor": "y2"}
    return {"data": [*top, _share_map(times, labels, cells)], "layout": layout}


def _share_map(
    times: Sequence[float], labels: Sequence[str], cells: list[list[float | None]]
) -> Figure:
    return {
        "type": "heatmap",
        "x": list(times),
        "y": list(labels),
        "z": cells,
        "yaxis": "y2",
        "zmin": 0,
        "zmax": 2,
        "colorscale": _SHARES,
        "hoverongaps": False,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "title": {"text": "share"},
            "len": 0.6,
            "y": 0.3,
            "tickvals": [0, 0.5, NAMED_SHARE, 1, 1.5, 2],
        },
        "hovertemplate": "%{y}, %{x:.4g} s: %{z:.2f} of the fair share<extra></extra>",
    }


def _rates(times: Sequence[float], values: Floats, name: str, colour: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(times),
        "y": [_short(v) for v in values.tolist()],
        "name": name,
        "line": {"color": colour, "width": 1.5},
        "hovertemplate": f"%{{x:.4g}} s: %{{y:.4g}} Gb/s<extra>{name}</extra>",
    }


def _time_layout(height: int) -> Figure:
    plain = {"gridcolor": GRID_COLOUR, "zeroline": False, "automargin": True}
    return base_layout(height) | {
        "xaxis": {**plain, "title": {"text": "since the window's begin (s)"}},
        "yaxis": {**plain, "rangemode": "tozero", "title": {"text": "Gb/s"}},
        "showlegend": False,
    }


def _short(value: float) -> float:
    return float(f"{value:.4g}")
