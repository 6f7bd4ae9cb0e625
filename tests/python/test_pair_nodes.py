# SPDX-License-Identifier: Apache-2.0
"""Pairs within nodes joined to a matrix per node, against rates that are known."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Railgauge, one_error_line
from synthetic_nodes import (
    Boxes,
    even,
    node_first,
    node_pairs,
    renumbered,
    slow_pair,
    write_nodes_run,
)
from synthetic_pairs import Fabric, PairsCase, all_pairs

from railgauge.load import open_run
from railgauge.pair_nodes import NodeSet, Seats, node_sets
from railgauge.pair_results import iterate_pairs

HOSTS = ["n0", "노드-일", "n2"]
TRIP: dict[str, Any] = {"operation": "latency", "direction": "round-trip"}


def boxes_of(size: int = 4, **changes: Any) -> Boxes:
    return replace(Boxes(list(HOSTS), sizes=[size] * len(HOSTS)), **changes)


def sets_of(path: Path, boxes: Boxes, cases: list[PairsCase], **changes: Any) -> list[NodeSet]:
    run = open_run(write_nodes_run(path / "run", boxes, cases, **changes))
    return node_sets(iterate_pairs(run), Seats(run))


def texts(path: Path, found: NodeSet) -> tuple[str, str]:
    """Names of the two odd ones out."""
    seats = Seats(open_run(path / "run"))
    worst = found.worst_by_others()
    assert worst is not None
    return seats.text(found.ranked[0].path), seats.text(worst.path)


# --- matrices -------------------------------------------------------------------------------------


def test_every_pair_of_a_node_is_there_once_and_the_diagonal_is_not(tmp_path: Path) -> None:
    boxes = boxes_of()
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes))
    assert [n.host for n in found.nodes] == HOSTS
    for node in found.nodes:
        assert node.labels == ("GPU 0", "GPU 1", "GPU 2", "GPU 3")
        assert len(node.pairs) == 12
        for (i, j), value in np.ndenumerate(node.values):
            expected = np.nan if i == j else even(node.node, i, node.node, j)
            assert value == pytest.approx(expected, rel=1e-4, nan_ok=True)


@pytest.mark.parametrize("make", [node_pairs, node_first])
def test_a_slow_pair_is_named_on_its_node_and_in_its_direction(tmp_path: Path, make: Any) -> None:
    boxes = boxes_of(gbit_per_s=slow_pair(1, 0, 2, 0.6))
    (found,) = sets_of(tmp_path, boxes, make(boxes))
    assert texts(tmp_path, found) == ("노드-일 GPU 0 -> GPU 2",) * 2
    assert found.ranked[0].percent == pytest.approx(60, abs=1)
    assert found.ranked[0].percent_of_others == pytest.approx(60, abs=1)
    slow = {(n.node, *cell) for n in found.nodes for cell in np.argwhere(n.values < 30).tolist()}
    assert slow == {(1, 0, 2)}
    assert found.slowest[0].percent > 97


def test_a_pair_that_is_slow_on_every_node_is_odd_within_each_and_not_between_them(
    tmp_path: Path,
) -> None:
    def rate(*ends: int) -> float:
        share = 0.5 if ends[1::2] == (0, 3) else 0.9 if ends == (2, 1, 2, 3) else 1
        return even(*ends) * share

    boxes = boxes_of(gbit_per_s=rate)
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes))
    own, others = texts(tmp_path, found)
    assert own.endswith("GPU 0 -> GPU 3")
    assert others == "n2 GPU 1 -> GPU 3"


def test_the_same_pair_on_other_nodes_leaves_its_own_node_out(tmp_path: Path) -> None:
    rates = (40.0, 30.0, 20.0)
    boxes = boxes_of(2, gbit_per_s=lambda node, *_: rates[node])
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes))
    others = [n.others[0, 1] for n in found.nodes]
    assert others == pytest.approx([20, 20, 30], rel=1e-4)  # the lower of two is their median


def test_latency_is_slow_where_it_is_high(tmp_path: Path) -> None:
    boxes = boxes_of(gbit_per_s=slow_pair(2, 1, 3, 0.5))
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes, **TRIP))
    assert texts(tmp_path, found) == ("n2 GPU 1 -> GPU 3",) * 2
    assert found.ranked[0].percent == pytest.approx(200, abs=3)
    assert np.isnan(found.nodes[0].values[np.tril_indices(4)]).all()  # one end times the trip


@pytest.mark.parametrize("change", [{"status": "failed", "reason": "NCCL"}, {"wrong": 3}])
def test_pairs_of_a_failed_or_wrong_round_are_null_never_zero(
    tmp_path: Path, railgauge: Railgauge, change: dict[str, Any]
) -> None:
    boxes = boxes_of()
    cases = node_pairs(boxes)
    cases[1] = replace(cases[1], **change)
    run = write_nodes_run(tmp_path / "run", boxes, cases)
    document = json.loads(railgauge("show", run, "--format", "json").stdout)
    (found,) = document["node_sets"]
    missing = {(r, p) for r, p in enumerate(cases[1].peers[:4])} | {(i, i) for i in range(4)}
    for matrix in found["matrices"]:
        values = matrix["values"]
        gaps = {(i, j) for i in range(4) for j in range(4) if values[i][j] is None}
        assert gaps == missing
        assert not any(v == 0 for row in values for v in row)


def test_nodes_may_have_unequal_numbers_of_ranks_and_one_rank_has_no_pair(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(sizes=[4, 1, 3], gbit_per_s=slow_pair(2, 2, 0, 0.7))
    cases = renumbered(node_pairs(boxes), node_first(boxes))
    run = write_nodes_run(tmp_path / "run", boxes, cases)
    opened = open_run(run)
    pairs, first = node_sets(iterate_pairs(opened), Seats(opened))
    assert [n.values.shape for n in pairs.nodes] == [(4, 4), (1, 1), (3, 3)]
    assert [len(n.pairs) for n in pairs.nodes] == [12, 0, 6]
    assert [len(n.pairs) for n in first.nodes] == [6, 0, 4]
    assert np.isnan(pairs.nodes[1].median)
    lines = railgauge("show", run).stdout.splitlines()
    (line, _) = [line.split() for line in lines if "one rank, no pair" in line]
    assert line[:5] == ["노드-일", "0", "-", "-", "-"]
    assert "# slowest against its node: n2 GPU 2 -> GPU 0 (70 %, 69 %)" in lines
    matrix = json.loads(railgauge("show", run, "--format", "json").stdout)["node_sets"][0]
    assert matrix["matrices"][1]["values"] == [[None]]
    assert matrix["matrices"][1]["median"] is None


# --- names ----------------------------------------------------------------------------------------


def test_ranks_without_a_gpu_go_by_their_local_rank(tmp_path: Path) -> None:
    boxes = boxes_of()
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes), gpus=False)
    assert found.nodes[1].labels == ("rank 0", "rank 1", "rank 2", "rank 3")


def test_ranks_that_share_a_gpu_go_by_their_local_rank(tmp_path: Path) -> None:
    boxes = boxes_of()
    shared = {"gpu_index": {1: 0}}
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes), ranks=shared)
    assert found.nodes[0].labels[:2] == ("rank 0", "rank 1")


def test_rows_go_by_gpu_where_the_local_ranks_do_not(tmp_path: Path) -> None:
    boxes = boxes_of(gbit_per_s=slow_pair(0, 0, 1, 0.6))
    swapped = {"gpu_index": {0: 3, 3: 0}}
    (found,) = sets_of(tmp_path, boxes, node_first(boxes), ranks=swapped)
    node = found.nodes[0]
    assert node.labels == ("GPU 0", "GPU 1", "GPU 2", "GPU 3")
    assert node.first == 3
    assert texts(tmp_path, found)[0] == "n0 GPU 3 -> GPU 1"
    assert np.argwhere(node.values < 30).tolist() == [[3, 1]]


# --- outputs --------------------------------------------------------------------------------------


def test_show_has_a_line_per_node_and_names_the_slowest_pair(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(gbit_per_s=slow_pair(1, 2, 3, 0.6))
    run = write_nodes_run(tmp_path / "run", boxes, node_pairs(boxes))
    lines = railgauge("show", run).stdout.splitlines()
    assert any("slowest pair (% of node)" in line for line in lines)
    assert sum(line.endswith("노드-일 GPU 2 -> GPU 3 (61 %)") for line in lines) == 1
    after = lines[next(i for i, line in enumerate(lines) if "Pairs within nodes" in line) :]
    assert [line.split()[0] for line in after[3:6]] == HOSTS
    named = "노드-일 GPU 2 -> GPU 3 (61 %, 61 %)"
    assert after[4].split()[:5] == ["노드-일", "12", "24.24", "40", "40.4"]
    assert after[4].endswith(f"  {named}")
    assert after[6] == f"# slowest against its node: {named}"
    assert not any("Slowest of" in line for line in lines)


def test_export_names_node_local_ranks_and_gpus_of_a_pair(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(2)
    fabric = Fabric(HOSTS, rails=2, rail_map=False)
    between = all_pairs(fabric, [1 << 20])
    run = write_nodes_run(tmp_path / "run", boxes, renumbered(node_pairs(boxes), between))
    out = tmp_path / "pairs.csv"
    assert railgauge("export", run, "--pairs", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ends = ("node", "source_local", "destination_local", "source_gpu", "destination_gpu")
    within = [r for r in rows if r["pattern"] == "node-pairs"]
    expected = [list("00101"), list("01010"), list("10101")]
    assert [[r[e] for e in ends] for r in within[:3]] == expected
    assert all(float(r["percent_of_node"]) > 97 for r in within)
    others = [r for r in rows if r["pattern"] != "node-pairs"]
    assert others
    assert all(r[e] == "" for r in others for e in (*ends, "percent_of_node"))


def test_pairs_between_nodes_keep_their_rails_beside_pairs_within(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(2)
    between = all_pairs(Fabric(HOSTS, rails=2, rail_map=False), [1 << 20])
    run = write_nodes_run(tmp_path / "run", boxes, renumbered(between, node_pairs(boxes)))
    document = json.loads(railgauge("show", run, "--format", "json").stdout)
    assert [s["pattern"] for s in document["sets"]] == ["all-pairs"]
    assert [s["pattern"] for s in document["node_sets"]] == ["node-pairs"]
    assert "node" not in document["cases"][0]["directed_pairs"][0]


def test_a_run_without_the_patterns_says_nothing_of_pairs_within_nodes(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(2)
    between = all_pairs(Fabric(HOSTS, rails=2, rail_map=False), [1 << 20])
    damaged = {"local_rank": {1: 0}}
    run = write_nodes_run(tmp_path / "run", boxes, between, ranks=damaged)
    assert "node_sets" not in json.loads(railgauge("show", run, "--format", "json").stdout)
    assert "ithin" not in railgauge("show", run).stdout


# --- hostile files --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ({"local_rank": {5: 0}}, "ranks 4 and 5 on 노드-일 both have local rank 0"),
        ({"local_rank": {5: -1}}, "rank 5 on 노드-일 has local rank -1"),
    ],
)
@pytest.mark.parametrize("command", ["show", "report", "export"])
def test_local_ranks_that_cannot_be_give_one_line(
    tmp_path: Path,
    railgauge: Railgauge,
    ranks: dict[str, dict[int, int]],
    reason: str,
    command: str,
) -> None:
    boxes = boxes_of()
    run = write_nodes_run(tmp_path / "run", boxes, node_pairs(boxes), ranks=ranks)
    options = ("--pairs", "-o", tmp_path / "x.csv") if command == "export" else ()
    result = railgauge(command, run, *options)
    assert result.returncode != 0
    assert reason in one_error_line(result)


def test_local_ranks_with_gaps_make_no_larger_matrix(tmp_path: Path) -> None:
    boxes = boxes_of()
    far = {"local_rank": {3: 2**31 - 1}, "gpu_index": {3: 2**31 - 1}}
    (found,) = sets_of(tmp_path, boxes, node_pairs(boxes), ranks=far)
    assert found.nodes[0].values.shape == (4, 4)
    assert found.nodes[0].labels[3] == "GPU 2147483647"


def test_a_pair_of_two_nodes_costs_its_case_with_one_line(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    boxes = boxes_of(2)
    cases = node_pairs(boxes)
    cases = renumbered(cases, [replace(cases[0], peers=[2, -1, 0, -1, -1, -1], round=1)])
    run = write_nodes_run(tmp_path / "run", boxes, cases)
    output = railgauge("show", run)
    assert output.stderr == ""
    reason = "ranks 0 and 2, a pair within a node, are on two nodes"
    assert sum(reason in line for line in output.stdout.splitlines()) == 1
    assert "노드-일 GPU" in output.stdout


def test_windows_of_no_bytes_break_nothing(tmp_path: Path, railgauge: Railgauge) -> None:
    boxes = boxes_of(2)
    run = write_nodes_run(tmp_path / "run", boxes, renumbered(node_pairs(boxes), node_first(boxes)))
    import h5py

    with h5py.File(run, "r+") as file:
        rows = file["cases"][...]
        rows["algbw_bytes"] = 0
        file["cases"][...] = rows
    for options in (["show"], ["show", "--format", "json"], ["report", "-o", tmp_path / "x.html"]):
        result = railgauge(options[0], run, *options[1:])
        assert (result.returncode, result.stderr) == (0, "")
