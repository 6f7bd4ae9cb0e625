# SPDX-License-Identifier: Apache-2.0
"""Mutated files: every command ends with a known exit code, at most one line on stderr, in time.

``RAILGAUGE_FUZZ=20000 pytest tests/python/test_fuzz.py`` runs longer, ``RAILGAUGE_FUZZ_SEED``
starts elsewhere.
"""

from __future__ import annotations

import faulthandler
import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import Plan, expired_document, sweep, write_parts, write_run
from synthetic_groups import communicators_run, rails_plan
from synthetic_incast import MS, Cluster, triple, write_incast_run
from synthetic_pairs import Fabric, all_pairs, write_pairs_run

import railgauge.check
import railgauge.checks
import railgauge.export
import railgauge.report
import railgauge.show  # noqa: F401 - imported before the forks, once for all
from railgauge import cli, guard
from railgauge.errors import RailgaugeError

MUTATIONS = int(os.environ.get("RAILGAUGE_FUZZ", "150"))
SEED = int(os.environ.get("RAILGAUGE_FUZZ_SEED", "1"))


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def overwrite_word(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 16))):
        at = rng.randrange(0, max(1, len(data) - 8), 4)
        word = rng.choice((b"\xff" * 8, b"\0" * 8, b"\xff\xff\xff\x7f\0\0\0\0", rng.randbytes(8)))
        data[at : at + 8] = word


def splice(data: bytearray, rng: random.Random) -> None:
    size = rng.randrange(1, 512)
    source, target = rng.randrange(len(data)), rng.randrange(len(data))
    data[target : target + size] = data[source : source + size]


def zero_stretch(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    size = min(len(data) - at, rng.randrange(1, 2048))
    data[at : at + size] = bytes(size)


MUTATORS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bits,
    flip_bits,
    overwrite_word,
    splice,
    zero_stretch,
    truncate,
)


VICTIMS = (
    *("run", "pairs", "rails", "lives", "incast"),
    *("partial.parts/header.h5", "partial.parts/0001.h5"),
)


def mutate(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    # Half of the mutations hit the first quarter, where most of the structure is.
    head = bytearray(data[: len(data) // 4]) if rng.random() < 0.5 else data
    rng.choice(MUTATORS)(head, rng)
    path.write_bytes(head if head is data else head + data[len(data) // 4 :])


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds")
    plan = Plan(sweep(["all_reduce", "reduce"], [8, 1024], iterations=40))
    write_run(folder / "run", plan)
    plan.expired = expired_document(plan, plan.cases[3])
    write_parts(folder / "partial", plan, finished=3)
    fabric = Fabric(["n0", "n1", "n2"])
    write_pairs_run(folder / "pairs", fabric, all_pairs(fabric, [1024], samples=10))
    cases = triple(0, (3, 4), (200_000, 400_000), senders=(1, 2), duration_ns=20 * MS)
    write_incast_run(folder / "incast", Cluster(["n0", "n1", "n2", "n3", "n4"]), cases)
    write_run(folder / "rails", rails_plan())
    communicators_run(folder / "lives")
    return folder


def run_guarded(arguments: list[str], output: Path) -> tuple[int, str]:
    """Run a command like `cli.main`, its output in a file; return exit code and stderr."""

    def work() -> int:
        faulthandler.disable()  # pytest's would print its own account of a crash
        sys.stderr = output.open("w", encoding="utf-8", errors="backslashreplace")
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
        os.dup2(sys.stderr.fileno(), 2)  # the HDF5 library's own output too
        return cli.run_command(cli.parse(arguments))

    output.unlink(missing_ok=True)
    try:
        code = guard.run(work, "the file")
    except RailgaugeError as error:
        return 2, f"railgauge: {error}\n"
    return code, output.read_text(encoding="utf-8")


def commands(run: Path, number: int) -> list[list[str]]:
    found = [["show", str(run)], ["check", str(run), "--format", "json"]]
    if number % 4 == 0:
        found.append(["report", str(run), "-o", str(run.with_name("report.html"))])
        samples = str(run.with_name("samples.parquet"))
        found.append(["export", str(run), "--samples", "-o", samples])
        found.append(["export", str(run), "--pairs", "-o", samples])
        found.append(["export", str(run), "--senders", "-o", samples])
        found.append(["export", str(run), "-o", samples])
        found.append(["pack", str(run), "--overwrite"])
    return found


def test_mutated_files_end_in_a_result_or_in_one_line(
    seeds: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(SEED)
    outcomes: Counter[str] = Counter()
    for number in range(MUTATIONS):
        work = tmp_path / "work"
        shutil.copytree(seeds, work)
        victim = rng.choice(VICTIMS)
        mutate(work / victim, rng)
        run = work / ("partial" if "partial" in victim else victim)
        for arguments in commands(run, number):
            code, errors = run_guarded(arguments, tmp_path / "stderr")
            seen = f"mutation {number} of seed {SEED}: {arguments[0]} -> {code}: {errors}"
            assert code in (0, 1, 2, 3), seen
            assert "Traceback" not in errors, seen
            assert "broke off" not in errors, seen
            assert "no progress" not in errors, seen
            if code == 2:
                assert len(errors.splitlines()) == 1, seen
                assert errors.startswith("railgauge: "), seen
            outcomes[f"{arguments[0]} {code}"] += 1
        shutil.rmtree(work)
    with capfd.disabled():
        print(f"\n{MUTATIONS} mutations: {dict(sorted(outcomes.items()))}")
    assert outcomes["show 0"]
    assert outcomes["show 2"]
