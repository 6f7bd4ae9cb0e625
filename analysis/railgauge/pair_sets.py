# SPDX-License-Identifier: Apache-2.0
"""Joins the rounds and repeats of the same measurement: one matrix of nodes x nodes per rail.

Of a bipartite pattern it is one of senders x receivers for each of the two ways between the groups,
with hosts outside the job one of nodes x that host.

for found in pair_sets(results, nodes_of(run)):  # one per size, depth, direction, ...
    for rail in found.rails:
        rail.values[source, destination], rail.median
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from railgauge.load import Run
from railgauge.pair_conditions import Condition, condition_of
from railgauge.pair_results import PairsResult
from railgauge.pair_setup import BIPARTITE, OUTSIDE, SERVED
from railgauge.pairs import Path, is_within_nodes
from railgauge.stats import MEDIAN, order_rank

Floats = NDArray[np.float64]


class Measured(Protocol):
    """Pairs that were measured under one condition."""

    @property
    def condition(self) -> Condition:
        """What they have in common."""

    def values(self) -> list[float]:
        """Return the number of every pair."""


@dataclass(frozen=True, slots=True)
class RailMatrix:
    """The pairs from one rail to another, which is mostly itself.

    Attributes
    ----------
    sources, destinations : tuple of int
        Nodes of the rows and of the columns.
    values : ndarray, shape (sources, destinations)
        Row = source, column = destination; Gbit/s, or us for latency. NaN where nothing was
        measured; within a node the median of its pairs of ranks.
    pairs : dict
        Every pair: the median over the samples of a case, and of several cases the median of
        theirs.
    median : float
        Of all pairs of this rail, and of bipartite patterns of this way.
    way : str
        Of bipartite patterns from whom to whom: ``n0 .. n3 -> s0 .. s9``.
    """

    source_rail: int
    destination_rail: int
    sources: tuple[int, ...]
    destinations: tuple[int, ...]
    values: Floats
    pairs: Mapping[Path, float]
    median: float
    way: str = ""

    @property
    def name(self) -> str:
        """``rail 2``, ``rail 0 -> rail 1``, or ``no rail map``; the way behind it."""
        known = dict.fromkeys(r for r in (self.source_rail, self.destination_rail) if r >= 0)
        rails = " -> ".join(f"rail {r}" for r in known) or "no rail map"
        return f"{rails}, {self.way}" if self.way else rails


@dataclass(frozen=True, slots=True)
class PairSet:
    """All pairs that were measured under one condition, rail by rail."""

    condition: Condition
    rails: tuple[RailMatrix, ...]

    def values(self) -> list[float]:
        """Return the number of every pair."""
        return [v for rail in self.rails for v in rail.pairs.values()]


@dataclass(frozen=True, slots=True)
class RankedPair:
    """A pair among those of its rail: its number, and that as % of the rail's median."""

    path: Path
    value: float
    percent: float


def nodes_of(run: Run) -> dict[int, str]:
    """Return the host of each node that has ranks, ascending by node."""
    return dict(sorted({r.node: r.host for r in run.ranks}.items()))


def pair_sets(results: Iterable[PairsResult], nodes: Mapping[int, str]) -> list[PairSet]:
    """Join the results, in the order in which their conditions were first measured.

    Patterns within nodes know no rails and are left to `railgauge.pair_nodes`. Cases with wrong
    data are left out: a wrong case is never a fast one.
    """
    found: dict[Condition, dict[Path, list[float]]] = {}
    for result in results:
        if result.case.wrong or not result.pairs or is_within_nodes(result.case):
            continue
        cells = found.setdefault(condition_of(result.case), {})
        for pair in result.pairs:
            cells.setdefault(pair.path, []).append(pair.value)
    return [PairSet(c, _matrices(c, cells, nodes)) for c, cells in found.items()]


def _matrices(
    condition: Condition, cells: Mapping[Path, list[float]], nodes: Mapping[int, str]
) -> tuple[RailMatrix, ...]:
    groups = _two_groups(cells) if condition.pattern == BIPARTITE else {}
    parts: dict[tuple[int, int, int], dict[Path, float]] = {}
    for path, several in sorted(cells.items()):
        key = (path.source_rail, path.destination_rail, groups.get(path.source, 0))
        parts.setdefault(key, {})[path] = median_of(several)
    matrices = []
    for (source_rail, destination_rail, group), pairs in sorted(parts.items()):
        ends = _ends(condition, groups, group, nodes)
        values, median = _matrix(pairs, *ends), median_of(list(pairs.values()))
        way = f"{_span(ends[0], nodes)} -> {_span(ends[1], nodes)}" if groups else ""
        matrices.append(
            RailMatrix(source_rail, destination_rail, *ends, values, pairs, median, way)
        )
    return tuple(matrices)


def _two_groups(paths: Iterable[Path]) -> dict[int, int]:
    """Return the group (0, 1) of each node such that all pairs are between them; none = no such.

    The lowest node of those that hang together is of group 0.
    """
    peers: dict[int, set[int]] = {}
    for path in paths:
        peers.setdefault(path.source, set()).add(path.destination)
        peers.setdefault(path.destination, set()).add(path.source)
    group: dict[int, int] = {}
    for first in sorted(peers):
        pending = [] if first in group else [(first, 0)]
        while pending:
            node, number = pending.pop()
            if group.setdefault(node, number) != number:
                return {}
            pending += [(p, 1 - number) for p in peers[node] if group.get(p) != 1 - number]
    return group


def _ends(
    condition: Condition, groups: Mapping[int, int], group: int, nodes: Mapping[int, str]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the nodes of rows and columns."""
    everyone = tuple(nodes)
    if groups:
        two = [tuple(n for n in everyone if groups.get(n) == g) for g in (group, 1 - group)]
        return two[0], two[1]
    if condition.pattern == SERVED:
        return ((OUTSIDE,), everyone) if condition.is_read else (everyone, (OUTSIDE,))
    return everyone, everyone


def _span(ends: Sequence[int], nodes: Mapping[int, str]) -> str:
    first, last = (_short(nodes[end]) for end in (ends[0], ends[-1]))
    return first if len(ends) == 1 else f"{first} .. {last}"


def _short(host: str) -> str:
    """Leave the domain out; an address has none."""
    name = host.split(".")[0]
    return host if name.isdigit() or not name else name


def _matrix(
    pairs: Mapping[Path, float], sources: Sequence[int], destinations: Sequence[int]
) -> Floats:
    rows, columns = ({node: i for i, node in enumerate(e)} for e in (sources, destinations))
    ends: dict[tuple[int, int], list[float]] = {}
    for path, value in pairs.items():
        ends.setdefault((rows[path.source], columns[path.destination]), []).append(value)
    matrix = np.full((len(rows), len(columns)), np.nan)
    for where, values in ends.items():
        matrix[where] = median_of(values)
    return matrix


def median_of(values: Sequence[float] | Floats) -> float:
    """Median by nearest rank, a value that is among them; NaN of none."""
    ordered = np.sort(np.asarray(values, np.float64))
    return float(ordered[order_rank(ordered.size, MEDIAN)]) if ordered.size else float("nan")


def percent_of(value: float, median: float | None) -> float:
    """Return a number as % of a median; NaN where there is none, or it is 0."""
    return 100 * value / median if median else float("nan")


def deviations(values: Floats) -> tuple[Floats, Floats]:
    """Compare what each node sends and receives with what all do.

    Parameters
    ----------
    values : ndarray, shape (sources, destinations)
        As in `RailMatrix`.

    Returns
    -------
    rows, columns : ndarray, shape (sources,), (destinations,)
        Median of a node's row (sent) and column (received) / median of all cells; NaN for a node
        without any.
    """
    known = ~np.isnan(values)
    everything = median_of(values[known])
    rows = [median_of(row[use]) for row, use in zip(values, known, strict=True)]
    columns = [median_of(row[use]) for row, use in zip(values.T, known.T, strict=True)]
    return np.array(rows) / everything, np.array(columns) / everything


def ranked(found: PairSet) -> list[RankedPair]:
    """Return the pairs of all rails, slowest against their rail's median first."""
    pairs = [
        RankedPair(path, value, percent_of(value, rail.median))
        for rail in found.rails
        for path, value in rail.pairs.items()
    ]
    pairs.sort(key=lambda p: p.percent, reverse=found.condition.is_latency)
    return pairs


def path_text(path: Path, nodes: Mapping[int, str]) -> str:
    """``n3 rail 2 -> n7``, ``n3 rail 2 -> n7 rail 0``, or within a node ``rank 0 -> rank 1``."""
    if path.source_rank >= 0:
        return f"rank {path.source_rank} -> rank {path.destination_rank}"
    here, there = nodes[path.source], nodes[path.destination]
    if path.source_rail >= 0:
        here += f" rail {path.source_rail}"
    if path.destination_rail not in (path.source_rail, -1):
        there += f" rail {path.destination_rail}"
    return f"{here} -> {there}"


def rail_medians(sets: Iterable[PairSet]) -> dict[Condition, dict[Path, float]]:
    """Return of each condition and pair the median that it is compared with: that of its rail."""
    return {
        s.condition: {path: rail.median for rail in s.rails for path in rail.pairs} for s in sets
    }
