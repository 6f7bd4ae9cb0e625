# SPDX-License-Identifier: Apache-2.0
"""Joins reading and `railgauge.rdma_counters`: what the RDMA counters say about the cases of a run.

found = RunCounters(run)
found.of(case).mark, found.row(case), found.lines()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from railgauge.errors import RailgaugeError
from railgauge.load import Run
from railgauge.model import Case
from railgauge.rdma_counter_names import MARKED, Kind, meaning_of
from railgauge.rdma_counters import Change, RdmaCounters, rdma_counters, texts
from railgauge.rows import Row

COUNTER_NUMBERS = ("rdma_errors", "rdma_sent_bytes", "rdma_received_bytes")
_LISTED = 4
_MOST_CASES = 40
_MOST_LINES = 30
_TOLD = (*MARKED, Kind.CONGESTION, Kind.OTHER)
"""Kinds that are told one by one; traffic is told as bytes."""


@dataclass(frozen=True, slots=True)
class CaseCounters:
    """The RDMA counters of a case; ``problem`` says why they could not be read."""

    case: Case
    found: RdmaCounters = field(default_factory=RdmaCounters)
    problem: str = ""

    @property
    def recorded(self) -> bool:
        """True when the case has any."""
        return bool(self.found.devices)

    @property
    def mark(self) -> str:
        """Return what the case must be marked with."""
        return "counters unreadable" if self.problem else self.found.mark

    @property
    def told(self) -> list[Change]:
        """Return the counters that are told one by one."""
        return [c for c in self.found.changes if c.kind in _TOLD]


def _only(kinds: Sequence[Kind], found: CaseCounters) -> CaseCounters:
    changes = tuple(c for c in found.found.changes if c.kind in kinds)
    return replace(found, found=replace(found.found, changes=changes))


class RunCounters:
    """The RDMA counters of every case of a run, read when first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._found: dict[int, CaseCounters] = {}
        self.hosts = {r.node: r.host for r in run.ranks}

    def of(self, case: Case) -> CaseCounters:
        """Return those of one case; none where it is unfinished or has no table of counters."""
        if case.id not in self._found:
            self._found[case.id] = self._read(case)
        return self._found[case.id]

    def _read(self, case: Case) -> CaseCounters:
        try:
            if not case.finished or not self._run.has(case, "counters"):
                return CaseCounters(case)
            return CaseCounters(case, rdma_counters(self._run.counters(case)))
        except RailgaugeError as error:
            return CaseCounters(case, problem=str(error))

    def row(self, case: Case) -> Row:
        """Return the columns of a case; none where it has no RDMA counters."""
        found = self.of(case)
        if not found.recorded and not found.problem:
            return {}
        numbers = (found.found.errors, found.found.sent_bytes, found.found.received_bytes)
        row: Row = dict(zip(COUNTER_NUMBERS, numbers, strict=True))
        return row | {"rdma_counters": self.text(case)}

    def text(self, case: Case) -> str:
        """Return the marked counters of a case in one text, the first few of them."""
        found = self.of(case)
        if found.problem:
            return found.problem
        told = list(texts((c for c in found.found.changes if c.kind in MARKED), self.hosts))
        more = [f"and {len(told) - _LISTED} more"] if len(told) > _LISTED else []
        return "; ".join(told[:_LISTED] + more)

    def mark(self, case: Case) -> str:
        """Return what the row of a case ends with: ``  ! RDMA errors: n3 mlx5_1 port 1: ...``."""
        mark = self.of(case).mark
        return f"  ! {mark}: {self.text(case)}" if mark else ""

    def documents(self, case: Case) -> list[Row]:
        """Return every counter of a case that moved or is not known, for JSON."""
        return [self.document(change) for change in self.of(case).found.changes]

    def document(self, change: Change) -> Row:
        """Return one counter with its meaning."""
        return {
            "node": change.row.node,
            "host": self.hosts.get(change.row.node),
            "device": change.row.device,
            "port": change.row.port,
            "source": change.row.source,
            "name": change.row.name,
            "kind": str(change.kind),
            "delta": change.delta,
            "bytes": change.bytes,
            "status": change.row.status,
            "meaning": change.meaning.text,
        }

    def cases(self) -> list[CaseCounters]:
        """Return the cases that have RDMA counters, or whose counters could not be read."""
        found = (self.of(case) for case in self._run.finished_cases)
        return [c for c in found if c.recorded or c.problem]

    def lines(self, kinds: Sequence[Kind] = _TOLD) -> Iterator[str]:
        """Yield what moved, case by case, and what the names mean; nothing where nothing did.

        ``kinds`` are those to tell; where others are told elsewhere.
        """
        told = [c for c in map(partial(_only, kinds), self.cases()) if c.told or c.problem]
        if not told:
            return
        yield "#"
        yield "# RDMA counters that moved; ! marks what must be looked at."
        for found in told[:_MOST_CASES]:
            where = f"# case {found.case.id} {found.case.name}"
            yield f"{where}: {found.problem}" if found.problem else where
            yield from self._told_lines(found)
        if len(told) > _MOST_CASES:
            yield f"# ... and {len(told) - _MOST_CASES} more cases; --format json lists all"
        for name in sorted({c.row.name for f in told for c in f.told if c.meaning.text}):
            meaning = meaning_of(name)
            yield f"# {name} ({meaning.families}, {meaning.kind}): {meaning.text}"

    def _told_lines(self, found: CaseCounters) -> Iterator[str]:
        for mark, is_marked in (("!", True), (" ", False)):
            alike = [c for c in found.told if (c.kind in MARKED) == is_marked]
            several = list(texts(alike, self.hosts))
            yield from (f"#   {mark} {text}" for text in several[:_MOST_LINES])
            if len(several) > _MOST_LINES:
                yield f"#   {mark} ... and {len(several) - _MOST_LINES} more"
