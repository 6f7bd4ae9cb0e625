# SPDX-License-Identifier: Apache-2.0
"""Names, addresses and interfaces of a virtual cluster; nothing here touches the system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .errors import VclusterError
from .rates import parse_rate

HEAD = "head"
CONTROL = "mgmt0"
_CONTROL_SUBNET = 100
_HEAD_HOST = 253
_HEAD_ADDRESS = f"10.10.{_CONTROL_SUBNET}.{_HEAD_HOST + 1}"
MAX_NODES = _HEAD_HOST
MAX_RAILS = _CONTROL_SUBNET


@dataclass(frozen=True)
class Layout:
    """N nodes on R rails.

    Node i is 10.10.<rail>.<i+1> on rail<rail> and 10.10.100.<i+1> on the control interface. The
    head has a bridge per rail, no rail of its own, and is 10.10.100.254 on the control network.
    """

    nodes: int
    rails: int
    rate_text: str
    prefix: str = "n"

    def __post_init__(self) -> None:
        if not 1 <= self.nodes <= MAX_NODES:
            raise VclusterError(f"{self.nodes} nodes do not fit a subnet: use 1 to {MAX_NODES}")
        if not 1 <= self.rails <= MAX_RAILS:
            raise VclusterError(f"{self.rails} rails have no addresses: use 1 to {MAX_RAILS}")
        if not re.fullmatch(r"[^\W\d_][\w.-]{0,15}", self.prefix):
            raise VclusterError(f"{self.prefix!r} starts no host name: use a few letters")
        parse_rate(self.rate_text)

    @property
    def rate(self) -> int:
        """Return the nominal rate of a rail in bit/s."""
        return parse_rate(self.rate_text)

    @property
    def names(self) -> list[str]:
        return [f"{self.prefix}{node}" for node in range(self.nodes)]

    def node(self, name: str) -> int:
        """Return the index of a node given by name or index."""
        if name in self.names:
            return self.names.index(name)
        if name.isascii() and name.isdigit() and int(name) < self.nodes:
            return int(name)
        raise VclusterError(f"no node {name!r} among {self.names[0]} to {self.names[-1]}")

    def rail(self, rail: int) -> int:
        if not 0 <= rail < self.rails:
            raise VclusterError(f"no rail {rail} among 0 to {self.rails - 1}")
        return rail

    def interfaces(self) -> Iterator[tuple[int, int, str]]:
        """Yield every (node, subnet, interface on the node), control interfaces included."""
        for node in range(self.nodes):
            for rail in range(self.rails):
                yield node, rail, f"rail{rail}"
            yield node, _CONTROL_SUBNET, CONTROL

    def hosts_file(self) -> str:
        """Return the nodes' /etc/hosts: `n3` on the control network, `n3-rail0` on a rail."""
        lines = ["127.0.0.1 localhost", f"{_HEAD_ADDRESS} {HEAD}"]
        for node, subnet, interface in self.interfaces():
            suffix = "" if interface == CONTROL else f"-{interface}"
            lines.append(f"{address(node, subnet)} {self.names[node]}{suffix}")
        return "\n".join(lines) + "\n"

    def head_links(self, pids: dict[str, int]) -> list[str]:
        """Return `ip` lines for the head: bridges, and a veth from each into every node.

        `pids` are the nodes' first processes, as seen from the head.
        """
        lines = ["link set lo up"]
        for bridge in [CONTROL, *(f"switch{rail}" for rail in range(self.rails))]:
            lines += [
                f"link add name {bridge} type bridge forward_delay 0 mcast_snooping 0",
                f"link set dev {bridge} up",
            ]
        lines += [
            f"link set dev {CONTROL} address {_mac(_HEAD_HOST, _CONTROL_SUBNET)}",
            f"address add {_HEAD_ADDRESS}/24 dev {CONTROL}",
        ]
        for node, subnet, interface in self.interfaces():
            port = switch_port(node, interface)
            bridge = CONTROL if interface == CONTROL else f"switch{subnet}"
            peer = f"peer name {interface} address {_mac(node, subnet)}"
            lines += [
                f"link add name {port} type veth {peer} netns {pids[self.names[node]]}",
                f"link set dev {port} master {bridge} up",
            ]
        return lines + [_neighbour(node, _CONTROL_SUBNET, CONTROL) for node in range(self.nodes)]

    def node_links(self, own: int) -> list[str]:
        """Return `ip` lines for one node: addresses, and every neighbour's MAC.

        Neighbours are fixed because namespaces share the kernel's table of them: 24 nodes x 4 rails
        overflow it.
        """
        lines = ["link set lo up"]
        for node, subnet, interface in self.interfaces():
            if node == own:
                lines.append(f"address add {address(node, subnet)}/24 dev {interface}")
                lines.append(f"link set dev {interface} up")
        others = [port for port in self.interfaces() if port[0] != own]
        lines += [_neighbour(node, subnet, interface) for node, subnet, interface in others]
        return [*lines, _neighbour(_HEAD_HOST, _CONTROL_SUBNET, CONTROL)]


def address(node: int, subnet: int) -> str:
    """Return a node's address on a rail."""
    return f"10.10.{subnet}.{node + 1}"


def switch_port(node: int, interface: str) -> str:
    """Return the name of the head's end of a node's link."""
    return f"n{node}-{interface}"


def _mac(node: int, subnet: int) -> str:
    return f"02:00:0a:0a:{subnet:02x}:{node + 1:02x}"


def _neighbour(node: int, subnet: int, interface: str) -> str:
    to = f"{address(node, subnet)} lladdr {_mac(node, subnet)}"
    return f"neighbour add {to} dev {interface} nud permanent"
