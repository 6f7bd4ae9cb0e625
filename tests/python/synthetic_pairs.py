# SPDX-License-Identifier: Apache-2.0
"""Writes runs of railgauge-pairs (docs/pairs.md) whose every rate the tests know.

fabric = Fabric(["n0", "n1", "n2"], rails=2, gbit_per_s=degraded_port(1, 0, 0.7))
write_pairs_run(path, fabric, all_pairs(fabric, [1 << 20]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from synthetic import Plan, constant_column, table, write_context, write_root

import h5py  # isort: skip
import numpy as np

Rate = Callable[[int, int, int, int], float]
"""Gbit/s from node, rail to node, rail."""

CounterRow = tuple[int, str, str, int, str]
"""Node, device, name, difference, status."""

RdmaRow = tuple[int, str, int, str, str, int, str]
"""Node, device, port, source, name, difference, status."""

SERVED = -2
"""In `PairsCase.peers`: the rank's peer is outside the job."""


def even(source: int, source_rail: int, destination: int, destination_rail: int) -> float:
    """Every pair reaches 0.1 Gbit/s, give or take 1 % that no random generator chose."""
    return 0.1 * (1 + ((7 * source + 3 * destination + source_rail) % 5 - 2) / 200)


def degraded_port(node: int, rail: int, share: float) -> Rate:
    """One port is slow in both directions, as a bad cable makes it."""

    def rate(source: int, source_rail: int, destination: int, destination_rail: int) -> float:
        hit = (node, rail) in ((source, source_rail), (destination, destination_rail))
        return even(source, source_rail, destination, destination_rail) * (share if hit else 1)

    return rate


@dataclass
class Fabric:
    """Hosts x rails, `lanes` ranks on each; ranks go by node, then rail, then lane."""

    hosts: list[str]
    rails: int = 2
    lanes: int = 1
    gbit_per_s: Rate = even
    rail_map: bool = True

    def rank(self, node: int, rail: int, lane: int = 0) -> int:
        return (node * self.rails + rail) * self.lanes + lane

    @property
    def places(self) -> list[tuple[int, int]]:
        """Node and rail of every rank."""
        nodes, rails = range(len(self.hosts)), range(self.rails)
        return [(n, r) for n in nodes for r in rails for _ in range(self.lanes)]

    def plan(self, **changes: Any) -> Plan:
        rails = [r for _, r in self.places]
        plan = Plan([], hosts=[self.hosts[n] for n, _ in self.places], program="railgauge-pairs")
        plan.nics = [f"rail{r}" if self.rail_map else "" for r in rails]
        plan.rails = rails if self.rail_map else None
        return replace(plan, **changes)


@dataclass
class PairsCase:
    """One round; ``peers`` by rank, -1 = idle.

    The columns of RDMA are written when a case of the run has a ``verb``.
    """

    id: int
    peers: list[int]
    operation: str = "bandwidth"
    direction: str = "both"
    pattern: str = "all-pairs"
    bytes: int = 1 << 20
    depth: int = 1
    rails: str = "0,1"
    repeat: int = 0
    round: int = 0
    samples: int = 20
    ops_per_sample: int = 1
    status: str = "done"
    reason: str = ""
    wrong: int = 0
    warmup: int = 5
    verify: str = "on"
    wall_ns: int = 100_000_000_000
    backend: str = "mpi"
    memory: str = "host"
    verb: str | None = None
    queues: int = 1
    signal_interval: int = 1
    served_host: str = ""
    rdma: list[RdmaRow] = field(default_factory=list)
    counters: Callable[[list[CounterRow]], list[CounterRow]] = list
    change: Callable[[Any], None] = field(default=lambda samples: None)

    @property
    def name(self) -> str:
        verb = [] if self.verb is None else [self.verb]
        parts = (self.operation, f"{self.backend}/{self.memory}", self.pattern, self.direction)
        parts = (*parts, *verb)
        size = f"{self.bytes}x{self.depth}" + (f"x{self.queues}" if self.verb else "")
        return "/".join((*parts, size, self.rails, str(self.repeat), str(self.round)))

    @property
    def window(self) -> int:
        return self.bytes * self.depth * self.queues

    def sends(self, rank: int) -> bool:
        """Tell whether the rank times its payload, or what it reads."""
        if self.peers[rank] == SERVED:
            return True
        lower = (rank < self.peers[rank]) == (self.verb != "read")
        return {"both": True, "forward": lower, "backward": not lower}.get(self.direction, lower)


def rounds(nodes: int) -> list[list[tuple[int, int]]]:
    """The circle method: every pair once; with an odd number of nodes one has a bye."""
    seats = list(range(nodes + nodes % 2))
    found = []
    for _ in seats[1:]:
        pairs = zip(seats[: len(seats) // 2], reversed(seats), strict=False)
        found.append([(min(p), max(p)) for p in pairs if max(p) < nodes])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return found


def match(fabric: Fabric, pairs: Iterable[tuple[int, int]], rails: Iterable[int]) -> list[int]:
    """Join all lanes of some rails; returns the peer of each rank."""
    peers = [-1] * len(fabric.places)
    for a, b in pairs:
        for rail in rails:
            for lane in range(fabric.lanes):
                first, second = fabric.rank(a, rail, lane), fabric.rank(b, rail, lane)
                peers[first], peers[second] = second, first
    return peers


def all_pairs(
    fabric: Fabric, sizes: Sequence[int], depths: Sequence[int] = (1,), **changes: Any
) -> list[PairsCase]:
    """All rounds of all pairs on all rails at once, size by size."""
    cases: list[PairsCase] = []
    rails = range(fabric.rails)
    text = ",".join(map(str, rails)) if fabric.rail_map else "none"
    for size in sizes:
        for depth in depths:
            for number, pairs in enumerate(rounds(len(fabric.hosts))):
                case = PairsCase(len(cases), match(fabric, pairs, rails), bytes=size, depth=depth)
                cases.append(replace(case, rails=text, round=number, **changes))
    return cases


# --- files ----------------------------------------------------------------------------------------


def acknowledged(fabric: Fabric, case: PairsCase, rank: int) -> Any:
    """Times whose median is the window at the fabric's rate; of a round trip twice that."""
    places = fabric.places
    peer = case.peers[rank]
    ends = [places[rank], (-1, -1) if peer == SERVED else places[peer]]
    source, destination = reversed(ends) if case.verb == "read" else ends
    rate = fabric.gbit_per_s(*source, *destination)
    median = case.window * 8 * case.ops_per_sample / rate * fabric.lanes
    if case.operation == "latency" and case.verb != "read":
        median *= 2
    k = np.arange(case.samples, dtype=np.int64)
    spread = (k * 7) % case.samples - (case.samples - 1) // 2
    return round(median) + spread * max(1, round(median / (20 * case.samples)))


def counter_rows(fabric: Fabric, case: PairsCase) -> list[CounterRow]:
    """What the NICs of the rails carry: payload, 5 % of headers, and some chatter."""
    extra = case.warmup + (2 if case.verify == "on" else 0)
    payload = case.window * (case.samples * case.ops_per_sample + extra)
    moved: dict[tuple[int, int, str], int] = {}
    for rank, place in enumerate(fabric.places):
        both = case.operation == "latency" and case.verb != "read"
        busy = case.peers[rank] >= 0
        ends = (rank, case.peers[rank])
        source, destination = reversed(ends) if case.verb == "read" else ends
        sent = busy and (both or case.sends(source))
        received = busy and (both or case.sends(destination))
        for name, moves in (("tx_bytes", sent), ("rx_bytes", received)):
            key = (*place, name)
            moved[key] = moved.get(key, 0) + (round(payload * 1.05) if moves else 0)
    rows = [(n, f"rail{r}", name, b + 4000, "ok") for (n, r, name), b in moved.items()]
    return rows + [(n, "mgmt0", "tx_bytes", 90_000, "ok") for n in range(len(fabric.hosts))]


def write_samples(file: Any, fabric: Fabric, case: PairsCase) -> None:
    ranks = range(len(fabric.places))
    busy = [r for r in ranks if case.peers[r] != -1]
    counts = [case.samples if case.peers[r] != -1 else 0 for r in ranks]
    parent = file.require_group("samples").create_group(f"{case.id:04d}")
    parent["offsets"] = np.concatenate(([0], np.cumsum(counts))).astype("u8")
    parent["group"] = np.array(
        [{-1: -1, SERVED: r}.get(p, min(r, p)) for r, p in enumerate(case.peers)], "i4"
    )
    parent.attrs["blocks"] = np.array([0], "u8")
    silent = np.full(case.samples, -1, np.int64)
    times = [acknowledged(fabric, case, r) if case.sends(r) else silent for r in busy]
    elapsed = np.concatenate(times)
    columns = {
        "start_ns": np.concatenate([np.arange(case.samples) * 10**9 for _ in busy]),
        "elapsed_ns": np.where(elapsed < 0, 1000, elapsed + 500),
        "acknowledged_ns": elapsed,
        "peer": np.repeat([max(-1, case.peers[r]) for r in busy], case.samples),
        "rail": np.repeat(
            [fabric.places[r][1] if fabric.rail_map else -1 for r in busy], case.samples
        ),
    }
    for name, values in columns.items():
        parent[name] = values.astype("i8")
    constant_column(parent, "bytes", case.window * case.ops_per_sample, sum(counts), "u8")
    for name in (*columns, "bytes"):
        parent[name].attrs["unit"] = np.bytes_("ns" if name.endswith("ns") else name)
    case.change(parent)


def write_counters(file: Any, fabric: Fabric, case: PairsCase) -> None:
    found = case.counters(counter_rows(fabric, case))
    rows: list[RdmaRow] = [(n, d, -1, "netdev", *rest) for n, d, *rest in found] + case.rdma
    if not rows:
        return
    file.require_group("counters")[f"{case.id:04d}"] = table(
        {
            "node": ("i4", [r[0] for r in rows]),
            "device": (str, [r[1] for r in rows]),
            "port": ("i4", [r[2] for r in rows]),
            "source": (str, [r[3] for r in rows]),
            "name": (str, [r[4] for r in rows]),
            "before": ("u8", [1000] * len(rows)),
            "after": ("u8", [1000 + r[5] for r in rows]),
            "status": (str, [r[6] for r in rows]),
        }
    )


def cases_table(cases: list[PairsCase]) -> Any:
    ran = [c.status in ("done", "wrong") for c in cases]
    busy = [sum(p != -1 for p in c.peers) for c in cases]
    checked = [
        c.window * b * r * (c.verify == "on") for c, b, r in zip(cases, busy, ran, strict=True)
    ]
    texts = {
        n: (str, [getattr(c, n) for c in cases])
        for n in (
            "name",
            "status",
            "reason",
            "operation",
            "pattern",
            "direction",
            "rails",
            "verify",
        )
    }
    numbers = {
        n: ("i8", [getattr(c, n) for c in cases])
        for n in ("bytes", "depth", "repeat", "round", "warmup")
    }
    n = len(cases)
    return table(
        {
            "id": ("i4", [c.id for c in cases]),
            "checked_elements": ("u8", checked),
            "wrong_elements": ("u8", [c.wrong for c in cases]),
            "samples": (
                "u8",
                [c.samples * b * r for c, b, r in zip(cases, busy, ran, strict=True)],
            ),
            "started_ns": ("i8", [0] * n),
            "wall_ns": ("i8", [c.wall_ns for c in cases]),
            "clock_error_ns": ("i8", [0] * n),
            "ops_per_sample": ("u8", [c.ops_per_sample for c in cases]),
            "algbw_bytes": ("u8", [c.window for c in cases]),
            "bus_factor": ("f8", [np.nan if c.operation == "latency" else 1.0 for c in cases]),
            "benchmark": (str, ["pairs"] * n),
            "backend": (str, [c.backend for c in cases]),
            "memory": (str, [c.memory for c in cases]),
            "plane": (str, [""] * n),
            "pairs": ("i8", [b // 2 for b in busy]),
            "group_ranks": ("i8", [2] * n),
            "mode": (str, ["per-iteration"] * n),
            "start": (str, ["free"] * n),
            "stop": (str, ["fixed"] * n),
            **texts,
            **numbers,
            **rdma_columns(cases),
        }
    )


def rdma_columns(cases: list[PairsCase]) -> dict[str, tuple[Any, list[Any]]]:
    if all(c.verb is None for c in cases):
        return {}
    numbers = {n: ("i8", [getattr(c, n) for c in cases]) for n in ("queues", "signal_interval")}
    texts = {n: (str, [getattr(c, n) or "" for c in cases]) for n in ("verb", "served_host")}
    return {**numbers, **texts}


def write_pairs_run(out: Path, fabric: Fabric, cases: list[PairsCase], **changes: Any) -> Path:
    """Write a finished run file; ``changes`` go to its `Plan`."""
    plan = fabric.plan(**changes)
    with h5py.File(out, "w") as file:
        write_root(file, plan, plan.finished)
        write_context(file, plan)
        file["cases"] = cases_table(cases)
        for case in cases:
            if case.status in ("done", "wrong"):
                write_samples(file, fabric, case)
                write_counters(file, fabric, case)
    return out
