# SPDX-License-Identifier: Apache-2.0
"""The three cases of one measurement, isolated, congested and alone, joined. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from railgauge.incast import Congestion
from railgauge.incast_results import IncastResult
from railgauge.incast_victims import Factors, factors
from railgauge.model import Case, Scalar

Key = tuple[tuple[str, Scalar], ...]

Parts = Mapping[Congestion, IncastResult]


def key_of(case: Case) -> Key:
    """Return all that the three cases of a measurement have in common."""
    fixed = (("operation", case.operation), ("backend", case.backend), ("memory", case.memory))
    own = sorted((n, v) for n, v in case.variables.items() if n != "congestion")
    return tuple((n, str(v)) for n, v in (*fixed, *own))  # NaN equals nothing, its text does


@dataclass(frozen=True, slots=True)
class Triple:
    """Cases that are equal in everything but who was at work.

    Attributes
    ----------
    factors : Factors or None
        Of the victim; None without both of its cases, or where one has wrong data.
    change : tuple of float
        Payload rate beside the victim / alone - 1 by receiver, where both are known.
    """

    parts: Parts
    factors: Factors | None = None
    change: tuple[float, ...] = field(default=())

    @property
    def first(self) -> IncastResult:
        """Any of them, for what they have in common."""
        return next(iter(self.parts.values()))


def triples(results: Iterable[IncastResult]) -> list[Triple]:
    """Join the measured cases; a case that is there again begins another triple."""
    open_parts: dict[Key, dict[Congestion, IncastResult]] = {}
    found: list[dict[Congestion, IncastResult]] = []
    for result in results:
        if result.setup is None:
            continue
        key = key_of(result.case)
        parts = open_parts.get(key)
        if parts is None or result.setup.congestion in parts:
            parts = open_parts[key] = {}
            found.append(parts)
        parts[result.setup.congestion] = result
    return [_triple(parts) for parts in found]


def _triple(parts: dict[Congestion, IncastResult]) -> Triple:
    right = {c: r for c, r in parts.items() if not r.case.wrong}
    isolated, congested = right.get(Congestion.ISOLATED), right.get(Congestion.CONGESTED)
    alone = right.get(Congestion.ALONE)
    found = None
    if isolated and congested and isolated.victim and congested.victim:
        found = factors(isolated.victim, congested.victim)
    change: tuple[float, ...] = ()
    if congested and alone:
        rates = zip(congested.receivers, alone.receivers, strict=True)
        pairs = [(c.gbit_per_s, a.gbit_per_s) for c, a in rates]
        change = tuple(c / a - 1 for c, a in pairs) if all(a for _, a in pairs) else ()
    return Triple(parts, found, change)
