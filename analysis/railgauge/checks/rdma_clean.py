# SPDX-License-Identifier: Apache-2.0
"""No RDMA device counted an error while a case of verbs or UCX was measured.

The allowance is 0, whatever the device: what repeats packets in pauses of its own, as rxe on a
loaded machine does, has no clean case then, and that is what there is to say. Which counters are
errors, and which only may be, `railgauge.rdma_counter_names` says.
"""

from __future__ import annotations

from collections.abc import Iterator

from railgauge.errors import RailgaugeError
from railgauge.incast import is_incast_case
from railgauge.load import Run
from railgauge.model import Case
from railgauge.rdma_counter_names import MARKED, Kind
from railgauge.rdma_counters import BACKENDS, RdmaCounters, rdma_counters, texts
from railgauge.verdict import Finding, Verdict, overall

_LISTED = 3


def applies(run: Run) -> bool:
    """Tell whether a run has anything that the check is about."""
    return any(case.backend in BACKENDS for case in run.cases)


def judge(run: Run) -> list[Finding]:
    """PASS where counters of errors were there and none moved, FAIL where one did.

    UNKNOWN where a node in use has none, where one is not ok, or where packets came in another
    order and nothing else says why. SKIP for other backends, and where nothing was measured.
    """
    return [_judge_case(run, case) for case in run.cases]


def _judge_case(run: Run, case: Case) -> Finding:
    if case.backend not in BACKENDS:
        reason = f"backend {case.backend} is not judged by RDMA counters"
        return Finding(Verdict.SKIP, reason, case.id, case.name)
    if not case.finished:
        return Finding(Verdict.SKIP, f"not measured: {case.status}", case.id, case.name)
    try:
        rows = run.counters(case) if run.has(case, "counters") else []
        found = list(_judge_counters(run, case, rdma_counters(rows)))
    except RailgaugeError as error:
        found = [(Verdict.UNKNOWN, str(error))]
    verdict = overall([Verdict.PASS, *(v for v, _ in found)])
    reasons = [reason for v, reason in found if v is verdict]
    more = f"; and {len(reasons) - _LISTED} more" if len(reasons) > _LISTED else ""
    return Finding(verdict, "; ".join(reasons[:_LISTED]) + more, case.id, case.name)


def _judge_counters(run: Run, case: Case, found: RdmaCounters) -> Iterator[tuple[Verdict, str]]:
    hosts = {r.node: r.host for r in run.ranks}
    for text in texts(found.moved(Kind.ERROR), hosts):
        yield Verdict.FAIL, text
    if not found.devices:
        yield Verdict.UNKNOWN, "no RDMA counters are recorded"
        return
    for text in texts(found.unknown(*MARKED), hosts):
        yield Verdict.UNKNOWN, text
    for where in _unwatched(run, case, found):
        yield Verdict.UNKNOWN, f"no counter of errors of {where} is recorded"
    for change in found.moved(Kind.DOUBTFUL):
        yield Verdict.UNKNOWN, f"{change.text(hosts)} ({change.meaning.text})"


def _unwatched(run: Run, case: Case, found: RdmaCounters) -> list[str]:
    """Return the devices in use without a counter of errors, or the nodes where none is known."""
    names = {device for _, device in found.devices}
    watched_nodes = {node for node, _ in found.watched}
    with run.samples(case) as samples:
        offsets, group = samples.offsets.tolist(), samples.group.tolist()
    missing: dict[str, None] = {}
    for rank in run.ranks:
        if is_incast_case(case):  # a receiver is at work and has no samples
            idle = group[rank.rank] < 0
        else:
            idle = offsets[rank.rank] == offsets[rank.rank + 1]
        if idle:
            continue
        if rank.nic in names and (rank.node, rank.nic) not in found.watched:
            missing[f"{rank.nic} of {rank.host}"] = None
        elif rank.node not in watched_nodes:
            missing[rank.host] = None
    return list(missing)
