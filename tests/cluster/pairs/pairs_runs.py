# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-pairs on a virtual cluster, read by the rules of docs/pairs.md."""

from __future__ import annotations

import os
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
from virtual_cluster import Launch, VirtualCluster, launch_command, launch_environment

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "build" / "release" / "bin" / "railgauge-pairs"

Port = tuple[int, str]  # node, NIC
Flow = tuple[int, int, int]  # source node, destination node, rail


def run_pairs(
    cluster: VirtualCluster, out: Path, *arguments: str, launch: Launch | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program on every node; the job has two minutes."""
    launch = launch or Launch()
    program = os.environ.get("RAILGAUGE_PAIRS", str(PROGRAM))
    return subprocess.run(
        launch_command(cluster, launch, [program, *arguments, "--out", str(out)]),
        env=launch_environment(cluster, launch),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@dataclass
class Outcome:
    """What a run file says.

    Attributes
    ----------
    status : dict
        Status of every case by its name.
    rates : dict
        Payload rate of every directed pair and rail in bit/s; the median over its samples, lanes
        added up, one entry per case.
    carried : list
        For every port in every case that used it: bytes that its NIC sent over the payload it had
        to send.
    strayed : list
        In every case, the most bytes that any other interface sent.
    """

    status: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    rates: dict[Flow, list[float]] = field(default_factory=lambda: defaultdict(list))
    carried: list[float] = field(default_factory=list)
    strayed: list[int] = field(default_factory=list)
    checked: int = 0
    wrong: int = 0
    wall_s: float = 0.0

    def rate(self, flow: Flow) -> float:
        return float(np.median(self.rates[flow]))

    def median_rate(self) -> float:
        return float(np.median([self.rate(flow) for flow in self.rates]))


def read(path: Path) -> Outcome:
    outcome = Outcome()
    with h5py.File(path, "r") as run:
        ranks = run["ranks"][:]
        for case in run["cases"][:]:
            name = case["name"].decode()
            outcome.status[name] = case["status"].decode()
            outcome.reasons[name] = case["reason"].decode()
            outcome.checked += int(case["checked_elements"])
            outcome.wrong += int(case["wrong_elements"])
            outcome.wall_s += int(case["wall_ns"]) / 1e9
            if outcome.status[name] in ("done", "wrong"):
                _read_samples(run, case, ranks, outcome)
    return outcome


def _read_samples(run: h5py.File, case: np.void, ranks: np.ndarray, outcome: Outcome) -> None:
    samples = run[f"samples/{case['id']:04d}"]
    offsets = samples["offsets"][:]
    window = int(case["algbw_bytes"])
    per_flow: dict[Flow, float] = defaultdict(float)
    payload: dict[Port, int] = defaultdict(int)
    for rank in range(len(ranks)):
        mine = slice(offsets[rank], offsets[rank + 1])
        acknowledged = samples["acknowledged_ns"][mine]
        if len(acknowledged) == 0 or acknowledged[0] < 0:
            continue
        peer = samples["peer"][mine][0]
        flow = (int(ranks["node"][rank]), int(ranks["node"][peer]), int(samples["rail"][mine][0]))
        operations = len(acknowledged) * int(case["ops_per_sample"])
        per_flow[flow] += 8e9 * np.median(samples["bytes"][mine] / acknowledged)
        checks = 2 if case["verify"] == b"on" else 0
        port = (int(ranks["node"][rank]), ranks["nic"][rank].decode())
        payload[port] += window * (operations + int(case["warmup"]) + checks)
    for flow, rate in per_flow.items():
        outcome.rates[flow].append(rate)
    _prove(run, case, payload, outcome)


def _prove(run: h5py.File, case: np.void, payload: dict[Port, int], outcome: Outcome) -> None:
    strayed = 0
    for row in run[f"counters/{case['id']:04d}"][:]:
        if row["name"] != b"tx_bytes" or row["device"] == b"lo":
            continue
        assert row["status"] == b"ok"
        sent = int(row["after"]) - int(row["before"])
        port = (int(row["node"]), row["device"].decode())
        if port in payload:
            outcome.carried.append(sent / payload[port])
        else:
            strayed = max(strayed, sent)
    outcome.strayed.append(strayed)


def busy_share(seconds: float = 0.5) -> float:
    """Share of the cores that others use."""

    def times() -> tuple[int, int]:
        fields = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
        return fields[3] + fields[4], sum(fields[:8])

    idle_before, all_before = times()
    time.sleep(seconds)
    idle, everything = times()
    return 1 - (idle - idle_before) / (everything - all_before)


def why_rates_mean_nothing(patience_s: float = 20.0) -> str | None:
    """One line when others keep the cores busy, so that the links are not what limits a rate."""
    deadline = time.monotonic() + patience_s
    while (busy := busy_share()) > 0.25:
        if time.monotonic() > deadline:
            return f"others keep {busy:.0%} of the cores busy: the links would not be what limits"
        time.sleep(1)
    return None
