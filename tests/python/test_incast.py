# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-incast whose every number is known: reading, joining, and all outputs."""

from __future__ import annotations

import csv
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from conftest import Railgauge, one_error_line
from synthetic_incast import (
    MS,
    Cluster,
    IncastCase,
    Rows,
    healthy,
    site_of,
    steady,
    triple,
    write_incast_run,
)

from railgauge.incast_results import IncastResult, ReceiverResult, iterate_incast
from railgauge.incast_tables import IncastTables
from railgauge.load import open_run
from railgauge.model import Rank
from railgauge.site_rates import SiteRates

HOSTS = ["n0", "n1", "n2", "n3", "n4", "n5"]


def measured(
    folder: Path, *cases: IncastCase, cluster: Cluster | None = None
) -> list[IncastResult]:
    run = write_incast_run(folder / "run", cluster or Cluster(HOSTS), list(cases))
    results = list(iterate_incast(open_run(run)))
    assert [r.problem for r in results] == [""] * len(cases)
    return results


def only(folder: Path, case: IncastCase, cluster: Cluster | None = None) -> ReceiverResult:
    ((receiver,),) = [r.receivers for r in measured(folder, case, cluster=cluster)]
    return receiver


def test_equal_senders_are_fair_and_their_sum_is_the_aggregate(tmp_path: Path) -> None:
    found = only(tmp_path, IncastCase(0))
    # a 64 KiB message each 100 us of three senders
    assert found.gbit_per_s == pytest.approx(3 * 65536 * 8 / 100_000)
    assert found.jain == 1.0
    assert [s.share for s in found.senders] == [1.0, 1.0, 1.0]
    assert found.named == []
    assert sum(found.slices.starved) == 0
    assert found.slices.jain_lowest == 1.0
    assert found.slices.rows_per_slice == pytest.approx(100)


def test_a_sender_limited_to_half_is_named_by_host_rank_and_rail(tmp_path: Path) -> None:
    run = write_incast_run(
        tmp_path / "run",
        Cluster(HOSTS, rails=2),
        [IncastCase(0, senders=(3, 5, 7, 9), receivers=(0,), rows=steady({5: 0.5}))],
    )
    tables = IncastTables(open_run(run))
    (receiver,) = tables.results[0].receivers
    assert tables.named(receiver) == ["n2 rank 5 rail 1: 0.57 of the fair share"]


def test_rows_are_weighed_by_their_requests(tmp_path: Path) -> None:
    def rows(case: IncastCase, rank: int) -> Rows:
        completed = np.arange(1, 2001) * (case.duration_ns // 2001)
        slow = np.arange(2000) % 10 == 0
        requests = np.where(slow, 91, 1)  # every tenth row stands for most requests
        times = np.where(slow, 5_000, 100)
        return Rows(completed, times, requests, times + 7)

    found = only(tmp_path, IncastCase(0, rows=rows))
    latency = found.latency
    assert latency is not None
    assert (latency.rows, latency.requests) == (6000, 3 * 200 * 91 + 3 * 1800)
    assert latency.quantiles[0.5] == 5_000  # 91 of 100 requests are slow, 10 of 100 rows
    assert latency.mean == pytest.approx((91 * 5000 + 9 * 100) / 100)
    assert latency.maximum == 5_007
    assert [s.requests for s in found.senders] == [20_000] * 3


def test_percentiles_take_10_rows_beyond_them(tmp_path: Path) -> None:
    latency = only(tmp_path, IncastCase(0, senders=(1,), rows=steady(every_ns=MS // 2))).latency
    assert latency is not None
    assert latency.rows == 200
    assert latency.shown(0.95) is not None
    assert latency.shown(0.99) is None


def test_bytes_after_the_window_are_left_out_and_make_the_drain(tmp_path: Path) -> None:
    def rows(case: IncastCase, rank: int) -> Rows:
        inside = steady()(case, rank)
        late = case.duration_ns + np.array([0, 300_000 * rank])
        times = np.concatenate((inside.elapsed_ns, [9_000_000, 9_500_000]))
        return Rows(np.concatenate((inside.completed_ns, late)), times)

    found = only(tmp_path, IncastCase(0, rows=rows))
    assert found.bytes == 3 * 1000 * 65536
    assert found.drain_ns == 900_000
    assert found.latency is not None
    assert found.latency.maximum == 9_500_000


def test_a_silent_sender_is_starved_named_and_still_one_of_n(tmp_path: Path) -> None:
    def rows(case: IncastCase, rank: int) -> Rows:
        if rank == 2:
            return Rows(np.zeros(0, np.int64), np.zeros(0, np.int64))
        found = steady()(case, rank)
        quiet = (found.completed_ns >= 20 * MS) & (found.completed_ns < 40 * MS) & (rank == 3)
        return Rows(found.completed_ns[~quiet], found.elapsed_ns[~quiet])

    found = only(tmp_path, IncastCase(0, rows=rows))
    assert [s.starved_slices for s in found.senders] == [0, 10, 2]
    assert [s.longest_gap_ns for s in found.senders] == [100_000, 100 * MS, 20 * MS + 100_000]
    assert [s.rank for s in found.named] == [2]
    assert found.jain == pytest.approx(1800**2 / (3 * (1000**2 + 800**2)))


def test_few_rows_name_nobody(tmp_path: Path) -> None:
    found = only(tmp_path, IncastCase(0, rows=steady({2: 0.4}, every_ns=5 * MS)))
    assert found.senders[1].share < 0.7  # 8 rows of 20
    assert not found.tells
    assert found.named == []


def test_a_ramp_is_judged_over_its_last_step(tmp_path: Path) -> None:
    def rows(case: IncastCase, rank: int) -> Rows:
        found = steady()(case, rank)
        started = found.completed_ns >= (rank - 1) * case.duration_ns // 4
        return Rows(found.completed_ns[started], found.elapsed_ns[started])

    found = only(tmp_path, IncastCase(0, senders=(1, 2, 3, 4), ramp=True, rows=rows))
    assert (found.plan.begin_ns, found.plan.duration_ns) == (75 * MS, 25 * MS)
    assert [s.share for s in found.senders] == [1.0] * 4
    assert found.gbit_per_s == pytest.approx(4 * 65536 * 8 / 100_000)
    assert found.latency is not None
    assert found.latency.rows == 4 * 250


def test_receivers_at_once_have_a_row_each_with_their_own_senders(tmp_path: Path) -> None:
    case = IncastCase(
        0, senders=(1, 2, 4, 5), receivers=(0, 3), crew_of={4: 3, 5: 3}, rows=steady({5: 0.5})
    )
    ((first, second),) = [r.receivers for r in measured(tmp_path, case)]
    assert [s.rank for s in first.senders] == [1, 2]
    assert (first.jain, [s.rank for s in second.named]) == (1.0, [5])


def test_queues_that_were_written_out_late_at_the_windows_end_are_no_damage(tmp_path: Path) -> None:
    def rows(case: IncastCase, rank: int) -> Rows:
        completed = np.array([10, 20, 30, 25, 28]) * MS
        return Rows(completed, np.full(5, 1000), queue=np.array([0, 1, 0, 1, 2]))

    found = only(tmp_path, IncastCase(0, queues=3, rows=rows))
    assert found.senders[0].longest_gap_ns == 70 * MS


def test_the_line_rate_is_that_of_the_receivers_port(tmp_path: Path) -> None:
    cluster = Cluster(HOSTS)
    cluster.site = site_of(cluster, 20.0)
    assert only(tmp_path, IncastCase(0), cluster).line_gbit_per_s == 20.0
    assert only(tmp_path, IncastCase(0)).line_gbit_per_s is None


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ('{"groups": [{"hosts": ["N1.x"], "ports": [{"rail": 0, "rate_gbit_per_s": 7}]}]}', 7.0),
        ('{"groups": [{"hosts": ["n2"], "ports": []}], "rails": [{"index": 0}]}', None),
        ('{"rails": [{"index": 0, "rate_gbit_per_s": 5}]}', 5.0),
        ('{"rails": [{"index": 0, "rate_gbit_per_s": NaN}]}', None),
        ('{"rails": [{"index": 0, "rate_gbit_per_s": true}]}', None),
        ('{"rails": {"index": 0}, "groups": 3}', None),
        ("[" * 100_000, None),
        ("no JSON", None),
        (None, None),
    ],
)
def test_a_site_gives_a_rate_or_none(text: str | None, rate: float | None) -> None:
    rank = Rank(0, 0, 0, "n1", -1, "", "", "eth0", 0, 0, "", 0, 0)
    assert SiteRates(text).of(rank) == rate


def test_ten_million_rows_take_bounded_memory(tmp_path: Path) -> None:
    n = 5_000_000

    def rows(case: IncastCase, rank: int) -> Rows:
        k = np.arange(n, dtype=np.int64)
        return Rows(k * (case.duration_ns // n), 20_000 + (k % 4093) * 50 + 7 * rank)

    case = IncastCase(0, senders=(1, 2), rows=rows, duration_ns=10_000 * MS)
    run = open_run(write_incast_run(tmp_path / "run", Cluster(HOSTS), [case]))
    tracemalloc.start()
    try:
        (result,) = iterate_incast(run)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (found,) = result.receivers
    assert found.latency is not None
    assert found.latency.rows == 2 * n
    assert (
        found.latency.quantiles[0.5]
        == np.sort(np.concatenate([rows(case, r).elapsed_ns for r in (1, 2)]))[n - 1]
    )
    assert peak < 96 << 20  # the rows are 800 MB


# --- outputs --------------------------------------------------------------------------------------


def sweep_with_victim(folder: Path) -> Path:
    cluster = Cluster(HOSTS)
    cluster.site = site_of(cluster, 20.0)
    cases = triple(0, (4, 5), (5_000, 12_500), senders=(1, 2, 3))
    cases[1].rows = cases[2].rows = steady({2: 0.5})
    return write_incast_run(folder / "run", cluster, cases)


def test_json_has_receivers_senders_classes_and_victims(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    result = railgauge("show", sweep_with_victim(tmp_path), "--format", "json")
    document = json.loads(result.stdout)
    isolated, congested, alone = document["cases"]
    assert isolated["receivers"][0]["receiver"] is None
    assert isolated["classes"] == {}
    (row,) = congested["receivers"]
    assert row["percent_of_line"] == pytest.approx(100 * 2.5 * 65536 * 8 / 100_000 / 20)
    assert row["named"] == "n2 rank 2 rail 0: 0.60 of the fair share"
    assert row["average_factor"] == pytest.approx(2.5, rel=1e-3)
    assert row["aggregate_change_percent"] == 0
    assert (row["marks"], row["pauses"], row["drops"]) == (6 * 160, 6 * 7, 0)
    assert row["priority_0_bytes"] == 6 * 9
    assert alone["receivers"][0]["average_factor"] is None
    assert set(alone["classes"]) == {"unfair", "controlled"}
    assert [s["share"] for s in alone["sender_rows"]] == [pytest.approx(x) for x in (1.2, 0.6, 1.2)]
    (victim,) = document["victims"]
    assert victim["isolated_case"] == 0
    assert victim["p99_factor_low"] <= victim["p99_factor"] <= victim["p99_factor_high"]


def test_show_names_the_sender_and_the_factor(tmp_path: Path, railgauge: Railgauge) -> None:
    text = railgauge("show", sweep_with_victim(tmp_path)).stdout
    assert (
        "case 2 incast/verbs/host/write/0/3x1/65536x16/other/alone: n2 rank 2 rail 0: 0.60" in text
    )
    assert "done, unfair, controlled" in text
    assert "Slices of 10 ms" in text
    assert " 2.50" in text


def test_slices_are_as_wide_as_asked_for(tmp_path: Path, railgauge: Railgauge) -> None:
    run = sweep_with_victim(tmp_path)
    found = json.loads(railgauge("show", run, "--format", "json", "--slice", "2.5").stdout)
    assert found["cases"][2]["receivers"][0]["slice_ms"] == 2.5
    assert found["cases"][2]["receivers"][0]["slices"] == 40
    for wrong in ("0", "-1", "nan", "x"):
        assert one_error_line(railgauge("show", run, "--slice", wrong))


def test_export_has_a_row_per_receiver_and_one_per_sender(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    run, file = sweep_with_victim(tmp_path), tmp_path / "out.csv"
    assert "3 rows" in railgauge("export", run, "-o", file).stdout
    with file.open() as opened:
        cases = list(csv.DictReader(opened))
    assert [c["class"] for c in cases] == ["", "unfair, controlled", "unfair, controlled"]
    assert "6 rows" in railgauge("export", run, "--senders", "-o", file).stdout
    with file.open() as opened:
        senders = list(csv.DictReader(opened))
    assert [s["named"] for s in senders] == ["", "yes", "", "", "yes", ""]
    assert senders[1]["sender_host"] == "n2"
    assert "6 rows" in railgauge("export", run, "--senders", "-o", tmp_path / "o.parquet").stdout


def test_exported_counters_say_what_they_mean(tmp_path: Path, railgauge: Railgauge) -> None:
    file = tmp_path / "counters.csv"
    assert (
        railgauge("export", sweep_with_victim(tmp_path), "--counters", "-o", file).returncode == 0
    )
    with file.open() as opened:
        found = {r["name"]: (r["kind"], r["delta"]) for r in csv.DictReader(opened)}
    assert found["rx_prio3_pause"] == ("pause", "7")
    assert found["np_ecn_marked_roce_packets"] == ("congestion", "120")


def test_senders_of_another_program_are_refused(finished: Path, railgauge: Railgauge) -> None:
    result = railgauge("export", finished, "--senders", "-o", finished.with_suffix(".csv"))
    assert "has no senders" in one_error_line(result)


def test_an_unfinished_case_has_a_row_without_numbers(tmp_path: Path, railgauge: Railgauge) -> None:
    cases = [
        IncastCase(0, status="failed", reason="rank 2 on n2 lost rank 0"),
        IncastCase(1, queues=2),
    ]
    run = write_incast_run(tmp_path / "run", Cluster(HOSTS), cases)
    text = railgauge("show", run).stdout
    assert "failed: rank 2 on n2 lost rank 0" in text
    checked = railgauge("check", run)
    assert checked.returncode == 1
    assert "FAIL    case_complete" in checked.stdout
    assert "PASS    incast_controlled" in checked.stdout


def test_existing_checks_take_ranks_with_unequal_numbers_of_rows(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    run = write_incast_run(
        tmp_path / "run", Cluster(HOSTS), [IncastCase(0, rows=steady({1: 0.9, 2: 1.0, 3: 1.1}))]
    )
    result = railgauge("check", run, "--format", "json")
    assert result.returncode == 0, result.stdout
    verdicts = {c["name"]: c["verdict"] for c in json.loads(result.stdout)["checks"]}
    assert verdicts == dict.fromkeys(
        ("case_complete", "data_right", "rdma_clean", "incast_controlled"), "PASS"
    )


def test_the_receivers_device_must_be_watched_though_it_has_no_rows(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    cluster = Cluster(HOSTS)
    rows = [r for r in healthy(cluster) if not (r[0] == 0 and r[3] == "rdma_hw")]
    run = write_incast_run(tmp_path / "run", cluster, [IncastCase(0, counters=rows)])
    assert "no counter of errors of mlx5_0 of n0 is recorded" in railgauge("check", run).stdout
