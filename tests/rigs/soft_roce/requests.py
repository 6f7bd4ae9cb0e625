# SPDX-License-Identifier: Apache-2.0
"""Asking the guest's agent to run a script, and collecting what it prints until it ends."""

from __future__ import annotations

import secrets
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import GuestLost
from .machine import Machine

Sink = Callable[[bytes], object]


@dataclass
class Stream:
    """Output of one script: what comes before NUL, token, exit code and newline."""

    token: bytes
    sink: Sink | None = None
    text: bytearray = field(default_factory=bytearray)
    code: int | None = None
    _held: bytes = b""

    def feed(self, chunk: bytes) -> None:
        """Take what arrived; hold back what may be the beginning of the end."""
        before, mark, after = (self._held + chunk).partition(b"\0" + self.token)
        if mark and after.endswith(b"\n"):
            self.code = int(after)
            self._held = b""
        else:
            whole = before + mark + after
            at = len(before) if mark else _possible_mark(whole, b"\0" + self.token)
            before, self._held = whole[:at], whole[at:]
        self.text += before
        if self.sink and before:
            self.sink(before)

    def decoded(self) -> str:
        return self.text.decode(errors="replace")


def _possible_mark(text: bytes, mark: bytes) -> int:
    """Return where a mark that is not complete yet may begin."""
    at = text.rfind(b"\0", max(0, len(text) - len(mark)))
    return at if at >= 0 and mark.startswith(text[at:]) else len(text)


@dataclass
class Request:
    """One script for the agent; with 0 seconds it changes the guest itself (see guest/agent)."""

    script: str
    seconds: float = 0.0
    stdout_sink: Sink | None = None
    stderr_sink: Sink | None = None

    def __post_init__(self) -> None:
        token = secrets.token_hex(16).encode()
        self.stdout = Stream(token, self.stdout_sink)
        self.stderr = Stream(token, self.stderr_sink)
        script = self.script.replace("\\", "\\\\").replace("\n", "\\n")
        self._line = b"%s %g %s\\n\n" % (token, self.seconds, script.encode())

    def ask(self, machine: Machine, within_s: float, late: str) -> int:
        """Run it and return its exit code; a guest that dies or is `late` is lost."""
        deadline = time.monotonic() + within_s
        try:
            _send(machine.ports["control"], self._line, within_s)
            self._collect(machine, deadline)
        except TimeoutError:
            raise self._lost(machine, late) from None
        except ConnectionError:
            raise self._lost(machine, "the guest died") from None
        assert self.stdout.code is not None
        return self.stdout.code

    def _collect(self, machine: Machine, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            for name, stream in (("stdout", self.stdout), ("stderr", self.stderr)):
                selector.register(machine.ports[name], selectors.EVENT_READ, stream)
            while self.stdout.code is None or self.stderr.code is None:
                ready = selector.select(deadline - time.monotonic())
                if not ready and time.monotonic() >= deadline:
                    raise TimeoutError
                for key, _ in ready:
                    chunk = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not chunk:
                        raise ConnectionError
                    key.data.feed(chunk)

    def _lost(self, machine: Machine, problem: str) -> GuestLost:
        return GuestLost(problem, machine.console(), self.stdout.decoded(), self.stderr.decoded())


def _send(port: socket.socket, line: bytes, within_s: float) -> None:
    port.settimeout(within_s)
    port.sendall(line)
