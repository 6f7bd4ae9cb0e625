# SPDX-License-Identifier: Apache-2.0
"""Every element that the check rounds verified was what it had to be."""

from __future__ import annotations

from railgauge.communicators import is_communicator
from railgauge.load import Run
from railgauge.model import Case, Status
from railgauge.verdict import Finding, Verdict


def judge(run: Run) -> list[Finding]:
    """FAIL for wrong data, UNKNOWN where nothing was verified, SKIP where nothing was measured."""
    return [_judge_case(case) for case in run.cases]


def _judge_case(case: Case) -> Finding:
    if case.wrong:
        verdict = Verdict.FAIL
        reason = f"{case.wrong_elements} of {case.checked_elements} verified elements are wrong"
        if case.reason:
            reason += f": {case.reason}"
    elif case.status != Status.DONE:
        verdict, reason = Verdict.SKIP, f"not measured: {case.status}"
    elif is_communicator(case):
        verdict, reason = Verdict.SKIP, "communicators have no data"
    elif not case.checked_elements:
        verdict, reason = Verdict.UNKNOWN, "no element was verified"
    else:
        verdict, reason = Verdict.PASS, ""
    return Finding(verdict, reason, case.id, case.name)
