# SPDX-License-Identifier: Apache-2.0
"""What an incast does to a victim's round trips: congestion factors and how sure they are. Pure.

The factor is the victim's time beside the incast / its time alone, of the average and of the 99th
percentile: the congestion impact of GPCNeT (S. Chunduri, T. Groves, P. Mendygral et al., GPCNeT:
Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks, SC 2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from railgauge.incast_latency import Latency
from railgauge.samples import Int64s
from railgauge.stats import order_rank

Floats = NDArray[np.float64]

TIME_BLOCKS = 32
"""Equal stretches of the window, the unit of resampling."""

LEAST_BLOCKS = 10
"""Stretches with round trips below which an interval is not given."""

TAIL = 0.99
_RESAMPLES = 2000
_AT_ONCE = 100
_SEED = 20191117
_BUCKETS_PER_OCTAVE = 256
_OCTAVES = 52


class BlockTally:
    """Round trips in `TIME_BLOCKS` equal stretches of a window, in bounded memory.

    Attributes
    ----------
    weight, total_ns : ndarray, shape (blocks,)
        Round trips of each stretch, and the sum of their times.
    counts : ndarray of int, shape (blocks, buckets)
        Round trips by time, in buckets 0.27 % wide.
    buckets : ndarray of int, shape (buckets,)
        Bucket i holds times of [2^(i/256), 2^((i+1)/256)) ns; after `finish` only those in use.
    """

    def __init__(self, begin_ns: int, end_ns: int) -> None:
        self._begin_ns = begin_ns
        self._length_ns = end_ns - begin_ns
        self.weight = np.zeros(TIME_BLOCKS)
        self.total_ns = np.zeros(TIME_BLOCKS)
        self.counts = np.zeros((TIME_BLOCKS, 0), np.int64)
        self.buckets = np.zeros(0, np.int64)

    def add(self, completed_ns: Int64s, elapsed_ns: Int64s, weights: Int64s | None) -> None:
        """Add rows of shape (n,), all of them inside the window."""
        at = ((completed_ns - self._begin_ns) * float(TIME_BLOCKS) // self._length_ns).astype(int)
        at = np.clip(at, 0, TIME_BLOCKS - 1)
        each = np.ones(at.size) if weights is None else weights.astype(np.float64)
        self.weight += np.bincount(at, each, TIME_BLOCKS)
        self.total_ns += np.bincount(at, each * elapsed_ns, TIME_BLOCKS)
        octaves = np.log2(np.maximum(elapsed_ns, 1))
        bucket = np.minimum(octaves * _BUCKETS_PER_OCTAVE, _OCTAVES * _BUCKETS_PER_OCTAVE)
        bucket = bucket.astype(np.int64)
        width = max(self.counts.shape[1], int(bucket.max(initial=0)) + 1)
        self.counts = np.pad(self.counts, ((0, 0), (0, width - self.counts.shape[1])))
        flat = np.bincount(at * width + bucket, each, TIME_BLOCKS * width)
        self.counts += flat.reshape(TIME_BLOCKS, width).astype(np.int64)
        self.buckets = np.arange(width)

    def finish(self) -> None:
        """Let go of buckets without round trips; nothing can be added any more."""
        used = np.flatnonzero(self.counts.sum(axis=0))
        self.buckets, self.counts = self.buckets[used], self.counts[:, used]

    def resampled(self, random: np.random.RandomState) -> tuple[Floats, Floats] | None:
        """Draw stretches with replacement; return averages and 99th percentiles, ns.

        None with fewer than `LEAST_BLOCKS` stretches that hold round trips.
        """
        used = np.flatnonzero(self.weight)
        if used.size < LEAST_BLOCKS:
            return None
        counts = self.counts[used].astype(np.float64)
        centres = 2.0 ** ((self.buckets + 0.5) / _BUCKETS_PER_OCTAVE)
        drawn = random.randint(0, used.size, (_RESAMPLES, used.size))
        times = np.stack([np.bincount(row, minlength=used.size) for row in drawn]).astype(float)
        averages: Floats = (times @ self.total_ns[used]) / (times @ self.weight[used])
        tails = np.empty(_RESAMPLES)
        for first in range(0, _RESAMPLES, _AT_ONCE):
            part = np.cumsum(times[first : first + _AT_ONCE] @ counts, axis=1)
            reached = part >= TAIL * part[:, -1:] - 1e-9
            tails[first : first + _AT_ONCE] = centres[reached.argmax(axis=1)]
        return averages, tails


@dataclass(frozen=True, slots=True)
class VictimTimes:
    """Round trips of a victim in one case, those finished while all senders worked."""

    latency: Latency
    blocks: BlockTally


@dataclass(frozen=True, slots=True)
class Factor:
    """Congested / isolated, with its 95 % interval; NaN where it is not known."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True)
class Factors:
    """Congestion factors of a victim, and how many measured round trips they are made of."""

    average: Factor
    tail: Factor
    isolated_rows: int
    congested_rows: int


def factors(isolated: VictimTimes, congested: VictimTimes) -> Factors:
    """Divide the congested times by the isolated ones.

    The factor of the 99th percentile takes 1000 measured round trips of each. Intervals: both
    windows are cut into stretches, which are drawn anew with replacement (non-overlapping block
    bootstrap: E. Carlstein, Annals of Statistics 14, 1986), because round trips that follow each
    other are not independent; 2.5 to 97.5 % of 2000 ratios. Generators and seeds are fixed, so
    that equal files give equal numbers.
    """
    low, high = isolated.latency, congested.latency
    tails = low.shown(TAIL), high.shown(TAIL)
    known = tails[0] and tails[1]
    average = high.mean / low.mean if low.mean > 0 else math.nan
    tail = tails[1] / tails[0] if known and tails[0] and tails[1] else math.nan
    drawn = (
        isolated.blocks.resampled(np.random.RandomState(_SEED)),
        congested.blocks.resampled(np.random.RandomState(_SEED + 1)),
    )
    if drawn[0] is None or drawn[1] is None:
        bounds = (Factor(average), Factor(tail))
    else:
        bounds = tuple(  # type: ignore[assignment]
            _bounded(value, one / other)
            for value, one, other in zip((average, tail), drawn[1], drawn[0], strict=True)
        )
    return Factors(*bounds, isolated_rows=low.rows, congested_rows=high.rows)


def _bounded(value: float, ratios: Floats) -> Factor:
    if not math.isfinite(value):
        return Factor(value)
    ordered = np.sort(ratios)
    ends = (ordered[order_rank(ordered.size, p)] for p in (0.025, 0.975))
    low, high = (float(f"{end:.6g}") for end in ends)  # a bucket is wider
    return Factor(value, min(low, value), max(high, value))
