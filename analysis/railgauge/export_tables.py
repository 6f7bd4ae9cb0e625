# SPDX-License-Identifier: Apache-2.0
"""``railgauge export --counters`` and ``--series``: the tables beside the samples, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from railgauge.congestion_names import telling_of
from railgauge.export import FileKind, safe, writer
from railgauge.load import Run
from railgauge.model import Case, Counter
from railgauge.rdma_counters import SOURCES, Change
from railgauge.rows import Row

_COMMON = (
    ("run", pa.string()),
    ("origin", pa.string()),
    ("case", pa.int32()),
    ("case_name", pa.string()),
    ("node", pa.int32()),
    ("host", pa.string()),
    ("device", pa.string()),
)
_NAMED = (("source", pa.string()), ("name", pa.string()))
_COUNTERS = pa.schema(
    [
        *_COMMON,
        ("port", pa.int32()),
        *_NAMED,
        *((n, pa.uint64()) for n in ("before", "after", "delta")),
        ("delta_bytes", pa.float64()),
        ("status", pa.string()),
        ("kind", pa.string()),
        ("meaning", pa.string()),
    ]
)
_SERIES = pa.schema([*_COMMON, *_NAMED, ("time_ns", pa.int64()), ("value", pa.float64())])


def export_counters(run: Run, path: Path, kind: FileKind) -> int:
    """Write one row per counter and finished case; return the row count.

    ``delta`` is empty where the status is not ``ok``, for then nobody knows it; ``delta_bytes`` is
    what RDMA devices count in words of four bytes. ``kind`` and ``meaning`` are of RDMA counters,
    and of what interfaces count of congestion and loss.
    """
    hosts = {r.node: r.host for r in run.ranks}

    def rows(case: Case) -> Iterator[Row]:
        for row in run.counters(case):
            found: Row = {
                "node": row.node,
                "host": hosts.get(row.node),
                "device": row.device,
                "port": row.port,
                "source": row.source,
                "name": row.name,
                "before": row.before,
                "after": row.after,
                "delta": row.difference,
                "status": row.status,
            }
            yield found | _meaning(row)

    return _export(run, "counters", rows, _COUNTERS, path, kind)


def _meaning(row: Counter) -> Row:
    if row.source not in SOURCES:
        telling = telling_of(row)
        told: Row = {"kind": str(telling.signal), "meaning": telling.text} if telling else {}
        return {"delta_bytes": None, "kind": None, "meaning": None} | told
    change = Change(row)
    about: Row = {"kind": str(change.kind), "meaning": change.meaning.text or None}
    return about | {"delta_bytes": None if change.bytes is None else float(change.bytes)}


def export_series(run: Run, path: Path, kind: FileKind) -> int:
    """Write one row per reading and finished case; return the row count."""
    hosts = {r.node: r.host for r in run.ranks}

    def rows(case: Case) -> Iterator[Row]:
        for row in run.series(case):
            yield {
                "node": row.node,
                "host": hosts.get(row.node),
                "device": row.device,
                "source": row.source,
                "name": row.name,
                "time_ns": row.time_ns,
                "value": row.value,
            }

    return _export(run, "series", rows, _SERIES, path, kind)


def _export(
    run: Run,
    table: str,
    rows: Callable[[Case], Iterator[Row]],
    schema: Any,
    path: Path,
    kind: FileKind,
) -> int:
    """Stream the rows of the finished cases that have such a table; return their count."""
    written = 0
    with writer(run, path, kind, schema) as write:
        for case in run.finished_cases:
            if not run.has(case, table):
                continue
            about: Row = {
                "run": run.name,
                "origin": run.info.origin,
                "case": case.id,
                "case_name": case.name,
            }
            found = [about | row for row in rows(case)]
            columns = {n: [safe(row[n], kind) for row in found] for n in schema.names}
            write(pa.table(columns, schema))
            written += len(found)
    return written
