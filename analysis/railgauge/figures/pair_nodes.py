# SPDX-License-Identifier: Apache-2.0
"""Pairs within nodes: a heat map or bars for each node, and the nodes side by side.

All nodes share one figure without data; `node_data` is what a node puts into its traces and its
title. So a run of many nodes stays small, and the page draws those that are looked at.
"""

from __future__ import annotations

import math
from typing import Any

from railgauge.figures.pair_maps import (
    Box,
    box_figure,
    colour_scale,
    map_layout,
    rounded,
    unique_labels,
    value_axis,
)
from railgauge.figures.style import PALETTE, Figure, base_layout, label_text
from railgauge.pair_conditions import Condition
from railgauge.pair_nodes import NodeMatrix, NodeSet, Seats
from railgauge.pair_sets import Floats
from railgauge.text import shorten

_MOST_LABELS = 24


def node_shape(found: NodeSet) -> Figure:
    """Return the figure of any node of a set, without data."""
    return _bars_shape(found.condition) if found.is_from_first else _map_shape(found)


def node_data(matrix: NodeMatrix, found: NodeSet) -> dict[str, Any]:
    """Return title and data of one node, a piece for each trace of `node_shape`.

    The percentages of a heat map are left to the page: they are half of its data.
    """
    title = f"<b>{label_text(matrix.host)}</b> · "
    if math.isnan(matrix.median):
        title += "not measured"
    else:
        title += f"median {matrix.median:.4g} {found.condition.unit}"
    data = _bars_data(matrix, found) if found.is_from_first else [_map_data(matrix)]
    return {"host": shorten(matrix.host, 60), "title": title, "data": data}


def _map_data(matrix: NodeMatrix) -> Figure:
    return {
        "x": matrix.labels,
        "y": matrix.labels,
        "customdata": rounded(matrix.values),
        "meta": {"median": None if math.isnan(matrix.median) else matrix.median},
    }


def _map_shape(found: NodeSet) -> Figure:
    low, high, scale, ticks = colour_scale(found.condition)
    size = max(len(n.labels) for n in found.nodes)
    trace = {
        "type": "heatmap",
        "zmin": low,
        "zmax": high,
        "colorscale": scale,
        "hoverongaps": False,
        "xgap": 1 if size <= 40 else 0,
        "ygap": 1 if size <= 40 else 0,
        "hovertemplate": f"%{{y}} → %{{x}}<br><b>%{{customdata:.4g}} {found.condition.unit}</b>"
        "<br>%{z:.1f} % of the node's median<extra></extra>",
        "colorbar": {
            "tickvals": ticks,
            "ticktext": [f"{p} %" for p in ticks],
            "thickness": 10,
            "outlinewidth": 0,
        },
    }
    return {"data": [trace], "layout": map_layout([""] * size, [""] * size, "") | _free_axes()}


def _free_axes() -> Figure:
    """Axes that take the labels of whichever node is drawn."""
    axis = {
        "type": "category",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "nticks": _MOST_LABELS,
        "tickfont": {"size": 11},
    }
    return {
        "xaxis": axis | {"title": {"text": "to", "standoff": 4}, "tickangle": -50},
        "yaxis": axis | {"title": {"text": "from", "standoff": 4}, "autorange": "reversed"},
    }


def _bars_shape(condition: Condition) -> Figure:
    """Two bars for each other GPU, and the median of its like on the other nodes beside them."""
    sides = ("sent",) if condition.is_latency else ("sent", "received")
    data = [_bar(side, condition.unit) for side in sides]
    data += [_mark(side, condition.unit) for side in sides]
    layout = base_layout(340) | {
        "title": {"text": "", "x": 0, "xref": "paper", "font": {"size": 14}},
        "barmode": "group",
        "scattermode": "group",
        "xaxis": {"type": "category", "automargin": True, "nticks": _MOST_LABELS},
        "yaxis": value_axis(condition),
        "legend": {"orientation": "h", "y": -0.18, "x": 0, "yanchor": "top"},
        "showlegend": True,
        "margin": {"l": 50, "r": 8, "t": 44, "b": 40},
    }
    return {"data": data, "layout": layout}


def _bar(side: str, unit: str) -> Figure:
    return {
        "type": "bar",
        "offsetgroup": side,
        "marker": {"color": PALETTE[0 if side == "sent" else 2]},
        "texttemplate": "%{customdata:.0f} %",
        "textposition": "inside",
        "textangle": 0,
        "hovertemplate": f"%{{x}}<br><b>%{{y:.4g}} {unit}</b><br>"
        "%{customdata:.1f} % of the node's median<extra>%{fullData.name}</extra>",
    }


def _mark(side: str, unit: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "offsetgroup": side,
        "marker": {"color": "#1d2733", "size": 9, "symbol": "line-ew-open", "line": {"width": 2}},
        "name": "median of the same pair on the other nodes",
        "showlegend": side == "sent",
        "hovertemplate": "%{x}: the same pair on the other nodes<br>"
        f"<b>%{{y:.4g}} {unit}</b><extra></extra>",
    }


def _bars_data(matrix: NodeMatrix, found: NodeSet) -> list[Figure]:
    first = matrix.first
    others = [i for i in range(len(matrix.labels)) if i != first]
    labels, me = [matrix.labels[i] for i in others], matrix.labels[first]
    names = [f"{me} ↔ others" if found.condition.is_latency else f"from {me}", f"to {me}"]
    cells = [([first], others), (others, [first])][: 1 if found.condition.is_latency else 2]

    def line(values: Floats, rows: list[int], columns: list[int]) -> list[float | None]:
        return rounded(values[rows][:, columns].reshape(1, len(others)))[0]

    percent = 100 * matrix.values / (matrix.median or math.nan)
    bars: list[Figure] = [
        {"x": labels, "y": line(matrix.values, *c), "customdata": line(percent, *c), "name": name}
        for c, name in zip(cells, names, strict=False)
    ]
    return bars + [{"x": labels, "y": line(matrix.others, *c)} for c in cells]


def node_boxes(found: NodeSet, seats: Seats) -> Figure:
    """One box per node over its pairs; nodes where nothing was measured have none."""
    measured = [n for n in found.nodes if n.pairs]
    names = unique_labels([n.host for n in measured])
    boxes = [
        Box(name, list(node.pairs.values()), node.median, seats.text(slowest.path), slowest.value)
        for name, node in zip(names, measured, strict=True)
        for slowest in [found.slowest[node.node]]
    ]
    return box_figure(boxes, found.condition)
