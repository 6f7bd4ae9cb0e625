# SPDX-License-Identifier: Apache-2.0
"""Time and peak memory of ``railgauge report`` on 1e8 samples: one case, and 100 cases.

    python tests/python/bench/report_1e8.py [--samples 100000000] [--folder /tmp]

Targets: at most 10 s and 2 GiB with the file in the page cache. Needs 1.7 GB of disk per shape.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from synthetic import CaseSpec, Plan, write_run

RANKS = 4


def back_to_back(spec: CaseSpec, rank: int, ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """Iterations of about ``spec.bytes`` ns with a log-normal tail, ranks up to 2 us apart."""
    rng = np.random.default_rng([spec.id, rank])
    start = np.arange(spec.iterations, dtype=np.int64) * (spec.bytes * 3)
    start += rng.integers(0, 2000, spec.iterations)
    tail = rng.lognormal(0.0, 0.25, spec.iterations)
    return start, (spec.bytes * tail).astype(np.int64) + 2000


def write(path: Path, cases: int, samples: int, time_ns: int) -> None:
    per_rank = samples // cases // RANKS
    specs = [
        CaseSpec(i, bytes=time_ns + i, iterations=per_rank, samples=back_to_back)
        for i in range(cases)
    ]
    write_run(path, Plan(specs, hosts=["n1", "n1", "n2", "n2"]))


def measure(path: Path) -> tuple[float, float, float]:
    """Return wall time and CPU time in s and peak memory in GiB of a report, page cache warm."""
    _warm(path)
    railgauge = Path(sys.executable).parent / "railgauge"
    started = time.monotonic()
    child = subprocess.Popen(
        [railgauge, "report", path, "-o", f"{path}.html"], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    if status:
        raise SystemExit(f"report ended with status {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / (1 << 20)


def _warm(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    options = parser.parse_args()
    for cases, time_ns in ((1, 9_000), (100, 9_000), (1, 200_000), (100, 200_000)):
        path = options.folder / f"railgauge-bench-{cases}-{time_ns}"
        try:
            # In a process of its own: a child starts with its parent's peak memory.
            arguments = (path, cases, options.samples, time_ns)
            writer = multiprocessing.get_context("spawn").Process(target=write, args=arguments)
            writer.start()
            writer.join()
            seconds, cpu, gib = measure(path)
            print(
                f"{cases:>4} cases, {options.samples:.0e} samples of {time_ns / 1e3:g} us: "
                f"{seconds:.2f} s ({cpu:.2f} s of CPU), peak {gib:.2f} GiB",
                flush=True,
            )
        finally:
            path.unlink(missing_ok=True)
            Path(f"{path}.html").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
