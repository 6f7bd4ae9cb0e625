# SPDX-License-Identifier: Apache-2.0
"""Rows of windows, rank by rank in blocks, each checked: what cannot be is one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from railgauge.errors import DamagedRun
from railgauge.samples import SPAN_LIMIT_NS, Int64s, Samples

BLOCK_ROWS = 1 << 18
"""Rows held at once; ten columns and their derivatives stay below 60 MiB."""

SENDER, VICTIM = 1, 2
"""Values of the column ``role``."""

_COLUMNS = ("completed_ns", "elapsed_ns", "longest_ns", "bytes", "requests")
_IDENTITIES = ("queue", "role", "peer")
_MOST_REQUESTS = 1 << 40
_MOST_TOTAL = 1 << 53


@dataclass(frozen=True, slots=True)
class Expected:
    """What all rows of a rank must be: who it talks to as what, and B of its messages."""

    rank: int
    role: int
    peer: int
    bytes: int
    queues: int


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of one rank, each of shape (rows,): ns, B and counts, all plausible."""

    completed_ns: Int64s
    elapsed_ns: Int64s
    longest_ns: Int64s
    bytes: Int64s
    requests: Int64s

    @property
    def weights(self) -> Int64s | None:
        """Requests of each row; None where all are 1."""
        return None if bool((self.requests == 1).all()) else self.requests


class WindowReader:
    """Reads the rows of one case.

    Raises
    ------
    DamagedRun
        A column is missing or holds no integers.
    """

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        for name in (*_COLUMNS, *_IDENTITIES):
            column = samples.columns.get(name)
            if column is None or column.dtype.kind == "f":
                raise _damage(f"no column {name} of integers")

    def rows(self, rank: int) -> int:
        """Return how many rows a rank has."""
        return int(self._samples.offsets[rank + 1] - self._samples.offsets[rank])

    def rail(self, rank: int) -> int | None:
        """Return the rail of a rank's first row; None without rows or such a column."""
        column = self._samples.columns.get("rail")
        if column is None or column.dtype.kind == "f" or not self.rows(rank):
            return None
        first = int(self._samples.offsets[rank])
        return int(column.read(first, first + 1)[0])

    def blocks(self, expected: Expected, *, checked: bool = True) -> Iterator[Block]:
        """Yield the rows of a rank, in the order in which they were written.

        Raises
        ------
        DamagedRun
            A value that cannot be, or a queue whose rows run backwards.
        """
        begin, end = self._samples.offsets[expected.rank : expected.rank + 2].tolist()
        order, total = _Order(), 0.0
        for first in range(begin, end, BLOCK_ROWS):
            last = min(end, first + BLOCK_ROWS)
            read = {n: self._read(n, first, last) for n in _COLUMNS}
            block = Block(*(read[n] for n in _COLUMNS))
            if checked:
                self._check(block, expected, first, last, order)
                total += float(block.bytes.sum(dtype=np.float64))
                if total >= _MOST_TOTAL:
                    raise _damage(f"bytes of rank {expected.rank} add up to {total:.3g}")
            yield block

    def _read(self, name: str, first: int, last: int) -> Int64s:
        values = self._samples.columns[name].read(first, last)
        if values.dtype == np.uint64:
            values = values.view(np.int64)  # past 2^63 it is negative, and refused
        return values

    def _check(
        self, block: Block, expected: Expected, first: int, last: int, order: _Order
    ) -> None:
        rank = expected.rank
        limits = (
            ("completed_ns", block.completed_ns, 0, SPAN_LIMIT_NS),
            ("elapsed_ns", block.elapsed_ns, 0, SPAN_LIMIT_NS),
            ("longest_ns", block.longest_ns, 0, SPAN_LIMIT_NS),
            ("requests", block.requests, 1, _MOST_REQUESTS),
        )
        for name, values, low, high in limits:
            _require(name, rank, values, low, high)
        if bool((block.longest_ns < block.elapsed_ns).any()):
            raise _damage(f"longest_ns of rank {rank} is below elapsed_ns")
        most = int(block.requests.max()) * expected.bytes  # in Python, which does not overflow
        if most >= _MOST_TOTAL or bool((block.bytes != block.requests * expected.bytes).any()):
            low, high = (int(f(block.bytes.view(np.uint64))) for f in (np.min, np.max))
            why = f"bytes of rank {rank} hold {low} to {high}, no requests x {expected.bytes}"
            raise _damage(why)
        queues = self._read("queue", first, last)
        _require("queue", rank, queues, 0, expected.queues)
        for name, wanted in (("role", expected.role), ("peer", expected.peer)):
            values = self._read(name, first, last)
            if bool((values != wanted).any()):
                other = int(values[values != wanted][0])
                raise _damage(f"rank {rank} has {name} {other}, which is {wanted}")
        if not order.keeps(queues, block.completed_ns):
            raise _damage(f"completed_ns of rank {rank} runs backwards on a queue")


class _Order:
    """Whether the rows of each queue come in the order in which they were finished."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def keeps(self, queues: Int64s, completed_ns: Int64s) -> bool:
        order = np.argsort(queues, kind="stable")
        sorted_queues, times = queues[order], completed_ns[order]
        starts = np.flatnonzero(np.diff(sorted_queues, prepend=-1))
        falls = np.diff(times) < 0
        falls[starts[1:] - 1] = False
        ends = np.append(starts[1:], times.size) - 1
        kept = not bool(falls.any())
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            queue = int(sorted_queues[start])
            kept = kept and int(times[start]) >= self._last.get(queue, 0)
            self._last[queue] = int(times[end])
        return kept


def _require(name: str, rank: int, values: Int64s, low: int, limit: int) -> None:
    smallest, largest = int(values.min()), int(values.max())
    if smallest < low or largest >= limit:
        raise _damage(f"{name} of rank {rank} holds {smallest} to {largest}")


def _damage(why: str) -> DamagedRun:
    return DamagedRun("its samples are damaged", why, "Measure again.")
