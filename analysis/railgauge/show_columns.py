# SPDX-License-Identifier: Apache-2.0
"""Which columns the table of ``railgauge show`` has: more where a run has more to say."""

from __future__ import annotations

from railgauge.communicators import is_communicator
from railgauge.device import DEVICE_COLUMN
from railgauge.errors import RailgaugeError
from railgauge.groups import is_split
from railgauge.load import Run
from railgauge.model import Case, Scalar
from railgauge.rows import CHOICES, DEVICE_BACKEND, UNKNOWN_CHANNELS
from railgauge.text import display_width, shorten

Column = tuple[str, str, int, str, int]
"""Heading, unit, width, key of the row, digits after the point."""

_WHAT: tuple[Column, ...] = (
    ("size", "(B)", 12, "bytes", 0),
    ("count", "(elements)", 12, "count", 0),
    ("type", "", 9, "dtype", 0),
    ("redop", "", 7, "redop", 0),
    ("root", "", 5, "root", 0),
)
_TIMES: tuple[Column, ...] = (
    ("time", "(us)", 10, "time_us", 2),
    ("algbw", "(GB/s)", 8, "algbw_GB_s", 3),
    ("busbw", "(GB/s)", 8, "busbw_GB_s", 3),
    ("#wrong", "", 7, "wrong_elements", 0),
    ("median", "(us)", 10, "median_us", 2),
    ("p99", "(us)", 10, "p99_us", 2),
    ("max", "(us)", 10, "max_us", 2),
    ("span", "(us)", 10, "median_from_first_entry_us", 2),
)
_DEVICE: tuple[Column, ...] = (
    ("device", "(us)", 10, "device_us", 2),
    ("host-dev", "(us)", 10, "host_minus_device_us", 2),
)
_CHOICES: tuple[Column, ...] = (
    ("algorithm", "", 12, "algorithm", 0),
    ("protocol", "", 9, "protocol", 0),
    ("channels", "", 9, "channels", 0),
)
_WIDEST_NAME = 40

DEVICE_NOTE = (
    "# device: median GPU time between the events around a sample, of all ranks; host-dev: median",
    "# of the host's time - that one.",
)
UNKNOWN_NOTE = "# Algorithm, protocol and channels: unknown, the library did not say."


def columns_of(run: Run) -> tuple[Column, ...]:
    """Return the columns of a run's table; those that it shares with every run first."""
    found = _WHAT
    if any(is_split(c) for c in run.cases):
        found += _group_columns(run)
    found += _TIMES
    if _has_device_times(run):
        found += _DEVICE
    if any(knows_choice(c) for c in run.cases):
        found += _CHOICES
    return found


def _group_columns(run: Run) -> tuple[Column, ...]:
    longest = max((display_width(r.host) for r in run.ranks), default=0)
    width = 2 + max(7, min(longest, _WIDEST_NAME))
    return ("group", "", width, "group_name", 0), ("active", "", max(10, width), "active", 0)


def _has_device_times(run: Run) -> bool:
    """Look into the first case of each backend: all of one backend are alike."""
    first = {c.backend: c for c in reversed(run.finished_cases) if not is_communicator(c)}
    for case in first.values():
        try:
            with run.samples(case) as samples:
                if DEVICE_COLUMN in samples.columns:
                    return True
        except RailgaugeError:
            continue  # the row of the case says so
    return False


def knows_choice(case: Case) -> bool:
    """Tell whether it is known what the library chose for a case."""
    values = [case.variables.get(n) for n in CHOICES]
    return any(v not in (None, "", UNKNOWN_CHANNELS) for v in values)


def hides_choice(run: Run) -> bool:
    """Tell whether the library could have said what it chose, and did not for any case."""
    asked = [c for c in run.cases if c.backend == DEVICE_BACKEND and CHOICES[0] in c.variables]
    return bool(asked) and not any(knows_choice(c) for c in run.cases)


_USUAL: dict[str, tuple[Scalar, ...]] = {
    "split": ("none",),
    "buffers": ("plain",),
    "aggregate": (1,),
    "graph": (0,),
    "cta_policy": ("default",),
    "min_ctas": (0, -1),
    "max_ctas": (0, -1),
    "traffic_class": (-1,),
}


def unusual_words(case: Case) -> list[str]:
    """Return what of a case's set-up is not the usual, for its heading."""
    found = []
    for name, usual in _USUAL.items():
        value = case.variables.get(name)
        if value is not None and value != "" and value not in usual:
            found.append(f"{name} {shorten(str(value), 40)}")
    return found
