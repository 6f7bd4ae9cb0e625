# SPDX-License-Identifier: Apache-2.0
"""Virtual clusters for tests, which are skipped by name where none can be brought up."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rigs"))

from virtual_cluster import VirtualCluster, why_not

BringUp = Callable[..., VirtualCluster]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cluster: needs a virtual cluster, and so root")


@cache
def _reason() -> str | None:
    return why_not()


@pytest.fixture(scope="module")
def bring_up() -> Iterator[BringUp]:
    """Bring clusters up that stay until the module ends; the name is this process's by default."""
    reason = _reason()
    if reason:
        pytest.skip(reason)
    with ExitStack() as stack:

        def up(nodes: int, rails: int, rate: str = "100mbit", **more: str) -> VirtualCluster:
            name = more.pop("name", f"test-{os.getpid()}")
            return stack.enter_context(VirtualCluster.up(nodes, rails, rate, name, **more))

        yield up
