# SPDX-License-Identifier: Apache-2.0
"""Groups of a split against each other: which rail, node or pair is slower than its like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from railgauge.figures.sizes import telling_names
from railgauge.groups import Manner, is_split, manner_of
from railgauge.model import Case
from railgauge.pair_sets import median_of
from railgauge.results import CaseResult, busbw_gb_s
from railgauge.rows import CHOICES, Row, plain

_NOT_CONDITION = {"bytes", "count", "active", "active_group", "warmup", *CHOICES}
_Condition = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Speed:
    """Median time of a group in one case, ns, and its bus bandwidth, GB/s (NaN: none)."""

    time_ns: float
    busbw_gb_s: float


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """A group at one size; what was not measured is None.

    Attributes
    ----------
    together, alone : Speed or None
        While all groups worked, and while the others rested.
    ratio : float
        Speed / speed of the median group, together where that was measured, else alone.
    alone_ratio : float or None
        The same of the groups alone.
    together_to_alone : float or None
        Speed together / speed alone: 1 where the others do not matter.
    """

    number: int
    name: str
    together: Speed | None
    alone: Speed | None
    ratio: float
    alone_ratio: float | None
    together_to_alone: float | None


@dataclass(slots=True)
class GroupSet:
    """Cases that differ in size, and in which groups work, alone."""

    condition: _Condition
    label: str = ""
    names: dict[int, str] = field(default_factory=dict)
    speeds: dict[int, dict[Manner, dict[int, Speed]]] = field(default_factory=dict)
    """By size in bytes, then by how the groups work, then by the group's number."""

    @property
    def size_bytes(self) -> int:
        """The largest size at which there is more than one group to compare."""
        return max((s for s in self.speeds if self._comparable(s)), default=0)

    @property
    def is_comparable(self) -> bool:
        """Tell whether there is more than one group at any size."""
        return any(self._comparable(s) for s in self.speeds)

    def _comparable(self, size: int) -> bool:
        return any(len(groups) > 1 for groups in self.speeds[size].values())

    def median_ns(self, size: int, manner: Manner) -> float:
        """Return the time of the median group, a measured one; of two the faster; NaN of none."""
        return median_of([s.time_ns for s in self.speeds[size].get(manner, {}).values()])

    def ranking(self) -> list[RankedGroup]:
        """Return the groups at `size_bytes`, the slowest first."""
        size = self.size_bytes
        medians = {m: self.median_ns(size, m) for m in Manner}
        found = []
        for number, name in self.names.items():
            speeds = {m: self.speeds[size].get(m, {}).get(number) for m in Manner}
            ratios = {m: medians[m] / s.time_ns for m, s in speeds.items() if s is not None}
            if not ratios:
                continue
            together, alone = speeds[Manner.TOGETHER], speeds[Manner.ALONE]
            found.append(
                RankedGroup(
                    number=number,
                    name=name,
                    together=together,
                    alone=alone,
                    ratio=ratios.get(Manner.TOGETHER, ratios.get(Manner.ALONE, 1.0)),
                    alone_ratio=ratios.get(Manner.ALONE),
                    together_to_alone=(
                        alone.time_ns / together.time_ns if alone and together else None
                    ),
                )
            )
        return sorted(found, key=lambda g: (g.ratio, g.number))


class GroupSets:
    """Collects the groups of the cases of a run, result by result."""

    def __init__(self, results: Iterable[CaseResult] = ()) -> None:
        self._sets: dict[_Condition, GroupSet] = {}
        for result in results:
            self.add(result)

    def add(self, result: CaseResult) -> None:
        """Take in a case; one without a split, size or right data tells nothing."""
        case = result.case
        size = case.size_bytes()
        if not is_split(case) or case.wrong or size is None or size <= 0:
            return
        condition = _condition_of(case)
        for group in result.groups:
            time_ns = group.time.median
            if time_ns <= 0:
                continue
            found = self._sets.setdefault(condition, GroupSet(condition))
            found.names[group.group.id] = group.name
            manners = found.speeds.setdefault(size, {})
            speed = Speed(time_ns, busbw_gb_s(case, time_ns))
            manners.setdefault(manner_of(case), {})[group.group.id] = speed

    def comparable(self) -> list[GroupSet]:
        """Return the sets that hold something to compare, labelled by what tells them apart."""
        found = [s for s in self._sets.values() if s.is_comparable]
        names = telling_names([s.condition for s in found])
        for one in found:
            values = dict(one.condition)
            one.label = " · ".join(values[n] for n in names if n in values)
        return found


def _condition_of(case: Case) -> _Condition:
    rest = ((n, str(v)) for n, v in case.variables.items() if n not in _NOT_CONDITION)
    fixed = (("operation", case.operation), ("backend", case.backend), ("memory", case.memory))
    return (*fixed, *rest)


def ranking_rows(found: GroupSet) -> Iterator[Row]:
    """Yield the ranking of a set as flat rows; times in us, bandwidths in GB/s."""
    for group in found.ranking():
        row: Row = {"label": found.label, "bytes": found.size_bytes}
        row |= {"group": group.number, "group_name": group.name, "ratio": group.ratio}
        for manner, speed in (("together", group.together), ("alone", group.alone)):
            row[f"{manner}_us"] = None if speed is None else speed.time_ns / 1e3
            row[f"{manner}_busbw_GB_s"] = None if speed is None else plain(speed.busbw_gb_s)
        row["alone_ratio"] = group.alone_ratio
        row["together_to_alone"] = group.together_to_alone
        yield row
