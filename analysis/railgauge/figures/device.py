# SPDX-License-Identifier: Apache-2.0
"""Device time against host time by size, and what lies between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from railgauge.figures.sizes import Series
from railgauge.figures.style import (
    PALETTE,
    Figure,
    base_layout,
    label_text,
    log_axis,
    rate_axis,
    size_axis,
)
from railgauge.text import size_label

_Curve = tuple[str, str, str, list[float]]
"""Axis, name, dash, values in us."""


def device_figure(series: Sequence[Series], colours: dict[str, int], title: str) -> Figure | None:
    """Host and device time (left) and host - device (right); None where no case has both.

    All are medians over all samples of all ranks, so the host's is not the time of the collective,
    which reaches from the last entry to the last exit.
    """
    data: list[Figure] = []
    times: list[float] = []
    differences: list[float] = []
    sizes: set[int] = set()
    for one in series:
        known = [(p.size_bytes, d) for p in one.points if (d := p.group.device) is not None]
        if not known:
            continue
        x = [size for size, _ in known]
        device = [_us(d.median_ns) for _, d in known]
        between = [_us(d.host_minus_device_ns) for _, d in known]
        host = [_us(d.host_ns) for _, d in known]
        curves: tuple[_Curve, ...] = (
            ("", "host", "solid", host),
            ("", "device", "dash", device),
            ("2", "host - device", "solid", between),
        )
        data += [_line(one.label, colours[one.label], x, curve) for curve in curves]
        times += [v for v in (*host, *device) if v > 0]
        differences += between
        sizes.update(x)
    if not data:
        return None
    return {"data": data, "layout": _layout(sorted(sizes), times, differences, title, len(data))}


def _us(value_ns: float) -> float:
    return float(f"{value_ns / 1e3:.5g}")


def _line(label: str, number: int, sizes: list[int], curve: _Curve) -> Figure:
    axis, what, dash, values = curve
    name = label_text(label)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": sizes,
        "y": values,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": PALETTE[number % len(PALETTE)], "width": 2, "dash": dash},
        "marker": {"size": 6},
        "name": f"{name} · {what}",
        "legendgroup": name,
        "showlegend": axis == "",
        "text": [size_label(s) for s in sizes],
        "hovertemplate": f"{what}, %{{text}}: %{{y:.4g}} us<extra>{name}</extra>",
    }


def _layout(
    sizes: list[int], times: list[float], differences: list[float], title: str, lines: int
) -> Figure:
    axis = size_axis(sizes)
    positive = [v for v in differences if v > 0]
    linear = len(positive) < len(differences)  # a logarithmic axis has no place for the others
    difference_axis = rate_axis([] if linear else positive, "host - device (us)")
    layout = base_layout(420 + 22 * math.ceil(lines / 6)) | {
        "xaxis": axis | {"domain": [0, 0.46]},
        "xaxis2": axis | {"domain": [0.54, 1], "anchor": "y2"},
        "yaxis": log_axis(times, "median time (us)"),
        "yaxis2": difference_axis | {"anchor": "x2"},
        "legend": {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"},
    }
    if title:
        layout["title"] = {
            "text": label_text(title),
            "x": 0,
            "xref": "paper",
            "font": {"size": 15},
        }
        layout["margin"] = layout["margin"] | {"t": 48}
    return layout
