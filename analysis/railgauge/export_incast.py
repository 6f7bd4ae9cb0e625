# SPDX-License-Identifier: Apache-2.0
"""``railgauge export`` of runs of railgauge-incast: a row per case and receiver, or per sender."""

from __future__ import annotations

from pathlib import Path

from railgauge.errors import RailgaugeError
from railgauge.export import FileKind, export_rows
from railgauge.incast import is_incast
from railgauge.incast_shares import SLICE_NS
from railgauge.incast_tables import IncastTables
from railgauge.load import Run


def export_receivers(run: Run, path: Path, kind: FileKind, slice_ns: int = SLICE_NS) -> int:
    """Write one row per case and receiver; return the row count."""
    tables = IncastTables(run, slice_ns)
    found = (row for result in tables.results for row in tables.rows(result))
    return export_rows(run, found, path, kind)


def export_senders(run: Run, path: Path, kind: FileKind, slice_ns: int = SLICE_NS) -> int:
    """Write one row per case, receiver and sender; return the row count.

    Raises
    ------
    RailgaugeError
        The run is none of incasts.
    """
    if not is_incast(run):
        why = "it is not one of railgauge-incast"
        raise RailgaugeError(f"run {run.name} has no senders", why, "Leave --senders out.")
    tables = IncastTables(run, slice_ns)
    found = (row for result in tables.results for row in tables.sender_rows(result))
    return export_rows(run, found, path, kind)
