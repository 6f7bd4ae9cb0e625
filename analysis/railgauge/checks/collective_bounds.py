# SPDX-License-Identifier: Apache-2.0
"""How many bytes a collective must move between the nodes of a group, whatever its algorithm. Pure.

Two arguments, both about one operation with a larger buffer of B bytes on n ranks of N nodes, of
which node k holds m_k ranks; c = B / n is the piece of a rank.

Cut: what node k's ranks need and no rank of node k has must come in, and what only they have must
go out. Ranks of a node may share what came in once and add up before they send, so a whole node
counts as one:

=================  =============================  =============================
operation          node k receives                node k sends
=================  =============================  =============================
all_gather,        (n - m_k) c                    m_k c
hypercube
alltoall           m_k (n - m_k) c                m_k (n - m_k) c
alltoallv          the same with the least chunk  the same
broadcast          B, unless it has the root      B from the root's node
scatter            m_k c, unless root's node      (n - m_root) c from root's node
gather, reduce     mirrored: root's node receives what scatter (broadcast) sends, others send
all_reduce         B                              B
reduce_scatter     m_k c                          (n - m_k) c
sendrecv           B for each rank whose          B for each rank whose
                   predecessor is elsewhere       successor is elsewhere
=================  =============================  =============================

Sum: each element of an all_reduce has a value on N nodes. A message brings what one node knows to
one other, so N - 1 of them are sent before any node knows all, and N - 1 more until the others do:
2 (N - 1) B in all (P. Patarasuk, X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
workstations*, 2009: 2 (N - 1) / N of B for each of N nodes). For the others the cuts of all nodes
add up to their sum; where what is sent and what is received differ, to the larger one.

A switch that reduces or copies may do with less in sum. The cuts hold with it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

_ELEMENT_BYTES = 8
_SPREAD = re.compile(r"\+-(\d+(?:\.\d+)?) %")
_REDUCTIONS = ("all_reduce", "reduce", "reduce_scatter")


@dataclass(frozen=True, slots=True)
class Shape:
    """One operation of a group.

    Attributes
    ----------
    nodes : tuple of int
        Node of every rank of the group, in its order.
    larger : int
        The larger of a rank's two buffers, B; the most of any rank for alltoallv.
    root : int
        Rank of the group, -1 = none.
    spread : str
        How far chunks of alltoallv differ, as the run file says it.
    """

    nodes: tuple[int, ...]
    larger: int
    root: int = -1
    spread: str = ""

    @property
    def ranks(self) -> Counter[int]:
        """Ranks by node."""
        return Counter(self.nodes)

    @property
    def piece(self) -> float:
        """What belongs to one rank of the larger buffer, B."""
        return self.larger / len(self.nodes)

    @property
    def root_node(self) -> int:
        """Node of the root."""
        return self.nodes[self.root]


@dataclass(frozen=True, slots=True)
class Need:
    """Least bytes by node, and least sum of what all nodes send (or receive), B."""

    received: dict[int, float]
    sent: dict[int, float]
    total: float


def least(operation: str, shape: Shape) -> Need | None:
    """Return what an operation must move between nodes; None where no bound is known."""
    known = _CUTS.get(operation)
    needs_root = operation in _ROOTED
    if known is None or (needs_root and not 0 <= shape.root < len(shape.nodes)):
        return None
    cut = known(shape)
    if cut is None:
        return None
    received, sent = cut
    total = max(sum(received.values()), sum(sent.values()))
    if operation == "all_reduce":
        total = 2.0 * (len(shape.ranks) - 1) * shape.larger
    return Need(received, sent, total)


def most(operation: str, shape: Shape) -> dict[int, float]:
    """Return what an algorithm may make a node's ranks send to other nodes, or receive from them.

    No rank sends another its larger buffer more than once, and twice in a reduction, which may
    gather first and spread then. Naive algorithms reach that at their root.
    """
    times = 2 if operation in _REDUCTIONS else 1
    n = len(shape.nodes)
    return {k: times * m * (n - m) * float(shape.larger) for k, m in shape.ranks.items()}


_ByNode = dict[int, float]
_Cut = tuple[_ByNode, _ByNode]


def _all_gather(shape: Shape) -> _Cut:
    n, c = len(shape.nodes), shape.piece
    others = {k: (n - m) * c for k, m in shape.ranks.items()}
    return others, {k: m * c if m < n else 0.0 for k, m in shape.ranks.items()}


def _reduce_scatter(shape: Shape) -> _Cut:
    received, sent = _all_gather(shape)
    return sent, received


def _all_reduce(shape: Shape) -> _Cut:
    every = dict.fromkeys(shape.ranks, float(shape.larger) if len(shape.ranks) > 1 else 0.0)
    return every, dict(every)


def _exchange(shape: Shape, chunk: float) -> _Cut:
    n = len(shape.nodes)
    crossing = {k: m * (n - m) * chunk for k, m in shape.ranks.items()}
    return crossing, dict(crossing)


def _alltoall(shape: Shape) -> _Cut:
    return _exchange(shape, shape.piece)


def _alltoallv(shape: Shape) -> _Cut | None:
    """Weights are 1 +- s, and a rank's n of them add up to at most n (1 + s); counts round down."""
    match = _SPREAD.match(shape.spread)
    if match is None:
        return None
    s = float(match[1]) / 100
    return _exchange(shape, max(0.0, shape.piece * (1 - s) / (1 + s) - _ELEMENT_BYTES))


def _broadcast(shape: Shape) -> _Cut:
    return _from_root(shape, dict.fromkeys(shape.ranks, float(shape.larger)), copies=True)


def _scatter(shape: Shape) -> _Cut:
    pieces = {k: m * shape.piece for k, m in shape.ranks.items()}
    return _from_root(shape, pieces, copies=False)


def _from_root(shape: Shape, wanted: _ByNode, *, copies: bool) -> _Cut:
    """Root's node sends what others want; where all want the same, others may pass it on."""
    received = wanted | {shape.root_node: 0.0}
    out = max(received.values()) if copies else sum(received.values())
    return received, dict.fromkeys(shape.ranks, 0.0) | {shape.root_node: out}


def _mirrored(function: Callable[[Shape], _Cut]) -> Callable[[Shape], _Cut]:
    def mirrored(shape: Shape) -> _Cut:
        received, sent = function(shape)
        return sent, received

    return mirrored


def _sendrecv(shape: Shape) -> _Cut:
    received = dict.fromkeys(shape.ranks, 0.0)
    sent = dict(received)
    for rank, node in enumerate(shape.nodes):
        before = shape.nodes[rank - 1]
        if before != node:
            received[node] += shape.larger
            sent[before] += shape.larger
    return received, sent


_CUTS: dict[str, Callable[[Shape], _Cut | None]] = {
    "all_gather": _all_gather,
    "hypercube": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "all_reduce": _all_reduce,
    "alltoall": _alltoall,
    "alltoallv": _alltoallv,
    "broadcast": _broadcast,
    "reduce": _mirrored(_broadcast),
    "scatter": _scatter,
    "gather": _mirrored(_scatter),
    "sendrecv": _sendrecv,
}
_ROOTED = ("broadcast", "reduce", "scatter", "gather")
