# SPDX-License-Identifier: Apache-2.0
"""A receiver outside MPI and jobs that measure with it, over UCX on this machine's loopback."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build/release/bin/railgauge-pairs"
PATIENCE_S = 120.0  # for what takes seconds on an idle machine
OVER_LOOPBACK = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


@dataclass
class Server:
    """A `railgauge-pairs --serve` under way."""

    process: subprocess.Popen[bytes]
    log: Path
    token: Path

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, pattern: str, times: int = 1) -> str:
        """Wait for lines of its log that match; return the last."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            found = re.findall(f".*(?:{pattern}).*", self.said())
            if len(found) >= times:
                return str(found[-1])
            assert time.monotonic() < deadline, self.said()
            assert self.process.poll() is None, self.said()
            time.sleep(0.02)

    @property
    def address(self) -> str:
        found = re.search(r"serving on (\S+): ", self.wait_for("serving on"))
        assert found is not None
        return found[1]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@dataclass
class Job:
    """Ranks that measure with a server."""

    process: subprocess.Popen[str]
    out: Path

    def wait(self) -> Ended:
        try:
            stdout, stderr = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.end()
            pytest.fail(f"the job did not end within {PATIENCE_S:.0f} s")
        return Ended(self.process.returncode, stdout, stderr)

    def ranks(self) -> list[int]:
        """Process ids of the rank programs that write to this job's run."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == os.fsencode(PROGRAM) and os.fsencode(self.out) in words:
                found.append(int(entry.name))
        return sorted(found)

    def parts(self) -> list[Path]:
        """Return the finished cases."""
        return sorted(Path(f"{self.out}.parts").glob("[0-9]*.h5"))

    def wait_for_cases(self, number: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(self.parts()) < number:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self) -> None:
        for rank in self.ranks():
            try:
                os.kill(rank, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.kill()
        self.process.communicate()


@dataclass(frozen=True)
class Ended:
    """A job that is over."""

    code: int
    stdout: str
    stderr: str

    @property
    def own_lines(self) -> list[str]:
        """What the rank program said, without the launcher's remarks."""
        return [line for line in self.stderr.splitlines() if line.startswith("railgauge-")]


def write_token(path: Path, mode: int = 0o600) -> Path:
    path.write_text(secrets.token_hex(32) + "\n")
    path.chmod(mode)
    return path


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return write_token(tmp_path / "token 토큰")


Serve = Callable[..., Server]
Measure = Callable[..., Job]


@pytest.fixture
def serve(tmp_path: Path, token: Path) -> Iterator[Serve]:
    """Start a server on a free port of the loopback."""
    servers: list[Server] = []

    def launch(*options: str, listen: str = "127.0.0.1:0") -> Server:
        log = tmp_path / f"server{len(servers)}.log"
        line = [PROGRAM, "--serve", "--listen", listen, "--backend", "ucx"]
        line += ["--token-file", token, *options]
        with log.open("wb") as stderr:
            process = subprocess.Popen(line, stderr=stderr, env=os.environ | OVER_LOOPBACK)
        servers.append(Server(process, log, token))
        servers[-1].wait_for("serving on")
        return servers[-1]

    yield launch
    for server in servers:
        server.process.kill()
        server.process.wait()


@pytest.fixture
def measure(tmp_path: Path) -> Iterator[Measure]:
    """Start a job whose ranks measure with a server."""
    jobs: list[Job] = []

    def launch(server: Server, *options: str, ranks: int = 1, token: Path | None = None) -> Job:
        out = tmp_path / f"판교{len(jobs)}.h5"
        line = [str(ROOT / "scripts/run-mpirun"), "-n", str(ranks), "--", str(PROGRAM)]
        line += ["--backend", "ucx", "--pattern", "served", "--served", server.address]
        line += ["--token-file", str(token or server.token), "--out", str(out), *options]
        process = subprocess.Popen(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | OVER_LOOPBACK,
        )
        jobs.append(Job(process, out))
        return jobs[-1]

    yield launch
    for job in jobs:
        job.end()
