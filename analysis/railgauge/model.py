# SPDX-License-Identifier: Apache-2.0
"""What a run says about itself, as plain values: one class per table of the schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Scalar = str | int | float

RIG_ORIGINS = ("double", "simulated")


class Status(StrEnum):
    """State of one planned case."""

    PLANNED = "planned"
    DONE = "done"
    WRONG = "wrong"
    FAILED = "failed"
    SKIPPED = "skipped"
    EXPIRED = "expired"


FINISHED = frozenset({Status.DONE, Status.WRONG})
"""States in which a case was measured to its end, so that its samples mean something."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Root attributes; ``finished_utc`` is None for an interrupted run."""

    schema: str
    program: str
    version: str
    git_revision: str
    argv: tuple[str, ...]
    origin: str
    started_utc: str
    finished_utc: str | None
    clock_unix_ns: int
    plan_id: str
    ranks: int
    nodes: int

    @property
    def is_rig(self) -> bool:
        """True when the numbers come from a double or a simulation, not from hardware."""
        return self.origin in RIG_ORIGINS


@dataclass(frozen=True, slots=True)
class Rank:
    """One row of ``/ranks``; -1 or an empty text means none."""

    rank: int
    node: int
    local_rank: int
    host: str
    gpu_index: int
    gpu_uuid: str
    gpu_pci: str
    nic: str
    rail: int
    numa: int
    cpus: str
    clock_offset_ns: int
    clock_error_ns: int


@dataclass(frozen=True, slots=True)
class Node:
    """One node and its facts, nested objects flattened to dotted names."""

    host: str
    node: int
    facts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One row of ``/cases``; ``variables`` holds the independent variables of the program."""

    id: int
    name: str
    status: Status
    reason: str
    checked_elements: int
    wrong_elements: int
    samples: int
    started_ns: int
    wall_ns: int
    clock_error_ns: int
    ops_per_sample: int
    algbw_bytes: int
    bus_factor: float
    benchmark: str
    operation: str
    backend: str
    memory: str
    variables: dict[str, Scalar] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """True when the case was measured to its end."""
        return self.status in FINISHED

    @property
    def wrong(self) -> bool:
        """True when verified data were wrong, so that the speed means nothing."""
        return self.status == Status.WRONG or self.wrong_elements > 0

    @property
    def pipelined(self) -> bool:
        """True for rooted operations that follow each other freely: ranks run ahead of each other.

        So they do with ``start`` free, and inside a batch whatever ``start`` says. Latest exit -
        latest entry then tells little, and no bandwidth of theirs is comparable.
        """
        root = self.variables.get("root")
        freely = self.variables.get("start") == "free" or self.ops_per_sample > 1
        return isinstance(root, int) and root >= 0 and freely

    def size_bytes(self) -> int | None:
        """Return the size axis of the case in bytes, None where the program has none."""
        value = self.variables.get("bytes")
        return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True)
class Check:
    """What one rank verified in a case: a row of /checks/<id>."""

    checked_elements: int
    wrong_elements: int


@dataclass(frozen=True, slots=True)
class Counter:
    """One row of ``/counters/<id>``: a count before and after the case."""

    node: int
    device: str
    port: int
    source: str
    name: str
    before: int
    after: int
    status: str

    @property
    def difference(self) -> int | None:
        """What was counted during the case; None where that is not known."""
        known = self.status == "ok" and self.after >= self.before
        return self.after - self.before if known else None


@dataclass(frozen=True, slots=True)
class Gauge:
    """One row of ``/series/<id>``: a reading on the common clock."""

    time_ns: int
    node: int
    device: str
    source: str
    name: str
    value: float


@dataclass(frozen=True, slots=True)
class ExpiredRank:
    """Where one rank was when the deadline passed."""

    rank: int
    host: str
    phase: str
    state: str
    sequence: str


@dataclass(frozen=True, slots=True)
class Expired:
    """A passed deadline: ``case`` is -1 outside a case."""

    case: int
    text: str
    ranks: tuple[ExpiredRank, ...]
    plan_id: str
    raw: str
