# SPDX-License-Identifier: Apache-2.0
"""``railgauge export``: a row per case and group, per pair, or per sample, as CSV or Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from railgauge.case_counters import COUNTER_NUMBERS, RunCounters
from railgauge.communicators import STEP_COLUMNS
from railgauge.errors import RailgaugeError
from railgauge.incast_tables import COUNTS, NUMBERS
from railgauge.load import Run
from railgauge.model import Case
from railgauge.output import replacing, require_free
from railgauge.pair_rows import NODE_ENDS, PAIR_NUMBERS, PairsTables, exported_rows
from railgauge.pair_sizes import SIZE_NUMBERS, flat, size_rows
from railgauge.pairs import is_pairs
from railgauge.results import iterate
from railgauge.rows import DEVICE_COLUMNS, NUMBER_COLUMNS, Row, rows
from railgauge.samples import Samples
from railgauge.text import clean

_BATCH = 1 << 19
_COUNTS = ("case", "group", "measured_ranks", "iterations", "outliers")
_PAIR_ENDS = ("source_rail", "source_rank", "destination_rail", "destination_rank")
_PAIR_COUNTS = (*_PAIR_ENDS, *NODE_ENDS, "lanes", "samples")
_LIBRARY_COUNTS = ("memory_bytes", "memory_most_bytes", "channels")
_MESSAGE_COUNTS = ("queues", *COUNTER_NUMBERS)
_UNSIGNED = ("ops_per_sample", "checked_elements", "wrong_elements")
_TYPES = (
    dict.fromkeys(
        (*NUMBER_COLUMNS, *PAIR_NUMBERS, *DEVICE_COLUMNS, *STEP_COLUMNS, *SIZE_NUMBERS, *NUMBERS),
        pa.float64(),
    )
    | dict.fromkeys(
        (*_COUNTS, *_PAIR_COUNTS, *_LIBRARY_COUNTS, *_MESSAGE_COUNTS, *COUNTS), pa.int64()
    )
    | dict.fromkeys(("group_name", "rdma_counters", "reference_memory"), pa.string())
    | dict.fromkeys(_UNSIGNED, pa.uint64())
)
"""Types that do not depend on the values, so that the tables of several runs go together."""


class FileKind(StrEnum):
    """File formats of the export."""

    CSV = "csv"
    PARQUET = "parquet"


def kind_of(path: Path, chosen: str | None) -> FileKind:
    """Take the chosen format, else the one of the file's ending."""
    ending = (chosen or path.suffix.removeprefix(".")).lower()
    try:
        return FileKind(ending)
    except ValueError as error:
        name = clean(os.fspath(path))
        why = f"it ends in neither .csv nor .parquet: {name}"
        raise RailgaugeError("the format is not clear", why, "Use --as csv|parquet.") from error


def export_cases(run: Run, path: Path, kind: FileKind) -> int:
    """Write one row per case and group, derived bandwidths included; return the row count."""
    counters = RunCounters(run)
    found = (row | counters.row(r.case) for r in iterate(run) for row in rows([r]))
    return export_rows(run, found, path, kind)


def export_pairs(run: Run, path: Path, kind: FileKind) -> int:
    """Write one row per pair of every case; return the row count.

    Raises
    ------
    RailgaugeError
        The run has no pairs.
    """
    _require_pairs(run, "--pairs")
    return export_rows(run, exported_rows(PairsTables(run)), path, kind)


def export_memories(run: Run, path: Path, kind: FileKind) -> int:
    """Write one row per size, queue pairs and further memory, beside host memory; return the count.

    A size that was measured with one memory has a row without reference.

    Raises
    ------
    RailgaugeError
        The run has no pairs.
    """
    _require_pairs(run, "--memories")
    tables = PairsTables(run)
    found = size_rows([*tables.sets, *tables.node_sets])
    return export_rows(run, (flat(row) for row in found), path, kind)


def _require_pairs(run: Run, option: str) -> None:
    if not is_pairs(run):
        why = "it is not one of railgauge-pairs"
        raise RailgaugeError(f"run {run.name} has no pairs", why, f"Leave {option} out.")


def export_rows(run: Run, rows: Iterable[Row], path: Path, kind: FileKind) -> int:
    """Write flat rows, each with what the run says about itself; return the row count."""
    info = run.info
    context = {
        "run": run.name,
        "program": info.program,
        "version": info.version,
        "git_revision": info.git_revision,
        "origin": info.origin,
        "rig": info.is_rig,
        "started_utc": info.started_utc,
    }
    found = [context | row for row in rows]
    names = dict.fromkeys(name for row in found for name in row)
    columns = {n: [safe(row.get(n), kind) for row in found] for n in names or context}
    table = pa.table({n: _array(n, v) for n, v in columns.items()})
    with writer(run, path, kind, table.schema) as write:
        write(table)
    return int(table.num_rows)


def _array(name: str, values: list[Any]) -> Any:
    for kind in (_TYPES.get(name), None):
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, OverflowError):  # of another type in this file, or past i64
            continue
    return pa.array([None if v is None else str(v) for v in values], pa.string())


def export_samples(run: Run, path: Path, kind: FileKind) -> int:
    """Stream the raw samples of every finished case; return the row count.

    Columns: origin, case, name, rank, group, iteration, then the sample columns of all cases (null
    where a case has none), in the units of the run file.
    """
    schema = _sample_schema(run)
    written = 0
    with writer(run, path, kind, schema) as write:
        for case in run.finished_cases:
            with run.samples(case) as samples:
                for batch in _batches(run, case, samples, schema, kind):
                    write(pa.Table.from_batches([batch], schema))
                    written += batch.num_rows
    return written


def _sample_schema(run: Run) -> Any:
    types: dict[str, Any] = {}
    units: dict[str, str] = {}
    for case in run.finished_cases:
        with run.samples(case) as samples:
            for column in samples.columns.values():
                types.setdefault(column.name, pa.from_numpy_dtype(column.dtype))
                units.setdefault(column.name, column.unit)
    fixed = [("origin", pa.string()), ("case", pa.int32()), ("name", pa.string())]
    fixed += [(n, pa.int32()) for n in ("rank", "group")] + [("iteration", pa.int64())]
    taken = {n for n, _ in fixed}
    fields = [pa.field(n, t) for n, t in fixed]
    fields += [
        pa.field(n, t, metadata={"unit": units[n]}) for n, t in types.items() if n not in taken
    ]
    return pa.schema(fields)


def _batches(run: Run, case: Case, samples: Samples, schema: Any, kind: FileKind) -> Iterator[Any]:
    for rank in range(len(run.ranks)):
        begin, end = int(samples.offsets[rank]), int(samples.offsets[rank + 1])
        constant = {
            "origin": safe(run.info.origin, kind),
            "case": case.id,
            "name": safe(case.name, kind),
            "rank": rank,
            "group": int(samples.group[rank]),
        }
        for first in range(begin, end, _BATCH):
            last = min(end, first + _BATCH)
            n = last - first
            arrays = []
            for field in schema:
                if field.name in constant:
                    arrays.append(pa.repeat(pa.scalar(constant[field.name], field.type), n))
                elif field.name == "iteration":
                    arrays.append(pa.array(np.arange(first - begin, last - begin)))
                elif field.name in samples.columns:
                    values = samples.columns[field.name].read(first, last)
                    arrays.append(pa.array(values).cast(field.type))
                else:
                    arrays.append(pa.nulls(n, field.type))
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


@contextmanager
def writer(run: Run, path: Path, kind: FileKind, schema: Any) -> Iterator[Any]:
    """Yield a function that appends a table; the file appears under its name when it is whole."""
    require_free(path, run.location)
    made = pa_csv.CSVWriter if kind is FileKind.CSV else pa_parquet.ParquetWriter
    with replacing(path) as temporary, made(temporary, schema) as file:
        yield file.write_table


def safe(value: Any, kind: FileKind) -> Any:
    """Keep a spreadsheet from running a text of the file as a formula."""
    risky = kind is FileKind.CSV and isinstance(value, str) and len(value) > 1
    return f"'{value}" if risky and value[0] in "=+-@" else value
