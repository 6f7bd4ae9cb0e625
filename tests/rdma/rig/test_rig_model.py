# SPDX-License-Identifier: Apache-2.0
"""What the rig works out before any guest runs."""

from __future__ import annotations

import subprocess

import pytest
from soft_roce import Down, DropEvery, Loss, Rate, SoftRoceError
from soft_roce.cli import main
from soft_roce.faults import faults_script
from soft_roce.rails import Rails
from soft_roce.requests import Stream

TOKEN = b"0123456789abcdef"
END = b"\0" + TOKEN + b" 7\n"


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("text", [b"", b"plain\n", b"\0", b"a\0" + TOKEN[:4] + b"\0\0b", b"\0" * 9])
def test_output_ends_at_its_mark_however_it_is_cut(text: bytes, size: int) -> None:
    stream = Stream(TOKEN)
    whole = text + END
    for at in range(0, len(whole), size):
        assert stream.code is None
        stream.feed(whole[at : at + size])
    assert (bytes(stream.text), stream.code) == (text, 7)


def test_output_is_passed_on_before_its_end() -> None:
    pieces: list[bytes] = []
    stream = Stream(TOKEN, pieces.append)
    stream.feed(b"early\0")
    assert pieces == [b"early"]
    stream.feed(b"late")
    assert pieces == [b"early", b"\0late"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_scripts_are_shell_and_name_every_rail(count: int) -> None:
    rails = Rails(count)
    faults = [Down(0, 1.5), Loss(1.5, count - 1), Rate(100, 0), DropEvery(50, 0)]
    for script in (rails.script(), faults_script(rails, faults)):
        subprocess.run(["bash", "-n", "-c", script], check=True, timeout=10)
        assert all(f"port{rail} " in script for rail in range(count))


def test_loss_and_rate_of_a_rail_are_one_queue() -> None:
    script = faults_script(Rails(2), [Loss(2, 1), Rate(100, 1)])
    assert "dev port1 root netem limit 20000 rate 100mbit loss 2%\n" in script
    assert "dev rail1 root netem limit 20000 rate 100mbit\n" in script
    assert "dev port0 root noqueue\n" in script


@pytest.mark.parametrize(
    "make", [lambda: DropEvery(1, 0), lambda: Loss(0, 0), lambda: Loss(101, 0), lambda: Rate(0, 0)]
)
def test_faults_that_mean_nothing_are_refused(make) -> None:
    with pytest.raises(SoftRoceError):
        make()


@pytest.mark.parametrize(
    "words",
    [
        ["--loss", "much", "--", "true"],
        ["--down", "rail", "--", "true"],
        ["--drop-every", "50:1", "--", "true"],
        ["--unreachable", "0", "--", "true"],
        ["--env", "1=2", "--", "true"],
        ["--rails", "2"],
    ],
)
def test_mistakes_on_the_command_line_are_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
