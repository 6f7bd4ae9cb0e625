# SPDX-License-Identifier: Apache-2.0
"""What a case of ``railgauge-incast`` was: who sent to whom, how long. Pure (docs/incast.md)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from railgauge.errors import DamagedRun
from railgauge.load import Run
from railgauge.model import Case
from railgauge.samples import SPAN_LIMIT_NS, Int64s
from railgauge.text import shorten

BENCHMARK = "incast"
_REMEDY = "Measure again."
_RANK = re.compile(r"[0-9]{1,7}")
_MOST_QUEUES = 1 << 20
_MOST_BYTES = 1 << 40


class Congestion(StrEnum):
    """Who is at work in a case."""

    ISOLATED = "isolated"
    CONGESTED = "congested"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Crew:
    """A receiver and its senders, as ranks."""

    receiver: int
    senders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Victim:
    """The two ranks of a victim's ping-pong."""

    asker: int
    answerer: int


@dataclass(frozen=True, slots=True)
class Setup:
    """A case read back; ``crews`` and ``victim`` are those at work in it."""

    congestion: Congestion
    duration_ns: int
    bytes: int
    queues: int
    ramp: bool
    victim_bytes: int
    crews: tuple[Crew, ...]
    victim: Victim | None

    @property
    def ranks(self) -> tuple[int, ...]:
        """All ranks at work, each once."""
        found = [r for crew in self.crews for r in (crew.receiver, *crew.senders)]
        if self.victim is not None:
            found += [self.victim.asker, self.victim.answerer]
        return tuple(dict.fromkeys(found))


def is_incast(run: Run) -> bool:
    """Tell whether all cases of a run are incasts."""
    return bool(run.cases) and all(is_incast_case(c) for c in run.cases)


def is_incast_case(case: Case) -> bool:
    """Tell whether a case is a window of an incast, whose ranks have unequal numbers of rows."""
    return case.benchmark == BENCHMARK


def setup_of(case: Case, group: Int64s) -> Setup:
    """Read back who did what in a case.

    Parameters
    ----------
    group : ndarray of int, shape (ranks,)
        ``group`` of its samples.

    Raises
    ------
    DamagedRun
        A variable is missing or cannot be, or the groups contradict it.
    """
    congestion = _congestion_of(case)
    victim = _victim_of(case, group.size)
    crews: tuple[Crew, ...] = ()
    if congestion is not Congestion.ISOLATED:
        crews = _crews_of(case, group, victim)
    if congestion is Congestion.ALONE:
        victim = None
    elif victim is None:
        raise _damage(case, f"it is {congestion} and has no victim_ranks")
    elif group[victim.asker] < 0:
        raise _damage(case, f"rank {victim.asker} asks, and is in no group")
    return Setup(
        congestion=congestion,
        duration_ns=_number(case, "duration_ns", SPAN_LIMIT_NS),
        bytes=_number(case, "bytes", _MOST_BYTES),
        queues=_number(case, "queues", _MOST_QUEUES),
        ramp=case.variables.get("ramp") == "on",
        victim_bytes=_number(case, "victim_bytes", _MOST_BYTES) if victim else 0,
        crews=crews,
        victim=victim,
    )


def _crews_of(case: Case, group: Int64s, victim: Victim | None) -> tuple[Crew, ...]:
    outside = {victim.asker, victim.answerer} if victim else set()
    receivers = _receivers_of(case, group.size)
    crews = []
    for receiver in receivers:
        if group[receiver] != receiver:
            raise _damage(case, f"rank {receiver} receives, and its group is {group[receiver]}")
        members = [r for r in range(group.size) if group[r] == receiver]
        senders = tuple(r for r in members if r not in outside and r not in receivers)
        planned = case.variables.get("senders")
        if not senders or (isinstance(planned, int) and planned != len(senders)):
            raise _damage(case, f"{planned} send to rank {receiver}, and {len(senders)} are there")
        crews.append(Crew(receiver, senders))
    return tuple(crews)


def _congestion_of(case: Case) -> Congestion:
    found = str(case.variables.get("congestion", ""))
    try:
        return Congestion(found)
    except ValueError:
        raise _damage(case, f"congestion is '{shorten(found, 40)}'") from None


def _receivers_of(case: Case, ranks: int) -> tuple[int, ...]:
    text = str(case.variables.get("receiver_ranks", ""))
    words = text.split(",")
    found = [int(w) for w in words if _RANK.fullmatch(w)]
    if len(found) != len(words) or len(set(found)) != len(found) or max(found) >= ranks:
        raise _damage(case, f"receiver_ranks is '{shorten(text, 40)}' of {ranks} ranks")
    return tuple(found)


def _victim_of(case: Case, ranks: int) -> Victim | None:
    text = str(case.variables.get("victim_ranks", ""))
    if not text:
        return None
    asker, arrow, answerer = text.partition(">")
    if arrow and _RANK.fullmatch(asker) and _RANK.fullmatch(answerer):
        found = Victim(int(asker), int(answerer))
        if found.asker != found.answerer and max(found.asker, found.answerer) < ranks:
            return found
    raise _damage(case, f"victim_ranks is '{shorten(text, 40)}' of {ranks} ranks")


def _number(case: Case, name: str, limit: int) -> int:
    value = case.variables.get(name)
    if isinstance(value, int) and 0 < value < limit:
        return value
    shown = "nan" if isinstance(value, float) and math.isnan(value) else shorten(str(value), 40)
    raise _damage(case, f"{name} is {shown}")


def _damage(case: Case, why: str) -> DamagedRun:
    return DamagedRun(f"case {case.id} cannot be", why, _REMEDY)
