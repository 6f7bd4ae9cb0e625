# SPDX-License-Identifier: Apache-2.0
"""A guest with RDMA devices that runs one command after another."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from .errors import GuestLost, SoftRoceError
from .faults import Fault, faults_script
from .kernel import find_kernel
from .machine import Hardware, Machine
from .rails import Rails
from .requests import Request, Sink

BOOT_S = 90.0
_GRACE_S = 30.0  # what a guest on a busy machine may take to end a command at its deadline
_TIMED_OUT = (124, 137)  # exit codes of `timeout`


@dataclass(frozen=True)
class Result:
    """How a command ended. One that was ended at its deadline has the exit code 124."""

    code: int
    stdout: str
    stderr: str
    timed_out: bool = False


class SoftRoce:
    """A running guest; as a context manager it ends with the block.

    It sees this machine's files, and what it writes stays in its memory, except below `writable`.
    A file that another process makes after the guest looked for it may stay unseen; not so there.
    """

    def __init__(self, machine: Machine, rails: Rails) -> None:
        self._machine = machine
        self._rails = rails
        self._faults: Sequence[Fault] = ()

    @classmethod
    def boot(
        cls,
        rails: int = 2,
        hardware: Hardware | None = None,
        writable: Sequence[Path] = (),
        kernel_arguments: Sequence[str] = (),
        within_s: float = BOOT_S,
    ) -> SoftRoce:
        """Start a guest and return when its rails are ready."""
        chosen = Rails(rails)
        shares = {f"share{at}": _folder(path) for at, path in enumerate(writable)}
        machine = Machine(find_kernel(), hardware or Hardware(), shares, kernel_arguments)
        guest = cls(machine, chosen)
        try:
            script = f"{_mounts(shares)}\n{chosen.script()}"
            guest._prepare(script, within_s, f"the guest did not come up in {within_s:g} s")
        except BaseException:
            machine.end()
            raise
        return guest

    def __enter__(self) -> SoftRoce:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """End the guest; harmless when it has ended."""
        self._machine.end()

    def run(
        self,
        command: Sequence[str] | str,
        deadline_s: float = 60.0,
        environment: Mapping[str, str] | None = None,
        stdout: Sink | None = None,
        stderr: Sink | None = None,
    ) -> Result:
        """Run a command (text: a shell's) in this process's directory, and everything it started.

        `stdout` and `stderr` are called with each piece of output as it comes.
        """
        if not deadline_s > 0:
            raise SoftRoceError(f"a deadline of {deadline_s} s lets nothing run: use more than 0")
        request = Request(_script(command, environment or {}), deadline_s, stdout, stderr)
        started = time.monotonic()
        late = f"the guest did not end the command {_GRACE_S:g} s after its deadline"
        code = request.ask(self._machine, deadline_s + _GRACE_S, late)
        # A hair's breadth for the two clocks.
        late_by = time.monotonic() - started - 0.99 * deadline_s
        timed_out = code in _TIMED_OUT and late_by >= 0
        output = request.stdout.decoded(), request.stderr.decoded()
        return Result(124 if timed_out else code, *output, timed_out)

    def set_faults(self, *faults: Fault) -> None:
        """Have exactly these faults from now on: without any, the rails are as good as new."""
        if faults or self._faults:
            self._faults = (*self._faults, *faults)  # should it fail half-way
            self._prepare(faults_script(self._rails, faults), _GRACE_S, "the guest is stuck")
        self._faults = faults

    @contextmanager
    def faults(self, *faults: Fault) -> Iterator[None]:
        """Have these faults within a block."""
        try:
            self.set_faults(*faults)
            yield
        finally:
            self.set_faults()

    def counters(self, rail: int) -> dict[str, int]:
        """Return the hardware counters of a rail's device."""
        folder = f"/sys/class/infiniband/rxe{self._rails.check(rail)}/ports/1/hw_counters"
        lines = self._read(f"cd {folder} && grep --with-filename . *")
        return {name: int(value) for name, _, value in (line.partition(":") for line in lines)}

    def dropped(self) -> int:
        """Return the packets that DropEvery and Unreachable have dropped since they were set."""
        lines = self._read("iptables --list INPUT --verbose --exact --numeric")
        return sum(int(line.split()[0]) for line in lines if " DROP " in line)

    def _read(self, command: str) -> list[str]:
        done = self.run(command)
        if done.code:
            raise SoftRoceError(f"the guest cannot be read: {done.stderr.strip()}")
        return done.stdout.splitlines()

    def _prepare(self, script: str, within_s: float, late: str) -> None:
        request = Request(script)
        if request.ask(self._machine, within_s, late) != 0:
            lines = request.stderr.decoded().strip().splitlines() or ["no message"]
            problem = f"the guest cannot be set up: {lines[-1]}"
            raise GuestLost(problem, self._machine.console(), stderr=request.stderr.decoded())


def run_in_guest(
    command: Sequence[str] | str,
    rails: int = 2,
    faults: Sequence[Fault] = (),
    hardware: Hardware | None = None,
    writable: Sequence[Path] = (),
    deadline_s: float = 60.0,
    environment: Mapping[str, str] | None = None,
) -> Result:
    """Run one command in a guest of its own."""
    with SoftRoce.boot(rails, hardware, writable) as guest:
        if faults:
            guest.set_faults(*faults)
        return guest.run(command, deadline_s, environment)


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise SoftRoceError(
            f"{path} is no folder, and only a folder can be writable: make it first"
        )
    return path.resolve()


def _mounts(shares: Mapping[str, Path]) -> str:
    options = "trans=virtio,version=9p2000.L,msize=512000,cache=none"
    return "\n".join(
        f"mkdir -p {shlex.quote(str(path))} && "
        f"mount -t 9p -o {options} {tag} {shlex.quote(str(path))} || exit 1"
        for tag, path in shares.items()
    )


def _script(command: Sequence[str] | str, environment: Mapping[str, str]) -> str:
    lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    lines.append(f"cd -- {shlex.quote(os.getcwd())} 2>/dev/null || cd /")  # noqa: PTH109
    lines.append(command if isinstance(command, str) else shlex.join(command))
    return "\n".join(lines) + "\n"
