# SPDX-License-Identifier: Apache-2.0
"""Which counters tell what a network does under congestion: the one table of them. Pure.

Counters of RDMA devices have their meaning in `railgauge.rdma_counter_names`, which this table
refines; those of interfaces are here: ``netdev`` (/proc/net/dev) and ``ethtool`` (the statistics
of the driver). Names are the drivers': mlx5 (en_stats.c), ice (ice_ethtool.c), bnxt
(bnxt_ethtool.c); PFC is IEEE 802.1Qbb, ECN RFC 3168, CNP the RoCEv2 annex of the InfiniBand
Architecture Specification.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from railgauge.model import Counter
from railgauge.rdma_counter_names import Kind, meaning_of
from railgauge.rdma_counters import SOURCES as RDMA_SOURCES

INTERFACE_SOURCES = ("netdev", "ethtool")


class Signal(StrEnum):
    """What it says about congestion that a counter moved."""

    MARK = "mark"
    PAUSE = "pause"
    WAIT = "wait"
    DROP = "drop"
    ERROR = "RDMA error"
    PRIORITY_BYTES = "bytes of a priority"


CONGESTED = (Signal.MARK, Signal.PAUSE, Signal.WAIT)
"""The network was congested, and said so."""

LOSSES = (Signal.DROP, Signal.ERROR)
"""Packets were lost."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What one counter tells; ``priority`` is its number where it counts one of eight."""

    signal: Signal
    text: str
    priority: int | None = None


_WAITS = {"port_xmit_wait"}
_DROPS = {
    *("port_xmit_discards", "port_rcv_errors", "out_of_buffer"),
    *("ip4InDiscards", "ip6InDiscards", "excessive_buffer_overrun_errors"),
}
"""Names of `rdma_counter_names` that are more than their kind says."""

_INTERFACES: tuple[tuple[str, Signal, str], ...] = (
    # pattern, of which a group is the priority; what it tells; in words
    (r"rx_prio(\d)_pause(?:_duration)?", Signal.PAUSE, "told by PFC to pause"),
    (r"tx_prio(\d)_pause(?:_duration)?", Signal.PAUSE, "told the other end by PFC to pause"),
    (r"rx_prio(\d)_pause_transition", Signal.PAUSE, "changes between paused and not"),
    (r"[rt]x_global_pause(?:_duration|_transition)?", Signal.PAUSE, "pauses of the whole link"),
    (r"[rt]x_pause_ctrl_phy", Signal.PAUSE, "pause frames on the wire"),
    (r"rx_priority_(\d)_x(?:on|off)(?:\.nic)?", Signal.PAUSE, "told by PFC to pause or go on"),
    (r"tx_priority_(\d)_x(?:on|off)(?:\.nic)?", Signal.PAUSE, "told the other end by PFC"),
    (r"link_x(?:on|off)_[rt]x(?:\.nic)?", Signal.PAUSE, "pauses of the whole link"),
    (r"[rt]x_pfc_ena_frames_pri(\d)", Signal.PAUSE, "PFC frames"),
    (r"rx_ecn_mark", Signal.MARK, "packets that a switch marked as congested"),
    (r"rx_prio(\d)_marked", Signal.MARK, "packets that the NIC marked: its host was too slow"),
    (r"[rt]x_dropped(?:\.nic)?", Signal.DROP, "packets dropped by the host"),
    (r"[rt]x_errors(?:\.nic)?", Signal.DROP, "packets damaged or lost at the interface"),
    (r"[rt]x_discards_phy", Signal.DROP, "packets dropped at the port, its buffers were full"),
    (r"[rt]x_errors_phy", Signal.DROP, "packets damaged on the link"),
    (r"rx_prio(\d)_discards", Signal.DROP, "packets dropped at the port for want of buffers"),
    (r"rx_prio(\d)_(?:buf|cong)_discard", Signal.DROP, "packets dropped before the host"),
    (r"rx_out_of_buffer", Signal.DROP, "packets dropped because no receive was posted"),
    (r"([rt])x_prio(\d)_bytes", Signal.PRIORITY_BYTES, "B of one priority"),
    (r"([rt])x_bytes_pri(\d)", Signal.PRIORITY_BYTES, "B of one priority"),
)
_PATTERNS = [(re.compile(p), signal, text) for p, signal, text in _INTERFACES]


def telling_of(row: Counter) -> Telling | None:
    """Return what a counter tells about congestion; None where it tells nothing."""
    if row.source in RDMA_SOURCES:
        return _of_device(row.name)
    if row.source not in INTERFACE_SOURCES:
        return None
    for pattern, signal, text in _PATTERNS:
        if found := pattern.fullmatch(row.name):
            last = found[found.lastindex] if found.lastindex else ""
            return Telling(signal, text, int(last) if last.isdecimal() else None)
    return None


def _of_device(name: str) -> Telling | None:
    meaning = meaning_of(name)
    if name in _DROPS:
        return Telling(Signal.DROP, meaning.text)
    if meaning.kind is Kind.ERROR:
        return Telling(Signal.ERROR, meaning.text)
    if meaning.kind is Kind.CONGESTION:
        return Telling(Signal.WAIT if name in _WAITS else Signal.MARK, meaning.text)
    return None
