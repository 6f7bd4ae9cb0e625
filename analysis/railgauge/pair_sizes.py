# SPDX-License-Identifier: Apache-2.0
"""Pairs by message size, queue pairs and memory: median, extremes, differences. Pure.

for row in size_rows(sets):   # one per condition, those of host memory beside those of others
    row.median, row.reference.median, row.difference_percent
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from railgauge.pair_conditions import Condition
from railgauge.pair_sets import Measured, median_of
from railgauge.rows import Row, plain

REFERENCE_MEMORY = "host"
"""What other memories are compared with, where it was measured."""


@dataclass(frozen=True, slots=True)
class Spread:
    """All pairs of one condition: Gbit/s, or us of latency."""

    condition: Condition
    pairs: int
    lowest: float
    median: float
    highest: float


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One condition, and the same with the reference memory where that was measured too."""

    spread: Spread
    reference: Spread | None = None

    @property
    def difference_percent(self) -> float | None:
        """How much more the median pair reaches (or takes) than with the reference memory."""
        if self.reference is None or not self.reference.median:
            return None
        return 100 * (self.spread.median / self.reference.median - 1)


def spread_of(found: Measured) -> Spread:
    """Summarise the pairs of a set, of which there is at least one."""
    values = found.values()
    return Spread(found.condition, len(values), min(values), median_of(values), max(values))


def facet_of(condition: Condition) -> Condition:
    """Return what one chart has in common: all but size, queue pairs, and memory."""
    return condition._replace(bytes=0, queues=0, memory="")


def memories_of(conditions: Iterable[Condition]) -> list[str]:
    """Return the memories, that of reference first."""
    found = dict.fromkeys(c.memory for c in conditions)
    return sorted(found, key=lambda m: m != REFERENCE_MEMORY)


def size_rows(sets: Sequence[Measured]) -> list[SizeRow]:
    """Return a row per condition, chart by chart, then by size, queue pairs, and memory.

    Where a condition was measured with several memories, the first of `memories_of` is the
    reference of the others and has no row of its own.
    """
    spreads = [spread_of(s) for s in sets]
    facets = {f: i for i, f in enumerate(dict.fromkeys(facet_of(s.condition) for s in spreads))}
    memories = {m: i for i, m in enumerate(memories_of(s.condition for s in spreads))}
    alike: dict[Condition, list[Spread]] = {}
    for spread in spreads:
        alike.setdefault(spread.condition._replace(memory=""), []).append(spread)
    order = sorted(alike, key=lambda c: (facets[facet_of(c)], c.bytes, c.queues))
    rows = []
    for condition in order:
        several = sorted(alike[condition], key=lambda s: memories[s.condition.memory])
        first, others = several[0], several[1:]
        rows += [SizeRow(s, first) for s in others] or [SizeRow(first)]
    return rows


def compared(rows: Iterable[SizeRow]) -> list[SizeRow]:
    """Return the rows that compare two memories."""
    return [row for row in rows if row.reference is not None]


def flat(row: SizeRow) -> Row:
    """Flatten a row; numbers in the unit that it names."""
    condition, reference = row.spread.condition, row.reference
    about = {k: v for k, v in condition._asdict().items() if k != "memory"}
    return about | {
        "unit": "us" if condition.is_latency else "Gbit_s",
        "reference_memory": reference.condition.memory if reference else None,
        "reference_lowest": reference.lowest if reference else None,
        "reference_median": reference.median if reference else None,
        "reference_highest": reference.highest if reference else None,
        "memory": condition.memory,
        "lowest": row.spread.lowest,
        "median": row.spread.median,
        "highest": row.spread.highest,
        "difference_percent": plain(row.difference_percent),
        "measured_pairs": row.spread.pairs,
    }


SIZE_NUMBERS = (
    *(f"{end}{n}" for end in ("reference_", "") for n in ("lowest", "median", "highest")),
    "difference_percent",
)
