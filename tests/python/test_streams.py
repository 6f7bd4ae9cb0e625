# SPDX-License-Identifier: Apache-2.0
"""A closed or full stream never looks like a verdict, and costs no run a byte."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import one_error_line
from synthetic import Plan, write_run

Shell = Callable[[str], subprocess.CompletedProcess[str]]

FULL = pytest.mark.skipif(
    not Path("/dev/full").is_char_device(), reason="this system has no /dev/full"
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run a line of bash in which ``railgauge`` is the command."""

    def run(line: str) -> subprocess.CompletedProcess[str]:
        command = f'railgauge() {{ {shlex.quote(sys.executable)} -m railgauge.cli "$@"; }}; {line}'
        return subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, timeout=60, cwd=tmp_path
        )

    return run


COMMANDS = ["check run", "show run", "show run --format json", "report run", "--help", "--version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_standard_output_is_one_line_and_no_verdict(
    finished: Path, shell: Shell, command: str
) -> None:
    before = finished.read_bytes()
    line = one_error_line(shell(f"railgauge {command} >&-"))
    assert "standard output cannot be written (it is closed)" in line
    assert ">/dev/null" in line
    assert finished.read_bytes() == before


@FULL
@pytest.mark.parametrize("buffering", ["", "PYTHONUNBUFFERED=1 "])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_standard_output_is_one_line_and_no_verdict(
    finished: Path, shell: Shell, command: str, buffering: str
) -> None:
    line = one_error_line(shell(f"{buffering}railgauge {command} >/dev/full"))
    assert "standard output cannot be written (No space left on device)" in line
    assert ">/dev/null" in line


@pytest.mark.parametrize("lost", ["2>&-", "<&- 2>&-", pytest.param("2>/dev/full", marks=FULL)])
def test_without_standard_error_the_exit_code_stays(
    finished: Path, tmp_path: Path, plan: Plan, shell: Shell, lost: str
) -> None:
    plan.cases[0].wrong, plan.cases[0].status = 3, "wrong"
    write_run(tmp_path / "wrong", plan)
    codes = {"show nosuch": 2, "fly": 2, "show run": 0, "check run": 0, "check wrong": 1}
    for command, code in codes.items():
        assert shell(f"railgauge {command} {lost}").returncode == code, command


def test_with_everything_closed_nothing_is_said_and_nothing_is_lost(
    finished: Path, shell: Shell
) -> None:
    before = finished.read_bytes()
    for command in ("check run", "show nosuch", "--help"):
        result = shell(f"railgauge {command} <&- >&- 2>&-")
        assert (result.returncode, result.stderr) == (2, "")
    assert finished.read_bytes() == before


def test_a_reader_that_leaves_early_changes_no_verdict(
    tmp_path: Path, plan: Plan, shell: Shell
) -> None:
    plan.cases[0].wrong, plan.cases[0].status = 3, "wrong"
    write_run(tmp_path / "wrong", plan)
    result = shell("railgauge check wrong | true; exit ${PIPESTATUS[0]}")
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.parametrize("name", ["/", "''", ".", "..", ".parts", "x" * 300])
@pytest.mark.parametrize("command", ["show", "check", "pack"])
def test_a_folder_for_a_run_is_a_mistake_with_a_remedy(
    shell: Shell, command: str, name: str
) -> None:
    line = one_error_line(shell(f"railgauge {command} {name}"))
    assert "bug" not in line
    assert line.endswith(("Give the path of a run.", "and the room on its disk."))
