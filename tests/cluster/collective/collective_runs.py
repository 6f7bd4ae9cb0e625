# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-collective on a virtual cluster, read by the analysis package."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from virtual_cluster import Launch, VirtualCluster, launch_command, launch_environment

from railgauge.checks import run_checks
from railgauge.load import Run, open_run
from railgauge.results import iterate
from railgauge.verdict import Finding, Verdict

sys.path.append(str(Path(__file__).parents[1] / "pairs"))

from pairs_runs import why_rates_mean_nothing as why_rates_mean_nothing

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "build" / "release" / "bin" / "railgauge-collective"

TOGETHER = "together"


def run_collective(
    cluster: VirtualCluster, out: Path, *arguments: str, over_nic: str | None = None
) -> Run:
    """Run the program on every node, a rank a rail; the job has two minutes.

    With ``over_nic`` ranks send over that NIC, although the rail map gives them others.
    """
    launch = Launch()
    program = [os.environ.get("RAILGAUGE_COLLECTIVE", str(PROGRAM))]
    if over_nic:
        program = ["/usr/bin/env", f"OMPI_MCA_btl_tcp_if_include={over_nic}", *program]
    done = subprocess.run(
        launch_command(cluster, launch, [*program, *arguments, "--out", str(out)]),
        env=launch_environment(cluster, launch),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return open_run(out)


def findings(run: Run, check: str) -> list[Finding]:
    """What a check says of every case."""
    (result,) = [r for r in run_checks(run, allow_rig=False) if r.name == check]
    return list(result.findings)


def not_passed(run: Run, check: str) -> list[tuple[str, str, str]]:
    """Cases of which a check says anything but PASS."""
    return [
        (f.case_name, str(f.verdict), f.reason)
        for f in findings(run, check)
        if f.verdict is not Verdict.PASS
    ]


@dataclass(frozen=True)
class Row:
    """What a group measured in a case."""

    operation: str
    active: str
    group: int
    median_ns: float


def rows(run: Run) -> list[Row]:
    return [
        Row(
            result.case.operation,
            str(result.case.variables["active"]),
            group.group.id,
            group.time.median,
        )
        for result in iterate(run)
        for group in result.groups
    ]


def medians(run: Run, operation: str, *, together: bool) -> dict[int, float]:
    """Median time of every group, ns: all at once, or each alone."""
    return {
        row.group: row.median_ns
        for row in rows(run)
        if row.operation == operation and (row.active == TOGETHER) == together
    }


def strayed_bytes(run: Run) -> int:
    """Most bytes that any NIC of a resting rail sent or received, over the cases of one group."""
    most = 0
    for case in run.cases:
        active = case.variables["active_group"]
        if active == -1:
            continue
        resting = {(r.node, r.nic) for r in run.ranks if r.rail != active}
        for row in run.counters(case):
            if (row.node, row.device) in resting and row.name in ("tx_bytes", "rx_bytes"):
                assert row.difference is not None
                most = max(most, row.difference)
    return most
