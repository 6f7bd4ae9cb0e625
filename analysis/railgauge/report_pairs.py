# SPDX-License-Identifier: Apache-2.0
"""What the report shows of a run of ``railgauge-pairs``, as plain values for its template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isnan
from typing import Any

from railgauge.figures.pair_curves import size_curves, trips_figure
from railgauge.figures.pair_facets import facets, wants_facets
from railgauge.figures.pair_maps import rail_boxes, rail_maps
from railgauge.figures.pair_nodes import node_boxes, node_data, node_shape
from railgauge.figures.style import Figure
from railgauge.load import Run
from railgauge.pair_conditions import Condition, condition_labels, condition_of
from railgauge.pair_nodes import NodeMatrix, NodePair, NodeSet, Seats
from railgauge.pair_rows import PairsTables
from railgauge.pair_sets import (
    Measured,
    PairSet,
    RankedPair,
    path_text,
    ranked,
)
from railgauge.report_counters import counter_contents, counter_tiles
from railgauge.report_sizes import size_tables
from railgauge.report_tables import (
    COUNTER_COLUMNS,
    TableColumn,
    Tile,
    alarms,
    common_tiles,
    result_table,
)
from railgauge.trips import Trips

_SLOWEST = 12
_TABLE: tuple[TableColumn, ...] = (
    ("case", "case", 0),
    ("operation", "operation", 0),
    ("backend", "backend", 0),
    ("memory", "memory", 0),
    ("pattern", "pattern", 0),
    ("served_host", "served host", 0),
    ("verb", "verb", 0),
    ("direction", "direction", 0),
    ("mode", "mode", 0),
    ("bytes", "size (B)", 0),
    ("depth", "depth", 0),
    ("queues", "QPs", 0),
    ("rails", "rails", 0),
    ("plane", "plane", 0),
    ("repeat", "repeat", 0),
    ("round", "round", 0),
    ("measured_pairs", "pairs", 0),
    ("lowest_Gbit_s", "lowest (Gb/s)", 4),
    ("median_Gbit_s", "median (Gb/s)", 4),
    ("highest_Gbit_s", "highest (Gb/s)", 4),
    ("median_us", "median (us)", 2),
    ("p99_us", "p99 (us)", 2),
    ("max_us", "max (us)", 2),
    *COUNTER_COLUMNS,
    ("slowest", "slowest pair", 0),
    ("slowest_percent", "% of rail", 1),
    ("slowest_percent_of_node", "% of node", 1),
    ("wrong_elements", "#wrong", 0),
    ("status", "status", 0),
    ("samples", "samples", 0),
    ("reason", "reason", 0),
)


def pairs_contents(run: Run) -> dict[str, Any]:
    """Return the names that the template needs, computed from the pairs of the run."""
    tables = PairsTables(run)
    samples = sum(p.samples for r in tables.results for p in r.pairs)
    return {
        "pairs": True,
        "incast": None,
        "ranking": None,
        "more_groups": 0,
        "communicators": None,
        "figures": _figures(tables),
        "facets": _facets(tables),
        "sizes": size_tables(_measured(tables)),
        "counters": counter_contents(tables.counters),
        "timelines": [],
        "maps": _maps(tables) + _node_maps(tables),
        "first": _first(tables.sets),
        "tiles": common_tiles(run, samples)
        + _slowest_tile(tables)
        + _node_tile(tables)
        + counter_tiles(tables.counters),
        "table": result_table([tables.case_row(r) for r in tables.results], _TABLE),
        "alarms": alarms(run, tables.results),
    }


def _figures(tables: PairsTables) -> dict[str, Figure]:
    sets = _measured(tables)
    found = {"trips": trips_figure(_trips(tables))}
    if not wants_facets(sets):
        found["rates"] = size_curves(sets, latency=False)
        found["latencies"] = size_curves(sets, latency=True)
    return {name: figure for name, figure in found.items() if figure is not None}


def _measured(tables: PairsTables) -> list[Measured]:
    return [*tables.sets, *tables.node_sets]


def _facets(tables: PairsTables) -> dict[str, list[dict[str, Any]]]:
    """Return the charts by size, queue pairs and memory of runs that vary these."""
    sets = _measured(tables)
    if not wants_facets(sets):
        return {}
    found = {"rates": facets(sets, latency=False), "latencies": facets(sets, latency=True)}
    return {kind: charts for kind, charts in found.items() if charts}


def _trips(tables: PairsTables) -> dict[Condition, Trips]:
    joined: dict[Condition, Trips] = {}
    for result in tables.results:
        if result.trips.count and not result.case.wrong:
            joined.setdefault(condition_of(result.case), Trips()).merge(result.trips)
    return joined


def _maps(tables: PairsTables) -> list[dict[str, Any]]:
    """Return label, figures and slowest pairs of each set; the page shows one of them."""
    labels = condition_labels([s.condition for s in tables.sets])
    return [
        {
            "label": label,
            "rails": rail_maps(found, tables.nodes),
            "boxes": rail_boxes(found, tables.nodes),
            "unit": found.condition.unit,
            "slowest": [
                [_name(p, found, tables), f"{p.value:.4g}", f"{p.percent:.1f}"]
                for p in ranked(found)[:_SLOWEST]
            ],
        }
        for found, label in zip(tables.sets, labels, strict=True)
    ]


def _name(pair: RankedPair, found: PairSet, tables: PairsTables) -> str:
    return path_text(pair.path, found.condition.names(tables.nodes))


def _node_maps(tables: PairsTables) -> list[dict[str, Any]]:
    """Return the same of each set within nodes: one figure, and what each node puts into it."""
    seats = tables.seats
    if seats is None:
        return []
    labels = condition_labels([s.condition for s in tables.node_sets])
    first = _first(tables.node_sets)
    return [
        {
            "label": label,
            "within": True,
            "first": number == first,
            "rails": [],
            "shape": node_shape(found),
            "nodes": [_node(n, found) for n in sorted(found.nodes, key=_slowness(found))],
            "boxes": node_boxes(found, seats),
            "unit": found.condition.unit,
            "slowest": [_cells(p, seats) for p in found.ranked[:_SLOWEST]],
        }
        for number, (found, label) in enumerate(zip(tables.node_sets, labels, strict=True))
    ]


def _slowness(found: NodeSet) -> Callable[[NodeMatrix], float]:
    """Order nodes: the one with the slowest pair first, those without any pair last."""

    def key(node: NodeMatrix) -> float:
        known = node.pairs.values()
        return -max(known, default=-inf) if found.condition.is_latency else min(known, default=inf)

    return key


def _node(matrix: NodeMatrix, found: NodeSet) -> dict[str, Any]:
    slowest = found.slowest.get(matrix.node)
    note = "not measured"
    if slowest:
        number = f"{slowest.value:.4g} {found.condition.unit}"
        note = f"slowest {number}, {slowest.percent:.0f} % of its median"
    return node_data(matrix, found) | {"note": note}


def _cells(pair: NodePair, seats: Seats) -> list[str]:
    others = "-" if isnan(pair.percent_of_others) else f"{pair.percent_of_others:.1f}"
    return [seats.text(pair.path), f"{pair.value:.4g}", f"{pair.percent:.1f}", others]


def _first(sets: Sequence[Measured]) -> int:
    """Position of the set to show first: bandwidth of the largest window."""

    def weight(i: int) -> tuple[bool, int]:
        condition = sets[i].condition
        return not condition.is_latency, condition.bytes * condition.depth * condition.queues

    return max(range(len(sets)), key=weight, default=0)


def _slowest_tile(tables: PairsTables) -> list[Tile]:
    if not tables.sets:
        return []
    found = tables.sets[_first(tables.sets)]
    slowest = ranked(found)[0]
    where = f"of its rail's median: {_name(slowest, found, tables)}"
    return [Tile("slowest pair", f"{slowest.percent:.0f} %", where)]


def _node_tile(tables: PairsTables) -> list[Tile]:
    if not tables.node_sets or tables.seats is None:
        return []
    slowest = tables.node_sets[_first(tables.node_sets)].ranked[0]
    where = f"of its node's median: {tables.seats.text(slowest.path)}"
    return [Tile("slowest pair within a node", f"{slowest.percent:.0f} %", where)]
