# SPDX-License-Identifier: Apache-2.0
"""Joins the rounds and repeats of the same measurement: one matrix of nodes x nodes per rail.

for found in pair_sets(results, nodes_of(run)):  # one per size, depth, direction, ...
    for rail in found.rails:
        rail.values[source, destination], rail.median
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_results import PairsResult
from railgauge.pairs import LATENCY, NODE_PATTERNS, Path, is_within_nodes
from railgauge.stats import MEDIAN, order_rank
from railgauge.text import size_label

Floats = NDArray[np.float64]

ALONE = "alone"
"""`Condition.rails` where each rail was measured by itself."""

_ONE_WAY = "one way"
_DIRECTIONS = {"both": "both ways at once", "forward": _ONE_WAY, "backward": _ONE_WAY}


class Condition(NamedTuple):
    """What the cases of a set have in common: all variables but those that choose the pairs.

    ``direction`` joins forward and backward as one way, for together they measure every pair.
    """

    operation: str
    backend: str
    memory: str
    pattern: str
    direction: str
    bytes: int
    depth: int
    rails: str
    plane: str

    @property
    def is_latency(self) -> bool:
        """True when the numbers are half round trips in us, else they are Gbit/s."""
        return self.operation == LATENCY


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
    values : ndarray, shape (nodes, nodes)
        Row = source, column = destination, in the order of `nodes_of`; Gbit/s, or us for latency.
        NaN where nothing was measured; within a node the median of its pairs of ranks.
    pairs : dict
        Every pair: the median over the samples of a case, and of several cases the median of
        theirs.
    median : float
        Of all pairs of this rail.
    """

    source_rail: int
    destination_rail: int
    values: Floats
    pairs: Mapping[Path, float]
    median: float

    @property
    def name(self) -> str:
        """``rail 2``, ``rail 0 -> rail 1``, or ``no rail map``."""
        if self.source_rail < 0 and self.destination_rail < 0:
            return "no rail map"
        here, there = f"rail {self.source_rail}", f"rail {self.destination_rail}"
        return here if here == there else f"{here} -> {there}"


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


def condition_of(case: Case) -> Condition:
    """Return the condition under which a case was measured."""
    text = {n: str(case.variables.get(n, "")) for n in ("pattern", "direction", "rails", "plane")}
    several = "," in text["rails"] or text["rails"] in ("", "none")
    return Condition(
        case.operation,
        case.backend,
        case.memory,
        text["pattern"],
        _DIRECTIONS.get(text["direction"], text["direction"]),
        _integer(case, "bytes"),
        _integer(case, "depth"),
        text["rails"] if several else ALONE,
        text["plane"],
    )


def _integer(case: Case, name: str) -> int:
    value = case.variables.get(name)
    return value if isinstance(value, int) else 0


def condition_labels(conditions: Sequence[Condition], *, with_size: bool = True) -> list[str]:
    """Describe conditions by size, depth, and whatever else is not the same in all of them."""
    always = {"operation", "depth"} | ({"bytes"} if with_size else set())
    always |= {"pattern"} if all(c.pattern in NODE_PATTERNS for c in conditions) else set()
    told = [
        n for n in Condition._fields if n in always or len({getattr(c, n) for c in conditions}) > 1
    ]
    return [" · ".join(_words(c, told)) for c in conditions]


def _words(condition: Condition, told: Sequence[str]) -> Iterator[str]:
    for name in told:
        value = getattr(condition, name)
        if name == "bytes":
            yield size_label(value)
        elif name == "depth":
            if not condition.is_latency:
                yield f"depth {value}"
        elif name == "rails":
            yield "each rail alone" if value == ALONE else f"rails {value}"
        elif name == "plane":
            yield f"plane {value}" if value else "no plane"
        elif not (name == "direction" and condition.is_latency):
            yield value


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
    return [PairSet(c, _matrices(cells, list(nodes))) for c, cells in found.items()]


def _matrices(cells: Mapping[Path, list[float]], nodes: list[int]) -> tuple[RailMatrix, ...]:
    by_rail: dict[tuple[int, int], dict[Path, float]] = {}
    for path, values in sorted(cells.items()):
        rails = (path.source_rail, path.destination_rail)
        by_rail.setdefault(rails, {})[path] = median_of(values)
    return tuple(
        RailMatrix(*rails, _matrix(pairs, nodes), pairs, median_of(list(pairs.values())))
        for rails, pairs in sorted(by_rail.items())
    )


def _matrix(pairs: Mapping[Path, float], nodes: list[int]) -> Floats:
    place = {node: i for i, node in enumerate(nodes)}
    ends: dict[tuple[int, int], list[float]] = {}
    for path, value in pairs.items():
        ends.setdefault((place[path.source], place[path.destination]), []).append(value)
    matrix = np.full((len(nodes), len(nodes)), np.nan)
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
    values : ndarray, shape (nodes, nodes)
        As in `RailMatrix`.

    Returns
    -------
    rows, columns : ndarray, shape (nodes,)
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


def rail_medians(sets: Iterable[PairSet]) -> dict[tuple[Condition, int, int], float]:
    """Return the median of each condition, source rail and destination rail."""
    return {
        (s.condition, r.source_rail, r.destination_rail): r.median for s in sets for r in s.rails
    }
