# SPDX-License-Identifier: Apache-2.0
"""Times of the device and of the host say the same of an operation."""

from __future__ import annotations

import numpy as np
from conftest import Measure, Samples

MANY = ("--op", "all_reduce", "--sizes", "4KiB", "-n", "20", "-w", "2")
RANKS = 3
LATE_US = 3000


def medians(samples: Samples, column: str) -> list[float]:
    """Of each rank."""
    return [float(np.median(samples.of_rank(rank, column))) for rank in range(RANKS)]


def test_the_device_takes_no_longer_than_the_host_waits(measure: Measure) -> None:
    ended = measure(*MANY, ranks=RANKS)
    assert ended.code == 0, ended.stderr
    for samples in ended.run.samples.values():
        device = medians(samples, "device_ns")
        elapsed = medians(samples, "elapsed_ns")
        assert min(device) > 0
        assert all(d <= 1.5 * e for d, e in zip(device, elapsed, strict=True)), (device, elapsed)


def test_a_batch_has_one_device_time_of_all_its_operations(measure: Measure) -> None:
    batch = 10
    ended = measure(
        *("--op", "all_reduce", "--sizes", "4KiB", "-n", "10", "-w", "1"),
        *("--mode", "batched", "--batch", str(batch)),
        ranks=RANKS,
        fault=f"1:*:slow:{LATE_US}",
    )
    assert ended.code == 0, ended.stderr
    # Each operation waits for the late rank, so that together they cannot be faster.
    least_ns = LATE_US * 1000 * (batch - 1)
    assert min(medians(ended.run.samples[0], "device_ns")) > least_ns


def test_a_late_rank_makes_the_operation_longer_on_all_ranks(measure: Measure) -> None:
    usual: dict[str, list[list[float]]] = {"device_ns": [], "elapsed_ns": []}
    late: dict[str, list[list[float]]] = {"device_ns": [], "elapsed_ns": []}
    for turn in range(2):  # by turns, so that what else goes on here slows both
        for times, fault in ((usual, ""), (late, f"1:*:slow:{LATE_US}")):
            ended = measure(*MANY, ranks=RANKS, fault=fault, out=f"{turn}{len(fault)}.h5")
            assert ended.code == 0, ended.stderr
            assert ended.run.cases[0]["wrong_elements"] == 0
            for column, found in times.items():
                found.append(medians(ended.run.samples[0], column))
    for column in usual:
        added = np.min(late[column], axis=0) - np.min(usual[column], axis=0)
        assert (added > LATE_US * 1000 * 0.6).all(), (column, usual, late)
        assert (added < LATE_US * 1000 * 10).all(), (column, usual, late)
