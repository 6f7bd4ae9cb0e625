# SPDX-License-Identifier: Apache-2.0
"""A collective that hangs ends the job in time, named with case, operation, size and phase."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest
from conftest import Ended, Measure

DEADLINE_S = 2
DEADLINE = ("--timeout", f"{DEADLINE_S}s")
END_S = 5  # after the deadline, the longest that a job may take to end
FEW = ("--op", "all_reduce", "--sizes", "4KiB", "-n", "30", "-w", "4")
CASE = "all_reduce/nccl/cuda/float32/sum/out/4096"


def expect_end_in_time(ended: Ended) -> None:
    """It expired, and soon after its deadline."""
    assert ended.code == 5, ended.stderr
    assert ended.seconds_since_progress < DEADLINE_S + END_S


@pytest.mark.parametrize(
    ("fault", "phase"),
    [
        ("0:*:hang", "check_before"),
        ("1:3:hang", "warmup"),
        ("1:20:hang", "timed"),
        ("1:35:hang", "check_after"),
    ],
)
def test_a_hang_is_named_with_case_operation_size_and_phase(
    fault: str, phase: str, measure: Measure
) -> None:
    ended = measure(*FEW, *DEADLINE, fault=fault)
    expect_end_in_time(ended)
    assert ended.said(f"case {CASE}", "operation all_reduce", "4096 bytes", f"phase {phase}")
    report = ended.expiry
    assert (report["case_name"], report["operation"]) == (CASE, "all_reduce")
    assert (report["bytes"], report["phase"], report["deadline_s"]) == (4096, phase, DEADLINE_S)
    assert [rank["rank"] for rank in report["ranks"]] == [0, 1]
    for rank in report["ranks"]:
        assert (rank["phase"], rank["library_error"]) == (phase, "none")
    # The stream waits, not the host: every rank issued the same operation.
    assert len({rank["sequence"] for rank in report["ranks"]}) == 1


def test_a_hang_of_one_group_ends_all(measure: Measure) -> None:
    hang = '[ "$OMPI_COMM_WORLD_RANK" != 3 ] || export RAILGAUGE_DOUBLE_FAULT=1:20:hang'
    ended = measure(*FEW, *DEADLINE, "--split", "pair", ranks=4, rank_setting=hang)
    expect_end_in_time(ended)
    assert ended.said(f"case {CASE}/pair/together", "phase timed")


def test_finished_cases_outlive_a_hang_and_the_run_is_resumed(measure: Measure) -> None:
    plan = ("--op", "all_reduce", "--sizes", "4KiB,8KiB", "-n", "2", "-w", "1")
    ended = measure(*plan, *DEADLINE, fault="1:7:hang")
    expect_end_in_time(ended)
    assert ended.finished_parts == ["0000.h5"]
    resumed = measure(*plan, "--resume")
    assert resumed.code == 0, resumed.stderr
    assert [case["status"] for case in resumed.run.cases] == ["done", "done"]


def test_a_communicator_that_never_comes_up_is_named_as_setup(measure: Measure) -> None:
    ended = measure(*FEW, *DEADLINE, ranks=3, fault="1:init:hang")
    expect_end_in_time(ended)
    assert ended.said("phase setup"), ended.stderr
    assert ended.expiry["phase"] == "setup"


class Monitor:
    """NCCL's RAS service, as far as a job that hangs talks to it."""

    REPLY = '{"nccl_version":"2.28.9",\n "communicators":[{"hash":"0x판교","missing_ranks":[1]}]}\n'

    def __init__(self) -> None:
        self.said: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with (
                contextlib.suppress(OSError),  # the job gave up and is gone
                connection,
                connection.makefile("rw", encoding="utf-8") as lines,
            ):
                self._answer(lines)

    def _answer(self, lines: TextIO) -> None:
        replies = {"CLIENT": "SERVER PROTOCOL 2\n", "VERBOSE": self.REPLY}
        for line in lines:
            self.said.append(line.rstrip("\n"))
            lines.write(replies.get(line.split()[0], "OK\n"))
            lines.flush()
            if line.startswith("VERBOSE"):
                return

    def close(self) -> None:
        """Takes no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=5)


@pytest.fixture
def monitor() -> Iterator[Monitor]:
    service = Monitor()
    yield service
    service.close()


def test_what_the_library_s_monitor_says_of_a_hang_is_kept(
    monitor: Monitor, measure: Measure
) -> None:
    for attempt in range(3):
        ended = measure(
            *(*FEW, *DEADLINE),
            fault="1:10:hang",
            environment={"NCCL_RAS_ADDR": monitor.address},
            out=f"{attempt}.h5",
        )
        expect_end_in_time(ended)
        assert monitor.said[0] == "CLIENT PROTOCOL 2"
        if "library_monitor" in ended.expiry:
            assert ended.expiry["library_monitor"] == monitor.REPLY
            assert monitor.said[-1] == "VERBOSE STATUS"
            return
    pytest.skip("this machine is too busy for a monitor to answer within a second")
