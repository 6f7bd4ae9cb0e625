# SPDX-License-Identifier: Apache-2.0
"""What the NICs of a case had to carry against what they counted: the parts of `rail_proven`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from railgauge.model import Case, Counter
from railgauge.rdma_counter_names import BYTES_PER_WORD, RECEIVED_WORDS, SENT_WORDS

HEADER_SHARE = 0.08
"""Headers and acknowledgements of TCP, of the payload in both directions: 66 bytes to a segment of
1448, and as much to every second segment on the way back."""

MESSAGE_BYTES = 512
"""Headers of a message of the MPI library, however small, and of its confirmation."""

OTHER_BYTES = 64 * 1024
"""Connecting, agreements of the ranks, ARP and the like, per NIC and case. Payload of no more than
that proves nothing."""

REFRESH_NS = 2_000_000_000
"""Drivers that read their counters once a second leave out the end of a case, and a NIC is not
evenly busy: so much of a case's wall time, as a share of the payload, may be counted late."""

_CHECK_ROUNDS = 2
NAMES = {"tx_bytes": "sent", "rx_bytes": "received"}
NETDEV = "netdev"
_RDMA_NAMES = {SENT_WORDS: "tx_bytes", RECEIVED_WORDS: "rx_bytes"}

Port = tuple[int, str]
"""Node and network interface."""

Flow = tuple[Port, str]
"""Port and counter, ``tx_bytes`` or ``rx_bytes``."""


@dataclass
class Load:
    """Payload and messages of a case that a port had to carry, B."""

    sent: int = 0
    received: int = 0
    messages: int = 0

    def due(self, name: str) -> int:
        """Return the payload that a counter must show, B."""
        return self.sent if name == "tx_bytes" else self.received

    @property
    def spare(self) -> float:
        """What may come on top of it, B."""
        headers = HEADER_SHARE * (self.sent + self.received)
        return headers + MESSAGE_BYTES * self.messages + OTHER_BYTES


@dataclass(frozen=True)
class Traffic:
    """What the ports of a case had to carry, and what they counted.

    ``late`` are the bytes that were missing in the case before: they may have been counted since.
    With ``rdma`` the payload is RDMA's, which network interfaces need not count.
    """

    wall_ns: int
    loads: Mapping[Port, Load]
    counted: Mapping[Port, Mapping[str, Counter]]
    late: Mapping[Flow, int]
    rdma: bool = False

    def missing(self) -> dict[Flow, int]:
        """Return the bytes that were not counted, where any were not."""
        short = {
            (port, name): load.due(name) - carried
            for port, load in self.loads.items()
            for name in NAMES
            if (carried := self.carried(port, name)) is not None
        }
        return {flow: count for flow, count in short.items() if count > 0}

    def carried(self, port: Port, name: str) -> int | None:
        """Return what a port counted during the case; None where that is not known."""
        row = self.counted.get(port, {}).get(name)
        return None if row is None else row.difference

    def elsewhere(self, port: Port, name: str, missing: int) -> str:
        """Name the other interface of the node that carried too much by the missing bytes."""
        for other in self.counted:
            carried = self.carried(other, name) if other[0] == port[0] and other != port else None
            load = self.loads.get(other, Load())
            extra = (carried or 0) - load.due(name) - self.late.get((other, name), 0)
            if extra >= missing and extra > load.spare:
                return other[1]
        return ""

    def may_be_late(self, missing: int, payload: int) -> bool:
        """Tell whether a driver's late refresh explains missing bytes."""
        return missing * self.wall_ns <= payload * REFRESH_NS


def operations_outside_samples(case: Case) -> int | None:
    """Return the operations of each rank in warm-up and check rounds; None = not recorded."""
    warmup, verify = case.variables.get("warmup"), case.variables.get("verify")
    if not isinstance(warmup, int) or warmup < 0 or verify not in ("on", "off"):
        return None
    return warmup + (_CHECK_ROUNDS if verify == "on" else 0)


def counted_of(rows: list[Counter], *, rdma: bool = False) -> dict[Port, dict[str, Counter]]:
    """Return the counters of network interfaces; with ``rdma`` those of RDMA devices beside them.

    Of the latter only payload counts, in B under the same names, the ports of a device added up.
    """
    counted: dict[Port, dict[str, Counter]] = defaultdict(dict)
    for row in rows:
        if row.source == NETDEV:
            counted[row.node, row.device][row.name] = row
        elif rdma and row.name in _RDMA_NAMES:
            names, name = counted[row.node, row.device], _RDMA_NAMES[row.name]
            names[name] = _in_bytes(row, names.get(name))
    return counted


def _in_bytes(row: Counter, other: Counter | None) -> Counter:
    known = row.difference is not None and (other is None or other.difference is not None)
    moved = BYTES_PER_WORD * (row.difference or 0) + ((other and other.difference) or 0)
    status = row.status if row.difference is None or other is None else other.status
    return replace(row, before=0, after=moved, status="ok" if known else status or "unknown")
