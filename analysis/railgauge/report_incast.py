# SPDX-License-Identifier: Apache-2.0
"""What the report shows of a run of ``railgauge-incast``, as plain values for its template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from railgauge.figures.incast import SweepPoint, sweep_figure, time_figure
from railgauge.figures.incast_times import ecdf_figure, slower_figure
from railgauge.incast import Congestion
from railgauge.incast_class import Class
from railgauge.incast_results import IncastResult
from railgauge.incast_sets import Triple
from railgauge.incast_tables import IncastTables, factor_values, is_judged, receiver_text
from railgauge.load import Run
from railgauge.model import Case
from railgauge.report_counters import CounterTable, counter_contents, counter_tiles
from railgauge.report_tables import (
    COUNTER_COLUMNS,
    Table,
    TableColumn,
    Tile,
    alarms,
    common_tiles,
    result_table,
)
from railgauge.rows import Row
from railgauge.show_incast import victim_rows
from railgauge.text import plural, size_label
from railgauge.trips import Trips

_TIME_CELLS = 400_000
"""Numbers over time that a page may hold."""

_MOST_CHARTS = 60
_MOST_TOLD = 400
_BAD = {str(c) for c in (Class.WRONG_CLASS, Class.LOSSY, Class.UNFAIR)}
_CASE: tuple[TableColumn, ...] = (
    ("case", "case", 0),
    ("backend", "backend", 0),
    ("memory", "memory", 0),
    ("verb", "verb", 0),
    ("spread", "spread", 0),
    ("receiver_host", "receiver", 0),
    ("receiver", "rank", 0),
    ("senders", "senders", 0),
    ("queues", "QPs", 0),
    ("bytes", "size (B)", 0),
    ("depth", "depth", 0),
    ("ramp", "ramp", 0),
    ("victim", "victim", 0),
    ("congestion", "congestion", 0),
)
_TABLE: tuple[TableColumn, ...] = (
    *_CASE,
    ("aggregate_Gbit_s", "total (Gb/s)", 4),
    ("percent_of_line", "of line rate (%)", 1),
    ("jain", "Jain", 4),
    ("lowest_share", "lowest share", 3),
    ("median_share", "median share", 3),
    ("highest_share", "highest share", 3),
    ("median_us", "median (us)", 2),
    ("p95_us", "p95 (us)", 2),
    ("p99_us", "p99 (us)", 2),
    ("p99_9_us", "p99.9 (us)", 2),
    ("max_us", "max (us)", 2),
    ("drain_ms", "drain (ms)", 3),
    ("starved_slices", "starved slices", 0),
    ("slices", "slices", 0),
    ("slice_ms", "slice (ms)", 0),
    ("rows_per_slice", "rows per slice", 1),
    ("jain_slices_median", "Jain of slices, median", 4),
    ("jain_slices_lowest", "Jain of slices, lowest", 4),
    ("longest_gap_ms", "longest gap (ms)", 3),
    ("victim_average_us", "victim average (us)", 2),
    ("victim_p99_us", "victim p99 (us)", 2),
    *COUNTER_COLUMNS,
    ("wrong_elements", "#wrong (B)", 0),
    ("status", "status", 0),
    ("class", "class", 0),
    ("named", "below their share", 0),
    ("reason", "reason", 0),
)
_CLASSES: tuple[TableColumn, ...] = (
    *_CASE,
    ("class", "class", 0),
    ("marks", "marks", 0),
    ("pauses", "pauses", 0),
    ("waits", "waits", 0),
    ("drops", "drops", 0),
    ("rdma_error_count", "RDMA errors", 0),
    ("priority_0_bytes", "in priority 0 (B)", 0),
    ("jain", "Jain", 4),
    ("why", "why", 0),
)
_VICTIMS: tuple[TableColumn, ...] = (
    ("senders", "senders", 0),
    ("queues", "QPs", 0),
    ("bytes", "size (B)", 0),
    ("depth", "depth", 0),
    ("victim", "victim", 0),
    ("victim_ranks", "ranks", 0),
    ("victim_bytes", "victim's size (B)", 0),
    ("isolated_us", "isolated average (us)", 2),
    ("congested_us", "congested average (us)", 2),
    ("average_factor", "factor of average", 3),
    ("average_factor_low", "low", 3),
    ("average_factor_high", "high", 3),
    ("isolated_p99_us", "isolated p99 (us)", 2),
    ("congested_p99_us", "congested p99 (us)", 2),
    ("p99_factor", "factor of p99", 3),
    ("p99_factor_low", "low", 3),
    ("p99_factor_high", "high", 3),
    ("isolated_rows", "isolated rows", 0),
    ("congested_rows", "congested rows", 0),
    ("aggregate_change_percent", "incast beside it (%)", 1),
)


def incast_contents(run: Run, slice_ns: int) -> dict[str, Any]:
    """Return the names that the template needs, computed from the incasts of the run."""
    tables = IncastTables(run, slice_ns)
    facets = {
        "sweep": list(_sweeps(run, tables)),
        "time": list(_times(run, tables)),
        "requests": list(_requests(tables)),
        "victims": list(_victims(tables)),
    }
    rows = [row for result in tables.results for row in tables.rows(result)]
    judged = {r.case.id for r in tables.results if is_judged(r)}
    return {
        "pairs": False,
        "incast": {
            "classes": _marked([row for row in rows if row["case"] in judged], _CLASSES),
            "victims": result_table([_with_status(r) for r in victim_rows(tables)], _VICTIMS),
            "counters": _told(tables),
        },
        "ranking": None,
        "more_groups": 0,
        "communicators": None,
        "figures": {},
        "facets": {kind: charts for kind, charts in facets.items() if charts},
        "sizes": {},
        "counters": counter_contents(tables.counters),
        "timelines": [],
        "maps": [],
        "first": 0,
        "tiles": _tiles(run, tables) + counter_tiles(tables.counters),
        "table": _marked(rows, _TABLE),
        "alarms": alarms(run, tables.results),
    }


def _with_status(row: Row) -> Row:
    return row | {"status": "done"}


def _marked(rows: list[Row], layout: tuple[TableColumn, ...]) -> Table:
    """Lay out rows; those of a class that fails are marked."""
    table = result_table(rows, layout)
    bad = [bool(_BAD.intersection(str(row.get("class") or "").split(", "))) for row in rows]
    status = [
        f"{s} marked" if b and "marked" not in s else s
        for s, b in zip(table.status, bad, strict=True)
    ]
    return replace(table, status=status)


def _words(case: Case, *left_out: str) -> str:
    """Say what a case is, but for what a chart varies."""
    variables = case.variables
    size = variables.get("bytes")
    words = {
        "memory": f"{case.backend} {case.memory}",
        "verb": str(variables.get("verb", "")),
        "receivers": f"receivers {variables.get('receivers')}",
        "senders": plural(_integer(case, "senders"), "sender"),
        "queues": plural(_integer(case, "queues"), "QP"),
        "bytes": size_label(size) if isinstance(size, int) else "",
        "depth": f"depth {variables.get('depth')}",
        "ramp": "ramp" if variables.get("ramp") == "on" else "",
        "congestion": str(variables.get("congestion", "")),
    }
    return " · ".join(text for name, text in words.items() if text and name not in left_out)


def _integer(case: Case, name: str) -> int:
    value = case.variables.get(name)
    return value if isinstance(value, int) else 0


def _sweeps(run: Run, tables: IncastTables) -> Iterator[dict[str, Any]]:
    """Yield a chart per condition and receiver, against senders and queues."""
    found: dict[str, list[SweepPoint]] = {}
    for result in tables.results:
        if result.case.wrong:
            continue
        for receiver in result.receivers:
            label = _words(result.case, "senders", "queues")
            label += f" · into {receiver_text(run, receiver.receiver)}"
            queues = _integer(result.case, "queues")
            point = SweepPoint(len(receiver.senders), queues, receiver, len(receiver.named))
            found.setdefault(label, []).append(point)
    for label, points in list(found.items())[:_MOST_CHARTS]:
        yield {"label": label, "figure": sweep_figure(points)}


def _times(run: Run, tables: IncastTables) -> Iterator[dict[str, Any]]:
    """Yield a chart of the senders over time per case and receiver; largest incasts first."""
    several = [(r, one) for r in tables.results for one in r.receivers if len(one.senders) > 1]
    several.sort(key=lambda pair: (-bool(pair[1].named), -len(pair[1].senders), pair[0].case.id))
    chosen = several[:_MOST_CHARTS]
    cells = sum(len(one.senders) for _, one in chosen)
    points = max(20, min(200, _TIME_CELLS // max(1, cells)))
    for result, receiver in chosen:
        names = [tables.sender_text(s) for s in receiver.senders]
        label = f"{_words(result.case)} · into {receiver_text(run, receiver.receiver)}"
        if receiver.named:
            label += " · a sender below its share"
        yield {"label": label, "figure": time_figure(receiver, names, points)}


def _requests(tables: IncastTables) -> Iterator[dict[str, Any]]:
    """Yield a chart of latencies per condition and number of queues, a line per senders."""
    found: dict[str, dict[str, Trips]] = {}
    for result in tables.results:
        for receiver in result.receivers:
            if receiver.latency is None or result.case.wrong:
                continue
            lines = found.setdefault(_words(result.case, "senders"), {})
            lines.setdefault(plural(len(receiver.senders), "sender"), Trips()).merge(
                receiver.latency.trips
            )
    for label, lines in list(found.items())[:_MOST_CHARTS]:
        yield {"label": label, "figure": slower_figure(list(lines.items()))}


def _victims(tables: IncastTables) -> Iterator[dict[str, Any]]:
    """Yield a chart of round trips per measurement with a victim; largest factors first."""
    found = [(t, lines) for t in tables.triples if (lines := list(_victim_lines(t)))]
    found.sort(key=lambda pair: -_worst(pair[0]))
    for triple, lines in found[:_MOST_CHARTS]:
        label = _words(triple.first.case, "congestion")
        label += f" · victim {triple.first.case.variables.get('victim')}"
        yield {"label": label, "figure": ecdf_figure(lines, _factor_text(triple))}


def _victim_lines(triple: Triple) -> Iterator[tuple[str, Trips]]:
    for part in (Congestion.ISOLATED, Congestion.CONGESTED):
        result = triple.parts.get(part)
        if result is not None and result.victim is not None and not result.case.wrong:
            rows = result.victim.latency.rows
            yield f"{part} ({rows} rows)", result.victim.latency.trips


def _worst(triple: Triple) -> float:
    known = [v for v in factor_values(triple.factors)[::3] if v] if triple.factors else []
    return max(known, default=0.0)


def _factor_text(triple: Triple) -> str:
    if triple.factors is None:
        return "congestion factors: not known"
    texts = []
    for name, factor in (("average", triple.factors.average), ("p99", triple.factors.tail)):
        if factor.value == factor.value:
            known = factor.low == factor.low
            interval = f" ({factor.low:.2f} .. {factor.high:.2f})" if known else ""
            texts.append(f"{name} x {factor.value:.2f}{interval}")
    return f"congestion factors: {', '.join(texts) or 'too few round trips'}"


def _told(tables: IncastTables) -> CounterTable | None:
    """Return a row per counter of congestion that moved or is not known, lost packets first."""
    body: list[list[str]] = []
    marked: list[bool] = []
    measured = [r for r in tables.results if r.receivers]
    for result in measured:
        for told in tables.evidence(result).told:
            change, telling = told.change, told.telling
            moved = f"unknown ({change.why})" if change.delta is None else str(change.delta)
            where = change.where(tables.hosts)
            meaning = f"{telling.signal}: {telling.text}"
            body.append(
                [str(result.case.id), result.case.name, where, change.row.name, moved, meaning]
            )
            marked.append(telling.signal in ("drop", "RDMA error"))
    if not measured:
        return None
    order = sorted(range(len(body)), key=lambda i: not marked[i])
    shown = order[:_MOST_TOLD]
    return CounterTable(
        [body[i] for i in shown], [marked[i] for i in shown], len(body) - len(shown)
    )


def _tiles(run: Run, tables: IncastTables) -> list[Tile]:
    samples = sum(r.case.samples for r in tables.results if r.setup is not None)
    tiles = common_tiles(run, samples)
    right = [r for r in tables.results if not r.case.wrong]
    if best := max(_rates(right), default=None):
        tiles.append(Tile("most at a receiver", f"{best[0]:.4g} Gb/s", best[1]))
    below = [text for r in tables.results for one in r.receivers for text in tables.named(one)]
    if any(is_judged(r) for r in tables.results):
        note = below[0] if below else "no sender far below the fair share"
        tiles.append(Tile("senders below their share", str(len(below)), note, bad=bool(below)))
    if worst := max((_worst(t) for t in tables.triples), default=0.0):
        tiles.append(Tile("worst congestion factor", f"{worst:.2f}", "of a victim"))
    return tiles


def _rates(results: list[IncastResult]) -> Iterator[tuple[float, str]]:
    for result in results:
        for one in result.receivers:
            line = one.line_gbit_per_s
            note = f"of {line:g} Gb/s" if line else plural(len(one.senders), "sender")
            yield one.gbit_per_s, note
