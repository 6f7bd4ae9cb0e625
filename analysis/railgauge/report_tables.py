# SPDX-License-Identifier: Apache-2.0
"""The report's summary, alarms and tables as plain values for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from railgauge.load import Run
from railgauge.model import Case, Node, Status
from railgauge.results import CaseResult
from railgauge.rows import Row, rows
from railgauge.show import progress_line
from railgauge.text import plural, size_label

_NODE_COLUMNS = 8
_IDENTITY_FACTS = {"hostname", "boot_id"}
TableColumn = tuple[str, str, int]
"""Key of the row, heading, digits after the point."""

COUNTER_COLUMNS: tuple[TableColumn, ...] = (
    ("rdma_errors", "RDMA errors", 0),
    ("rdma_sent_bytes", "RDMA sent (B)", 0),
    ("rdma_received_bytes", "RDMA received (B)", 0),
    ("rdma_counters", "RDMA counters", 0),
)
_TABLE: tuple[TableColumn, ...] = (
    ("case", "case", 0),
    ("operation", "operation", 0),
    ("backend", "backend", 0),
    ("memory", "memory", 0),
    ("dtype", "type", 0),
    ("redop", "redop", 0),
    ("root", "root", 0),
    ("place", "place", 0),
    ("mode", "mode", 0),
    ("bytes", "size (B)", 0),
    ("count", "count", 0),
    ("split", "split", 0),
    ("group", "group", 0),
    ("group_name", "group name", 0),
    ("active", "active", 0),
    ("buffers", "buffers", 0),
    ("aggregate", "aggregate", 0),
    ("graph", "graph", 0),
    ("cta_policy", "CTA policy", 0),
    ("min_ctas", "min CTAs", 0),
    ("max_ctas", "max CTAs", 0),
    ("traffic_class", "traffic class", 0),
    ("median_us", "median (us)", 2),
    ("p95_us", "p95 (us)", 2),
    ("p99_us", "p99 (us)", 2),
    ("max_us", "max (us)", 2),
    ("median_from_first_entry_us", "span (us)", 2),
    ("algbw_GB_s", "algbw (GB/s)", 3),
    ("busbw_GB_s", "busbw (GB/s)", 3),
    ("device_us", "device (us)", 2),
    ("host_minus_device_us", "host - device (us)", 2),
    ("algorithm", "algorithm", 0),
    ("protocol", "protocol", 0),
    ("channels", "channels", 0),
    ("clock", "clock", 0),
    *COUNTER_COLUMNS,
    ("wrong_elements", "#wrong", 0),
    ("status", "status", 0),
    ("iterations", "iterations", 0),
    ("outliers", "outliers", 0),
    ("median_low_us", "median low (us)", 2),
    ("median_high_us", "median high (us)", 2),
    ("p99_9_us", "p99.9 (us)", 2),
    ("reason", "reason", 0),
)
_FOLDED = {
    *("backend", "memory", "dtype", "redop", "root", "place", "mode", "group"),
    *("split", "active", "buffers", "aggregate", "graph"),
    *("cta_policy", "min_ctas", "max_ctas", "traffic_class"),
    *("algorithm", "protocol", "channels"),
    *("pattern", "direction", "depth", "rails", "plane", "repeat"),
    *("verb", "queues", "served_host", "signal_interval", "reference_memory"),
    *("spread", "ramp", "victim", "victim_ranks", "victim_bytes", "slice_ms"),
}
"""Columns left out of the table when all rows agree; the line above it says the value."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A number of the summary."""

    label: str
    value: str
    note: str = ""
    bad: bool = False


def common_tiles(run: Run, samples: int) -> list[Tile]:
    """Return the numbers that every run has."""
    planned, finished = len(run.cases), len(run.finished_cases)
    wrong = sum(c.wrong for c in run.cases)
    operations = Counter(c.operation for c in run.finished_cases)
    return [
        Tile("cases finished", f"{finished} / {planned}", bad=finished < planned),
        Tile("ranks", str(run.info.ranks), f"on {plural(run.info.nodes, 'node')}"),
        Tile("samples", f"{samples:,}".replace(",", " "), plural(len(operations), "operation")),
        Tile("cases with wrong data", str(wrong), bad=wrong > 0),
    ]


def tiles(run: Run, results: list[CaseResult]) -> list[Tile]:
    groups = [g for r in results for g in r.groups]
    tiles = common_tiles(run, sum(g.group.iterations * len(g.group.ranks) for g in groups))
    best = max(
        (
            (r, row)
            for r in results
            for row in rows([r])
            if row["busbw_GB_s"] is not None and not r.case.pipelined and not r.case.wrong
        ),
        key=lambda pair: float(pair[1]["busbw_GB_s"] or 0),
        default=None,
    )
    if best is not None:
        case, row = best[0].case, best[1]
        size = case.size_bytes()
        where = f"{case.operation} {size_label(size) if size else ''}"
        tiles.append(Tile("highest busbw", f"{row['busbw_GB_s']:.2f} GB/s", where))
    return tiles


@dataclass(frozen=True, slots=True)
class Alarm:
    """A case, or the run, that a reader must not overlook."""

    kind: str
    title: str
    text: str


class HasCase(Protocol):
    """What an alarm needs to know of a case's result."""

    @property
    def case(self) -> Case: ...

    @property
    def problem(self) -> str: ...


def alarms(run: Run, results: Iterable[HasCase]) -> list[Alarm]:
    alarms = []
    if run.expired:
        alarms.append(Alarm("bad", "Deadline passed", run.expired.text))
    if run.interrupted:
        text = f"The run did not come to its own end: {progress_line(run)}."
        alarms.append(Alarm("warn", "Interrupted", text))
    for result in results:
        case = result.case
        if case.wrong:
            text = f"{case.wrong_elements} of {case.checked_elements} verified elements are wrong"
            alarms.append(Alarm("bad", "Wrong data", f"{case.name}: {text}. {case.reason}"))
        elif case.status == Status.FAILED:
            alarms.append(Alarm("bad", "Failed", f"{case.name}: {case.reason}"))
        if result.problem:
            alarms.append(Alarm("warn", "Samples unreadable", f"{case.name}: {result.problem}"))
    alarms += [Alarm("warn", "Damaged", p) for p in run.problems]
    alarms += [Alarm("note", "Note", n) for n in run.notices]
    return alarms


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report; ``numeric`` says which columns to align right.

    ``status`` has the classes of each row: its case's status, and ``marked`` where RDMA counters
    must be looked at.
    """

    head: list[str]
    numeric: list[bool]
    body: list[list[str]]
    status: list[str]
    common: str


def result_table(found: list[Row], layout: Sequence[TableColumn] = _TABLE) -> Table:
    """Lay out the results: plain numbers, units in the head, no column that says nothing."""
    columns = [c for c in layout if any(row.get(c[0]) not in (None, "") for row in found)]
    common = []
    for key, heading, digits in list(columns):
        values = {row.get(key) for row in found} - {None}
        if key in _FOLDED and len(values) == 1:
            columns.remove((key, heading, digits))
            common.append(f"{heading} {_cell(values.pop(), digits)}")
    return Table(
        head=[heading for _, heading, _ in columns],
        numeric=[all(not isinstance(row.get(c[0]), str) for row in found) for c in columns],
        body=[[_cell(row.get(key), digits) for key, _, digits in columns] for row in found],
        status=[
            f"{row['status']} marked" if row.get("rdma_counters") else str(row["status"])
            for row in found
        ],
        common=", ".join(common),
    )


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact over all nodes; ``odd`` marks the values that most nodes do not have."""

    name: str
    differs: bool
    values: list[tuple[str, str, bool]]
    """(where, value, odd): per node, or per distinct value on large systems."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts table: by node while the nodes fit side by side, else by value."""

    nodes: list[str]
    by_node: bool
    facts: list[Fact]


def facts_table(nodes: Sequence[Node]) -> Facts:
    """Compare the facts of the nodes; those that differ come first."""
    by_node = len(nodes) <= _NODE_COLUMNS
    names = dict.fromkeys(name for node in nodes for name in node.facts)
    facts = [_fact(name, nodes, by_node) for name in names]
    facts.sort(key=lambda f: not f.differs)
    return Facts([n.host for n in nodes], by_node, facts)


def _is_identity(name: str) -> bool:
    """Tell whether a fact names its node or a part of it, so that no two nodes agree."""
    return name in _IDENTITY_FACTS or name.endswith(".uuid")


def _fact(name: str, nodes: Sequence[Node], by_node: bool) -> Fact:
    values = [node.facts.get(name, "(none)") for node in nodes]
    counts = Counter(values)
    value, count = counts.most_common(1)[0]
    usual = value if 2 * count > len(nodes) else None  # without a majority all are odd
    differs = len(counts) > 1 and not _is_identity(name)
    if by_node:
        cells = [("", v, differs and v != usual) for v in values]
    elif _is_identity(name):
        cells = [("", f"{len(counts)} different values", False)]
    else:
        cells = []
        for value, count in counts.most_common(20):
            where = [n.host for n, v in zip(nodes, values, strict=True) if v == value]
            shown = f"{count} nodes" if value == usual else ", ".join(where[:40])
            cells.append((shown, value, differs and value != usual))
    return Fact(name, differs, cells)
