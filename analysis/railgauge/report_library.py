# SPDX-License-Identifier: Apache-2.0
"""The report's groups of a split, device times and communicators, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from railgauge.communicators import TIMES, is_communicator
from railgauge.figures.device import device_figure
from railgauge.figures.groups import group_figure
from railgauge.figures.sizes import Series
from railgauge.figures.style import Figure
from railgauge.group_sets import GroupSet, GroupSets, ranking_rows
from railgauge.report_tables import Table, TableColumn, result_table
from railgauge.results import CaseResult
from railgauge.rows import Row, rows
from railgauge.text import size_label

_MOST_FIGURES = 12
_RANKING: tuple[TableColumn, ...] = (
    ("label", "cases", 0),
    ("size", "size", 0),
    ("group_name", "group", 0),
    ("ratio", "ratio", 2),
    ("together_us", "together (us)", 2),
    ("together_busbw_GB_s", "busbw (GB/s)", 3),
    ("alone_us", "alone (us)", 2),
    ("alone_busbw_GB_s", "busbw (GB/s)", 3),
    ("alone_ratio", "ratio alone", 2),
    ("together_to_alone", "together / alone", 2),
)
_STEPS = tuple(
    (f"{step}{end}", what, 1)
    for step in TIMES
    for end, what in (("_us", f"{step} (us)"), ("_slowest_us", "slowest rank"))
)
_COMMUNICATORS: tuple[TableColumn, ...] = (
    ("case", "case", 0),
    ("backend", "backend", 0),
    ("group_name", "group", 0),
    ("measured_ranks", "ranks", 0),
    ("iterations", "lives", 0),
    *_STEPS,
    ("memory_MiB", "memory (MiB)", 1),
    ("memory_most_MiB", "most of a rank", 1),
    ("status", "status", 0),
    ("reason", "reason", 0),
)


def library_contents(
    results: Sequence[CaseResult],
    charts: Sequence[tuple[str, list[Series]]],
    colours: dict[str, int],
) -> dict[str, Any]:
    """Return figures and tables by the template's names; empty where the run has none.

    Parameters
    ----------
    results : sequence of CaseResult
    charts : sequence of (title, series)
        As the charts by size have them.
    colours : dict
        Position of each label in the palette.
    """
    sets = GroupSets(results).comparable()
    return {
        "figures": _group_figures(sets) | _device_figures(charts, colours),
        "ranking": _ranking(sets),
        "more_groups": max(0, len(sets) - _MOST_FIGURES),
        "communicators": _communicators(results),
    }


def _group_figures(sets: Sequence[GroupSet]) -> dict[str, Figure]:
    return {f"groups{i}": group_figure(one) for i, one in enumerate(sets[:_MOST_FIGURES])}


def _device_figures(
    charts: Sequence[tuple[str, list[Series]]], colours: dict[str, int]
) -> dict[str, Figure]:
    found = (device_figure(series, colours, title) for title, series in charts)
    return {f"devices{i}": figure for i, figure in enumerate(f for f in found if f is not None)}


def _ranking(sets: Sequence[GroupSet]) -> Table | None:
    found = [_sized(row) for one in sets for row in ranking_rows(one)]
    return result_table(found, _RANKING) if found else None


def _sized(row: Row) -> Row:
    size = row["bytes"]
    return row | {"size": _unbroken(size), "status": ""}


def _unbroken(size: object) -> str:
    return size_label(size).replace(" ", "\u00a0") if isinstance(size, int) else ""


def _communicators(results: Sequence[CaseResult]) -> Table | None:
    found = [_with_mebibytes(r) for r in rows(r for r in results if is_communicator(r.case))]
    return result_table(found, _COMMUNICATORS) if found else None


def _with_mebibytes(row: Row) -> Row:
    found = dict(row)
    for end in ("", "_most"):
        size = row[f"memory{end}_bytes"]
        found[f"memory{end}_MiB"] = size / (1 << 20) if isinstance(size, int) else None
    return found
