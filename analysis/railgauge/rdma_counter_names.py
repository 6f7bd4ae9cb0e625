# SPDX-License-Identifier: Apache-2.0
"""Which counters of RDMA devices a person must look at, and why: the one table of them. Pure.

Names are those of sysfs: ``hw_counters`` (source ``rdma_hw``) and ``counters`` (source ``rdma``) of
a port. They come from the kernel's drivers (rxe_hw_counters.c, irdma/verbs.c), NVIDIA's page on
RDMA counters of mlx5, and the InfiniBand Architecture Specification, volume 1, 16.1.3.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

SENT_WORDS, RECEIVED_WORDS = "port_xmit_data", "port_rcv_data"
BYTES_PER_WORD = 4


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
