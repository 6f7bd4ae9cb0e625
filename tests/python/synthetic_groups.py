# SPDX-License-Identifier: Apache-2.0
"""Runs of a split, with device times, and of communicators, whose numbers the tests know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from synthetic import CaseSpec, Int64s, Plan, SampleMaker, write_run

RANKS, RAILS = 8, 4
RAIL_OF = [r % RAILS for r in range(RANKS)]
HOSTS = ["gpu01"] * RAILS + ["gpu02"] * RAILS
ITERATIONS = 21
SIZES = (1024, 1 << 20)
LAUNCH_NS = 5_000
_USUAL: dict[str, str | int | float] = {
    **{"split": "none", "active": "together", "active_group": -1, "buffers": "plain"},
    **{"aggregate": 1, "graph": 0, "cta_policy": "default", "min_ctas": 0, "max_ctas": 0},
    **{"traffic_class": -1, "algorithm": "", "protocol": "", "channels": -1},
}


def steady(speeds: Mapping[int, float]) -> SampleMaker:
    """Samples of exactly 10 us + 1 ns/B, divided by the speed of the rank's group."""

    def make(spec: CaseSpec, rank: int, _: int) -> tuple[Int64s, Int64s]:
        assert spec.group is not None
        time = round((10_000 + spec.bytes) / speeds.get(spec.group[rank], 1.0))
        start = np.arange(spec.iterations, dtype=np.int64) * (time + 100)
        return start, np.full(spec.iterations, time, np.int64)

    return make


def split_case(
    number: int, size: int, split: str, groups: Sequence[int], **changes: Any
) -> CaseSpec:
    """A case of a split whose groups work together, or of the one group that is not idle."""
    active = {g for g in groups if g >= 0}
    alone = len(active) == 1
    name = f"{split}{min(active)}" if alone else "together"
    variables = _USUAL | {"split": split, "active": name}
    variables |= {"active_group": min(active) if alone else -1}
    spec = CaseSpec(number, bytes=size, iterations=ITERATIONS, backend="nccl", group=list(groups))
    return replace(spec, suffix=f"/{split}/{name}", variables=variables, **changes)


def with_device(spec: CaseSpec, launch_ns: int = LAUNCH_NS) -> CaseSpec:
    """The same case with device times that are so much shorter than the host's."""
    assert spec.samples is not None
    assert spec.group is not None
    ranks = [r for r, g in enumerate(spec.group) if g >= 0]
    host = np.concatenate([spec.samples(spec, r, len(spec.group))[1] for r in ranks])
    return replace(spec, extra_columns={"device_ns": ("ns", host - launch_ns)})


def rails_plan(slow: float = 0.7, alone: bool = True) -> Plan:
    """Four rails on two nodes; rail 2 has ``slow`` of the speed of the others."""
    cases: list[CaseSpec] = []
    lone = [[r if r == rail else -1 for r in RAIL_OF] for rail in range(RAILS)]
    for groups in [RAIL_OF, *(lone if alone else [])]:
        speeds = {r: 1.0 if groups is RAIL_OF else 1.25 for r in range(RAILS)}
        speeds[2] *= slow
        for size in SIZES:
            spec = split_case(len(cases), size, "rail", groups, samples=steady(speeds))
            cases.append(with_device(spec))
    gpus = [f"GPU-{r:04d}" for r in range(RANKS)]
    return Plan(cases, hosts=HOSTS, rails=RAIL_OF, gpus=gpus)


def communicator_case(number: int, steps: Mapping[str, Sequence[int]], **changes: Any) -> CaseSpec:
    """Lives of communicators; ``steps`` holds the samples of each column, rank after rank."""
    spec = CaseSpec(number, "communicator", 0, "none", "none", checked=0, backend="nccl")
    spec = replace(spec, iterations=3, variables=dict(_USUAL), group=[0] * 4, samples=steady({}))
    columns = {n: ("B" if n.endswith("bytes") else "ns", np.array(v)) for n, v in steps.items()}
    return replace(spec, extra_columns=columns, **changes)


LIFE = {
    # three lives on each of four ranks; medians of the ranks 20, 30, 40, 500 ms
    "init_ns": [t * 10**6 for t in (20, 10, 99, 30, 30, 31, 1, 40, 41, 500, 600, 499)],
    "split_ns": [-1] * 12,
    "register_ns": [7_000] * 12,
    "first_ns": [8_000] * 12,
    "finalize_ns": [9_000] * 12,
    "memory_bytes": [32 << 20] * 9 + [48 << 20] * 3,
}


def communicators_run(path: Path, **changes: Any) -> Path:
    case = communicator_case(0, LIFE, **changes)
    return write_run(path, Plan([case]))
