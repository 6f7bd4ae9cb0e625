# SPDX-License-Identifier: Apache-2.0
"""A Soft-RoCE guest for tests, which are skipped by name where none can run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rigs"))

from soft_roce import SoftRoce, why_not


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rdma: needs a Soft-RoCE guest")


@cache
def _reason() -> str | None:
    return why_not()


@pytest.fixture(scope="session")
def possible() -> None:
    """Skip where no guest can run."""
    reason = _reason()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of this machine that the common guest may write to."""
    return tmp_path_factory.mktemp("결과 폴더, writable")


@pytest.fixture(scope="session")
def common_guest(possible: None, writable: Path) -> Iterator[SoftRoce]:
    with SoftRoce.boot(rails=2, writable=[writable]) as guest:
        yield guest


@pytest.fixture
def guest(common_guest: SoftRoce) -> SoftRoce:
    """Return the one guest that tests share; whoever sets faults ends them."""
    return common_guest
