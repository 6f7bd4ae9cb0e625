# SPDX-License-Identifier: Apache-2.0
"""Exact order statistics of integers in bounded memory, from a stream that can be read again.

The first pass counts values in buckets of a relative width of 2^-13: a bucket is a prefix of the
bits of a double, so finding it takes no logarithm and keeps the order. Below 16 us (in ns) a
bucket is one value, and that pass is enough. Otherwise each further pass splits only the buckets
that hold a wanted order statistic, until a bucket is one value again: one more pass for times up
to 4 s, two beyond.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

VALUE_LIMIT = 1 << 52
_MANTISSA_BITS = 52
_SPLIT_BITS = 4  # beyond those of the first pass


class _Interval:
    """A bucket ``[low, low + width)`` that holds wanted order statistics."""

    def __init__(self, low: int, width: int, below: int, ranks: list[int], bits: int) -> None:
        self.low = low
        self.width = width
        self.below = below
        self.ranks = ranks
        self.shift = max(0, (width - 1).bit_length() - bits)
        self.counts = np.zeros(((width - 1) >> self.shift) + 1, np.int64)

    def count(self, values: Int64s, weights: Int64s | None) -> None:
        # Unsigned, what lies below the interval is far above it: one comparison is enough.
        offsets = values - self.low
        chosen = offsets.view(np.uint64) < self.width
        inside = offsets[chosen]
        if inside.size:
            inside >>= self.shift
            self.counts += _tally(
                inside, None if weights is None else weights[chosen], self.counts.size
            )


def _tally(buckets: Int64s, weights: Int64s | None, size: int = 0) -> Int64s:
    """Count buckets, each as often as its weight says; exact while the sum is below 2^53."""
    counts: Int64s = np.bincount(buckets, weights, size).astype(np.int64, copy=False)
    return counts


class ExactQuantiles:
    """Order statistics of non-negative integers below 2^52, the longest span of a case in ns.

    Parameters
    ----------
    exact_bits : int
        Values below ``2**exact_bits`` are resolved in the first pass; memory is about
        ``8 * 2**exact_bits`` bytes per octave the values reach above that.

    Examples
    --------
    >>> values = np.array([5, 1, 9, 7])
    >>> q = ExactQuantiles()
    >>> q.add(values)
    >>> q.aim([0, 2])
    >>> while not q.resolved:
    ...     q.refine(values)
    ...     q.narrow()
    >>> q.value(2)
    7
    """

    def __init__(self, exact_bits: int = 14) -> None:
        self._bits = exact_bits
        self._shift = _MANTISSA_BITS - exact_bits
        self._base = int(np.float64(1 << exact_bits).view(np.int64)) >> self._shift
        self._counts = np.zeros(0, np.int64)
        self._bucket_limit = int(self._buckets(np.array([VALUE_LIMIT - 1]))[0]) + 1
        self._open: list[_Interval] = []
        self._found: dict[int, int] = {}

    @property
    def count(self) -> int:
        """Number of values added, or the sum of their weights."""
        return int(self._counts.sum())

    def add(self, values: Int64s, weights: Int64s | None = None) -> None:
        """Count values in the first pass; ValueError when one is out of range.

        Parameters
        ----------
        values : ndarray, shape (n,)
        weights : ndarray, shape (n,), optional
            How many values each stands for, positive; their sum over all is below 2^53. Every pass
            has the same ones.
        """
        counts = _tally(self._buckets(values), weights)  # refuses what is negative
        if counts.size > self._bucket_limit:
            raise ValueError("values must be below 2^52")
        if counts.size > self._counts.size:
            counts[: self._counts.size] += self._counts
            self._counts = counts
        else:
            self._counts[: counts.size] += counts

    def _buckets(self, values: Int64s) -> Int64s:
        # Adding 2^bits makes the first octave's buckets one wide and gives 0 a bucket.
        shifted = (values + (1 << self._bits)).astype(np.float64).view(np.int64)
        shifted >>= self._shift
        shifted -= self._base
        return shifted

    def _edge(self, bucket: int) -> int:
        bits = np.int64((bucket + self._base) << self._shift)
        return int(bits.view(np.float64)) - (1 << self._bits)

    def aim(self, ranks: Iterable[int]) -> None:
        """Ask for order statistics, 0 the smallest; ends the first pass."""
        wanted = sorted({r for r in ranks if 0 <= r < self.count})
        if not wanted:
            return
        above = np.cumsum(self._counts)
        buckets = np.searchsorted(above, wanted, side="right")
        for bucket in np.unique(buckets).tolist():
            low, high = self._edge(bucket), self._edge(bucket + 1)
            inside = [r for r, b in zip(wanted, buckets, strict=True) if b == bucket]
            below = int(above[bucket] - self._counts[bucket])
            self._settle(low, high - low, below, inside)

    def _settle(self, low: int, width: int, below: int, ranks: list[int]) -> None:
        if width == 1:
            self._found.update(dict.fromkeys(ranks, low))
        else:
            bits = self._bits + _SPLIT_BITS
            self._open.append(_Interval(low, width, below, ranks, bits))

    @property
    def resolved(self) -> bool:
        """True when every order statistic asked for is known."""
        return not self._open

    def refine(self, values: Int64s, weights: Int64s | None = None) -> None:
        """Count values again, in a further pass over the same stream."""
        for interval in self._open:
            interval.count(values, weights)

    def narrow(self) -> None:
        """End a further pass."""
        intervals, self._open = self._open, []
        for old in intervals:
            above = old.below + np.cumsum(old.counts)
            parts = np.searchsorted(above, old.ranks, side="right")
            if int(parts.max()) >= old.counts.size:
                raise ValueError("the stream changed between two passes")
            for part in np.unique(parts).tolist():
                inside = [r for r, p in zip(old.ranks, parts, strict=True) if p == part]
                below = int(above[part] - old.counts[part])
                low = old.low + (part << old.shift)
                width = min(1 << old.shift, old.low + old.width - low)
                self._settle(low, width, below, inside)

    def value(self, rank: int) -> int:
        """Return the order statistic; KeyError when `aim` did not ask for it."""
        return self._found[rank]

    def count_above(self, value: float) -> tuple[int, int]:
        """Count values above a threshold, rounded up to the edge of its bucket.

        Returns
        -------
        threshold, count : int
            Values ``>= threshold`` are counted; ``value < threshold <= value * (1 + 2^-13) + 1``.
        """
        limited = np.array([min(int(value), VALUE_LIMIT - 1)], np.int64)
        bucket = int(self._buckets(limited)[0]) + 1
        return self._edge(bucket), int(self._counts[bucket:].sum())
