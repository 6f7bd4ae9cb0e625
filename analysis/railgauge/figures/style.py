# SPDX-License-Identifier: Apache-2.0
"""What all charts share: palette, layout, axes, the mark of a rig."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from railgauge.text import shorten, size_label

Figure = dict[str, Any]

PALETTE = (
    "#2f6fde",
    "#e2662d",
    "#159570",
    "#8a56d8",
    "#c98a00",
    "#0e93ad",
    "#c9379f",
    "#6c9416",
    "#5b6b82",
    "#8c4a2f",
)
DASHES = ("solid", "dash", "dot", "dashdot")
WRONG_COLOUR = "#d11f2f"
GRID_COLOUR = "#e7ebf0"
_INK = "#1d2733"


def base_layout(height: int) -> Figure:
    """Layout that every chart starts from; height in pixels."""
    return {
        "height": height,
        "autosize": True,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "#ffffff",
        "font": {"size": 12.5, "color": _INK},
        "margin": {"l": 66, "r": 16, "t": 30, "b": 60},
        "hoverlabel": {"font": {"size": 12.5}, "namelength": -1},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#a9b4c0", "activecolor": "#2f6fde"},
        "hovermode": "closest",
    }


def label_text(text: str, limit: int = 60) -> str:
    """Return a text of the run as a label: short, and with no tag that plotly would read."""
    return html.escape(shorten(text, limit), quote=False)


def transparent(colour: str) -> str:
    """Return a ``#rrggbb`` colour as a light, translucent one."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


def log_ticks(values: Iterable[float]) -> list[float]:
    """Ticks of a logarithmic axis: decades, or 1-2-5 where these would be too few."""
    known = [v for v in values if v > 0]
    if not known:
        return []
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    steps = (1,) if high - low > 4 else (1, 2, 5)
    return [float(f"{s}e{d}") for d in range(low, high + 1) for s in steps]


def log_axis(values: Iterable[float], title: str) -> Figure:
    """Logarithmic axis with plain numbers as ticks."""
    ticks = log_ticks(values)
    return {
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{t:.10g}" for t in ticks],
        "gridcolor": GRID_COLOUR,
        "zeroline": False,
        "title": {"text": title},
    }


def rate_axis(values: Sequence[float], title: str) -> Figure:
    """Logarithmic axis, or a plain one from 0 where all values are within a factor of 4."""
    if values and max(values) > 4 * min(values):
        return log_axis(values, title)
    plain = {"rangemode": "tozero", "gridcolor": GRID_COLOUR, "zeroline": False}
    return plain | {"title": {"text": title}, "automargin": True}


def size_axis(sizes: Sequence[int]) -> Figure:
    """Logarithmic axis of ascending sizes in bytes, labelled in KiB, MiB, GiB."""
    ticks = sizes[:: max(1, math.ceil(len(sizes) / 9))]
    return {
        "type": "log",
        "tickvals": list(ticks),
        "ticktext": [size_label(s) for s in ticks],
        "tickangle": -35 if len(ticks) > 5 else 0,
        "gridcolor": GRID_COLOUR,
        "zeroline": False,
    }


def rig_annotation() -> Figure:
    """Return the mark that a copied picture of a rig's chart carries along."""
    return {
        "text": "RIG",
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": 0.5,
        "showarrow": False,
        "font": {"size": 110, "color": "rgba(190,90,0,0.13)"},
        "textangle": -18,
    }
