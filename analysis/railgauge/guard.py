# SPDX-License-Identifier: Apache-2.0
"""Runs a command in a forked child, so that a crash or a hang of the HDF5 library ends in one line.

A damaged file can make the library crash or loop at any read. The child writes a byte into a pipe
at every read it starts (`beat`); the parent ends it when the pipe stays quiet for too long.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
from collections.abc import Callable

from railgauge.errors import RailgaugeError

QUIET_S = 120.0
"""Longest time between two reads; rendering and writing a large result lie in between."""

_pipe: int | None = None


def beat() -> None:
    """Say that work goes on; costs nothing outside a guarded command."""
    if _pipe is not None:
        with contextlib.suppress(BlockingIOError):  # a full pipe says so too
            os.write(_pipe, b".")


def run(work: Callable[[], int], subject: str, quiet_s: float = QUIET_S) -> int:
    """Run ``work`` in a forked child and return its exit code.

    Parameters
    ----------
    work : callable
        Returns an exit code; it must not raise.
    subject : str
        What is read, for the message.
    quiet_s : float
        Seconds without a `beat` after which the child is ended.

    Raises
    ------
    RailgaugeError
        The child crashed, was killed, or made no progress.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _run_child(work, write_end)
    os.close(write_end)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    try:
        return _wait(child, read_end, subject, quiet_s)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        return 128 + signal.SIGINT
    finally:
        os.close(read_end)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run_child(work: Callable[[], int], pipe: int) -> None:
    global _pipe
    os.set_blocking(pipe, False)
    _pipe = pipe
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 2
    try:
        code = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = 0  # the reader of a pipe (head, less) has seen enough
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    finally:
        os._exit(code)


def _wait(child: int, pipe: int, subject: str, quiet_s: float) -> int:
    while True:
        ready, _, _ = select.select([pipe], [], [], quiet_s)
        if not ready:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            why = f"no progress for {quiet_s:g} s, so reading was stopped"
            raise RailgaugeError(f"{subject} cannot be read", why, "The file may be damaged.")
        if not os.read(pipe, 65536):
            break
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    number = os.WTERMSIG(status)
    if number == signal.SIGTERM:
        return 128 + number
    name = signal.Signals(number).name
    if number == signal.SIGKILL:
        raise RailgaugeError(
            f"reading {subject} was killed", f"{name}: out of memory?", "Free memory and repeat."
        )
    why = f"the HDF5 library crashed on it with {name}"
    raise RailgaugeError(f"{subject} cannot be read", why, "The file is damaged; use a copy.")
