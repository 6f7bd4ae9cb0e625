# SPDX-License-Identifier: Apache-2.0
"""Whole outputs against tests/golden; ``pytest --generate`` rewrites them, then read the diff."""

from __future__ import annotations

from dataclasses import replace
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
from synthetic_incast import (
    Cluster,
    IncastCase,
    healthy,
    site_of,
    steady,
    triple,
    write_incast_run,
)
from synthetic_pairs import Fabric, all_pairs, degraded_port, write_pairs_run

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


def pairs_run(folder: Path) -> Path:
    hosts = ["n0", "노드-일", "n2", "n3", "n4"]
    fabric = Fabric(hosts, gbit_per_s=degraded_port(1, 1, 0.7))
    cases = all_pairs(fabric, [1 << 16, 1 << 20], [16])
    cases[1] = replace(cases[1], status="failed", reason="MPI_ERR_OTHER on rank 3 (노드-일)")
    cases[2] = replace(cases[2], status="wrong", wrong=8, reason="8 of 33554432 are wrong")
    cases[4] = replace(cases[4], verify="off", counters=lambda rows: rows[1:])
    trip = {"operation": "latency", "direction": "round-trip", "samples": 1000}
    for case in all_pairs(fabric, [8], **trip):
        cases.append(replace(case, id=len(cases)))
    return write_pairs_run(folder / "pairs", fabric, cases)


def incast_run(folder: Path) -> Path:
    cluster = Cluster(["n0", "n1", "노드-이", "n3", "n4", "n5"], rails=2)
    cluster.site = site_of(cluster, 40.0)
    lost = healthy(cluster, rx_discards_phy=3, out_of_sequence=2)
    silent = healthy(cluster, np_ecn_marked_roce_packets=0, rp_cnp_handled=0, rx_prio3_pause=0)
    cases = triple(0, (8, 10), (5_000, 12_500), senders=(2, 4, 6))
    cases += [
        IncastCase(3, senders=(2, 4, 6, 3), rows=steady({4: 0.4})),
        IncastCase(4, senders=(2, 4, 6, 3), queues=4, counters=lost),
        IncastCase(5, senders=(2, 4), counters=silent),
        IncastCase(6, senders=(2,), queues=8),
        IncastCase(7, senders=(2, 4), ramp=True, counters=[]),
        IncastCase(8, senders=(2, 4, 6, 3), receivers=(0, 1), crew_of={6: 1, 3: 1}),
        IncastCase(
            9, senders=(2, 4), queues=16, status="failed", reason="rank 4 (노드-이) is lost"
        ),
        IncastCase(10, senders=(2, 4), queues=32, status="wrong", wrong=8, reason="8 are wrong"),
    ]
    return write_incast_run(folder / "incast", cluster, cases)


RUNS = {
    "finished": finished_run,
    "interrupted": interrupted_double,
    "pairs": pairs_run,
    "incast": incast_run,
}

OUTPUTS = {
    "show.txt": ["show", "{run}"],
    "show.json": ["show", "{run}", "--format", "json"],
    "check.txt": ["check", "{run}"],
    "check.json": ["check", "{run}", "--format", "json"],
    "check-allow-rig.txt": ["check", "{run}", "--allow-rig"],
    "export.csv": ["export", "{run}", "-o", "{output}"],
}
PAIRS_OUTPUTS = {"export-pairs.csv": ["export", "{run}", "--pairs", "-o", "{output}"]}
SENDERS_OUTPUTS = {"export-senders.csv": ["export", "{run}", "--senders", "-o", "{output}"]}
ALL = [(n, o) for n in RUNS for o in OUTPUTS] + [("pairs", o) for o in PAIRS_OUTPUTS]
ALL += [("incast", o) for o in SENDERS_OUTPUTS]


@pytest.mark.parametrize(("name", "output"), ALL)
def test_output_is_the_golden_one(
    tmp_path: Path, railgauge: Railgauge, request: pytest.FixtureRequest, name: str, output: str
) -> None:
    run = RUNS[name](tmp_path)
    target = tmp_path / output
    words = (OUTPUTS | PAIRS_OUTPUTS | SENDERS_OUTPUTS)[output]
    result = railgauge(*[w.format(run=run, output=target) for w in words])
    assert result.stderr == ""
    found = target.read_text(encoding="utf-8") if target.exists() else result.stdout
    golden = GOLDEN / f"{name}-{output}"
    if request.config.getoption("--generate"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
