# SPDX-License-Identifier: Apache-2.0
"""Standard output and error as they come: closed, on a full disk, or into a pipe nobody reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from railgauge.errors import RailgaugeError
from railgauge.text import one_line

_REMEDY = "Send it to a place with room; >/dev/null discards it."


def prepare() -> None:
    """Make both streams safe to use.

    Raises
    ------
    RailgaugeError
        Standard output is closed: what a command prints would be lost.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # else the next file opened, a run perhaps, would get what is printed
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        raise _lost("it is closed")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def put(text: str) -> None:
    """Print text to standard output."""
    with _standard_output():
        sys.stdout.write(text)


def flush() -> None:
    """Have everything printed reach its place."""
    with _standard_output():
        sys.stdout.flush()


def say(line: str) -> None:
    """Print a line for the person to standard error; where that fails, there is no other place."""
    try:
        print(one_line(line, 2000), file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


@contextmanager
def _standard_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _discard(sys.stdout)
        raise
    except OSError as error:
        _discard(sys.stdout)
        raise _lost(error.strerror or str(error)) from error


def _lost(why: str) -> RailgaugeError:
    return RailgaugeError("standard output cannot be written", why, _REMEDY)


def _discard(stream: TextIO) -> None:
    """Let go of what a stream still holds, or Python fails on it again at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
