# SPDX-License-Identifier: Apache-2.0
"""Joins reading and the pure parts of incast: what each receiver, sender and victim measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from railgauge.errors import RailgaugeError
from railgauge.incast import Crew, Setup, Victim, setup_of
from railgauge.incast_latency import Latency, LatencyTally, Timed
from railgauge.incast_reader import SENDER, VICTIM, Block, Expected, WindowReader
from railgauge.incast_shares import (
    LEAST_ROWS,
    SLICE_NS,
    SenderTally,
    SliceFairness,
    SlicePlan,
    coarser,
    gbit_per_s,
    jain,
    last_step_ns,
    named,
    plan_slices,
    shares,
    slice_fairness,
)
from railgauge.incast_victims import BlockTally, VictimTimes
from railgauge.load import Run
from railgauge.model import Case
from railgauge.samples import Int64s
from railgauge.site_rates import SiteRates

CURVE_POINTS = 200
"""Most points of the curves over time that a result keeps."""


@dataclass(frozen=True, slots=True)
class SenderResult:
    """What one sender got, while all senders worked.

    Attributes
    ----------
    share : float
        Its bytes / the mean sender's: 1 is fair.
    starved_slices : int
        Slices in which it finished nothing and others did.
    longest_gap_ns : int
        Longest time without a finished row; an upper bound where rows stand for several requests.
    longest_ns : int
        Its slowest request.
    """

    rank: int
    rail: int
    bytes: int
    requests: int
    rows: int
    gbit_per_s: float
    share: float
    starved_slices: int
    longest_gap_ns: int
    longest_ns: int


@dataclass(frozen=True, slots=True)
class Curves:
    """Bytes over time, for pictures: shape (senders, points), points of ``width_ns`` each."""

    bytes: Int64s
    width_ns: int


@dataclass(frozen=True, slots=True)
class ReceiverResult:
    """What one receiver got, while all its senders worked.

    Attributes
    ----------
    plan : SlicePlan
        That time: the window, or the last step of a ramp.
    gbit_per_s : float
        Payload of all senders.
    line_gbit_per_s : float or None
        Nominal rate of the receiver's port, where the site says it.
    jain : float
        Over the whole of that time.
    drain_ns : int
        From the window's end to the last completion of what was posted in it.
    latency : Latency or None
        Of all requests that finished in that time or were in flight at its end.
    """

    receiver: int
    senders: tuple[SenderResult, ...]
    plan: SlicePlan
    gbit_per_s: float
    line_gbit_per_s: float | None
    jain: float
    slices: SliceFairness
    drain_ns: int
    latency: Latency | None
    curves: Curves

    @property
    def bytes(self) -> int:
        """Payload of all senders."""
        return sum(s.bytes for s in self.senders)

    @property
    def tells(self) -> bool:
        """True where shares are no chance: the mean sender finished enough rows."""
        return sum(s.rows for s in self.senders) >= LEAST_ROWS * len(self.senders)

    @property
    def named(self) -> list[SenderResult]:
        """Senders far below the fair share, least first; none where that may be chance."""
        if not self.tells:
            return []
        return [self.senders[i] for i in named(np.array([s.share for s in self.senders]))]


@dataclass(frozen=True, slots=True)
class IncastResult:
    """A case with its receivers and its victim; without any where it is unfinished or damaged."""

    case: Case
    setup: Setup | None = None
    receivers: tuple[ReceiverResult, ...] = ()
    victim: VictimTimes | None = None
    problem: str = ""


def iterate_incast(run: Run, slice_ns: int = SLICE_NS) -> Iterator[IncastResult]:
    """Yield the results of every case; unfinished and damaged ones come without any."""
    rates = SiteRates(run.site_json)
    for case in run.cases:
        if not case.finished:
            yield IncastResult(case)
            continue
        try:
            yield measure_incast(run, case, rates, slice_ns)
        except RailgaugeError as error:
            yield IncastResult(case, problem=str(error))


def measure_incast(
    run: Run, case: Case, rates: SiteRates, slice_ns: int = SLICE_NS
) -> IncastResult:
    """Compute the results of one finished case.

    Raises
    ------
    DamagedRun
        Its variables or samples are missing or cannot be.
    """
    with run.samples(case) as samples:
        setup = setup_of(case, samples.group)
        reader = WindowReader(samples)
        receivers = tuple(
            _measure_crew(run, reader, setup, crew, rates, slice_ns) for crew in setup.crews
        )
        victim = None
        if setup.victim is not None:
            victim = _measure_victim(reader, setup, setup.victim)
    empty = not any(r.bytes for r in receivers) and victim is None
    return IncastResult(case, setup, receivers, victim, "it holds no samples" if empty else "")


def begin_of(setup: Setup) -> int:
    """Return when all senders work: the window's begin, or that of a ramp's last step, ns."""
    if not setup.ramp or not setup.crews:
        return 0
    return max(last_step_ns(setup.duration_ns, len(crew.senders)) for crew in setup.crews)


def _measure_crew(
    run: Run, reader: WindowReader, setup: Setup, crew: Crew, rates: SiteRates, slice_ns: int
) -> ReceiverResult:
    plan = plan_slices(begin_of(setup), setup.duration_ns, slice_ns, len(crew.senders))
    expected = [Expected(s, SENDER, crew.receiver, setup.bytes, setup.queues) for s in crew.senders]
    read, latency = _read_crew(reader, expected, plan)
    matrix = np.stack([r.tally.bytes for r in read])[:, : plan.full]
    rows = sum(r.tally.rows for r in read)
    fairness = slice_fairness(matrix, rows * plan.width_ns / plan.duration_ns / len(read))
    sums = [int(r.tally.bytes.sum()) for r in read]
    points, each = coarser(matrix, CURVE_POINTS)
    return ReceiverResult(
        receiver=crew.receiver,
        senders=_senders(run, reader, read, fairness, plan),
        plan=plan,
        gbit_per_s=gbit_per_s(sum(sums), plan.duration_ns),
        line_gbit_per_s=rates.of(run.ranks[crew.receiver]),
        jain=jain(sums),
        slices=fairness,
        drain_ns=max(0, *(r.end_ns - setup.duration_ns for r in read)),
        latency=latency,
        curves=Curves(points, each * plan.width_ns),
    )


@dataclass
class _Read:
    """What the rows of one sender add up to."""

    rank: int
    tally: SenderTally
    longest_ns: int = 0
    end_ns: int = 0


def _read_crew(
    reader: WindowReader, expected: list[Expected], plan: SlicePlan
) -> tuple[list[_Read], Latency | None]:
    found, latency = [_Read(e.rank, SenderTally(plan)) for e in expected], LatencyTally()
    for own, read in zip(expected, found, strict=True):
        for block in reader.blocks(own):
            read.tally.add(block.completed_ns, block.bytes, block.requests)
            timed = _timed(block, plan.begin_ns)
            latency.add(timed)
            read.longest_ns = max(read.longest_ns, int(timed[1].max(initial=0)))
            read.end_ns = max(read.end_ns, int(block.completed_ns.max()))
        read.tally.finish()

    def again() -> Iterator[Timed]:
        for own in expected:
            for block in reader.blocks(own, checked=False):
                yield _timed(block, plan.begin_ns)

    return found, latency.finish(again)


def _senders(
    run: Run, reader: WindowReader, read: list[_Read], fairness: SliceFairness, plan: SlicePlan
) -> tuple[SenderResult, ...]:
    sums = [int(r.tally.bytes.sum()) for r in read]
    return tuple(
        SenderResult(
            rank=own.rank,
            rail=_rail(run, reader, own.rank),
            bytes=count,
            requests=own.tally.requests,
            rows=own.tally.rows,
            gbit_per_s=gbit_per_s(count, plan.duration_ns),
            share=share,
            starved_slices=starved,
            longest_gap_ns=own.tally.longest_gap_ns,
            longest_ns=own.longest_ns,
        )
        for own, count, share, starved in zip(
            read, sums, shares(sums).tolist(), fairness.starved, strict=True
        )
    )


def _timed(block: Block, begin_ns: int) -> Timed:
    """Return latencies from ``begin_ns`` on, those that finished after the window included."""
    weights = block.weights
    inside = block.completed_ns >= begin_ns
    if inside.all():
        return block.elapsed_ns, block.longest_ns, weights
    own = None if weights is None else weights[inside]
    return block.elapsed_ns[inside], block.longest_ns[inside], own


def _measure_victim(reader: WindowReader, setup: Setup, victim: Victim) -> VictimTimes | None:
    expected = Expected(victim.asker, VICTIM, victim.answerer, setup.victim_bytes, queues=1)
    begin_ns, end_ns = begin_of(setup), setup.duration_ns
    tally, blocks = LatencyTally(), BlockTally(begin_ns, end_ns)

    def inside(*, checked: bool) -> Iterator[tuple[Int64s, Timed]]:
        for block in reader.blocks(expected, checked=checked):
            kept = (block.completed_ns >= begin_ns) & (block.completed_ns < end_ns)
            weights = block.weights
            own = None if weights is None else weights[kept]
            timed = block.elapsed_ns[kept], block.longest_ns[kept], own
            yield block.completed_ns[kept], timed

    for completed_ns, timed in inside(checked=True):
        tally.add(timed)
        blocks.add(completed_ns, timed[0], timed[2])
    blocks.finish()
    latency = tally.finish(lambda: (timed for _, timed in inside(checked=False)))
    return None if latency is None else VictimTimes(latency, blocks)


def _rail(run: Run, reader: WindowReader, rank: int) -> int:
    own = reader.rail(rank)
    return run.ranks[rank].rail if own is None else own
