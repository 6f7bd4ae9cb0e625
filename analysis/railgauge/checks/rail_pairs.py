# SPDX-License-Identifier: Apache-2.0
"""Rounds of pairs: each NIC carried its ranks' payload, and the NICs of idle rails did not.

Each NIC that a rank uses must have sent and received at least that payload: what is missing went
another way, unless the driver may have counted it after the case. It must not have carried more
than the margin on top, nor may a NIC of a rail that is idle in the case: then other traffic was
there, and whose bytes these were cannot be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from railgauge.checks.nic_traffic import (
    NAMES,
    NETDEV,
    OTHER_BYTES,
    Flow,
    Load,
    Port,
    Traffic,
    counted_of,
    operations_outside_samples,
)
from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_results import Transfer, transfers_of
from railgauge.pair_setup import OUTSIDE, integer_of, is_read, queues_of
from railgauge.pairs import is_latency
from railgauge.rdma_counters import BACKENDS
from railgauge.verdict import Verdict


def judge_ports(
    run: Run, case: Case, before: Mapping[Flow, int], late: dict[Flow, int]
) -> Iterator[tuple[Verdict, str]]:
    transfers = [t for t in transfers_of(run, case) if t.path.source != t.path.destination]
    if not transfers:
        yield Verdict.SKIP, "its pairs are within a node: no NIC carries them"
        return
    used = {rank for t in transfers for rank in (t.source, t.destination)} - {OUTSIDE}
    if unknown := [run.ranks[r] for r in sorted(used) if not run.ranks[r].nic]:
        where = f"rank {unknown[0].rank} on {unknown[0].host}"
        yield Verdict.UNKNOWN, f"the NIC of {where} is not known (no rail map at the launch)"
        return
    operations = operations_outside_samples(case)
    if operations is None:
        yield Verdict.UNKNOWN, "the case does not say how often it warmed up and verified"
        return
    loads = port_loads(run, case, transfers, operations)
    idle = {(r.node, r.nic) for r in run.ranks if r.nic} - loads.keys()
    counted = counted_of(run.counters(case), rdma=case.backend in BACKENDS)
    traffic = Traffic(case.wall_ns, loads, counted, before, case.backend in BACKENDS)
    late.update(traffic.missing())
    hosts = {r.node: r.host for r in run.ranks}
    for node, nic in sorted(loads.keys() | idle):
        yield _judge_port(traffic, (node, nic), f"{nic} of {hosts[node]}")


def port_loads(
    run: Run, case: Case, transfers: list[Transfer], operations: int
) -> dict[Port, Load]:
    """Add up what each port had to carry.

    Parameters
    ----------
    transfers : list of Transfer
        Between nodes, or with a host outside; one window per operation, and as much the other way
        in a round trip of messages.
    operations : int
        Of each rank beside those in samples.
    """
    loads: dict[Port, Load] = defaultdict(Load)
    messages = integer_of(case, "depth") * queues_of(case) + 1
    answered = is_latency(case) and not is_read(case)
    for transfer in transfers:
        count = (transfer.last - transfer.first) * case.ops_per_sample + operations
        flows = [(transfer.source, transfer.destination)]
        flows += [(transfer.destination, transfer.source)] if answered else []
        for source, destination in flows:
            if source != OUTSIDE:
                _port(run, loads, source).sent += count * case.algbw_bytes
            if destination != OUTSIDE:
                _port(run, loads, destination).received += count * case.algbw_bytes
        for rank in {transfer.source, transfer.destination} - {OUTSIDE}:
            _port(run, loads, rank).messages += count * messages
    return loads


def _port(run: Run, loads: dict[Port, Load], rank: int) -> Load:
    return loads[run.ranks[rank].node, run.ranks[rank].nic]


def _judge_port(traffic: Traffic, port: Port, where: str) -> tuple[Verdict, str]:
    """Compare a port's counters with its load; it has none if its rail is idle in the case."""
    load = traffic.loads.get(port)
    due = load or Load()
    verdict, reason = Verdict.PASS, ""
    if load and max(due.sent, due.received) <= OTHER_BYTES:
        verdict = Verdict.SKIP
        reason = f"{where} had too little to carry for a proof: {max(due.sent, due.received):,} B"
    for name, verb in NAMES.items():
        row = traffic.counted.get(port, {}).get(name)
        if row is None:
            return Verdict.UNKNOWN, f"{where} has no counter {name}"
        carried, payload = row.difference, due.due(name)
        if carried is None:
            return Verdict.UNKNOWN, f"{name} of {where} is {row.status}"
        if carried < payload and traffic.rdma and row.source == NETDEV:
            why = f"counted {carried:,} B of {payload:,} B: RDMA may pass that interface uncounted"
            return Verdict.UNKNOWN, f"{name} of {where} {why}"
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
        return Verdict.FAIL, f"the rest went another way ({other} {NAMES[name]} {extra:,} B)"
    if traffic.may_be_late(missing, payload):
        why = f"a driver may count them late in a case of {traffic.wall_ns / 1e9:.2g} s"
        return Verdict.UNKNOWN, f"no other interface there has the rest, and {why}"
    return Verdict.FAIL, "the rest went another way, and over no interface there alone"
