# SPDX-License-Identifier: Apache-2.0
"""Rails are as fast as they say, and a fault slows what it names and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from traffic import PAYLOAD, shares
from virtual_cluster import VirtualCluster

pytestmark = pytest.mark.cluster

CLEAN = pytest.approx(PAYLOAD, rel=0.05)
SLOW = pytest.approx(0.7, abs=0.05)  # of a clean link, measured beside it


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=4, rails=2)


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


def test_a_rail_carries_its_rate_in_both_directions_at_once(cluster: VirtualCluster) -> None:
    assert shares(cluster, (0, 1, 0), (1, 0, 0)) == [CLEAN, CLEAN]


def test_rails_do_not_share_their_rate(cluster: VirtualCluster) -> None:
    assert shares(cluster, (0, 1, 0), (0, 1, 1), (2, 3, 0)) == [CLEAN, CLEAN, CLEAN]


def test_two_senders_share_the_receivers_port(cluster: VirtualCluster) -> None:
    assert sum(shares(cluster, (0, 2, 0), (1, 2, 0))) == CLEAN


def test_bytes_travel_on_the_rail_they_were_sent_on_and_are_counted(
    cluster: VirtualCluster,
) -> None:
    before = cluster.bytes()
    shares(cluster, (0, 1, 1))
    after = cluster.bytes()

    def moved(node: str, interface: str, direction: str) -> int:
        return after[node][interface][direction] - before[node][interface][direction]

    assert moved("n0", "rail1", "tx") == moved("n1", "rail1", "rx") > 1_000_000
    assert {moved(node, "rail0", "tx") for node in after} == {0}
    assert {moved(node, "mgmt0", "tx") for node in after} == {0}
    assert moved("n2", "rail1", "rx") + moved("n3", "rail1", "rx") == 0


def test_a_degraded_port_is_slow_in_both_directions_on_its_rail_only(
    cluster: VirtualCluster,
) -> None:
    cluster.degrade_port("n1", 0, "70%")
    to_it, from_it, clean = shares(cluster, (0, 1, 0), (1, 2, 0), (3, 0, 0))
    assert [to_it / clean, from_it / clean] == [SLOW, SLOW]
    assert shares(cluster, (0, 1, 1)) == [CLEAN]


def test_a_degraded_pair_is_slow_both_ways_and_free_with_others(cluster: VirtualCluster) -> None:
    cluster.degrade_pair("n1", "n0", 0, "70%")
    there, back, clean = shares(cluster, (0, 1, 0), (1, 0, 0), (2, 3, 0))
    assert [there / clean, back / clean] == [SLOW, SLOW]
    assert shares(cluster, (0, 2, 0), (3, 1, 0), (1, 0, 1)) == [CLEAN, CLEAN, CLEAN]


def test_a_slow_pair_counts_within_its_ports_rate(cluster: VirtualCluster) -> None:
    cluster.degrade_pair("n0", "n1", 0, "40%")
    slow, other = shares(cluster, (0, 1, 0), (0, 2, 0))
    assert slow == pytest.approx(0.4 * PAYLOAD, rel=0.1)
    assert slow + other == CLEAN


def test_a_degraded_node_and_a_degraded_rail_are_slow_everywhere(cluster: VirtualCluster) -> None:
    cluster.degrade_node("n1", "70%")
    first, second, clean = shares(cluster, (0, 1, 0), (1, 2, 1), (3, 0, 0))
    assert [first / clean, second / clean] == [SLOW, SLOW]
    cluster.restore_node("n1")
    cluster.degrade_rail(1, "70%")
    first, second, clean = shares(cluster, (0, 1, 1), (2, 3, 1), (0, 1, 0))
    assert [first / clean, second / clean] == [SLOW, SLOW]


def test_restoring_gives_the_full_rate_back(cluster: VirtualCluster) -> None:
    cluster.degrade_port("n1", 0, "20%")
    cluster.degrade_pair("n0", "n1", 0, "10%")
    cluster.restore_pair("n0", "n1", 0)
    cluster.restore_port("n1", 0)
    assert shares(cluster, (0, 1, 0), (1, 0, 0)) == [CLEAN, CLEAN]


def test_the_control_interface_is_never_shaped(cluster: VirtualCluster) -> None:
    cluster.degrade_node("n1", "10%")
    shown = cluster.exec("n1", ["tc", "qdisc", "show", "dev", "mgmt0"]).stdout
    assert shown.startswith("qdisc noqueue")
    shown = cluster.exec("head", ["tc", "qdisc", "show", "dev", "n1-mgmt0"]).stdout
    assert shown.startswith("qdisc noqueue")


def test_loss_drops_single_packets_at_the_rate_asked_for(cluster: VirtualCluster) -> None:
    def arrived() -> int:
        path = "/sys/class/net/rail0/statistics/rx_packets"
        return int(cluster.exec("n1", ["cat", path]).stdout)

    cluster.lose("n1", 0, permille=20)
    packets, octets = -arrived(), -cluster.bytes()["n1"]["rail0"]["rx"]
    shares(cluster, (0, 1, 0))
    packets, octets = packets + arrived(), octets + cluster.bytes()["n1"]["rail0"]["rx"]
    assert octets / packets < 1515
    # Five standard deviations of a binomial of some 10,000 packets.
    lost = cluster.lost_packets()["n1"]["rail0"]
    assert lost / packets == pytest.approx(0.02, rel=5 / (0.02 * packets) ** 0.5)
