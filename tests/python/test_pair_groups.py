# SPDX-License-Identifier: Apache-2.0
"""Pairs between two groups of nodes, and with a host outside the job."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Railgauge
from synthetic_pairs import SERVED, Fabric, PairsCase, match, write_pairs_run
from test_pairs import opened, sets_of
from test_report import report_data

from railgauge.load import open_run
from railgauge.pair_results import iterate_pairs
from railgauge.pair_sets import nodes_of, path_text, ranked
from railgauge.report import render

GPU_NODES, STORAGE_NODES = 3, 5
HOSTS = [*(f"gpu{i}" for i in range(GPU_NODES)), *(f"st{i}" for i in range(STORAGE_NODES))]


def between_groups(source: int, source_rail: int, destination: int, _: int) -> float:
    """Into storage twice as fast as out of it, but st2 takes half on rail 1."""
    slow = (destination, source_rail) == (GPU_NODES + 2, 1)
    return (0.2 if source < GPU_NODES else 0.1) * (0.5 if slow else 1)


def bipartite(fabric: Fabric, **changes: Any) -> list[PairsCase]:
    """Rounds in which every node of one group meets every one of the other once."""
    cases = []
    for turn in range(STORAGE_NODES):
        pairs = [(g, GPU_NODES + (g + turn) % STORAGE_NODES) for g in range(GPU_NODES)]
        peers = match(fabric, pairs, range(fabric.rails))
        case = PairsCase(turn, peers, pattern="bipartite", rails="0>0,1>1", round=turn)
        cases.append(replace(case, **{"backend": "verbs", "verb": "write", **changes}))
    return cases


def test_each_way_between_the_groups_is_a_matrix_of_its_own(tmp_path: Path) -> None:
    fabric = Fabric(HOSTS, gbit_per_s=between_groups)
    (found,) = sets_of(opened(tmp_path, fabric, bipartite(fabric)))
    shapes = {(r.name, r.values.shape) for r in found.rails}
    out, back = "gpu0 .. gpu2 -> st0 .. st4", "st0 .. st4 -> gpu0 .. gpu2"
    assert shapes == {
        (f"rail {rail}, {way}", shape)
        for rail in (0, 1)
        for way, shape in ((out, (3, 5)), (back, (5, 3)))
    }
    assert not any(np.isnan(r.values).any() for r in found.rails)
    for rail in found.rails:
        expected = 0.2 if rail.sources[0] == 0 else 0.1
        assert rail.median == pytest.approx(expected, rel=1e-3)
    slow = [p for p in ranked(found) if p.percent < 90]
    assert {(p.path.source, p.path.destination, p.path.source_rail) for p in slow} == {
        (g, GPU_NODES + 2, 1) for g in range(GPU_NODES)
    }


def test_a_read_out_of_storage_is_a_pair_from_storage(tmp_path: Path) -> None:
    fabric = Fabric(HOSTS, gbit_per_s=between_groups)
    cases = bipartite(fabric, verb="read", direction="backward")
    (found,) = sets_of(opened(tmp_path, fabric, cases))
    assert [r.values.shape for r in found.rails] == [(5, 3)] * 2
    assert found.rails[0].median == pytest.approx(0.1, rel=1e-3)


def test_a_round_that_failed_leaves_gaps_and_no_zero(tmp_path: Path) -> None:
    fabric = Fabric(HOSTS)
    cases = bipartite(fabric)
    cases[1] = replace(cases[1], status="failed", reason="cut off")
    (found,) = sets_of(opened(tmp_path, fabric, cases))
    for rail in found.rails:
        assert np.isnan(rail.values).sum() == GPU_NODES
        assert not (rail.values == 0).any()


def test_groups_that_are_none_give_the_square_map(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1", "n2"], rails=1)
    triangle = [
        PairsCase(i, match(fabric, [pair], [0]), pattern="bipartite", rails="0>0", round=i)
        for i, pair in enumerate([(0, 1), (1, 2), (0, 2)])
    ]
    (found,) = sets_of(opened(tmp_path, fabric, triangle))
    assert [r.values.shape for r in found.rails] == [(3, 3)]


def test_the_report_draws_senders_by_receivers(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric(HOSTS, gbit_per_s=between_groups)
    run = write_pairs_run(tmp_path / "run", fabric, bipartite(fabric))
    (found,) = report_data(render(open_run(run), allow_rig=False))["maps"]
    first = found["rails"][0]["data"][0]
    assert (len(first["y"]), len(first["x"])) == (3, 5)
    assert [len(row) for row in first["z"]] == [5] * 3
    assert first["y"][0].startswith("gpu")
    assert first["x"][0].startswith("st")
    (document,) = json.loads(railgauge("show", run, "--format", "json").stdout)["sets"]
    hosts = {h["host"]: h for h in document["matrices"][0]["hosts"]}
    assert hosts["gpu0"]["received_percent"] is None
    assert hosts["st2"]["sent_percent"] is None
    assert min(hosts, key=lambda h: hosts[h]["received_percent"] or 1e9) in HOSTS[3:]
    assert "st2 (50 %)" in railgauge("show", run).stdout


def test_a_bipartite_map_between_groups_of_one_node_each_is_named_by_them(tmp_path: Path) -> None:
    fabric = Fabric(["gpu0", "st0"], rails=1)
    case = PairsCase(0, [1, 0], pattern="bipartite", rails="0>0", verb="write")
    (found,) = sets_of(opened(tmp_path, fabric, [case]))
    assert [r.name for r in found.rails] == ["rail 0, gpu0 -> st0", "rail 0, st0 -> gpu0"]


def test_ways_are_named_without_domains_and_addresses_in_full(tmp_path: Path) -> None:
    fabric = Fabric(["gpu0.cluster.example", "10.0.0.7"], rails=1)
    case = PairsCase(0, [1, 0], pattern="bipartite", rails="0>0", verb="write")
    (found,) = sets_of(opened(tmp_path, fabric, [case]))
    assert found.rails[0].way == "gpu0 -> 10.0.0.7"


# --- a host outside the job -----------------------------------------------------------------------


def served(fabric: Fabric, **changes: Any) -> PairsCase:
    case = PairsCase(0, [SERVED] * len(fabric.places), pattern="served", served_host="store-1")
    return replace(case, **{"backend": "verbs", "verb": "write", "direction": "forward", **changes})


@pytest.mark.parametrize(
    ("verb", "text"), [("write", "n1 rail 1 -> store-1"), ("read", "store-1 -> n1 rail 1")]
)
def test_a_served_rank_is_a_pair_with_the_host_outside(
    tmp_path: Path, railgauge: Railgauge, verb: str, text: str
) -> None:
    def rate(source: int, source_rail: int, destination: int, destination_rail: int) -> float:
        return 0.03 if (1, 1) in ((source, source_rail), (destination, destination_rail)) else 0.1

    fabric = Fabric(["n0", "n1"], gbit_per_s=rate)
    path = write_pairs_run(tmp_path / "run", fabric, [served(fabric, verb=verb)])
    run = open_run(path)
    (result,) = iterate_pairs(run)
    assert len(result.pairs) == 4
    (found,) = sets_of(run)
    assert [r.name for r in found.rails] == ["rail 0", "rail 1"]
    shape = (1, 2) if verb == "read" else (2, 1)
    assert {r.values.shape for r in found.rails} == {shape}
    names = found.condition.names(nodes_of(run))
    slowest = min(found.rails[1].pairs, key=found.rails[1].pairs.__getitem__)
    assert path_text(slowest, names) == text
    output = railgauge("show", path).stdout
    assert "with store-1" in output
    assert f"{text} (" in output
    out = tmp_path / "pairs.csv"
    assert railgauge("export", path, "--pairs", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    end = "source" if verb == "read" else "destination"
    assert {(r[end], r[f"{end}_rail"], r["served_host"]) for r in rows} == {
        ("store-1", "", "store-1")
    }
    (drawn,) = report_data(render(run, allow_rig=False))["maps"]
    assert drawn["rails"][0]["data"][0]["y" if verb == "read" else "x"] == ["store-1"]
    assert railgauge("export", path, "-o", tmp_path / "cases.csv").returncode == 0


def test_two_served_hosts_are_two_sets(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"])
    cases = [served(fabric), replace(served(fabric, served_host="store-2"), id=1, round=1)]
    assert len(sets_of(opened(tmp_path, fabric, cases))) == 2


def test_lanes_to_a_served_host_add_up(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1, lanes=2, gbit_per_s=lambda *_: 0.4)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [served(fabric, rails="0")]))
    assert [p.lanes for p in result.pairs] == [2, 2]
    assert [p.gbit_per_s for p in result.pairs] == pytest.approx([0.4] * 2, rel=1e-6)


def test_a_served_case_whose_peer_is_in_the_job_is_damaged(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)

    def peered(samples: Any) -> None:
        samples["peer"][:20] = 1

    run = write_pairs_run(tmp_path / "run", fabric, [served(fabric, rails="0", change=peered)])
    result = railgauge("show", run)
    assert (result.returncode, result.stderr) == (0, "")
    assert "rank 0 of a served case has peer 1, not -1" in result.stdout


@pytest.mark.parametrize("host", ["", "<img src=x>"])
def test_a_served_host_without_a_name_or_with_a_hostile_one_is_shown(
    tmp_path: Path, railgauge: Railgauge, host: str
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    run = write_pairs_run(tmp_path / "run", fabric, [served(fabric, rails="0", served_host=host)])
    page = tmp_path / "page.html"
    assert railgauge("report", run, "-o", page).returncode == 0
    assert "<img" not in page.read_text(encoding="utf-8")
    assert f"-> {host or 'host outside the job'}" in railgauge("show", run).stdout
