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
from railgauge.pair_setup import (
    OUTSIDE,
    is_read,
    is_served,
    require_setup,
    times_per_sample,
)
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

    ``times`` and ``trips`` are of all pairs of a latency case: ns of a sample, and latencies of
    one operation.
    """

    case: Case
    pairs: tuple[Pair, ...] = ()
    times: Times | None = None
    trips: Trips = field(default_factory=Trips)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Payload from one rank to another, `OUTSIDE` where it is none of the job.

    Samples ``[first, last)`` of each column are those of the rank that timed it.
    """

    source: int
    destination: int
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
    require_setup(case)
    with run.samples(case) as samples:
        reader = _Reader(samples)
        transfers = _find_transfers(run, case, reader)
        if is_within_nodes(case):
            _require_one_node(transfers, reader)
        if not transfers:
            return PairsResult(case, problem="no pair of it holds a sample")
        pairs = sorted(_pairs_of(case, transfers, reader), key=lambda p: p.path)
        if not is_latency(case):
            return PairsResult(case, tuple(pairs))
        trips = Trips()
        for chunk in reader.chunks(transfers):
            trips.add(chunk, times_per_sample(case))
        return PairsResult(case, tuple(pairs), _times_of_all(transfers, reader), trips)


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

    def chunks(self, transfers: list[Transfer]) -> Iterator[Int64s]:
        """Yield the acknowledgement times of some ranks, ns of one sample."""
        for transfer in transfers:
            yield from self.slabs("acknowledged_ns", transfer.first, transfer.last)

    def damaged(self, why: str) -> DamagedRun:
        return DamagedRun("the samples are damaged", why, "Measure again.")


def transfers_of(run: Run, case: Case) -> list[Transfer]:
    """Return what was transferred in a finished case, in the order of the ranks that timed it.

    Raises
    ------
    DamagedRun
        A verb that is none, a peer or a rail out of range, two ranks that do not name each
        other, or times that are none.
    """
    require_setup(case)
    with run.samples(case) as samples:
        return _find_transfers(run, case, _Reader(samples))


def _find_transfers(run: Run, case: Case, reader: _Reader) -> list[Transfer]:
    offsets = reader.samples.offsets.tolist()
    busy = [r for r in range(len(run.ranks)) if offsets[r] < offsets[r + 1]]
    ranges = {r: (offsets[r], offsets[r + 1]) for r in busy}
    peers = {r: _constant(reader, "peer", r, *ranges[r]) for r in busy}
    if is_served(case):
        _require_outside(peers, reader)
    else:
        _check_peers(peers, len(run.ranks), reader)
    rails = {r: _rail_of(run, reader, r, *ranges[r]) for r in busy}
    transfers = []
    for rank in busy:
        if _acknowledged(reader, rank, *ranges[rank]):
            ends = (peers[rank], rank) if is_read(case) else (rank, peers[rank])
            transfers.append(Transfer(*ends, _path_of(run, *ends, rails), *ranges[rank]))
    return transfers


def _path_of(run: Run, source: int, destination: int, rails: dict[int, int]) -> Path:
    node, other = (run.ranks[r].node if r != OUTSIDE else r for r in (source, destination))
    ranks = (source, destination) if node == other else ()
    return Path(node, rails.get(source, -1), other, rails.get(destination, -1), *ranks)


def _constant(reader: _Reader, name: str, rank: int, first: int, last: int) -> int:
    """Return the value that a column has in all samples of a rank."""
    value = int(reader.read(name, first, first + 1)[0])
    for values in reader.slabs(name, first, last):
        if int(values.min()) != value or int(values.max()) != value:
            raise reader.damaged(f"{name} of rank {rank} changes within the case")
    return value


def _require_outside(peers: dict[int, int], reader: _Reader) -> None:
    for rank, peer in peers.items():
        if peer != OUTSIDE:
            raise reader.damaged(f"rank {rank} of a served case has peer {peer}, not {OUTSIDE}")


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


def _require_one_node(transfers: list[Transfer], reader: _Reader) -> None:
    for transfer in transfers:
        if transfer.path.source != transfer.path.destination:
            ends = f"ranks {transfer.source} and {transfer.destination}"
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


def _pairs_of(case: Case, transfers: list[Transfer], reader: _Reader) -> Iterator[Pair]:
    lanes_of: dict[Path, list[Transfer]] = {}
    for transfer in transfers:
        lanes_of.setdefault(transfer.path, []).append(transfer)
    alike: dict[tuple[int, int], list[list[Transfer]]] = {}
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


def _long_pair(case: Case, path: Path, lanes: list[Transfer], reader: _Reader) -> Pair:
    medians = [times_of_stream(lambda s=s: reader.chunks([s])).median for s in lanes]  # type: ignore[misc]
    return make_pair(case, path, medians, times_of_stream(lambda: reader.chunks(lanes)))


def _times_of_all(transfers: list[Transfer], reader: _Reader) -> Times:
    if reader.in_memory:
        return times_of(np.concatenate(list(reader.chunks(transfers)))[np.newaxis])[0]
    return times_of_stream(lambda: reader.chunks(transfers))
