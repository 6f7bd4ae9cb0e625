# SPDX-License-Identifier: Apache-2.0
"""Joins reading and statistics: what was measured in each case, group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from railgauge.communicators import Steps, is_communicator, steps_of
from railgauge.device import DeviceTimes, device_times
from railgauge.errors import RailgaugeError
from railgauge.groups import group_name, is_split, split_of
from railgauge.load import Run
from railgauge.model import Case, Check
from railgauge.quantiles import ExactQuantiles
from railgauge.samples import SLAB_SAMPLES, Group, Samples
from railgauge.stats import (
    MEDIAN,
    Bins,
    Distribution,
    clock_bound_ns,
    distribution_from,
    distribution_of,
    even_bins,
    order_rank,
    outlier_fence,
    reported_lateness,
    spans,
    wanted_ranks,
)

IN_MEMORY_ITERATIONS = 1 << 14
"""Up to here, in one slab, partitioning beats counting; both give the same numbers."""

TIMELINE_BINS = 1000


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What one group of ranks measured in one case; times in ns per operation.

    Attributes
    ----------
    time : Distribution
        Latest exit - latest entry of each iteration.
    median_from_first_entry_ns : float
        Median of latest exit - earliest entry.
    lateness_ns : dict
        Median over the iterations of entry - earliest entry, by rank; None where the clocks
        cannot tell it from none. Not divided by the operations per sample.
    fence_ns, outliers
        Iterations slower than the fence are outliers; None and 0 where there are too few.
    timeline, blocks : Bins
        Time of samples (not divided by the operations per sample) along the iterations.
    name : str
        Of the group, for a person; empty where the case has no split.
    device : DeviceTimes or None
    steps : dict
        Of communicators, where the case is of their lives.
    check : Check or None
        What the group's ranks verified, where the case has a split and it is recorded.
    """

    group: Group
    time: Distribution
    median_from_first_entry_ns: float
    lateness_ns: dict[int, float | None]
    clock_bound_ns: int
    fence_ns: float | None
    outliers: int
    timeline: Bins
    blocks: Bins | None
    name: str = ""
    device: DeviceTimes | None = None
    steps: Steps = field(default_factory=dict)
    check: Check | None = None

    @property
    def label(self) -> str:
        """Name of the group, or its number where it has none."""
        return self.name or f"group {self.group.id}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with the results of its groups; none where it is unfinished or damaged."""

    case: Case
    groups: tuple[GroupResult, ...] = ()
    problem: str = ""


def algbw_gb_s(case: Case, time_ns: float) -> float:
    """Algorithm bandwidth in GB/s (1e9 B/s) of one operation; NaN of no time."""
    return case.algbw_bytes / time_ns if time_ns > 0 else math.nan


def busbw_gb_s(case: Case, time_ns: float) -> float:
    """Bus bandwidth as nccl-tests defines it, GB/s; NaN where it has no meaning."""
    return algbw_gb_s(case, time_ns) * case.bus_factor


def iterate(run: Run, timeline_bins: int = TIMELINE_BINS) -> Iterator[CaseResult]:
    """Yield the results of every case; unfinished and damaged ones come without groups."""
    clocks = clock_ids(run)
    for case in run.cases:
        if not case.finished:
            yield CaseResult(case)
            continue
        try:
            yield measure(run, case, clocks, timeline_bins)
        except RailgaugeError as error:
            yield CaseResult(case, problem=str(error))


def clock_ids(run: Run) -> list[str]:
    """Name the clock of each rank: the boot_id of its node, else the node itself."""
    boots = {n.node: n.facts.get("boot_id") for n in run.nodes}
    known = {node: boot for node, boot in boots.items() if boot not in (None, "", "unknown")}
    return [known.get(r.node) or f"node {r.node} {r.host}" for r in run.ranks]


def measure(
    run: Run, case: Case, clocks: list[str], timeline_bins: int = TIMELINE_BINS
) -> CaseResult:
    """Compute the results of one finished case.

    Raises
    ------
    DamagedRun
        Its samples are missing or damaged.
    """
    checks = run.checks(case) if is_split(case) else None
    with run.samples(case) as samples:
        results, problem = [], ""
        for group in samples.groups():
            if group.iterations:
                members = [run.ranks[r] for r in group.ranks]
                bound = clock_bound_ns(members, clocks, case.clock_error_ns)
                bins = _bins(samples, group, timeline_bins)
                found = _measure_group(samples, group, bound, case.ops_per_sample, bins)
                found = replace(
                    found,
                    name=group_name(split_of(case), group.id, run.ranks),
                    check=_check_of(checks, group),
                )
                try:
                    found = _with_extras(samples, case, found)
                except RailgaugeError as error:  # the host's times are good all the same
                    problem = problem or str(error)
                results.append(found)
    return CaseResult(case, tuple(results), problem if results else "it holds no samples")


def _check_of(checks: list[Check] | None, group: Group) -> Check | None:
    if checks is None:
        return None
    own = [checks[rank] for rank in group.ranks]
    return Check(
        sum(check.checked_elements for check in own), sum(check.wrong_elements for check in own)
    )


def _with_extras(samples: Samples, case: Case, found: GroupResult) -> GroupResult:
    if is_communicator(case):
        return replace(found, steps=steps_of(samples, found.group))
    return replace(found, device=device_times(samples, found.group, case.ops_per_sample))


def _bins(samples: Samples, group: Group, at_most: int) -> tuple[Bins, Bins | None]:
    starts = samples.block_starts(group.iterations)
    blocks = Bins(starts, group.iterations) if starts is not None else None
    return even_bins(group.iterations, at_most), blocks


class _Times:
    """Accumulates one group's times over as many passes as their quantiles need."""

    def __init__(self, group: Group, bins: tuple[Bins, Bins | None]) -> None:
        self.group = group
        self.time = ExactQuantiles()
        self.from_first = ExactQuantiles()
        # Many ranks share the memory of a few: coarser buckets, the same result one pass later.
        bits = 14 if len(group.ranks) <= 64 else 8
        self.lateness = [ExactQuantiles(bits) for _ in group.ranks]
        self.bins = [b for b in bins if b is not None]

    def quantiles(self) -> list[ExactQuantiles]:
        return [self.time, self.from_first, *self.lateness]

    def read(self, samples: Samples) -> None:
        for first, start_ns, elapsed_ns in samples.slabs(self.group):
            found = spans(start_ns, elapsed_ns)
            self.time.add(found.from_last_entry)
            self.from_first.add(found.from_first_entry)
            for exact, row in zip(self.lateness, found.lateness, strict=True):
                exact.add(row)
            for bins in self.bins:
                bins.add(first, found.from_last_entry)
        n = self.group.iterations
        self.time.aim(wanted_ranks(n))
        for exact in (self.from_first, *self.lateness):
            exact.aim([order_rank(n, MEDIAN)])

    def refine(self, samples: Samples) -> None:
        while not all(q.resolved for q in self.quantiles()):
            for _, start_ns, elapsed_ns in samples.slabs(self.group):
                found = spans(start_ns, elapsed_ns)
                self.time.refine(found.from_last_entry)
                self.from_first.refine(found.from_first_entry)
                for exact, row in zip(self.lateness, found.lateness, strict=True):
                    exact.refine(row)
            for exact in self.quantiles():
                exact.narrow()


def _measure_group(
    samples: Samples, group: Group, bound_ns: int, per: int, bins: tuple[Bins, Bins | None]
) -> GroupResult:
    in_one_slab = group.iterations * len(group.ranks) <= SLAB_SAMPLES
    if in_one_slab and group.iterations <= IN_MEMORY_ITERATIONS:
        return _measure_short(samples, group, bound_ns, per, bins)
    times = _Times(group, bins)
    times.read(samples)
    times.refine(samples)
    time = distribution_from(times.time, bins[0], per)
    fence, outliers = outlier_fence(time), 0
    if fence is not None:
        edge, outliers = times.time.count_above(fence * per)
        fence = edge / per
    median = order_rank(group.iterations, MEDIAN)
    return GroupResult(
        group=group,
        time=time,
        median_from_first_entry_ns=times.from_first.value(median) / per,
        lateness_ns=_reported(group, [e.value(median) for e in times.lateness], bound_ns),
        clock_bound_ns=bound_ns,
        fence_ns=fence,
        outliers=outliers,
        timeline=bins[0],
        blocks=bins[1],
    )


def _measure_short(
    samples: Samples, group: Group, bound_ns: int, per: int, bins: tuple[Bins, Bins | None]
) -> GroupResult:
    ((first, start_ns, elapsed_ns),) = samples.slabs(group)
    found = spans(start_ns, elapsed_ns)
    time = distribution_of(found.from_last_entry, per)
    fence, outliers = outlier_fence(time), 0
    if fence is not None:
        outliers = int(np.count_nonzero(found.from_last_entry > fence * per))
    median = order_rank(group.iterations, MEDIAN)
    medians = np.partition(found.lateness, median, axis=1)[:, median].tolist()
    for kept in bins:
        if kept is not None:
            kept.add(first, found.from_last_entry)
    return GroupResult(
        group=group,
        time=time,
        median_from_first_entry_ns=int(np.partition(found.from_first_entry, median)[median]) / per,
        lateness_ns=_reported(group, medians, bound_ns),
        clock_bound_ns=bound_ns,
        fence_ns=fence,
        outliers=outliers,
        timeline=bins[0],
        blocks=bins[1],
    )


def _reported(group: Group, medians: list[int], bound_ns: int) -> dict[int, float | None]:
    return {
        rank: reported_lateness(median, bound_ns)
        for rank, median in zip(group.ranks, medians, strict=True)
    }
