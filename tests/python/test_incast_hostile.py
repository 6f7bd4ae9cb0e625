# SPDX-License-Identifier: Apache-2.0
"""Runs of railgauge-incast that cannot be: what is damaged costs its case, with one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Railgauge
from synthetic_incast import Cluster, IncastCase, write_incast_run

from railgauge.incast_results import iterate_incast
from railgauge.load import open_run

import h5py  # isort: skip

HOSTS = ["n0", "n1", "n2", "n3", "n4", "n5"]
Change = Callable[[Any], None]


def put(name: str, place: Any, value: int) -> Change:
    def change(samples: Any) -> None:
        values = samples[name][...]
        values[place] = value
        del samples[name]
        samples[name] = values

    return change


def drop(name: str) -> Change:
    def change(samples: Any) -> None:
        del samples[name]

    return change


def as_nan(name: str) -> Change:
    def change(samples: Any) -> None:
        values = samples[name][...].astype("f8")
        values[3] = np.nan
        del samples[name]
        samples[name] = values

    return change


def together(*changes: Change) -> Change:
    def change(samples: Any) -> None:
        for one in changes:
            one(samples)

    return change


def lonely(samples: Any) -> None:
    samples["group"][...] = np.array([0, -1, -1, -1, -1, -1], "i4")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("completed_ns", 3, -1), "completed_ns of rank 1 holds -1 to"),
        (put("completed_ns", 3, 1 << 60), "completed_ns of rank 1 holds"),
        (put("completed_ns", 3, 1), "completed_ns of rank 1 runs backwards on a queue"),
        (put("completed_ns", slice(500, 501), 99_999_999), "runs backwards"),
        (put("elapsed_ns", 3, -5), "elapsed_ns of rank 1 holds -5 to"),
        (put("longest_ns", 3, 1), "longest_ns of rank 1 is below elapsed_ns"),
        (put("longest_ns", 3, 1 << 62), "longest_ns of rank 1 holds"),
        (put("bytes", 3, 1 << 63), "bytes of rank 1 hold 65536 to 9223372036854775808"),
        (put("bytes", 3, 7), "no requests x 65536"),
        (
            together(put("requests", 3, 1 << 39), put("bytes", 3, (1 << 39) * 65536)),
            "bytes of rank 1 hold",
        ),
        (put("requests", 3, 0), "requests of rank 1 holds 0 to"),
        (put("requests", 3, 1 << 63), "requests of rank 1 holds -"),
        (put("queue", 3, 1), "queue of rank 1 holds 0 to 1"),
        (put("queue", 3, 1 << 50), "queue of rank 1 holds 0 to 1125899906842624"),
        (put("queue", 3, -1), "queue of rank 1 holds -1 to"),
        (put("role", 3, 7), "rank 1 has role 7, which is 1"),
        (put("role", 3, 2), "rank 1 has role 2, which is 1"),
        (put("peer", 3, 2), "rank 1 has peer 2, which is 0"),
        (as_nan("completed_ns"), "no column completed_ns of integers"),
        (as_nan("bytes"), "no column bytes of integers"),
        (drop("requests"), "no column requests of integers"),
        (lonely, "3 send to rank 0, and 0 are there"),
    ],
)
def test_samples_that_cannot_be_cost_their_case_with_one_line(
    tmp_path: Path, railgauge: Railgauge, change: Change, reason: str
) -> None:
    cases = [IncastCase(0, change=change), IncastCase(1, matching="00000001")]
    run = write_incast_run(tmp_path / "run", Cluster(HOSTS), cases)
    broken, whole = iterate_incast(open_run(run))
    assert reason in broken.problem
    assert broken.receivers == ()
    assert len(whole.receivers) == 1
    shown = railgauge("show", run)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert sum(reason in line for line in shown.stdout.splitlines()) == 1
    checked = railgauge("check", run)
    assert checked.returncode == 3
    assert reason in checked.stdout


def test_a_queue_that_runs_backwards_from_one_block_to_the_next_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("railgauge.incast_reader.BLOCK_ROWS", 100)
    case = IncastCase(0, change=put("completed_ns", slice(100, 101), 1))
    (found,) = iterate_incast(open_run(write_incast_run(tmp_path / "r", Cluster(HOSTS), [case])))
    assert "completed_ns of rank 1 runs backwards on a queue" in found.problem


def variable(name: str, value: Any) -> Callable[[Path], None]:
    """Change a variable of the only case; floats make a column of floats."""

    def change(run: Path) -> None:
        with h5py.File(run, "r+") as file:
            rows = file["cases"][...]
            kind = "f8" if isinstance(value, float) else rows.dtype[name]
            kind = f"S{max(1, len(value))}" if isinstance(value, bytes) else kind
            types = [(n, kind if n == name else rows.dtype[n]) for n in rows.dtype.names]
            changed = np.zeros(rows.shape, types)
            for n in rows.dtype.names:
                changed[n] = value if n == name else rows[n]
            del file["cases"]
            file["cases"] = changed

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (variable("duration_ns", -1), "duration_ns is -1"),
        (variable("duration_ns", 1 << 60), "duration_ns is 1152921504606846976"),
        (variable("duration_ns", float("nan")), "duration_ns is"),
        (variable("bytes", 0), "bytes is 0"),
        (variable("queues", 1 << 40), "queues is 1099511627776"),
        (variable("receiver_ranks", b"0,0"), "receiver_ranks is '0,0' of 6 ranks"),
        (variable("receiver_ranks", b"9"), "receiver_ranks is '9' of 6 ranks"),
        (variable("receiver_ranks", b"1"), "rank 1 receives, and its group is 0"),
        (variable("receiver_ranks", b"-1"), "receiver_ranks is '-1'"),
        (variable("congestion", b"furious"), "congestion is 'furious'"),
        (variable("congestion", b"congested"), "it is congested and has no victim_ranks"),
        (variable("victim_ranks", b"1"), "victim_ranks is '1' of 6 ranks"),
        (variable("victim_ranks", b"4>4"), "victim_ranks is '4>4' of 6 ranks"),
        (variable("senders", 9), "9 send to rank 0, and 3 are there"),
    ],
)
def test_a_case_that_cannot_be_is_one_line(
    tmp_path: Path, railgauge: Railgauge, change: Callable[[Path], None], reason: str
) -> None:
    run = write_incast_run(tmp_path / "run", Cluster(HOSTS), [IncastCase(0)])
    change(run)
    shown = railgauge("show", run)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert sum(reason in line for line in shown.stdout.splitlines()) == 1
    assert railgauge("report", run, "-o", tmp_path / "page.html").returncode == 0


def test_a_window_of_weeks_does_not_take_memory_for_its_slices(tmp_path: Path) -> None:
    case = IncastCase(0)
    run = write_incast_run(tmp_path / "run", Cluster(HOSTS), [case])
    variable("duration_ns", (1 << 51) - 1)(run)
    ((receiver,),) = [r.receivers for r in iterate_incast(open_run(run))]
    assert receiver.plan.count * 3 <= 1 << 22
    assert receiver.plan.width_ns > 10_000_000
