# SPDX-License-Identifier: Apache-2.0
"""How long requests of an incast take, and a victim's round trips isolated against congested."""

from __future__ import annotations

from collections.abc import Sequence

from railgauge.figures.style import (
    GRID_COLOUR,
    PALETTE,
    Figure,
    base_layout,
    label_text,
    log_axis,
)
from railgauge.trips import Trips

_BELOW = {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"}
_MOST_POINTS = 150


def slower_figure(series: Sequence[tuple[str, Trips]]) -> Figure:
    """Share of requests that take longer, against time; a line ends at the true maximum."""
    data: list[Figure] = []
    times: list[float] = []
    percent: list[float] = []
    for number, (name, trips) in enumerate(series):
        x, y = _tail(trips)
        times += [x[0], x[-1]]
        percent += [y[0], y[-1]]
        label = label_text(name)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": x,
                "y": y,
                "name": label,
                "line": {"color": PALETTE[number % len(PALETTE)], "width": 2},
                "hovertemplate": f"%{{y:.4g}} % take %{{x:.4g}} us or more<extra>{label}</extra>",
            }
        )
    layout = base_layout(400) | {
        "xaxis": log_axis(times, "posting to completion (us)"),
        "yaxis": log_axis(percent, "requests that take longer (%)"),
        "legend": _BELOW,
        "showlegend": True,
    }
    return {"data": data, "layout": layout}


def _tail(trips: Trips) -> tuple[list[float], list[float]]:
    times_ns, shares = trips.slower()
    step = max(1, len(times_ns) // _MOST_POINTS)
    kept = [*range(0, len(times_ns) - 1, step), len(times_ns) - 1]
    x = [float(f"{max(1.0, times_ns[i]) / 1e3:.5g}") for i in kept]
    return x, [float(f"{100 * shares[i]:.4g}") for i in kept]


def ecdf_figure(series: Sequence[tuple[str, Trips]], title: str) -> Figure:
    """Share of round trips that are done by a time: the victim isolated, and congested."""
    data: list[Figure] = []
    times: list[float] = []
    for number, (name, trips) in enumerate(series):
        x, slower = _tail(trips)
        times += [x[0], x[-1]]
        label = label_text(name)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": x,
                "y": [*(float(f"{100 - y:.5g}") for y in slower[:-1]), 100.0],
                "name": label,
                "line": {"color": PALETTE[number % len(PALETTE)], "width": 2},
                "hovertemplate": f"%{{y:.4g}} % take less than %{{x:.4g}} us<extra>{label}</extra>",
            }
        )
    plain = {"gridcolor": GRID_COLOUR, "zeroline": False}
    layout = base_layout(400) | {
        "title": {"text": label_text(title, 160), "x": 0, "xref": "paper", "font": {"size": 14}},
        "margin": {"l": 66, "r": 16, "t": 48, "b": 60},
        "xaxis": log_axis(times, "round trip (us)"),
        "yaxis": {**plain, "title": {"text": "round trips that are done (%)"}, "range": [0, 101]},
        "legend": _BELOW,
        "showlegend": True,
    }
    return {"data": data, "layout": layout}
