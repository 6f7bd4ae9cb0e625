# SPDX-License-Identifier: Apache-2.0
"""The check rail_proven: bytes of the NICs against the payload of the ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from synthetic import table
from synthetic_pairs import CounterRow, Fabric, PairsCase, match, write_pairs_run

from railgauge.checks import rail_proven
from railgauge.load import open_run
from railgauge.verdict import Finding, Verdict

Rows = list[CounterRow]


def judged(tmp_path: Path, fabric: Fabric | None = None, **changes: Any) -> Finding:
    """Judge one round of both rails between two nodes."""
    fabric = fabric or Fabric(["n0", "노드-이"])
    peers = match(fabric, [(0, 1)], range(fabric.rails))
    case = replace(PairsCase(0, peers), **changes)
    run = write_pairs_run(tmp_path / "run", fabric, [case])
    (finding,) = rail_proven.judge(open_run(run))
    return finding


def payload(case_bytes: int = 1 << 20, operations: int = 20 + 5 + 2) -> int:
    return case_bytes * operations


def with_bytes(device: str, name: str, value: int, node: int = 0) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        hit = (node, device, name)
        return [(*r[:3], value, r[4]) if r[:3] == hit else r for r in rows]

    return change


@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
@pytest.mark.parametrize("verify", ["on", "off"])
def test_payload_with_headers_on_each_nic_is_proof(
    tmp_path: Path, direction: str, verify: str
) -> None:
    finding = judged(tmp_path, direction=direction, verify=verify)
    assert (finding.verdict, finding.reason) == (Verdict.PASS, "")


def test_a_round_trip_loads_both_directions(tmp_path: Path) -> None:
    changes = {"operation": "latency", "direction": "round-trip"}
    assert judged(tmp_path, **changes).verdict is Verdict.PASS
    missing = judged(tmp_path, **changes, counters=with_bytes("rail0", "tx_bytes", 0, node=1))
    assert missing.verdict is Verdict.FAIL


def test_lanes_share_the_load_of_their_nic(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], lanes=3)
    assert judged(tmp_path, fabric).verdict is Verdict.PASS
    short = with_bytes("rail1", "rx_bytes", 2 * payload(), node=1)
    assert judged(tmp_path, fabric, counters=short).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("carried", "verdict"),
    [
        (payload(), Verdict.PASS),
        # 8 % of both directions, 512 B for 27 messages and as many confirmations each way, 64 KiB
        (payload() + round(0.16 * payload()) + 512 * 108 + (64 << 10) - 1, Verdict.PASS),
        (payload() + round(0.16 * payload()) + 512 * 108 + (64 << 10) + 1, Verdict.UNKNOWN),
    ],
)
def test_the_margin_is_the_documented_one(tmp_path: Path, carried: int, verdict: Verdict) -> None:
    for name in ("tx_bytes", "rx_bytes"):
        finding = judged(tmp_path, counters=with_bytes("rail1", name, carried))
        assert finding.verdict is verdict, finding.reason


def test_payload_that_does_not_stand_out_proves_nothing_but_must_be_there(tmp_path: Path) -> None:
    small = judged(tmp_path, bytes=2000)
    assert small.verdict is Verdict.SKIP
    assert "rail0 of n0 had too little to carry for a proof: 54,000 B" in small.reason
    missing = judged(tmp_path, bytes=2000, counters=with_bytes("rail0", "rx_bytes", 50_000))
    assert missing.verdict is Verdict.FAIL


def test_missing_bytes_fail_and_the_interface_that_has_them_is_named(tmp_path: Path) -> None:
    def swapped(rows: Rows) -> Rows:
        return with_bytes("mgmt0", "tx_bytes", 99_000_000)(
            with_bytes("rail1", "tx_bytes", 5_000)(rows)
        )

    finding = judged(tmp_path, counters=swapped)
    assert finding.verdict is Verdict.FAIL
    assert "rail1 of n0 sent 5,000 B of the 28,311,552 B of its ranks" in finding.reason
    assert "mgmt0 sent 99,000,000 B" in finding.reason


@pytest.mark.parametrize(
    ("wall_s", "share", "verdict"),
    [
        (0.1, 0, Verdict.UNKNOWN),
        (1.9, 0.5, Verdict.UNKNOWN),
        (2.1, 0, Verdict.FAIL),
        (10, 0.81, Verdict.UNKNOWN),
        (10, 0.79, Verdict.FAIL),
    ],
)
def test_bytes_that_a_driver_may_have_counted_after_the_case_are_unknown(
    tmp_path: Path, wall_s: float, share: float, verdict: Verdict
) -> None:
    for name in ("tx_bytes", "rx_bytes"):
        seen = with_bytes("rail0", name, round(share * payload()))
        finding = judged(tmp_path, wall_ns=round(wall_s * 1e9), counters=seen)
        assert finding.verdict is verdict, finding.reason
        assert ("count them late" in finding.reason) == (verdict is Verdict.UNKNOWN)


def test_bytes_on_another_interface_fail_however_short_the_case(tmp_path: Path) -> None:
    def swapped(rows: Rows) -> Rows:
        moved = {"mgmt0": payload(), "rail1": 5_000}
        return [(*r[:3], moved.get(r[1], r[3]) if r[2] == "tx_bytes" else r[3], r[4]) for r in rows]

    finding = judged(tmp_path, wall_ns=10**8, counters=swapped)
    assert finding.verdict is Verdict.FAIL
    assert "the rest went another way (mgmt0 sent 28,311,552 B)" in finding.reason


def test_bytes_counted_late_by_the_rail_before_are_no_detour(tmp_path: Path) -> None:
    """Rails alone, one after the other, on a driver that counts only when a case has ended."""

    def nothing(rows: Rows) -> Rows:
        return [(*r[:3], 0, r[4]) for r in rows]

    def late(rows: Rows) -> Rows:
        return [(*r[:3], payload() if r[1] == "rail0" else 0, r[4]) for r in rows]

    fabric = Fabric(["n0", "n1"])
    cases = [
        PairsCase(i, match(fabric, [(0, 1)], [i]), rails=str(i), wall_ns=10**8) for i in range(2)
    ]
    cases[0].counters, cases[1].counters = nothing, late
    run = open_run(write_pairs_run(tmp_path / "run", fabric, cases))
    assert [f.verdict for f in rail_proven.judge(run)] == [Verdict.UNKNOWN] * 2
    cases[0].counters = list
    run = open_run(write_pairs_run(tmp_path / "proved", fabric, cases))
    assert [f.verdict for f in rail_proven.judge(run)] == [Verdict.PASS, Verdict.FAIL]


def test_all_ranks_on_one_nic_do_not_prove_the_other_rail(tmp_path: Path) -> None:
    def on_one(rows: Rows) -> Rows:
        moved = [(*r[:3], 0 if r[1] == "rail1" else 2 * r[3], r[4]) for r in rows]
        return [r for r in moved if r[1].startswith("rail")]

    finding = judged(tmp_path, counters=on_one)
    assert finding.verdict is Verdict.FAIL
    assert "rail1 of 노드-이" in finding.reason


def test_bytes_on_the_nic_of_an_idle_rail_are_no_proof(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"])
    alone = {"peers": match(fabric, [(0, 1)], [0]), "rails": "0"}
    assert judged(tmp_path, fabric, **alone).verdict is Verdict.PASS
    finding = judged(
        tmp_path, fabric, **alone, counters=with_bytes("rail1", "rx_bytes", 9_000_000, node=1)
    )
    assert finding.verdict is Verdict.UNKNOWN
    assert "rail1 of n1 received 9,000,000 B, its rail is idle" in finding.reason


@pytest.mark.parametrize("status", ["saturated", "wrapped", "vanished", "appeared", "", "odd"])
def test_a_counter_that_is_not_ok_proves_nothing(tmp_path: Path, status: str) -> None:
    finding = judged(tmp_path, counters=lambda rows: [(*rows[0][:4], status), *rows[1:]])
    assert finding.verdict is Verdict.UNKNOWN
    assert f"of n0 is {status}" in finding.reason


@pytest.mark.parametrize(
    ("counters", "reason"),
    [
        (lambda rows: [r for r in rows if r[1] != "rail1"], "rail1 of n0 has no counter tx_bytes"),
        (lambda rows: [r for r in rows if r[2] != "rx_bytes"], "has no counter rx_bytes"),
        (lambda rows: [], "no group counters"),
    ],
)
def test_missing_counters_are_unknown_never_pass(
    tmp_path: Path, counters: Callable[[Rows], Rows], reason: str
) -> None:
    finding = judged(tmp_path, counters=counters)
    assert finding.verdict is Verdict.UNKNOWN
    assert reason in finding.reason


def test_without_a_rail_map_nothing_is_proved(tmp_path: Path) -> None:
    finding = judged(tmp_path, Fabric(["n0", "n1"], rails=1, rail_map=False))
    assert finding.verdict is Verdict.UNKNOWN
    assert "NIC of rank 0 on n0 is not known" in finding.reason


def test_counters_that_run_backwards_are_unknown(tmp_path: Path) -> None:
    import h5py

    fabric = Fabric(["n0", "n1"])
    case = PairsCase(0, match(fabric, [(0, 1)], [0, 1]))
    run = write_pairs_run(tmp_path / "run", fabric, [case])
    with h5py.File(run, "r+") as file:
        rows = file["counters/0000"][...]
        rows["before"], rows["after"] = rows["after"], rows["before"].copy()
        file["counters/0000"][...] = rows
    (finding,) = rail_proven.judge(open_run(run))
    assert finding.verdict is Verdict.UNKNOWN


def test_a_table_of_another_shape_is_unknown(tmp_path: Path) -> None:
    import h5py

    fabric = Fabric(["n0", "n1"])
    case = PairsCase(0, match(fabric, [(0, 1)], [0, 1]))
    run = write_pairs_run(tmp_path / "run", fabric, [case])
    with h5py.File(run, "r+") as file:
        del file["counters/0000"]
        file["counters/0000"] = table({"node": ("i4", [0]), "device": (str, ["rail0"])})
    (finding,) = rail_proven.judge(open_run(run))
    assert finding.verdict is Verdict.UNKNOWN
    assert "no column" in finding.reason


def test_pairs_within_a_node_use_no_nic(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"])
    peers = [1, 0, -1, -1]
    finding = judged(tmp_path, fabric, peers=peers, pattern="one-pair", rails="0>1")
    assert finding.verdict is Verdict.SKIP
    assert "within a node" in finding.reason


def test_a_case_that_was_not_measured_is_skipped(tmp_path: Path) -> None:
    assert judged(tmp_path, status="failed").verdict is Verdict.SKIP


def test_unknown_check_rounds_leave_the_payload_unknown(tmp_path: Path) -> None:
    assert judged(tmp_path, verify="perhaps").verdict is Verdict.UNKNOWN
    assert judged(tmp_path, warmup=-1).verdict is Verdict.UNKNOWN
