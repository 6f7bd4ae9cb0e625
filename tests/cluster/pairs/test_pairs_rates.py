# SPDX-License-Identifier: Apache-2.0
"""12 nodes on 4 shaped rails: what is fast, what is slow, and which NIC carried it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pairs_runs import Outcome, read, run_pairs, why_rates_mean_nothing
from virtual_cluster import Launch, VirtualCluster

pytestmark = pytest.mark.cluster

NODES, RAILS = 12, 4
ALL_PAIRS = ("--pattern", "all-pairs", "--depth", "1", "-w", "1")
SLOW_NODE, SLOW_RAIL = 5, 2


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=NODES, rails=RAILS)


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


def measure(
    cluster: VirtualCluster,
    out: Path,
    sizes: str = "1MiB",  # eight times what passes a link unshaped
    samples: int = 4,
    ranks_per_node: int = RAILS,
) -> Outcome:
    launch = Launch(ranks_per_node=ranks_per_node)
    done = run_pairs(cluster, out, *ALL_PAIRS, "--sizes", sizes, "-n", str(samples), launch=launch)
    assert done.returncode == 0, done.stderr
    return read(out)


@pytest.fixture(scope="module")
def healthy(running: VirtualCluster, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return measure(running, tmp_path_factory.mktemp("쌍") / "run.h5")


def test_every_pair_is_measured_on_every_rail_and_every_byte_is_right(healthy: Outcome) -> None:
    assert set(healthy.status.values()) == {"done"}
    assert len(healthy.status) == NODES - 1
    flows = {
        (a, b, rail) for a in range(NODES) for b in range(NODES) if a != b for rail in range(RAILS)
    }
    assert set(healthy.rates) == flows
    assert all(len(rates) == 1 for rates in healthy.rates.values())
    assert healthy.checked == 2 * len(flows) * 2**20
    assert healthy.wrong == 0


def test_each_rails_nic_carried_its_ranks_payload_and_no_other_did(healthy: Outcome) -> None:
    assert len(healthy.carried) == (NODES - 1) * NODES * RAILS
    assert min(healthy.carried) >= 1
    assert max(healthy.carried) < 1.08
    assert max(healthy.strayed) < 2**20


def test_two_ranks_a_rail_share_it(cluster: VirtualCluster, tmp_path: Path) -> None:
    outcome = measure(cluster, tmp_path / "run.h5", ranks_per_node=2 * RAILS)
    assert set(outcome.status.values()) == {"done"}
    assert len(outcome.rates) == NODES * (NODES - 1) * RAILS
    assert outcome.wrong == 0
    assert min(outcome.carried) >= 1
    assert max(outcome.carried) < 1.08


def test_both_directions_of_all_rails_at_once_reach_the_links_rate_within_seconds(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    outcome = measure(cluster, tmp_path / "run.h5")
    assert outcome.median_rate() >= 0.88 * cluster.layout.rate
    # At the links' rate the bytes alone take 6.8 s.
    assert outcome.wall_s <= 10


def test_a_slow_port_is_slow_in_its_row_and_column_of_its_rail_and_nowhere_else(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    cluster.degrade_port(SLOW_NODE, SLOW_RAIL, "70%")
    outcome = measure(cluster, tmp_path / "run.h5", sizes="2MiB", samples=3)
    median = outcome.median_rate()
    slow = {
        flow: outcome.rate(flow) / median
        for flow in outcome.rates
        if SLOW_NODE in flow[:2] and flow[2] == SLOW_RAIL
    }
    assert len(slow) == 2 * (NODES - 1)
    assert 0.65 <= np.median(list(slow.values())) <= 0.75
    others = [outcome.rate(flow) / median for flow in outcome.rates if flow not in slow]
    assert max(slow.values()) < min(others)
