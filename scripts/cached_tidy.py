# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over sources, but only over those that changed since they were last clean.

Usage: cached_tidy.py BUILD_FOLDER SOURCE...

A source is looked at again when its preprocessed text (comments included, for NOLINT), .clang-tidy
or clang-tidy itself changes. Findings are printed; exits 1 if there are any.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "railgauge-tidy"


def compile_commands(build: Path) -> dict[Path, list[str]]:
    """Return the compiler's arguments for each source of the build, without ccache and output."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        if Path(words[0]).name == "ccache":
            del words[0]
        output = words.index("-o")
        del words[output : output + 2]
        words.remove("-c")
        commands[Path(entry["file"])] = words
    return commands


def settings() -> bytes:
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    return version + Path(".clang-tidy").read_bytes()


def fingerprint(command: list[str], build: Path, common: bytes) -> str | None:
    """Return a hash of all that clang-tidy's answer depends on; None if it does not compile."""
    done = subprocess.run([*command, "-E", "-P", "-C"], cwd=build, capture_output=True, check=False)
    return hashlib.sha256(common + done.stdout).hexdigest() if done.returncode == 0 else None


def is_clean(source: Path, command: list[str], build: Path, common: bytes) -> bool:
    key = fingerprint(command, build, common)
    if key and (_CACHE / key).exists():
        return True
    tidy = ["clang-tidy", "--quiet", "-p", str(build), str(source)]
    done = subprocess.run(tidy, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout, flush=True)
        return False
    if key:
        (_CACHE / key).touch()
    return True


def main(build: Path, sources: list[Path]) -> int:
    commands = compile_commands(build)
    common = settings()
    _CACHE.mkdir(parents=True, exist_ok=True)
    known = [source for source in sources if source in commands]
    for source in sorted(set(sources) - set(known)):
        print(f"{source}: no target of this build compiles it")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        clean = list(pool.map(lambda one: is_clean(one, commands[one], build, common), known))
    print(f"{sum(clean)} of {len(known)} sources are clean")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name).resolve() for name in sys.argv[2:]]))
