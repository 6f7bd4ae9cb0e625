# SPDX-License-Identifier: Apache-2.0
"""Data of the iteration timeline; report.js draws the case that is chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from railgauge.results import CaseResult, GroupResult
from railgauge.text import shorten

_MOST_BLOCKS = 2000


def timelines(results: Sequence[CaseResult]) -> list[dict[str, Any]]:
    """Return one entry per case and group; times in us of one sample.

    Of each bin of iterations its minimum and maximum are kept, so that an outlier survives.
    """
    return [_timeline(r, g) for r in results for g in r.groups]


def _timeline(result: CaseResult, group: GroupResult) -> dict[str, Any]:
    bins, case = group.timeline, result.case
    per = case.ops_per_sample
    fence_ns = math.inf if group.fence_ns is None else group.fence_ns * per
    slow = np.flatnonzero(bins.maximum > fence_ns)
    name = f"{case.id} · {case.name}"
    if len(result.groups) > 1:
        name += f" · {group.label}"
    return {
        "label": shorten(name, 200),
        "low": _microseconds(bins.minimum),
        "high": _microseconds(bins.maximum),
        "width": int(bins.sizes[0]),
        "peaks": bins.peak[slow].tolist(),
        "peakValues": _microseconds(bins.maximum[slow]),
        "median": round(group.time.median * per / 1e3, 3),
        "fence": None if group.fence_ns is None else round(fence_ns / 1e3, 3),
        "outliers": group.outliers,
        "iterations": group.time.n,
        "operations": per,
        "blocks": _blocks(group),
    }


def _blocks(group: GroupResult) -> dict[str, list[float]] | None:
    blocks = group.blocks
    if blocks is None or not 1 < blocks.starts.size <= _MOST_BLOCKS:
        return None
    ends = [*blocks.starts.tolist(), group.time.n - 1]
    means = _microseconds(blocks.means)
    return {"x": ends, "y": [*means, means[-1]]}


def _microseconds(values_ns: Any) -> list[float]:
    rounded: list[float] = np.round(np.asarray(values_ns) / 1e3, 3).tolist()
    return rounded


def most_remarkable(results: Sequence[CaseResult]) -> int:
    """Position of the timeline to show first: the one whose maximum stands out most."""
    ratios = [
        g.time.maximum / g.time.median if g.time.median else 0.0 for r in results for g in r.groups
    ]
    return int(np.argmax(ratios)) if ratios else 0
