# SPDX-License-Identifier: Apache-2.0
"""The byte counters of the NICs account for the payload of the ranks on them.

Of pairs (`rail_pairs`) the payload of each NIC is known to the byte, of collectives that work rail
by rail (`rail_collectives`) the least that any algorithm moves.
"""

from __future__ import annotations

from collections.abc import Mapping

from railgauge.checks import rail_collectives, rail_pairs
from railgauge.checks.nic_traffic import Flow
from railgauge.errors import RailgaugeError
from railgauge.load import Run
from railgauge.model import Case
from railgauge.pairs import is_pairs
from railgauge.verdict import Finding, Verdict, overall

_LISTED = 3


def applies(run: Run) -> bool:
    """Tell whether a run has anything that the check is about."""
    return is_pairs(run) or any(rail_collectives.is_by_rail(case) for case in run.cases)


def judge(run: Run) -> list[Finding]:
    """PASS where proved, FAIL for bytes that went another way, UNKNOWN where nobody can tell.

    SKIP where nothing was measured, or too little to stand out from what NICs always carry.
    """
    findings = []
    late: dict[Flow, int] = {}
    for case in run.cases:
        before, late = late, {}
        findings.append(_judge_case(run, case, before, late))
    return findings


def _judge_case(run: Run, case: Case, before: Mapping[Flow, int], late: dict[Flow, int]) -> Finding:
    """Judge a case after one that missed the bytes ``before``; adds what it misses to ``late``."""
    if not case.finished:
        return Finding(Verdict.SKIP, f"not measured: {case.status}", case.id, case.name)
    judge_ports = rail_pairs.judge_ports if is_pairs(run) else rail_collectives.judge_ports
    try:
        found = list(judge_ports(run, case, before, late))
    except RailgaugeError as error:
        found = [(Verdict.UNKNOWN, str(error))]
    verdict = _of_case([v for v, _ in found])
    reasons = [r for v, r in found if v is verdict and r]
    more = f"; and {len(reasons) - _LISTED} more" if len(reasons) > _LISTED else ""
    return Finding(verdict, "; ".join(reasons[:_LISTED]) + more, case.id, case.name)


def _of_case(verdicts: list[Verdict]) -> Verdict:
    """Return the worst, but no PASS beside a SKIP: a proof is one of all ports or none."""
    worst = overall(verdicts)
    proves_little = worst is Verdict.PASS or set(verdicts) == {Verdict.SKIP}
    return Verdict.SKIP if proves_little and Verdict.SKIP in verdicts else worst
