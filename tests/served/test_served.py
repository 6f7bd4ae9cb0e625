# SPDX-License-Identifier: Apache-2.0
"""Ranks write into and read from a receiver that belongs to no job; every byte is verified."""

from __future__ import annotations

import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from conftest import PROGRAM, Measure, Serve

QUICK = ("--sizes", "4KiB,100000", "--depth", "3", "-n", "3", "-w", "1")


def column(run: h5py.File, name: str) -> np.ndarray:
    """Return a column of /cases, texts as str."""
    values = run["cases"][name]
    return values.astype(str) if values.dtype.kind in "SO" else values


def is_trip(run: h5py.File) -> np.ndarray:
    """Return which cases are a message there and one back."""
    return (column(run, "operation") == "latency") & (column(run, "verb") == "write")


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ranks_write_and_read_at_once_and_every_byte_is_right(
    ranks: int, serve: Serve, measure: Measure
) -> None:
    server = serve()
    options = (*QUICK, "--verb", "write,read", "--op", "bandwidth,latency", "--queues", "1,2")
    job = measure(server, *options, ranks=ranks)
    done = job.wait()
    assert done.code == 0, done.stderr + server.said()
    with h5py.File(job.out) as run:
        assert set(column(run, "status")) == {"done"}
        assert set(column(run, "pairs")) == {ranks}
        assert set(column(run, "served_host")) == {server.address}
        # A round trip by write is verified at both ends.
        ends = np.where(is_trip(run), 2, 1)
        checked = 2 * ranks * ends * column(run, "algbw_bytes")
        assert np.array_equal(column(run, "checked_elements"), checked)
        assert {tuple(group["group"][:]) for group in run["samples"].values()} == {
            tuple(range(ranks))
        }
        assert all(np.all(group["peer"][:] == -1) for group in run["samples"].values())
    server.wait_for("session .* ends", times=ranks)


def test_many_operations_without_a_pause_are_answered_one_by_one(
    serve: Serve, measure: Measure
) -> None:
    server = serve()
    options = ("--op", "latency,bandwidth", "--verb", "write,read", "--sizes", "64", "-n", "20")
    done = measure(server, *options, "--mode", "batched", "--batch", "50", ranks=2).wait()
    assert done.code == 0, done.stderr + server.said()


def test_ranks_one_by_one_share_a_single_place(serve: Serve, measure: Measure) -> None:
    server = serve("--most-sessions", "1")
    job = measure(server, *QUICK, "--rails", "one-by-one", ranks=3)
    done = job.wait()
    assert done.code == 0, done.stderr + server.said()
    with h5py.File(job.out) as run:
        assert sorted(set(column(run, "round"))) == [0, 1, 2]
        assert set(column(run, "pairs")) == {1}


def test_the_table_names_rank_and_server(serve: Serve, measure: Measure) -> None:
    server = serve()
    done = measure(server, *QUICK, "--verb", "write,read").wait()
    rows = [line for line in done.stdout.splitlines() if "bandwidth" in line and line[0] != "#"]
    assert rows[0].endswith(f") -> {server.address}"), done.stdout
    assert f"{server.address} -> rank 0 (" in rows[-1]


def test_a_case_beyond_the_servers_limit_is_skipped_and_the_next_is_measured(
    serve: Serve, measure: Measure
) -> None:
    server = serve("--memory-limit", "100KiB")
    job = measure(server, "--sizes", "4KiB,1MiB,8KiB", "--depth", "1", "-n", "3", ranks=2)
    done = job.wait()
    assert done.code == 0, done.stderr
    with h5py.File(job.out) as run:
        assert list(column(run, "status")) == ["done", "done", "skipped"]
        assert "a session has 100 KiB (--memory-limit)" in column(run, "reason")[2]


def test_another_memory_than_the_servers_is_refused_naming_it(
    serve: Serve, measure: Measure
) -> None:
    server = serve()
    done = measure(server, *QUICK, "--served-memory", "huge").wait()
    assert "this server's is host" in done.stdout


def test_a_server_ends_after_its_last_session(serve: Serve, measure: Measure) -> None:
    server = serve("--sessions", "2")
    assert measure(server, *QUICK, ranks=2).wait().code == 0
    assert server.process.wait(60) == 0


def test_a_server_listens_on_ipv6(serve: Serve, measure: Measure) -> None:
    server = serve(listen="[::1]:0")
    assert server.address.startswith("[::1]:")
    assert measure(server, *QUICK).wait().code == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_and_tells_the_ranks(
    number: signal.Signals, code: int, serve: Serve, measure: Measure
) -> None:
    server = serve()
    job = measure(server, "--sizes", "4KiB", "--depth", "1", "-n", "2000000")
    server.wait_for("begins")
    time.sleep(0.5)
    begin = time.monotonic()
    assert server.end(number) == code
    assert time.monotonic() - begin < 20
    done = job.wait()
    assert done.code == 6, done
    assert any(f"the server {server.address}" in line for line in done.own_lines), done.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--verb", "send"), "pattern served cannot measure --verb send"),
        (("--direction", "both"), "leave --direction out"),
    ],
)
def test_what_a_server_would_have_to_act_for_is_refused(
    options: tuple[str, ...], problem: str, serve: Serve, measure: Measure
) -> None:
    done = measure(serve(), *QUICK, *options).wait()
    assert done.code == 2
    assert problem in done.own_lines[-1], done.stderr


def test_help_needs_no_server() -> None:
    done = subprocess.run(
        [PROGRAM, "--serve", "--help"], capture_output=True, text=True, check=True
    )
    assert "--memory-limit" in done.stdout
