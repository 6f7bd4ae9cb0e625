# SPDX-License-Identifier: Apache-2.0
"""Distribution of the latencies of many pairs, in bounded memory, tail and all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

BUCKETS_PER_OCTAVE = 32
"""A bucket is 2.2 % wide."""


@dataclass
class Trips:
    """Counts of latencies in buckets of equal ratio, and the true maximum.

    Attributes
    ----------
    counts : ndarray of int, shape (buckets,)
        Bucket i holds latencies of [2^(i/32), 2^((i+1)/32)) ns.
    maximum_ns : float
    """

    counts: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))
    maximum_ns: float = 0.0

    @property
    def count(self) -> int:
        """Number of latencies."""
        return int(self.counts.sum())

    def add(self, times_ns: Int64s, per: int, weights: Int64s | None = None) -> None:
        """Add the times of samples, any shape, all positive; one operation takes 1 / per.

        ``weights``, as many, say how many operations each stands for.
        """
        latency_ns = times_ns.ravel() / per
        buckets = np.floor(np.log2(np.maximum(latency_ns, 1)) * BUCKETS_PER_OCTAVE)
        counts = np.bincount(buckets.astype(np.int64), weights)
        self._add_counts(counts.astype(np.int64, copy=False))
        self.maximum_ns = max(self.maximum_ns, float(latency_ns.max(initial=0.0)))

    def merge(self, other: Trips) -> None:
        """Add the latencies of another case."""
        self._add_counts(other.counts)
        self.maximum_ns = max(self.maximum_ns, other.maximum_ns)

    def _add_counts(self, counts: Int64s) -> None:
        size = max(self.counts.size, counts.size)
        self.counts = np.pad(self.counts, (0, size - self.counts.size))
        self.counts[: counts.size] += counts

    def slower(self) -> tuple[Floats, Floats]:
        """Return how many take at least how long.

        Returns
        -------
        times_ns : ndarray, shape (points,), ascending
            Lower edges of the buckets in use; last the maximum.
        shares : ndarray, shape (points,)
            Share of all that are not faster: 1 at the first, 1 / count at the maximum.
        """
        used = np.flatnonzero(self.counts)
        not_faster = np.cumsum(self.counts[::-1])[::-1][used]
        edges = np.minimum(2.0 ** (used / BUCKETS_PER_OCTAVE), self.maximum_ns)
        times = np.append(edges, self.maximum_ns)
        return times, np.append(not_faster, 1) / max(self.count, 1)
