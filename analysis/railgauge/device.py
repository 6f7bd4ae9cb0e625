# SPDX-License-Identifier: Apache-2.0
"""Time that the GPUs measured by themselves, beside that of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from railgauge.errors import DamagedRun
from railgauge.quantiles import ExactQuantiles
from railgauge.samples import SLAB_SAMPLES, SPAN_LIMIT_NS, Group, Samples
from railgauge.stats import MEDIAN, order_rank

Int64s = NDArray[np.int64]

DEVICE_COLUMN = "device_ns"


@dataclass(frozen=True, slots=True)
class DeviceTimes:
    """Medians over all samples of all ranks of a group, ns per operation.

    Attributes
    ----------
    median_ns : float
        Between the events on the GPU's stream around a sample.
    host_ns : float
        From the entry to completion on the host.
    host_minus_device_ns : float
        Of the differences, sample by sample, between the host's time and the device's: what
        launching and noticing the end took.
    """

    median_ns: float
    host_ns: float
    host_minus_device_ns: float


def device_times(samples: Samples, group: Group, per: int) -> DeviceTimes | None:
    """Compute the device times of a group; None where the case has none.

    Raises
    ------
    DamagedRun
        One is negative, no number, or past any plausible run.
    """
    if DEVICE_COLUMN not in samples.columns:
        return None
    count = group.iterations * len(group.ranks)
    if count <= SLAB_SAMPLES:
        ((device, host),) = _chunks(samples, group)
        medians = [_median(values) for values in (device, host, host - device)]
    else:
        lowest = min(int((host - device).min()) for device, host in _chunks(samples, group))
        medians = _medians_of_stream(samples, group, lowest, order_rank(count, MEDIAN))
    return DeviceTimes(*(m / per for m in medians))


def _median(values: Int64s) -> int:
    position = order_rank(values.size, MEDIAN)
    return int(np.partition(values, position)[position])


def _medians_of_stream(samples: Samples, group: Group, lowest: int, position: int) -> list[int]:
    wanted = [ExactQuantiles() for _ in range(3)]  # which take numbers from 0 on

    def parts() -> Iterator[tuple[Int64s, Int64s, Int64s]]:
        return ((d, host, host - d - lowest) for d, host in _chunks(samples, group))

    for values in parts():
        for exact, part in zip(wanted, values, strict=True):
            exact.add(part)
    for exact in wanted:
        exact.aim([position])
    while not all(e.resolved for e in wanted):
        for values in parts():
            for exact, part in zip(wanted, values, strict=True):
                exact.refine(part)
        for exact in wanted:
            exact.narrow()
    device, host, above = (e.value(position) for e in wanted)
    return [device, host, above + lowest]


def _chunks(samples: Samples, group: Group) -> Iterable[tuple[Int64s, Int64s]]:
    """Yield device and host time of some samples at a time, each of shape (n,)."""
    for device, elapsed in samples.parts(group, (DEVICE_COLUMN, "elapsed_ns")):
        checked = checked_integers(DEVICE_COLUMN, device, 0, SPAN_LIMIT_NS).reshape(-1)
        yield checked, elapsed.astype(np.int64).reshape(-1)


def checked_integers(name: str, values: NDArray[Any], low: int, beyond: int) -> Int64s:
    """Return a column's values as i64.

    Raises
    ------
    DamagedRun
        One is outside ``[low, beyond)`` or no number.
    """
    least, most = values.min(), values.max()  # NaN where there is one
    if not (least >= low and most < beyond):
        raise DamagedRun(f"{name} is damaged", f"it holds {least} to {most}", "Measure again.")
    checked: Int64s = values.astype(np.int64)
    return checked
