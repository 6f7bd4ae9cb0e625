# SPDX-License-Identifier: Apache-2.0
"""``railgauge show`` for runs of ``railgauge-pairs``: a row per case, then the slowest pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_conditions import condition_labels, condition_of
from railgauge.pair_results import PairsResult
from railgauge.pair_rows import PairsTables
from railgauge.pair_sets import (
    PairSet,
    RailMatrix,
    deviations,
    path_text,
    ranked,
)
from railgauge.pair_setup import VERBS, is_read, queues_of, verb_of
from railgauge.pair_sizes import compared, flat, size_rows
from railgauge.pairs import is_latency, is_within_nodes
from railgauge.rdma_counters import BACKENDS
from railgauge.rows import Row, plain, run_document
from railgauge.show_memories import memory_lines
from railgauge.show_pair_nodes import NODE_LEGEND, node_lines, node_set_json
from railgauge.text import pad, plural

_LISTED = 10
_LEGEND = (
    "#",
    "# A pair is one direction from a rail of a host to another host: payload / median time until",
    "# the peer had acknowledged it, lanes added up. 1 Gb/s is 1e9 bit/s. Latency is HALF of a",
    "# round trip, over all samples of all pairs; p99 is shown from 1000 of them on. % of rail: of",
    "# the median pair of that rail in all rounds.",
)
_READ_LEGEND = "# A read is a round trip by itself: its latency is ALL of it."
_QUEUES = ("QPs", "", 5, "queues", "d")
_SHARED = (
    # heading, unit, width, key of the row, format
    ("size", "(B)", 11, "bytes", "d"),
    ("depth", "", 6, "depth", "d"),
    ("rails", "", 9, "rails", ""),
    ("plane", "", 6, "plane", ""),
    ("repeat", "", 7, "repeat", "d"),
    ("round", "", 6, "round", "d"),
    ("pairs", "", 6, "measured_pairs", "d"),
)
_BANDWIDTH = (
    ("lowest", "(Gb/s)", 10, "lowest_Gbit_s", ".4g"),
    ("median", "(Gb/s)", 10, "median_Gbit_s", ".4g"),
    ("highest", "(Gb/s)", 10, "highest_Gbit_s", ".4g"),
)
_LATENCY = (
    ("median", "(us)", 10, "median_us", ".2f"),
    ("p99", "(us)", 10, "p99_us", ".2f"),
    ("max", "(us)", 10, "max_us", ".2f"),
)
_WRONG = (("#wrong", "", 7, "wrong_elements", "d"),)


def show_pairs_json(run: Run) -> dict[str, Any]:
    """Return the run, its cases with their pairs, and the rails of each set of cases."""
    tables = PairsTables(run)
    document = {
        "run": run_document(run),
        "cases": [_case_json(r, tables) for r in tables.results],
        "sets": [_set_json(s, tables) for s in tables.sets],
    }
    if memories := compared(size_rows([*tables.sets, *tables.node_sets])):
        document["memories"] = [flat(row) for row in memories]
    if tables.seats:
        document["node_sets"] = [node_set_json(s, tables.seats) for s in tables.node_sets]
    return document


def _case_json(result: PairsResult, tables: PairsTables) -> dict[str, Any]:
    row: dict[str, Any] = tables.case_row(result)
    if tables.counters.row(result.case):
        row["counters"] = tables.counters.documents(result.case)
    return row | {"directed_pairs": list(tables.pair_rows(result))}


def _set_json(found: PairSet, tables: PairsTables) -> dict[str, Any]:
    unit = "us" if found.condition.is_latency else "Gbit_s"
    return found.condition._asdict() | {
        "unit": unit,
        "matrices": [_rail_json(rail, found.condition.names(tables.nodes)) for rail in found.rails],
    }


def _rail_json(rail: RailMatrix, names: Mapping[int, str]) -> dict[str, Any]:
    rows, columns = (100 * shares for shares in deviations(rail.values))
    sent = dict(zip(rail.sources, rows.tolist(), strict=True))
    received = dict(zip(rail.destinations, columns.tolist(), strict=True))
    return {
        "name": rail.name,
        "source_rail": rail.source_rail,
        "destination_rail": rail.destination_rail,
        "median": rail.median,
        "hosts": [
            {
                "host": names[node],
                "sent_percent": plain(sent.get(node)),
                "received_percent": plain(received.get(node)),
            }
            for node in dict.fromkeys((*rail.sources, *rail.destinations))
        ],
    }


def show_pairs_text(run: Run) -> Iterator[str]:
    """Yield the lines after the preamble: the table, then the slowest pairs of each set."""
    tables = PairsTables(run)
    yield from _LEGEND
    if any(is_latency(case) and is_read(case) for case in run.cases):
        yield _READ_LEGEND
    if tables.seats:
        yield from NODE_LEGEND
    heading = ""
    shared = _shared(run)
    for result in tables.results:
        condition = condition_of(result.case)
        verb = condition.verb if is_told_verb(result.case) else ""
        words = (condition.operation, verb, condition.backend, condition.memory, condition.pattern)
        direction = "" if condition.is_latency else str(result.case.variables.get("direction", ""))
        served = f"with {condition.served_host}" if condition.served_host else ""
        found = "  ".join(w for w in (*words, direction, served) if w)
        columns = (*shared, *(_LATENCY if condition.is_latency else _BANDWIDTH), *_WRONG)
        if found != heading:
            heading = found
            yield "#"
            yield f"# {heading}"
            yield from _table_head(columns, "node" if is_within_nodes(result.case) else "rail")
        yield _line(tables.case_row(result), columns) + tables.counters.mark(result.case)
    yield from _slowest(tables)
    yield from node_lines(tables)
    yield from memory_lines(size_rows([*tables.sets, *tables.node_sets]))
    yield from tables.counters.lines()


def is_told_verb(case: Case) -> bool:
    """Tell whether a case could have had another verb than its own."""
    return case.backend in BACKENDS or verb_of(case) != VERBS[0]


def _shared(run: Run) -> tuple[tuple[str, str, int, str, str], ...]:
    """Return the first columns; queue pairs only where a case has not one of them."""
    several = any(queues_of(case) != 1 for case in run.cases)
    return (*_SHARED[:2], *([_QUEUES] if several else []), *_SHARED[2:])


def _table_head(columns: tuple[tuple[str, str, int, str, str], ...], base: str) -> Iterator[str]:
    for part, end in ((0, f"  status, slowest pair (% of {base})"), (1, "")):
        cells = [pad((name, unit)[part], width) for name, unit, width, _, _ in columns]
        yield ("#" + "".join(cells)[1:] + end).rstrip()


def _line(row: Row, columns: tuple[tuple[str, str, int, str, str], ...]) -> str:
    if not row["checked_elements"]:
        row["wrong_elements"] = "N/A" if row["measured_pairs"] else None
    cells = [pad(_cell(row.get(key), form), width) for _, _, width, key, form in columns]
    end = str(row["status"])
    if row["reason"]:
        end += f": {row['reason']}"
    if row["slowest"]:
        end += f"  {row['slowest']}"
    percent = row.get("slowest_percent_of_node", row["slowest_percent"])
    if percent is not None:
        end += f" ({percent:.0f} %)"
    return "".join(cells) + "  " + end


def _cell(value: str | int | float | None, form: str) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, str):
        return " " + value  # longer than its column, it stays apart from the one before
    return f"{value:{form}}"


def _slowest(tables: PairsTables) -> Iterator[str]:
    labels = condition_labels([s.condition for s in tables.sets])
    for found, label in zip(tables.sets, labels, strict=True):
        pairs = ranked(found)
        unit, form = ("us", ".2f") if found.condition.is_latency else ("Gb/s", ".4g")
        yield "#"
        yield f"# Slowest of {plural(len(pairs), 'pair')}: {label}"
        medians = [f"{rail.name} {rail.median:{form}}" for rail in found.rails]
        yield f"# median ({unit}): {', '.join(medians)}"
        for pair in pairs[:_LISTED]:
            number, percent = f"{pair.value:{form}}", f"{pair.percent:.0f}"
            where = path_text(pair.path, found.condition.names(tables.nodes))
            yield f"{pad(number, 12)} {unit} {pad(percent, 5)} %  {where}"
