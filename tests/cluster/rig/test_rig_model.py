# SPDX-License-Identifier: Apache-2.0
"""The rig's pure parts: rates, layout and faults. No root needed."""

from __future__ import annotations

import pytest
from virtual_cluster.errors import VclusterError
from virtual_cluster.faults import Faults
from virtual_cluster.layout import Layout
from virtual_cluster.ports import update
from virtual_cluster.rates import parse_rate

NOMINAL = 100_000_000
LAYOUT = Layout(nodes=24, rails=4, rate_text="100mbit", prefix="노드")
EVERY_FAULT = (
    Faults()
    .with_rate([(1, 0), (2, 3)], 70_000_000)
    .with_pair_rate((1, 2, 0), 30_000_000)
    .with_loss((1, 0), 10)
    .with_cut([(1, 0)])
    .with_dead(1)
)


@pytest.mark.parametrize(
    ("text", "bits"),
    [("100mbit", 100_000_000), ("2.5gbit", 2_500_000_000), ("64kbit", 64_000), ("70%", 70_000_000)],
)
def test_rates_are_read_as_tc_writes_them_or_as_a_share(text: str, bits: int) -> None:
    assert parse_rate(text, NOMINAL) == bits


@pytest.mark.parametrize("text", ["", "100", "fast", "-5mbit", "0%", "1bit", "100mbit; reboot"])
def test_what_is_no_rate_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(VclusterError) as caught:
        parse_rate(text, NOMINAL)
    assert "\n" not in str(caught.value)


def test_every_interface_has_an_address_and_a_name_of_its_own() -> None:
    fields = [line.split() for line in LAYOUT.hosts_file().splitlines()]
    assert len(fields) == 2 + 24 * 5  # localhost, head, four rails and the control interface
    assert len({address for address, _ in fields}) == len(fields)
    assert len({name for _, name in fields}) == len(fields)
    assert ["10.10.3.8", "노드7-rail3"] in fields


@pytest.mark.parametrize("prefix", ["", "a b", "a/b", "a:1", "-n", "7", "x\ny", "n" * 40])
def test_a_prefix_that_makes_no_host_name_is_refused(prefix: str) -> None:
    with pytest.raises(VclusterError):
        Layout(nodes=2, rails=1, rate_text="100mbit", prefix=prefix)


def test_nodes_are_found_by_name_and_by_index() -> None:
    assert LAYOUT.node("노드7") == LAYOUT.node("7") == 7
    for unknown in ("24", "n7", "-1", "\u0667"):
        with pytest.raises(VclusterError):
            LAYOUT.node(unknown)


def test_a_slow_pair_slows_what_each_sends_the_other_and_nothing_else() -> None:
    faults = Faults().with_pair_rate((1, 2, 0), 30_000_000)
    assert faults.port(1, 0, NOMINAL).pair_rates == {2: 30_000_000}
    assert faults.port(2, 0, NOMINAL).pair_rates == {1: 30_000_000}
    for untouched in ((1, 1), (2, 1), (3, 0)):
        assert faults.port(*untouched, NOMINAL) == Faults().port(*untouched, NOMINAL)


def test_restoring_a_port_forgets_all_its_faults_and_no_others() -> None:
    restored = EVERY_FAULT.without_ports([(1, 0)])
    assert restored == Faults().with_rate([(2, 3)], 70_000_000).with_dead(1)
    assert restored.without_node(1, rails=4) == Faults().with_rate([(2, 3)], 70_000_000)


def test_faults_survive_being_written_down() -> None:
    assert Faults.from_json(EVERY_FAULT.to_json()) == EVERY_FAULT


def test_only_ports_that_change_are_touched() -> None:
    pids = {name: 1000 + node for node, name in enumerate(LAYOUT.names)}
    text = update(LAYOUT, Faults(), Faults().with_rate([(5, 2)], 70_000_000)).render(pids)
    assert "n5-rail2" in text
    assert text.count("tbf rate 70000000bit") == text.count("qdisc") == 2
    assert update(LAYOUT, EVERY_FAULT, EVERY_FAULT).render(pids) == "set -e\n"
