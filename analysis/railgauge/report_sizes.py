# SPDX-License-Identifier: Apache-2.0
"""The numbers behind the report's charts by size, queue pairs and memory, as tables to copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from railgauge.figures.pair_facets import wants_facets
from railgauge.pair_sets import Measured
from railgauge.pair_sizes import flat, size_rows
from railgauge.report_tables import Table, TableColumn, result_table
from railgauge.rows import Row

_UNITS = {"rates": "Gbit_s", "latencies": "us"}
_ABOUT = ("backend", "pattern", "verb", "direction", "rails", "plane")


def size_tables(sets: Sequence[Measured]) -> dict[str, Table]:
    """Return a table of rates and one of latencies, where the report has such charts."""
    if not wants_facets(sets):
        return {}
    rows = [flat(row) | {"status": ""} for row in size_rows(sets)]
    found = {kind: [r for r in rows if r["unit"] == unit] for kind, unit in _UNITS.items()}
    return {kind: result_table(r, tuple(_layout(r))) for kind, r in found.items() if r}


def _layout(rows: Sequence[Row]) -> Iterator[TableColumn]:
    """Name the numbers by their memories where all rows have the same two."""
    names = [_only(rows, key) for key in ("reference_memory", "memory")]
    reference, memory = names if all(names) else ("reference", "")
    yield from ((name, name, 0) for name in _ABOUT)
    yield ("served_host", "served host", 0)
    yield ("signal_interval", "signal interval", 0)
    yield ("depth", "depth", 0)
    yield ("bytes", "size (B)", 0)
    yield ("queues", "QPs", 0)
    yield ("reference_memory", "reference", 0)
    yield ("memory", "memory", 0)
    yield ("reference_median", f"{reference} median", 4)
    yield ("median", f"{memory} median".strip(), 4)
    yield ("difference_percent", "difference (%)", 1)
    for end in ("lowest", "highest"):
        yield (f"reference_{end}", f"{reference} {end}", 4)
        yield (end, f"{memory} {end}".strip(), 4)
    yield ("measured_pairs", "pairs", 0)


def _only(rows: Sequence[Row], key: str) -> str:
    found = {str(row[key] or "") for row in rows}
    return found.pop() if len(found) == 1 else ""
