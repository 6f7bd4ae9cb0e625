# SPDX-License-Identifier: Apache-2.0
"""Commands that put ports into a state: `tc` shapes, `nft` loses, `ip` pulls the cable."""

from __future__ import annotations

from .faults import Faults, PortState
from .layout import CONTROL, HEAD, Layout, address, switch_port
from .script import Script

# What is smaller than the burst passes unshaped: tests must move far more. It has to hold a packet
# of 64 KiB with its headers: at 64 KiB a full cluster fell to a third of its rate.
BURST_BYTES = 128 * 1024
_QUEUE = "10ms"


def update(layout: Layout, before: Faults, after: Faults) -> Script:
    """Return what leads from one set of faults to another."""
    script = Script()
    for node in range(layout.nodes):
        if (node in before.dead) != (node in after.dead):
            plug(script, node, CONTROL, node not in after.dead)
        for rail in range(layout.rails):
            old, new = (faults.port(node, rail, layout.rate) for faults in (before, after))
            if (old.rate, old.pair_rates) != (new.rate, new.pair_rates):
                shape(script, layout, node, rail, new)
            if old.loss_permille != new.loss_permille:
                _lose(script, layout, node, rail, new)
            if old.up != new.up:
                plug(script, node, f"rail{rail}", new.up)
    return script


def shape(script: Script, layout: Layout, node: int, rail: int, state: PortState) -> None:
    """Limit both directions: what the node sends at its end, what it receives at the switch's.

    A slow pair is a class of its own under the sender's limit; the peer's end does the other
    direction.
    """
    interface = f"rail{rail}"
    script.add(HEAD, "tc", _bucket(switch_port(node, interface), state.rate))
    # Classes cannot be changed in place; going through the plain bucket always starts from nothing.
    lines = [_bucket(interface, state.rate)]
    if state.pair_rates:
        lines += _classes(interface, rail, state)
    script.add(layout.names[node], "tc", *lines)


def plug(script: Script, node: int, interface: str, up: bool) -> None:
    """Set the switch's end: as with a pulled cable, the node loses carrier, not its address."""
    script.add(HEAD, "ip", f"link set dev {switch_port(node, interface)} {'up' if up else 'down'}")


def _lose(script: Script, layout: Layout, node: int, rail: int, state: PortState) -> None:
    table, interface = f"netdev loss_rail{rail}", f"rail{rail}"
    lines = [f"add table {table}", f"delete table {table}"]
    if state.loss_permille:
        hook = f'{{ type filter hook ingress device "{interface}" priority 0; }}'
        drop = f"numgen random mod 1000 < {state.loss_permille} counter drop"
        lines += [
            f"add table {table}",
            f"add chain {table} arrive {hook}",
            f"add rule {table} arrive {drop}",
        ]
    script.add(layout.names[node], "nft", *lines)
    # A veth hands over 64 KiB packets whole; with one segment each, a drop is one of the wire's.
    segments = 1 if state.loss_permille else 65535
    script.add(HEAD, "ip", f"link set dev {switch_port(node, interface)} gso_max_segs {segments}")


def _bucket(interface: str, rate: int) -> str:
    limit = f"rate {rate}bit burst {BURST_BYTES} latency {_QUEUE}"
    return f"qdisc replace dev {interface} root handle 1: tbf {limit}"


def _classes(interface: str, rail: int, state: PortState) -> list[str]:
    def limit(rate: int, ceiling: int) -> str:
        bursts = f"burst {BURST_BYTES} cburst {BURST_BYTES} quantum 60000"
        return f"htb rate {rate}bit ceil {ceiling}bit {bursts}"

    # Whoever is in no slow pair borrows up to the port's rate; the rates that are guaranteed must
    # not add up to more than that.
    others = limit(state.rate // 10, state.rate)
    lines = [
        f"qdisc replace dev {interface} root handle 2: htb default 1",
        f"class add dev {interface} parent 2: classid 2:ffff {limit(state.rate, state.rate)}",
        f"class add dev {interface} parent 2:ffff classid 2:1 {others}",
    ]
    for peer, pair_rate in state.pair_rates.items():
        rate, class_id = min(pair_rate, state.rate), f"2:{peer + 2:x}"
        match = f"u32 match ip dst {address(peer, rail)}/32"
        lines += [
            f"class add dev {interface} parent 2:ffff classid {class_id} {limit(rate, rate)}",
            f"filter add dev {interface} parent 2: protocol ip {match} flowid {class_id}",
        ]
    return lines
