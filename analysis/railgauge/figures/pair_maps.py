# SPDX-License-Identifier: Apache-2.0
"""Pairs, rail by rail: a heat map of nodes x nodes for each rail, and the rails side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from railgauge.figures.style import (
    GRID_COLOUR,
    PALETTE,
    WRONG_COLOUR,
    Figure,
    base_layout,
    label_text,
)
from railgauge.pair_sets import Condition, Floats, PairSet, RailMatrix, path_text
from railgauge.text import shorten

_UNMEASURED = "#b7bfc9"
_MOST_ROW_LABELS = 24
_MOST_COLUMN_LABELS = 16
_SLOW_TO_FAST = ("#7d0f24", "#d9482f", "#f6b04a", "#fbe9b7", "#d9e9f6", "#8fbce6")
_BANDWIDTH_PERCENT = (50, 70, 85, 93, 98, 110)
_LATENCY_PERCENT = (200, 165, 135, 115, 105, 90)
"""% of the rail's median at which each of the colours stands; beyond, the colours end."""

_TICKS_PERCENT = (50, 70, 85, 100, 110, 135, 165, 200)


def rail_maps(found: PairSet, hosts: Sequence[str]) -> list[Figure]:
    """Heat map of each rail: rows send, columns receive, coloured by % of the rail's median.

    The trace's ``meta.median`` lets the page add the percentages, which are half of the data.
    Pairs that were not measured are null, so the grey behind shows.
    """
    return [_rail_map(rail, found.condition, _unique(hosts)) for rail in found.rails]


def _unique(hosts: Sequence[str]) -> list[str]:
    """Return labels of the hosts; equal ones would be one row."""
    labels = [label_text(h) for h in hosts]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{i} · {label}" for i, label in enumerate(labels)]


def unit_of(condition: Condition) -> str:
    """Return the unit of a set's numbers."""
    return "us" if condition.is_latency else "Gb/s"


def _rail_map(rail: RailMatrix, condition: Condition, hosts: list[str]) -> Figure:
    unit = unit_of(condition)
    percent = _LATENCY_PERCENT if condition.is_latency else _BANDWIDTH_PERCENT
    low, high = min(percent), max(percent)
    scale = sorted(
        ((p - low) / (high - low), c) for p, c in zip(percent, _SLOW_TO_FAST, strict=True)
    )
    ticks = [p for p in _TICKS_PERCENT if low <= p <= high]
    name = label_text(rail.name)
    trace = {
        "type": "heatmap",
        "x": hosts,
        "y": hosts,
        "z": _rounded(rail.values),
        "meta": {"median": rail.median},
        "zmin": rail.median * low / 100,
        "zmax": rail.median * high / 100,
        "colorscale": [list(stop) for stop in scale],
        "hoverongaps": False,
        "xgap": 1 if len(hosts) <= 40 else 0,
        "ygap": 1 if len(hosts) <= 40 else 0,
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
    return {"data": [trace], "layout": _map_layout(hosts, title)}


def _rounded(values: Floats) -> list[list[float | None]]:
    return [[None if math.isnan(v) else float(f"{v:.4g}") for v in row] for row in values.tolist()]


def _map_layout(hosts: list[str], title: str) -> Figure:
    axis = {"type": "category", "showgrid": False, "zeroline": False, "automargin": True}
    columns = _ticks(hosts, _MOST_COLUMN_LABELS) | {"title": {"text": "to", "standoff": 4}}
    rows = _ticks(hosts, _MOST_ROW_LABELS) | {"title": {"text": "from", "standoff": 4}}
    layout = base_layout(190 + min(420, max(150, 26 * len(hosts))))
    # The usual buttons would lie over the title of so narrow a chart.
    buttons = ["zoom", "pan", "zoomin", "zoomout", "autoscale"]
    return layout | {
        "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": 14}},
        "xaxis": axis | columns | {"tickangle": -50},
        "yaxis": axis | rows | {"autorange": "reversed"},
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


def rail_boxes(found: PairSet, nodes: Mapping[int, str]) -> Figure:
    """One box per rail over its pairs: quartiles, and whiskers to the extreme pairs."""
    names = [label_text(rail.name) for rail in found.rails]
    known = [np.array(list(rail.pairs.values())) for rail in found.rails]
    quarters = [np.quantile(v, (0.25, 0.75), method="inverted_cdf").tolist() for v in known]
    boxes = {
        "type": "box",
        "x": names,
        "q1": [q[0] for q in quarters],
        "median": [rail.median for rail in found.rails],
        "q3": [q[1] for q in quarters],
        "lowerfence": [float(v.min()) for v in known],
        "upperfence": [float(v.max()) for v in known],
        "name": "pairs",
        "marker": {"color": PALETTE[0]},
        "showlegend": False,
    }
    unit = unit_of(found.condition)
    return {
        "data": [boxes, _slowest_marks(found, names, nodes, unit)],
        "layout": base_layout(320)
        | {
            "xaxis": {"type": "category", "automargin": True},
            "yaxis": {
                "title": {"text": "half round trip (us)" if unit == "us" else "rate (Gb/s)"},
                "gridcolor": GRID_COLOUR,
                "rangemode": "tozero",
                "zeroline": False,
                "automargin": True,
            },
        },
    }


def _slowest_marks(found: PairSet, names: list[str], nodes: Mapping[int, str], unit: str) -> Figure:
    values, texts = [], []
    worst = max if found.condition.is_latency else min
    for rail in found.rails:
        path, value = worst(rail.pairs.items(), key=lambda item: item[1])
        pair = label_text(path_text(path, nodes), 100)
        values.append(value)
        texts.append(f"{pair}<br>{value:.4g} {unit}, {100 * value / rail.median:.0f} % of median")
    return {
        "type": "scatter",
        "mode": "markers",
        "x": names,
        "y": values,
        "text": texts,
        "hovertemplate": "slowest pair: %{text}<extra></extra>",
        "marker": {"color": WRONG_COLOUR, "size": 8, "symbol": "diamond"},
        "showlegend": False,
    }
