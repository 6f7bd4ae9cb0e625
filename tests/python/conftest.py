# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures: small runs of known contents, and the switch that refreshes golden outputs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import Plan, sweep, write_run

from railgauge import cli

ROOT = Path(__file__).resolve().parents[2]
Railgauge = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--generate", action="store_true", help="rewrite tests/golden")


@pytest.fixture
def plan() -> Plan:
    """Two operations x three sizes on four ranks of two nodes."""
    return Plan(sweep(["all_reduce", "broadcast"], [8, 1024, 65536], iterations=50))


@pytest.fixture
def finished(tmp_path: Path, plan: Plan) -> Path:
    return write_run(tmp_path / "run", plan)


@pytest.fixture
def railgauge(capfd: pytest.CaptureFixture[str]) -> Railgauge:
    """Run a command in the forked child that it makes anyway, without starting Python anew."""

    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(a) for a in arguments]
        capfd.readouterr()
        code = cli.main(command)
        output, errors = capfd.readouterr()
        return subprocess.CompletedProcess(command, code, output, errors)

    return call


@pytest.fixture
def railgauge_process() -> Railgauge:
    """Run a command as a person does; ``env`` and other options go to subprocess.run."""

    def call(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "railgauge.cli", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=120, **options
        )  # type: ignore[call-overload, no-any-return]

    return call


def one_error_line(result: subprocess.CompletedProcess[str]) -> str:
    """Assert that a command failed as the project's errors do, and return its line."""
    assert result.returncode == 2, result.stdout + result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("railgauge: ")
    return lines[0]
