# SPDX-License-Identifier: Apache-2.0
"""Lives of communicators: what each step of making, using and closing one takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from railgauge.device import checked_integers
from railgauge.errors import DamagedRun
from railgauge.model import Case
from railgauge.samples import SLAB_SAMPLES, Group, Samples
from railgauge.stats import MEDIAN, order_rank

OPERATION = "communicator"
TIMES = ("init", "split", "register", "first", "finalize")
"""Steps in their order, each a sample column ``<step>_ns``."""

MEMORY = "memory"
_COLUMNS = {**{step: f"{step}_ns" for step in TIMES}, MEMORY: "memory_bytes"}
_NO_STEP = -1
_LIMIT = 1 << 62  # of ns and of bytes


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a group's communicators, ns, or its memory, B.

    Attributes
    ----------
    median : int
        Of the ranks' medians, each over its lives of a communicator.
    slowest : int
        Largest of these medians: the slowest rank, or the one that takes the most memory.
    """

    median: int
    slowest: int


Steps = dict[str, Step]
"""By name, `TIMES` and `MEMORY`; steps that the library does not have are absent."""


def is_communicator(case: Case) -> bool:
    """Tell whether a case's samples are lives of communicators."""
    return case.operation == OPERATION


def steps_of(samples: Samples, group: Group) -> Steps:
    """Compute the steps of a group's communicators; a value of -1 is a step that was not taken.

    Raises
    ------
    DamagedRun
        A value is less than -1, no number, or past any plausible one; or there are too many.
    """
    if group.iterations > SLAB_SAMPLES // 2:
        why = f"{group.iterations} lives of one communicator"
        raise DamagedRun("a case of communicators is refused", why, "Measure again.")
    found = {s: _step(samples, group, c) for s, c in _COLUMNS.items() if c in samples.columns}
    return {name: step for name, step in found.items() if step is not None}


def _step(samples: Samples, group: Group, name: str) -> Step | None:
    medians = []
    for rank in group.ranks:
        begin = int(samples.offsets[rank])
        raw = samples.columns[name].read(begin, begin + group.iterations)
        values = checked_integers(name, raw, _NO_STEP, _LIMIT)
        taken = values[values != _NO_STEP]
        if taken.size:
            position = order_rank(taken.size, MEDIAN)
            medians.append(int(np.partition(taken, position)[position]))
    medians.sort()
    return Step(medians[order_rank(len(medians), MEDIAN)], medians[-1]) if medians else None


STEP_COLUMNS = (
    *(f"{step}{end}" for step in TIMES for end in ("_us", "_slowest_us")),
    "memory_bytes",
    "memory_most_bytes",
)
"""Columns of the steps in tables, in the order of `step_numbers`."""


def step_numbers(steps: Steps) -> Iterator[float | int | None]:
    """Yield the values of `STEP_COLUMNS`: us and B, None for a step that was not taken."""
    for name in TIMES:
        step = steps.get(name)
        yield None if step is None else step.median / 1e3
        yield None if step is None else step.slowest / 1e3
    memory = steps.get(MEMORY)
    yield None if memory is None else memory.median
    yield None if memory is None else memory.slowest
