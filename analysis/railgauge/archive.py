# SPDX-License-Identifier: Apache-2.0
"""Files that a run keeps beside its results: ``/archive``, or that folder among its parts.

They are what libraries wrote during the run, NCCL's topology for one. Nothing here looks into them.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from railgauge import guard, hdf5
from railgauge.errors import DamagedRun, RailgaugeError
from railgauge.load import Run
from railgauge.output import require_free, unwritable
from railgauge.text import clean

FOLDER = "archive"
FILE_LIMIT_BYTES = 16 << 20
FILES_LIMIT = 16
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*\Z")
_REMEDY = "Choose another folder."


def files(parts: Path) -> list[Path]:
    """Return the files of a parts folder that go into the run, as the rank programs choose them."""
    folder = parts / FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [p for p in sorted(folder.iterdir()) if _is_kept(p)][:FILES_LIMIT]


def _is_kept(path: Path) -> bool:
    status = path.lstat()
    regular = stat.S_ISREG(status.st_mode) and status.st_size <= FILE_LIMIT_BYTES
    return regular and _NAME.match(path.name) is not None and os.access(path, os.R_OK)


def pack_archive(parts: Path, out: Any) -> None:
    """Write the files of a parts folder into an open run as a clean end does."""
    for path in files(parts):
        raw = path.read_bytes()
        out[f"{FOLDER}/{path.name}"] = np.array(raw, h5py.string_dtype("utf-8", max(1, len(raw))))


def read_archive(run: Run) -> dict[str, bytes]:
    """Return the archived files by name.

    Raises
    ------
    DamagedRun
        ``/archive`` is not that of the schema.
    """
    if not run.location.finished:
        return {p.name: p.read_bytes() for p in files(run.location.parts)}
    with hdf5.open_file(run.location.out) as file:
        if hdf5.member(file, FOLDER) is None:
            return {}
        parent = hdf5.group(file, FOLDER)
        known = [n for n in sorted(hdf5.names(parent)) if _NAME.match(n)]
        return {n: _read(parent, n) for n in known[:FILES_LIMIT]}


def _read(parent: Any, name: str) -> bytes:
    data = hdf5.dataset(parent, name)
    if data.shape != () or data.dtype.kind != "S" or data.dtype.itemsize > FILE_LIMIT_BYTES:
        raise DamagedRun(f"{hdf5.where_of(data)} is damaged", "it is no archived file", "")
    with hdf5.reading(data):
        return bytes(data[()])


def archive_line(run: Run) -> str:
    """Return names and sizes for the report; empty where the run has no archive."""
    try:
        return ", ".join(f"{n} {_size(len(raw))}" for n, raw in read_archive(run).items())
    except RailgaugeError as error:
        return str(error)


def _size(size_bytes: int) -> str:
    for unit, factor in (("MB", 1e6), ("kB", 1e3)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.0f} {unit}"
    return f"{size_bytes} B"


def export_archive(run: Run, folder: Path) -> list[Path]:
    """Write the archived files into a folder, which is made; return their paths.

    Raises
    ------
    RailgaugeError
        The run has no archive, or one of the files exists: then none is written.
    """
    found = read_archive(run)
    if not found:
        raise RailgaugeError(f"run {run.name} has no archive", "no library wrote a file", "")
    paths = [folder / name for name in found]
    for path in paths:
        require_free(path, run.location)
        if os.path.lexists(path):
            why = "export replaces none of them"
            raise RailgaugeError(f"{clean(os.fspath(path))} exists", why, _REMEDY)
    for path, raw in zip(paths, found.values(), strict=True):
        guard.beat()
        _write(path, raw)
    return paths


def _write(path: Path, raw: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(raw)
    except OSError as error:
        raise unwritable(path, error, _REMEDY) from error
