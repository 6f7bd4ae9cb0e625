# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: never over a run, and under their name only when whole."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from railgauge.errors import RailgaugeError
from railgauge.hdf5 import SIGNATURE
from railgauge.load import PARTS_SUFFIX, Location
from railgauge.text import clean

_REMEDY = "Choose another -o."
_HDF5_REASON = re.compile(r"error message = '([^']*)'")


def require_free(path: Path, run: Location) -> None:
    """Refuse an output that would cost a run, or that is something else than a file.

    Raises
    ------
    RailgaugeError
        It is the run or lies in a folder of parts, holds HDF5, or is no regular file.
    """
    try:
        why = _obstacle(path, run)
    except OSError as error:
        why = reason_of(error)
    if why:
        raise RailgaugeError(f"{clean(os.fspath(path))} cannot be written", why, _REMEDY)


def _obstacle(path: Path, run: Location) -> str:
    place = Path(os.path.realpath(path))
    own = Path(os.path.realpath(run.parts))
    if place == Path(os.path.realpath(run.out)):
        return "it is the run itself"
    if own in (place, *place.parents) or place.parent.name.endswith(PARTS_SUFFIX):
        return "it lies in the parts folder of a run"
    if why := irregular(path):
        return why
    return "it holds HDF5 data, a run perhaps" if _holds_hdf5(path) else ""


def irregular(path: Path) -> str:
    """Say what a path is that can be replaced by no file; empty where it is one, or nothing."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return "it is a folder"
    return "it is a link" if stat.S_ISLNK(mode) else "it is a device or a pipe"


def _holds_hdf5(path: Path) -> bool:
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


@contextmanager
def replacing(path: Path, remedy: str = _REMEDY) -> Iterator[Path]:
    """Yield a temporary name beside ``path``, which becomes ``path`` when the block ends.

    Raises
    ------
    RailgaugeError
        The file cannot be written; nothing is left of it.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error, remedy) from error
    finally:
        with suppress(OSError):  # a read-only file system refuses even to remove nothing
            temporary.unlink()


def unwritable(path: Path, error: Exception, remedy: str) -> RailgaugeError:
    """Return the error a person sees who named ``path``, whatever was called in between."""
    return RailgaugeError(f"{clean(os.fspath(path))} cannot be written", reason_of(error), remedy)


def reason_of(error: Exception) -> str:
    """Return the system's reason alone; libraries add paths and addresses to it."""
    if found := _HDF5_REASON.search(str(error)):
        return found[1]
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
