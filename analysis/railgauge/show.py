# SPDX-License-Identifier: Apache-2.0
"""``railgauge show``: the table nccl-tests' eyes expect, aligned, in plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from railgauge.case_counters import RunCounters
from railgauge.communicators import is_communicator
from railgauge.group_sets import GroupSets, ranking_rows
from railgauge.groups import is_split
from railgauge.incast import is_incast
from railgauge.incast_shares import SLICE_NS
from railgauge.load import Run
from railgauge.model import Status
from railgauge.pairs import is_pairs
from railgauge.results import CaseResult, iterate
from railgauge.rows import CLOCK_NOTE, Row, clock_mark, rows, run_document, watermark
from railgauge.show_columns import (
    DEVICE_NOTE,
    UNKNOWN_NOTE,
    Column,
    columns_of,
    hides_choice,
    unusual_words,
)
from railgauge.show_groups import cell, communicator_lines, ranking_lines
from railgauge.show_incast import show_incast_json, show_incast_text
from railgauge.show_pairs import show_pairs_json, show_pairs_text
from railgauge.text import pad, plural, shorten

_LEGEND = (
    "#",
    "# Times are latest exit - latest entry of one operation; time is their mean, span the median",
    "# of latest exit - earliest entry. algbw and busbw are of the median, 1 GB = 1e9 B.",
    "# p99 is shown from 1000 iterations on.",
)
_TEXTS = ("group_name", "active", "algorithm", "protocol")
_HEADING_KEYS = ("operation", "backend", "memory", "place", "mode", "start")


def show_json(run: Run, slice_ns: int = SLICE_NS) -> dict[str, Any]:
    """Return the run and its rows as one JSON document; windows in slices of ``slice_ns``."""
    if is_incast(run):
        return show_incast_json(run, slice_ns)
    if is_pairs(run):
        return show_pairs_json(run)
    sets, found, counters = GroupSets(), [], RunCounters(run)
    for result in iterate(run):
        sets.add(result)
        own: dict[str, Any] = {**counters.row(result.case)}
        if own:
            own["counters"] = counters.documents(result.case)
        found += [row | own for row in rows([result])]
    document = {"run": run_document(run), "cases": found}
    if any(is_split(c) for c in run.cases):
        document["groups"] = [row for one in sets.comparable() for row in ranking_rows(one)]
    return document


def show_text(run: Run, slice_ns: int = SLICE_NS) -> Iterator[str]:
    """Yield the lines of the table as the cases are computed; windows in slices of ``slice_ns``."""
    yield from _preamble(run)
    if is_incast(run):
        yield from show_incast_text(run, slice_ns)
        return
    if is_pairs(run):
        yield from show_pairs_text(run)
        return
    yield from _LEGEND
    columns, sets, counters = columns_of(run), GroupSets(), RunCounters(run)
    if any(key == "device_us" for _, _, _, key, _ in columns):
        yield from DEVICE_NOTE
    if hides_choice(run):
        yield UNKNOWN_NOTE
    heading, blurred = "", False
    communicators: list[Row] = []
    for result in iterate(run):
        if is_communicator(result.case):
            communicators += list(rows([result]))
            continue
        sets.add(result)
        found = _heading(result)
        if found != heading:
            heading = found
            yield "#"
            yield from _table_head(heading, columns)
        numbered = len(result.groups) > 1 and not is_split(result.case)
        for row in rows([result]):
            blurred = blurred or bool(clock_mark(row))
            yield _line(row, columns, numbered) + counters.mark(result.case)
    if blurred:
        yield "#"
        yield f"# {CLOCK_NOTE}"
    yield from ranking_lines(sets.comparable())
    yield from communicator_lines(communicators)
    yield from counters.lines()


def _preamble(run: Run) -> Iterator[str]:
    info = run.info
    if mark := watermark(info):
        yield f"# {mark}"
    yield f"# {run.name}: {info.program} {info.version} ({info.git_revision})"
    yield f"# {plural(info.ranks, 'rank')} on {plural(info.nodes, 'node')}, origin {info.origin}"
    ended = f"finished {info.finished_utc}" if info.finished_utc else "not finished"
    yield f"# started {info.started_utc}, {ended}"
    yield f"# {progress_line(run)}"
    if run.expired:
        yield f"# EXPIRED: {run.expired.text}"
    for problem in run.problems:
        yield f"# DAMAGED: {problem}"


def progress_line(run: Run) -> str:
    """Say how many of how many cases are done, and what became of the others."""
    counts = Counter(c.status for c in run.cases)
    done = f"{len(run.finished_cases)} of {len(run.cases)} cases finished"
    others = [f"{counts[s]} {s}" for s in Status if counts[s] and s != Status.DONE]
    return f"{done} ({', '.join(others)})" if others else done


def _heading(result: CaseResult) -> str:
    row = next(iter(rows([CaseResult(result.case)])))
    words = [str(row[k]) for k in _HEADING_KEYS if row.get(k)]
    if result.case.pipelined:
        words.append("(rooted: the ranks pipeline)")
    return "  ".join([*words, *unusual_words(result.case)])


def _table_head(heading: str, columns: tuple[Column, ...]) -> Iterator[str]:
    yield f"# {heading}"
    for part in (0, 1):
        cells = [pad((name, unit)[part], width) for name, unit, width, _, _ in columns]
        yield "#" + "".join(cells)[1:] + ("  status" if part == 0 else "")


def _line(row: Row, columns: tuple[Column, ...], numbered: bool) -> str:
    if not row["checked_elements"]:
        row["wrong_elements"] = "N/A" if row["iterations"] else None
    for name in _TEXTS:
        row[name] = shorten(str(row.get(name) or ""), 64)
    cells = [pad(cell(row.get(key), digits), width) for _, _, width, key, digits in columns]
    status = str(row["status"])
    if numbered:
        status = f"group {row['group']} {status}"
    if mark := clock_mark(row):
        status += f" {mark}"
    if row["reason"]:
        status += f": {row['reason']}"
    return "".join(cells) + "  " + status
