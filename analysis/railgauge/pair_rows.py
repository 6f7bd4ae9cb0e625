# SPDX-License-Identifier: Apache-2.0
"""Flat rows of runs of ``railgauge-pairs``: one per case, and one per pair of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from railgauge.case_counters import RunCounters
from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_conditions import Condition, condition_of
from railgauge.pair_nodes import NodeSet, Seats, node_sets
from railgauge.pair_results import PairsResult, iterate_pairs
from railgauge.pair_sets import (
    PairSet,
    median_of,
    nodes_of,
    pair_sets,
    path_text,
    rail_medians,
)
from railgauge.pair_setup import (
    is_served,
    queues_of,
    served_host_of,
    times_per_sample,
    verb_of,
)
from railgauge.pairs import Pair, Path, is_within_nodes
from railgauge.rows import Row, plain
from railgauge.stats import is_shown

PAIR_NUMBERS = (
    "rate_Gbit_s",
    "median_us",
    "p99_us",
    "max_us",
    "percent_of_rail",
    "percent_of_node",
    "percent_of_other_nodes",
)
NODE_ENDS = ("node", "source_local", "destination_local", "source_gpu", "destination_gpu")
"""Columns of whole numbers that only pairs within a node have."""

Medians = Mapping[Condition, Mapping[Path, float]]


class PairsTables:
    """All results of a run of pairs, joined; what its outputs are made of.

    Attributes
    ----------
    nodes : dict of int to str
        Host of each node.
    results : list of PairsResult
    sets : list of PairSet
    node_sets : list of NodeSet
        Of patterns within nodes.
    counters : RunCounters

    Raises
    ------
    DamagedRun
        Pairs within nodes were planned, and the ranks have no place of their own in their nodes.
    """

    def __init__(self, run: Run) -> None:
        self.nodes = nodes_of(run)
        self.counters = RunCounters(run)
        self.results: list[PairsResult] = list(iterate_pairs(run))
        self.sets: list[PairSet] = pair_sets(self.results, self.nodes)
        self._medians: Medians = rail_medians(self.sets)
        within = any(is_within_nodes(case) for case in run.cases)
        self.seats: Seats | None = Seats(run) if within else None
        self.node_sets: list[NodeSet] = node_sets(self.results, self.seats) if self.seats else []
        self._node_medians = NodeMedians(self.node_sets)

    def case_row(self, result: PairsResult) -> Row:
        """Flatten a case: rates in Gbit/s over its pairs, latencies in us over its samples."""
        pairs = result.pairs
        rates = [p.gbit_per_s for p in pairs if p.gbit_per_s is not None]
        slowest = self._slowest(result)
        times, per = result.times, 1e3 * times_per_sample(result.case)
        shows_p99 = times is not None and is_shown(times.n, 0.99)
        row = _about(result.case, result.problem) | {
            "measured_pairs": len(pairs) if pairs else None,
            "samples": sum(p.samples for p in pairs) if pairs else None,
            "lowest_Gbit_s": min(rates, default=None),
            "median_Gbit_s": median_of(rates) if rates else None,
            "highest_Gbit_s": max(rates, default=None),
            "median_us": times.median / per if times else None,
            "p99_us": times.p99 / per if times and shows_p99 else None,
            "max_us": times.maximum / per if times else None,
            "slowest": self.text(result.case, slowest) if slowest else None,
            "slowest_percent": self.percent(result.case, slowest) if slowest else None,
            "checked_elements": result.case.checked_elements,
            "wrong_elements": result.case.wrong_elements,
        }
        if slowest and is_within_nodes(result.case):
            row["slowest_percent_of_node"] = self._node_medians.of_node(result.case, slowest)
        return row | self.counters.row(result.case)

    def text(self, case: Case, pair: Pair) -> str:
        """Name a pair of a case by its rails, or within a node by its GPUs."""
        if self.seats and is_within_nodes(case):
            return self.seats.text(pair.path)
        return path_text(pair.path, condition_of(case).names(self.nodes))

    def _slowest(self, result: PairsResult) -> Pair | None:
        """Return the pair of least rate, or of longest median trip."""
        key = (lambda p: p.value) if result.times is None else (lambda p: -p.value)
        return min(result.pairs, key=key, default=None)

    def pair_rows(self, result: PairsResult) -> Iterator[Row]:
        """Yield a row per pair of a case."""
        names = condition_of(result.case).names(self.nodes)
        for pair in result.pairs:
            row: Row = {
                "source": names[pair.path.source],
                "source_rail": _known(pair.path.source_rail),
                "source_rank": _known(pair.path.source_rank),
                "destination": names[pair.path.destination],
                "destination_rail": _known(pair.path.destination_rail),
                "destination_rank": _known(pair.path.destination_rank),
                "lanes": pair.lanes,
                "samples": pair.samples,
                "rate_Gbit_s": pair.gbit_per_s,
                "median_us": pair.median_ns / 1e3,
                "p99_us": None if pair.p99_ns is None else pair.p99_ns / 1e3,
                "max_us": pair.max_ns / 1e3,
                "percent_of_rail": self.percent(result.case, pair),
            }
            if self.seats and is_within_nodes(result.case):
                row |= _ends(pair, self.seats) | self._node_medians.row(result.case, pair)
            yield row

    def percent(self, case: Case, pair: Pair) -> float | None:
        """A pair's number as % of the median of its rail over all rounds; None in a wrong case."""
        medians = {} if case.wrong else self._medians.get(condition_of(case), {})
        median = medians.get(pair.path)
        return 100 * pair.value / median if median else None


def _ends(pair: Pair, seats: Seats) -> Row:
    here, there = seats.of[pair.path.source_rank], seats.of[pair.path.destination_rank]
    numbers = (here.node, here.local, there.local, _known(here.gpu), _known(there.gpu))
    return dict(zip(NODE_ENDS, numbers, strict=True))


class NodeMedians:
    """What pairs within nodes are compared with, by condition."""

    def __init__(self, sets: Iterable[NodeSet]) -> None:
        self._node: dict[tuple[Condition, int], float] = {}
        self._others: dict[tuple[Condition, Path], float] = {}
        for found in sets:
            self._node |= {(found.condition, n.node): n.median for n in found.nodes}
            self._others |= {(found.condition, path): m for path, m in found.others.items()}

    def row(self, case: Case, pair: Pair) -> Row:
        """Return a pair's number as % of both medians."""
        others = None if case.wrong else self._others.get((condition_of(case), pair.path))
        return {
            "percent_of_node": self.of_node(case, pair),
            "percent_of_other_nodes": 100 * pair.value / others if others else None,
        }

    def of_node(self, case: Case, pair: Pair) -> float | None:
        """A pair's number as % of the median of its node; None in a wrong case."""
        if case.wrong:
            return None
        median = self._node.get((condition_of(case), pair.path.source))
        return 100 * pair.value / median if median else None


def exported_rows(tables: PairsTables) -> Iterator[Row]:
    """Yield a row per pair of every case, with what the case says about itself."""
    for result in tables.results:
        about = _about(result.case, result.problem)
        about["wrong_elements"] = result.case.wrong_elements
        about |= tables.counters.row(result.case)
        for row in tables.pair_rows(result):
            yield about | row


def _about(case: Case, problem: str) -> Row:
    fixed: Row = {
        "case": case.id,
        "name": case.name,
        "status": str(case.status),
        "reason": case.reason or problem,
        "operation": case.operation,
        "backend": case.backend,
        "memory": case.memory,
        "verb": verb_of(case),
        "queues": queues_of(case) or None,
    }
    if is_served(case):
        fixed["served_host"] = served_host_of(case)
    return fixed | {n: plain(case.variables.get(n)) for n in _VARIABLES}


_VARIABLES = (
    "pattern",
    "direction",
    "bytes",
    "depth",
    "rails",
    "plane",
    "repeat",
    "round",
    "pairs",
    "warmup",
    "mode",
    "start",
)


def _known(number: int) -> int | None:
    return number if number >= 0 else None
