# SPDX-License-Identifier: Apache-2.0
"""A command in the guest is as one here: output, exit code, directory, files, variables."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest
from soft_roce import SoftRoce

pytestmark = pytest.mark.rdma


def test_exit_code_and_both_outputs_come_back(guest: SoftRoce) -> None:
    done = guest.run("echo out; echo err >&2; printf 'no newline'; exit 7")
    assert (done.code, done.stdout, done.stderr) == (7, "out\nno newline", "err\n")
    assert not done.timed_out


def test_bytes_of_any_kind_come_back(guest: SoftRoce) -> None:
    pieces: list[bytes] = []
    guest.run(r"printf 'a\0b\0\0\xff한\r\n\0'", stdout=pieces.append)
    assert b"".join(pieces) == b"a\0b\0\0\xff" + "한\r\n\0".encode()


def test_much_output_comes_back_whole(guest: SoftRoce) -> None:
    done = guest.run("seq 200000; seq 100000 >/dev/stderr")
    assert done.stdout.splitlines() == [str(number) for number in range(1, 200001)]
    assert done.stderr.endswith("\n100000\n")


def test_output_comes_while_the_command_runs(guest: SoftRoce) -> None:
    arrived: list[float] = []
    guest.run("echo one; sleep 1; echo two", stdout=lambda _: arrived.append(time.monotonic()))
    assert arrived[-1] - arrived[0] > 0.5


def test_words_and_variables_arrive_as_they_are(guest: SoftRoce) -> None:
    words = ["a b", "it's", "$HOME", "", "새 이름", "*"]
    done = guest.run(["printf", r"%s\n", *words])
    assert done.stdout == "".join(f"{word}\n" for word in words)
    assert guest.run('printf %s "$X"', environment={"X": "a 'b'\n$c"}).stdout == "a 'b'\n$c"


def test_a_command_runs_in_our_directory_on_our_files(guest: SoftRoce) -> None:
    assert guest.run(["pwd"]).stdout == f"{Path.cwd()}\n"
    assert guest.run(["cat", __file__]).stdout == Path(__file__).read_text()


def test_only_the_writable_folder_keeps_what_is_written(guest: SoftRoce, writable: Path) -> None:
    here = Path(__file__).with_name("written by the guest")
    done = guest.run(["bash", "-c", 'echo x | tee "$0" >"$1"', str(here), str(writable / "파일")])
    assert done.code == 0, done
    assert (writable / "파일").read_text() == "x\n"
    assert guest.run(["cat", str(here)]).stdout == "x\n"
    assert not here.exists()


def test_a_file_we_write_to_the_folder_is_seen_at_once(guest: SoftRoce, writable: Path) -> None:
    file = writable / "later"
    for text in ("", "first", "second"):
        if text:
            file.write_text(text)
        assert guest.run(f"cat {shlex.quote(str(file))} 2>/dev/null").stdout == text


def test_a_command_that_hangs_ends_at_its_deadline_with_what_it_printed(guest: SoftRoce) -> None:
    done = guest.run("echo before; trap '' TERM; sleep 600; sleep 600", deadline_s=1)
    assert (done.code, done.stdout, done.timed_out) == (124, "before\n", True)


def test_an_exit_code_of_124_is_no_deadline(guest: SoftRoce) -> None:
    done = guest.run("exit 124")
    assert (done.code, done.timed_out) == (124, False)


def test_what_a_command_leaves_running_ends_with_it(guest: SoftRoce, writable: Path) -> None:
    beat = writable / "beat"
    loop = f"while sleep 0.1; do date +%N >{shlex.quote(str(beat))}; done"
    guest.run(f"setsid bash -c {shlex.quote(loop)} & sleep 1")
    last = beat.read_text()
    guest.run(["sleep", "0.5"])
    assert beat.read_text() == last


def test_the_guest_is_a_host_of_its_own(guest: SoftRoce) -> None:
    assert guest.run(["hostname"]).stdout == "soft-roce\n"
    assert guest.run(["uname", "-r"]).stdout.strip() != os.uname().release
