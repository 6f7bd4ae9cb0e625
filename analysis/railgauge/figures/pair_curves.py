# SPDX-License-Identifier: Apache-2.0
"""Pairs against message size, a line per depth and condition; and how long messages take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from railgauge.figures.style import (
    DASHES,
    PALETTE,
    Figure,
    base_layout,
    label_text,
    log_axis,
    rate_axis,
    size_axis,
    transparent,
)
from railgauge.pair_conditions import Condition, condition_labels, latency_title
from railgauge.pair_sets import Measured, median_of
from railgauge.trips import Trips

_MOST_BANDS = 8


@dataclass(frozen=True, slots=True)
class _Point:
    size_bytes: int
    low: float
    median: float
    high: float
    pairs: int


def size_curves(sets: Sequence[Measured], *, latency: bool) -> Figure | None:
    """Median pair of all rails against message size, the band from the lowest to the highest pair.

    None where nothing of that kind was measured.
    """
    series: dict[Condition, list[_Point]] = {}
    for found in sets:
        if found.condition.is_latency == latency:
            points = series.setdefault(found.condition._replace(bytes=0), [])
            points.append(_point(found))
    if not series:
        return None
    unit = "us" if latency else "Gb/s"
    title = latency_title(series) if latency else "rate of a pair (Gb/s)"
    labels = [label_text(t, 100) for t in condition_labels(list(series), with_size=False)]
    data: list[Figure] = []
    for number, (label, points) in enumerate(zip(labels, series.values(), strict=True)):
        points.sort(key=lambda p: p.size_bytes)
        if len(series) <= _MOST_BANDS:
            data.append(_band(points, label, number))
        data.append(_line(points, label, number, unit))
    flat = [p for points in series.values() for p in points]
    layout = base_layout(400 + 22 * (len(series) // 3)) | {
        "xaxis": size_axis(sorted({p.size_bytes for p in flat})),
        "yaxis": rate_axis([v for p in flat for v in (p.low, p.high)], title),
        "legend": {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"},
        "showlegend": True,
    }
    return {"data": data, "layout": layout}


def _point(found: Measured) -> _Point:
    values = np.array(found.values())
    low, high = float(values.min()), float(values.max())
    return _Point(found.condition.bytes, low, median_of(values), high, values.size)


def _style(number: int) -> Figure:
    dash = DASHES[number // len(PALETTE) % len(DASHES)]
    return {"color": PALETTE[number % len(PALETTE)], "width": 2, "dash": dash}


def _band(points: list[_Point], label: str, number: int) -> Figure:
    sizes = [p.size_bytes for p in points]
    return {
        "type": "scatter",
        "x": sizes + sizes[::-1],
        "y": [p.high for p in points] + [p.low for p in reversed(points)],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": transparent(PALETTE[number % len(PALETTE)]),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": label,
    }


def _line(points: list[_Point], label: str, number: int, unit: str) -> Figure:
    return {
        "type": "scatter",
        "x": [p.size_bytes for p in points],
        "y": [p.median for p in points],
        "text": [f"{p.pairs} pairs: {p.low:.4g} to {p.high:.4g} {unit}" for p in points],
        "mode": "lines+markers",
        "line": _style(number),
        "marker": {"size": 6},
        "hovertemplate": f"median pair %{{y:.4g}} {unit}<br>%{{text}}<extra>{label}</extra>",
        "name": label,
        "legendgroup": label,
    }


def trips_figure(trips: Mapping[Condition, Trips]) -> Figure | None:
    """Share of latencies that are longer, against time; the line ends at the maximum."""
    if not trips:
        return None
    labels = [label_text(text, 100) for text in condition_labels(list(trips))]
    data: list[Figure] = []
    times: list[float] = []
    percent: list[float] = []
    for number, (label, found) in enumerate(zip(labels, trips.values(), strict=True)):
        times_ns, shares = found.slower()
        x = [float(f"{t:.5g}") for t in (times_ns / 1e3).tolist()]
        y = [float(f"{100 * s:.4g}") for s in shares.tolist()]
        times += [x[0], x[-1]]
        percent += [y[0], y[-1]]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": x,
                "y": y,
                "line": _style(number),
                "name": label,
                "hovertemplate": f"%{{y:.4g}} % take %{{x:.4g}} us or more"
                f"<extra>{label}<br>{found.count} samples</extra>",
            }
        )
    layout = base_layout(380 + 22 * (len(data) // 3)) | {
        "xaxis": log_axis(times, latency_title(trips)),
        "yaxis": log_axis(percent, "samples that take longer (%)"),
        "legend": {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"},
        "showlegend": True,
    }
    return {"data": data, "layout": layout}
