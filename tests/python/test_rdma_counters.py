# SPDX-License-Identifier: Apache-2.0
"""Counters of RDMA devices: what a person must look at is told and marked, unknown is said."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Railgauge
from synthetic import Plan, write_run
from synthetic import sweep as collectives
from synthetic_pairs import Fabric, PairsCase, RdmaRow, write_pairs_run
from synthetic_tables import table
from test_pairs import one_round
from test_report import Outline

from railgauge.load import open_run
from railgauge.model import Counter
from railgauge.rdma_counter_names import KNOWN, Kind, meaning_of
from railgauge.rdma_counters import rdma_counters, texts
from railgauge.report import render

import h5py  # isort: skip

HOSTS = {0: "n0", 3: "n3"}


def counted(name: str, delta: int = 0, status: str = "ok", **changes: Any) -> Counter:
    row = Counter(3, "mlx5_1", 1, "rdma_hw", name, 1000, 1000 + delta, status)
    return replace(row, **changes)


# --- one case, pure -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("packet_seq_err", Kind.ERROR),
        ("local_ack_timeout_err", Kind.ERROR),
        ("out_of_seq_request", Kind.ERROR),
        ("RetransSegs", Kind.ERROR),
        ("symbol_error", Kind.ERROR),
        ("out_of_sequence", Kind.DOUBTFUL),
        ("rp_cnp_handled", Kind.CONGESTION),
        ("port_xmit_data", Kind.TRAFFIC),
        ("rdma_sends", Kind.TRAFFIC),
        ("of_a_driver_to_come", Kind.OTHER),
    ],
)
def test_the_table_says_what_a_counter_is(name: str, kind: Kind) -> None:
    assert meaning_of(name).kind is kind


def test_every_counter_to_look_at_says_why_and_of_which_drivers() -> None:
    for name, meaning in KNOWN.items():
        if meaning.kind is not Kind.TRAFFIC:
            assert meaning.text, name
            assert meaning.families, name


def test_a_counter_that_moved_is_named_with_node_device_port_and_delta() -> None:
    found = rdma_counters([counted("out_of_sequence", 34), counted("packet_seq_err")])
    assert list(texts(found.changes, HOSTS)) == ["n3 mlx5_1 port 1: out_of_sequence +34"]
    assert found.mark == "RDMA counters moved"
    assert found.errors == 0


def test_errors_are_added_up_and_come_first() -> None:
    rows = [counted("zzz", 1), counted("rnr_nak_retry_err", 2), counted("packet_seq_err", 3)]
    found = rdma_counters(rows)
    assert [c.row.name for c in found.changes] == ["packet_seq_err", "rnr_nak_retry_err", "zzz"]
    assert found.errors == 5
    assert found.mark == "RDMA errors"


@pytest.mark.parametrize("name", ["rp_cnp_handled", "port_xmit_data", "of_a_driver_to_come"])
def test_congestion_traffic_and_unknown_names_mark_no_case(name: str) -> None:
    found = rdma_counters([counted(name, 7), counted("packet_seq_err")])
    assert found.mark == ""
    assert [(c.row.name, c.delta) for c in found.changes] == [(name, 7)]


@pytest.mark.parametrize("status", ["saturated", "wrapped", "vanished", "appeared"])
def test_what_is_not_ok_is_unknown_and_never_a_number(status: str) -> None:
    found = rdma_counters([counted("packet_seq_err", 5, status)])
    assert list(texts(found.changes, HOSTS)) == [
        f"n3 mlx5_1 port 1: packet_seq_err unknown ({status})"
    ]
    assert found.errors is None
    assert found.mark == "RDMA counters unknown"


def test_a_counter_that_ran_backwards_is_unknown() -> None:
    (change,) = rdma_counters([counted("packet_seq_err", -1)]).changes
    assert change.text(HOSTS).endswith("unknown (ran backwards)")


def test_a_device_that_vanished_is_told_once() -> None:
    rows = [counted(f"c{i}", 0, "vanished") for i in range(9)] + [counted("packet_seq_err", 2)]
    told = list(texts(rdma_counters(rows).changes, HOSTS))
    assert told == [
        "n3 mlx5_1 port 1: packet_seq_err +2",
        "n3 mlx5_1 port 1: 9 counters unknown (vanished)",
    ]


def test_words_become_bytes_and_are_added_up_over_ports() -> None:
    rows = [
        counted("port_xmit_data", 100, source="rdma"),
        counted("port_xmit_data", 1, source="rdma", node=0),
        counted("port_rcv_data", 7, "saturated", source="rdma"),
    ]
    found = rdma_counters(rows)
    assert (found.sent_bytes, found.received_bytes) == (404, None)
    assert [c.bytes for c in found.changes] == [4, None, 400]
    assert rdma_counters(rows[2:]).sent_bytes is None


def test_counters_of_other_sources_are_left_out() -> None:
    found = rdma_counters([counted("packet_seq_err", 3, source="netdev")])
    assert (found.changes, found.devices, found.mark) == ((), frozenset(), "")


# --- runs -----------------------------------------------------------------------------------------


def rows_of(name: str, delta: int, status: str = "ok", nodes: int = 2) -> list[RdmaRow]:
    """A device per node that counts no error, and on node 1 one counter of a known fate."""
    clean = [
        (n, "mlx5_0", 1, "rdma_hw", c, 0, "ok")
        for n in range(nodes)
        for c in ("packet_seq_err", "local_ack_timeout_err")
    ]
    traffic = [(n, "mlx5_0", 1, "rdma", "port_xmit_data", 256, "ok") for n in range(nodes)]
    return [*clean, *traffic, (1, "mlx5_0", 1, "rdma_hw", name, delta, status)]


def clean_rows() -> list[RdmaRow]:
    return rows_of("rx_write_requests", 5)


def run_of(path: Path, *lists: list[RdmaRow], **changes: Any) -> Path:
    fabric = Fabric(["n0", "n1"], rails=1)
    case: dict[str, Any] = {"backend": "verbs", "verb": "write"} | changes
    cases = [one_round(fabric, id=i, round=i, rdma=r, **case) for i, r in enumerate(lists)]
    return write_pairs_run(path / "run", fabric, cases)


def verdict(railgauge: Railgauge, run: Path, *options: str) -> tuple[str, list[str]]:
    document = json.loads(railgauge("check", run, "--format", "json", *options).stdout)
    (check,) = [c for c in document["checks"] if c["name"] == "rdma_clean"]
    return check["verdict"], [f["reason"] for f in check["findings"]]


@pytest.mark.parametrize("backend", ["verbs", "ucx"])
def test_counters_of_errors_that_did_not_move_pass(
    tmp_path: Path, railgauge: Railgauge, backend: str
) -> None:
    run = run_of(tmp_path, clean_rows(), backend=backend)
    assert verdict(railgauge, run) == ("PASS", [""])


def test_one_error_of_one_device_fails_its_case_and_names_it(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    run = run_of(tmp_path, clean_rows(), rows_of("rnr_nak_retry_err", 1))
    found = verdict(railgauge, run)
    assert found == ("FAIL", ["", "n1 mlx5_0 port 1: rnr_nak_retry_err +1"])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no RDMA counters are recorded"),
        (rows_of("symbol_error", 9, "saturated"), "symbol_error unknown (saturated)"),
        (rows_of("symbol_error", 0, "vanished"), "symbol_error unknown (vanished)"),
        (rows_of("x", 0, nodes=1)[:2], "no counter of errors of n1 is recorded"),
        (rows_of("out_of_sequence", 34), "n1 mlx5_0 port 1: out_of_sequence +34 (packets came"),
    ],
)
def test_what_nobody_can_tell_is_unknown_and_never_pass(
    tmp_path: Path, railgauge: Railgauge, rows: list[RdmaRow], reason: str
) -> None:
    found, (told,) = verdict(railgauge, run_of(tmp_path, rows))
    assert found == "UNKNOWN"
    assert reason in told


def test_an_error_beside_an_unknown_counter_fails(tmp_path: Path, railgauge: Railgauge) -> None:
    rows = [*rows_of("symbol_error", 0, "vanished"), *rows_of("packet_seq_err", 2)[-1:]]
    assert verdict(railgauge, run_of(tmp_path, rows))[0] == "FAIL"


def test_a_saturated_counter_of_traffic_takes_no_verdict_away(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    run = run_of(tmp_path, rows_of("port_rcv_data", 9, "saturated"))
    assert verdict(railgauge, run)[0] == "PASS"


def test_the_device_of_a_rank_needs_counters_of_its_own(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    only_traffic = [(n, "rail0", 1, "rdma", "port_xmit_data", 5, "ok") for n in range(2)]
    found, (told,) = verdict(railgauge, run_of(tmp_path, [*clean_rows(), *only_traffic]))
    assert found == "UNKNOWN"
    assert "rail0 of n0" in told


def test_other_backends_are_skipped_and_alone_have_no_such_check(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    bad = rows_of("packet_seq_err", 3)
    cases = [
        one_round(fabric, rdma=bad),
        one_round(fabric, id=1, backend="verbs", rdma=clean_rows(), round=1),
    ]
    run = write_pairs_run(tmp_path / "run", fabric, cases)
    document = json.loads(railgauge("check", run, "--format", "json").stdout)
    (check,) = [c for c in document["checks"] if c["name"] == "rdma_clean"]
    assert [f["verdict"] for f in check["findings"]] == ["SKIP", "PASS"]
    run = write_pairs_run(tmp_path / "mpi", fabric, cases[:1])
    assert "rdma_clean" not in railgauge("check", run).stdout


def test_a_rig_is_not_judged(tmp_path: Path, railgauge: Railgauge) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    case = one_round(fabric, backend="ucx", rdma=rows_of("packet_seq_err", 3))
    run = write_pairs_run(tmp_path / "run", fabric, [case], origin="double")
    assert verdict(railgauge, run)[0] == "UNKNOWN"
    assert verdict(railgauge, run, "--allow-rig")[0] == "FAIL"


def test_show_marks_the_case_and_lists_what_moved(tmp_path: Path, railgauge: Railgauge) -> None:
    run = run_of(tmp_path, clean_rows(), rows_of("out_of_sequence", 34))
    lines = railgauge("show", run).stdout.splitlines()
    marked = [line for line in lines if "! RDMA counters moved" in line]
    assert len(marked) == 1
    assert marked[0].endswith("n1 mlx5_0 port 1: out_of_sequence +34")
    assert "#   ! n1 mlx5_0 port 1: out_of_sequence +34" in lines
    assert any("adaptive routing" in line for line in lines)
    rows = json.loads(railgauge("show", run, "--format", "json").stdout)["cases"]
    assert [r["rdma_errors"] for r in rows] == [0, 0]
    assert [r["rdma_sent_bytes"] for r in rows] == [2048, 2048]
    (moved,) = [c for c in rows[1]["counters"] if c["kind"] == "doubtful"]
    assert (moved["host"], moved["device"], moved["name"], moved["delta"]) == (
        "n1",
        "mlx5_0",
        "out_of_sequence",
        34,
    )


def test_a_device_that_vanished_is_marked_once_and_its_other_counters_apart(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    names = [
        *[n for n, m in KNOWN.items() if m.kind is Kind.ERROR][:6],
        *(f"x{i}" for i in range(5)),
    ]
    gone = [(1, "mlx5_9", 1, "rdma_hw", n, 0, "vanished") for n in names]
    lines = railgauge("show", run_of(tmp_path, [*clean_rows(), *gone])).stdout.splitlines()
    told = [line for line in lines if "mlx5_9" in line and line.startswith("#")]
    assert told == [
        "#   ! n1 mlx5_9 port 1: 6 counters unknown (vanished)",
        "#     n1 mlx5_9 port 1: 5 counters unknown (vanished)",
    ]


def test_unknown_names_are_shown_as_they_are_and_unmarked(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    lines = railgauge("show", run_of(tmp_path, rows_of("of_a_driver", 3))).stdout.splitlines()
    assert "#     n1 mlx5_0 port 1: of_a_driver +3" in lines
    assert not any("! RDMA" in line for line in lines)


def test_the_report_marks_the_row_and_has_a_table_to_copy(tmp_path: Path) -> None:
    run = run_of(tmp_path, clean_rows(), rows_of("packet_seq_err", 3))
    page = render(open_run(run), allow_rig=False)
    assert page.count('<tr class="done marked">') == 1
    text = Outline(page).text
    assert "RDMA counters" in text
    assert "n1 mlx5_0 port 1" in text
    assert "cases to look at" in text
    assert 'data-table="counter-table"' in page


def test_exports_have_errors_and_bytes(tmp_path: Path, railgauge: Railgauge) -> None:
    run = run_of(tmp_path, clean_rows(), rows_of("packet_seq_err", 3))
    out = tmp_path / "x.csv"
    for options in ([], ["--pairs"]):
        assert railgauge("export", run, *options, "-o", out).returncode == 0
        with out.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {(r["case"], r["rdma_errors"]) for r in rows} == {("0", "0"), ("1", "3")}
        assert {r["rdma_sent_bytes"] for r in rows} == {"2048"}
    assert railgauge("export", run, "--counters", "-o", out).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["source"] == "rdma"]
    assert {(r["delta"], float(r["delta_bytes"]), r["kind"]) for r in rows} == {
        ("256", 1024, "traffic")
    }


def with_rdma(run: Path, found: list[RdmaRow], case: str = "0000") -> Path:
    with h5py.File(run, "r+") as file:
        del file["counters"][case]
        kinds = ("i4", str, "i4", str, str)
        names = ("node", "device", "port", "source", "name")
        columns: dict[str, Any] = {
            n: (k, [r[i] for r in found]) for i, (n, k) in enumerate(zip(names, kinds, strict=True))
        }
        columns["before"] = ("u8", [5] * len(found))
        columns["after"] = ("u8", [5 + r[5] for r in found])
        columns["status"] = (str, [r[6] for r in found])
        file["counters"][case] = table(columns)
    return run


def test_runs_of_collectives_tell_the_same(tmp_path: Path, railgauge: Railgauge) -> None:
    plan = Plan(collectives(["all_reduce"], [8, 1024], backend="ucx"))
    run = with_rdma(write_run(tmp_path / "run", plan), rows_of("packet_seq_err", 4))
    lines = railgauge("show", run).stdout.splitlines()
    assert any(
        line.endswith("! RDMA errors: n2 mlx5_0 port 1: packet_seq_err +4") for line in lines
    )
    rows = json.loads(railgauge("show", run, "--format", "json").stdout)["cases"]
    assert rows[0]["rdma_errors"] == 4
    assert "rdma_errors" not in rows[1]
    assert 'class="done marked"' in render(open_run(run), allow_rig=False)
    assert verdict(railgauge, run)[0] == "FAIL"


def test_a_damaged_table_of_counters_costs_no_output_but_its_own(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    run = run_of(tmp_path, clean_rows())
    with h5py.File(run, "r+") as file:
        del file["counters"]["0000"]
        file["counters"]["0000"] = [1, 2, 3]
    result = railgauge("show", run)
    assert (result.returncode, result.stderr) == (0, "")
    assert "! counters unreadable" in result.stdout
    assert railgauge("report", run).returncode == 0
    assert verdict(railgauge, run)[0] == "UNKNOWN"


def test_hostile_names_of_counters_are_text(tmp_path: Path, railgauge: Railgauge) -> None:
    rows = [*clean_rows(), (7, "\x1b[31m<b>", -5, "rdma_hw", "=cmd<script>", 1 << 62, "ok")]
    run = run_of(tmp_path, rows)
    shown = railgauge("show", run).stdout
    assert "\x1b" not in shown
    assert "node 7 \\x1b[31m<b>: =cmd<script> +" in shown
    assert "<script>" not in render(open_run(run), allow_rig=False).split('id="report-data"')[0]
    out = tmp_path / "x.csv"
    assert railgauge("export", run, "--counters", "-o", out).returncode == 0
    assert "'=cmd" in out.read_text(encoding="utf-8")


def test_many_moves_are_shortened_in_the_row_of_a_case(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    names = [n for n, m in KNOWN.items() if m.kind is Kind.ERROR][:20]
    many = [(0, "mlx5_0", 1, "rdma_hw", n, 1, "ok") for n in names]
    run = run_of(tmp_path, [*clean_rows(), *many])
    assert "and 16 more" in railgauge("show", run).stdout
    assert "and 17 more" in verdict(railgauge, run)[1][0]


def test_a_pairs_case_of_an_unknown_kind_needs_no_counters(tmp_path: Path) -> None:
    fabric = Fabric(["n0", "n1"], rails=1)
    run = write_pairs_run(tmp_path / "run", fabric, [PairsCase(0, [1, 0], backend="mpi")])
    assert 'id="counters"' not in render(open_run(run), allow_rig=False)
