# SPDX-License-Identifier: Apache-2.0
"""The byte counters of the NICs account for the payload of the ranks on them.

Each NIC that a rank uses must have sent and received at least that payload: what is missing went
another way, unless the driver may have counted it after the case. It must not have carried more
than the margin on top, nor may a NIC of a rail that is idle in the case: then other traffic was
there, and whose bytes these were cannot be told.
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

REFRESH_NS = 2_000_000_000
"""Drivers that read their counters once a second leave out the end of a case, and a NIC is not
evenly busy: so much of a case's wall time, as a share of the payload, may be counted late."""

_CHECK_ROUNDS = 2
_LISTED = 3
_NAMES = {"tx_bytes": "sent", "rx_bytes": "received"}

Port = tuple[int, str]
"""Node and network interface."""

Flow = tuple[Port, str]
"""Port and counter, ``tx_bytes`` or ``rx_bytes``."""


@dataclass
class Load:
    """Payload and messages of a case that a port had to carry, B."""

    sent: int = 0
    received: int = 0
    messages: int = 0

    def due(self, name: str) -> int:
        """Return the payload that a counter must show, B."""
        return self.sent if name == "tx_bytes" else self.received

    @property
    def spare(self) -> float:
        """What may come on top of it, B."""
        headers = HEADER_SHARE * (self.sent + self.received)
        return headers + MESSAGE_BYTES * self.messages + OTHER_BYTES


@dataclass(frozen=True)
class Traffic:
    """What the ports of a case had to carry, and what they counted.

    ``late`` are the bytes that were missing in the case before: they may have been counted since.
    """

    wall_ns: int
    loads: Mapping[Port, Load]
    counted: Mapping[Port, Mapping[str, Counter]]
    late: Mapping[Flow, int]

    def missing(self) -> dict[Flow, int]:
        """Return the bytes that were not counted, where any were not."""
        short = {
            (port, name): load.due(name) - carried
            for port, load in self.loads.items()
            for name in _NAMES
            if (carried := self.carried(port, name)) is not None
        }
        return {flow: count for flow, count in short.items() if count > 0}

    def carried(self, port: Port, name: str) -> int | None:
        """Return what a port counted during the case; None where that is not known."""
        row = self.counted.get(port, {}).get(name)
        return None if row is None else row.difference

    def elsewhere(self, port: Port, name: str, missing: int) -> str:
        """Name the other interface of the node that carried too much by the missing bytes."""
        for other in self.counted:
            carried = self.carried(other, name) if other[0] == port[0] and other != port else None
            load = self.loads.get(other, Load())
            extra = (carried or 0) - load.due(name) - self.late.get((other, name), 0)
            if extra >= missing and extra > load.spare:
                return other[1]
        return ""

    def may_be_late(self, missing: int, payload: int) -> bool:
        """Tell whether a driver's late refresh explains missing bytes."""
        return missing * self.wall_ns <= payload * REFRESH_NS


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
    try:
        found = list(_judge_ports(run, case, before, late))
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


def _judge_ports(
    run: Run, case: Case, before: Mapping[Flow, int], late: dict[Flow, int]
) -> Iterator[tuple[Verdict, str]]:
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
    traffic = Traffic(case.wall_ns, loads, _counted(run.counters(case)), before)
    late.update(traffic.missing())
    hosts = {r.node: r.host for r in run.ranks}
    for node, nic in sorted(loads.keys() | idle):
        yield _judge_port(traffic, (node, nic), f"{nic} of {hosts[node]}")


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
        if row.source == "netdev":
            counted[row.node, row.device][row.name] = row
    return counted


def _judge_port(traffic: Traffic, port: Port, where: str) -> tuple[Verdict, str]:
    """Compare a port's counters with its load; it has none if its rail is idle in the case."""
    load = traffic.loads.get(port)
    due = load or Load()
    verdict, reason = Verdict.PASS, ""
    if load and max(due.sent, due.received) <= OTHER_BYTES:
        verdict = Verdict.SKIP
        reason = f"{where} had too little to carry for a proof: {max(due.sent, due.received):,} B"
    for name, verb in _NAMES.items():
        row = traffic.counted.get(port, {}).get(name)
        if row is None:
            return Verdict.UNKNOWN, f"{where} has no counter {name}"
        carried, payload = row.difference, due.due(name)
        if carried is None:
            return Verdict.UNKNOWN, f"{name} of {where} is {row.status}"
        if carried < payload:
            verdict, why = _judge_missing(traffic, port, name, payload - carried)
            return verdict, f"{where} {verb} {carried:,} B of the {payload:,} B of its ranks: {why}"
        if carried > payload + due.spare:
            whose = f"its ranks {payload:,} B" if load else "its rail is idle in this case"
            verdict = Verdict.UNKNOWN
            reason = f"{where} {verb} {carried:,} B, {whose}: other traffic was on it"
    return verdict, reason


def _judge_missing(traffic: Traffic, port: Port, name: str, missing: int) -> tuple[Verdict, str]:
    payload = traffic.loads[port].due(name)
    if other := traffic.elsewhere(port, name, missing):
        extra = traffic.carried((port[0], other), name)
        return Verdict.FAIL, f"the rest went another way ({other} {_NAMES[name]} {extra:,} B)"
    if traffic.may_be_late(missing, payload):
        why = f"a driver may count them late in a case of {traffic.wall_ns / 1e9:.2g} s"
        return Verdict.UNKNOWN, f"no other interface there has the rest, and {why}"
    return Verdict.FAIL, "the rest went another way, and over no interface there alone"
