# SPDX-License-Identifier: Apache-2.0
"""3 nodes on 3 shaped rails: every rail's communicator uses its own NIC, and the slow one shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest
from collective_runs import (
    TOGETHER,
    medians,
    not_passed,
    rows,
    run_collective,
    strayed_bytes,
    why_rates_mean_nothing,
)
from virtual_cluster import VirtualCluster

from railgauge.load import Run
from railgauge.model import Status

pytestmark = pytest.mark.cluster

NODES, RAILS = 3, 3
OPERATIONS = ("all_gather", "all_reduce", "alltoall")
BOTH = ("--groups", "both", "-w", "1")
SLOW_RAIL = 1


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=NODES, rails=RAILS)


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


@pytest.fixture(scope="module")
def by_rail(running: VirtualCluster, tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("레일") / "run.h5"
    what = ("--op", ",".join(OPERATIONS), "--sizes", "1MiB", "-n", "5")
    return run_collective(running, out, "--split", "rail", *BOTH, *what)


def require_right(run: Run) -> None:
    assert {case.status for case in run.cases} == {Status.DONE}
    assert sum(case.wrong_elements for case in run.cases) == 0
    assert all(case.checked_elements for case in run.cases)


def test_every_group_has_its_own_row_together_and_alone_and_every_element_is_right(
    by_rail: Run,
) -> None:
    require_right(by_rail)
    measured = {(row.operation, row.active, row.group) for row in rows(by_rail)}
    together = {(o, TOGETHER, rail) for o in OPERATIONS for rail in range(RAILS)}
    alone = {(o, f"rail{rail}", rail) for o in OPERATIONS for rail in range(RAILS)}
    assert measured == together | alone


def test_the_bytes_of_every_rail_are_proved_to_be_on_its_own_nics(by_rail: Run) -> None:
    assert not_passed(by_rail, "rail_proven") == []


def test_next_to_nothing_is_on_other_rails_when_one_works_alone(by_rail: Run) -> None:
    assert strayed_bytes(by_rail) < 32 * 1024  # of megabytes on the rail that works


def test_bytes_that_took_another_rail_are_found_with_the_nic_that_carried_them(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    what = ("--op", "all_reduce", "--sizes", "256KiB", "-n", "3", "--groups", "alone")
    out = tmp_path / "run.h5"
    run = run_collective(cluster, out, "--split", "rail", *what, over_nic="rail0")
    found = not_passed(run, "rail_proven")
    assert [(name.split("/")[-1], verdict) for name, verdict, _ in found] == [
        ("rail1", "FAIL"),
        ("rail2", "FAIL"),
    ]
    for name, _, reason in found:
        assert f"{name.split('/')[-1]} of {cluster.layout.names[0]} " in reason
        assert "the rest went another way (rail0 sent" in reason


def test_a_slow_rail_is_slow_in_its_group_together_and_alone_and_in_no_other(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    cluster.degrade_rail(SLOW_RAIL, "50%")
    what = ("--op", "all_reduce", "--sizes", "1MiB", "-n", "4")
    run = run_collective(cluster, tmp_path / "run.h5", "--split", "rail", *BOTH, *what)
    require_right(run)
    for together in (True, False):
        times = medians(run, "all_reduce", together=together)
        others = [times[rail] for rail in range(RAILS) if rail != SLOW_RAIL]
        assert median(others) / times[SLOW_RAIL] <= 0.65, times
        assert max(others) / min(others) <= 1.1, times


@pytest.mark.parametrize("split", ["node", "local-index"])
def test_groups_of_nodes_and_of_local_indices_work_together_and_alone(
    cluster: VirtualCluster, tmp_path: Path, split: str
) -> None:
    what = ("--op", ",".join(OPERATIONS), "--sizes", "64KiB", "-n", "3")
    run = run_collective(cluster, tmp_path / "run.h5", "--split", split, *BOTH, *what)
    require_right(run)
    assert {row.group for row in rows(run) if row.active == TOGETHER} == {0, 1, 2}
    assert len(rows(run)) == len(OPERATIONS) * 2 * 3
