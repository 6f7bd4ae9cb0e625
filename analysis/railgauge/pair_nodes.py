# SPDX-License-Identifier: Apache-2.0
"""Joins the pairs within nodes: one matrix of GPUs (or ranks) x GPUs for each node.

for found in node_sets(results, Seats(run)):  # one per size, depth, direction, ...
    for node in found.nodes:
        node.labels, node.values[source, destination], node.median
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from railgauge.errors import DamagedRun
from railgauge.load import Run
from railgauge.pair_conditions import Condition, condition_of
from railgauge.pair_results import PairsResult
from railgauge.pair_sets import Floats, median_of, nodes_of, percent_of
from railgauge.pairs import NODE_FIRST, Path, is_within_nodes
from railgauge.stats import MEDIAN, order_rank

Ends = tuple[int, int]
"""Ranks of a pair: the one that sends, the one that receives."""


class Seat(NamedTuple):
    """Where a rank sits in its node; GPU -1 = none."""

    node: int
    local: int
    gpu: int
    label: str


class Seats:
    """The seats of all ranks, by rank, and the ranks of each node in the order of their labels.

    Ranks go by the index of their GPU where every rank has one that no other rank of its node has,
    else by their local rank; in one run all do the same, so that nodes can be compared.

    Raises
    ------
    DamagedRun
        A local rank is negative, or two ranks of a node have the same.
    """

    def __init__(self, run: Run) -> None:
        self.hosts = nodes_of(run)
        self._require_places(run)
        gpus = {(r.node, r.gpu_index) for r in run.ranks if r.gpu_index >= 0}
        by_gpu = len(gpus) == len(run.ranks)
        self.of: list[Seat] = [
            Seat(
                r.node,
                r.local_rank,
                r.gpu_index,
                f"GPU {r.gpu_index}" if by_gpu else f"rank {r.local_rank}",
            )
            for r in run.ranks
        ]
        self.ranks: dict[int, list[int]] = {node: [] for node in self.hosts}
        for rank, seat in enumerate(self.of):
            self.ranks[seat.node].append(rank)
        self.first = {node: ranks[0] for node, ranks in self.ranks.items()}
        for ranks in self.ranks.values():
            ranks.sort(key=lambda r: self.of[r].gpu if by_gpu else self.of[r].local)

    def _require_places(self, run: Run) -> None:
        taken: dict[Ends, int] = {}
        for r in run.ranks:
            why = ""
            if r.local_rank < 0:
                why = f"rank {r.rank} on {r.host} has local rank {r.local_rank}"
            elif (other := taken.setdefault((r.node, r.local_rank), r.rank)) != r.rank:
                why = f"ranks {other} and {r.rank} on {r.host} both have local rank {r.local_rank}"
            if why:
                raise DamagedRun("/ranks is damaged", why, "Measure again.")

    def text(self, path: Path) -> str:
        """``gpu03 GPU 2 -> GPU 5``."""
        here, there = self.of[path.source_rank].label, self.of[path.destination_rank].label
        return f"{self.hosts[path.source]} {here} -> {there}"


@dataclass(frozen=True, slots=True)
class NodeMatrix:
    """The pairs within one node.

    Attributes
    ----------
    first : int
        The place of the node's first rank among ``labels``: the one end of all of `node-first`.
    labels : tuple of str
        ``GPU 0`` or ``rank 0`` of each row and column.
    values : ndarray, shape (labels, labels)
        Row sends, column receives; Gbit/s, or us for latency. NaN where nothing was measured.
    others : ndarray, shape (labels, labels)
        Median of the same pair on all other nodes; NaN where none of them measured it.
    pairs : dict
        Every pair: the median over the samples of a case, and of several cases the median of
        theirs.
    median : float
        Of all pairs of this node; NaN of none.
    """

    node: int
    host: str
    first: int
    labels: tuple[str, ...]
    values: Floats
    others: Floats
    pairs: Mapping[Path, float]
    median: float


@dataclass(frozen=True, slots=True)
class NodePair:
    """A pair among those of its node: its number, and that as % of two medians.

    ``percent_of_others`` is of the same pair on all other nodes, NaN where none measured it.
    """

    path: Path
    value: float
    percent: float
    percent_of_others: float


@dataclass(frozen=True, slots=True)
class NodeSet:
    """All pairs within nodes that were measured under one condition, node by node."""

    condition: Condition
    nodes: tuple[NodeMatrix, ...]
    ranked: tuple[NodePair, ...]
    """Slowest against their node's median first."""
    slowest: Mapping[int, NodePair]
    """By node; none of a node where nothing was measured."""
    others: Mapping[Path, float]
    """Median of each pair's like on all other nodes, where there is any."""

    @property
    def is_from_first(self) -> bool:
        """True when all pairs have the first rank of their node at one end."""
        return self.condition.pattern == NODE_FIRST

    def values(self) -> list[float]:
        """Return the number of every pair."""
        return [p.value for p in self.ranked]

    def worst_by_others(self) -> NodePair | None:
        """Return the pair that is slowest against the same pair on the other nodes."""
        known = [p for p in self.ranked if not np.isnan(p.percent_of_others)]
        sign = -1 if self.condition.is_latency else 1
        return min(known, key=lambda p: sign * p.percent_of_others, default=None)


def node_sets(results: Iterable[PairsResult], seats: Seats) -> list[NodeSet]:
    """Join the results of patterns within nodes, conditions in the order of their first case.

    Cases with wrong data are left out: a wrong case is never a fast one.
    """
    found: dict[Condition, dict[Path, list[float]]] = {}
    for result in results:
        if result.case.wrong or not result.pairs or not is_within_nodes(result.case):
            continue
        cells = found.setdefault(condition_of(result.case), {})
        for pair in result.pairs:
            cells.setdefault(pair.path, []).append(pair.value)
    return [
        _node_set(c, {path: median_of(v) for path, v in sorted(cells.items())}, seats)
        for c, cells in found.items()
    ]


def _node_set(condition: Condition, pairs: Mapping[Path, float], seats: Seats) -> NodeSet:
    others = _medians_elsewhere(pairs, seats)
    by_node: dict[int, dict[Path, float]] = {node: {} for node in seats.hosts}
    for path, value in pairs.items():
        by_node[path.source][path] = value
    nodes = tuple(_matrix(node, here, others, seats) for node, here in by_node.items())
    medians = {n.node: n.median for n in nodes}
    ranked = [
        NodePair(path, v, percent_of(v, medians[path.source]), percent_of(v, others.get(path)))
        for path, v in pairs.items()
    ]
    ranked.sort(key=lambda p: p.percent, reverse=condition.is_latency)
    slowest: dict[int, NodePair] = {}
    for pair in ranked:
        slowest.setdefault(pair.path.source, pair)
    return NodeSet(condition, nodes, tuple(ranked), slowest, others)


def _matrix(
    node: int, pairs: Mapping[Path, float], others: Mapping[Path, float], seats: Seats
) -> NodeMatrix:
    ranks = seats.ranks[node]
    place = {rank: i for i, rank in enumerate(ranks)}
    values, elsewhere = (np.full((len(ranks), len(ranks)), np.nan) for _ in range(2))
    for path, value in pairs.items():
        cell = place[path.source_rank], place[path.destination_rank]
        values[cell] = value
        elsewhere[cell] = others.get(path, np.nan)
    labels = tuple(seats.of[rank].label for rank in ranks)
    first, median = place[seats.first[node]], median_of(list(pairs.values()))
    return NodeMatrix(node, seats.hosts[node], first, labels, values, elsewhere, pairs, median)


def _medians_elsewhere(pairs: Mapping[Path, float], seats: Seats) -> dict[Path, float]:
    """Return the median of each pair's like on all other nodes, where there is any."""
    alike: dict[tuple[str, str], list[tuple[float, Path]]] = {}
    for path, value in pairs.items():
        labels = seats.of[path.source_rank].label, seats.of[path.destination_rank].label
        alike.setdefault(labels, []).append((value, path))
    found: dict[Path, float] = {}
    for several in alike.values():
        found.update(_medians_of_others(several))
    return found


def _medians_of_others(several: Sequence[tuple[float, Path]]) -> Iterator[tuple[Path, float]]:
    if len(several) < 2:
        return
    ordered = sorted(several)
    middle = order_rank(len(ordered) - 1, MEDIAN)
    for i, (_, path) in enumerate(ordered):
        yield path, ordered[middle + (i <= middle)][0]
