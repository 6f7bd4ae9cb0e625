# SPDX-License-Identifier: Apache-2.0
"""Streams between nodes of a virtual cluster, and what share of nominal each reached."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import IO

from virtual_cluster import VirtualCluster
from virtual_cluster.layout import address

_STREAM = Path(__file__).with_name("stream.py")
_SETTLE_S, _MEASURE_S = 0.3, 1.2  # 15 MB at 100 Mbit/s: the burst of 128 KiB is 1 % of it
_PORT = 5100

# Payload of a full TCP segment with time stamps in its Ethernet frame, as the shaper counts it.
PAYLOAD = 1448 / 1514

Flow = tuple[int, int, int]  # source node, destination node, rail


def shares(cluster: VirtualCluster, *flows: Flow) -> list[float]:
    """Run all flows at once and return each one's bytes per second over the nominal rate."""
    receivers, senders = [], []
    for number, (_, node, rail) in enumerate(flows):
        place = [address(node, rail), str(_PORT + number)]
        times = [str(_SETTLE_S), str(_MEASURE_S)]
        receiver = _start(cluster, node, ["receive", *place, *times])
        assert _line(receiver) == "listening"
        receivers.append(receiver)
    for number, (node, peer, rail) in enumerate(flows):
        senders.append(_start(cluster, node, ["send", address(peer, rail), str(_PORT + number)]))
    rates = [float(_line(receiver)) for receiver in receivers]
    for process in receivers + senders:
        process.communicate(timeout=60)
    return [rate * 8 / cluster.layout.rate for rate in rates]


def _start(cluster: VirtualCluster, node: int, arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        cluster.command(node, [sys.executable, str(_STREAM), *arguments]),
        env=cluster.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def _line(process: subprocess.Popen[str]) -> str:
    stdout: IO[str] | None = process.stdout
    assert stdout is not None
    return stdout.readline().strip()
