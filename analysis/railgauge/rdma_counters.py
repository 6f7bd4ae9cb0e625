# SPDX-License-Identifier: Apache-2.0
"""What the counters of RDMA devices say about a case. Pure; the names' table is its neighbour.

found = rdma_counters(run.counters(case))
found.mark, found.errors, list(texts(found.changes, hosts))
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from railgauge.model import Counter
from railgauge.rdma_counter_names import (
    BYTES_PER_WORD,
    MARKED,
    RECEIVED_WORDS,
    SENT_WORDS,
    Kind,
    Meaning,
    meaning_of,
)

SOURCES = ("rdma_hw", "rdma")
BACKENDS = ("verbs", "ucx")
"""Backends whose payload RDMA devices carry."""

_TOLD_APART = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A counter that moved in a case, or of which that is not known (``delta`` None)."""

    row: Counter

    @property
    def delta(self) -> int | None:
        """What was counted; None where the status is not ok."""
        return self.row.difference

    @property
    def meaning(self) -> Meaning:
        """What that counter is about."""
        return meaning_of(self.row.name)

    @property
    def kind(self) -> Kind:
        """What it means that it moved."""
        return self.meaning.kind

    @property
    def bytes(self) -> int | None:
        """What was counted in B, where it is traffic that has bytes."""
        unit, delta = self.meaning.unit_bytes, self.delta
        return None if unit is None or delta is None else unit * delta

    @property
    def why(self) -> str:
        """Why it is not known how far the counter moved; empty where it is."""
        if self.delta is not None:
            return ""
        return "ran backwards" if self.row.status == "ok" else self.row.status or "no status"

    def where(self, hosts: Mapping[int, str]) -> str:
        """``n3 mlx5_1 port 1``."""
        host = hosts.get(self.row.node, f"node {self.row.node}")
        port = f" port {self.row.port}" if self.row.port >= 0 else ""
        return f"{host} {self.row.device}{port}"

    def text(self, hosts: Mapping[int, str]) -> str:
        """``n3 mlx5_1 port 1: out_of_sequence +34``."""
        moved = f"unknown ({self.why})" if self.delta is None else f"+{self.delta}"
        return f"{self.where(hosts)}: {self.row.name} {moved}"


@dataclass(frozen=True, slots=True)
class RdmaCounters:
    """The RDMA counters of one case.

    Attributes
    ----------
    changes : tuple of Change
        Those that moved or are not known: errors first, traffic and unknown names last.
    watched : frozenset of (int, str)
        Node and device of every counter of errors, moved or not.
    devices : frozenset of (int, str)
        Node and device of every counter.
    sent_bytes, received_bytes : int or None
        Sum over all ports of `SENT_WORDS`, `RECEIVED_WORDS`; None without any, or where one is
        not known.
    """

    changes: tuple[Change, ...] = ()
    watched: frozenset[tuple[int, str]] = frozenset()
    devices: frozenset[tuple[int, str]] = frozenset()
    sent_bytes: int | None = None
    received_bytes: int | None = None

    def moved(self, *kinds: Kind) -> list[Change]:
        """Return the counters of some kinds that moved."""
        return [c for c in self.changes if c.kind in kinds and c.delta is not None]

    def unknown(self, *kinds: Kind) -> list[Change]:
        """Return the counters of some kinds of which nobody knows how far they moved."""
        return [c for c in self.changes if c.kind in kinds and c.delta is None]

    @property
    def errors(self) -> int | None:
        """Sum of what counters of errors counted; None where none was there, or one not known."""
        known = bool(self.watched) and not self.unknown(Kind.ERROR)
        return sum(c.delta or 0 for c in self.moved(Kind.ERROR)) if known else None

    @property
    def mark(self) -> str:
        """Return what the case must be marked with; empty where there is nothing to look at."""
        if self.moved(Kind.ERROR):
            return "RDMA errors"
        if self.moved(Kind.DOUBTFUL):
            return "RDMA counters moved"
        return "RDMA counters unknown" if self.unknown(*MARKED) else ""


def rdma_counters(rows: Iterable[Counter]) -> RdmaCounters:
    """Look through the counters of one case; those of other sources are left out."""
    own = [row for row in rows if row.source in SOURCES]
    changes = [Change(row) for row in own if row.difference != 0]
    order = list(Kind)
    changes.sort(
        key=lambda c: (order.index(c.kind), c.row.node, c.row.device, c.row.port, c.row.name)
    )
    return RdmaCounters(
        changes=tuple(changes),
        watched=frozenset((r.node, r.device) for r in own if meaning_of(r.name).kind is Kind.ERROR),
        devices=frozenset((r.node, r.device) for r in own),
        sent_bytes=_sum_bytes(own, SENT_WORDS),
        received_bytes=_sum_bytes(own, RECEIVED_WORDS),
    )


def _sum_bytes(rows: Iterable[Counter], name: str) -> int | None:
    found = [row.difference for row in rows if row.name == name]
    known = [d for d in found if d is not None]
    return BYTES_PER_WORD * sum(known) if known and len(known) == len(found) else None


def texts(changes: Iterable[Change], hosts: Mapping[int, str]) -> Iterator[str]:
    """Yield a text for each change; many of one device that are unknown alike share one."""
    several = list(changes)
    alike = Tally((c.where(hosts), c.why) for c in several if c.why)
    told = set()
    for change in several:
        key = (change.where(hosts), change.why)
        if not change.why or alike[key] <= _TOLD_APART:
            yield change.text(hosts)
        elif key not in told:
            told.add(key)
            yield f"{key[0]}: {alike[key]} counters unknown ({key[1]})"
