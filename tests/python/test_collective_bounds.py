# SPDX-License-Identifier: Apache-2.0
"""Bounds of what collectives move between nodes, by hand and against algorithms played through."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from railgauge.checks.collective_bounds import Shape, least, most

Move = tuple[int, int, float]
"""Sending rank, receiving rank, bytes."""

SHAPES = {
    "a rank a node": (0, 1, 2, 3),
    "three nodes": (0, 1, 2),
    "two nodes": (0, 1),
    "two ranks a node": (0, 0, 1, 1, 2, 2),
    "uneven": (0, 0, 0, 1, 2, 2),
    "in turn": (0, 1, 0, 1),
    "one node": (0, 0, 0),
}


def ring(nodes: tuple[int, ...], step_bytes: float, steps: int) -> list[Move]:
    n = len(nodes)
    return [(r, (r + 1) % n, step_bytes) for r in range(n) for _ in range(steps)]


def all_to_all(nodes: tuple[int, ...], chunk: float) -> list[Move]:
    n = len(nodes)
    return [(a, b, chunk) for a in range(n) for b in range(n) if a != b]


def leaders(nodes: tuple[int, ...]) -> list[int]:
    return [nodes.index(node) for node in dict.fromkeys(nodes)]


def spread_by_leaders(nodes: tuple[int, ...], larger: float) -> list[Move]:
    """Root 0 to the first rank of each node, which tells its own."""
    heads = leaders(nodes)
    own = [
        (heads[list(dict.fromkeys(nodes)).index(nodes[r])], r, larger) for r in range(len(nodes))
    ]
    return [(0, head, larger) for head in heads[1:]] + [m for m in own if m[0] != m[1]]


def reverse(moves: Iterable[Move]) -> list[Move]:
    return [(b, a, count) for a, b, count in moves]


def hub(nodes: tuple[int, ...], count: float) -> list[Move]:
    return [(0, r, count) for r in range(1, len(nodes))]


Algorithm = Callable[[tuple[int, ...], float], list[Move]]

ALGORITHMS: list[tuple[str, str, Algorithm]] = [
    ("all_gather", "ring", lambda nodes, b: ring(nodes, b / len(nodes), len(nodes) - 1)),
    (
        "all_gather",
        "to a root and back",
        lambda nodes, b: reverse(hub(nodes, b / len(nodes))) + hub(nodes, b),
    ),
    ("reduce_scatter", "ring", lambda nodes, b: ring(nodes, b / len(nodes), len(nodes) - 1)),
    (
        "reduce_scatter",
        "by leaders",
        lambda nodes, b: reverse(spread_by_leaders(nodes, b)) + hub(nodes, b / len(nodes)),
    ),
    ("all_reduce", "ring", lambda nodes, b: ring(nodes, b / len(nodes), 2 * (len(nodes) - 1))),
    (
        "all_reduce",
        "by leaders",
        lambda nodes, b: reverse(spread_by_leaders(nodes, b)) + spread_by_leaders(nodes, b),
    ),
    ("all_reduce", "all to all", all_to_all),
    ("alltoall", "pairwise", lambda nodes, b: all_to_all(nodes, b / len(nodes))),
    ("broadcast", "by leaders", spread_by_leaders),
    ("broadcast", "from the root", hub),
    ("reduce", "by leaders", lambda nodes, b: reverse(spread_by_leaders(nodes, b))),
    ("scatter", "from the root", lambda nodes, b: hub(nodes, b / len(nodes))),
    ("gather", "to the root", lambda nodes, b: reverse(hub(nodes, b / len(nodes)))),
    ("sendrecv", "as defined", lambda nodes, b: ring(nodes, b, 1)),
]


@pytest.mark.parametrize("nodes", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize(
    ("operation", "how", "algorithm"), ALGORITHMS, ids=[f"{o} {h}" for o, h, _ in ALGORITHMS]
)
def test_an_algorithm_moves_between_the_least_and_the_most(
    nodes: tuple[int, ...], operation: str, how: str, algorithm: Algorithm
) -> None:
    larger = 1200
    shape = Shape(nodes, larger, root=0)
    need, limits = least(operation, shape), most(operation, shape)
    assert need is not None
    crossing = [m for m in algorithm(nodes, larger) if nodes[m[0]] != nodes[m[1]]]
    for node in set(nodes):
        sent = sum(count for a, _, count in crossing if nodes[a] == node)
        received = sum(count for _, b, count in crossing if nodes[b] == node)
        assert need.sent[node] <= sent + 1e-6, how
        assert need.received[node] <= received + 1e-6, how
        assert max(sent, received) <= limits[node] + 1e-6, how
    assert need.total <= sum(count for _, _, count in crossing) + 1e-6


@pytest.mark.parametrize(
    ("operation", "total"),
    [
        ("all_gather", 3 * 800),  # n - 1 pieces of 400 to each of three
        ("alltoall", 3 * 800),
        ("reduce_scatter", 2 * 1200),
        ("all_reduce", 4 * 1200),  # 2 (n - 1) / n of B on each of three
        ("broadcast", 2 * 1200),
        ("reduce", 2 * 1200),
        ("gather", 800),
        ("scatter", 800),
        ("sendrecv", 3 * 1200),
    ],
)
def test_on_a_rank_a_node_the_sum_is_what_the_best_algorithm_moves(
    operation: str, total: float
) -> None:
    need = least(operation, Shape((0, 1, 2), 1200, root=0))
    assert need is not None
    assert need.total == pytest.approx(total)


def test_ranks_of_a_node_share_what_came_in_once_and_add_up_before_they_send() -> None:
    need = least("all_reduce", Shape((0, 0, 1, 1), 1200))
    assert need is not None
    assert (need.received, need.sent, need.total) == ({0: 1200, 1: 1200}, {0: 1200, 1: 1200}, 2400)
    gathered = least("all_gather", Shape((0, 0, 1, 1), 1200))
    assert gathered is not None
    assert gathered.received == {0: 600, 1: 600}


@pytest.mark.parametrize("operation", sorted({operation for operation, _, _ in ALGORITHMS}))
def test_a_group_within_a_node_moves_nothing(operation: str) -> None:
    need = least(operation, Shape((7, 7, 7), 1200, root=1))
    assert need is not None
    assert need.total == 0


def test_the_least_chunk_of_a_spread_is_that_of_the_worst_weights() -> None:
    """Weights of 1.5 for all but one chunk of 0.5: the rows of 4.5 are scaled to B."""
    need = least("alltoallv", Shape((0, 1, 2), 900_000, spread="+-50 % seed 3"))
    assert need is not None
    assert need.received[0] == pytest.approx(2 * (900_000 * 0.5 / 4.5 - 8))
    assert least("alltoallv", Shape((0, 1, 2), 900_000, spread="matrix")) is None


def test_unknown_operations_and_roots_have_no_bound() -> None:
    assert least("communicator", Shape((0, 1), 0)) is None
    assert least("broadcast", Shape((0, 1), 8, root=-1)) is None
    assert least("broadcast", Shape((0, 1), 8, root=2)) is None
