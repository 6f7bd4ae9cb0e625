# SPDX-License-Identifier: Apache-2.0
"""Each group of a split together with the others against alone, and against the median group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from railgauge.figures.style import (
    GRID_COLOUR,
    PALETTE,
    WRONG_COLOUR,
    Figure,
    base_layout,
    label_text,
)
from railgauge.group_sets import GroupSet, RankedGroup, Speed
from railgauge.groups import Manner
from railgauge.text import size_label

_BARS = PALETTE[0]
_SLOWEST = PALETTE[1]
_ALONE = "#1d2733"
_MOST_TEXTS = 40


def group_figure(found: GroupSet) -> Figure:
    """Bars of the groups together, diamonds alone, and the median group as a line.

    Bus bandwidth, or operations per second where it has no meaning: a slow group is a short bar.
    The slowest has a colour of its own, and the texts are the ratios to the median group.
    """
    groups = sorted(found.ranking(), key=lambda g: g.number)
    rated = all(math.isfinite(s.busbw_gb_s) for g in groups for s in _speeds(g))
    data = []
    for manner, trace in ((Manner.TOGETHER, _bars), (Manner.ALONE, _diamonds)):
        if any(_of(g, manner) for g in groups):
            data.append(trace(groups, rated=rated))
    data += _medians(groups, rated=rated)
    unit = "busbw (GB/s)" if rated else "operations per second"
    title = label_text(f"{found.label}, {size_label(found.size_bytes)}", 160)
    layout = base_layout(380) | {
        "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": 15}},
        "margin": {"l": 66, "r": 16, "t": 48, "b": 60},
        "xaxis": {"type": "category", "automargin": True, "showgrid": False},
        "yaxis": {
            "title": {"text": unit},
            "rangemode": "tozero",
            "gridcolor": GRID_COLOUR,
            "automargin": True,
        },
        "legend": {"orientation": "h", "y": -0.25, "x": 0, "yanchor": "top"},
        "showlegend": True,
    }
    return {"data": data, "layout": layout}


def _speeds(group: RankedGroup) -> list[Speed]:
    return [s for s in (group.together, group.alone) if s is not None]


def _of(group: RankedGroup, manner: Manner) -> Speed | None:
    return group.together if manner is Manner.TOGETHER else group.alone


def _value(speed: Speed | None, *, rated: bool) -> float | None:
    if speed is None:
        return None
    return float(f"{speed.busbw_gb_s if rated else 1e9 / speed.time_ns:.5g}")


def _names(groups: Sequence[RankedGroup]) -> list[str]:
    """Names for the axis, told apart where two that were cut are equal."""
    names = [label_text(g.name, 40) for g in groups]
    return [
        n if names.count(n) == 1 else f"{n} ({g.number})"
        for n, g in zip(names, groups, strict=True)
    ]


def _bars(groups: Sequence[RankedGroup], *, rated: bool) -> Figure:
    least = min(g.ratio for g in groups)
    return {
        "type": "bar",
        "name": "together",
        "x": _names(groups),
        "y": [_value(g.together, rated=rated) for g in groups],
        "marker": {"color": [_SLOWEST if g.ratio == least < 1 else _BARS for g in groups]},
        "text": [f"{g.ratio:.2f}" for g in groups] if len(groups) <= _MOST_TEXTS else [],
        "textposition": "inside",
        "insidetextanchor": "end",
        "customdata": [round(g.ratio, 4) for g in groups],
        "hovertemplate": "%{x} together: %{y:.4g}<br>%{customdata:.2f} of the median group"
        "<extra></extra>",
    }


def _diamonds(groups: Sequence[RankedGroup], *, rated: bool) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "alone",
        "x": _names(groups),
        "y": [_value(g.alone, rated=rated) for g in groups],
        "marker": {"symbol": "diamond", "size": 10, "color": _ALONE},
        "customdata": [_hover(g) for g in groups],
        "hovertemplate": "%{x} alone: %{y:.4g}<br>%{customdata}<extra></extra>",
    }


def _hover(group: RankedGroup) -> str:
    words = []
    if group.alone_ratio is not None:
        words.append(f"{group.alone_ratio:.2f} of the median group alone")
    if group.together_to_alone is not None:
        words.append(f"together / alone: {group.together_to_alone:.2f}")
    return "<br>".join(words)


def _medians(groups: Sequence[RankedGroup], *, rated: bool) -> list[Figure]:
    """Lines of the median groups: the one whose ratio is 1."""
    found = []
    names = _names(groups)
    for manner, colour in ((Manner.TOGETHER, WRONG_COLOUR), (Manner.ALONE, _ALONE)):
        speeds = [s for g in groups if (s := _of(g, manner)) is not None]
        if len(speeds) < 2:
            continue
        times = sorted(s.time_ns for s in speeds)
        middle = times[(len(times) - 1) // 2]
        value = _value(next(s for s in speeds if s.time_ns == middle), rated=rated)
        found.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"median group {manner}",
                "x": [names[0], names[-1]],
                "y": [value, value],
                "line": {"color": colour, "width": 1.5, "dash": "dash"},
                "hoverinfo": "skip",
            }
        )
    return found
