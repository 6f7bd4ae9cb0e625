# SPDX-License-Identifier: Apache-2.0
"""A copy of the scripts in a folder of its own, whose name has Korean letters and a space."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
DEADLINE_S = 60.0  # for things that take a second on an idle machine


@dataclass(frozen=True)
class Tree:
    """A checkout that has only what a test puts into it, and a PATH folder for stand-ins."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "stand-ins"

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        return file

    def stand_in(self, name: str, text: str) -> Path:
        return self.write(f"stand-ins/{name}", text)

    def environment(self, **variables: str) -> dict[str, str]:
        path = f"{self.bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {"PATH": path, "HOME": str(self.root), "LANG": "C.UTF-8"} | variables

    def run(
        self, script: str, *arguments: str, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.root / "scripts" / script, *arguments],
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5 * DEADLINE_S,
            check=False,
        )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "체크 아웃"
    shutil.copytree(SCRIPTS, root / "scripts")
    (root / "stand-ins").mkdir()
    return Tree(root)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end, f"not within {DEADLINE_S:.0f} s: {what}"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def one_line(stderr: str) -> str:
    """Return the only line of an error message."""
    lines = stderr.splitlines()
    assert len(lines) == 1, stderr
    return lines[0]
