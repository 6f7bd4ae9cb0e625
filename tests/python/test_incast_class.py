# SPDX-License-Identifier: Apache-2.0
"""Classes of incasts from counters and shares; unknown is never controlled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Railgauge
from synthetic import write_run
from synthetic_incast import (
    Cluster,
    CounterRow,
    IncastCase,
    healthy,
    steady,
    triple,
    write_incast_run,
)

from railgauge.checks import incast_controlled
from railgauge.congestion_names import Signal, telling_of
from railgauge.incast_class import (
    Class,
    Classification,
    Fairness,
    Load,
    classify,
    devices_at_work,
    evidence_of,
)
from railgauge.load import open_run
from railgauge.model import Counter

CLUSTER = Cluster(["n0", "n1", "n2", "n3"])
HOSTS = dict(enumerate(CLUSTER.hosts))
DEVICES = {n: frozenset({"mlx5_0", "eth0"}) for n in HOSTS}
FAIR = Fairness(1.0, ())
STILL = {"np_ecn_marked_roce_packets": 0, "rp_cnp_handled": 0, "rx_prio3_pause": 0}


def counter(row: CounterRow) -> Counter:
    node, device, port, source, name, delta, status = row
    return Counter(node, device, port, source, name, 1000, 1000 + delta, status)


def classed(
    rows: list[CounterRow],
    fairness: Fairness = FAIR,
    load: Load | None = None,
    backend: str = "verbs",
) -> Classification:
    evidence = evidence_of([counter(r) for r in rows], DEVICES, backend, HOSTS)
    return classify(evidence, fairness, load or Load({0: 10**9}), HOSTS)


@pytest.mark.parametrize(
    ("source", "name", "signal", "priority"),
    [
        ("ethtool", "rx_prio3_pause", Signal.PAUSE, 3),
        ("ethtool", "tx_prio7_pause_duration", Signal.PAUSE, 7),
        ("ethtool", "rx_priority_3_xoff.nic", Signal.PAUSE, 3),
        ("ethtool", "rx_pfc_ena_frames_pri5", Signal.PAUSE, 5),
        ("ethtool", "rx_prio0_bytes", Signal.PRIORITY_BYTES, 0),
        ("ethtool", "tx_bytes_pri4", Signal.PRIORITY_BYTES, 4),
        ("ethtool", "rx_prio3_marked", Signal.MARK, 3),
        ("ethtool", "rx_prio3_discards", Signal.DROP, 3),
        ("ethtool", "rx_prio3_buf_discard", Signal.DROP, 3),
        ("ethtool", "rx_discards_phy", Signal.DROP, None),
        ("ethtool", "rx_ecn_mark", Signal.MARK, None),
        ("netdev", "rx_dropped", Signal.DROP, None),
        ("netdev", "tx_bytes", None, None),
        ("rdma_hw", "np_cnp_sent", Signal.MARK, None),
        ("rdma_hw", "np_ecn_marked_roce_packets", Signal.MARK, None),
        ("rdma_hw", "rp_cnp_handled", Signal.MARK, None),
        ("rdma_hw", "RxECNMrkd", Signal.MARK, None),
        ("rdma_hw", "packet_seq_err", Signal.ERROR, None),
        ("rdma_hw", "out_of_sequence", None, None),
        ("rdma_hw", "something_new", None, None),
        ("rdma", "port_xmit_wait", Signal.WAIT, None),
        ("rdma", "port_xmit_discards", Signal.DROP, None),
        ("rdma", "port_rcv_errors", Signal.DROP, None),
        ("rdma", "symbol_error", Signal.ERROR, None),
        ("proc_stat", "rx_dropped", None, None),
    ],
)
def test_a_counter_tells_what_its_name_means(
    source: str, name: str, signal: Signal | None, priority: int | None
) -> None:
    found = telling_of(counter((0, "x", 1, source, name, 0, "ok")))
    assert (found.signal if found else None) is signal
    assert (found.priority if found else None) == priority
    assert found is None or found.text


def test_congestion_that_was_signalled_and_lost_nothing_is_controlled() -> None:
    found = classed(healthy(CLUSTER))
    assert found.classes == (Class.CONTROLLED,)
    assert "np_ecn_marked_roce_packets +480 on 4 devices, most n0 mlx5_0 port 1 +120" in found.why
    assert "packets that a switch marked as congested" in found.why


@pytest.mark.parametrize("name", list(STILL))
def test_one_kind_of_signal_is_enough(name: str) -> None:
    assert classed(healthy(CLUSTER, **(STILL | {name: 1}))).classes == (Class.CONTROLLED,)


def test_infiniband_waits_and_discards_stand_in_for_marks_and_drops() -> None:
    def rows(waited: int, lost: int) -> list[CounterRow]:
        names = {"port_xmit_wait": waited, "port_xmit_discards": lost, "symbol_error": 0}
        return [(n, "mlx5_0", 1, "rdma", k, v, "ok") for n in HOSTS for k, v in names.items()]

    assert classed(rows(5000, 0)).classes == (Class.CONTROLLED,)
    assert classed(rows(5000, 2)).classes == (Class.LOSSY,)
    assert classed(rows(0, 0)).classes == (Class.NOT_CONGESTED,)


@pytest.mark.parametrize("name", ["packet_seq_err", "rx_discards_phy"])
def test_a_drop_or_an_rdma_error_is_lossy_whatever_was_signalled(name: str) -> None:
    assert classed(healthy(CLUSTER, **{name: 1})).classes == (Class.LOSSY,)
    still = classed(healthy(CLUSTER, **(STILL | {name: 1})))
    assert still.classes == (Class.LOSSY, Class.NOT_CONGESTED)


def test_nothing_that_moved_is_not_congested() -> None:
    assert classed(healthy(CLUSTER, **STILL)).classes == (Class.NOT_CONGESTED,)


def test_an_unfair_incast_may_be_controlled_too_and_both_are_said() -> None:
    named = Fairness(0.98, ("n3 rank 5 rail 1: 0.51 of the fair share",))
    found = classed(healthy(CLUSTER), named)
    assert found.classes == (Class.UNFAIR, Class.CONTROLLED)
    assert "n3 rank 5 rail 1: 0.51" in found.reasons[Class.UNFAIR]
    assert classed(healthy(CLUSTER), Fairness(0.89, ())).text == "unfair, controlled"
    assert classed(healthy(CLUSTER), Fairness(0.91, ())).text == "controlled"


def test_too_few_requests_tell_no_shares() -> None:
    found = classed(healthy(CLUSTER), Fairness(0.3, ("n1 rank 1: 0.1",), tells=False))
    assert found.classes == (Class.UNKNOWN,)


@pytest.mark.parametrize(
    ("missing", "what"),
    [
        (("np_", "rp_", "rx_prio3", "tx_prio3"), "marks, pauses or waits of n2"),
        (("packet_",), "losses of n2"),
    ],
)
def test_a_node_without_counters_is_unknown_and_never_controlled(
    missing: tuple[str, ...], what: str
) -> None:
    rows = [r for r in healthy(CLUSTER) if not (r[0] == 2 and r[4].startswith(missing))]
    found = classed(rows)
    assert found.classes == (Class.UNKNOWN,)
    assert f"no counter of {what} is recorded" in found.why


def test_no_counters_at_all_are_unknown() -> None:
    found = classed([])
    assert found.classes == (Class.UNKNOWN,)
    assert "n0, n1, n2 and 1 more" in found.why


def test_drops_of_the_interface_are_enough_for_mpi_and_not_for_rdma() -> None:
    rows = [r for r in healthy(CLUSTER) if not r[4].startswith("packet_")]
    assert classed(rows, backend="mpi").classes == (Class.CONTROLLED,)
    assert classed(rows, backend="ucx").classes == (Class.UNKNOWN,)


def test_a_counter_of_loss_that_nobody_knows_is_unknown() -> None:
    rows = healthy(CLUSTER)
    rows[2] = (*rows[2][:6], "wrapped")
    assert rows[2][4] == "packet_seq_err"
    found = classed(rows)
    assert found.classes == (Class.UNKNOWN,)
    assert "packet_seq_err unknown (wrapped)" in found.why


def test_an_unknown_signal_matters_only_where_no_other_moved() -> None:
    rows = healthy(CLUSTER, **STILL)
    rows[0] = (*rows[0][:6], "saturated")
    assert classed(rows).classes == (Class.UNKNOWN,)
    rows[1] = (*rows[1][:5], 3, "ok")
    assert classed(rows).classes == (Class.CONTROLLED,)


def test_devices_that_are_not_at_work_say_nothing() -> None:
    rows = [*healthy(CLUSTER), (0, "eth9", -1, "netdev", "rx_dropped", 5, "ok")]
    rows.append((7, "mlx5_0", 1, "rdma_hw", "packet_seq_err", 5, "ok"))
    assert classed(rows).classes == (Class.CONTROLLED,)


@pytest.mark.parametrize(
    ("traffic_class", "there", "wrong"),
    [
        (106, 2 * 10**8, True),
        (106, 10**8, True),
        (106, 10**8 - 1, False),  # less than a tenth: what else is sent there
        (None, 10**9, False),
        (0, 10**9, False),
        (31, 10**9, False),  # such a class is mapped to priority 0
    ],
)
def test_bytes_in_priority_0_are_wrong_where_the_incast_belongs_elsewhere(
    traffic_class: int | None, there: int, wrong: bool
) -> None:
    found = classed(healthy(CLUSTER, rx_prio0_bytes=there), load=Load({0: 10**9}, traffic_class))
    assert (Class.WRONG_CLASS in found.reasons) == wrong
    assert Class.CONTROLLED in found.reasons


def test_without_counters_of_priorities_no_class_is_wrong() -> None:
    rows = [r for r in healthy(CLUSTER) if "prio0" not in r[4]]
    assert classed(rows, load=Load({0: 10**9}, 106)).classes == (Class.CONTROLLED,)


def test_all_that_hold_are_said_gravest_first() -> None:
    rows = healthy(CLUSTER, rx_prio0_bytes=10**9, packet_seq_err=3, **STILL)
    found = classed(rows, Fairness(0.5, ()), Load({0: 10**9}, 106))
    assert found.text == "wrong class, lossy, unfair, not congested"


def test_ranks_of_one_node_meet_no_network() -> None:
    evidence = evidence_of([], {0: frozenset({"eth0"})}, "mpi", HOSTS)
    found = classify(evidence, FAIR, Load({0: 1}), HOSTS)
    assert found.classes == (Class.UNKNOWN,)
    assert "all ranks are on one node" in found.why


def test_an_rdma_device_and_its_interface_stand_for_each_other() -> None:
    facts = {
        "rdma_devices.0.name": "mlx5_0",
        "rdma_devices.0.ports.0.gids.0.netdev": "eth0",
        "rdma_devices.1.name": "mlx5_1",
        "rdma_devices.1.ports.0.gids.0.netdev": "eth1",
    }
    places = [(0, "mlx5_0"), (1, "eth1"), (2, "eth0"), (2, "")]
    assert devices_at_work(places, dict.fromkeys(range(3), facts)) == {
        0: frozenset({"mlx5_0", "eth0"}),
        1: frozenset({"eth1", "mlx5_1"}),
        2: frozenset(),  # one that is not known: all count
    }
    assert devices_at_work([(0, ""), (0, "eth0")], {}) == {0: frozenset()}


# --- the check ------------------------------------------------------------------------------------


def verdicts(folder: Path, *cases: IncastCase, argv: str = "", **changes: object) -> list[str]:
    run = open_run(write_incast_run(folder / "run", CLUSTER, list(cases), argv, **changes))
    return [f"{f.verdict} {f.reason}" for f in incast_controlled.judge(run)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "PASS nothing was lost"),
        (
            {"counters": healthy(CLUSTER, rx_discards_phy=1)},
            "FAIL lossy: lost packets: rx_discards_phy +4 on 4 devices, most n0 eth0 +1",
        ),
        ({"rows": steady({2: 0.5})}, "FAIL unfair: n2 rank 2 rail 0: 0.60 of the fair share"),
        ({"counters": healthy(CLUSTER, **STILL)}, "UNKNOWN not congested: no mark"),
        ({"counters": []}, "UNKNOWN unknown: no counter of marks"),
        ({"senders": (1,)}, "SKIP fewer than two senders"),
        ({"status": "wrong", "wrong": 8}, "UNKNOWN its data were wrong; nothing was lost"),
        ({"status": "failed"}, "SKIP not measured: failed"),
        ({"status": "skipped"}, "SKIP not measured: skipped"),
    ],
)
def test_the_check_judges_by_class(tmp_path: Path, change: object, expected: str) -> None:
    (found,) = verdicts(tmp_path, replace(IncastCase(0), **change))  # type: ignore[arg-type]
    assert found.startswith(expected)


@pytest.mark.parametrize(
    "words", ['["x", "--traffic-class", "106"]', '["x","--traffic-class=106"]']
)
def test_the_wrong_class_fails_by_the_command_line(tmp_path: Path, words: str) -> None:
    case = IncastCase(0, counters=healthy(CLUSTER, rx_prio0_bytes=3 * 1000 * 65536))
    (found,) = verdicts(tmp_path, case, argv=words)
    assert found.startswith("FAIL wrong class: n0 received 196608000 B in priority 0")
    (other,) = verdicts(tmp_path, case)
    assert other.startswith("PASS")


def test_a_victim_alone_is_no_incast(tmp_path: Path) -> None:
    cluster = Cluster(["n0", "n1", "n2", "n3", "n4", "n5"])
    cases = triple(0, (4, 5), (5_000, 6_000))
    run = open_run(write_incast_run(tmp_path / "run", cluster, cases))
    assert [f.verdict for f in incast_controlled.judge(run)] == ["SKIP", "PASS", "PASS"]


def test_a_double_is_unknown_unless_allowed(tmp_path: Path, railgauge: Railgauge) -> None:
    run = write_incast_run(tmp_path / "run", CLUSTER, [IncastCase(0)], origin="double")
    text = railgauge("check", run).stdout
    assert "UNKNOWN incast_controlled" in text
    assert "measured on a double; would be PASS: nothing was lost" in text
    assert "PASS    incast_controlled" in railgauge("check", run, "--allow-rig").stdout


def test_other_benchmarks_are_skipped_and_runs_of_them_not_asked(
    tmp_path: Path, finished: Path, railgauge: Railgauge, plan: object
) -> None:
    assert "incast_controlled" not in railgauge("check", finished).stdout
    run = open_run(write_run(tmp_path / "other", plan))  # type: ignore[arg-type]
    findings = incast_controlled.judge(run)
    assert {f.verdict for f in findings} == {"SKIP"}
    assert findings[0].reason == "benchmark collective is no incast"
