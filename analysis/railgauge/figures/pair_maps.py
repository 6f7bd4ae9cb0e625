# SPDX-License-Identifier: Apache-2.0
"""Pairs, rail by rail: a heat map of nodes x nodes for each rail, and the rails side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from railgauge.figures.style import (
    GRID_COLOUR,
    PALETTE,
    WRONG_COLOUR,
    Figure,
    base_layout,
    label_text,
)
from railgauge.pair_conditions import Condition, latency_title
from railgauge.pair_sets import Floats, PairSet, RailMatrix, path_text, percent_of
from railgauge.text import shorten

_UNMEASURED = "#b7bfc9"
_MOST_ROW_LABELS = 24
_MOST_COLUMN_LABELS = 16
_SLOW_TO_FAST = ("#7d0f24", "#d9482f", "#f6b04a", "#fbe9b7", "#d9e9f6", "#8fbce6")
_BANDWIDTH_PERCENT = (50, 70, 85, 93, 98, 110)
_LATENCY_PERCENT = (200, 165, 135, 115, 105, 90)
"""% of the rail's median at which each of the colours stands; beyond, the colours end."""

_TICKS_PERCENT = (50, 70, 85, 100, 110, 135, 165, 200)


def rail_maps(found: PairSet, nodes: Mapping[int, str]) -> list[Figure]:
    """Heat map of each rail: rows send, columns receive, coloured by % of the rail's median.

    The trace's ``meta.median`` lets the page add the percentages, which are half of the data.
    Pairs that were not measured are null, so the grey behind shows.
    """
    names = found.condition.names(nodes)
    labels = dict(zip(names, unique_labels(list(names.values())), strict=True))
    return [_rail_map(rail, found.condition, labels) for rail in found.rails]


def unique_labels(hosts: Sequence[str]) -> list[str]:
    """Return labels of the hosts; equal ones would be one row."""
    labels = [label_text(h) for h in hosts]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{i} · {label}" for i, label in enumerate(labels)]


def colour_scale(condition: Condition) -> tuple[int, int, list[list[Any]], list[int]]:
    """Return the ends of the colours in % of a median, plotly's colour stops, and the ticks."""
    percent = _LATENCY_PERCENT if condition.is_latency else _BANDWIDTH_PERCENT
    low, high = min(percent), max(percent)
    scale = sorted(
        [(p - low) / (high - low), c] for p, c in zip(percent, _SLOW_TO_FAST, strict=True)
    )
    return low, high, scale, [p for p in _TICKS_PERCENT if low <= p <= high]


def _rail_map(rail: RailMatrix, condition: Condition, labels: Mapping[int, str]) -> Figure:
    rows, columns = ([labels[n] for n in ends] for ends in (rail.sources, rail.destinations))
    gap = 1 if max(len(rows), len(columns)) <= 40 else 0
    unit = condition.unit
    low, high, scale, ticks = colour_scale(condition)
    name = label_text(rail.name)
    trace = {
        "type": "heatmap",
        "x": columns,
        "y": rows,
        "z": rounded(rail.values),
        "meta": {"median": rail.median},
        "zmin": rail.median * low / 100,
        "zmax": rail.median * high / 100,
        "colorscale": scale,
        "hoverongaps": False,
        "xgap": gap,
        "ygap": gap,
        "hovertemplate": f"%{{y}} → %{{x}}<br><b>%{{z:.4g}} {unit}</b><br>"
        f"%{{customdata:.1f}} % of the rail's median<extra>{name}</extra>",
        "colorbar": {
            "tickvals": [rail.median * p / 100 for p in ticks],
            "ticktext": [f"{p} %" for p in ticks],
            "thickness": 10,
            "outlinewidth": 0,
        },
    }
    title = f"<b>{name}</b> · median {rail.median:.4g} {unit}"
    return {"data": [trace], "layout": map_layout(rows, columns, title)}


def rounded(values: Floats) -> list[list[float | None]]:
    """Return four digits of each number, None for one that is none."""
    return [[None if math.isnan(v) else float(f"{v:.4g}") for v in row] for row in values.tolist()]


def map_layout(rows: list[str], columns: list[str], title: str) -> Figure:
    """Layout of a heat map: what sends down the side, what receives along the foot."""
    axis = {"type": "category", "showgrid": False, "zeroline": False, "automargin": True}
    x_axis = _ticks(columns, _MOST_COLUMN_LABELS) | {"title": {"text": "to", "standoff": 4}}
    y_axis = _ticks(rows, _MOST_ROW_LABELS) | {"title": {"text": "from", "standoff": 4}}
    layout = base_layout(190 + min(420, max(150, 26 * len(rows))))
    # The usual buttons would lie over the title of so narrow a chart.
    buttons = ["zoom", "pan", "zoomin", "zoomout", "autoscale"]
    return layout | {
        "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": 14}},
        "xaxis": axis | x_axis | {"tickangle": -50},
        "yaxis": axis | y_axis | {"autorange": "reversed"},
        "plot_bgcolor": _UNMEASURED,
        "margin": {"l": 40, "r": 8, "t": 44, "b": 40},
        "modebar": layout["modebar"] | {"remove": buttons},
    }


def _ticks(hosts: list[str], at_most: int) -> Figure:
    """Return so few labels that they can be read, without the domain where that says enough."""
    short = [h.split(".")[0] for h in hosts]
    if len(set(short)) < len(hosts):
        short = hosts
    every = max(1, math.ceil(len(hosts) / at_most))
    return {
        "tickvals": hosts[::every],
        "ticktext": [shorten(h, 20) for h in short[::every]],
        "tickfont": {"size": 11},
    }


@dataclass(frozen=True, slots=True)
class Box:
    """One box of `box_figure`: the numbers of its pairs, and which of them is the slowest."""

    name: str
    values: Sequence[float]
    median: float
    slowest: str
    slowest_value: float


def rail_boxes(found: PairSet, nodes: Mapping[int, str]) -> Figure:
    """One box per rail over its pairs."""
    worst = max if found.condition.is_latency else min
    boxes = []
    for rail in found.rails:
        path, value = worst(rail.pairs.items(), key=lambda item: item[1])
        values, text = list(rail.pairs.values()), path_text(path, found.condition.names(nodes))
        boxes.append(Box(label_text(rail.name), values, rail.median, text, value))
    return box_figure(boxes, found.condition)


def box_figure(found: Sequence[Box], condition: Condition) -> Figure:
    """Boxes side by side: quartiles, and whiskers to the extreme pairs."""
    known = [np.array(box.values) for box in found]
    quarters = [np.quantile(v, (0.25, 0.75), method="inverted_cdf").tolist() for v in known]
    boxes = {
        "type": "box",
        "x": [box.name for box in found],
        "q1": [q[0] for q in quarters],
        "median": [box.median for box in found],
        "q3": [q[1] for q in quarters],
        "lowerfence": [float(v.min()) for v in known],
        "upperfence": [float(v.max()) for v in known],
        "name": "pairs",
        "marker": {"color": PALETTE[0]},
        "showlegend": False,
    }
    unit = condition.unit
    return {
        "data": [boxes, _slowest_marks(found, unit)],
        "layout": base_layout(320)
        | {
            "xaxis": {"type": "category", "automargin": True},
            "yaxis": value_axis(condition),
        },
    }


def value_axis(condition: Condition) -> Figure:
    """Axis of a pair's number, from 0."""
    return {
        "title": {"text": latency_title([condition]) if condition.is_latency else "rate (Gb/s)"},
        "gridcolor": GRID_COLOUR,
        "rangemode": "tozero",
        "zeroline": False,
        "automargin": True,
    }


def _slowest_marks(found: Sequence[Box], unit: str) -> Figure:
    texts = []
    for box in found:
        percent = percent_of(box.slowest_value, box.median)
        pair = label_text(box.slowest, 100)
        texts.append(f"{pair}<br>{box.slowest_value:.4g} {unit}, {percent:.0f} % of median")
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [box.name for box in found],
        "y": [box.slowest_value for box in found],
        "text": texts,
        "hovertemplate": "slowest pair: %{text}<extra></extra>",
        "marker": {"color": WRONG_COLOUR, "size": 8, "symbol": "diamond"},
        "showlegend": False,
    }
