# SPDX-License-Identifier: Apache-2.0
"""Clients that die, lie or know nothing end their own session and nothing else."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import pytest
from conftest import PROGRAM, Measure, Serve, Server, write_token

QUICK = ("--sizes", "4KiB", "--depth", "2", "-n", "3", "-w", "1")
ENDLESS = ("--sizes", "4KiB,8KiB", "--depth", "1", "-n", "2000000")


@contextmanager
def connection(server: Server) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as opened:
        yield opened


def assert_still_serves(server: Server, measure: Measure) -> None:
    done = measure(server, *QUICK).wait()
    assert done.code == 0, done.stderr + server.said()


def test_a_wrong_token_is_one_line_on_both_sides(
    tmp_path: Path, serve: Serve, measure: Measure
) -> None:
    server = serve()
    wrong = write_token(tmp_path / "wrong")
    done = measure(server, *QUICK, token=wrong).wait()
    assert done.code == 6
    assert "do not trust each other (their tokens differ)" in done.stderr
    assert "does not know the token" in server.wait_for("is refused")
    for text in (server.said(), done.stderr, done.stdout):
        assert wrong.read_text().strip() not in text
        assert server.token.read_text().strip() not in text
    assert_still_serves(server, measure)


def test_the_token_is_not_in_the_run(serve: Serve, measure: Measure) -> None:
    server = serve()
    job = measure(server, *QUICK)
    assert job.wait().code == 0
    assert server.token.read_bytes().strip() not in job.out.read_bytes()


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_token_that_others_may_read_is_refused(
    mode: int, tmp_path: Path, serve: Serve, measure: Measure
) -> None:
    token = write_token(tmp_path / "open", mode)
    done = measure(serve(), *QUICK, token=token).wait()
    assert done.code == 2
    assert "others than its owner may use it" in done.stderr


def test_a_killed_client_costs_only_its_session(serve: Serve, measure: Measure) -> None:
    server = serve()
    job = measure(server, *ENDLESS)
    server.wait_for("begins")
    time.sleep(0.5)
    for rank in job.ranks():
        os.kill(rank, signal.SIGKILL)
    server.wait_for(r"session with \S+: (?!begins)")
    job.wait()
    assert_still_serves(server, measure)


def test_a_killed_client_does_not_disturb_another_at_work(serve: Serve, measure: Measure) -> None:
    server = serve()
    victim = measure(server, *ENDLESS)
    server.wait_for("begins")
    other = measure(server, "--sizes", "4KiB", "--depth", "1", "-n", "2000")
    server.wait_for("begins", times=2)
    for rank in victim.ranks():
        os.kill(rank, signal.SIGKILL)
    assert other.wait().code == 0
    victim.wait()


def test_a_killed_server_is_named_and_finished_cases_are_kept(
    serve: Serve, measure: Measure
) -> None:
    server = serve()
    sizes = ",".join(str(size) for size in range(4096, 4196))
    job = measure(server, "--sizes", sizes, "--depth", "1", "-n", "50", ranks=2)
    job.wait_for_cases(3)
    address = server.address
    server.process.kill()
    done = job.wait()
    assert done.code != 0
    assert address in done.stderr, done.stderr
    measured = 0
    for part in job.parts():
        with h5py.File(part) as file:
            measured += len(file.get("samples", ()))
    assert measured >= 3


def test_a_server_that_stops_answering_is_noticed(serve: Serve, measure: Measure) -> None:
    server = serve()
    job = measure(server, *ENDLESS, "--timeout", "5s")
    server.wait_for("begins")
    time.sleep(1)
    server.process.send_signal(signal.SIGSTOP)
    done = job.wait()
    server.process.send_signal(signal.SIGCONT)
    assert done.code == 5, done.stderr


def test_a_client_that_falls_silent_is_dropped(serve: Serve, measure: Measure) -> None:
    server = serve("--idle", "2s")
    job = measure(server, *ENDLESS, "--timeout", "100s")
    server.wait_for("begins")
    time.sleep(1)
    for rank in job.ranks():
        os.kill(rank, signal.SIGSTOP)
    assert "nothing has come for 2 s" in server.wait_for("stands still")
    for rank in job.ranks():
        os.kill(rank, signal.SIGCONT)
    assert job.wait().code == 6


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"GET / HTTP/1.1\r\nHost: storage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        struct.pack(">I", 64) + bytes(64),
        struct.pack(">I", 0),
        struct.pack(">I", 0xFFFFFFFF) + bytes(1000),
        b"\0\0",
    ],
    ids=["http", "tls", "zeros for a proof", "an empty proof", "4 GiB announced", "half a length"],
)
def test_whoever_knows_no_token_is_refused_in_one_line(
    bytes_sent: bytes, serve: Serve, measure: Measure
) -> None:
    server = serve()
    with connection(server) as stranger:
        stranger.sendall(bytes_sent)
        stranger.shutdown(socket.SHUT_WR)
        try:
            while stranger.recv(4096):
                pass
        except ConnectionResetError:
            pass
    server.wait_for("session with")
    assert len(server.said().splitlines()) == 2, server.said()
    assert_still_serves(server, measure)


def test_a_port_scan_disturbs_nobody(serve: Serve, measure: Measure) -> None:
    server = serve()
    for _ in range(50):
        with connection(server):
            pass
    assert_still_serves(server, measure)


def test_silent_strangers_keep_no_client_out_for_long(serve: Serve, measure: Measure) -> None:
    server = serve()
    strangers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    assert_still_serves(server, measure)
    for stranger in strangers:
        stranger.close()


def test_a_client_without_a_place_is_told_so(serve: Serve, measure: Measure) -> None:
    server = serve("--most-sessions", "1")
    holder = measure(server, *ENDLESS)
    server.wait_for("begins")
    done = measure(server, *QUICK).wait()
    assert done.code == 6
    assert "the server has 1 sessions, its most" in done.stderr
    assert holder.process.poll() is None


def test_a_server_that_is_not_there_is_named(serve: Serve, measure: Measure) -> None:
    server = serve()
    address = server.address
    server.end()
    done = measure(server, *QUICK).wait()
    assert done.code == 6
    assert f"the server {address} cannot be reached" in done.stderr


def test_the_command_line_of_a_server_is_checked(tmp_path: Path) -> None:
    def refusal(*options: str) -> str:
        line = [PROGRAM, "--serve", *options]
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        return done.stderr

    token = write_token(tmp_path / "token")
    short = tmp_path / "short"
    short.write_text("too short\n")
    short.chmod(0o600)
    given = ("--token-file", str(token))
    assert "--listen is required" in refusal(*given)
    assert "is no address" in refusal(*given, "--listen", "127.0.0.1:99999")
    assert "it has less than 16 B" in refusal("--token-file", str(short), "--listen", "127.0.0.1:0")
    assert "cannot listen on 192.0.2.1:0" in refusal(*given, "--listen", "192.0.2.1:0")
