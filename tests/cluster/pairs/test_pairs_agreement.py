# SPDX-License-Identifier: Apache-2.0
"""One direction of one link, measured by railgauge-pairs and by iperf3 in turn."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pairs_runs import read, run_pairs, why_rates_mean_nothing
from virtual_cluster import Launch, VirtualCluster
from virtual_cluster.layout import address

pytestmark = pytest.mark.cluster

TURNS = 3


@pytest.fixture(scope="module")
def cluster(bring_up) -> VirtualCluster:
    if not shutil.which("iperf3"):
        pytest.skip("iperf3 is missing: install iperf3")
    return bring_up(nodes=2, rails=1)


@pytest.fixture
def server(cluster: VirtualCluster) -> Iterator[None]:
    process = subprocess.Popen(
        cluster.command(1, ["iperf3", "--server", "--bind", address(1, 0)]),
        env=cluster.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 10
    while "5201" not in cluster.exec(1, ["ss", "-Hltn", "sport 5201"]).stdout:
        assert time.monotonic() < deadline, "iperf3 does not listen"
        time.sleep(0.05)
    yield
    process.terminate()
    process.wait(timeout=20)


def by_iperf3(cluster: VirtualCluster) -> float:
    """bit/s of payload that the receiver counted in 2 s after 1 s of start."""
    command = ["iperf3", "--client", address(1, 0), "--time", "2", "--omit", "1", "--json"]
    done = cluster.exec(0, command)
    assert done.returncode == 0, done.stdout
    return float(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"])


def by_pairs(cluster: VirtualCluster, out: Path) -> float:
    arguments = ["--pattern", "one-pair", "--pair", "0:1", "--direction", "forward"]
    arguments += ["--sizes", "1MiB", "--depth", "1", "--mode", "batched", "--batch", "8"]
    done = run_pairs(
        cluster,
        out,
        *arguments,
        "-n",
        "3",
        "-w",
        "2",
        "--overwrite",
        launch=Launch(ranks_per_node=1),
    )
    assert done.returncode == 0, done.stderr
    return read(out).rate((0, 1, 0))


def test_one_direction_agrees_with_iperf3_within_3_percent(
    cluster: VirtualCluster, server: None, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    theirs, ours = [], []
    for _ in range(TURNS):
        theirs.append(by_iperf3(cluster))
        ours.append(by_pairs(cluster, tmp_path / "run.h5"))
    ratio = np.median(ours) / np.median(theirs)
    print(f"railgauge-pairs / iperf3: {ratio:.4f} (medians of {TURNS})")
    assert ratio == pytest.approx(1, abs=0.03)
