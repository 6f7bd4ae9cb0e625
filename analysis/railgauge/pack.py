# SPDX-License-Identifier: Apache-2.0
"""``railgauge pack``: makes one file of a parts folder, as rank 0 does at a clean end.

Nothing is lost on the way: the file is written under a temporary name, renamed when it is whole,
and only then are the parts removed that went into it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from railgauge import archive, guard, hdf5
from railgauge.errors import RailgaugeError
from railgauge.load import (
    PART_NAME,
    Location,
    Run,
    group_name,
    locate,
    open_location,
    part_name,
)
from railgauge.output import irregular, replacing, unwritable
from railgauge.text import clean

BOARD_SUFFIX = ".board"
"""Of the file beside the run that holds the address of rank 0's deadline board."""

_KEPT = "The parts are kept; make room or move them, and pack again."


@dataclass(frozen=True, slots=True)
class Packed:
    """What `pack` did: the file, and what it left in the folder because it does not know it."""

    path: Path
    cases: int
    left: tuple[str, ...]


def pack(path: Path, *, overwrite: bool) -> Packed:
    """Consolidate ``<out>.parts/`` into ``<out>``. The run must have ended.

    Raises
    ------
    RailgaugeError
        ``<out>`` exists, a part is damaged, or the disk is full; the parts stay.
    """
    location = _parts_of(path, overwrite)
    with _locked(location.parts):
        return _pack(location, overwrite)


def _pack(location: Location, overwrite: bool) -> Packed:
    taken = _snapshot(location.parts)
    run = open_location(location)
    _require_whole(run)
    with replacing(location.out, _KEPT) as temporary:
        try:
            _write(temporary, run)
        except RailgaugeError:
            raise
        except Exception as error:  # h5py raises nearly every built-in type on a full disk
            raise unwritable(location.out, error, _KEPT) from error
        _require_replaceable(location.out, overwrite)
        if _snapshot(location.parts) != taken:
            why = f"{clean(location.parts.name)} changed meanwhile"
            raise RailgaugeError("the run is still measured", why, "Pack it when it has ended.")
    left = _remove_parts(location.parts, taken)
    # Of a job that was killed while its ranks started; nothing reads it.
    location.out.with_name(location.out.name + BOARD_SUFFIX).unlink(missing_ok=True)
    return Packed(location.out, len(run.finished_cases), left)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock that a rank program holds while it writes the folder."""
    flags = os.O_CREAT | os.O_RDWR | os.O_NONBLOCK
    try:
        lock = os.open(folder / "lock", flags, 0o644)
    except OSError as error:
        raise unwritable(folder, error, "Pack it where you may write.") from error
    with os.fdopen(lock, "r+b", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            why = f"another process holds the lock in {clean(folder.name)}"
            remedy = "Pack it when it has ended."
            raise RailgaugeError("the run is still measured", why, remedy) from error
        except OSError:
            pass  # a file system without locks: the check for changes below must do
        yield


def _require_replaceable(out: Path, overwrite: bool) -> None:
    name = clean(os.fspath(out))
    if why := irregular(out):
        raise RailgaugeError(f"{name} cannot be written", why, "Move it away.")
    if out.exists() and not overwrite:
        why = "pack replaces nothing by itself"
        raise RailgaugeError(f"{name} exists", why, "Give --overwrite, or move it.")


def _parts_of(path: Path, overwrite: bool) -> Location:
    location, _ = locate(path)
    if not location.parts.is_dir():
        name = clean(os.fspath(location.out))
        raise RailgaugeError(f"there is nothing to pack for {name}", "it is one file already", "")
    _require_replaceable(location.out, overwrite)
    return Location(location.out, finished=False)


def _require_whole(run: Run) -> None:
    problems = list(run.problems)
    for case in run.finished_cases:
        try:
            with run.samples(case):
                pass
        except RailgaugeError as error:
            problems.append(f"part {part_name(case.id)}: {error}")
    if problems:
        remedy = f"Move it out of {clean(run.location.parts.name)} to pack the run without it."
        raise RailgaugeError("the run cannot be packed whole", problems[0], remedy)


def _is_ours(name: str) -> bool:
    known = ("header.h5", "expired.json", "lock")
    return name in known or PART_NAME.match(name) is not None or name.endswith(".h5.tmp")


def _snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file that belongs to the run."""
    files = {p.name: p.lstat() for p in folder.iterdir() if _is_ours(p.name)}
    files |= {f"{archive.FOLDER}/{p.name}": p.lstat() for p in archive.files(folder)}
    return {name: (s.st_size, s.st_mtime_ns) for name, s in files.items()}


def _remove_parts(folder: Path, taken: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """Remove what was packed, and the folder unless it holds something else."""
    for name in taken:
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or something else lies in it
        (folder / archive.FOLDER).rmdir()
    left = tuple(sorted(clean(p.name) for p in folder.iterdir()))
    if not left:
        folder.rmdir()
    return left


def _write(path: Path, run: Run) -> None:
    """Write header, merged cases, the groups of every part, and the archive."""
    # A byte copy keeps every attribute and object of the header, also those unknown here.
    shutil.copyfile(run.location.parts / "header.h5", path)
    with h5py.File(path, "r+", locking=False) as out:
        rows = {}
        for case in run.cases:
            part = run.location.parts / part_name(case.id)
            if part.exists():
                with hdf5.open_file(part) as file:
                    rows[case.id] = hdf5.dataset(file, "cases")[...]
                    _copy_groups(file, out, case.id)
        merged = _merge_tables(out["cases"][...], rows, run)
        del out["cases"]
        out["cases"] = merged
        archive.pack_archive(run.location.parts, out)
        if run.expired is not None:
            raw = run.expired.raw.encode()
            out["expired"] = np.array(raw, h5py.string_dtype("utf-8", max(1, len(raw))))


def _copy_groups(file: Any, out: Any, case_id: int) -> None:
    name = group_name(case_id)
    for parent in ("samples", "checks", "counters", "series"):
        if hdf5.member(file, parent) is None:
            continue
        source = hdf5.member(hdf5.group(file, parent), name)
        if source is not None:
            guard.beat()
            file.copy(source, out.require_group(parent), name=name)


def _merge_tables(header: Any, parts: dict[int, Any], run: Run) -> Any:
    """Replace the planned rows by those of the parts; texts widen to the longest of any."""
    for case_id, part in parts.items():
        if part.dtype.names != header.dtype.names:
            why = "its table of cases has other columns than the header's"
            raise RailgaugeError(f"part {part_name(case_id)} cannot be packed", why, "")
    texts = {"status": [str(c.status) for c in run.cases], "reason": [c.reason for c in run.cases]}
    fields = []
    for name in header.dtype.names:
        kind = header.dtype[name]
        if kind.kind == "S":
            widths = [len(t.encode()) for t in texts.get(name, [])]
            widths += [kind.itemsize, *(p.dtype[name].itemsize for p in parts.values())]
            kind = h5py.string_dtype("utf-8", max(widths))
        fields.append((name, kind))
    merged = np.zeros(header.shape, np.dtype(fields))
    for i, (planned, case) in enumerate(zip(header, run.cases, strict=True)):
        merged[i] = tuple((parts[case.id][0] if case.id in parts else planned).tolist())
        merged[i]["status"] = str(case.status).encode()
        merged[i]["reason"] = case.reason.encode()
    return merged
