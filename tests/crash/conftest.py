# SPDX-License-Identifier: Apache-2.0
"""Real jobs of railgauge-collective on this machine, to be broken."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build/release/bin/railgauge-collective"
FAULTS = ROOT / "build/release/rigs/librailgauge_mpi_faults.so"
RAILGAUGE = ROOT / ".venv/bin/railgauge"
PATIENCE_S = 120.0  # for what takes seconds on an idle machine


@dataclass(frozen=True)
class Ended:
    """A job that is over."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def own_lines(self) -> list[str]:
        """What the rank program said, without the launcher's remarks."""
        return [line for line in self.stderr.splitlines() if line.startswith("railgauge-")]


@dataclass
class Job:
    """A job under way; everything it started is ended with it."""

    process: subprocess.Popen[str]
    out: Path
    began: float

    def ranks(self) -> list[int]:
        """Process ids of the rank programs that write to this job's run."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words and words[0] == os.fsencode(PROGRAM) and os.fsencode(self.out) in words:
                found.append(int(entry.name))
        return sorted(found)

    def launcher(self) -> int | None:
        """Process id of mpirun."""
        children = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "mpirun"],
            capture_output=True,
            text=True,
            check=False,
        )
        return int(children.stdout.split()[0]) if children.stdout.split() else None

    def wait(self, patience_s: float = PATIENCE_S) -> Ended:
        """The job's end, which must come by itself."""
        try:
            stdout, stderr = self.process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            self.end()
            pytest.fail(f"the job did not end within {patience_s:.0f} s")
        return Ended(self.process.returncode, stdout, stderr, time.monotonic() - self.began)

    def wait_until_gone(self) -> None:
        """The end of the job and of every rank: a killed mpirun is noticed a little later."""
        self.wait()
        deadline = time.monotonic() + PATIENCE_S
        while self.ranks():
            assert time.monotonic() < deadline, "ranks outlive their launcher"
            time.sleep(0.02)

    def wait_for_cases(self, number: int) -> None:
        """Returns when that many cases are finished."""
        deadline = time.monotonic() + PATIENCE_S
        while len(finished_parts(self.out)) < number:
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self) -> None:
        """Kills whatever is left of it."""
        for pid in [*self.ranks(), self.launcher(), self.process.pid]:
            if pid is not None:
                kill(pid, signal.SIGKILL)
        self.process.communicate()


def kill(pid: int, number: signal.Signals) -> None:
    """Signals a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def finished_parts(out: Path) -> list[Path]:
    """Parts of the run that have their final name."""
    return sorted(Path(f"{out}.parts").glob("[0-9]*.h5"))


def read_parts(out: Path) -> int:
    """Opens every finished part with plain h5py and reads it whole; how many there are."""
    parts = finished_parts(out)
    for part in parts:
        with h5py.File(part, "r") as file:
            for group in file["samples"].values():
                for column in group.values():
                    column[...]
    return len(parts)


def railgauge(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command of that name."""
    return subprocess.run(
        [RAILGAUGE, *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


Start = Callable[..., Job]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a job of `ranks` ranks; `fault` as tests/rigs/mpi_faults/README.md says."""
    jobs: list[Job] = []

    def launch(*arguments: str, ranks: int = 3, fault: str = "", out: str = "판교.h5") -> Job:
        program = [str(PROGRAM)]
        if fault:
            # By its folder and name: spaces in a path would separate libraries.
            preload = [f"LD_LIBRARY_PATH={FAULTS.parent}", f"LD_PRELOAD={FAULTS.name}"]
            program = ["env", *preload, f"RG_FAULT={fault}", *program]
        path = tmp_path / out
        line = [
            *(ROOT / "scripts/run-mpirun", "-n", str(ranks), "--"),
            *(*program, *arguments, "--out", path),
        ]
        process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
        jobs.append(Job(process, path, time.monotonic()))
        return jobs[-1]

    yield launch
    for job in jobs:
        job.end()
