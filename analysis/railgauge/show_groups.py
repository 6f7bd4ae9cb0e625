# SPDX-License-Identifier: Apache-2.0
"""The tables that ``railgauge show`` puts behind the results: groups compared, communicators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from railgauge.communicators import TIMES
from railgauge.group_sets import GroupSet, ranking_rows
from railgauge.rows import Row
from railgauge.text import pad, shorten, size_label

_MOST_GROUPS = 10
_NAME_WIDTH = 20

_RANKING = (
    # heading, unit, width, key of the row, digits after the point
    ("ratio", "", 8, "ratio", 2),
    ("together", "(us)", 12, "together_us", 2),
    ("busbw", "(GB/s)", 10, "together_busbw_GB_s", 3),
    ("alone", "(us)", 12, "alone_us", 2),
    ("busbw", "(GB/s)", 10, "alone_busbw_GB_s", 3),
    ("ratio", "(alone)", 8, "alone_ratio", 2),
    ("together", "/ alone", 10, "together_to_alone", 2),
)


def cell(value: str | int | float | None, digits: int) -> str:
    """Return a value as the tables show it, ``-`` for none."""
    if value is None or value == "":
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def ranking_lines(sets: Sequence[GroupSet]) -> Iterator[str]:
    """Yield a table of the slowest groups of each set."""
    for number, found in enumerate(sets):
        yield "#"
        if number == 0:
            yield "# Groups, slowest first; ratio: speed / speed of the median group."
        yield f"# {shorten(found.label, 200)}, {size_label(found.size_bytes)}"
        for part in (0, 1):
            cells = [pad((h, unit)[part], width) for h, unit, width, _, _ in _RANKING]
            head = pad(("group", "")[part], _NAME_WIDTH)
            yield ("#" + head[1:] + "".join(cells)).rstrip()
        rows = list(ranking_rows(found))
        for row in rows[:_MOST_GROUPS]:
            name = pad(str(row["group_name"]), _NAME_WIDTH)
            yield name + "".join(pad(cell(row[k], d), w) for _, _, w, k, d in _RANKING)
        if len(rows) > _MOST_GROUPS:
            yield f"# ... and {len(rows) - _MOST_GROUPS} more; --format json lists all"


def communicator_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of communicators, a row per case and group."""
    if not rows:
        return
    yield "#"
    yield "# Communicators: median of the ranks' medians / that of the slowest rank (us); memory:"
    yield "# of the median rank / of the one that takes most (MiB). -: no such step."
    heads = ["group", "lives", *TIMES, "memory"]
    widths = [_NAME_WIDTH, 8, *[20] * len(TIMES), 18]
    cells = [pad(h, w) for h, w in zip(heads, widths, strict=True)]
    yield "#" + "".join(cells)[1:] + "  status"
    for row in rows:
        words = [_group_of(row), cell(row["iterations"], 0)]
        words += [_both(row[f"{s}_us"], row[f"{s}_slowest_us"]) for s in TIMES]
        memory = [row["memory_bytes"], row["memory_most_bytes"]]
        words.append(_both(*(v / (1 << 20) if isinstance(v, int) else None for v in memory)))
        end = str(row["status"])
        if row["reason"]:
            end += f": {row['reason']}"
        yield "".join(pad(t, w) for t, w in zip(words, widths, strict=True)) + "  " + end


def _group_of(row: Row) -> str:
    return str(row.get("group_name") or ("all" if row["group"] is not None else "-"))


def _both(middle: str | float | None, most: str | float | None) -> str:
    known = isinstance(middle, float) and isinstance(most, float)
    return f"{middle:.1f} / {most:.1f}" if known else "-"
