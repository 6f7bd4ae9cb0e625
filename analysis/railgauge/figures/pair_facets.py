# SPDX-License-Identifier: Apache-2.0
"""Pairs against message size: a line per number of queue pairs, memories side by side.

One chart for each verb, direction, depth and what else a run varies; the page shows one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from railgauge.figures.style import (
    DASHES,
    PALETTE,
    Figure,
    base_layout,
    label_text,
    rate_axis,
    size_axis,
    transparent,
)
from railgauge.pair_conditions import Condition, condition_labels, latency_title
from railgauge.pair_sets import Measured
from railgauge.pair_setup import VERBS
from railgauge.pair_sizes import Spread, facet_of, memories_of, spread_of
from railgauge.rdma_counters import BACKENDS
from railgauge.text import plural

_GAP = 0.05
_MOST_BANDS = 8


def wants_facets(sets: Sequence[Measured]) -> bool:
    """Tell whether a run varies what these charts are for, or is of RDMA anyway."""
    conditions = [s.condition for s in sets]
    varied = ({c.memory for c in conditions}, {c.queues for c in conditions})
    return any(len(v) > 1 for v in varied) or any(
        c.backend in BACKENDS or c.verb != VERBS[0] for c in conditions
    )


def facets(sets: Sequence[Measured], *, latency: bool) -> list[dict[str, Any]]:
    """Return label and figure of each chart, in the order in which they were measured."""
    found: dict[Condition, list[Spread]] = {}
    for one in sets:
        if one.condition.is_latency == latency:
            found.setdefault(facet_of(one.condition), []).append(spread_of(one))
    labels = condition_labels(list(found), with_size=False)
    return [
        {"label": _with_verb(label, facet), "figure": _figure(spreads, latency)}
        for label, (facet, spreads) in zip(labels, found.items(), strict=True)
    ]


def _with_verb(label: str, facet: Condition) -> str:
    words = [w for w in (facet.verb, "" if facet.is_latency else facet.direction) if w]
    return " · ".join([*(w for w in words if w not in label.split(" · ")), label])


def _figure(spreads: Sequence[Spread], latency: bool) -> Figure:
    """Rates: a panel for each memory, a line per queue pairs. Latency: all lines in one panel."""
    memories = memories_of(s.condition for s in spreads)
    panels = [memories] if latency else [[m] for m in memories]
    queues = sorted({s.condition.queues for s in spreads})
    lines = len(queues) * len(panels[0])
    data: list[Figure] = []
    for panel, here in enumerate(panels):
        for number, (memory, count) in enumerate((m, q) for m in here for q in queues):
            points = [
                s for s in spreads if (s.condition.memory, s.condition.queues) == (memory, count)
            ]
            name = plural(count, "QP")
            if latency:
                name = memory if len(queues) == 1 else f"{memory}, {name}"
            data += _line(
                sorted(points, key=lambda s: s.condition.bytes),
                label_text(name),
                number,
                panel,
                with_band=lines <= _MOST_BANDS,
            )
    _one_legend(data)
    return {"data": data, "layout": _layout(spreads, memories, len(panels), latency)}


def _one_legend(data: Sequence[Figure]) -> None:
    """Name each line once, though several panels have it."""
    named: set[str] = set()
    for trace in data:
        if "name" in trace:
            trace["showlegend"] = trace["name"] not in named
            named.add(trace["name"])


def _line(
    points: Sequence[Spread], name: str, number: int, panel: int, *, with_band: bool
) -> list[Figure]:
    if not points:
        return []
    colour, axis = PALETTE[number % len(PALETTE)], str(panel + 1) if panel else ""
    unit, sizes = points[0].condition.unit, [p.condition.bytes for p in points]
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "legendgroup": name}
    band = place | {
        "type": "scatter",
        "x": sizes + sizes[::-1],
        "y": [_four(p.highest) for p in points] + [_four(p.lowest) for p in reversed(points)],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": transparent(colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    line = place | {
        "type": "scatter",
        "x": sizes,
        "y": [_four(p.median) for p in points],
        "text": [
            f"{plural(p.pairs, 'pair')}: {p.lowest:.4g} to {p.highest:.4g} {unit}" for p in points
        ],
        "mode": "lines+markers",
        "line": {
            "color": colour,
            "width": 2,
            "dash": DASHES[number // len(PALETTE) % len(DASHES)],
        },
        "marker": {"size": 6},
        "name": name,
        "hovertemplate": f"median pair %{{y:.4g}} {unit}<br>%{{text}}<extra>{name}</extra>",
    }
    return [band, line] if with_band else [line]


def _four(value: float) -> float:
    return float(f"{value:.4g}")


def _layout(
    spreads: Sequence[Spread], memories: Sequence[str], panels: int, latency: bool
) -> Figure:
    conditions = [s.condition for s in spreads]
    title = latency_title(conditions) if latency else "rate of a pair (Gb/s)"
    x_axis = size_axis(sorted({c.bytes for c in conditions}))
    y_axis = rate_axis([v for s in spreads for v in (s.lowest, s.highest)], title)
    layout = base_layout(430) | {
        "legend": {"orientation": "h", "y": -0.26, "x": 0, "yanchor": "top"},
        "showlegend": True,
    }
    edges = [i / panels for i in range(panels + 1)]
    for panel, (begin, end) in enumerate(pairwise(edges)):
        axis = str(panel + 1) if panel else ""
        domain = [begin + (_GAP / 2 if panel else 0), end - (_GAP / 2 if end < 1 else 0)]
        named = "" if latency else f"memory {label_text(memories[panel])}"
        layout[f"xaxis{axis}"] = x_axis | {
            "domain": domain,
            "anchor": f"y{axis}",
            "title": {"text": named, "standoff": 6},
        }
        layout[f"yaxis{axis}"] = y_axis | {"anchor": f"x{axis}"}
        if panel:
            layout[f"yaxis{axis}"] |= {"matches": "y", "showticklabels": False, "title": {}}
    return layout
