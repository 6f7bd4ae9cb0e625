# SPDX-License-Identifier: Apache-2.0
"""Pure functions of samples; the definitions are explained in docs/statistics.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from railgauge.model import Rank
from railgauge.quantiles import ExactQuantiles

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

MEDIAN = 0.5
QUANTILES = (0.05, 0.25, MEDIAN, 0.75, 0.95, 0.99, 0.999)
MIN_BEYOND = 10
OUTLIER_MIN_SAMPLES = 20
CLOCK_SHARE_SHOWN = 0.05
"""Results whose time the clocks may falsify by a larger share are marked."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Times of each iteration of one group.

    Attributes
    ----------
    from_last_entry : ndarray, shape (iterations,), ns
        Latest exit - latest entry: the time of the collective.
    from_first_entry : ndarray, shape (iterations,), ns
        Latest exit - earliest entry: the same, waiting for late ranks included.
    lateness : ndarray, shape (ranks, iterations), ns
        Entry - earliest entry.
    """

    from_last_entry: Int64s
    from_first_entry: Int64s
    lateness: Int64s


def spans(start_ns: Int64s, elapsed_ns: Int64s) -> Spans:
    """Compute the times of a collective, iteration by iteration; overwrites both inputs.

    Parameters
    ----------
    start_ns, elapsed_ns : ndarray, shape (ranks, iterations), ns
        Entry on the common clock, and entry to completion on the host.
    """
    first_entry = start_ns.min(axis=0)
    last_entry = start_ns.max(axis=0)
    elapsed_ns += start_ns
    last_exit = elapsed_ns.max(axis=0)
    start_ns -= first_entry
    return Spans(last_exit - last_entry, last_exit - first_entry, start_ns)


def order_rank(n: int, p: float) -> int:
    """Index of the p-quantile among n ascending values: the smallest with at least p*n up to it.

    A quantile is always a value that was measured; nothing is interpolated.
    """
    return min(n - 1, max(0, math.ceil(p * n - 1e-9) - 1))


def is_shown(n: int, p: float) -> bool:
    """Tell whether a quantile of n values is worth showing: 10 values lie beyond it.

    The median is exempt: it is the judged number, and its interval says how well it is known.
    """
    return n > 0 and (p == MEDIAN or n * min(p, 1 - p) >= MIN_BEYOND - 1e-9)


@cache
def median_interval_ranks(n: int) -> tuple[int, int] | None:
    """Return the indices of the order statistics that enclose the median with >= 95 %.

    Distribution-free: the number of values below the median is binomial (n, 1/2). Assumes
    independent values, so within one launch it is a lower bound of the uncertainty.
    None below 6 values, where even minimum and maximum do not reach 95 %.

    Notes
    -----
    Exact up to n = 1000, beyond by the normal approximation. H. A. David and H. N. Nagaraja,
    Order Statistics, 3rd ed., section 7.1.
    """
    if n > 1000:
        half = 0.98 * math.sqrt(n)
        return math.floor(n / 2 - half) - 1, math.ceil(n / 2 + half)
    tail, low = 0, -1
    while True:
        tail += math.comb(n, low + 1)
        if tail * 40 > 2**n:
            break
        low += 1
    return (low, n - 1 - low) if low >= 0 else None


@dataclass(frozen=True, slots=True)
class Distribution:
    """Exact summary of n values, in the unit of the values.

    Attributes
    ----------
    n : int
    minimum, maximum, mean, median : float
    median_low, median_high : float or None
        95 % interval of the median, from order statistics.
    quantiles : dict
        All of `QUANTILES`; show them through `shown`, which hides those of too few values.
    """

    n: int
    minimum: float
    maximum: float
    mean: float
    median_low: float | None
    median_high: float | None
    quantiles: dict[float, float]

    @property
    def median(self) -> float:
        """The judged number."""
        return self.quantiles[MEDIAN]

    def shown(self, p: float) -> float | None:
        """Return the p-quantile, or None when fewer than 10 values lie beyond it."""
        return self.quantiles[p] if is_shown(self.n, p) else None


def wanted_ranks(n: int) -> set[int]:
    """Order statistics that a `Distribution` of n values needs."""
    return {order_rank(n, p) for p in QUANTILES} | set(median_interval_ranks(n) or ())


def distribution_of(values: Int64s, per: int = 1) -> Distribution:
    """Summarise values held in memory, shape (n,), n > 0; divides by ``per``."""
    n = values.size
    ranks = sorted(wanted_ranks(n))
    parted = np.partition(values, ranks)
    found = {r: int(parted[r]) for r in ranks}
    mean = float(values.mean(dtype=np.float64))
    return _distribution(n, int(values.min()), int(values.max()), mean, found, per)


def distribution_from(exact: ExactQuantiles, along: Bins, per: int = 1) -> Distribution:
    """Summarise a resolved stream of values, binned along the way; divides by ``per``."""
    n = exact.count
    found = {r: exact.value(r) for r in wanted_ranks(n)}
    mean = float(along.total.sum()) / n
    return _distribution(n, int(along.minimum.min()), int(along.maximum.max()), mean, found, per)


def _distribution(
    n: int, minimum: int, maximum: int, mean: float, found: dict[int, int], per: int
) -> Distribution:
    interval = median_interval_ranks(n)
    low, high = (found[r] / per for r in interval) if interval else (None, None)
    quantiles = {p: found[order_rank(n, p)] / per for p in QUANTILES}
    return Distribution(n, minimum / per, maximum / per, mean / per, low, high, quantiles)


def outlier_fence(times: Distribution) -> float | None:
    """Time above which an iteration is an outlier; None for fewer than 20.

    The larger of Q3 + 3 (Q3 - Q1), Tukey's far-out fence (Exploratory Data Analysis, 1977,
    section 2), and 1.5 x median, without which the fence of a very steady case lies inside the
    resolution of its clock.
    """
    if times.n < OUTLIER_MIN_SAMPLES:
        return None
    q1, q3 = times.quantiles[0.25], times.quantiles[0.75]
    return max(q3 + 3 * (q3 - q1), 1.5 * times.median)


def clock_bound_ns(ranks: Iterable[Rank], clock_ids: Sequence[str], error_ns: int) -> int:
    """Bound of the clock error between ranks of a group, ns.

    Ranks that share a clock (one boot_id) have no error among themselves; otherwise it is the
    case's bound. Lateness below twice the bound is not reported.

    Parameters
    ----------
    ranks : iterable of Rank
    clock_ids : sequence of str, indexed by rank
        Equal texts mean a shared clock.
    error_ns : int
        Largest error of any rank's common clock when the case was measured, ns.
    """
    shared = len({clock_ids[r.rank] for r in ranks}) < 2
    return 0 if shared else abs(error_ns)


def reported_lateness(lateness_ns: float, bound_ns: float) -> float | None:
    """Return a lateness, or None when the clocks are not good enough to tell it from none."""
    return lateness_ns if lateness_ns >= 2 * bound_ns else None


def clock_share(bound_ns: float, time_ns: float) -> float:
    """Return by which share of itself a time from one rank's entry to another's exit may be off.

    Two clocks, each right within the bound, differ by at most twice that. Infinite for no time.
    """
    if not bound_ns:
        return 0.0
    return 2 * bound_ns / time_ns if time_ns > 0 else math.inf


class Bins:
    """Values of a long series kept as minimum, maximum and sum per bin, so that peaks survive.

    Parameters
    ----------
    starts : ndarray, shape (bins,)
        First index of each bin, ascending from 0.
    length : int
        Length of the whole series.

    Attributes
    ----------
    minimum, maximum : ndarray of int, shape (bins,)
    peak : ndarray of int, shape (bins,)
        Index of each bin's maximum.
    total : ndarray of float, shape (bins,)
    """

    def __init__(self, starts: Int64s, length: int) -> None:
        self.starts = starts
        self.sizes = np.diff(np.append(starts, length))
        self.minimum = np.full(starts.size, np.iinfo(np.int64).max, np.int64)
        self.maximum = np.full(starts.size, -1, np.int64)
        self.peak = np.zeros(starts.size, np.int64)
        self.total = np.zeros(starts.size)

    def add(self, first: int, values: Int64s) -> None:
        """Add the consecutive non-negative values of the indices from ``first`` on."""
        if not values.size:
            return
        low = int(np.searchsorted(self.starts, first, side="right")) - 1
        high = int(np.searchsorted(self.starts, first + values.size, side="left"))
        edges = np.maximum(self.starts[low:high] - first, 0)
        bins = slice(low, high)
        self.minimum[bins] = np.minimum(self.minimum[bins], np.minimum.reduceat(values, edges))
        self.total[bins] += np.add.reduceat(values, edges)
        maxima = np.maximum.reduceat(values, edges)
        ends = np.append(edges[1:], values.size)
        for i in np.flatnonzero(maxima > self.maximum[bins]).tolist():
            self.maximum[low + i] = maxima[i]
            at = int(values[edges[i] : ends[i]].argmax())
            self.peak[low + i] = first + int(edges[i]) + at

    @property
    def means(self) -> Floats:
        """Mean of each bin, shape (bins,)."""
        means: Floats = self.total / self.sizes
        return means


def even_bins(length: int, at_most: int) -> Bins:
    """Bins of equal width, at most so many."""
    width = max(1, -(-length // at_most))
    return Bins(np.arange(0, length, width, dtype=np.int64), length)
