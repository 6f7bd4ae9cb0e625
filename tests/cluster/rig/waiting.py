# SPDX-License-Identifier: Apache-2.0
"""Waiting for what takes a moment on an idle machine and longer on a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE_S = 30.0


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as `holds()`; fail with `what` at the deadline."""
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end, f"not within {DEADLINE_S:.0f} s: {what}"
        time.sleep(0.02)
