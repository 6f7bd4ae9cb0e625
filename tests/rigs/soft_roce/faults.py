# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a rail. Each fault is a value; the guest has exactly those last set.

Faults concern what arrives at a rail, unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import SoftRoceError
from .rails import Rails, address

_ROCE = "-p udp --dport 4791"
_QUEUE_PACKETS = 20000  # a slow link delays; only a lossy one loses


@dataclass(frozen=True)
class DropEvery:
    """Drop every n-th RoCE packet, the first one included: the same ones in every run."""

    packets: int
    rail: int

    def __post_init__(self) -> None:
        if self.packets < 2:
            raise SoftRoceError(f"every {self.packets}-th packet cannot be dropped: use 2 or more")


@dataclass(frozen=True)
class Loss:
    """Drop packets at random."""

    percent: float
    rail: int

    def __post_init__(self) -> None:
        if not 0 < self.percent <= 100:
            raise SoftRoceError(f"{self.percent} % cannot be lost: use more than 0, 100 at most")


@dataclass(frozen=True)
class Rate:
    """Slow the rail in both directions."""

    mbit: float
    rail: int

    def __post_init__(self) -> None:
        if not self.mbit > 0:
            raise SoftRoceError(f"{self.mbit} Mbit/s is no rate: use more than 0")


@dataclass(frozen=True)
class Down:
    """Take the cable out of the switch: the rail has no carrier, now or after some seconds."""

    rail: int
    after_s: float = 0.0


@dataclass(frozen=True)
class Unreachable:
    """Drop everything RoCE sent to this rail's address, while the link stays up."""

    rail: int


Fault = DropEvery | Loss | Rate | Down | Unreachable


def faults_script(rails: Rails, faults: Sequence[Fault]) -> str:
    """Return the shell text that ends every fault in force and brings these about."""
    for fault in faults:
        rails.check(fault.rail)
    lines = [_END_ALL, *(f"ip link set port{rail} up" for rail in range(rails.count))]
    lines += [line for rail in range(rails.count) for line in _queues(rail, faults)]
    return "\n".join(["set -e", *lines, *(_line(fault) for fault in faults), ""])


_END_ALL = """if [ -e /run/pending ]
then
    xargs kill </run/pending 2>/dev/null || true
    rm /run/pending
fi
iptables --flush INPUT"""


def _queues(rail: int, faults: Sequence[Fault]) -> list[str]:
    here = [fault for fault in faults if fault.rail == rail]
    rates = [f"rate {fault.mbit:g}mbit" for fault in here if isinstance(fault, Rate)]
    losses = [f"loss {fault.percent:g}%" for fault in here if isinstance(fault, Loss)]
    return [_queue(f"rail{rail}", rates), _queue(f"port{rail}", rates + losses)]


def _queue(interface: str, limits: list[str]) -> str:
    if not limits:
        return f"tc qdisc delete dev {interface} root 2>/dev/null || true"
    words = f"netem limit {_QUEUE_PACKETS} {' '.join(limits)}"
    return f"tc qdisc replace dev {interface} root {words}"


def _line(fault: Fault) -> str:
    match fault:
        case DropEvery(packets, rail):
            which = f"-m statistic --mode nth --every {packets} --packet 0"
            return f"iptables -A INPUT -i rail{rail} {_ROCE} {which} -j DROP"
        case Unreachable(rail):
            return f"iptables -A INPUT -d {address(rail)} {_ROCE} -j DROP"
        case Down(rail, 0.0):
            return f"ip link set port{rail} down"
        case Down(rail, after_s):
            later = f"sleep {after_s:g} && exec ip link set port{rail} down"
            return f"setsid sh -c '{later}' & echo -- -$! >>/run/pending"
        case _:
            return ""
