# SPDX-License-Identifier: Apache-2.0
"""What kind of congestion an incast met, from counters and shares, and why. Pure.

found = classify(evidence, fairness)
found.classes, found.reasons
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from railgauge.congestion_names import CONGESTED, LOSSES, Signal, Telling, telling_of
from railgauge.model import Counter
from railgauge.rdma_counters import BACKENDS, Change

FAIR_JAIN = 0.9
"""Jain's index below which an incast is unfair."""

WRONG_CLASS_SHARE = 0.1
"""Part of the payload in priority 0 from which on the incast was there."""

_LISTED = 3
_PER_PRIORITY = 32  # values of a traffic class (DSCP x 4) that NICs map to one priority by default


class Class(StrEnum):
    """What an incast was, gravest first; several may hold."""

    WRONG_CLASS = "wrong class"
    LOSSY = "lossy"
    UNFAIR = "unfair"
    CONTROLLED = "controlled"
    NOT_CONGESTED = "not congested"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Told:
    """A counter that tells of congestion and moved, or of which that is not known."""

    change: Change
    telling: Telling


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the counters of the devices at work say about one case.

    Attributes
    ----------
    told : tuple of Told
        Counters that moved or are not known, those of priorities left out.
    blind : tuple of str
        What is missing before anything could be called controlled, in words.
    watched : frozenset of Signal
        Signals of which any counter is there.
    priority_0 : dict of int to int
        B received in priority 0, by node; nodes without counters of priorities are absent.
    """

    told: tuple[Told, ...] = ()
    blind: tuple[str, ...] = ()
    watched: frozenset[Signal] = frozenset()
    priority_0: Mapping[int, int] = field(default_factory=dict)

    def moved(self, signals: Iterable[Signal]) -> list[Told]:
        """Return what moved of some signals."""
        wanted = tuple(signals)
        return [t for t in self.told if t.telling.signal in wanted and t.change.delta is not None]

    def unknown(self, signals: Iterable[Signal]) -> list[Told]:
        """Return counters of some signals of which nobody knows how far they moved."""
        wanted = tuple(signals)
        return [t for t in self.told if t.telling.signal in wanted and t.change.delta is None]


Devices = Mapping[int, frozenset[str]]
"""Devices at work by node; an empty set = which one is not known, so all of them count."""


def evidence_of(
    rows: Iterable[Counter], devices: Devices, backend: str, hosts: Mapping[int, str]
) -> Evidence:
    """Sift the counters of a case.

    Parameters
    ----------
    rows : iterable of Counter
    devices : mapping of int to frozenset of str
        Interfaces and RDMA devices of the nodes at work.
    backend : str
        With verbs and UCX each node must have counters of RDMA errors, else of drops.
    hosts : mapping of int to str
    """
    told: list[Told] = []
    watched: dict[int, set[Signal]] = {node: set() for node in devices}
    priority_0: dict[int, int] = {}
    for row in rows:
        telling = telling_of(row)
        if telling is None or not _is_at_work(row, devices):
            continue
        watched[row.node].add(telling.signal)
        if telling.signal is Signal.PRIORITY_BYTES:
            if telling.priority == 0 and row.name.startswith("rx") and row.difference is not None:
                priority_0[row.node] = priority_0.get(row.node, 0) + row.difference
        elif row.difference != 0:
            told.append(Told(Change(row), telling))
    order = list(Signal)
    told.sort(key=lambda t: (order.index(t.telling.signal), t.change.row.node, t.change.row.name))
    blind = tuple(_blind(watched, backend, hosts))
    if len(devices) == 1:
        blind = ("all ranks are on one node: no network carries what they send",)
    return Evidence(tuple(told), blind, frozenset().union(*watched.values()), priority_0)


def _is_at_work(row: Counter, devices: Devices) -> bool:
    own = devices.get(row.node)
    return own is not None and row.device != "lo" and (not own or row.device in own)


def _blind(
    watched: Mapping[int, set[Signal]], backend: str, hosts: Mapping[int, str]
) -> Iterable[str]:
    losses = (Signal.ERROR,) if backend in BACKENDS else LOSSES
    for what, signals in (("marks, pauses or waits", CONGESTED), ("losses", losses)):
        nodes = [n for n, seen in watched.items() if not seen.intersection(signals)]
        if nodes:
            names = [hosts.get(n, f"node {n}") for n in nodes]
            yield f"no counter of {what} of {_some(names)} is recorded"


def devices_at_work(
    places: Iterable[tuple[int, str]], facts: Mapping[int, Mapping[str, str]]
) -> dict[int, frozenset[str]]:
    """Return the devices of nodes at work, an RDMA device and its interface each with the other.

    Parameters
    ----------
    places : iterable of (int, str)
        Node and ``nic`` of each rank at work.
    facts : mapping of int to mapping
        Facts of each node, dotted names (``rdma_devices.0.ports.0.gids.0.netdev``).
    """
    found: dict[int, set[str] | None] = {}
    for node, nic in places:
        if not nic:
            found[node] = None
        known = found.setdefault(node, set())
        if known is not None:
            known |= {nic} | _twins(nic, facts.get(node, {}))
    return {n: frozenset(names or ()) for n, names in found.items()}


def _twins(nic: str, facts: Mapping[str, str]) -> set[str]:
    """Return the interfaces of an RDMA device, and the RDMA devices of an interface."""
    twins = set()
    for name, value in facts.items():
        words = name.split(".")
        if words[0] == "rdma_devices" and words[-1] == "netdev" and len(words) > 2:
            device = facts.get(f"rdma_devices.{words[1]}.name", "")
            if nic in (device, value):
                twins |= {device, value}
    return twins - {""}


@dataclass(frozen=True, slots=True)
class Fairness:
    """What the shares of all receivers of a case say.

    Attributes
    ----------
    jain : float
        The lowest index of a receiver.
    named : tuple of str
        Senders far below their share, in words.
    tells : bool
        False where too little was finished to say anything.
    """

    jain: float
    named: tuple[str, ...]
    tells: bool = True


@dataclass(frozen=True, slots=True)
class Classification:
    """All classes that hold, gravest first, each with its reason."""

    reasons: Mapping[Class, str]

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes that hold."""
        return tuple(self.reasons)

    @property
    def text(self) -> str:
        """``lossy, unfair``."""
        return ", ".join(self.reasons)

    @property
    def why(self) -> str:
        """All reasons in one text."""
        return "; ".join(self.reasons.values())


@dataclass(frozen=True, slots=True)
class Load:
    """What of an incast went where: payload received by node, and the asked traffic class."""

    received_bytes: Mapping[int, int]
    traffic_class: int | None = None

    @property
    def belongs_elsewhere(self) -> bool:
        """True where NICs map the class to another priority than 0 unless told otherwise."""
        return self.traffic_class is not None and self.traffic_class >= _PER_PRIORITY


def classify(
    evidence: Evidence, fairness: Fairness, load: Load, hosts: Mapping[int, str]
) -> Classification:
    """Say what an incast was; several classes may hold.

    `Class.WRONG_CLASS`, `Class.LOSSY` and `Class.UNFAIR` are said whenever they are seen. Of the
    others one holds: congestion was signalled and nothing was lost (`Class.CONTROLLED`; not beside
    `Class.LOSSY`), nothing was signalled (`Class.NOT_CONGESTED`), or counters are missing
    (`Class.UNKNOWN`).
    """
    found: dict[Class, str] = {}
    if wrong := _wrong_class(evidence, load, hosts):
        found[Class.WRONG_CLASS] = wrong
    lost = evidence.moved(LOSSES)
    if lost:
        found[Class.LOSSY] = f"lost packets: {_told(lost, hosts)}"
    if unfair := _unfair(fairness):
        found[Class.UNFAIR] = unfair
    signalled = evidence.moved(CONGESTED)
    doubts = [*evidence.blind, *_doubts(evidence, hosts, signalled=bool(signalled))]
    if not fairness.tells:
        doubts.append("too few requests were finished to tell shares")
    if doubts:
        found[Class.UNKNOWN] = "; ".join(doubts)
    elif not signalled:
        found[Class.NOT_CONGESTED] = "no mark, pause or wait was counted on any node"
    elif not lost:
        found[Class.CONTROLLED] = f"nothing was lost, and {_told(signalled, hosts)}"
    return Classification(found)


def _doubts(evidence: Evidence, hosts: Mapping[int, str], *, signalled: bool) -> Iterable[str]:
    """Return counters that would have to be known before anything can be said."""
    unknown = evidence.unknown(LOSSES)
    if not signalled:
        unknown += evidence.unknown(CONGESTED)
    if unknown:
        yield _told(unknown, hosts)


def _unfair(fairness: Fairness) -> str:
    if not fairness.tells:
        return ""
    if fairness.named:
        return _some(fairness.named)
    return f"Jain's index is {fairness.jain:.2f}" if fairness.jain < FAIR_JAIN else ""


def _wrong_class(evidence: Evidence, load: Load, hosts: Mapping[int, str]) -> str:
    if not load.belongs_elsewhere:
        return ""
    for node, payload in load.received_bytes.items():
        there = evidence.priority_0.get(node, 0)
        if payload and there >= WRONG_CLASS_SHARE * payload:
            where = hosts.get(node, f"node {node}")
            return (
                f"{where} received {there} B in priority 0, its payload was {payload} B of "
                f"traffic class {load.traffic_class}"
            )
    return ""


def _told(several: list[Told], hosts: Mapping[int, str]) -> str:
    """Name counters, those of one name on many devices by their sum and the one with most."""
    alike: dict[tuple[str, bool], list[Told]] = {}
    for told in several:
        alike.setdefault((told.change.row.name, told.change.delta is None), []).append(told)
    texts = []
    for (name, _), group in alike.items():
        most = max(group, key=lambda t: t.change.delta or 0).change
        text = most.text(hosts)
        if len(group) > 1 and most.delta is None:
            text += f", and {len(group) - 1} more"
        elif len(group) > 1:
            total = sum(t.change.delta or 0 for t in group)
            text = (
                f"{name} +{total} on {len(group)} devices, most {most.where(hosts)} +{most.delta}"
            )
        texts.append(f"{text} ({group[0].telling.text})")
    return _some(texts)


def _some(texts: Iterable[str]) -> str:
    several = list(texts)
    more = f" and {len(several) - _LISTED} more" if len(several) > _LISTED else ""
    return ", ".join(several[:_LISTED]) + more
