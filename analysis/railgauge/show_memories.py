# SPDX-License-Identifier: Apache-2.0
"""``railgauge show`` of pairs over several memories: host against GPU, size by size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from railgauge.pair_conditions import Condition, condition_labels
from railgauge.pair_sizes import SizeRow, Spread, compared, facet_of
from railgauge.text import pad


def memory_lines(rows: Sequence[SizeRow]) -> Iterator[str]:
    """Yield a table for each verb, direction and depth; nothing where there is one memory."""
    several = compared(rows)
    facets = list(dict.fromkeys(facet_of(row.spread.condition) for row in several))
    labels = dict(zip(facets, condition_labels(facets, with_size=False), strict=True))
    for facet, group in groupby(several, key=lambda row: facet_of(row.spread.condition)):
        yield from _table(facet, labels[facet], list(group))


def _table(facet: Condition, label: str, rows: Sequence[SizeRow]) -> Iterator[str]:
    told = [w for w in (facet.verb, facet.direction) if w not in label.split(" · ")]
    yield "#"
    yield f"# Memories compared, median pair (lowest .. highest), {facet.unit}: " + " · ".join(
        [*told, label]
    )
    yield (
        "# "
        + pad("size (B)", 11)
        + pad("QPs", 5)
        + pad("reference", 38)
        + pad("memory", 38)
        + pad("difference", 12)
    )
    for row in rows:
        condition, percent = row.spread.condition, row.difference_percent
        cells = pad(str(condition.bytes), 13) + pad(str(condition.queues), 5)
        for one in (row.reference, row.spread):
            cells += pad(_spread(one) if one else "-", 38)
        yield cells + pad("-" if percent is None else f"{percent:+.1f} %", 12)


def _spread(one: Spread) -> str:
    form = ".2f" if one.condition.is_latency else ".4g"
    ends = f"({one.lowest:{form}} .. {one.highest:{form}})"
    return f"{one.condition.memory} {one.median:{form}} {ends}"
