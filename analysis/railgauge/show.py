# SPDX-License-Identifier: Apache-2.0
"""``railgauge show``: the table nccl-tests' eyes expect, aligned, in plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from railgauge.load import Run
from railgauge.model import Status
from railgauge.pairs import is_pairs
from railgauge.results import CaseResult, iterate
from railgauge.rows import CLOCK_NOTE, Row, clock_mark, rows, run_document, watermark
from railgauge.show_pairs import show_pairs_json, show_pairs_text
from railgauge.text import pad, plural

_COLUMNS = (
    # heading, unit, width, key of the row, digits after the point
    ("size", "(B)", 12, "bytes", 0),
    ("count", "(elements)", 12, "count", 0),
    ("type", "", 9, "dtype", 0),
    ("redop", "", 7, "redop", 0),
    ("root", "", 5, "root", 0),
    ("time", "(us)", 10, "time_us", 2),
    ("algbw", "(GB/s)", 8, "algbw_GB_s", 3),
    ("busbw", "(GB/s)", 8, "busbw_GB_s", 3),
    ("#wrong", "", 7, "wrong_elements", 0),
    ("median", "(us)", 10, "median_us", 2),
    ("p99", "(us)", 10, "p99_us", 2),
    ("max", "(us)", 10, "max_us", 2),
    ("span", "(us)", 10, "median_from_first_entry_us", 2),
)

_LEGEND = (
    "#",
    "# Times are latest exit - latest entry of one operation; time is their mean, span the median",
    "# of latest exit - earliest entry. algbw and busbw are of the median, 1 GB = 1e9 B.",
    "# p99 is shown from 1000 iterations on.",
)
_HEADING_KEYS = ("operation", "backend", "memory", "place", "mode", "start")


def show_json(run: Run) -> dict[str, Any]:
    """Return the run and its rows as one JSON document."""
    if is_pairs(run):
        return show_pairs_json(run)
    return {"run": run_document(run), "cases": list(rows(iterate(run)))}


def show_text(run: Run) -> Iterator[str]:
    """Yield the lines of the table as the cases are computed."""
    yield from _preamble(run)
    if is_pairs(run):
        yield from show_pairs_text(run)
        return
    yield from _LEGEND
    heading, blurred = "", False
    for result in iterate(run):
        found = _heading(result)
        if found != heading:
            heading = found
            yield "#"
            yield from _table_head(heading)
        several_groups = len(result.groups) > 1
        for row in rows([result]):
            blurred = blurred or bool(clock_mark(row))
            yield _line(row, several_groups)
    if blurred:
        yield "#"
        yield f"# {CLOCK_NOTE}"


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
    return "  ".join(words)


def _table_head(heading: str) -> Iterator[str]:
    yield f"# {heading}"
    for part in (0, 1):
        cells = [pad((name, unit)[part], width) for name, unit, width, _, _ in _COLUMNS]
        yield "#" + "".join(cells)[1:] + ("  status" if part == 0 else "")


def _line(row: Row, with_group: bool) -> str:
    if not row["checked_elements"]:
        row["wrong_elements"] = "N/A" if row["iterations"] else None
    cells = [pad(_cell(row.get(key), digits), width) for _, _, width, key, digits in _COLUMNS]
    status = str(row["status"])
    if with_group:
        status = f"group {row['group']} {status}"
    if mark := clock_mark(row):
        status += f" {mark}"
    if row["reason"]:
        status += f": {row['reason']}"
    return "".join(cells) + "  " + status


def _cell(value: str | int | float | None, digits: int) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
