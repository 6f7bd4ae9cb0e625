# SPDX-License-Identifier: Apache-2.0
"""Many senders into one shaped link: its rate, who got how much of it, and that all is right."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from incast_runs import PAYLOAD, Incast, read, run_incast, why_rates_mean_nothing
from virtual_cluster import Launch, VirtualCluster

pytestmark = pytest.mark.cluster

NODES = 9
ONE_EACH = Launch(ranks_per_node=1)
WINDOW = ("--warmup-duration", "500ms", "--sizes", "64KiB")
SECOND = ("--duration", "1s", "--depth", "4")
SLOW_NODE = 3


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=NODES, rails=1)


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


def measure(cluster: VirtualCluster, out: Path, *arguments: str) -> list[Incast]:
    done = run_incast(cluster, out, *WINDOW, *arguments, launch=ONE_EACH)
    assert done.returncode == 0, done.stderr
    cases = read(out)
    assert {case.status for case in cases} == {"done"}
    assert sum(case.wrong for case in cases) == 0
    return cases


def test_every_byte_of_every_sender_is_right_and_each_has_its_rows(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    for case in measure(
        cluster, tmp_path / "수렴.h5", *SECOND, "--senders", "2,8", "--queues", "1,4"
    ):
        assert case.checked > 0
        assert len(case.bytes_of) == case.senders
        assert min(case.bytes_of.values()) > 0


def test_together_senders_reach_the_receivers_rate_within_5_percent(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    line = PAYLOAD * cluster.layout.rate
    ratios: dict[int, list[float]] = {2: [], 4: [], 8: []}
    arguments = (*SECOND, "--senders", "2,4,8", "--queues", "1")
    for turn in range(3):
        for case in measure(cluster, tmp_path / f"{turn}.h5", *arguments):
            ratios[case.senders].append(case.rate / line)
    medians = {senders: float(np.median(values)) for senders, values in ratios.items()}
    print("into the receiver, of its payload rate:", medians)
    for senders, median in medians.items():
        assert median == pytest.approx(1, abs=0.05), senders


def test_a_sender_at_half_its_fair_share_shows_in_the_shares(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    if reason := why_rates_mean_nothing():
        pytest.skip(reason)
    # Half of what each of four would have; the others take the rest. With one message in flight
    # each, the receiver's queue has room for all, so that TCP's own unfairness is small.
    cluster.degrade_port(SLOW_NODE, 0, "12.5%")
    arguments = ("--senders", "4", "--queues", "1", "--depth", "1", "--duration", "2s")
    (case,) = measure(cluster, tmp_path / "run.h5", *arguments)
    shares = case.shares
    assert min(shares, key=shares.__getitem__) == SLOW_NODE
    assert shares[SLOW_NODE] == pytest.approx(0.5, abs=0.1)


def test_a_victim_at_the_same_receiver_is_slower_beside_the_incast_than_alone(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    arguments = (*SECOND, "--senders", "4", "--queues", "1", "--victim", "same-receiver")
    cases = measure(cluster, tmp_path / "run.h5", *arguments)
    trips = {case.congestion: case.trips_ns for case in cases}
    assert len(trips["alone"]) == 0
    assert np.median(trips["congested"]) > 2 * np.median(trips["isolated"])


def test_a_sender_that_dies_ends_the_job_and_what_was_measured_is_kept(
    bring_up, tmp_path: Path
) -> None:
    cluster = bring_up(nodes=4, rails=1, name=f"dying-{time.monotonic_ns()}")
    out = tmp_path / "run.h5"
    parts = Path(f"{out}.parts")

    def kill_a_sender() -> None:
        deadline = time.monotonic() + 60
        while not (parts / "0000.h5").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        cluster.kill(2)

    thread = threading.Thread(target=kill_a_sender)
    thread.start()
    arguments = (*WINDOW, *SECOND, "--senders", "3", "--queues", "1,2,3,4,5,6", "--timeout", "8s")
    done = run_incast(cluster, out, *arguments, launch=ONE_EACH)
    thread.join()
    assert done.returncode != 0
    report = json.loads((parts / "expired.json").read_text(encoding="utf-8"))
    assert 2 in {rank["rank"] for rank in report["ranks"] if rank["state"] in ("gone", "silent")}
    with h5py.File(parts / "0000.h5", "r") as part:
        assert part["cases"][0]["status"] == b"done"
