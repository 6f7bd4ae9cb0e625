# SPDX-License-Identifier: Apache-2.0
"""Rounds exploded into pairs and joined to matrices, against rates that are known."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import Railgauge, one_error_line
from synthetic_pairs import (
    Fabric,
    PairsCase,
    all_pairs,
    degraded_port,
    even,
    match,
    write_pairs_run,
)

from railgauge import pair_results
from railgauge.load import Run, open_run
from railgauge.pair_conditions import condition_labels
from railgauge.pair_results import iterate_pairs
from railgauge.pair_sets import (
    PairSet,
    deviations,
    nodes_of,
    pair_sets,
    path_text,
    ranked,
)
from railgauge.pairs import Path as PairPath
from railgauge.pairs import explode
from railgauge.trips import Trips

MIB = 1 << 20


def opened(path: Path, fabric: Fabric, cases: list[PairsCase]) -> Run:
    return open_run(write_pairs_run(path / "run", fabric, cases))


def sets_of(run: Run) -> list[PairSet]:
    return pair_sets(iterate_pairs(run), nodes_of(run))


def one_round(fabric: Fabric, **changes: Any) -> PairsCase:
    peers = match(fabric, [(0, 1)], range(fabric.rails))
    return replace(PairsCase(0, peers), **changes)


# --- one round ------------------------------------------------------------------------------------


def test_a_pair_has_the_window_over_the_median_time_of_each_direction(
    tmp_path: Path,
) -> None:
    def uneven(source: int, *_: int) -> float:
        return 0.08 if source == 0 else 0.05

    fabric = Fabric(["n0", "n1"], rails=1, gbit_per_s=uneven)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [one_round(fabric, depth=4)]))
    assert [p.path for p in result.pairs] == [
        PairPath(0, 0, 1, 0),
        PairPath(1, 0, 0, 0),
    ]
    assert [p.gbit_per_s for p in result.pairs] == pytest.approx([0.08, 0.05])
    assert result.pairs[0].median_ns == 4 * MIB * 8 / 0.08


def test_lanes_of_a_rail_add_up(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=2, lanes=3, gbit_per_s=lambda *_: 0.9)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [one_round(fabric)]))
    assert [p.lanes for p in result.pairs] == [3] * 4
    assert [p.samples for p in result.pairs] == [60] * 4
    assert [p.gbit_per_s for p in result.pairs] == pytest.approx([0.9] * 4, rel=1e-6)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_only_the_direction_that_was_measured_is_a_pair(tmp_path: Path, direction: str) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    case = one_round(fabric, direction=direction)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [case]))
    (pair,) = result.pairs
    assert (pair.path.source, pair.path.destination) == ((0, 1), (1, 0))[direction == "backward"]


def test_batched_samples_count_all_their_windows(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1, gbit_per_s=lambda *_: 0.1)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [one_round(fabric, ops_per_sample=10)]))
    assert result.pairs[0].gbit_per_s == pytest.approx(0.1, rel=1e-6)
    assert result.pairs[0].median_ns == pytest.approx(MIB * 8 / 0.1, rel=1e-6)


def test_latency_is_half_of_the_round_trip_of_one_operation(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1, gbit_per_s=lambda *_: 0.1)
    case = one_round(
        fabric,
        operation="latency",
        direction="round-trip",
        bytes=1000,
        ops_per_sample=5,
    )
    (result,) = iterate_pairs(opened(tmp_path, fabric, [case]))
    (pair,) = result.pairs
    assert pair.gbit_per_s is None
    assert pair.value == pytest.approx(80.0)  # us: 1000 B at 0.1 Gbit/s


def test_the_maximum_is_true_and_p99_waits_for_1000_samples() -> None:
    times = np.arange(1, 2001, dtype=np.int64).reshape(2, 1, 1000)[:, :, ::-1].copy()
    times[1, 0, 17] = 10**9
    paths = [PairPath(0, 0, 1, 0), PairPath(1, 0, 0, 0)]
    case: Any = SimpleNamespace(operation="latency", ops_per_sample=1, algbw_bytes=8, variables={})
    first, second = explode(case, paths, times)
    assert (first.median_ns, first.p99_ns, first.max_ns) == (250, 495, 500)
    assert second.max_ns == 5 * 10**8
    assert explode(case, paths, times[:, :, :999])[0].p99_ns is None


@pytest.mark.parametrize("operation", ["bandwidth", "latency"])
def test_cases_too_long_for_memory_give_the_same_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    fabric = Fabric(["n0", "n1", "n2", "n3"], rails=2, lanes=2)
    direction = "both" if operation == "bandwidth" else "round-trip"
    cases = all_pairs(fabric, [MIB], operation=operation, direction=direction, samples=1200)
    run = opened(tmp_path, fabric, cases[:1])
    (short,) = iterate_pairs(run)
    monkeypatch.setattr(pair_results, "SLAB_SAMPLES", 500)
    (long,) = iterate_pairs(run)
    assert long.pairs == short.pairs
    assert long.times == short.times
    assert long.trips.counts.tolist() == short.trips.counts.tolist()


def test_the_distribution_of_round_trips_ends_at_the_slowest() -> None:
    rng = np.random.default_rng(5)
    round_trips = rng.lognormal(9, 1.2, (3, 1000)).astype(np.int64)
    trips, rest = Trips(), Trips()
    trips.add(round_trips[:2], 2)
    rest.add(round_trips[2:], 2)
    trips.merge(rest)
    times, shares = trips.slower()
    assert trips.count == 3000
    assert times[-1] == round_trips.max() / 2
    assert shares[-1] == pytest.approx(1 / 3000)
    for time, share in zip(times[:-1], shares[:-1], strict=True):
        assert share == np.count_nonzero(round_trips / 2 >= time) / 3000


# --- all rounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [5, 6])
def test_a_slow_port_shows_in_exactly_its_row_and_column_of_exactly_its_rail(
    tmp_path: Path, nodes: int
) -> None:
    fabric = Fabric([f"n{i}" for i in range(nodes)], rails=3, gbit_per_s=degraded_port(3, 1, 0.7))
    (found,) = sets_of(opened(tmp_path, fabric, all_pairs(fabric, [MIB], [16])))
    assert [r.name for r in found.rails] == ["rail 0", "rail 1", "rail 2"]
    for rail in found.rails:
        share = rail.values / rail.median
        slow = {(i, j) for i, j in np.argwhere(share < 0.9).tolist()}
        expected = {(3, i) for i in range(nodes)} | {(i, 3) for i in range(nodes)}
        assert slow == (expected - {(3, 3)} if rail.source_rail == 1 else set())
        rows, columns = deviations(rail.values)
        odd = [3] if rail.source_rail == 1 else []
        assert np.flatnonzero(rows < 0.9).tolist() == odd
        assert np.flatnonzero(columns < 0.9).tolist() == odd
    rows, columns = deviations(found.rails[1].values)
    assert rows[3] == pytest.approx(0.7, abs=0.02)
    assert columns[3] == pytest.approx(0.7, abs=0.02)


def test_every_pair_of_every_rail_is_there_once_and_the_diagonal_is_not(
    tmp_path: Path,
) -> None:
    fabric = Fabric(["n0", "n1", "n2", "n3", "n4"], rails=2)
    (found,) = sets_of(opened(tmp_path, fabric, all_pairs(fabric, [MIB])))
    for rail in found.rails:
        unmeasured = np.isnan(rail.values)
        assert unmeasured.sum() == 5
        assert unmeasured.diagonal().all()
        for i, j in np.argwhere(~unmeasured).tolist():
            expected = even(i, rail.source_rail, j, rail.destination_rail)
            assert rail.values[i, j] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("change", [{"status": "failed", "reason": "MPI_ERR"}, {"wrong": 3}])
def test_pairs_of_a_failed_or_wrong_round_are_unmeasured_never_zero(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    fabric = Fabric(["n0", "n1", "n2", "n3"], rails=1)
    cases = all_pairs(fabric, [MIB])
    cases[1] = replace(cases[1], **change)
    (found,) = sets_of(opened(tmp_path, fabric, cases))
    missing = {(r, p) for r, p in enumerate(cases[1].peers)}  # one rail, one lane: ranks are nodes
    gaps = {(i, j) for i, j in np.argwhere(np.isnan(found.rails[0].values)).tolist() if i != j}
    assert gaps == missing
    assert not np.any(found.rails[0].values == 0)


def test_forward_and_backward_together_are_one_way_and_each_alone_is_half(
    tmp_path: Path,
) -> None:
    fabric = Fabric(["n0", "n1", "n2", "n3"], rails=1)
    forward = all_pairs(fabric, [MIB], direction="forward")
    backward = [replace(c, id=c.id + 3) for c in all_pairs(fabric, [MIB], direction="backward")]
    (found,) = sets_of(opened(tmp_path, fabric, forward + backward))
    assert found.condition.direction == "one way"
    assert np.isnan(found.rails[0].values).sum() == 4
    (half,) = sets_of(opened(tmp_path, fabric, forward))
    assert np.isnan(half.rails[0].values[np.tril_indices(4)]).all()
    assert not np.isnan(half.rails[0].values[np.triu_indices(4, 1)]).any()


def test_a_cell_of_several_repeats_is_the_median_of_theirs(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    cases = [one_round(fabric, id=i, repeat=i) for i in range(3)]
    for case, factor in zip(cases, (1, 4, 2), strict=True):

        def slow(samples: Any, factor: int = factor) -> None:
            samples["acknowledged_ns"][...] *= factor

        case.change = slow
    (found,) = sets_of(opened(tmp_path, fabric, cases))
    assert found.rails[0].values[0, 1] == pytest.approx(even(0, 0, 1, 0) / 2, rel=1e-6)


def test_rails_alone_are_one_set_beside_the_rails_at_once(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=2)
    alone = [
        PairsCase(i, match(fabric, [(0, 1)], [i]), rails=str(i), pattern="rail-sweep")
        for i in range(2)
    ]
    sets = sets_of(opened(tmp_path, fabric, [*alone, one_round(fabric, id=2)]))
    assert [[r.name for r in s.rails] for s in sets] == [["rail 0", "rail 1"]] * 2
    labels = condition_labels([s.condition for s in sets])
    assert "each rail alone" in labels[0]
    assert "rails 0,1" in labels[1]


def test_pairs_across_rails_have_matrices_of_their_own(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=2)
    peers = [-1] * 4
    for a, b in (
        (fabric.rank(0, 0), fabric.rank(1, 1)),
        (fabric.rank(0, 1), fabric.rank(1, 0)),
    ):
        peers[a], peers[b] = b, a
    case = PairsCase(0, peers, pattern="cross-rail", rails="0>1,1>0")
    run = opened(tmp_path, fabric, [case])
    (found,) = sets_of(run)
    assert [r.name for r in found.rails] == ["rail 0 -> rail 1", "rail 1 -> rail 0"]
    texts = {path_text(p.path, nodes_of(run)) for p in ranked(found)}
    assert "n0 rail 0 -> n1 rail 1" in texts


def test_ranks_without_a_rail_map_are_told_so(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric(["n0", "노드-이"], rails=1, rail_map=False)
    run = write_pairs_run(tmp_path / "run", fabric, all_pairs(fabric, [MIB]))
    output = railgauge("show", run).stdout
    assert "no rail map" in output
    assert "노드-이 -> n0" in output
    assert "NIC of rank 0 on n0 is not known" in railgauge("check", run).stdout


@pytest.mark.parametrize("rail_map", [True, False])
def test_both_directions_within_a_node_are_pairs_of_ranks_not_lanes(
    tmp_path: Path, railgauge: Railgauge, rail_map: bool
) -> None:
    fabric = Fabric(["n0", "n1"], 1, lanes=2, rail_map=rail_map, gbit_per_s=lambda *_: 0.2)
    case = PairsCase(0, [1, 0, -1, -1], pattern="one-pair", rails="none")

    def one_way_slow(samples: Any) -> None:
        samples["acknowledged_ns"][20:] *= 2

    case.change = one_way_slow
    path = write_pairs_run(tmp_path / "run", fabric, [case])
    (found,) = sets_of(open_run(path))
    (rail,) = found.rails
    assert {path_text(p, {}): v for p, v in rail.pairs.items()} == {
        "rank 0 -> rank 1": pytest.approx(0.1, rel=1e-6),
        "rank 1 -> rank 0": pytest.approx(0.05, rel=1e-6),
    }
    document = json.loads(railgauge("show", path, "--format", "json").stdout)
    (row,) = document["cases"]
    assert row["measured_pairs"] == 2
    ends = [(p["source_rank"], p["destination_rank"], p["lanes"]) for p in row["directed_pairs"]]
    assert ends == [(0, 1, 1), (1, 0, 1)]
    assert "rank 1 -> rank 0 (100 %)" in railgauge("show", path).stdout
    assert railgauge("report", path).returncode == 0


# --- outputs --------------------------------------------------------------------------------------


def test_show_names_the_slowest_pair_with_its_share_of_the_rail(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(
        ["n0", "n1", "노드-이", "n3"],
        gbit_per_s=lambda *ends: even(*ends) * (0.6 if ends == (2, 1, 0, 1) else 1),
    )
    run = write_pairs_run(tmp_path / "run", fabric, all_pairs(fabric, [MIB]))
    lines = railgauge("show", run).stdout.splitlines()
    after = lines[next(i for i, line in enumerate(lines) if "Slowest of 24 pairs" in line) :]
    assert after[2].split() == [
        "0.0594",
        "Gb/s",
        "59",
        "%",
        "노드-이",
        "rail",
        "1",
        "->",
        "n0",
    ]
    assert sum("노드-이 rail 1 -> n0 (59 %)" in line for line in lines) == 1


def test_json_of_show_holds_every_pair(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric([f"n{i}" for i in range(5)], gbit_per_s=degraded_port(1, 0, 0.7))
    run = write_pairs_run(tmp_path / "run", fabric, all_pairs(fabric, [MIB]))
    document = json.loads(railgauge("show", run, "--format", "json").stdout)
    pairs = [p for case in document["cases"] for p in case["directed_pairs"]]
    assert len(pairs) == 5 * 4 * 2
    slow = {(p["source"], p["destination"]) for p in pairs if p["percent_of_rail"] < 90}
    others = ("n0", "n2", "n3", "n4")
    assert slow == {("n1", n) for n in others} | {(n, "n1") for n in others}
    assert {p["source_rail"] for p in pairs if p["percent_of_rail"] < 90} == {0}
    (found,) = document["sets"]
    hosts = found["matrices"][0]["hosts"]
    assert min(hosts, key=lambda h: h["sent_percent"])["host"] == "n1"


def test_export_has_a_row_per_pair_and_round(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric(["n0", "n1", "n2"])
    cases = all_pairs(fabric, [MIB, 4 * MIB])
    cases[1] = replace(cases[1], status="failed")
    run = write_pairs_run(tmp_path / "run", fabric, cases)
    out = tmp_path / "pairs.csv"
    assert railgauge("export", run, "--pairs", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * 4
    assert {r["round"] for r in rows if r["bytes"] == str(MIB)} == {"0", "2"}
    assert float(rows[0]["rate_Gbit_s"]) == pytest.approx(even(1, 0, 2, 0), rel=0.02)


def test_a_run_without_pairs_has_none_to_export(
    finished: Path, tmp_path: Path, railgauge: Railgauge
) -> None:
    result = railgauge("export", finished, "--pairs", "-o", tmp_path / "x.csv")
    assert "has no pairs" in one_error_line(result)
