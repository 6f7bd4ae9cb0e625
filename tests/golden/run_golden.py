#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the rank programs print with stored outputs, measured numbers neutralised.

Each folder beside this file is a program; its cases.toml names the cases (``ranks``,
``arguments``), and ``<case>.txt`` holds what the case printed. ``run_golden.py --generate`` writes
these files anew: look at the difference before committing it.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEADLINE_S = 120.0

# What differs from run to run, machine to machine and version to version.
NEUTRAL = (
    # A time or bandwidth and the padding before it; a percentile that needs more samples is "-".
    (re.compile(r" +\d+\.\d+(?=\s|$)", re.MULTILINE), " #"),
    (re.compile(r"has \d+ [KMGT]?i?B of"), "has # of"),
    (re.compile(r"version \d+\.\d+\.\d+\S*"), "version #"),
)


@dataclass(frozen=True)
class Golden:
    """One stored output."""

    program: str
    name: str
    ranks: int
    arguments: str

    @property
    def file(self) -> Path:
        return HERE / self.program / f"{self.name}.txt"


def load_cases() -> list[Golden]:
    """All cases of all programs."""
    cases = []
    for table in sorted(HERE.glob("*/cases.toml")):
        for name, case in tomllib.loads(table.read_text(encoding="utf-8")).items():
            cases.append(Golden(table.parent.name, name, case.get("ranks", 1), case["arguments"]))
    return cases


def neutralise(text: str, out: Path) -> str:
    """``text`` without what a repetition would change."""
    text = text.replace(str(out), "OUT")
    for pattern, replacement in NEUTRAL:
        text = pattern.sub(replacement, text)
    return text


def printed_by(case: Golden, programs: Path) -> str:
    """Run the case; its stdout, stderr and exit status in one neutral text."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.h5"
        command = [
            str(ROOT / "scripts" / "run-mpirun"),
            *("-n", str(case.ranks)),
            str(programs / f"railgauge-{case.program}"),
            *shlex.split(case.arguments),
            *("--out", str(out)),
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=folder
        )
        text = f"{done.stdout}--- stderr\n{done.stderr}--- exit status {done.returncode}\n"
        return neutralise(text, out)


def difference(case: Golden, printed: str) -> str:
    """Return a unified diff from the stored output to ``printed``; empty when they are equal."""
    stored = case.file.read_text(encoding="utf-8") if case.file.exists() else ""
    lines = difflib.unified_diff(
        stored.splitlines(keepends=True),
        printed.splitlines(keepends=True),
        str(case.file.relative_to(ROOT)),
        "printed now",
    )
    return "".join(lines)


def default_programs() -> Path:
    """Folder of the programs under test."""
    return Path(os.environ.get("RAILGAUGE_BIN", ROOT / "build" / "release" / "bin")).resolve()


def main() -> int:
    """Compare, or write, all stored outputs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generate", action="store_true", help="write the stored outputs anew")
    parser.add_argument("--bin", type=Path, default=default_programs(), help="folder of programs")
    options = parser.parse_args()
    different = 0
    for case in load_cases():
        printed = printed_by(case, options.bin.resolve())
        change = difference(case, printed)
        different += bool(change)
        sys.stdout.write(change)
        if options.generate:
            case.file.write_text(printed, encoding="utf-8")
    return 1 if different and not options.generate else 0


if __name__ == "__main__":
    sys.exit(main())
