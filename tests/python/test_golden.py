# SPDX-License-Identifier: Apache-2.0
"""Whole outputs against tests/golden; ``pytest --generate`` rewrites them, then read the diff."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Railgauge
from synthetic import (
    CaseSpec,
    Int64s,
    Plan,
    expired_document,
    sweep,
    write_parts,
    write_run,
)

GOLDEN = ROOT / "tests" / "golden" / "python"


def arithmetic_samples(spec: CaseSpec, rank: int, ranks: int) -> tuple[Int64s, Int64s]:
    """Samples without a random generator: equal on every version of every library."""
    k = np.arange(spec.iterations, dtype=np.int64)
    wave = (k * 37 + spec.id * 11) % 101
    time = 4_000 + spec.bytes // 9 + 10 * wave + 60_000 * (k % 400 == 399)
    entry = np.concatenate(([0], np.cumsum(time + 900)[:-1])) + 150 * rank
    return entry, time - 150 * rank + (k * (rank + 3)) % 17


def finished_run(folder: Path) -> Path:
    cases = sweep(["all_reduce", "broadcast"], [8, 4096, 1 << 20], iterations=1200)
    for case in cases:
        case.samples = arithmetic_samples
    cases[4].checked = 0
    plan = Plan(cases, hosts=["n1", "n1", "노드-이", "노드-이"], clock_error_ns={"노드-이": 120})
    return write_run(folder / "finished", plan)


def interrupted_double(folder: Path) -> Path:
    cases = sweep(["all_gather"], [8, 64, 512, 4096, 32768, 1 << 18], iterations=120)
    for case in cases:
        case.samples = arithmetic_samples
    cases[1].status, cases[1].wrong = "wrong", 17
    cases[2].status, cases[2].reason = "failed", "MPI_ERR_TRUNCATE on rank 3 (노드-이)"
    cases[3].status, cases[3].reason = "skipped", "rounds down to nothing"
    plan = Plan(cases, hosts=["n1", "n1", "노드-이", "노드-이"], origin="double")
    plan.expired = expired_document(plan, cases[4])
    write_parts(folder / "interrupted", plan, finished=4)
    return folder / "interrupted"


RUNS = {"finished": finished_run, "interrupted": interrupted_double}

OUTPUTS = {
    "show.txt": ["show", "{run}"],
    "show.json": ["show", "{run}", "--format", "json"],
    "check.txt": ["check", "{run}"],
    "check.json": ["check", "{run}", "--format", "json"],
    "check-allow-rig.txt": ["check", "{run}", "--allow-rig"],
    "export.csv": ["export", "{run}", "-o", "{output}"],
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_output_is_the_golden_one(
    tmp_path: Path, railgauge: Railgauge, request: pytest.FixtureRequest, name: str, output: str
) -> None:
    run = RUNS[name](tmp_path)
    target = tmp_path / output
    result = railgauge(*[w.format(run=run, output=target) for w in OUTPUTS[output]])
    assert result.stderr == ""
    found = target.read_text(encoding="utf-8") if target.exists() else result.stdout
    golden = GOLDEN / f"{name}-{output}"
    if request.config.getoption("--generate"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
