# SPDX-License-Identifier: Apache-2.0
"""Collectives rail by rail: each NIC carried what its group must move, and resting NICs nothing.

What an operation moves depends on its algorithm, which is the library's choice, so a NIC is held
against two figures of `collective_bounds`: the least that any algorithm moves, without which bytes
went another way, and the most that one may move, beyond which other traffic was there. The NICs of
a rail whose group rests are held against nothing at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from railgauge.checks.collective_bounds import Need, Shape, least, most
from railgauge.checks.nic_traffic import (
    HEADER_SHARE,
    MESSAGE_BYTES,
    NAMES,
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
from railgauge.samples import Group
from railgauge.verdict import Verdict

BENCHMARK = "collective"
_MESSAGES = 4
"""Of a rank with another per operation, there and back in each of two steps."""

Judged = tuple[Verdict, str]


@dataclass
class Span(Load):
    """Between the least, which `Load` holds, and the most that a port may carry, B."""

    most: int = 0

    @property
    def limit(self) -> float:
        """What is beyond is other traffic."""
        return self.most * (1 + 2 * HEADER_SHARE) + MESSAGE_BYTES * self.messages + OTHER_BYTES


@dataclass(frozen=True)
class Share:
    """What a group's operations had to move: ``need`` of one, ``count`` of them."""

    rail: int
    ports: Mapping[int, Port]
    ranks: Mapping[int, int]
    need: Need
    most: Mapping[int, float]
    count: int

    @property
    def total(self) -> int:
        """Least sum of what its NICs send, or receive, B."""
        return int(self.need.total * self.count)


def is_by_rail(case: Case) -> bool:
    """Tell whether the ranks of a rail work by themselves in a case."""
    return case.benchmark == BENCHMARK and case.variables.get("split") == "rail"


def judge_ports(
    run: Run, case: Case, before: Mapping[Flow, int], late: dict[Flow, int]
) -> Iterator[Judged]:
    """Judge every NIC of a finished case, and then the sum of each group's."""
    if not is_by_rail(case):
        yield Verdict.SKIP, "its groups are not the rails"
        return
    with run.samples(case) as samples:
        groups = samples.groups()
    operations = operations_outside_samples(case)
    if problem := _problem(run, groups, operations):
        yield Verdict.UNKNOWN, problem
        return
    shares = [_share(run, case, group, operations or 0) for group in groups]
    known = [share for share in shares if share is not None]
    if not known or len(known) < len(shares):
        yield Verdict.SKIP, f"it is not known what {case.operation} must move between nodes"
        return
    if not any(share.total for share in known):
        yield Verdict.SKIP, "its groups are within a node each: no NIC carries them"
        return
    spans = _spans(run, case, known, max(group.iterations for group in groups))
    traffic = Traffic(case.wall_ns, spans, counted_of(run.counters(case)), before)
    late.update(_late(traffic, spans))
    hosts = {r.node: r.host for r in run.ranks}
    ports = [_judge_port(traffic, p, spans[p], f"{p[1]} of {hosts[p[0]]}") for p in sorted(spans)]
    yield from ports
    if all(verdict is Verdict.PASS for verdict, _ in ports):
        yield from (_judge_sum(traffic, spans, share, hosts) for share in known)


def _problem(run: Run, groups: list[Group], operations: int | None) -> str:
    """Say why NICs cannot be told apart, or their payload not be known."""
    if unknown := [r for r in run.ranks if not r.nic]:
        where = f"rank {unknown[0].rank} on {unknown[0].host}"
        return f"the NIC of {where} is not known (no rail map at the launch)"
    nics: dict[tuple[int, int], str] = {}
    rails: dict[Port, int] = {}
    for rank in run.ranks:
        one_nic = nics.setdefault((rank.node, rank.rail), rank.nic) == rank.nic
        one_rail = rails.setdefault((rank.node, rank.nic), rank.rail) == rank.rail
        if not (one_nic and one_rail):
            return f"on {rank.host} rails and NICs are not the same in number"
    for group in groups:
        if any(run.ranks[rank].rail != group.id for rank in group.ranks):
            return f"ranks of group {group.id} are on other rails"
    return "" if operations is not None else "it does not say how often it warmed up and verified"


def _share(run: Run, case: Case, group: Group, outside: int) -> Share | None:
    """Return what a group had to move; ``outside`` are its launches beside those in samples."""
    members = [run.ranks[rank] for rank in group.ranks]
    root, larger = case.variables.get("root"), _larger_bytes(case)
    shape = Shape(
        nodes=tuple(m.node for m in members),
        larger=larger,
        root=root if isinstance(root, int) else -1,
        spread=str(case.variables.get("spread", "")),
    )
    need = least(case.operation, shape)
    if need is None:
        return None
    count = group.iterations * case.ops_per_sample + outside * _operations_per_launch(case)
    ports = {m.node: (m.node, m.nic) for m in members}
    return Share(group.id, ports, shape.ranks, need, most(case.operation, shape), count)


def _larger_bytes(case: Case) -> int:
    """Of alltoallv the most of any rank, which rounding may leave below the size."""
    return case.algbw_bytes if case.operation == "alltoallv" else case.size_bytes() or 0


def _operations_per_launch(case: Case) -> int:
    factors = [case.variables.get(name) for name in ("aggregate", "graph")]
    aggregate, graph = (f if isinstance(f, int) and f > 0 else 1 for f in factors)
    return aggregate * graph


def _spans(run: Run, case: Case, shares: list[Share], iterations: int) -> dict[Port, Span]:
    """Add up what every NIC may carry; all ranks meet in barriers, at work or not."""
    spans: dict[Port, Span] = defaultdict(Span)
    barriers = iterations if case.variables.get("start") == "barrier" else 0
    for rank in run.ranks:
        spans[rank.node, rank.nic].messages += barriers * 2 * len(run.ranks).bit_length()
    for share in shares:
        others = sum(share.ranks.values()) - 1
        for node, port in share.ports.items():
            span = spans[port]
            span.sent += int(share.need.sent[node] * share.count)
            span.received += int(share.need.received[node] * share.count)
            span.most += int(share.most[node] * share.count)
            span.messages += _MESSAGES * share.ranks[node] * others * share.count
    return dict(spans)


def _late(traffic: Traffic, spans: Mapping[Port, Span]) -> dict[Flow, int]:
    """Return what may still be counted of flows that miss bytes: up to the most they had."""
    flows = traffic.missing()
    return {flow: spans[flow[0]].most - (traffic.carried(*flow) or 0) for flow in flows}


def _judge_port(traffic: Traffic, port: Port, span: Span, where: str) -> Judged:
    verdict, reason = Verdict.PASS, ""
    largest = max(span.sent, span.received)
    if span.most and largest <= OTHER_BYTES:
        verdict = Verdict.SKIP
        reason = f"{where} had too little to carry for a proof: {largest:,} B"
    for name, verb in NAMES.items():
        row = traffic.counted.get(port, {}).get(name)
        if row is None:
            return Verdict.UNKNOWN, f"{where} has no counter {name}"
        carried, due = row.difference, span.due(name)
        if carried is None:
            return Verdict.UNKNOWN, f"{name} of {where} is {row.status}"
        if carried < due:
            verdict, why = _judge_missing(traffic, port, name, due - carried)
            return verdict, f"{where} {verb} {carried:,} B, its group at least {due:,} B: {why}"
        if carried > span.limit:
            whose = f"its group at most {span.most:,} B" if span.most else "its rail rests here"
            verdict = Verdict.UNKNOWN
            reason = f"{where} {verb} {carried:,} B, {whose}: other traffic was on it"
    return verdict, reason


def _judge_missing(traffic: Traffic, port: Port, name: str, missing: int) -> Judged:
    other = traffic.elsewhere(port, name, missing)
    extra = traffic.carried((port[0], other), name) or 0
    carrier = f"{other} {NAMES[name]} {extra:,} B" if other else ""
    fresh = extra - traffic.late.get(((port[0], other), name), 0)
    if other and fresh > _limit(traffic, (port[0], other)):
        return Verdict.FAIL, f"the rest went another way ({carrier})"
    if traffic.may_be_late(missing, traffic.loads[port].due(name)):
        why = f"a driver may count the rest late in a case of {traffic.wall_ns / 1e9:.2g} s"
        return Verdict.UNKNOWN, why + (f", or it went another way ({carrier})" if other else "")
    if other:
        return Verdict.FAIL, f"the rest went another way ({carrier})"
    return Verdict.FAIL, "the rest went another way, and over no interface there alone"


def _limit(traffic: Traffic, port: Port) -> float:
    load = traffic.loads.get(port)
    return load.limit if isinstance(load, Span) else Span().limit


def _judge_sum(
    traffic: Traffic, spans: Mapping[Port, Span], share: Share, hosts: Mapping[int, str]
) -> Judged:
    """Judge what the NICs of a group carried together; each of them has carried its least."""
    for name, verb in NAMES.items():
        carried = sum(traffic.carried(port, name) or 0 for port in share.ports.values())
        missing = share.total - carried
        if missing <= 0:
            continue
        what = f"the NICs of rail {share.rail} {verb} {carried:,} B of at least {share.total:,} B"
        strays = [
            (traffic.carried(other, name) or 0, other)
            for other in traffic.counted
            if other[0] in share.ports and other not in spans
        ]
        extra, other = max(strays, default=(0, (0, "")))
        if extra > Span().limit and sum(count for count, _ in strays) >= missing:
            where = f"{other[1]} of {hosts[other[0]]} {verb} {extra:,} B"
            return Verdict.FAIL, f"{what}: the rest went another way ({where})"
        return Verdict.UNKNOWN, f"{what}: the network reduced them, or they went another way"
    return Verdict.PASS, ""
