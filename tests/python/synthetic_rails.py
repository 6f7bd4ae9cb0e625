# SPDX-License-Identifier: Apache-2.0
"""Writes runs of railgauge-collective that work rail by rail, with byte counters of every NIC.

case = RailCase("all_gather", active=1)
write_rails_run(path, [case])             # 3 nodes x 2 rails; a ring moved the bytes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synthetic import CaseSpec, Plan, table, write_context, write_root, write_samples

import h5py  # isort: skip

CounterRow = tuple[int, str, str, int, str]
"""Node, device, name, difference, status."""

NODES, RAILS = 3, 2
HOSTS = ["n0", "노드-일", "n2"]
PIECE = 1 << 20
BYTES = NODES * PIECE
OPERATIONS = 20 + 5 + 2


@dataclass
class RailCase:
    """One case; ``active`` is the rail that works alone, -1 = all at once."""

    operation: str = "all_gather"
    active: int = -1
    bytes: int = BYTES
    sent_per_operation: int = 2 * PIECE
    root: int = -1
    spread: str = ""
    samples: int = 20
    ops_per_sample: int = 1
    warmup: int = 5
    verify: str = "on"
    aggregate: int = 1
    start: str = "free"
    status: str = "done"
    split: str = "rail"
    wall_ns: int = 100_000_000_000
    counters: Callable[[list[CounterRow]], list[CounterRow]] = field(default=list)

    @property
    def operations(self) -> int:
        outside = self.warmup + (2 if self.verify == "on" else 0)
        return self.samples * self.ops_per_sample + outside * self.aggregate

    def is_active(self, rail: int) -> bool:
        return self.active in (-1, rail)


def ranks() -> list[tuple[int, int]]:
    """Node and rail of every rank."""
    return [(node, rail) for node in range(NODES) for rail in range(RAILS)]


def counter_rows(case: RailCase) -> list[CounterRow]:
    """What every NIC carried: the same both ways, 5 % of headers, and some chatter."""
    moved = round(case.operations * case.sent_per_operation * 1.05)
    rows = [
        (node, f"rail{rail}", name, (moved if case.is_active(rail) else 0) + 2000, "ok")
        for node, rail in ranks()
        for name in ("tx_bytes", "rx_bytes")
    ]
    return rows + [(node, "mgmt0", "tx_bytes", 90_000, "ok") for node in range(NODES)]


def _cases_table(cases: list[RailCase]) -> Any:
    active = [sum(c.is_active(rail) for _, rail in ranks()) for c in cases]
    texts = {n: (str, [getattr(c, n) for c in cases]) for n in ("operation", "status", "start")}
    texts |= {n: (str, [getattr(c, n) for c in cases]) for n in ("split", "verify", "spread")}
    names = ("bytes", "root", "warmup", "aggregate")
    numbers = {n: ("i8", [getattr(c, n) for c in cases]) for n in names}
    n = len(cases)
    columns = {
        "id": ("i4", list(range(n))),
        "name": (str, [f"{c.operation}/{c.active}" for c in cases]),
        "reason": (str, [""] * n),
        "checked_elements": ("u8", [4096] * n),
        "wrong_elements": ("u8", [0] * n),
        "samples": ("u8", [c.samples * a for c, a in zip(cases, active, strict=True)]),
        "started_ns": ("i8", [0] * n),
        "wall_ns": ("i8", [c.wall_ns for c in cases]),
        "clock_error_ns": ("i8", [0] * n),
        "ops_per_sample": ("u8", [c.ops_per_sample for c in cases]),
        "algbw_bytes": ("u8", [c.bytes for c in cases]),
        "bus_factor": ("f8", [1.0] * n),
        "benchmark": (str, ["collective"] * n),
        "backend": (str, ["mpi"] * n),
        "memory": (str, ["host"] * n),
        "active_group": ("i8", [c.active for c in cases]),
        "group_ranks": ("i8", [NODES] * n),
        "graph": ("i8", [0] * n),
    }
    return table(columns | texts | numbers)


def _write_counters(file: Any, number: int, rows: list[CounterRow]) -> None:
    file.require_group("counters")[f"{number:04d}"] = table(
        {
            "node": ("i4", [r[0] for r in rows]),
            "device": (str, [r[1] for r in rows]),
            "port": ("i4", [-1] * len(rows)),
            "source": (str, ["netdev"] * len(rows)),
            "name": (str, [r[2] for r in rows]),
            "before": ("u8", [1000] * len(rows)),
            "after": ("u8", [1000 + r[3] for r in rows]),
            "status": (str, [r[4] for r in rows]),
        }
    )


def write_rails_run(out: Path, cases: list[RailCase], *, rail_map: bool = True) -> Path:
    """Write a finished run file; ranks go by node, then rail."""
    plan = Plan([], hosts=[HOSTS[node] for node, _ in ranks()])
    plan.nics = [f"rail{rail}" if rail_map else "" for _, rail in ranks()]
    plan.rails = [rail for _, rail in ranks()]
    with h5py.File(out, "w") as file:
        write_root(file, plan, plan.finished)
        write_context(file, plan)
        file["cases"] = _cases_table(cases)
        for number, case in enumerate(cases):
            if case.status != "done":
                continue
            group = [rail if case.is_active(rail) else -1 for _, rail in ranks()]
            spec = CaseSpec(number, case.operation, case.bytes, iterations=case.samples)
            spec.ops_per_sample, spec.group = case.ops_per_sample, group
            write_samples(file, spec, plan.ranks)
            if rows := case.counters(counter_rows(case)):
                _write_counters(file, number, rows)
    return out
