# SPDX-License-Identifier: Apache-2.0
"""Writes runs of railgauge-incast (docs/incast.md) whose every share the tests know.

cluster = Cluster(["n0", "n1", "n2", "n3"])
write_incast_run(path, cluster, [IncastCase(0, senders=(1, 2, 3), rows=steady({1: 0.5}))])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from synthetic import Plan, constant_column, table, write_context, write_root, write_scalar_text

import h5py  # isort: skip
import numpy as np

MS = 1_000_000
MATCHING = "50ab3639"

CounterRow = tuple[int, str, int, str, str, int, str]
"""Node, device, port, source, name, difference, status."""


@dataclass
class Rows:
    """Rows of one rank: ns since the window's begin, ns, and requests of each row."""

    completed_ns: Any
    elapsed_ns: Any
    requests: Any = None
    longest_ns: Any = None
    queue: Any = None


RowMaker = Callable[["IncastCase", int], Rows]


def steady(weights: dict[int, float] | None = None, every_ns: int = 100_000) -> RowMaker:
    """A message every so often, of some ranks more seldom: their weight is their part of it.

    Latencies go through 97 values from 20 us on, which no random generator chose.
    """

    def rows(case: IncastCase, rank: int) -> Rows:
        period = round(every_ns / (weights or {}).get(rank, 1.0))
        completed = np.arange(period // 2, case.duration_ns, period, dtype=np.int64)
        k = np.arange(completed.size)
        return Rows(completed, 20_000 + 500 * ((k * 37 + rank) % 97))

    return rows


def ping(elapsed_ns: int, spread: int = 101) -> RowMaker:
    """Round trips one after another, a cycle of times around a mean: mean = ``elapsed_ns``."""

    def rows(case: IncastCase, rank: int) -> Rows:
        count = case.duration_ns // (elapsed_ns + 1000)
        k = np.arange(count, dtype=np.int64)
        times = elapsed_ns + ((k * 37) % spread - spread // 2) * max(1, elapsed_ns // 1000)
        return Rows(np.arange(1, count + 1) * (elapsed_ns + 1000) - 1, times)

    return rows


@dataclass
class Cluster:
    """Hosts with one rank for each of their rails."""

    hosts: list[str]
    rails: int = 1
    rail_map: bool = True
    site: dict[str, Any] | None = None

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(n, r) for n in range(len(self.hosts)) for r in range(self.rails)]

    def plan(self, **changes: Any) -> Plan:
        rails = [r for _, r in self.places]
        plan = Plan([], hosts=[self.hosts[n] for n, _ in self.places], program="railgauge-incast")
        plan.nics = [f"mlx5_{r}" if self.rail_map else "" for r in rails]
        plan.rails = rails if self.rail_map else None
        return replace(plan, **changes)


@dataclass
class IncastCase:
    """One case; ``rows`` makes those of a sender, ``victim_rows`` those of the asking rank."""

    id: int
    senders: tuple[int, ...] = (1, 2, 3)
    receivers: tuple[int, ...] = (0,)
    crew_of: dict[int, int] = field(default_factory=dict)
    congestion: str = "alone"
    victim: tuple[int, int] | None = None
    bytes: int = 65536
    queues: int = 1
    depth: int = 16
    ramp: bool = False
    duration_ns: int = 100 * MS
    rows: RowMaker = field(default_factory=lambda: steady())
    victim_rows: RowMaker = field(default_factory=lambda: ping(5000))
    victim_bytes: int = 8
    backend: str = "verbs"
    memory: str = "host"
    status: str = "done"
    reason: str = ""
    wrong: int = 0
    matching: str = MATCHING
    counters: list[CounterRow] | None = None
    change: Callable[[Any], None] = field(default=lambda samples: None)

    @property
    def name(self) -> str:
        where = ",".join(map(str, self.receivers))
        victim = "other" if self.victim else "none"
        shape = f"{len(self.senders)}x{self.queues}/{self.bytes}x{self.depth}"
        parts = ("incast", self.backend, self.memory, "write", where, shape, victim)
        end = ("/ramp" if self.ramp else "") + ("" if self.matching == MATCHING else "/again")
        return "/".join((*parts, self.congestion)) + end

    def receiver_of(self, sender: int) -> int:
        return self.crew_of.get(sender, self.receivers[0])

    @property
    def with_incast(self) -> bool:
        return self.congestion != "isolated"

    @property
    def with_victim(self) -> bool:
        return self.victim is not None and self.congestion != "alone"

    def group(self, ranks: int) -> list[int]:
        found = [-1] * ranks
        if self.with_incast:
            for r in self.receivers:
                found[r] = r
            for s in self.senders:
                found[s] = self.receiver_of(s)
        if self.with_victim and self.victim:
            asker, answerer = self.victim
            at_work = self.with_incast and answerer in self.receivers
            found[asker] = answerer if at_work else asker
            if not at_work:
                found[answerer] = asker
        return found


# --- counters -------------------------------------------------------------------------------------


def healthy(cluster: Cluster, **moved: int) -> list[CounterRow]:
    """Counters of a congested RoCE network that lost nothing; ``moved`` changes how far."""
    deltas = {"np_ecn_marked_roce_packets": 120, "rp_cnp_handled": 40, "packet_seq_err": 0}
    deltas |= {"rx_prio3_pause": 7, "tx_prio3_pause": 0, "rx_discards_phy": 0, "rx_prio0_bytes": 9}
    deltas |= moved
    rows: list[CounterRow] = []
    for node in range(len(cluster.hosts)):
        for rail in range(cluster.rails):
            for name, delta in deltas.items():
                rdma = name.startswith(("np_", "rp_", "packet_"))
                device = f"mlx5_{rail}" if rdma else f"eth{rail}"
                port, source = (1, "rdma_hw") if rdma else (-1, "ethtool")
                rows.append((node, device, port, source, name, delta, "ok"))
    return rows


def twin_facts(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """Facts that say which interface each RDMA device has."""
    devices = [
        {"name": f"mlx5_{r}", "ports": [{"port": 1, "gids": [{"netdev": f"eth{r}"}]}]}
        for r in range(cluster.rails)
    ]
    return {host: {"rdma_devices": devices} for host in cluster.hosts}


def site_of(cluster: Cluster, gbit_per_s: float) -> dict[str, Any]:
    """What /site_json says: all ports of one rate."""
    ports = [{"rail": r, "rate_gbit_per_s": gbit_per_s} for r in range(cluster.rails)]
    rails = [{"index": r, "rate_gbit_per_s": gbit_per_s} for r in range(cluster.rails)]
    return {"format": 1, "rails": rails, "groups": [{"hosts": cluster.hosts, "ports": ports}]}


# --- files ----------------------------------------------------------------------------------------


def write_samples(file: Any, cluster: Cluster, case: IncastCase) -> int:
    ranks = len(cluster.places)
    parts: list[tuple[int, Rows, int, int, int]] = []
    for rank in range(ranks):
        if case.with_incast and rank in case.senders:
            made = case.rows(case, rank)
            parts.append((rank, made, 1, case.receiver_of(rank), case.bytes))
        elif case.with_victim and case.victim and rank == case.victim[0]:
            made = case.victim_rows(case, rank)
            parts.append((rank, made, 2, case.victim[1], case.victim_bytes))
    counts = [0] * ranks
    for rank, made, *_ in parts:
        counts[rank] = len(made.completed_ns)
    parent = file.require_group("samples").create_group(f"{case.id:04d}")
    parent["offsets"] = np.concatenate(([0], np.cumsum(counts))).astype("u8")
    parent["group"] = np.array(case.group(ranks), "i4")
    columns: dict[str, list[Any]] = {}

    def add(name: str, values: Any, size: int) -> None:
        columns.setdefault(name, []).append(np.broadcast_to(np.asarray(values), (size,)))

    for rank, made, role, peer, size in parts:
        n = counts[rank]
        requests = np.ones(n, np.int64) if made.requests is None else np.asarray(made.requests)
        add("start_ns", np.asarray(made.completed_ns) - np.asarray(made.elapsed_ns), n)
        add("elapsed_ns", made.elapsed_ns, n)
        add("bytes", requests * size, n)
        add("peer", peer, n)
        add("rail", cluster.places[rank][1] if cluster.rail_map else -1, n)
        add("queue", 0 if made.queue is None else made.queue, n)
        add("role", role, n)
        add("requests", requests, n)
        add("longest_ns", made.elapsed_ns if made.longest_ns is None else made.longest_ns, n)
        add("completed_ns", made.completed_ns, n)
    kinds = {"bytes": "u8", "requests": "u8"}
    for name, values in columns.items():
        joined = np.concatenate(values).astype(kinds.get(name, "i8"))
        if name in ("rail", "role") and joined.size and (joined == joined[0]).all():
            constant_column(parent, name, int(joined[0]), joined.size, "i8")
        else:
            parent[name] = joined
        parent[name].attrs["unit"] = np.bytes_("ns" if name.endswith("_ns") else name)
    case.change(parent)
    return sum(counts)


def write_counters(file: Any, rows: list[CounterRow], case: IncastCase) -> None:
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


def cases_table(cases: list[IncastCase], samples: dict[int, int]) -> Any:
    ran = [c.status in ("done", "wrong") for c in cases]
    n = len(cases)
    texts: dict[str, list[str]] = {
        "name": [c.name for c in cases],
        "status": [c.status for c in cases],
        "reason": [c.reason for c in cases],
        "operation": ["incast"] * n,
        "benchmark": ["incast"] * n,
        "backend": [c.backend for c in cases],
        "memory": [c.memory for c in cases],
        "verb": ["write"] * n,
        "receivers": ["one" if len(c.receivers) == 1 else "at-once" for c in cases],
        "receiver_ranks": [",".join(map(str, c.receivers)) for c in cases],
        "spread": ["rail"] * n,
        "ramp": ["on" if c.ramp else "off" for c in cases],
        "victim": ["other" if c.victim else "none" for c in cases],
        "victim_ranks": [f"{c.victim[0]}>{c.victim[1]}" if c.victim else "" for c in cases],
        "congestion": [c.congestion for c in cases],
        "matching": [c.matching for c in cases],
    }
    numbers: dict[str, list[int]] = {
        "senders": [len(c.senders) // len(c.receivers) for c in cases],
        "queues": [c.queues for c in cases],
        "bytes": [c.bytes for c in cases],
        "depth": [c.depth for c in cases],
        "victim_bytes": [c.victim_bytes for c in cases],
        "rows_per_second": [10000] * n,
        "group_ranks": [2] * n,
        "warmup_ns": [10 * MS] * n,
        "duration_ns": [c.duration_ns for c in cases],
        "started_ns": [0] * n,
        "wall_ns": [200 * MS] * n,
        "clock_error_ns": [0] * n,
    }
    counts = {
        "checked_elements": [65536 * r for r in ran],
        "wrong_elements": [c.wrong for c in cases],
        "samples": [samples.get(c.id, 0) for c in cases],
        "ops_per_sample": [1] * n,
        "algbw_bytes": [c.bytes for c in cases],
    }
    return table(
        {
            "id": ("i4", [c.id for c in cases]),
            "bus_factor": ("f8", [np.nan] * n),
            **{name: (str, values) for name, values in texts.items()},
            **{name: ("i8", values) for name, values in numbers.items()},
            **{name: ("u8", values) for name, values in counts.items()},
        }
    )


def write_incast_run(
    out: Path, cluster: Cluster, cases: list[IncastCase], argv: str = "", **changes: Any
) -> Path:
    """Write a finished run file; ``changes`` go to its `Plan`."""
    plan = cluster.plan(**{"facts": twin_facts(cluster), **changes})
    if argv:
        plan.attributes["argv"] = np.bytes_(argv)
    with h5py.File(out, "w") as file:
        write_root(file, plan, plan.finished)
        write_context(file, plan)
        if cluster.site is not None:
            import json

            write_scalar_text(file, "site_json", json.dumps(cluster.site))
        measured = [c for c in cases if c.status in ("done", "wrong")]
        samples = {c.id: write_samples(file, cluster, c) for c in measured}
        for case in measured:
            rows = healthy(cluster) if case.counters is None else case.counters
            if rows:
                write_counters(file, rows, case)
        file["cases"] = cases_table(cases, samples)
    return out


def triple(first: int, victim: tuple[int, int], times_ns: tuple[int, int], **changes: Any) -> Any:
    """The three cases of one measurement; the victim takes so long isolated and congested."""
    words = ("isolated", "congested", "alone")
    kinds = zip(words, (*times_ns, times_ns[0]), strict=True)
    return [
        IncastCase(first + i, congestion=word, victim=victim, victim_rows=ping(elapsed), **changes)
        for i, (word, elapsed) in enumerate(kinds)
    ]
