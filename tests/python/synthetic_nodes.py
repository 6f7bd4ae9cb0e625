# SPDX-License-Identifier: Apache-2.0
"""Writes runs of railgauge-pairs within nodes, of nodes with as many ranks as one likes.

boxes = Boxes(["n0", "n1"], sizes=[8, 8], gbit_per_s=slow_pair(1, 2, 5, 0.6))
write_nodes_run(path, boxes, node_pairs(boxes))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from synthetic_pairs import Fabric, PairsCase, Rate, rounds, write_pairs_run

import h5py  # isort: skip


def even(node: int, source: int, _: int, destination: int) -> float:
    """Every pair reaches 40 Gbit/s, give or take 1 % that no random generator chose."""
    return 40 * (1 + ((7 * source + 3 * destination + node) % 5 - 2) / 200)


def slow_pair(node: int, source: int, destination: int, share: float) -> Rate:
    """One direction of one pair of local ranks is slow."""

    def rate(*ends: int) -> float:
        hit = ends == (node, source, node, destination)
        return even(*ends) * (share if hit else 1)

    return rate


@dataclass
class Boxes(Fabric):
    """Hosts with ``sizes`` ranks each, on no rail; a rank's GPU is its local rank."""

    gbit_per_s: Rate = even
    rail_map: bool = False
    sizes: Sequence[int] = field(default_factory=list)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Node and local rank of every rank."""
        return [(node, local) for node, size in enumerate(self.sizes) for local in range(size)]


def node_pairs(boxes: Boxes, **changes: Any) -> list[PairsCase]:
    """All rounds of pairs of local ranks, in every node that has both."""
    return _cases(boxes, rounds(max(boxes.sizes)), {"pattern": "node-pairs"} | changes)


def node_first(boxes: Boxes, **changes: Any) -> list[PairsCase]:
    """Local rank 0 with each other one."""
    found = [[(0, other)] for other in range(1, max(boxes.sizes))]
    return _cases(boxes, found, {"pattern": "node-first"} | changes)


def _cases(
    boxes: Boxes, found: list[list[tuple[int, int]]], changes: dict[str, Any]
) -> list[PairsCase]:
    ranks = {place: rank for rank, place in enumerate(boxes.places)}
    cases = []
    for number, pairs in enumerate(found):
        peers = [-1] * len(ranks)
        for node in range(len(boxes.hosts)):
            for a, b in pairs:
                if (node, b) in ranks:
                    first, second = ranks[node, a], ranks[node, b]
                    peers[first], peers[second] = second, first
        case = PairsCase(number, peers, rails="none", round=number, counters=lambda rows: [])
        cases.append(replace(case, **changes))
    return cases


def renumbered(*lists: list[PairsCase]) -> list[PairsCase]:
    """Join lists of cases into the cases of one run."""
    return [replace(c, id=i) for i, c in enumerate(c for cases in lists for c in cases)]


def write_nodes_run(
    out: Path,
    boxes: Boxes,
    cases: list[PairsCase],
    *,
    gpus: bool = True,
    ranks: dict[str, dict[int, int]] | None = None,
    **changes: Any,
) -> Path:
    """Write a finished run; ``ranks`` changes columns of ``/ranks``, by rank."""
    write_pairs_run(out, boxes, cases, **changes)
    with h5py.File(out, "r+") as file:
        rows = file["ranks"][...]
        if gpus:
            rows["gpu_index"] = rows["local_rank"]
            rows["gpu_uuid"] = [f"GPU-{r}".encode() for r in rows["rank"]]
        for name, values in (ranks or {}).items():
            for rank, value in values.items():
                rows[name][rank] = value
        file["ranks"][...] = rows
    return out
