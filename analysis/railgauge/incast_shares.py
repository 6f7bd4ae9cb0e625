# SPDX-License-Identifier: Apache-2.0
"""How senders share a receiver: shares, Jain's index, slices of time, gaps. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from railgauge.stats import is_shown, order_rank

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

SLICE_NS = 10_000_000
"""Width of a slice unless another is asked for."""

NAMED_SHARE = 0.7
"""A sender below this part of the fair share is named."""

LEAST_ROWS = 20
"""Rows of the mean sender below which its share is chance, of a slice as of a window."""

MOST_CELLS = 1 << 22
"""Slices x senders held at once; longer windows have wider slices."""

_BITS_PER_BYTE = 8


def shares(x: Sequence[int] | Int64s) -> Floats:
    """Return each sender's part of the mean, shape (n,): 1 is fair; NaN where nobody sent."""
    values = np.asarray(x, np.float64)
    mean = values.mean() if values.size else math.nan
    with np.errstate(invalid="ignore"):
        found: Floats = values / mean
    return found


def jain(x: Sequence[int] | Int64s) -> float:
    """Return Jain's fairness index (sum x)^2 / (n sum x^2): 1/n where one has all, 1 where equal.

    NaN where nobody sent anything.

    Notes
    -----
    R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource
    Allocation in Shared Computer Systems, DEC TR-301, 1984.
    """
    return float(jain_of_columns(np.asarray(x, np.int64).reshape(-1, 1))[0])


def jain_of_columns(x: Int64s) -> Floats:
    """Return Jain's index of each column of ``x``, shape (senders, columns); NaN of zeros."""
    most = x.max(axis=0, initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = x / most  # equal values are exactly 1, and their index too
        total = scaled.sum(axis=0)
        found: Floats = total * total / (x.shape[0] * (scaled * scaled).sum(axis=0))
    return found


def named(parts: Floats, threshold: float = NAMED_SHARE) -> list[int]:
    """Return who gets less than ``threshold`` of the fair share, least first."""
    below = np.flatnonzero(parts < threshold)
    order: list[int] = below[np.argsort(parts[below], kind="stable")].tolist()
    return order


def gbit_per_s(count_bytes: int, duration_ns: int) -> float:
    """Rate in Gb/s of 1e9 bit/s."""
    return _BITS_PER_BYTE * count_bytes / duration_ns


def last_step_ns(duration_ns: int, senders: int) -> int:
    """Return when the last sender of a ramp starts: sender i starts at i x duration / senders."""
    return (senders - 1) * duration_ns // senders


@dataclass(frozen=True, slots=True)
class SlicePlan:
    """Slices of ``[begin_ns, end_ns)`` of a window, from ``begin_ns`` on; the last may be shorter.

    Attributes
    ----------
    begin_ns, end_ns : int
        The part of the window in which all senders work, ns since the window's begin.
    width_ns : int
    """

    begin_ns: int
    end_ns: int
    width_ns: int

    @property
    def count(self) -> int:
        """Number of slices, a shorter last one included."""
        return -(-(self.end_ns - self.begin_ns) // self.width_ns)

    @property
    def full(self) -> int:
        """Number of slices of whole width: those that are compared with each other."""
        return (self.end_ns - self.begin_ns) // self.width_ns

    @property
    def duration_ns(self) -> int:
        """Length of all slices together."""
        return self.end_ns - self.begin_ns


def plan_slices(begin_ns: int, end_ns: int, width_ns: int, senders: int) -> SlicePlan:
    """Plan slices of a width, doubled until they fit `MOST_CELLS`."""
    while -(-(end_ns - begin_ns) // width_ns) * senders > MOST_CELLS:
        width_ns *= 2
    return SlicePlan(begin_ns, end_ns, width_ns)


class SenderTally:
    """What one sender finished in the slices of a plan, added up block by block.

    Attributes
    ----------
    bytes : ndarray of int, shape (slices,)
    requests, rows : int
        Of all slices together.
    longest_gap_ns : int
        Longest time without a finished row, from the begin and to the end included. Rows that
        stand for several requests make it an upper bound.
    """

    def __init__(self, plan: SlicePlan) -> None:
        self._plan = plan
        self._last_ns = plan.begin_ns
        self.bytes = np.zeros(plan.count, np.int64)
        self.requests = 0
        self.rows = 0
        self.longest_gap_ns = 0

    def add(self, completed_ns: Int64s, row_bytes: Int64s, requests: Int64s) -> None:
        """Add rows of shape (n,); those outside of ``[begin_ns, end_ns)`` are left out."""
        plan = self._plan
        inside = (completed_ns >= plan.begin_ns) & (completed_ns < plan.end_ns)
        if not inside.all():
            completed_ns, row_bytes = completed_ns[inside], row_bytes[inside]
            requests = requests[inside]
        if not completed_ns.size:
            return
        slices = (completed_ns - plan.begin_ns) // plan.width_ns
        self.bytes += np.bincount(slices, row_bytes, plan.count).astype(np.int64)
        self.requests += int(requests.sum())
        self.rows += completed_ns.size
        times = np.sort(completed_ns)
        gaps = np.diff(times, prepend=min(self._last_ns, int(times[0])))
        self.longest_gap_ns = max(self.longest_gap_ns, int(gaps.max()))
        self._last_ns = max(self._last_ns, int(times[-1]))

    def finish(self) -> None:
        """End the window: a sender that fell silent before has a gap up to there."""
        rest = self._plan.end_ns - self._last_ns
        self.longest_gap_ns = max(self.longest_gap_ns, rest)


@dataclass(frozen=True, slots=True)
class SliceFairness:
    """How fair slices of whole width were.

    Attributes
    ----------
    slices : int
        In which anybody finished anything.
    jain_lowest, jain_p5, jain_median : float
        NaN without slices; the 5th percentile from 200 slices on.
    starved : tuple of int
        By sender: slices in which it finished nothing and others did.
    rows_per_slice : float
        Of the mean sender; below `LEAST_ROWS` the others tell little.
    """

    slices: int
    jain_lowest: float
    jain_p5: float
    jain_median: float
    starved: tuple[int, ...]
    rows_per_slice: float

    @property
    def tells(self) -> bool:
        """True where a slice holds enough rows of each sender to be compared."""
        return self.rows_per_slice >= LEAST_ROWS


def slice_fairness(x: Int64s, per_slice: float) -> SliceFairness:
    """Compare the senders slice by slice.

    Parameters
    ----------
    x : ndarray of int, shape (senders, slices)
        Bytes in slices of one width.
    per_slice : float
        Rows of the mean sender in a slice.
    """
    busy = x.sum(axis=0) > 0
    count = int(busy.sum())
    if not count:
        return SliceFairness(0, math.nan, math.nan, math.nan, (0,) * x.shape[0], per_slice)
    found = np.sort(jain_of_columns(x[:, busy]))
    starved = tuple(((x == 0) & busy).sum(axis=1).tolist())
    tail = float(found[order_rank(count, 0.05)]) if is_shown(count, 0.05) else math.nan
    return SliceFairness(
        count, float(found[0]), tail, float(found[order_rank(count, 0.5)]), starved, per_slice
    )


def coarser(x: Int64s, at_most: int) -> tuple[Int64s, int]:
    """Add up neighbouring slices so that at most so many are left; return them and how many each.

    Parameters
    ----------
    x : ndarray of int, shape (senders, slices)
    """
    each = max(1, -(-x.shape[1] // at_most))
    starts = np.arange(0, x.shape[1], each)
    return (np.add.reduceat(x, starts, axis=1) if starts.size else x), each
