# SPDX-License-Identifier: Apache-2.0
"""An incast was congested, the network said so, lost nothing, and every sender had its share.

The classes and their thresholds are those of `railgauge.incast_class`. A congestion that no counter
shows proves nothing: it was none, or it was where nobody looked.
"""

from __future__ import annotations

from railgauge.incast import is_incast_case
from railgauge.incast_class import Class, Classification
from railgauge.incast_results import IncastResult
from railgauge.incast_tables import IncastTables, is_judged
from railgauge.load import Run
from railgauge.model import Case
from railgauge.verdict import Finding, Verdict

_FAILS = (Class.WRONG_CLASS, Class.LOSSY, Class.UNFAIR)
_DOUBTS = (Class.UNKNOWN, Class.NOT_CONGESTED)


def applies(run: Run) -> bool:
    """Tell whether a run has anything that the check is about."""
    return any(is_incast_case(case) for case in run.cases)


def judge(run: Run) -> list[Finding]:
    """PASS where controlled and fair, FAIL where lossy, unfair or in the wrong class.

    UNKNOWN where nothing was congested or counters are missing, SKIP where one sender or none was
    at work, nothing was measured, or the case is of another benchmark.
    """
    tables = IncastTables(run)
    return [_judge_case(tables, result) for result in tables.results]


def _judge_case(tables: IncastTables, result: IncastResult) -> Finding:
    verdict, reason = _verdict(tables, result)
    case = result.case
    return Finding(verdict, reason, case.id, case.name)


def _verdict(tables: IncastTables, result: IncastResult) -> tuple[Verdict, str]:
    if skipped := _skipped(result.case):
        return Verdict.SKIP, skipped
    if result.problem:
        return Verdict.UNKNOWN, result.problem
    if not is_judged(result):
        return Verdict.SKIP, "fewer than two senders were at work: no incast"
    found = tables.classification(result)
    if found is None:
        return Verdict.UNKNOWN, "it was not classified"
    verdict, reason = _of(found)
    if verdict is Verdict.PASS and result.case.wrong:
        return Verdict.UNKNOWN, f"its data were wrong; {reason}"
    return verdict, reason


def _skipped(case: Case) -> str:
    if not is_incast_case(case):
        return f"benchmark {case.benchmark or 'unknown'} is no incast"
    return "" if case.finished else f"not measured: {case.status}"


def _of(found: Classification) -> tuple[Verdict, str]:
    for verdict, classes in ((Verdict.FAIL, _FAILS), (Verdict.UNKNOWN, _DOUBTS)):
        said = [f"{c}: {found.reasons[c]}" for c in classes if c in found.reasons]
        if said:
            return verdict, "; ".join(said)
    return Verdict.PASS, found.why
