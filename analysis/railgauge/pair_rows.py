# SPDX-License-Identifier: Apache-2.0
"""Flat rows of runs of ``railgauge-pairs``: one per case, and one per pair of a case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from railgauge.load import Run
from railgauge.model import Case
from railgauge.pair_results import PairsResult, iterate_pairs
from railgauge.pair_sets import (
    Condition,
    PairSet,
    condition_of,
    median_of,
    nodes_of,
    pair_sets,
    path_text,
    rail_medians,
)
from railgauge.pairs import Pair
from railgauge.rows import Row, plain
from railgauge.stats import is_shown

PAIR_NUMBERS = ("rate_Gbit_s", "median_us", "p99_us", "max_us", "percent_of_rail")

Medians = Mapping[tuple[Condition, int, int], float]


class PairsTables:
    """All results of a run of pairs, joined; what its outputs are made of.

    Attributes
    ----------
    nodes : dict of int to str
        Host of each node.
    results : list of PairsResult
    sets : list of PairSet
    """

    def __init__(self, run: Run) -> None:
        self.nodes = nodes_of(run)
        self.results: list[PairsResult] = list(iterate_pairs(run))
        self.sets: list[PairSet] = pair_sets(self.results, self.nodes)
        self._medians: Medians = rail_medians(self.sets)

    def case_row(self, result: PairsResult) -> Row:
        """Flatten a case: rates in Gbit/s over its pairs, latencies in us over its samples."""
        pairs = result.pairs
        rates = [p.gbit_per_s for p in pairs if p.gbit_per_s is not None]
        slowest = self._slowest(result)
        times, per = result.times, 2e3 * result.case.ops_per_sample
        shows_p99 = times is not None and is_shown(times.n, 0.99)
        return _about(result.case, result.problem) | {
            "measured_pairs": len(pairs) if pairs else None,
            "samples": sum(p.samples for p in pairs) if pairs else None,
            "lowest_Gbit_s": min(rates, default=None),
            "median_Gbit_s": median_of(rates) if rates else None,
            "highest_Gbit_s": max(rates, default=None),
            "median_us": times.median / per if times else None,
            "p99_us": times.p99 / per if times and shows_p99 else None,
            "max_us": times.maximum / per if times else None,
            "slowest": path_text(slowest.path, self.nodes) if slowest else None,
            "slowest_percent": self.percent(result.case, slowest) if slowest else None,
            "checked_elements": result.case.checked_elements,
            "wrong_elements": result.case.wrong_elements,
        }

    def _slowest(self, result: PairsResult) -> Pair | None:
        """Return the pair of least rate, or of longest median trip."""
        key = (lambda p: p.value) if result.times is None else (lambda p: -p.value)
        return min(result.pairs, key=key, default=None)

    def pair_rows(self, result: PairsResult) -> Iterator[Row]:
        """Yield a row per pair of a case."""
        for pair in result.pairs:
            yield {
                "source": self.nodes[pair.path.source],
                "source_rail": _known(pair.path.source_rail),
                "source_rank": _known(pair.path.source_rank),
                "destination": self.nodes[pair.path.destination],
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

    def percent(self, case: Case, pair: Pair) -> float | None:
        """A pair's number as % of the median of its rail over all rounds; None in a wrong case."""
        path = pair.path
        key = (condition_of(case), path.source_rail, path.destination_rail)
        median = None if case.wrong else self._medians.get(key)
        return 100 * pair.value / median if median else None


def exported_rows(tables: PairsTables) -> Iterator[Row]:
    """Yield a row per pair of every case, with what the case says about itself."""
    for result in tables.results:
        about = _about(result.case, result.problem)
        about["wrong_elements"] = result.case.wrong_elements
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
    }
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
