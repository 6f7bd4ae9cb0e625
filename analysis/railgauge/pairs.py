# SPDX-License-Identifier: Apache-2.0
"""Explodes a case of ``railgauge-pairs``, one round of disjoint pairs, into its pairs. Pure.

A pair is one direction, from a rail of a node to a rail of another: ``n0 rail 2 -> n3``. Ranks that
share both ends are its lanes; within a node a pair is from one rank to another. Definitions:
docs/pairs.md and docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_setup import LATENCY, times_per_sample
from railgauge.quantiles import ExactQuantiles
from railgauge.stats import MEDIAN, is_shown, order_rank

Int64s = NDArray[np.int64]

BENCHMARK = "pairs"
NODE_FIRST = "node-first"
NODE_PATTERNS = ("node-pairs", NODE_FIRST)
_TAIL = 0.99
_BITS_PER_BYTE = 8


class Path(NamedTuple):
    """The two ends of a pair as numbers of nodes and rails; rail -1 = none.

    Payload flows from the source. Node `pair_setup.OUTSIDE` is a host outside the job. The ranks
    tell the pairs within a node apart; -1 between nodes, where ranks are lanes.
    """

    source: int
    source_rail: int
    destination: int
    destination_rail: int
    source_rank: int = -1
    destination_rank: int = -1


@dataclass(frozen=True, slots=True)
class Times:
    """Exact summary of acknowledgement times, ns of one sample."""

    n: int
    median: int
    p99: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Pair:
    """What one pair measured in one case.

    Attributes
    ----------
    samples : int
        Over all lanes.
    gbit_per_s : float or None
        Payload rate in this direction, Gbit/s (1e9 bit/s): the sum over the lanes of window /
        median time to its acknowledgement. None for latency.
    median_ns, p99_ns, max_ns : float
        Bandwidth: of a window until it is acknowledged. Latency: of half a round trip, of a read
        all of it. Over the samples of all lanes; p99 is None below 1000 samples.
    """

    path: Path
    lanes: int
    samples: int
    gbit_per_s: float | None
    median_ns: float
    p99_ns: float | None
    max_ns: float

    @property
    def value(self) -> float:
        """The judged number: Gbit/s of bandwidth, us of latency."""
        return self.median_ns / 1e3 if self.gbit_per_s is None else self.gbit_per_s


def is_pairs(run: Run) -> bool:
    """Tell whether all cases of a run are rounds of pairs."""
    return bool(run.cases) and all(c.benchmark == BENCHMARK for c in run.cases)


def is_latency(case: Case) -> bool:
    """Tell whether samples are single messages or reads instead of windows."""
    return case.operation == LATENCY


def is_within_nodes(case: Case) -> bool:
    """Tell whether both ends of each pair of a case are in one node, by its pattern."""
    return case.variables.get("pattern") in NODE_PATTERNS


def explode(case: Case, paths: Sequence[Path], acknowledged_ns: Int64s) -> list[Pair]:
    """Summarise pairs with equally many lanes and samples.

    Parameters
    ----------
    case : Case
        Says what a sample is: ``operation``, ``algbw_bytes`` (the window), ``ops_per_sample``.
    paths : sequence of Path, length pairs
    acknowledged_ns : ndarray, shape (pairs, lanes, samples), ns, positive
        From a sample's entry until the peer had confirmed all of it, or it was read; for latency
        the round trip.
    """
    position = order_rank(acknowledged_ns.shape[2], MEDIAN)
    medians = np.partition(acknowledged_ns, position, axis=2)[:, :, position].tolist()
    pooled = times_of(acknowledged_ns.reshape(len(paths), -1))
    return [make_pair(case, *each) for each in zip(paths, medians, pooled, strict=True)]


def make_pair(case: Case, path: Path, lane_medians_ns: Sequence[int], pooled: Times) -> Pair:
    """Build a pair from the median of each lane and the times of all lanes, ns of one sample."""
    bits = case.algbw_bytes * case.ops_per_sample * _BITS_PER_BYTE
    rate = None if is_latency(case) else sum(bits / m for m in lane_medians_ns)
    per = times_per_sample(case)
    return Pair(
        path=path,
        lanes=len(lane_medians_ns),
        samples=pooled.n,
        gbit_per_s=rate,
        median_ns=pooled.median / per,
        p99_ns=pooled.p99 / per if is_shown(pooled.n, _TAIL) else None,
        max_ns=pooled.maximum / per,
    )


def times_of(values_ns: Int64s) -> list[Times]:
    """Summarise each row of ``values_ns``, shape (rows, n), n > 0."""
    n = values_ns.shape[1]
    middle, tail = order_rank(n, MEDIAN), order_rank(n, _TAIL)
    parted = np.partition(values_ns, sorted({middle, tail}), axis=1)
    columns = (parted[:, middle], parted[:, tail], values_ns.max(axis=1))
    rows = zip(*(c.tolist() for c in columns), strict=True)
    return [Times(n, *row) for row in rows]


def times_of_stream(chunks: Callable[[], Iterable[Int64s]]) -> Times:
    """Summarise values too many for memory; ``chunks`` is called once per pass over them."""
    exact, maximum = ExactQuantiles(), 0
    for chunk in chunks():
        exact.add(chunk)
        maximum = max(maximum, int(chunk.max()))
    n = exact.count
    middle, tail = order_rank(n, MEDIAN), order_rank(n, _TAIL)
    exact.aim([middle, tail])
    while not exact.resolved:
        for chunk in chunks():
            exact.refine(chunk)
        exact.narrow()
    return Times(n, exact.value(middle), exact.value(tail), maximum)
