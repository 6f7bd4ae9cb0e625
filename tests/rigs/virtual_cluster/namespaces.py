# SPDX-License-Identifier: Apache-2.0
"""Starting, entering and ending the namespaces of a cluster.

The head is the first process of a PID namespace, and every node the first of one nested in it.
Nothing is bound to a file: when the head dies, the kernel takes processes, links and mounts away.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .errors import VclusterError
from .layout import HEAD
from .registry import Process

HERE = Path(__file__).resolve().parent
KINDS = ["--net", "--uts", "--ipc", "--mount", "--pid"]
_READY_S = 60.0
_DEATH_S = 20.0


@dataclass
class Started:
    head: Process
    pids: dict[str, int]  # first process of each node, as the head sees it
    keeper: subprocess.Popen[bytes]
    lifeline: int  # file descriptor; closing it, or dying, ends an owned cluster


def start(folder: Path, names: list[str], owned: bool) -> Started:
    """Start a head and its nodes. Owned ones end with this process, others only by `stop`."""
    head_stdin, lifeline = os.pipe()
    unshare = ["unshare", *KINDS, "--fork", "--kill-child"]
    with (folder / "log").open("wb") as log:
        keeper = subprocess.Popen(
            [*unshare, HERE / "first-process", "head", folder, HEAD, *names],
            stdin=head_stdin,
            stdout=subprocess.PIPE,
            stderr=log,
            # The head ends at the end of its stdin. If nobody owns it, it holds the other end too.
            pass_fds=() if owned else (lifeline,),
            start_new_session=True,
            cwd="/",
        )
    os.close(head_stdin)
    try:
        pids = _wait_ready(keeper, len(names) + 1, folder / "log")
        head = Process.of(pids.pop(HEAD))
        if head is None:
            raise VclusterError("the head of the virtual cluster died at once: see dmesg")
    except BaseException:
        os.close(lifeline)
        keeper.kill()  # --kill-child takes the head, and the kernel everything in it
        keeper.wait()
        raise
    return Started(head, pids, keeper, lifeline)


def stop(head: Process) -> None:
    """Kill the head and wait until the kernel has killed every process of the cluster."""
    if head.is_alive():
        with contextlib.suppress(ProcessLookupError):
            os.kill(head.pid, signal.SIGKILL)
    deadline = time.monotonic() + _DEATH_S
    while head.is_alive():
        if time.monotonic() > deadline:
            raise VclusterError(f"head process {head.pid} does not die: see what it waits for")
        time.sleep(0.005)


def enter_head(head: Process) -> list[str]:
    """Return the prefix that runs a command on the head, in this directory, and ends it with us."""
    run_here = ["sh", "-c", 'cd -- "$0" && exec "$@"', str(Path.cwd())]
    end_with_us = ["setpriv", "--pdeathsig", "TERM"]
    return ["nsenter", "--target", str(head.pid), *KINDS, *end_with_us, *run_here]


def run_on_head(head: Process, argv: list[str], text: str = "") -> str:
    """Run a command that configures the cluster or asks it, and return its output."""
    done = subprocess.run(
        [*enter_head(head), *argv],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise VclusterError(f"the virtual cluster's links cannot be set or read: {lines[0]}")
    return done.stdout


def _wait_ready(keeper: subprocess.Popen[bytes], expected: int, log: Path) -> dict[str, int]:
    assert keeper.stdout is not None
    deadline = time.monotonic() + _READY_S
    text = b""
    with keeper.stdout as stdout:
        while (ready := text.count(b"\n")) < expected:
            if not select.select([stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise VclusterError(
                    f"only {ready} of {expected} namespaces came up in {_READY_S:.0f} s: "
                    "the machine is overloaded, use fewer nodes"
                )
            chunk = os.read(stdout.fileno(), 65536)
            if not chunk:
                lines = log.read_text(errors="replace").splitlines() or ["no message"]
                raise VclusterError(f"a node's namespaces cannot be furnished: {lines[-1]}")
            text += chunk
    fields = [line.split(" ") for line in text.decode().splitlines()]
    return {name: int(pid) for _, name, pid in fields}
