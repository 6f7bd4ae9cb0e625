# SPDX-License-Identifier: Apache-2.0
"""What the report shows of RDMA counters, of any benchmark, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass

from railgauge.case_counters import RunCounters
from railgauge.rdma_counter_names import MARKED
from railgauge.rdma_counters import Change
from railgauge.report_tables import Tile

_MOST_ROWS = 400


@dataclass(frozen=True, slots=True)
class CounterTable:
    """Counters that moved or are not known; ``marked`` says which rows must be looked at."""

    body: list[list[str]]
    marked: list[bool]
    left_out: int


def counter_contents(counters: RunCounters) -> CounterTable | None:
    """Return a row per counter and case; None where no case has RDMA counters."""
    cases = counters.cases()
    if not cases:
        return None
    body: list[list[str]] = []
    marked: list[bool] = []
    for found in cases:
        if found.problem:
            body.append([str(found.case.id), found.case.name, "", "", "", found.problem])
            marked.append(True)
        for change in found.told:
            body.append([str(found.case.id), found.case.name, *_cells(change, counters.hosts)])
            marked.append(change.kind in MARKED)
    order = sorted(range(len(body)), key=lambda i: not marked[i])
    shown = order[:_MOST_ROWS]
    return CounterTable(
        [body[i] for i in shown], [marked[i] for i in shown], len(body) - len(shown)
    )


def _cells(change: Change, hosts: dict[int, str]) -> list[str]:
    moved = f"unknown ({change.why})" if change.delta is None else str(change.delta)
    meaning = change.meaning
    told = f"{meaning.kind}: {meaning.text}" if meaning.text else str(meaning.kind)
    return [change.where(hosts), change.row.name, moved, told]


def counter_tiles(counters: RunCounters) -> list[Tile]:
    """Return how many cases are marked, where any has RDMA counters."""
    cases = counters.cases()
    marked = [c for c in cases if c.mark]
    if not cases:
        return []
    note = f"of {len(cases)} with RDMA counters"
    if marked:
        note += f"; the first: case {marked[0].case.id}, {marked[0].mark}"
    return [Tile("cases to look at", str(len(marked)), note, bad=bool(marked))]
