# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a rail. Each fault is a value; the guest has exactly those last set.

Faults concern what arrives at a rail, unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .errors import SoftRoceError
from .rails import Rails, address, fed

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
    every = range(rails.count)
    queues = [line for rail in every for line in _queues(rail, faults)]
    rules = ["*filter", *_present(_rule(fault) for fault in faults), "COMMIT"]
    links = [f"link set port{rail} {_link(rail, faults)}" for rail in every]
    return "\n".join(
        [
            _FORGET_PENDING,
            *fed("tc -batch -", queues),
            *fed("iptables-restore", rules),
            *fed("ip -batch -", links),
            *_present(_pending(fault) for fault in faults),
        ]
    )


_FORGET_PENDING = """if [[ -e /run/pending ]]; then
    xargs kill </run/pending 2>/dev/null
    rm /run/pending
fi"""


def _queues(rail: int, faults: Sequence[Fault]) -> list[str]:
    here = [fault for fault in faults if fault.rail == rail]
    rates = [f"rate {fault.mbit:g}mbit" for fault in here if isinstance(fault, Rate)]
    losses = [f"loss {fault.percent:g}%" for fault in here if isinstance(fault, Loss)]
    return [_queue(f"rail{rail}", rates), _queue(f"port{rail}", rates + losses)]


def _queue(interface: str, limits: list[str]) -> str:
    kind = f"netem limit {_QUEUE_PACKETS} {' '.join(limits)}" if limits else "noqueue"
    return f"qdisc replace dev {interface} root {kind}"


def _rule(fault: Fault) -> str | None:
    match fault:
        case DropEvery(packets, rail):
            which = f"-m statistic --mode nth --every {packets} --packet 0"
            return f"-A INPUT -i rail{rail} {_ROCE} {which} -j DROP"
        case Unreachable(rail):
            return f"-A INPUT -d {address(rail)} {_ROCE} -j DROP"
        case _:
            return None


def _link(rail: int, faults: Sequence[Fault]) -> str:
    return "down" if Down(rail) in faults else "up"


def _pending(fault: Fault) -> str | None:
    """Return the line that takes a link down later, in a process group that can be forgotten."""
    if not isinstance(fault, Down) or not fault.after_s:
        return None
    later = f"sleep {fault.after_s:g} && exec ip link set port{fault.rail} down"
    return f"setsid sh -c '{later}' & echo -- -$! >>/run/pending"


def _present(lines: Iterable[str | None]) -> list[str]:
    return [line for line in lines if line]
