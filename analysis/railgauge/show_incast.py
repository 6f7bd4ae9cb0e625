# SPDX-License-Identifier: Apache-2.0
"""``railgauge show`` for runs of ``railgauge-incast``: rows, who is unfair, victims, classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from railgauge.incast import Congestion
from railgauge.incast_class import FAIR_JAIN
from railgauge.incast_shares import LEAST_ROWS, NAMED_SHARE
from railgauge.incast_tables import IncastTables, class_json, is_judged
from railgauge.load import Run
from railgauge.model import Case
from railgauge.rdma_counter_names import MARKED, Kind
from railgauge.rows import Row, run_document
from railgauge.text import pad, plural

_LISTED = 10
_SHARED = (
    # heading, unit, width, key of the row, format
    ("receiver", "", 9, "receiver", "d"),
    ("senders", "", 8, "senders", "d"),
    ("QPs", "", 5, "queues", "d"),
    ("size", "(B)", 11, "bytes", "d"),
    ("depth", "", 6, "depth", "d"),
    ("congestion", "", 11, "congestion", ""),
    ("total", "(Gb/s)", 11, "aggregate_Gbit_s", ".4g"),
    ("of line", "(%)", 8, "percent_of_line", ".1f"),
    ("lowest", "(share)", 8, "lowest_share", ".3f"),
    ("highest", "(share)", 8, "highest_share", ".3f"),
    ("Jain", "", 7, "jain", ".4f"),
    ("starved", "(slices)", 9, "starved_slices", "d"),
    ("drain", "(ms)", 9, "drain_ms", ".3f"),
    ("median", "(us)", 11, "median_us", ".2f"),
    ("p99", "(us)", 11, "p99_us", ".2f"),
    ("max", "(us)", 11, "max_us", ".2f"),
    ("#wrong", "(B)", 7, "wrong_elements", "d"),
)
_LEGEND = (
    "#",
    "# total: payload finished at the receiver while all its senders worked (in a ramp, its last",
    "# step); 1 Gb/s is 1e9 bit/s. A share is a sender's bytes / the mean sender's: 1 is fair.",
    "# Jain: (sum x)^2 / (n sum x^2). starved: slices in which a sender finished nothing while",
    "# others did, of all senders. Latency: posting to completion, weighed by requests.",
)
_VICTIM = (
    ("senders", "", 8, "senders", "d"),
    ("QPs", "", 5, "queues", "d"),
    ("size", "(B)", 11, "bytes", "d"),
    ("victim", "", 14, "victim", ""),
    ("isolated", "(us)", 11, "isolated_us", ".2f"),
    ("congested", "(us)", 11, "congested_us", ".2f"),
    ("factor", "", 8, "average_factor", ".2f"),
    ("p99", "(us)", 11, "isolated_p99_us", ".2f"),
    ("congested", "(us)", 11, "congested_p99_us", ".2f"),
    ("factor", "", 8, "p99_factor", ".2f"),
    ("incast", "(%)", 8, "aggregate_change_percent", "+.1f"),
)


def show_incast_json(run: Run, slice_ns: int) -> dict[str, Any]:
    """Return the run, its cases with receivers, senders and classes, and its victims."""
    tables = IncastTables(run, slice_ns)
    cases = []
    for result in tables.results:
        document: dict[str, Any] = {
            "case": result.case.id,
            "receivers": list(tables.rows(result)),
            "sender_rows": list(tables.sender_rows(result)),
            "classes": class_json(tables.classification(result)),
        }
        if result.receivers:
            document["congestion_counters"] = [
                tables.counters.document(t.change)
                | {"signal": str(t.telling.signal), "meaning": t.telling.text}
                for t in tables.evidence(result).told
            ]
        if tables.counters.row(result.case):
            document["counters"] = tables.counters.documents(result.case)
        cases.append(document)
    return {
        "run": run_document(run),
        "thresholds": {
            "named_share": NAMED_SHARE,
            "fair_jain": FAIR_JAIN,
            "rows_of_a_sender": LEAST_ROWS,
        },
        "cases": cases,
        "victims": list(victim_rows(tables)),
    }


def show_incast_text(run: Run, slice_ns: int) -> Iterator[str]:
    """Yield the lines after the preamble."""
    tables = IncastTables(run, slice_ns)
    yield from _LEGEND
    heading = ""
    for result in tables.results:
        found = _heading(result.case)
        if found != heading:
            heading = found
            yield "#"
            yield f"# {heading}"
            yield from _head(_SHARED, "  status, class")
        for row in tables.rows(result):
            yield _line(row) + tables.counters.mark(result.case)
    yield from _named_lines(tables)
    yield from _slice_lines(tables)
    yield from _victim_lines(tables)
    yield from _class_lines(tables)
    yield from tables.counters.lines((*MARKED, Kind.OTHER))  # the classes tell of congestion


def _heading(case: Case) -> str:
    names = ("verb", "receivers", "spread")
    words = [case.operation, case.backend, case.memory, *(case.variables.get(n) for n in names)]
    if case.variables.get("ramp") == "on":
        words.append("ramp")
    return "  ".join(str(w) for w in words if w)


def _head(columns: tuple[tuple[str, str, int, str, str], ...], end: str) -> Iterator[str]:
    for part, text in ((0, end), (1, "")):
        cells = [pad((name, unit)[part], width) for name, unit, width, _, _ in columns]
        yield ("#" + "".join(cells)[1:] + text).rstrip()


def _cell(value: str | int | float | None, form: str) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, str):
        return " " + value  # longer than its column, it stays apart from the one before
    try:
        return f"{value:{form}}"
    except ValueError:  # of another type in this file
        return str(value)


def _cells(row: Row, columns: tuple[tuple[str, str, int, str, str], ...]) -> str:
    return "".join(pad(_cell(row.get(key), form), width) for _, _, width, key, form in columns)


def _line(row: Row) -> str:
    measured = row["aggregate_Gbit_s"] is not None or row["victim_rows"] is not None
    if not row["checked_elements"]:
        row["wrong_elements"] = "N/A" if measured else None
    end = str(row["status"])
    if row["class"]:
        end += f", {row['class']}"
    if row["reason"]:
        end += f": {row['reason']}"
    return _cells(row, _SHARED) + "  " + end


def _named_lines(tables: IncastTables) -> Iterator[str]:
    found = [
        (result, text)
        for result in tables.results
        for receiver in result.receivers
        for text in tables.named(receiver)
    ]
    if not found:
        return
    yield "#"
    yield f"# Senders below {100 * NAMED_SHARE:.0f} % of the fair share:"
    for result, text in found[:_LISTED]:
        yield f"# case {result.case.id} {result.case.name}: {text}"
    if len(found) > _LISTED:
        yield f"# ... and {len(found) - _LISTED} more; --format json lists all"


def _slice_lines(tables: IncastTables) -> Iterator[str]:
    """Say which slices were used, and where they hold too little."""
    receivers = [r for result in tables.results for r in result.receivers]
    if not receivers:
        return
    widths = sorted({r.plan.width_ns for r in receivers})
    shown = f"{widths[0] / 1e6:g}" if len(widths) == 1 else f"{widths[0] / 1e6:g} or more"
    yield "#"
    few = sum(not r.slices.tells for r in receivers)
    line = f"# Slices of {shown} ms"
    if few:
        line += f"; {few} of {plural(len(receivers), 'window')} hold fewer than {LEAST_ROWS} rows"
        line += " of a sender in one, whose slices tell little"
    yield line


def victim_rows(tables: IncastTables) -> Iterator[Row]:
    """Yield a row per measurement with a victim: isolated beside congested, and the factors."""
    for triple in tables.triples:
        isolated = triple.parts.get(Congestion.ISOLATED)
        congested = triple.parts.get(Congestion.CONGESTED)
        if isolated is None and congested is None:
            continue
        row = next(tables.rows(congested or triple.first))
        numbers: Row = {}
        for word, part in (("isolated", isolated), ("congested", congested)):
            latency = part.victim.latency if part and part.victim else None
            tail = latency.shown(0.99) if latency else None
            numbers |= {
                f"{word}_case": part.case.id if part else None,
                f"{word}_rows": latency.rows if latency else None,
                f"{word}_us": latency.mean / 1e3 if latency else None,
                f"{word}_p99_us": None if tail is None else tail / 1e3,
            }
        yield {n: row[n] for n in _VICTIM_ABOUT} | numbers | {n: row[n] for n in _VICTIM_FACTORS}


_VICTIM_ABOUT = (
    *("senders", "queues", "bytes", "depth", "victim", "victim_ranks", "victim_bytes"),
)
_VICTIM_FACTORS = (
    *("average_factor", "average_factor_low", "average_factor_high"),
    *("p99_factor", "p99_factor_low", "p99_factor_high", "aggregate_change_percent"),
)


def _victim_lines(tables: IncastTables) -> Iterator[str]:
    rows = list(victim_rows(tables))
    if not rows:
        return
    yield "#"
    yield "# Victims: average round trip and its 99th percentile isolated and congested, and"
    yield "# congestion factor = congested / isolated (95 % interval). incast: its rate beside the"
    yield "# victim against alone."
    yield from _head(_VICTIM, "  factors' intervals")
    for row in rows:
        both = [_interval(row, "average_factor"), _interval(row, "p99_factor")]
        yield (_cells(row, _VICTIM) + "  " + ", ".join(b for b in both if b)).rstrip()


def _interval(row: Row, name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f"{low:.2f} .. {high:.2f}" if low is not None and high is not None else ""


def _class_lines(tables: IncastTables) -> Iterator[str]:
    judged = [r for r in tables.results if is_judged(r)]
    if not judged:
        return
    yield "#"
    yield "# Classes, and why:"
    told: dict[tuple[str, str], list[int]] = {}
    for result in judged:
        found = tables.classification(result)
        for name, why in class_json(found).items():
            told.setdefault((name, why), []).append(result.case.id)
    for (name, why), cases in list(told.items())[: 4 * _LISTED]:
        shown = ", ".join(map(str, cases[:_LISTED])) + (", ..." if len(cases) > _LISTED else "")
        yield f"# {name} (case {shown}): {why}"
    if len(told) > 4 * _LISTED:
        yield f"# ... and {len(told) - 4 * _LISTED} more; --format json lists all"
