# SPDX-License-Identifier: Apache-2.0
"""The check rail_proven on collectives: bytes of the NICs against what each rail must move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from synthetic import Plan, sweep, write_run
from synthetic_rails import BYTES, OPERATIONS, PIECE, CounterRow, RailCase, write_rails_run

from railgauge.checks import rail_proven, run_checks
from railgauge.load import open_run
from railgauge.verdict import Finding, Verdict

Rows = list[CounterRow]


def judged(tmp_path: Path, *, rail_map: bool = True, **changes: Any) -> Finding:
    """Judge one case of 3 nodes on 2 rails."""
    case = replace(RailCase(), **changes)
    run = open_run(write_rails_run(tmp_path / "run", [case], rail_map=rail_map))
    (finding,) = rail_proven.judge(run)
    return finding


def with_bytes(device: str, name: str, value: int, node: int = 0) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        hit = (node, device, name)
        return [(*r[:3], value, r[4]) if r[:3] == hit else r for r in rows]

    return change


def all_of(device: str, value: int) -> Callable[[Rows], Rows]:
    """Both counters of a device on all nodes."""
    return lambda rows: [(*r[:3], value, r[4]) if r[1] == device else r for r in rows]


def both(*changes: Callable[[Rows], Rows]) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        for one in changes:
            rows = one(rows)
        return rows

    return change


@pytest.mark.parametrize("active", [-1, 0, 1])
@pytest.mark.parametrize(
    ("operation", "sent"),
    [
        ("all_gather", 2 * PIECE),
        ("reduce_scatter", 2 * PIECE),
        ("alltoall", 2 * PIECE),
        ("all_reduce", 4 * PIECE),
        ("all_reduce", 2 * BYTES),  # naively: to a root and back
        ("sendrecv", BYTES),
    ],
)
def test_rails_that_carried_what_an_algorithm_moves_are_proved(
    tmp_path: Path, active: int, operation: str, sent: int
) -> None:
    finding = judged(tmp_path, operation=operation, active=active, sent_per_operation=sent)
    assert (finding.verdict, finding.reason) == (Verdict.PASS, "")


@pytest.mark.parametrize("operation", ["broadcast", "reduce", "gather", "scatter"])
def test_rooted_operations_are_proved_by_the_root_and_what_the_others_get(
    tmp_path: Path, operation: str
) -> None:
    moved = {"operation": operation, "root": 2, "sent_per_operation": BYTES}
    assert judged(tmp_path, **moved).verdict is Verdict.PASS
    name = "tx_bytes" if operation in ("broadcast", "scatter") else "rx_bytes"
    missing = judged(tmp_path, **moved, counters=with_bytes("rail1", name, 9000, node=2))
    assert missing.verdict is Verdict.FAIL
    assert "rail1 of n2" in missing.reason
    assert judged(tmp_path, **moved | {"root": 3}).verdict is Verdict.SKIP


@pytest.mark.parametrize("name", ["tx_bytes", "rx_bytes"])
def test_a_group_alone_whose_bytes_are_on_another_rail_fails_and_names_it(
    tmp_path: Path, name: str
) -> None:
    verb = {"tx_bytes": "sent", "rx_bytes": "received"}[name]
    swapped = both(
        with_bytes("rail1", name, 3000, node=1), with_bytes("rail0", name, 60_000_000, node=1)
    )
    finding = judged(tmp_path, active=1, wall_ns=10**8, counters=swapped)
    assert finding.verdict is Verdict.FAIL
    least = PIECE * OPERATIONS * (2 if name == "rx_bytes" else 1)
    assert f"rail1 of 노드-일 {verb} 3,000 B, its group at least {least:,} B" in finding.reason
    assert f"the rest went another way (rail0 {verb} 60,000,000 B)" in finding.reason


def test_rails_at_once_on_one_nic_fail_and_name_it(tmp_path: Path) -> None:
    doubled = 2 * 2 * PIECE * OPERATIONS
    finding = judged(tmp_path, counters=both(all_of("rail1", 5000), all_of("rail0", doubled)))
    assert finding.verdict is Verdict.FAIL
    assert f"the rest went another way (rail0 sent {doubled:,} B)" in finding.reason


def test_a_short_case_leaves_open_whether_a_driver_or_another_rail_has_the_bytes(
    tmp_path: Path,
) -> None:
    """The other rail's algorithm, too, may have moved what looks like too much."""
    doubled = both(all_of("rail1", 5000), all_of("rail0", 4 * PIECE * OPERATIONS))
    finding = judged(tmp_path, wall_ns=10**9, counters=doubled)
    assert finding.verdict is Verdict.UNKNOWN
    assert "count the rest late in a case of 1 s, or it went another way (rail0" in finding.reason
    beyond = both(all_of("rail1", 5000), all_of("rail0", 8 * BYTES * OPERATIONS))
    assert judged(tmp_path, wall_ns=10**9, counters=beyond).verdict is Verdict.FAIL


def test_bytes_over_no_interface_of_the_node_fail_once_no_driver_is_that_late(
    tmp_path: Path,
) -> None:
    missing = with_bytes("rail0", "rx_bytes", 0)
    assert judged(tmp_path, wall_ns=10**9, counters=missing).verdict is Verdict.UNKNOWN
    finding = judged(tmp_path, counters=missing)
    assert finding.verdict is Verdict.FAIL
    assert "over no interface there alone" in finding.reason


def test_traffic_on_a_resting_rail_is_no_proof(tmp_path: Path) -> None:
    noisy = with_bytes("rail0", "rx_bytes", 66_000, node=2)
    finding = judged(tmp_path, active=1, counters=noisy)
    assert finding.verdict is Verdict.UNKNOWN
    assert "rail0 of n2 received 66,000 B, its rail rests here: other traffic" in finding.reason
    quiet = with_bytes("rail0", "rx_bytes", 65_000, node=2)
    assert judged(tmp_path, active=1, counters=quiet).verdict is Verdict.PASS


def test_barriers_reach_resting_ranks_too(tmp_path: Path) -> None:
    noisy = {"active": 1, "counters": with_bytes("rail0", "rx_bytes", 100_000)}
    assert judged(tmp_path, **noisy).verdict is Verdict.UNKNOWN
    assert judged(tmp_path, **noisy, start="barrier").verdict is Verdict.PASS


def test_more_than_any_algorithm_moves_is_other_traffic(tmp_path: Path) -> None:
    beyond = with_bytes("rail1", "tx_bytes", 3 * BYTES * OPERATIONS)
    finding = judged(tmp_path, counters=beyond)
    assert finding.verdict is Verdict.UNKNOWN
    assert f"its group at most {2 * BYTES * OPERATIONS:,} B: other traffic" in finding.reason


def test_an_all_reduce_that_moved_too_little_in_sum_is_not_proved(tmp_path: Path) -> None:
    """Each NIC carried the vector once, as with a switch that reduces; 4/3 are due on average."""
    once = {"operation": "all_reduce", "sent_per_operation": BYTES}
    finding = judged(tmp_path, **once)
    assert finding.verdict is Verdict.UNKNOWN
    assert "the network reduced them, or they went another way" in finding.reason
    elsewhere = with_bytes("mgmt0", "tx_bytes", 90_000_000)
    found = judged(tmp_path, **once, counters=elsewhere)
    assert found.verdict is Verdict.FAIL
    assert "mgmt0 of n0 sent 90,000,000 B" in found.reason


@pytest.mark.parametrize("status", ["vanished", "wrapped", "saturated", ""])
@pytest.mark.parametrize("active", [0, 1])
def test_a_counter_that_is_not_ok_proves_nothing_on_a_resting_rail_either(
    tmp_path: Path, status: str, active: int
) -> None:
    finding = judged(
        tmp_path, active=active, counters=lambda rows: [(*rows[0][:4], status), *rows[1:]]
    )
    assert finding.verdict is Verdict.UNKNOWN
    assert f"tx_bytes of rail0 of n0 is {status}" in finding.reason


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


def test_payload_that_does_not_stand_out_proves_nothing_but_must_be_there(tmp_path: Path) -> None:
    small = {"bytes": 3600, "sent_per_operation": 2400}
    finding = judged(tmp_path, **small)
    assert finding.verdict is Verdict.SKIP
    assert "had too little to carry for a proof: 64,800 B" in finding.reason
    missing = with_bytes("rail0", "rx_bytes", 0)
    assert judged(tmp_path, **small, counters=missing).verdict is Verdict.FAIL


def test_warm_up_and_check_rounds_and_all_aggregated_operations_count(tmp_path: Path) -> None:
    batch = {"samples": 2, "ops_per_sample": 4, "aggregate": 4, "warmup": 3}
    assert judged(tmp_path, **batch).verdict is Verdict.PASS
    due = 2 * PIECE * (2 * 4 + (3 + 2) * 4)
    short = with_bytes("rail0", "rx_bytes", due - 1)
    finding = judged(tmp_path, **batch, counters=short)
    assert finding.verdict is Verdict.UNKNOWN
    assert f"received {due - 1:,} B, its group at least {due:,} B" in finding.reason


def test_chunks_of_known_spread_have_a_least_size_and_those_of_a_matrix_none(
    tmp_path: Path,
) -> None:
    moved = {"operation": "alltoallv", "sent_per_operation": 2 * PIECE}
    assert judged(tmp_path, **moved, spread="+-50 % seed 1").verdict is Verdict.PASS
    finding = judged(tmp_path, **moved, spread="matrix 0123")
    assert finding.verdict is Verdict.SKIP
    assert "not known what alltoallv must move" in finding.reason


def test_an_operation_without_a_bound_is_skipped(tmp_path: Path) -> None:
    assert judged(tmp_path, operation="communicator", bytes=0).verdict is Verdict.SKIP


def test_without_a_rail_map_nothing_is_proved(tmp_path: Path) -> None:
    finding = judged(tmp_path, rail_map=False)
    assert finding.verdict is Verdict.UNKNOWN
    assert "NIC of rank 0 on n0 is not known" in finding.reason


def test_unknown_check_rounds_leave_the_payload_unknown(tmp_path: Path) -> None:
    assert judged(tmp_path, verify="perhaps").verdict is Verdict.UNKNOWN


def test_a_case_that_was_not_measured_is_skipped(tmp_path: Path) -> None:
    assert judged(tmp_path, status="failed").verdict is Verdict.SKIP


def test_bytes_counted_late_by_the_rail_before_are_no_detour(tmp_path: Path) -> None:
    cases = [RailCase(active=rail, wall_ns=10**8) for rail in (0, 1)]
    cases[0].counters = all_of("rail0", 0)
    cases[1].counters = both(all_of("rail1", 0), all_of("rail0", 2 * PIECE * OPERATIONS))
    run = open_run(write_rails_run(tmp_path / "run", cases))
    assert [f.verdict for f in rail_proven.judge(run)] == [Verdict.UNKNOWN] * 2


def test_collectives_that_are_not_split_by_rail_are_not_judged(tmp_path: Path) -> None:
    plain = open_run(write_run(tmp_path / "plain", Plan(sweep(["all_reduce"], [1024]))))
    by_node = open_run(write_rails_run(tmp_path / "node", [RailCase(split="node")]))
    by_rail = open_run(write_rails_run(tmp_path / "rail", [RailCase()]))
    names = [
        {result.name for result in run_checks(run, allow_rig=False)}
        for run in (plain, by_node, by_rail)
    ]
    assert ["rail_proven" in found for found in names] == [False, False, True]
