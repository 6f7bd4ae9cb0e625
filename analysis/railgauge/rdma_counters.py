# SPDX-License-Identifier: Apache-2.0
"""What the counters of RDMA devices say about a case. Pure.

`KNOWN` is the one place that says which counters a person must look at, and why. Names are those
of sysfs: ``hw_counters`` (source ``rdma_hw``) and ``counters`` (source ``rdma``) of a port. They
come from the kernel's drivers (rxe_hw_counters.c, irdma/verbs.c), NVIDIA's page on RDMA counters
of mlx5, and the InfiniBand Architecture Specification, volume 1, 16.1.3.5.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from railgauge.model import Counter

SOURCES = ("rdma_hw", "rdma")
BACKENDS = ("verbs", "ucx")
"""Backends whose payload RDMA devices carry."""

SENT_WORDS, RECEIVED_WORDS = "port_xmit_data", "port_rcv_data"
BYTES_PER_WORD = 4
_TOLD_APART = 3


class Kind(StrEnum):
    """What it means that a counter moved."""

    ERROR = "error"
    DOUBTFUL = "doubtful"
    CONGESTION = "congestion"
    TRAFFIC = "traffic"
    OTHER = "other"


MARKED = (Kind.ERROR, Kind.DOUBTFUL)
"""Kinds that a person must look at."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the table: the drivers that have the counter, what it counts, B of one count."""

    kind: Kind
    families: str
    text: str
    unit_bytes: int | None = None


_ROWS: tuple[tuple[Kind, str, tuple[tuple[str, str], ...]], ...] = (
    (
        Kind.ERROR,
        "mlx5",
        (
            ("packet_seq_err", "the other side missed a packet and said so: it was sent again"),
            ("implied_nak_seq_err", "an acknowledgement skipped a read: it was repeated"),
            ("local_ack_timeout_err", "no acknowledgement in time: packets were sent again"),
            ("rnr_nak_retry_err", "the receiver had no receive posted: messages were repeated"),
            ("out_of_buffer", "packets dropped because no receive was posted"),
            ("req_remote_access_errors", "the other side refused access to its memory"),
            ("req_remote_invalid_request", "the other side refused a request as invalid"),
            ("resp_local_length_error", "a message was longer than its receive"),
            ("resp_remote_access_errors", "access to memory here was refused"),
            ("roce_adp_retrans", "packets sent again, adaptively"),
            ("roce_adp_retrans_to", "adaptive repetition came to its time limit"),
            ("rx_icrc_encapsulated", "packets damaged on the way (invariant CRC)"),
        ),
    ),
    (
        Kind.ERROR,
        "mlx5, rxe",
        (("duplicate_request", "a request came twice: its acknowledgement was lost or late"),),
    ),
    (
        Kind.ERROR,
        "rxe",
        (
            ("out_of_seq_request", "packets missing on arrival"),
            ("rcvd_seq_err", "the other side missed a packet and said so"),
            ("completer_retry_err", "packets were sent again"),
            ("retry_exceeded_err", "repeated until the limit: the connection broke"),
            ("retry_rnr_exceeded_err", "no receive until the limit: the connection broke"),
            ("rcvd_rnr_err", "the receiver had no receive posted: messages were repeated"),
            ("send_rnr_err", "no receive was posted here: the sender had to repeat"),
            ("send_err", "packets that could not be handed to the network"),
        ),
    ),
    (
        Kind.ERROR,
        "irdma",
        (
            ("tcpRetransSegs", "segments sent again"),
            ("RetransSegs", "segments sent again"),
            ("tcpInOptErrors", "segments with wrong options"),
            ("InOptErrors", "segments with wrong options"),
            ("tcpInProtoErrors", "segments that broke the protocol"),
            ("InProtoErrors", "packets that broke the protocol"),
            ("ip4InDiscards", "packets dropped on arrival"),
            ("ip6InDiscards", "packets dropped on arrival"),
            ("ip4InTruncatedPkts", "packets cut off"),
            ("ip6InTruncatedPkts", "packets cut off"),
            ("ip4OutNoRoutes", "packets without a route"),
            ("ip6OutNoRoutes", "packets without a route"),
            ("rxVlanErrors", "packets of a wrong VLAN"),
            ("CRC_errors", "packets damaged on the way"),
        ),
    ),
    (
        Kind.ERROR,
        "ports",
        (
            ("symbol_error", "symbols damaged on the link"),
            ("link_error_recovery", "the link had to train again"),
            ("link_downed", "the link went down"),
            ("port_rcv_errors", "packets damaged on the link"),
            ("port_rcv_remote_physical_errors", "packets already marked bad by a switch"),
            ("port_xmit_discards", "packets dropped before sending"),
            ("port_xmit_constraint_errors", "packets that the port may not send"),
            ("port_rcv_constraint_errors", "packets that the port may not receive"),
            ("local_link_integrity_errors", "too many errors of the link in a row"),
            ("excessive_buffer_overrun_errors", "buffers of the port ran over"),
        ),
    ),
    (
        Kind.DOUBTFUL,
        "mlx5",
        (
            (
                "out_of_sequence",
                "packets came in another order: lost ones, or adaptive routing, which makes that "
                "ordinary",
            ),
        ),
    ),
    (
        Kind.CONGESTION,
        "mlx5",
        (
            ("np_ecn_marked_roce_packets", "packets that a switch marked as congested"),
            ("np_cnp_sent", "congestion told to senders"),
            ("rp_cnp_handled", "told of congestion, and slowed down"),
            ("rp_cnp_ignored", "told of congestion, and did not slow down"),
            ("roce_slow_restart", "slow restarts after a pause"),
            ("roce_slow_restart_cnps", "congestion told by slow restart"),
            ("roce_slow_restart_trans", "changes of state by slow restart"),
        ),
    ),
    (
        Kind.CONGESTION,
        "irdma",
        (
            ("RxECNMrkd", "packets that a switch marked as congested"),
            ("cnpSent", "congestion told to senders"),
            ("cnpHandled", "told of congestion, and slowed down"),
            ("cnpIgnored", "told of congestion, and did not slow down"),
        ),
    ),
    (
        Kind.CONGESTION,
        "ports",
        (("port_xmit_wait", "ticks in which data waited for the other end of the link"),),
    ),
)
_TRAFFIC = {
    SENT_WORDS: BYTES_PER_WORD,
    RECEIVED_WORDS: BYTES_PER_WORD,
    **dict.fromkeys(("ip4InOctets", "ip4OutOctets", "ip6InOctets", "ip6OutOctets"), 1),
    **dict.fromkeys(("port_xmit_packets", "port_rcv_packets"), None),
    **dict.fromkeys(f"{c}_{d}_packets" for c in ("unicast", "multicast") for d in ("xmit", "rcv")),
    **dict.fromkeys(("sent_pkts", "rcvd_pkts", "ack_deferred", "rdma_sends", "rdma_recvs")),
    **dict.fromkeys(("rx_write_requests", "rx_read_requests", "rx_atomic_requests")),
    **dict.fromkeys(("rx_dct_connect", "RxUDP", "TxUDP", "tcpInSegs", "tcpOutSegs")),
    **dict.fromkeys(("ip4InPkts", "ip4OutPkts", "ip6InPkts", "ip6OutPkts")),
    **dict.fromkeys(
        f"{w}{d}Rdma{o}" for w in ("", "iw") for d in ("In", "Out") for o in ("Reads", "Sends")
    ),
    **dict.fromkeys(f"{w}{d}RdmaWrites" for w in ("", "iw") for d in ("In", "Out")),
}

KNOWN: Mapping[str, Meaning] = {
    name: Meaning(kind, families, text) for kind, families, rows in _ROWS for name, text in rows
} | {name: Meaning(Kind.TRAFFIC, "", "", unit) for name, unit in _TRAFFIC.items()}
"""Every counter that has a meaning here; others are shown as they are (`Kind.OTHER`)."""

_UNKNOWN_NAME = Meaning(Kind.OTHER, "", "")


def meaning_of(name: str) -> Meaning:
    """Return what a counter's name means; `Kind.OTHER` where that is not known."""
    return KNOWN.get(name, _UNKNOWN_NAME)


@dataclass(frozen=True, slots=True)
class Change:
    """A counter that moved in a case, or of which that is not known (``delta`` None)."""

    row: Counter

    @property
    def delta(self) -> int | None:
        """What was counted; None where the status is not ok."""
        return self.row.difference

    @property
    def meaning(self) -> Meaning:
        """What that counter is about."""
        return meaning_of(self.row.name)

    @property
    def kind(self) -> Kind:
        """What it means that it moved."""
        return self.meaning.kind

    @property
    def bytes(self) -> int | None:
        """What was counted in B, where it is traffic that has bytes."""
        unit, delta = self.meaning.unit_bytes, self.delta
        return None if unit is None or delta is None else unit * delta

    @property
    def why(self) -> str:
        """Why it is not known how far the counter moved; empty where it is."""
        if self.delta is not None:
            return ""
        return "ran backwards" if self.row.status == "ok" else self.row.status or "no status"

    def where(self, hosts: Mapping[int, str]) -> str:
        """``n3 mlx5_1 port 1``."""
        host = hosts.get(self.row.node, f"node {self.row.node}")
        port = f" port {self.row.port}" if self.row.port >= 0 else ""
        return f"{host} {self.row.device}{port}"

    def text(self, hosts: Mapping[int, str]) -> str:
        """``n3 mlx5_1 port 1: out_of_sequence +34``."""
        moved = f"unknown ({self.why})" if self.delta is None else f"+{self.delta}"
        return f"{self.where(hosts)}: {self.row.name} {moved}"


@dataclass(frozen=True, slots=True)
class RdmaCounters:
    """The RDMA counters of one case.

    Attributes
    ----------
    changes : tuple of Change
        Those that moved or are not known: errors first, traffic and unknown names last.
    watched : frozenset of (int, str)
        Node and device of every counter of errors, moved or not.
    devices : frozenset of (int, str)
        Node and device of every counter.
    sent_bytes, received_bytes : int or None
        Sum over all ports of `SENT_WORDS`, `RECEIVED_WORDS`; None without any, or where one is
        not known.
    """

    changes: tuple[Change, ...] = ()
    watched: frozenset[tuple[int, str]] = frozenset()
    devices: frozenset[tuple[int, str]] = frozenset()
    sent_bytes: int | None = None
    received_bytes: int | None = None

    def moved(self, *kinds: Kind) -> list[Change]:
        """Return the counters of some kinds that moved."""
        return [c for c in self.changes if c.kind in kinds and c.delta is not None]

    def unknown(self, *kinds: Kind) -> list[Change]:
        """Return the counters of some kinds of which nobody knows how far they moved."""
        return [c for c in self.changes if c.kind in kinds and c.delta is None]

    @property
    def errors(self) -> int | None:
        """Sum of what counters of errors counted; None where none was there, or one not known."""
        known = bool(self.watched) and not self.unknown(Kind.ERROR)
        return sum(c.delta or 0 for c in self.moved(Kind.ERROR)) if known else None

    @property
    def mark(self) -> str:
        """Return what the case must be marked with; empty where there is nothing to look at."""
        if self.moved(Kind.ERROR):
            return "RDMA errors"
        if self.moved(Kind.DOUBTFUL):
            return "RDMA counters moved"
        return "RDMA counters unknown" if self.unknown(*MARKED) else ""


def rdma_counters(rows: Iterable[Counter]) -> RdmaCounters:
    """Look through the counters of one case; those of other sources are left out."""
    own = [row for row in rows if row.source in SOURCES]
    changes = [Change(row) for row in own if row.difference != 0]
    order = list(Kind)
    changes.sort(
        key=lambda c: (order.index(c.kind), c.row.node, c.row.device, c.row.port, c.row.name)
    )
    return RdmaCounters(
        changes=tuple(changes),
        watched=frozenset((r.node, r.device) for r in own if meaning_of(r.name).kind is Kind.ERROR),
        devices=frozenset((r.node, r.device) for r in own),
        sent_bytes=_sum_bytes(own, SENT_WORDS),
        received_bytes=_sum_bytes(own, RECEIVED_WORDS),
    )


def _sum_bytes(rows: Iterable[Counter], name: str) -> int | None:
    found = [row.difference for row in rows if row.name == name]
    known = [d for d in found if d is not None]
    return BYTES_PER_WORD * sum(known) if known and len(known) == len(found) else None


def texts(changes: Iterable[Change], hosts: Mapping[int, str]) -> Iterator[str]:
    """Yield a text for each change; many of one device that are unknown alike share one."""
    several = list(changes)
    alike = Tally((c.where(hosts), c.why) for c in several if c.why)
    told = set()
    for change in several:
        key = (change.where(hosts), change.why)
        if not change.why or alike[key] <= _TOLD_APART:
            yield change.text(hosts)
        elif key not in told:
            told.add(key)
            yield f"{key[0]}: {alike[key]} counters unknown ({key[1]})"
