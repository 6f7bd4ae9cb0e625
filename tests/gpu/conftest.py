# SPDX-License-Identifier: Apache-2.0
"""Real jobs over NCCL, on the GPU double (tests/rigs/gpu_double)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("RAILGAUGE_BUILD", ROOT / "build/release")).resolve()
PROGRAM = BUILD / "bin/railgauge-collective"
PAIRS = BUILD / "bin/railgauge-pairs"
DOUBLE = BUILD / "gpu_double"
PATIENCE_S = 120.0  # for what takes seconds on an idle machine
SHARED_MEMORY = Path("/dev/shm")


def shared_memory_of_the_double() -> set[str]:
    """Names of shared memory in which ranks of the double meet."""
    return {path.name for path in SHARED_MEMORY.glob("railgauge-double*")}


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    """Returns when it holds; what others on this machine do may take its time."""
    deadline = time.monotonic() + PATIENCE_S / 4
    while not holds():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


@dataclass(frozen=True)
class Samples:
    """What one case's samples are, by rank."""

    group: list[int]
    columns: dict[str, NDArray[Any]]
    offsets: NDArray[np.uint64]

    @property
    def counts(self) -> list[int]:
        """Samples of each rank."""
        return [int(count) for count in np.diff(self.offsets.astype(np.int64))]

    def of_rank(self, rank: int, column: str) -> NDArray[Any]:
        """That rank's values."""
        values: NDArray[Any] = self.columns[column][
            int(self.offsets[rank]) : int(self.offsets[rank + 1])
        ]
        return values


@dataclass(frozen=True)
class Run:
    """A finished run file, read with plain h5py."""

    origin: str
    cases: list[dict[str, Any]]
    ranks: list[dict[str, Any]]
    samples: dict[int, Samples]

    def named(self, ending: str) -> dict[str, Any]:
        """The one case whose name ends so."""
        (found,) = [case for case in self.cases if case["name"].endswith(ending)]
        return found

    def status(self, name: str) -> list[dict[str, Any]]:
        """Cases that ended like this."""
        return [case for case in self.cases if case["status"] == name]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _rows(table: h5py.Dataset) -> list[dict[str, Any]]:
    names = table.dtype.names
    return [{name: _plain(row[name]) for name in names} for row in table[:]]


def _samples(group: h5py.Group) -> Samples:
    columns = {name: data[:] for name, data in group.items() if name not in ("group", "offsets")}
    return Samples([int(number) for number in group["group"]], columns, group["offsets"][:])


def read_run(path: Path) -> Run:
    """The run file at `path`, which must be complete."""
    with h5py.File(path, "r") as file:
        groups = file.get("samples", {})
        return Run(
            _plain(file.attrs["origin"]),
            _rows(file["cases"]),
            _rows(file["ranks"]),
            {int(name): _samples(group) for name, group in groups.items()},
        )


@dataclass(frozen=True)
class Ended:
    """A job that is over."""

    code: int
    stdout: str
    stderr: str
    out: Path
    ended_unix_s: float

    @property
    def own_lines(self) -> list[str]:
        """What the rank program said, without what the launcher and the double remark."""
        return [line for line in self.stderr.splitlines() if line.startswith("railgauge-")]

    def said(self, *words: str) -> bool:
        """Whether one line of the program holds all the words."""
        return any(all(word in line for word in words) for line in self.own_lines)

    @property
    def run(self) -> Run:
        """The run file that it wrote."""
        return read_run(self.out)

    @property
    def expiry(self) -> dict[str, Any]:
        """What was written when the deadline expired."""
        loaded: dict[str, Any] = json.loads(self._expired_json.read_text(encoding="utf-8"))
        return loaded

    @property
    def seconds_since_progress(self) -> float:
        """From the last time that a rank got on to the end of the job, which expired."""
        expired_unix_s = self._expired_json.stat().st_mtime
        waited_s: float = self.expiry["elapsed_s"]
        return self.ended_unix_s - expired_unix_s + waited_s

    @property
    def finished_parts(self) -> list[str]:
        """Cases that an unfinished run keeps."""
        return sorted(path.name for path in Path(f"{self.out}.parts").glob("[0-9]*.h5"))

    @property
    def _expired_json(self) -> Path:
        return Path(f"{self.out}.parts/expired.json")


@dataclass
class Job:
    """A job under way; everything it started is ended with it."""

    process: subprocess.Popen[str]
    out: Path
    shared_memory_before: set[str]

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
            programs = (os.fsencode(PROGRAM), os.fsencode(PAIRS))
            if words and words[0] in programs and os.fsencode(self.out) in words:
                found.append(int(entry.name))
        return sorted(found)

    def wait(self) -> Ended:
        """The job's end, which must come by itself and leave nothing behind."""
        try:
            stdout, stderr = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.end()
            pytest.fail(f"the job did not end within {PATIENCE_S:.0f} s")
        ended_unix_s = time.time()
        wait_until(lambda: not self.ranks(), "ranks outlive their launcher")
        wait_until(
            lambda: shared_memory_of_the_double() <= self.shared_memory_before,
            "the double's shared memory is left",
        )
        return Ended(self.process.returncode, stdout, stderr, self.out, ended_unix_s)

    def end(self) -> None:
        """Ends whatever is left of it: the launcher by its own means, then the ranks."""
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=10)
        for pid in self.ranks():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.communicate()


Start = Callable[..., Job]
Measure = Callable[..., Ended]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a job of `ranks` ranks.

    `fault` is what tests/rigs/gpu_double/README.md says. `rank_setting` is shell that each rank
    runs before the program; it knows its number as $OMPI_COMM_WORLD_RANK.
    """
    assert PROGRAM.exists(), f"{PROGRAM} is not built"
    assert DOUBLE.is_dir(), f"{DOUBLE} is not built"
    jobs: list[Job] = []

    def run(
        *arguments: str,
        ranks: int = 2,
        fault: str = "",
        environment: dict[str, str] | None = None,
        rank_setting: str = "",
        backend: str = "nccl",
        program: Path = PROGRAM,
        out: str = "판교.h5",
    ) -> Job:
        variables = os.environ | {
            "LD_LIBRARY_PATH": str(DOUBLE),
            "RAILGAUGE_DOUBLE_TWINS": str(DOUBLE / "librailgauge_double_twins.so"),
            **({"RAILGAUGE_DOUBLE_FAULT": fault} if fault else {}),
            **(environment or {}),
        }
        words = [str(program)]
        if rank_setting:
            words = ["bash", "-c", f'{rank_setting}\nexec "$0" "$@"', *words]
        path = tmp_path / out
        line = [
            *(str(ROOT / "scripts/run-mpirun"), "-n", str(ranks), "--", *words),
            *("--backend", backend, *arguments, "--out", str(path)),
        ]
        before = shared_memory_of_the_double()
        process = subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=variables,
        )
        jobs.append(Job(process, path, before))
        return jobs[-1]

    yield run
    for job in jobs:
        job.end()


@pytest.fixture
def measure(start: Start) -> Measure:
    """Runs a job, as `start` starts it, to its end."""
    return lambda *arguments, **keywords: start(*arguments, **keywords).wait()
