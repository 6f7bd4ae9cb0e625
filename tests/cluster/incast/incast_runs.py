# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-incast on a virtual cluster, read by the rules of docs/incast.md."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from virtual_cluster import Launch, VirtualCluster, launch_command, launch_environment

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pairs"))

from pairs_runs import why_rates_mean_nothing

__all__ = ["PAYLOAD", "Incast", "read", "run_incast", "why_rates_mean_nothing"]

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "build" / "release" / "bin" / "railgauge-incast"
PAYLOAD = 1448 / 1514  # of what a shaped link carries


def run_incast(
    cluster: VirtualCluster, out: Path, *arguments: str, launch: Launch | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program on every node; the job has three minutes."""
    launch = launch or Launch()
    program = os.environ.get("RAILGAUGE_INCAST", str(PROGRAM))
    return subprocess.run(
        launch_command(cluster, launch, [program, *arguments, "--out", str(out)]),
        env=launch_environment(cluster, launch),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@dataclass
class Incast:
    """One case.

    Attributes
    ----------
    bytes_of : dict
        Payload that each sender finished in the window, by its rank; 0 for one without a row.
    trips_ns : numpy.ndarray, shape (rows,)
        A victim's round trips.
    """

    name: str
    status: str
    reason: str
    senders: int
    congestion: str
    duration_s: float
    checked: int
    wrong: int
    bytes_of: dict[int, int]
    trips_ns: np.ndarray

    @property
    def rate(self) -> float:
        """Payload into the receiver in bit/s."""
        return 8 * sum(self.bytes_of.values()) / self.duration_s

    @property
    def shares(self) -> dict[int, float]:
        """What each sender moved over the mean of all."""
        mean = np.mean(list(self.bytes_of.values()))
        return {rank: float(moved / mean) for rank, moved in self.bytes_of.items()}


def read(path: Path) -> list[Incast]:
    """Cases of a run with one receiver each, in order."""
    with h5py.File(path, "r") as run:
        return [_read_case(run, case) for case in run["cases"][:]]


def _read_case(run: h5py.File, case: np.void) -> Incast:
    bytes_of: dict[int, int] = {}
    trips = np.empty(0)
    if case["status"] in (b"done", b"wrong"):
        samples = run[f"samples/{case['id']:04d}"]
        receiver = int(case["receiver_ranks"])
        for rank, group in enumerate(samples["group"][:]):
            mine = slice(*samples["offsets"][rank : rank + 2])
            role = samples["role"][mine]
            if len(role) and role[0] == 2:
                trips = samples["elapsed_ns"][mine]
            elif group == receiver and rank != receiver:
                within = samples["completed_ns"][mine] < case["duration_ns"]
                bytes_of[rank] = int(samples["bytes"][mine][within].sum())
    return Incast(
        name=case["name"].decode(),
        status=case["status"].decode(),
        reason=case["reason"].decode(),
        senders=int(case["senders"]),
        congestion=case["congestion"].decode(),
        duration_s=int(case["duration_ns"]) / 1e9,
        checked=int(case["checked_elements"]),
        wrong=int(case["wrong_elements"]),
        bytes_of=bytes_of,
        trips_ns=trips,
    )
