# SPDX-License-Identifier: Apache-2.0
"""Raw samples of one case, read in slabs so that memory does not grow with the case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from railgauge import guard, hdf5
from railgauge.errors import DamagedRun
from railgauge.text import clean

Int64s = NDArray[np.int64]

SLAB_SAMPLES = 1 << 20
"""Samples held at once per column; two columns and their derivatives stay near 50 MiB."""

SPAN_LIMIT_NS = 1 << 51
"""26 days: the longest operation, and the longest slab; their sum is below 2^52."""

_START_LIMIT_NS = 1 << 61  # the clock's zero may be the epoch; adding a span does not overflow

_TIME_COLUMNS = ("start_ns", "elapsed_ns")
_NOT_COLUMNS = {"offsets", "group"}


class Column:
    """One sample column; a constant one is never materialised beyond the slab asked for.

    Attributes
    ----------
    name, unit : str
    dtype : numpy.dtype
        i64, u64 or f64.
    """

    def __init__(self, name: str, data: Any) -> None:
        self.name = name
        self.unit = hdf5.attribute_text(data, "unit") or ""
        self.length = int(data.shape[0])
        self.constant = data.fillvalue if hdf5.is_constant(data) else None
        kinds = {"i": np.int64, "u": np.uint64, "f": np.float64}
        self.dtype = np.dtype(kinds[data.dtype.kind])
        self._data = data

    def read_into(self, out: NDArray[Any], first: int) -> None:
        """Fill a one-dimensional ``out`` with the samples from ``first`` on."""
        guard.beat()
        if self.constant is not None:
            out[:] = self.constant
        elif out.size:
            with hdf5.reading(self._data):
                self._data.read_direct(out, np.s_[first : first + out.size])

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Return samples ``[first, last)``."""
        out = np.empty(last - first, self.dtype)
        self.read_into(out, first)
        return out


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks that measured together; sample k of every one of them is the same operation."""

    id: int
    ranks: tuple[int, ...]
    iterations: int


class Samples:
    """``/samples/<id>``: the offsets, the groups and the columns, all checked on opening.

    Parameters
    ----------
    parent : h5py.Group
    ranks : int
        Number of ranks of the run.

    Raises
    ------
    DamagedRun
        Offsets that do not ascend, columns of unequal length or of a foreign type, a measured
        column without data.
    """

    def __init__(self, parent: Any, ranks: int) -> None:
        self._where = hdf5.where_of(parent)
        self.offsets = hdf5.read_vector(parent, "offsets", ranks + 1)
        self.group = hdf5.read_vector(parent, "group", ranks)
        self.columns = self._open_columns(parent)
        self.blocks = hdf5.attribute_vector(parent, "blocks")
        self._check()

    @property
    def count(self) -> int:
        """Number of samples over all ranks."""
        return int(self.offsets[-1])

    def _open_columns(self, parent: Any) -> dict[str, Column]:
        columns = {}
        for name in hdf5.names(parent):
            if name in _NOT_COLUMNS:
                continue
            data = hdf5.dataset(parent, name)
            if data.ndim != 1 or data.dtype.kind not in "iuf" or data.dtype.itemsize > 8:
                why = f"column {clean(name)} is {data.dtype} {data.shape}"
                raise DamagedRun(f"{self._where} is damaged", why, "Measure again.")
            if name in _TIME_COLUMNS:
                hdf5.require_stored(data)
            columns[clean(name)] = Column(clean(name), data)
        return columns

    def _check(self) -> None:
        lengths = {c.name: c.length for c in self.columns.values()}
        why = ""
        if int(self.offsets[0]) != 0 or bool(np.any(np.diff(self.offsets) < 0)):
            why = "offsets do not ascend from 0"
        elif set(lengths.values()) - {self.count}:
            shown = ", ".join(f"{n} {v}" for n, v in lengths.items())
            why = f"offsets end at {self.count}, lengths are {shown}"
        elif missing := [n for n in _TIME_COLUMNS if n not in self.columns]:
            why = f"no column {', '.join(missing)}"
        elif any(self.columns[n].dtype.kind == "f" for n in _TIME_COLUMNS):
            why = "a time column is no integer"
        if why:
            raise DamagedRun(f"{self._where} is damaged", why, "Measure again.")

    def groups(self) -> list[Group]:
        """Return the groups that measured, by id; idle ranks are in none.

        Raises
        ------
        DamagedRun
            The ranks of a group hold different numbers of samples.
        """
        counts = np.diff(self.offsets)
        found = []
        for number in np.unique(self.group[self.group >= 0]).tolist():
            ranks = np.flatnonzero(self.group == number)
            iterations = {int(c) for c in counts[ranks]}
            if len(iterations) != 1:
                why = f"ranks of group {number} hold {min(iterations)} to {max(iterations)} samples"
                raise DamagedRun(f"{self._where} is damaged", why, "Measure again.")
            found.append(Group(number, tuple(ranks.tolist()), iterations.pop()))
        return found

    def block_starts(self, iterations: int) -> Int64s | None:
        """First iteration of each block between two agreements; None when not recorded."""
        if self.blocks is None or not self.blocks.size or int(self.blocks.max()) >= 1 << 62:
            return None
        starts = self.blocks.astype(np.int64)
        starts = starts[starts < iterations]
        if not starts.size or starts[0] != 0 or bool(np.any(np.diff(starts) <= 0)):
            return None
        return starts

    def slabs(self, group: Group) -> Iterator[tuple[int, Int64s, Int64s]]:
        """Yield the samples of a group, some iterations of all its ranks at a time.

        Yields
        ------
        first : int
            Index of the slab's first iteration.
        start_ns, elapsed_ns : ndarray, shape (ranks, iterations)
            Views of buffers that the next slab overwrites; the caller may scribble on them.

        Raises
        ------
        DamagedRun
            A time is negative or past any plausible run.
        """
        width = max(1, min(group.iterations, SLAB_SAMPLES // len(group.ranks)))
        buffers = [np.empty((len(group.ranks), width), np.int64) for _ in _TIME_COLUMNS]
        for first in range(0, group.iterations, width):
            used = min(width, group.iterations - first)
            views = [b[:, :used] for b in buffers]
            for name, view in zip(_TIME_COLUMNS, views, strict=True):
                self._fill(view, self.columns[name], group, first)
            self._check_times(*views)
            yield first, views[0], views[1]

    def parts(self, group: Group, names: tuple[str, ...]) -> Iterator[list[NDArray[Any]]]:
        """Yield columns of a group unchecked, some iterations of all its ranks at a time.

        Yields
        ------
        list of ndarray, shape (ranks, iterations)
            One per name, of its column's type; views of buffers that the next ones overwrite.
        """
        width = max(1, min(group.iterations, SLAB_SAMPLES // len(group.ranks)))
        columns = [self.columns[n] for n in names]
        buffers = [np.empty((len(group.ranks), width), c.dtype) for c in columns]
        for first in range(0, group.iterations, width):
            views = [b[:, : min(width, group.iterations - first)] for b in buffers]
            for column, view in zip(columns, views, strict=True):
                self._fill(view, column, group, first)
            yield views

    def check_times_of_ranks(self) -> bool:
        """Do what `check_all_times` does where ranks of a group have unequal numbers of samples.

        Returns
        -------
        bool
            Whether any rank of a group holds samples.
        """
        held = False
        for rank in np.flatnonzero(self.group >= 0).tolist():
            begin, end = (int(o) for o in self.offsets[rank : rank + 2])
            for first in range(begin, end, SLAB_SAMPLES):
                last = min(end, first + SLAB_SAMPLES)
                self._check_times(*(self.columns[n].read(first, last) for n in _TIME_COLUMNS))
                held = True
        return held

    def check_all_times(self) -> None:
        """Read every time once, for what `slabs` would refuse.

        Raises
        ------
        DamagedRun
            A time is negative or past any plausible run.
        """
        if 0 < self.count <= SLAB_SAMPLES:  # a read per group is dear where they are many and short
            views = [np.empty(self.count, np.int64) for _ in _TIME_COLUMNS]
            for name, view in zip(_TIME_COLUMNS, views, strict=True):
                self.columns[name].read_into(view, 0)
            self._check_times(*views)
            return
        for group in self.groups():
            for _ in self.slabs(group):
                pass

    def _fill(self, out: NDArray[Any], column: Column, group: Group, first: int) -> None:
        ranks = group.ranks
        whole = out.shape[1] == group.iterations and out.flags.c_contiguous
        if whole and ranks[-1] - ranks[0] == len(ranks) - 1:
            column.read_into(out.reshape(-1), int(self.offsets[ranks[0]]))
            return
        for row, rank in enumerate(ranks):
            column.read_into(out[row], int(self.offsets[rank]) + first)

    def _check_times(self, start: Int64s, elapsed: Int64s) -> None:
        low, high = int(start.min()), int(start.max())
        if int(elapsed.view(np.uint64).max()) >= SPAN_LIMIT_NS:  # a negative one is largest
            why = f"elapsed_ns holds {int(elapsed.min())} to {int(elapsed.max())}"
        elif low <= -_START_LIMIT_NS or high >= _START_LIMIT_NS or high - low >= SPAN_LIMIT_NS:
            why = f"start_ns holds {low} to {high}"
        else:
            return
        raise DamagedRun(f"{self._where} is damaged", why, "Measure again.")
