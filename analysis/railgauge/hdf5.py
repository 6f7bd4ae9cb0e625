# SPDX-License-Identifier: Apache-2.0
"""All reading through h5py: of files that may be truncated, hostile or in use.

Nothing here follows a soft or external link, an external or virtual dataset, or a filter plugin,
and nothing allocates memory that the file does not back with bytes of its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Before h5py is imported: a file somebody is writing is readable, and no plugin code is loaded.
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
os.environ["HDF5_PLUGIN_PRELOAD"] = "::"

import h5py
import numpy as np
from numpy.typing import NDArray

from railgauge import guard
from railgauge.errors import DamagedRun, RailgaugeError
from railgauge.text import clean

Columns = dict[str, Any]
"""Columns of a table by name: ``list[str]``, or a numpy array of i64, u64 or f64."""

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_TABLE_LIMIT_BYTES = 256 << 20
_ATTRIBUTE_LIMIT_BYTES = 1 << 20
_DEFLATE_MAX_RATIO = 1100  # deflate cannot expand by more than 1032
_CONSTANT_LIMIT = 1 << 20
_REMEDY = "Measure again, or restore the file from a copy."


@contextmanager
def reading(what: Any) -> Iterator[None]:
    """Turn whatever h5py or numpy raise on a damaged file into one ``DamagedRun`` line.

    ``what`` is a text, or the HDF5 object that is read.
    """
    guard.beat()
    try:
        yield
    except RailgaugeError:
        raise
    except Exception as error:  # h5py raises nearly every built-in type on damaged files
        name = what if isinstance(what, str) else where_of(what)
        raise DamagedRun(f"{name} cannot be read", str(error), _REMEDY) from error


def open_file(path: Path) -> Any:
    """Open an HDF5 file for reading.

    Raises
    ------
    RailgaugeError
        The path is missing or not a regular file (a FIFO would block for ever).
    DamagedRun
        It is no HDF5 file, or a truncated or damaged one.
    """
    name = clean(os.fspath(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DamagedRun(f"{name} cannot be read", "it is not a regular file", _REMEDY)
        with path.open("rb") as file:
            signature = file.read(len(SIGNATURE))
    except OSError as error:
        why = error.strerror or str(error)
        raise RailgaugeError(f"{name} cannot be opened", why, "Check the path.") from error
    if signature != SIGNATURE:
        raise DamagedRun(f"{name} is no run file", "not HDF5", "Give the path of a run.")
    with reading(name):
        return h5py.File(path, "r", locking=False)


def names(group: Any) -> list[str]:
    """Return the names of a group's direct members; no link is resolved."""
    with reading("a group"):
        return [name.decode("utf-8", "surrogateescape") for name in group.id]


def member(parent: Any, name: str) -> Any | None:
    """Return a direct member reached by a hard link, or None when there is none of that name."""
    links = parent.id.links
    key = name.encode("utf-8", "surrogateescape")
    with reading(name):
        if not links.exists(key):
            return None
        if links.get_info(key).type != h5py.h5l.TYPE_HARD:
            raise DamagedRun(f"{clean(name)} is refused", "it is a link to elsewhere", _REMEDY)
        return parent[key]


def group(parent: Any, name: str) -> Any:
    """Return a direct member that must be a group."""
    found = member(parent, name)
    if not isinstance(found, h5py.Group):
        raise DamagedRun(f"{clean(parent.name or '?')} has no group {clean(name)}", "", _REMEDY)
    return found


def dataset(parent: Any, name: str) -> Any:
    """Return a direct member that must be a dataset whose claimed size the file really backs."""
    found = member(parent, name)
    if not isinstance(found, h5py.Dataset):
        where = clean(parent.name or "?")
        raise DamagedRun(f"{where} has no dataset {clean(name)}", "", _REMEDY)
    with reading(found):
        _refuse_unbacked(found)
    return found


def where_of(item: Any) -> str:
    """Return file and path of an HDF5 object, for messages."""
    return clean(f"{Path(item.file.filename).name}:{item.name}")


def is_constant(data: Any) -> bool:
    """Tell whether a dataset has no storage, so that its fill value is every element."""
    return bool(data.size) and data.id.get_storage_size() == 0


def _refuse_unbacked(data: Any) -> None:
    plist = data.id.get_create_plist()
    layouts = (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED)
    if plist.get_layout() not in layouts or plist.get_external_count():
        raise DamagedRun(f"{where_of(data)} is refused", "its data lie in another file", _REMEDY)
    claimed = int(data.size or 0) * data.dtype.itemsize
    stored = int(data.id.get_storage_size())
    ratio = _DEFLATE_MAX_RATIO if plist.get_nfilters() else 1
    if stored > os.fstat(data.file.id.get_vfd_handle()).st_size or (
        stored and claimed > stored * ratio
    ):
        why = f"it claims {claimed} bytes and holds {stored} in a smaller file"
        raise DamagedRun(f"{where_of(data)} is damaged", why, _REMEDY)


def require_stored(data: Any) -> None:
    """Refuse a long measured column without storage: reading it would only burn time."""
    if data.size > _CONSTANT_LIMIT and is_constant(data):
        why = f"it claims {data.size} values and stores none"
        raise DamagedRun(f"{where_of(data)} is damaged", why, _REMEDY)


def read_vector(parent: Any, name: str, length: int) -> NDArray[np.int64]:
    """Read a short integer vector of a known length."""
    data = dataset(parent, name)
    if data.shape != (length,) or data.dtype.kind not in "iu":
        why = f"expected {length} integers, found {data.dtype} {data.shape}"
        raise DamagedRun(f"{where_of(data)} is damaged", why, _REMEDY)
    with reading(data):
        values: NDArray[Any] = data[...]
        if values.size and int(values.max()) > np.iinfo(np.int64).max:
            raise DamagedRun(f"{where_of(data)} is damaged", "a value is past 2^63", _REMEDY)
        return values.astype(np.int64)


def read_table(parent: Any, name: str, required: set[str]) -> Columns:
    """Read a one-dimensional compound dataset as columns.

    Columns of a type the schema does not use are left out, as names a reader does not know.

    Raises
    ------
    DamagedRun
        No compound, absurdly large, or a required column is missing or of a foreign type.
    """
    data = dataset(parent, name)
    where = where_of(data)
    if data.dtype.names is None or data.ndim != 1:
        raise DamagedRun(f"{where} is damaged", "it is not a table", _REMEDY)
    size = int(data.size) * data.dtype.itemsize
    if size > _TABLE_LIMIT_BYTES or (size and is_constant(data)):
        raise DamagedRun(f"{where} is refused", f"it claims {size} bytes", _REMEDY)
    with reading(where):
        rows = data[...]
        columns = {clean(n): _column(rows[n]) for n in data.dtype.names}
    columns = {n: c for n, c in columns.items() if c is not None}
    missing = sorted(required - columns.keys())
    if missing:
        raise DamagedRun(f"{where} is damaged", f"no column {', '.join(missing)}", _REMEDY)
    return columns


def _column(values: Any) -> Any | None:
    kind = values.dtype.kind
    if values.ndim != 1:
        return None
    if kind in "SO":
        is_text = kind == "S" or h5py.check_string_dtype(values.dtype) is not None
        return [clean(v) for v in values.tolist()] if is_text else None
    targets = {"i": np.int64, "u": np.uint64, "f": np.float64}
    return values.astype(targets[kind]) if kind in targets else None


def read_text(parent: Any, name: str) -> str | None:
    """Read a scalar text dataset; None when there is none."""
    if member(parent, name) is None:
        return None
    data = dataset(parent, name)
    if data.shape != () or data.dtype.itemsize > _TABLE_LIMIT_BYTES:
        raise DamagedRun(f"{where_of(data)} is damaged", "it is not a text", _REMEDY)
    with reading(data):
        return _as_text(data[()], where_of(data))


def attribute_text(item: Any, name: str) -> str | None:
    """Read a text attribute, undecodable bytes made visible; None when there is none."""
    value = _attribute(item, name)
    return None if value is None else _as_text(value, f"attribute {name}")


def attribute_int(item: Any, name: str) -> int | None:
    """Read an integer attribute; None when there is none."""
    value = _attribute(item, name)
    if value is None:
        return None
    if not isinstance(value, int | np.integer):
        raise DamagedRun(f"attribute {name} is damaged", "it is not an integer", _REMEDY)
    return int(value)


def attribute_vector(item: Any, name: str) -> NDArray[np.uint64] | None:
    """Read a one-dimensional integer attribute as u64; None when there is none."""
    value = _attribute(item, name)
    if value is None:
        return None
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iu":
        raise DamagedRun(f"attribute {name} is damaged", "it is not a list of integers", _REMEDY)
    return value.astype(np.uint64)


def _attribute(item: Any, name: str) -> Any | None:
    with reading(f"attribute {name}"):
        if not h5py.h5a.exists(item.id, name.encode()):
            return None
        if item.attrs.get_id(name).get_storage_size() > _ATTRIBUTE_LIMIT_BYTES:
            raise DamagedRun(f"attribute {name} is refused", "it is too large", _REMEDY)
        return item.attrs[name]


def _as_text(value: Any, what: str) -> str:
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        raise DamagedRun(f"{what} is damaged", "it is not a text", _REMEDY)
    return value.rstrip(b"\0").decode("utf-8", "backslashreplace")
