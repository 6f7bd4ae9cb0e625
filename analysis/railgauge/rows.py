# SPDX-License-Identifier: Apache-2.0
"""One flat row per case and group: what the tables of every output are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from railgauge.communicators import STEP_COLUMNS, is_communicator, step_numbers
from railgauge.groups import is_split
from railgauge.load import Run
from railgauge.model import Check, RunInfo, Status
from railgauge.results import CaseResult, GroupResult, algbw_gb_s, busbw_gb_s
from railgauge.stats import CLOCK_SHARE_SHOWN, clock_share

Row = dict[str, str | int | float | None]

RIG_MARK = "RIG"
DEVICE_BACKEND = "nccl"
"""The backend whose cases have device times."""
UNKNOWN_CHANNELS = -1
CHOICES = ("algorithm", "protocol", "channels")
"""What a library chose for a case, where it says so."""
DEVICE_COLUMNS = ("device_us", "host_minus_device_us")
_EXTRA_COLUMNS = {"group_name", *DEVICE_COLUMNS, *STEP_COLUMNS}


def watermark(info: RunInfo) -> str:
    """Return the line that marks a rig's numbers, empty for hardware."""
    if not info.is_rig:
        return ""
    return f"{RIG_MARK}: origin {info.origin}, not a measurement of hardware"


def rows(results: Iterable[CaseResult]) -> Iterator[Row]:
    """Yield a row per case and group; an unfinished case has one row without numbers."""
    for result in results:
        for group in result.groups or (None,):
            yield row(result, group)


def row(result: CaseResult, group: GroupResult | None) -> Row:
    """Flatten one case and one of its groups; times in us per operation, bandwidths in GB/s."""
    case = result.case
    found: Row = {
        "case": case.id,
        "name": case.name,
        "status": str(case.status),
        "reason": case.reason or result.problem,
        "benchmark": case.benchmark,
        "operation": case.operation,
        "backend": case.backend,
        "memory": case.memory,
    }
    taken = found.keys() | _EXTRA_COLUMNS
    found.update({k: v for k, v in case.variables.items() if k not in taken})
    channels = found.get("channels")
    if "channels" in found and not (isinstance(channels, int) and channels > UNKNOWN_CHANNELS):
        found["channels"] = None
    found.update(_numbers(result, group))
    found.update(_extras(result, group))
    found.update(
        pipelined=case.pipelined,
        ops_per_sample=case.ops_per_sample,
        checked_elements=case.checked_elements,
        wrong_elements=case.wrong_elements,
    )
    if group is not None and group.check is not None:
        found.update(_checked(result, group.check))
    return {k: plain(v) for k, v in found.items()}


def _checked(result: CaseResult, check: Check) -> Row:
    """Return what a group's own check rounds say, where its case says it of all groups."""
    found: Row = {
        "checked_elements": check.checked_elements,
        "wrong_elements": check.wrong_elements,
    }
    if result.case.status == Status.WRONG:
        wrong = check.wrong_elements > 0
        counts = f"{check.wrong_elements} of {check.checked_elements} checked elements are wrong"
        found["status"] = str(Status.WRONG if wrong else Status.DONE)
        found["reason"] = counts if wrong else result.problem
    return found


def _extras(result: CaseResult, group: GroupResult | None) -> Row:
    """Return the columns that only cases of some kinds have, whether they are measured or not."""
    found: Row = {}
    if is_split(result.case):
        found["group_name"] = None if group is None else group.name
    if is_communicator(result.case):
        found["algbw_GB_s"] = None
        found.update(zip(STEP_COLUMNS, step_numbers(group.steps if group else {}), strict=True))
    elif result.case.backend == DEVICE_BACKEND or (group and group.device):
        device = group.device if group else None
        found["device_us"] = None if device is None else device.median_ns / 1e3
        found["host_minus_device_us"] = (
            None if device is None else device.host_minus_device_ns / 1e3
        )
    return found


def _numbers(result: CaseResult, group: GroupResult | None) -> Row:
    if group is None:
        return dict.fromkeys(NUMBER_COLUMNS)
    time, case = group.time, result.case
    values = (
        group.group.id,
        len(group.group.ranks),
        time.n,
        time.mean / 1e3,
        time.minimum / 1e3,
        _us(time.shown(0.05)),
        time.median / 1e3,
        _us(time.median_low),
        _us(time.median_high),
        _us(time.shown(0.95)),
        _us(time.shown(0.99)),
        _us(time.shown(0.999)),
        time.maximum / 1e3,
        group.median_from_first_entry_ns / 1e3,
        group.outliers,
        _us(max((v for v in group.lateness_ns.values() if v is not None), default=None)),
        group.clock_bound_ns / 1e3,
        100 * clock_share(group.clock_bound_ns, time.median * case.ops_per_sample),
        algbw_gb_s(case, time.median),
        busbw_gb_s(case, time.median),
    )
    return dict(zip(NUMBER_COLUMNS, values, strict=True))


NUMBER_COLUMNS = (
    "group",
    "measured_ranks",
    "iterations",
    "time_us",
    "min_us",
    "p5_us",
    "median_us",
    "median_low_us",
    "median_high_us",
    "p95_us",
    "p99_us",
    "p99_9_us",
    "max_us",
    "median_from_first_entry_us",
    "outliers",
    "largest_lateness_us",
    "clock_error_us",
    "clock_percent",
    "algbw_GB_s",
    "busbw_GB_s",
)


CLOCK_MARK = "~clock"
CLOCK_NOTE = (
    f"{CLOCK_MARK}: the clocks of the nodes may differ by more than "
    f"{100 * CLOCK_SHARE_SHOWN:.0f} % of the median, so time, algbw and busbw may be off by it."
)


def clock_mark(row: Row) -> str:
    """Return the mark of a row whose time the error of the clocks blurs, else nothing."""
    percent = row["clock_percent"]
    blurred = isinstance(percent, float) and percent > 100 * CLOCK_SHARE_SHOWN
    return CLOCK_MARK if blurred else ""


def _us(value_ns: float | None) -> float | None:
    return None if value_ns is None else value_ns / 1e3


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: None for a number that is none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def run_document(run: Run) -> dict[str, Any]:
    """Return what every JSON output says about its run."""
    info = run.info
    return {
        "name": run.name,
        "schema": info.schema,
        "program": info.program,
        "version": info.version,
        "git_revision": info.git_revision,
        "argv": list(info.argv),
        "origin": info.origin,
        "rig": info.is_rig,
        "watermark": watermark(info),
        "started_utc": info.started_utc,
        "finished_utc": info.finished_utc,
        "interrupted": run.interrupted,
        "ranks": info.ranks,
        "nodes": info.nodes,
        "cases_planned": len(run.cases),
        "cases_finished": len(run.finished_cases),
        "expired": run.expired.text if run.expired else None,
        "notices": run.notices,
        "problems": run.problems,
    }
