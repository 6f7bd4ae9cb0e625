# SPDX-License-Identifier: Apache-2.0
"""``railgauge show`` of pairs within nodes: a line per node of each set of cases, and the odd."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from railgauge.pair_conditions import condition_labels
from railgauge.pair_nodes import NodeMatrix, NodePair, NodeSet, Seats
from railgauge.pair_rows import PairsTables
from railgauge.pair_sets import Floats
from railgauge.rows import Row, plain
from railgauge.text import display_width, pad

NODE_LEGEND = (
    "# Within a node a pair is one direction from a GPU (or rank) to another of the same node.",
    "# % of node: of the median pair of that node in all rounds. % of other nodes: of the median",
    "# of the same pair on all other nodes.",
)
_WIDEST_HOST = 40


def node_set_json(found: NodeSet, seats: Seats) -> dict[str, Any]:
    """Return a set with a matrix per node; null where nothing was measured."""
    return found.condition._asdict() | {
        "unit": "us" if found.condition.is_latency else "Gbit_s",
        "matrices": [_matrix_json(node, found, seats) for node in found.nodes],
        "slowest_of_node": _pair_json(next(iter(found.ranked), None), seats),
        "slowest_of_other_nodes": _pair_json(found.worst_by_others(), seats),
    }


def _matrix_json(matrix: NodeMatrix, found: NodeSet, seats: Seats) -> dict[str, Any]:
    known = list(matrix.pairs.values())
    return {
        "node": matrix.node,
        "host": matrix.host,
        "labels": matrix.labels,
        "values": _cells(matrix.values),
        "other_nodes": _cells(matrix.others),
        "lowest": min(known, default=None),
        "median": plain(matrix.median),
        "highest": max(known, default=None),
        "slowest": _pair_json(found.slowest.get(matrix.node), seats),
    }


def _cells(values: Floats) -> list[list[float | None]]:
    return [[plain(v) for v in row] for row in values.tolist()]


def _pair_json(pair: NodePair | None, seats: Seats) -> Row | None:
    if pair is None:
        return None
    return {
        "pair": seats.text(pair.path),
        "value": pair.value,
        "percent_of_node": plain(pair.percent),
        "percent_of_other_nodes": plain(pair.percent_of_others),
    }


def node_lines(tables: PairsTables) -> Iterator[str]:
    """Yield a table per set of pairs within nodes, and below it the two odd ones out."""
    if tables.seats is None:
        return
    labels = condition_labels([s.condition for s in tables.node_sets])
    for found, label in zip(tables.node_sets, labels, strict=True):
        yield from _table(found, label, tables.seats)


def _table(found: NodeSet, label: str, seats: Seats) -> Iterator[str]:
    unit, form = ("(us)", ".2f") if found.condition.is_latency else ("(Gb/s)", ".4g")
    hosts = max(display_width(n.host) for n in found.nodes)
    width = min(_WIDEST_HOST, max(6, hosts))
    heads = ("pairs", "lowest", "median", "highest")
    yield "#"
    yield f"# Pairs within nodes: {label}"
    head = "".join(pad(h, 7 if h == "pairs" else 11) for h in heads)
    yield f"# {pad('node', width, right=False)}{head}  slowest pair (% of node, % of other nodes)"
    yield f"# {' ' * width}{' ' * 7}{pad(unit, 11) * 3}"
    for node in found.nodes:
        known = list(node.pairs.values())
        numbers = (min(known), node.median, max(known)) if known else ()
        cells = [pad(f"{v:{form}}", 11) for v in numbers] or [pad("-", 11)] * 3
        host = pad(node.host, width, right=False)
        slowest = found.slowest.get(node.node)
        end = _named(slowest, seats) if slowest else _why_none(node)
        yield f"  {host}{pad(str(len(known)), 7)}{''.join(cells)}  {end}"
    yield from _odd(found, seats)


def _why_none(node: NodeMatrix) -> str:
    return "one rank, no pair" if len(node.labels) == 1 else "not measured"


def _odd(found: NodeSet, seats: Seats) -> Iterator[str]:
    yield f"# slowest against its node: {_named(found.ranked[0], seats)}"
    if worst := found.worst_by_others():
        yield f"# slowest against the same pair of other nodes: {_named(worst, seats)}"


def _named(pair: NodePair, seats: Seats) -> str:
    shares = (pair.percent, pair.percent_of_others)
    told = ", ".join("-" if math.isnan(s) else f"{s:.0f} %" for s in shares)
    return f"{seats.text(pair.path)} ({told})"
