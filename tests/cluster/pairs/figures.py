# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/pairs.md: all pairs at several sizes of cluster, and one slow port.

Usage: python tests/cluster/pairs/figures.py    (as root, on idle cores; some minutes)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "rigs"))

from pairs_runs import Outcome, read, run_pairs
from virtual_cluster import Launch, VirtualCluster

RAILS = 4
PAIRS = ("--pattern", "all-pairs", "--depth", "1", "-w", "1")


def measure(cluster: VirtualCluster, out: Path, *arguments: str, ranks: int = RAILS) -> Outcome:
    done = run_pairs(cluster, out, *PAIRS, *arguments, launch=Launch(ranks_per_node=ranks))
    assert done.returncode == 0, done.stderr
    return read(out)


def describe(cluster: VirtualCluster, outcome: Outcome) -> str:
    shares = [outcome.rate(flow) / cluster.layout.rate for flow in outcome.rates]
    proof = f"NIC bytes / payload {min(outcome.carried):.3f} .. {max(outcome.carried):.3f}"
    return (
        f"{len(outcome.status)} rounds in {outcome.wall_s:.1f} s, {len(shares)} flows,"
        f" median {np.median(shares):.1%} of nominal, lowest {min(shares):.1%},"
        f" {outcome.wrong} of {outcome.checked} elements wrong, {proof}"
    )


def slow_port(cluster: VirtualCluster, out: Path, node: int, rail: int) -> str:
    cluster.degrade_port(node, rail, "70%")
    outcome = measure(cluster, out, "--sizes", "2MiB", "-n", "3")
    cluster.restore()
    median = outcome.median_rate()
    of_port = {f for f in outcome.rates if node in f[:2] and f[2] == rail}
    slow = [outcome.rate(f) / median for f in of_port]
    others = [outcome.rate(f) / median for f in outcome.rates if f not in of_port]
    return (
        f"its {len(slow)} flows {min(slow):.2f} .. {max(slow):.2f} of the median"
        f" (median {np.median(slow):.3f}), the {len(others)} others from {min(others):.2f}"
    )


def main(folder: Path) -> None:
    for nodes, rate in ((4, 300), (8, 150), (12, 100), (24, 50)):
        name = f"figures-{nodes}"
        with VirtualCluster.up(nodes, RAILS, f"{rate}mbit", name) as cluster:
            what = f"{nodes} nodes x {RAILS} rails at {rate} Mbit/s"
            outcome = measure(cluster, folder / f"{name}.h5", "--sizes", "1MiB", "-n", "4")
            print(f"{what}: {describe(cluster, outcome)}", flush=True)
            if nodes != 12:
                continue
            both = measure(
                cluster, folder / "twice.h5", "--sizes", "1MiB", "-n", "4", ranks=2 * RAILS
            )
            print(f"{what}, 96 ranks: {describe(cluster, both)}", flush=True)
            port = slow_port(cluster, folder / "slow.h5", 5, 2)
            print(f"{what}, port of node 5 on rail 2 at 70 %: {port}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
