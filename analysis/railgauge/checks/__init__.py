# SPDX-License-Identifier: Apache-2.0
"""The checks. To add one: a file with ``judge(run) -> list[Finding]``, and a row in `CHECKS`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from railgauge.checks import case_complete, data_right, incast_controlled, rail_proven, rdma_clean
from railgauge.load import Run
from railgauge.verdict import CheckResult, Finding, Verdict, of_check


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table of checks."""

    name: str
    title: str
    judge: Callable[[Run], list[Finding]]
    applies: Callable[[Run], bool] = lambda run: True


CHECKS = (
    Check("case_complete", "Every planned case was measured", case_complete.judge),
    Check("data_right", "Every verified element was right", data_right.judge),
    Check(
        "rail_proven",
        "Every rail carried its own bytes",
        rail_proven.judge,
        rail_proven.applies,
    ),
    Check(
        "rdma_clean",
        "No RDMA device counted an error",
        rdma_clean.judge,
        rdma_clean.applies,
    ),
    Check(
        "incast_controlled",
        "Congestion stayed controlled and fair",
        incast_controlled.judge,
        incast_controlled.applies,
    ),
)


def run_checks(run: Run, *, allow_rig: bool) -> list[CheckResult]:
    """Judge a run by every check that applies to it.

    Parameters
    ----------
    run : Run
    allow_rig : bool
        Judge a run of a double or a simulation like one of hardware.
    """
    return [_run(check, run, allow_rig) for check in CHECKS if check.applies(run)]


def _run(check: Check, run: Run, allow_rig: bool) -> CheckResult:
    findings = check.judge(run)
    doubt = _doubt(run.info.origin)
    if doubt and not (allow_rig and run.info.is_rig):
        findings = [_doubted(f, doubt) for f in findings]
    verdict = of_check(findings)
    return CheckResult(check.name, check.title, verdict, _counts(findings), tuple(findings))


def _doubt(origin: str) -> str:
    known = {"hardware": "", "double": "measured on a double", "simulated": "simulated"}
    if origin.startswith("imported:"):
        return ""
    return known.get(origin, f"origin {origin or 'missing'} is unknown")


def _doubted(finding: Finding, doubt: str) -> Finding:
    if finding.verdict not in (Verdict.PASS, Verdict.FAIL):
        return finding
    reason = f"{doubt}; would be {finding.verdict}"
    if finding.reason:
        reason += f": {finding.reason}"
    return replace(finding, verdict=Verdict.UNKNOWN, reason=reason)


def _counts(findings: list[Finding]) -> str:
    counts = Counter(f.verdict for f in findings)
    return ", ".join(f"{counts[v]} {v}" for v in Verdict if counts[v]) or "nothing to judge"
