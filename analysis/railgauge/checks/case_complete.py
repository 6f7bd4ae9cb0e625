# SPDX-License-Identifier: Apache-2.0
"""Every planned case was measured to its end, and its samples are there and readable."""

from __future__ import annotations

from railgauge.errors import RailgaugeError
from railgauge.incast import is_incast_case
from railgauge.load import Run
from railgauge.model import Case, Status
from railgauge.verdict import Finding, Verdict


def judge(run: Run) -> list[Finding]:
    """FAIL for failed and expired, UNKNOWN for not measured or unreadable, SKIP for skipped."""
    findings = [_judge_case(run, case) for case in run.cases]
    if not run.cases:
        findings.append(Finding(Verdict.UNKNOWN, "no case was planned"))
    findings += [Finding(Verdict.UNKNOWN, problem) for problem in run.problems]
    outside_case = run.expired is not None and run.expired.case < 0
    if outside_case and run.expired is not None:
        findings.append(Finding(Verdict.FAIL, run.expired.text))
    return findings


def _judge_case(run: Run, case: Case) -> Finding:
    verdict, reason = _unfinished(case) if not case.finished else _measured(run, case)
    return Finding(verdict, reason, case.id, case.name)


def _unfinished(case: Case) -> tuple[Verdict, str]:
    if case.status in (Status.FAILED, Status.EXPIRED):
        return Verdict.FAIL, f"{case.status}: {case.reason or 'no reason recorded'}"
    if case.status == Status.SKIPPED:
        return Verdict.SKIP, case.reason or "no reason recorded"
    return Verdict.UNKNOWN, case.reason or "not measured: the run ended before it"


def _measured(run: Run, case: Case) -> tuple[Verdict, str]:
    try:
        with run.samples(case) as samples:
            count = samples.count
            if is_incast_case(case):
                measured = samples.check_times_of_ranks()
            else:
                measured = any(g.iterations for g in samples.groups())
                samples.check_all_times()
    except RailgaugeError as error:
        return Verdict.UNKNOWN, str(error)
    if not measured:
        return Verdict.UNKNOWN, "it holds no samples"
    if count != case.samples:
        return Verdict.UNKNOWN, f"it holds {count} samples, {case.samples} were recorded"
    return Verdict.PASS, ""
