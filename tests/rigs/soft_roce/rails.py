# SPDX-License-Identifier: Apache-2.0
"""N rails of the guest: a cable each to one switch, and an RDMA device on each cable.

Rail k is the interface rail<k>, the device rxe<k>, the address 10.77.0.<k+1>, and port<k> of the
switch. Both ends of a transfer are addresses of one machine; the kernel would take lo for them,
where rxe cannot receive: rules send what leaves a rail for another one out of its cable.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import SoftRoceError

MAX_RAILS = 32
_SUBNET = "10.77.0"
_CABLE_MTU = 4500  # room for RDMA's largest packets, 4096 bytes and headers
_GID_WAIT_S = 10
_SYSCTLS = {
    "net/core/netdev_max_backlog": 20000,
    "net/ipv4/conf/all/rp_filter": 0,
    "net/ipv4/conf/default/rp_filter": 0,
    "net/ipv4/conf/all/accept_local": 1,
    "net/ipv4/conf/default/accept_local": 1,
    "net/ipv4/conf/all/arp_ignore": 1,
    "net/ipv4/conf/all/arp_announce": 2,
}


@dataclass(frozen=True)
class Rails:
    """How many rails the guest has, and what they are called."""

    count: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.count <= MAX_RAILS:
            raise SoftRoceError(f"{self.count} rails do not fit a guest: use 0 to {MAX_RAILS}")

    def check(self, rail: int) -> int:
        if not 0 <= rail < self.count:
            raise SoftRoceError(f"no rail {rail} is among the guest's {self.count}")
        return rail

    def script(self) -> str:
        """Return the shell text that makes the rails and waits for their addresses (GIDs)."""
        if not self.count:
            return ""
        lines = ["modprobe -a rdma_rxe rdma_ucm ib_umad veth bridge || exit 1"]
        lines += [f"echo {value} >/proc/sys/{name}" for name, value in _SYSCTLS.items()]
        lines += fed("ip -batch -", self._links())
        lines += fed("rdma -b -", self._devices())
        lines += [_wait_for_gids(rail) for rail in range(self.count)]
        return "\n".join(lines)

    def _links(self) -> list[str]:
        lines = [f"link add switch0 mtu {_CABLE_MTU} type bridge", "link set switch0 up"]
        for rail in range(self.count):
            lines += self._cable(rail) + self._routes(rail)
        return [*lines, "rule add pref 30 lookup local", "rule del pref 0"]

    def _cable(self, rail: int) -> list[str]:
        peer = f"peer name port{rail} mtu {_CABLE_MTU}"
        # Fixed neighbours: a lossy link would lose ARP too, and connecting would fail with it.
        others = [other for other in range(self.count) if other != rail]
        return [
            f"link add rail{rail} mtu {_CABLE_MTU} address {_mac(rail)} type veth {peer}",
            f"link set port{rail} master switch0 up",
            f"link set rail{rail} up",
            f"address add {address(rail)}/24 dev rail{rail}",
            *(
                f"neighbour add {address(other)} lladdr {_mac(other)} dev rail{rail} nud permanent"
                for other in others
            ),
        ]

    def _routes(self, rail: int) -> list[str]:
        own, table = address(rail), 100 + rail
        return [
            f"route add {_SUBNET}.0/24 dev rail{rail} src {own} table {table}",
            f"rule add pref 10 iif rail{rail} lookup local",
            f"rule add pref 15 from {own} to {own} lookup local",
            f"rule add pref 20 from {own} to {_SUBNET}.0/24 lookup {table}",
        ]

    def _devices(self) -> list[str]:
        return [f"link add rxe{rail} type rxe netdev rail{rail}" for rail in range(self.count)]


def address(rail: int) -> str:
    """Return the IPv4 address of a rail."""
    return f"{_SUBNET}.{rail + 1}"


def _mac(rail: int) -> str:
    return f"02:00:0a:4d:00:{rail + 1:02x}"


def fed(command: str, lines: list[str]) -> list[str]:
    """Return the shell lines that feed these to a command, and give up where it fails."""
    return [f"{command} <<'END' || exit 1", *lines, "END"]


def _wait_for_gids(rail: int) -> str:
    """Return the line that waits for a rail's two GIDs, which appear some time after the device."""
    gids = f"/sys/class/infiniband/rxe{rail}/ports/1/gids"
    both = f"read -r a <{gids}/0 && read -r b <{gids}/1"
    right = f"[[ $a == fe80:* && $b == *:ffff:{_gid_end(rail)} ]]"
    late = f"((SECONDS < {_GID_WAIT_S})) || {{ echo rxe{rail} has no GIDs >&2; exit 1; }}"
    return f"SECONDS=0; until {{ {both}; }} 2>/dev/null && {right}; do {late}; sleep 0.05; done"


def _gid_end(rail: int) -> str:
    numbers = [int(number) for number in address(rail).split(".")]
    return "{:02x}{:02x}:{:02x}{:02x}".format(*numbers)
