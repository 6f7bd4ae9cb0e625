# SPDX-License-Identifier: Apache-2.0
"""Latencies of requests, each row weighed by the requests that it stands for, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from railgauge.quantiles import ExactQuantiles
from railgauge.samples import Int64s
from railgauge.stats import MEDIAN, is_shown, order_rank
from railgauge.trips import Trips

LATENCY_QUANTILES = (MEDIAN, 0.95, 0.99, 0.999)

Timed = tuple[Int64s, Int64s, Int64s | None]
"""Latencies, longest of each row, requests of each row (None = 1 each), shape (rows,); ns."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Exact summary of latencies, ns.

    Attributes
    ----------
    rows : int
        Measured latencies; what decides whether a percentile is shown.
    requests : int
        What the rows stand for.
    mean : float
        Weighed by requests.
    maximum : int
        Of all requests, those without a row of their own included.
    quantiles : dict
        Smallest latency with at least p of the requests up to it; show them through `shown`.
    trips : Trips
        The distribution, in buckets, weighed.
    """

    rows: int
    requests: int
    mean: float
    maximum: int
    quantiles: dict[float, int]
    trips: Trips

    def shown(self, p: float) -> int | None:
        """Return the p-quantile, or None when fewer than 10 measured values lie beyond it."""
        return self.quantiles[p] if is_shown(self.rows, p) else None


class LatencyTally:
    """Adds up latencies; its quantiles take further passes over the same rows."""

    def __init__(self) -> None:
        self._exact = ExactQuantiles()
        self._trips = Trips()
        self._sum_ns = 0.0
        self._rows = 0
        self._maximum = 0

    def add(self, timed: Timed) -> None:
        """Add a block of rows."""
        elapsed_ns, longest_ns, weights = timed
        if not elapsed_ns.size:
            return
        self._exact.add(elapsed_ns, weights)
        self._trips.add(elapsed_ns, 1, weights)
        self._trips.maximum_ns = float(max(self._trips.maximum_ns, longest_ns.max()))
        times = elapsed_ns.astype(np.float64)
        self._sum_ns += float(times.sum() if weights is None else times @ weights)
        self._rows += elapsed_ns.size
        self._maximum = max(self._maximum, int(longest_ns.max()))

    def finish(self, again: Callable[[], Iterable[Timed]]) -> Latency | None:
        """Return the summary; ``again`` yields the same blocks, once per further pass."""
        n = self._exact.count
        if not n:
            return None
        ranks = {p: order_rank(n, p) for p in LATENCY_QUANTILES}
        self._exact.aim(ranks.values())
        while not self._exact.resolved:
            for elapsed_ns, _, weights in again():
                self._exact.refine(elapsed_ns, weights)
            self._exact.narrow()
        quantiles = {p: self._exact.value(rank) for p, rank in ranks.items()}
        return Latency(self._rows, n, self._sum_ns / n, self._maximum, quantiles, self._trips)
