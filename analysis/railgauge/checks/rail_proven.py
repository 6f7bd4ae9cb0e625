# SPDX-License-Identifier: Apache-2.0
"""The byte counters of the NICs account for the payload of the ranks on them.

Each NIC that a rank uses must have sent and received at least that payload: what is missing went
another way. It must not have carried more than the margin on top, nor may a NIC of a rail that is
idle in the case: then other traffic was there, and whose bytes these were cannot be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from railgauge.errors import RailgaugeError
from railgauge.load import Run
from railgauge.model import Case, Counter
from railgauge.pair_results import Sender, senders_of
from railgauge.pairs import is_latency
from railgauge.verdict import Finding, Verdict, overall

HEADER_SHARE = 0.08
"""Headers and acknowledgements of TCP, of the payload in both directions: 66 bytes to a segment of
1448, and as much to every second segment on the way back."""

MESSAGE_BYTES = 512
"""Headers of a message of the MPI library, however small, and of its confirmation."""

OTHER_BYTES = 64 * 1024
"""Connecting, agreements of the ranks, ARP and the like, per NIC and case. Payload of no more than
that proves nothing."""

_CHECK_ROUNDS = 2
_LISTED = 3

Port = tuple[int, str]
"""Node and network interface."""


@dataclass
class Load:
    """Payload and messages of a case that a port had to carry, B."""

    sent: int = 0
    received: int = 0
    messages: int = 0


def judge(run: Run) -> list[Finding]:
    """PASS where proved, FAIL for missing bytes, UNKNOWN for what the counters cannot tell.

    SKIP where nothing was measured, or too little to stand out from what NICs always carry.
    """
    return [_judge_case(run, case) for case in run.cases]


def _judge_case(run: Run, case: Case) -> Finding:
    if not case.finished:
        return Finding(Verdict.SKIP, f"not measured: {case.status}", case.id, case.name)
    try:
        found = list(_judge_ports(run, case))
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


def _judge_ports(run: Run, case: Case) -> Iterator[tuple[Verdict, str]]:
    senders = [s for s in senders_of(run, case) if s.path.source != s.path.destination]
    if not senders:
        yield Verdict.SKIP, "its pairs are within a node: no NIC carries them"
        return
    used = {rank for s in senders for rank in (s.rank, s.peer)}
    if unknown := [run.ranks[r] for r in sorted(used) if not run.ranks[r].nic]:
        where = f"rank {unknown[0].rank} on {unknown[0].host}"
        yield Verdict.UNKNOWN, f"the NIC of {where} is not known (no rail map at the launch)"
        return
    operations = _operations_outside_samples(case)
    if operations is None:
        yield Verdict.UNKNOWN, "the case does not say how often it warmed up and verified"
        return
    loads = port_loads(run, case, senders, operations)
    idle = {(r.node, r.nic) for r in run.ranks if r.nic} - loads.keys()
    counted = _counted(run.counters(case, "netdev"))
    hosts = {r.node: r.host for r in run.ranks}
    for port in sorted(loads.keys() | idle):
        node, nic = port
        where = f"{nic} of {hosts[node]}"
        verdict, reason = _judge_port(loads.get(port), counted.get(port, {}), where)
        if verdict is Verdict.FAIL:
            reason += _busiest_other(counted, port)
        yield verdict, reason


def _operations_outside_samples(case: Case) -> int | None:
    """Return the operations of each rank in warm-up and check rounds; None = not recorded."""
    warmup, verify = case.variables.get("warmup"), case.variables.get("verify")
    if not isinstance(warmup, int) or warmup < 0 or verify not in ("on", "off"):
        return None
    return warmup + (_CHECK_ROUNDS if verify == "on" else 0)


def port_loads(run: Run, case: Case, senders: list[Sender], operations: int) -> dict[Port, Load]:
    """Add up what each port had to carry.

    Parameters
    ----------
    senders : list of Sender
        Between nodes; each sends a window per operation, and in a round trip its peer does too.
    operations : int
        Of each rank beside those in samples.
    """
    loads: dict[Port, Load] = defaultdict(Load)
    depth = case.variables.get("depth")
    messages = depth + 1 if isinstance(depth, int) else 1
    for sender in senders:
        count = (sender.last - sender.first) * case.ops_per_sample + operations
        ends = (run.ranks[sender.rank], run.ranks[sender.peer])
        here, there = (loads[r.node, r.nic] for r in ends)
        here.sent += count * case.algbw_bytes
        there.received += count * case.algbw_bytes
        if is_latency(case):
            there.sent += count * case.algbw_bytes
            here.received += count * case.algbw_bytes
        for load in (here, there):
            load.messages += count * messages
    return loads


def _counted(rows: list[Counter]) -> dict[Port, dict[str, Counter]]:
    counted: dict[Port, dict[str, Counter]] = defaultdict(dict)
    for row in rows:
        counted[row.node, row.device][row.name] = row
    return counted


def _judge_port(load: Load | None, rows: Mapping[str, Counter], where: str) -> tuple[Verdict, str]:
    """Compare a port's counters with its load; None = its rail is idle in the case."""
    due = load or Load()
    spare = HEADER_SHARE * (due.sent + due.received) + MESSAGE_BYTES * due.messages + OTHER_BYTES
    verdict, reason = Verdict.PASS, ""
    if load and max(due.sent, due.received) <= OTHER_BYTES:
        verdict = Verdict.SKIP
        reason = f"{where} had too little to carry for a proof: {max(due.sent, due.received):,} B"
    expected = (("tx_bytes", "sent", due.sent), ("rx_bytes", "received", due.received))
    for name, verb, payload in expected:
        row = rows.get(name)
        if row is None:
            return Verdict.UNKNOWN, f"{where} has no counter {name}"
        carried = row.difference
        if carried is None:
            return Verdict.UNKNOWN, f"{name} of {where} is {row.status}"
        if carried < payload:
            why = f"{where} {verb} {carried:,} B of the {payload:,} B of its ranks"
            return Verdict.FAIL, f"{why}: the rest went another way"
        if carried > payload + spare:
            whose = f"its ranks {payload:,} B" if load else "its rail is idle in this case"
            verdict = Verdict.UNKNOWN
            reason = f"{where} {verb} {carried:,} B, {whose}: other traffic was on it"
    return verdict, reason


def _busiest_other(counted: Mapping[Port, Mapping[str, Counter]], port: Port) -> str:
    """Name the other interface of a node that sent most."""
    sent = {
        nic: rows["tx_bytes"].difference or 0
        for (node, nic), rows in counted.items()
        if node == port[0] and nic != port[1] and "tx_bytes" in rows
    }
    if not sent:
        return ""
    nic = max(sent, key=sent.__getitem__)
    return f" (of the others there, {nic} sent most, {sent[nic]:,} B)"
