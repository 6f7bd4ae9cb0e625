# SPDX-License-Identifier: Apache-2.0
"""Latency and bus bandwidth against size, one series per tuple of the other variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from railgauge.figures.style import (
    DASHES,
    PALETTE,
    WRONG_COLOUR,
    Figure,
    base_layout,
    label_text,
    log_axis,
    size_axis,
    transparent,
)
from railgauge.groups import manner_of
from railgauge.model import Case
from railgauge.results import CaseResult, GroupResult, busbw_gb_s
from railgauge.stats import is_shown
from railgauge.text import size_label

_BANDS = ((0.05, 0.95, "5 % to 95 %"), (0.25, 0.75, "25 % to 75 %"))
_MOST_BANDS = 8
_NOT_SERIES = {
    *("bytes", "count", "warmup", "iterations", "active", "active_group"),
    *("algorithm", "protocol", "channels"),
}

SeriesKey = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One case and group."""

    size_bytes: int
    case: Case
    group: GroupResult


@dataclass(frozen=True, slots=True)
class Series:
    """Cases that differ in size alone."""

    label: str
    operation: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    low: float | None
    middle: float | None
    high: float | None


def series_of(results: Iterable[CaseResult]) -> list[Series]:
    """Sort the measured cases into series; the labels say only what tells them apart."""
    found: dict[SeriesKey, list[Point]] = {}
    for result in results:
        size = result.case.size_bytes()
        if size is None or size <= 0:
            continue
        for group in result.groups:
            points = found.setdefault(_series_key(result, group), [])
            points.append(Point(size, result.case, group))
    names = telling_names(list(found))
    series = []
    for key, points in found.items():
        values = dict(key)
        words = [values[n] for n in names if n in values]
        ordered = tuple(sorted(points, key=lambda p: p.size_bytes))
        label = " · ".join(words) + (" (pipelined)" if points[0].case.pipelined else "")
        series.append(Series(label, values["operation"], ordered))
    return series


def _series_key(result: CaseResult, group: GroupResult) -> SeriesKey:
    case = result.case
    fixed = [("operation", case.operation), ("backend", case.backend), ("memory", case.memory)]
    rest = [(n, str(v)) for n, v in case.variables.items() if n not in _NOT_SERIES]
    groups = [("group", group.label)] if len(result.groups) > 1 or group.name else []
    manner = [("active", str(manner_of(case)))] if group.name else []
    return (*fixed, *rest, *groups, *manner)


def telling_names(keys: list[SeriesKey]) -> list[str]:
    """Return the operation and the fewest further variables that tell all series apart."""
    values = [dict(key) for key in keys]
    chosen = ["operation"]
    for name in dict.fromkeys(n for key in keys for n, _ in key):
        before = {tuple(v.get(n) for n in chosen) for v in values}
        after = {tuple(v.get(n) for n in [*chosen, name]) for v in values}
        if len(after) > len(before):
            chosen.append(name)
    return chosen


def size_figure(series: Sequence[Series], colours: dict[str, int], title: str) -> Figure:
    """Latency (left) and bus bandwidth (right) against size, with the spread as bands.

    Parameters
    ----------
    series : sequence of Series
    colours : dict
        Position of each label in the palette, the same in every chart of a report.
    title : str
    """
    data: list[Figure] = []
    drawn: dict[str, list[float]] = {"": [], "2": []}
    for one in series:
        for axis, unit, convert in (("", "us", _latency), ("2", "GB/s", _bandwidth)):
            values = _values(one, convert)
            if all(v.middle is None for v in values):
                continue
            if len(series) <= _MOST_BANDS:
                data.append(_band(one, values, axis, colours[one.label]))
            data.append(_line(one, values, axis, unit, colours[one.label]))
            drawn[axis] += [x for v in values for x in (v.low, v.middle, v.high) if x]
    sizes = sorted({p.size_bytes for s in series for p in s.points})
    return {"data": data, "layout": _layout(sizes, drawn, label_text(title), len(series))}


def _latency(_: Case, time_ns: float) -> float:
    return time_ns / 1e3


_bandwidth = busbw_gb_s


def _band_limits(series: Series) -> tuple[float, float, str] | None:
    """Return the widest band that every point of the series has enough samples for."""
    least = min(p.group.time.n for p in series.points)
    return next((b for b in _BANDS if is_shown(least, b[0])), None)


def _values(series: Series, convert: Callable[[Case, float], float]) -> list[_Value]:
    band = _band_limits(series)
    values = []
    for point in series.points:
        time = point.group.time
        ends = (time.minimum, time.maximum)
        if band is not None:
            ends = (time.quantiles[band[0]], time.quantiles[band[1]])
        low, high = sorted(_positive(convert(point.case, t)) or math.inf for t in ends)
        middle = _positive(convert(point.case, time.median))
        values.append(_Value(low, middle, high if math.isfinite(high) else None))
    return values


def _positive(value: float) -> float | None:
    """Return what a logarithmic axis can show, five digits of it."""
    return float(f"{value:.5g}") if math.isfinite(value) and value > 0 else None


def _band(series: Series, values: list[_Value], axis: str, number: int) -> Figure:
    known = [i for i, v in enumerate(values) if v.low is not None and v.high is not None]
    sizes = [series.points[i].size_bytes for i in known]
    label = label_text(series.label)
    return {
        "type": "scatter",
        "x": sizes + sizes[::-1],
        "y": [values[i].high for i in known] + [values[i].low for i in reversed(known)],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": transparent(PALETTE[number % len(PALETTE)]),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": label,
        "name": label,
    }


def _line(series: Series, values: list[_Value], axis: str, unit: str, number: int) -> Figure:
    colour = PALETTE[number % len(PALETTE)]
    label = label_text(series.label)
    wrong = [p.case.wrong for p in series.points]
    return {
        "type": "scatter",
        "x": [p.size_bytes for p in series.points],
        "y": [v.middle for v in values],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "mode": "lines+markers",
        "line": {
            "color": colour,
            "width": 2,
            "dash": DASHES[number // len(PALETTE) % len(DASHES)],
        },
        "marker": {
            "color": [WRONG_COLOUR if w else colour for w in wrong],
            "size": [12 if w else 6 for w in wrong],
            "symbol": ["x" if w else "circle" for w in wrong],
        },
        "text": _hover_texts(series, values),
        "hovertemplate": f"%{{text}}<br>%{{y:.4g}} {unit}<extra>%{{fullData.name}}</extra>",
        "legendgroup": label,
        "name": label,
        "showlegend": axis == "",
    }


def _hover_texts(series: Series, values: list[_Value]) -> list[str]:
    limits = _band_limits(series)
    band = limits[2] if limits else "minimum to maximum"
    texts = []
    for point, value in zip(series.points, values, strict=True):
        mark = "<b>WRONG DATA</b><br>" if point.case.wrong else ""
        spread = f"{band}: {value.low:.4g} to {value.high:.4g}" if value.low and value.high else ""
        n = point.group.time.n
        texts.append(f"{mark}{size_label(point.size_bytes)}, {n} iterations<br>{spread}")
    return texts


def _layout(sizes: list[int], drawn: dict[str, list[float]], title: str, lines: int) -> Figure:
    axis = size_axis(sizes)
    layout = base_layout(420 + 22 * math.ceil(lines / 4)) | {
        "xaxis": axis | {"domain": [0, 0.46]},
        "xaxis2": axis | {"domain": [0.54, 1], "anchor": "y2"},
        "yaxis": log_axis(drawn[""], "median time (us)"),
        "yaxis2": log_axis(drawn["2"], "busbw (GB/s)") | {"anchor": "x2"},
        "legend": {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"},
    }
    if title:
        layout["title"] = {"text": title, "x": 0, "xref": "paper", "font": {"size": 15}}
        layout["margin"] = layout["margin"] | {"t": 48}
    return layout
