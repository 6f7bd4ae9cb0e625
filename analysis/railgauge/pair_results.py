# SPDX-License-Identifier: Apache-2.0
"""Joins reading and `railgauge.pairs`: what every pair of every case measured.

Which rank talked to which comes from the file and is checked: a peer or a rail that cannot be
costs the case, with one line that says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from railgauge.errors import DamagedRun, RailgaugeError
from railgauge.load import Run
from railgauge.model import Case
from railgauge.pairs import (
    Pair,
    Path,
    Times,
    explode,
    is_latency,
    is_within_nodes,
    make_pair,
    times_of,
    times_of_stream,
)
from railgauge.samples import SLAB_SAMPLES, SPAN_LIMIT_NS, Samples
from railgauge.trips import Trips

Int64s = NDArray[np.int64]

RAIL_LIMIT = 1024
"""Rails are numbered below; a site has at most 64."""


@dataclass(frozen=True, slots=True)
class PairsResult:
    """A case with its pairs in the order of their paths; none where it is unfinished or damaged.

    ``times`` and ``trips`` are of all pairs of a latency case: ns of round trips of
    ``ops_per_sample`` operations, and half round trips of one.
    """

    case: Case
    pairs: tuple[Pair, ...] = ()
    times: Times | None = None
    trips: Trips = field(default_factory=Trips)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Sender:
    """A rank whose payload was acknowledged: samples ``[first, last)`` of each column."""

    rank: int
    peer: int
    path: Path
    first: int
    last: int


def iterate_pairs(run: Run) -> Iterator[PairsResult]:
    """Yield the results of every case; unfinished and damaged ones come without pairs."""
    for case in run.cases:
        if not case.finished:
            yield PairsResult(case)
            continue
        try:
            yield measure_pairs(run, case)
        except RailgaugeError as error:
            yield PairsResult(case, problem=str(error))


def measure_pairs(run: Run, case: Case) -> PairsResult:
    """Compute the pairs of one finished case.

    Raises
    ------
    DamagedRun
        Its samples are missing or damaged.
    """
    with run.samples(case) as samples:
        reader = _Reader(samples)
        senders = _find_senders(run, reader)
        if is_within_nodes(case):
            _require_one_node(senders, reader)
        if not senders:
            return PairsResult(case, problem="no pair of it holds a sample")
        pairs = sorted(_pairs_of(case, senders, reader), key=lambda p: p.path)
        if not is_latency(case):
            return PairsResult(case, tuple(pairs))
        trips = Trips()
        for chunk in reader.chunks(senders):
            trips.add(chunk, case.ops_per_sample)
        return PairsResult(case, tuple(pairs), _times_of_all(senders, reader), trips)


class _Reader:
    """Reads columns of a case: from memory where they fit, else from the file in slabs."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples
        self.in_memory = samples.count <= SLAB_SAMPLES
        self._kept: dict[str, Int64s] = {}

    def read(self, name: str, first: int, last: int) -> Int64s:
        """Return samples ``[first, last)`` of a column of integers."""
        column = self.samples.columns.get(name)
        if column is None or column.dtype.kind == "f":
            raise self.damaged(f"no column {name} of integers")
        if not self.in_memory:
            return column.read(first, last).astype(np.int64)
        if name not in self._kept:
            self._kept[name] = column.read(0, column.length).astype(np.int64)
        return self._kept[name][first:last]

    def slabs(self, name: str, first: int, last: int) -> Iterator[Int64s]:
        """Yield samples ``[first, last)`` of a column, some at a time."""
        for begin in range(first, last, SLAB_SAMPLES):
            yield self.read(name, begin, min(last, begin + SLAB_SAMPLES))

    def chunks(self, senders: list[Sender]) -> Iterator[Int64s]:
        """Yield the acknowledgement times of some ranks, ns of one sample."""
        for sender in senders:
            yield from self.slabs("acknowledged_ns", sender.first, sender.last)

    def damaged(self, why: str) -> DamagedRun:
        return DamagedRun("the samples are damaged", why, "Measure again.")


def senders_of(run: Run, case: Case) -> list[Sender]:
    """Return the ranks of a finished case whose payload was acknowledged, by rank.

    Raises
    ------
    DamagedRun
        A peer or a rail out of range, two ranks that do not name each other, or times that are
        none.
    """
    with run.samples(case) as samples:
        return _find_senders(run, _Reader(samples))


def _find_senders(run: Run, reader: _Reader) -> list[Sender]:
    offsets = reader.samples.offsets.tolist()
    busy = [r for r in range(len(run.ranks)) if offsets[r] < offsets[r + 1]]
    ranges = {r: (offsets[r], offsets[r + 1]) for r in busy}
    peers = {r: _constant(reader, "peer", r, *ranges[r]) for r in busy}
    _check_peers(peers, len(run.ranks), reader)
    rails = {r: _rail_of(run, reader, r, *ranges[r]) for r in busy}
    senders = []
    for rank in busy:
        if _acknowledged(reader, rank, *ranges[rank]):
            peer = peers[rank]
            senders.append(Sender(rank, peer, _path_of(run, rank, peer, rails), *ranges[rank]))
    return senders


def _path_of(run: Run, rank: int, peer: int, rails: dict[int, int]) -> Path:
    node, other = run.ranks[rank].node, run.ranks[peer].node
    ranks = (rank, peer) if node == other else ()
    return Path(node, rails[rank], other, rails[peer], *ranks)


def _constant(reader: _Reader, name: str, rank: int, first: int, last: int) -> int:
    """Return the value that a column has in all samples of a rank."""
    value = int(reader.read(name, first, first + 1)[0])
    for values in reader.slabs(name, first, last):
        if int(values.min()) != value or int(values.max()) != value:
            raise reader.damaged(f"{name} of rank {rank} changes within the case")
    return value


def _check_peers(peers: dict[int, int], ranks: int, reader: _Reader) -> None:
    for rank, peer in peers.items():
        if not 0 <= peer < ranks or peer == rank:
            raise reader.damaged(f"rank {rank} has peer {peer} of {ranks} ranks")
        if peers.get(peer) != rank:
            other = peers.get(peer, "no sample")
            raise reader.damaged(f"rank {rank} has peer {peer}, which has {other}")


def _rail_of(run: Run, reader: _Reader, rank: int, first: int, last: int) -> int:
    rail = run.ranks[rank].rail
    if "rail" in reader.samples.columns:
        rail = _constant(reader, "rail", rank, first, last)
    if not -1 <= rail < RAIL_LIMIT:
        raise reader.damaged(f"rank {rank} is on rail {rail}, past 0 to {RAIL_LIMIT - 1}")
    return rail


def _require_one_node(senders: list[Sender], reader: _Reader) -> None:
    for sender in senders:
        if sender.path.source != sender.path.destination:
            ends = f"ranks {sender.rank} and {sender.peer}"
            raise reader.damaged(f"{ends}, a pair within a node, are on two nodes")


def _acknowledged(reader: _Reader, rank: int, first: int, last: int) -> bool:
    """Tell whether a rank's payload was acknowledged; -1 throughout means that it only receives."""
    ranges = [(int(v.min()), int(v.max())) for v in reader.slabs("acknowledged_ns", first, last)]
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    if low == high == -1:
        return False
    if low <= 0 or high >= SPAN_LIMIT_NS:
        raise reader.damaged(f"acknowledged_ns of rank {rank} holds {low} to {high}")
    return True


def _pairs_of(case: Case, senders: list[Sender], reader: _Reader) -> Iterator[Pair]:
    lanes_of: dict[Path, list[Sender]] = {}
    for sender in senders:
        lanes_of.setdefault(sender.path, []).append(sender)
    alike: dict[tuple[int, int], list[list[Sender]]] = {}
    for path, lanes in lanes_of.items():
        counts = {s.last - s.first for s in lanes}
        if reader.in_memory and len(counts) == 1:
            alike.setdefault((len(lanes), counts.pop()), []).append(lanes)
        else:
            yield _long_pair(case, path, lanes, reader)
    for (width, count), several in alike.items():
        flat = np.concatenate([c for lanes in several for c in reader.chunks(lanes)])
        paths = [lanes[0].path for lanes in several]
        yield from explode(case, paths, flat.reshape(len(several), width, count))


def _long_pair(case: Case, path: Path, lanes: list[Sender], reader: _Reader) -> Pair:
    medians = [times_of_stream(lambda s=s: reader.chunks([s])).median for s in lanes]  # type: ignore[misc]
    return make_pair(case, path, medians, times_of_stream(lambda: reader.chunks(lanes)))


def _times_of_all(senders: list[Sender], reader: _Reader) -> Times:
    if reader.in_memory:
        return times_of(np.concatenate(list(reader.chunks(senders)))[np.newaxis])[0]
    return times_of_stream(lambda: reader.chunks(senders))
