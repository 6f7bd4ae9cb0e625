# SPDX-License-Identifier: Apache-2.0
"""Pairs over RDMA: verbs, queue pairs and memories are told apart, and reads are read right."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from conftest import Railgauge
from synthetic_pairs import Fabric, PairsCase, match, write_pairs_run
from synthetic_tables import text_type
from test_pairs import one_round, opened, sets_of

from railgauge.load import open_run
from railgauge.pair_conditions import condition_labels
from railgauge.pair_results import iterate_pairs
from railgauge.pair_sizes import compared, size_rows

MIB = 1 << 20


def uneven(source: int, *_: int) -> float:
    return 0.08 if source == 0 else 0.05


def rdma_round(fabric: Fabric, **changes: Any) -> PairsCase:
    return one_round(fabric, **({"backend": "verbs", "verb": "write"} | changes))


# --- reads ----------------------------------------------------------------------------------------


def test_payload_of_a_read_flows_from_the_peer_to_the_rank_that_times_it(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1, gbit_per_s=uneven)
    case = rdma_round(fabric, verb="read", depth=4, queues=2)
    (result,) = iterate_pairs(opened(tmp_path, fabric, [case]))
    rates = {p.path.source: p.gbit_per_s for p in result.pairs}
    assert rates == {0: pytest.approx(0.08), 1: pytest.approx(0.05)}
    assert result.pairs[0].median_ns == 2 * 4 * MIB * 8 / 0.08


@pytest.mark.parametrize(("direction", "source"), [("forward", 0), ("backward", 1)])
@pytest.mark.parametrize("verb", ["send", "write", "read"])
def test_a_direction_is_that_of_the_payload_whoever_times_it(
    tmp_path: Path, direction: str, source: int, verb: str
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    run = opened(tmp_path, fabric, [rdma_round(fabric, verb=verb, direction=direction)])
    (result,) = iterate_pairs(run)
    assert [(p.path.source, p.path.destination) for p in result.pairs] == [(source, 1 - source)]


@pytest.mark.parametrize("verb", ["send", "write", "read"])
def test_latency_of_a_read_is_all_of_it_and_half_of_a_round_trip_otherwise(
    tmp_path: Path, railgauge: Railgauge, verb: str
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1, gbit_per_s=lambda *_: 0.1)
    case = rdma_round(
        fabric,
        verb=verb,
        operation="latency",
        direction="round-trip",
        bytes=1000,
        ops_per_sample=5,
        samples=1000,
    )

    def constant(samples: Any) -> None:
        busy = samples["acknowledged_ns"][...] > 0
        samples["acknowledged_ns"][...] = np.where(busy, 5 * 160_000, -1)

    case.change = constant
    path = write_pairs_run(tmp_path / "run", fabric, [case])
    (result,) = iterate_pairs(open_run(path))
    expected = 160.0 if verb == "read" else 80.0
    (pair,) = result.pairs
    assert pair.value == pytest.approx(expected)
    assert result.trips.maximum_ns == pytest.approx(1e3 * expected)
    (row,) = json.loads(railgauge("show", path, "--format", "json").stdout)["cases"]
    assert [row[k] for k in ("median_us", "p99_us", "max_us")] == pytest.approx([expected] * 3)
    assert row["directed_pairs"][0]["p99_us"] == pytest.approx(expected)
    assert ("its latency is ALL of it" in railgauge("show", path).stdout) == (verb == "read")


def test_nics_of_a_read_are_proved_in_the_direction_of_its_payload(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    case = rdma_round(fabric, verb="read", direction="forward", backend="mpi", queues=3)
    assert (
        "PASS    rail_proven"
        in railgauge("check", write_pairs_run(tmp_path / "run", fabric, [case])).stdout
    )
    case.counters = lambda rows: [
        (n, d, {"tx_bytes": "rx_bytes", "rx_bytes": "tx_bytes"}[name], *rest)
        for n, d, name, *rest in rows
    ]
    assert (
        "FAIL    rail_proven"
        in railgauge("check", write_pairs_run(tmp_path / "swapped", fabric, [case])).stdout
    )


def payload_words(node: int, sent: int, received: int) -> list[Any]:
    device = (node, "rail0", 1, "rdma")
    return [
        (*device, "port_xmit_data", sent // 4, "ok"),
        (*device, "port_rcv_data", received // 4, "ok"),
    ]


@pytest.mark.parametrize(("share", "verdict"), [(1.02, "PASS"), (0.5, "FAIL"), (None, "UNKNOWN")])
def test_rdma_payload_is_proved_by_the_words_of_its_device_and_by_no_interface(
    tmp_path: Path, railgauge: Railgauge, share: float | None, verdict: str
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    case = rdma_round(fabric, direction="forward")
    payload = case.window * (case.samples + case.warmup + 2)
    case.counters = lambda rows: [(n, d, name, 1000, s) for n, d, name, _, s in rows]
    if share is not None:
        moved = round(share * payload)
        case.rdma = payload_words(0, moved, 100) + payload_words(1, 100, moved)
        case.counters = lambda rows: []
    output = railgauge("check", write_pairs_run(tmp_path / "run", fabric, [case])).stdout
    assert any(
        line.split()[:1] == [verdict] and "rail_proven" in line for line in output.split("\n")
    )


# --- conditions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [{"memory": "cuda"}, {"verb": "send"}, {"queues": 4}, {"depth": 2}, {"signal_interval": 8}],
)
def test_cases_that_differ_in_how_messages_move_are_never_joined(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    cases = [rdma_round(fabric), replace(rdma_round(fabric, **change), id=1, round=1)]
    sets = sets_of(opened(tmp_path, fabric, cases))
    assert len(sets) == 2
    assert all(len(s.values()) == 2 for s in sets)


def test_a_signal_interval_that_follows_the_depth_is_not_told(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    changes: list[dict[str, Any]] = [{"depth": 1}, {"depth": 16, "signal_interval": 4}]
    cases = [replace(rdma_round(fabric, **c), id=i) for i, c in enumerate(changes)]
    labels = condition_labels([s.condition for s in sets_of(opened(tmp_path, fabric, cases))])
    assert [label.split(" · ")[-1] for label in labels] == ["depth 1", "depth 16"]
    cases.append(replace(rdma_round(fabric, depth=16, signal_interval=8), id=2, round=1))
    more = tmp_path / "more"
    more.mkdir()
    labels = condition_labels([s.condition for s in sets_of(opened(more, fabric, cases))])
    assert [label.split(" · ")[-1] for label in labels][1:] == [
        "a signal each 4",
        "a signal each 8",
    ]


def test_a_run_from_before_the_verbs_reads_as_sends_on_one_queue(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    run = write_pairs_run(tmp_path / "run", fabric, [one_round(fabric)])
    (found,) = sets_of(open_run(run))
    assert (found.condition.verb, found.condition.queues) == ("send", 1)
    (row,) = json.loads(railgauge("show", run, "--format", "json").stdout)["cases"]
    assert (row["verb"], row["queues"], row["memory"]) == ("send", 1, "host")
    assert "QPs" not in railgauge("show", run).stdout


def sweep(fabric: Fabric, shares: dict[str, float]) -> list[PairsCase]:
    """Two sizes x two numbers of queue pairs x memories, whose rates are known shares."""
    peers = match(fabric, [(0, 1)], range(fabric.rails))
    cases = []
    for memory, share in shares.items():
        for size in (4096, MIB):
            for queues in (1, 4):

                def scaled(samples: Any, share: float = share) -> None:
                    times = samples["acknowledged_ns"][...]
                    samples["acknowledged_ns"][...] = np.where(times > 0, times / share, -1)

                case = PairsCase(len(cases), peers, bytes=size, depth=16, queues=queues)
                changes = {"backend": "verbs", "verb": "write", "memory": memory, "change": scaled}
                cases.append(replace(case, **changes))  # type: ignore[arg-type]
    return cases


def test_memories_are_compared_size_by_size_and_queue_by_queue(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], gbit_per_s=lambda *_: 100.0)
    rows = size_rows(sets_of(opened(tmp_path, fabric, sweep(fabric, {"cuda": 0.8, "host": 1}))))
    assert [(r.spread.condition.bytes, r.spread.condition.queues) for r in rows] == [
        (4096, 1),
        (4096, 4),
        (MIB, 1),
        (MIB, 4),
    ]
    assert compared(rows) == rows
    for row in rows:
        assert row.reference is not None
        assert row.reference.condition.memory == "host"
        assert row.spread.condition.memory == "cuda"
        assert row.spread.median == pytest.approx(80, rel=1e-3)
        assert row.difference_percent == pytest.approx(-20, abs=0.1)


def test_one_memory_alone_is_compared_with_nothing(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric(["n0", "n1"])
    run = write_pairs_run(tmp_path / "run", fabric, sweep(fabric, {"cuda": 1}))
    rows = size_rows(sets_of(open_run(run)))
    assert [r.difference_percent for r in rows] == [None] * 4
    assert "memories" not in json.loads(railgauge("show", run, "--format", "json").stdout)
    assert "Memories compared" not in railgauge("show", run).stdout


def test_show_and_its_json_and_the_export_have_the_difference(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"], gbit_per_s=lambda *_: 100.0)
    run = write_pairs_run(tmp_path / "run", fabric, sweep(fabric, {"host": 1, "cuda": 0.8}))
    text = railgauge("show", run).stdout
    assert "Memories compared" in text
    assert sum("-20.0 %" in line for line in text.splitlines()) == 4
    assert any(line.split()[2:4] == ["depth", "QPs"] for line in text.splitlines() if "QPs" in line)
    document = json.loads(railgauge("show", run, "--format", "json").stdout)
    assert [m["difference_percent"] for m in document["memories"]] == pytest.approx(
        [-20] * 4, abs=0.1
    )
    out = tmp_path / "memories.csv"
    assert railgauge("export", run, "--memories", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["bytes"], r["queues"]) for r in rows] == [
        (str(s), q) for s in (4096, MIB) for q in ("1", "4")
    ]
    assert float(rows[0]["reference_median"]) == pytest.approx(100, rel=1e-3)
    assert float(rows[0]["median"]) == pytest.approx(80, rel=1e-3)
    assert railgauge("export", run, "--pairs", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(r["verb"], r["queues"], r["memory"]) for r in rows} == {
        ("write", q, m) for q in ("1", "4") for m in ("host", "cuda")
    }


# --- hostile --------------------------------------------------------------------------------------


def with_column(run: Path, name: str, kind: Any, value: Any) -> Path:
    with h5py.File(run, "r+") as file:
        rows = file["cases"][...]
        kept = [(n, rows.dtype[n]) for n in rows.dtype.names if n != name]
        changed = np.zeros(rows.shape, [*kept, (name, kind)])
        for n, _ in kept:
            changed[n] = rows[n]
        changed[name] = value
        del file["cases"]
        file["cases"] = changed
    return run


@pytest.mark.parametrize(
    ("name", "kind", "value", "reason"),
    [
        ("queues", "i8", -4, "queues is -4, not 1 to 16777215"),
        ("queues", "i8", 0, "queues is 0, not 1 to"),
        ("queues", "i8", 1 << 40, f"queues is {1 << 40}, not 1 to"),
        ("queues", "u8", (1 << 64) - 1, f"queues is {(1 << 64) - 1}, not 1 to"),
        ("queues", "f8", float("nan"), "queues is nan, not 1 to"),
        ("queues", "f8", 2.0, "queues is 2.0, not 1 to"),
        ("verb", text_type(["x" * 9]), b"atomic", "verb 'atomic' is none of send, write, read"),
        ("verb", text_type(["x" * 9]), b"\x1b[31m", "is none of send, write, read"),
        ("verb", "f8", float("nan"), "verb 'nan' is none of"),
    ],
)
def test_a_case_that_cannot_be_costs_itself_with_one_line(
    tmp_path: Path, railgauge: Railgauge, name: str, kind: Any, value: Any, reason: str
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    run = write_pairs_run(tmp_path / "run", fabric, [rdma_round(fabric)])
    with_column(run, name, kind, value)
    result = railgauge("show", run)
    assert (result.returncode, result.stderr) == (0, "")
    assert sum(reason in line for line in result.stdout.splitlines()) == 1
    assert "\x1b" not in result.stdout
    assert reason in railgauge("check", run).stdout
    for command in (["show", "--format", "json"], ["report"]):
        again = railgauge(command[0], run, *command[1:])
        assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("name", ["bytes", "depth", "signal_interval"])
@pytest.mark.parametrize(("kind", "value"), [("f8", float("nan")), ("i8", -(1 << 63)), ("u8", 1)])
def test_odd_numbers_elsewhere_break_no_output(
    tmp_path: Path, railgauge: Railgauge, name: str, kind: str, value: Any
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    cases = [rdma_round(fabric), replace(rdma_round(fabric, memory="cuda"), id=1)]
    run = with_column(write_pairs_run(tmp_path / "run", fabric, cases), name, kind, value)
    out = tmp_path / "x.csv"
    for command in (["show"], ["report"], ["export", "--memories", "-o", out]):
        result = railgauge(command[0], run, *command[1:])
        assert (result.returncode, result.stderr) == (0, "")
