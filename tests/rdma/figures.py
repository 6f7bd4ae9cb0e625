#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""railgauge-pairs beside perftest and ucx_perftest, in one Soft-RoCE guest, run by hand.

Each cell (test, message size, queue pairs) is measured by both in turns, who begins changing from
round to round, with equal numbers of messages, depth and queue pairs. Printed are, per cell, the
median of the ratios railgauge / peer tool over all rounds with its 95 % interval, and the geometric
mean over the cells. Bandwidth should be at least, latency at most the peer's.

    python tests/rdma/figures.py --rounds 15 --tool perftest
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "rigs"), str(ROOT / "tests" / "rdma" / "rig")]

from perftest import figures, perftest  # noqa: E402
from soft_roce import Result, SoftRoce  # noqa: E402

PAIRS = ROOT / "build" / "release" / "bin" / "railgauge-pairs"
DEPTH = 16
ROUND_TRIPS = 1000
BYTES_PER_MEASUREMENT = 24 << 20  # about a third of a second on an emulated processor
MOST_MESSAGES = 8192


@dataclass(frozen=True)
class Cell:
    """What both sides measure: ``verb`` is railgauge's."""

    verb: str
    operation: str
    size: int
    queues: int = 1

    @property
    def name(self) -> str:
        return f"{self.operation} {self.verb} {self.size} B x {self.queues} QP"

    @property
    def windows(self) -> int:
        """Windows of DEPTH messages on each queue that make one measurement."""
        window = DEPTH * self.queues
        messages = min(MOST_MESSAGES, BYTES_PER_MEASUREMENT // self.size)
        return max(2, messages // window)


@dataclass(frozen=True)
class Tool:
    """A peer tool: how it measures a cell (MB/s of 1e6 B, or us of half a round trip)."""

    backend: str
    options: tuple[str, ...]
    cells: tuple[Cell, ...]
    measure: Callable[[SoftRoce, Cell], float]


def of_perftest(guest: SoftRoce, cell: Cell) -> float:
    """Measure a cell with ib_{write,read,send}_{bw,lat}: average bandwidth, typical latency."""
    is_latency = cell.operation == "latency"
    program = f"ib_{cell.verb}_{'lat' if is_latency else 'bw'}"
    options = ["-s", str(cell.size), "-u", "18"]
    if is_latency:
        return figures(perftest(guest, program, *options, "-n", str(ROUND_TRIPS)))[
            "t_typical[usec]"
        ]
    messages = cell.windows * DEPTH * cell.queues
    options += ["-n", str(messages // cell.queues), "-q", str(cell.queues), "-t", str(DEPTH)]
    done = figures(perftest(guest, program, *options))
    return done["BW_average[MB/sec]"] * 1.048576  # perftest's MB are 2^20 B


_UCX_TESTS = {
    ("bandwidth", "write"): "ucp_put_bw",
    ("bandwidth", "read"): "ucp_get",
    ("bandwidth", "send"): "tag_bw",
    ("latency", "write"): "ucp_put_lat",
    ("latency", "send"): "tag_lat",
}
_UCX_SCRIPT = """export UCX_TLS=rc_verbs,ud_verbs,self UCX_IB_GID_INDEX=0
UCX_NET_DEVICES=rxe1:1 ucx_perftest -p 13337 >/run/server 2>&1 & server=$!
until ss --listening --tcp --numeric | grep -q ':13337 '; do
    kill -0 $server || {{ cat /run/server; exit 1; }}
    sleep 0.05
done
UCX_NET_DEVICES=rxe0:1 ucx_perftest 127.0.0.1 -p 13337 -f {options} || exit
wait $server || {{ cat /run/server; exit 1; }}
"""


def of_ucx(guest: SoftRoce, cell: Cell) -> float:
    """Measure a cell with ucx_perftest: average bandwidth, typical latency."""
    is_latency = cell.operation == "latency"
    messages = ROUND_TRIPS if is_latency else cell.windows * DEPTH
    options = f"-t {_UCX_TESTS[cell.operation, cell.verb]} -s {cell.size} -n {messages} -w 100"
    if not is_latency:
        options += f" -O {DEPTH}"
    done = guest.run(_UCX_SCRIPT.format(options=options), 120)
    assert done.code == 0, done
    # Final: iterations, latency typical / average / overall, MB/s average / overall, messages/s
    numbers = done.stdout.split("Final:")[1].split()
    return float(numbers[1]) if is_latency else float(numbers[5]) * 1.048576


def of_railgauge(guest: SoftRoce, cell: Cell, tool: Tool) -> float:
    """Measure a cell with railgauge-pairs, rank 0 to rank 1: the same unit as the tools'."""
    is_latency = cell.operation == "latency"
    options = f"--op {cell.operation} --verb {cell.verb} --sizes {cell.size} --verify off"
    if is_latency:
        options += f" --iterations {ROUND_TRIPS} --warmup 20"
    else:
        options += f" --direction forward --depth {DEPTH} --queues {cell.queues}"
        options += f" --mode batched --batch {cell.windows} --iterations 1 --warmup 2"
    command = (
        f"{ROOT}/scripts/run-mpirun -n 2 --rail-map '*:rail%' {PAIRS} --pattern one-pair "
        f"--pair 0:1 --backend {tool.backend} {' '.join(tool.options)} {options} "
        f"--out /run/figures.h5 --overwrite"
    )
    return _value_of(guest.run(command, 120), cell, is_latency)


def _value_of(done: Result, cell: Cell, is_latency: bool) -> float:
    assert done.code == 0, done
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    depth = "1" if is_latency else str(DEPTH)
    row = next(row for row in rows if row[8:11] == [str(cell.size), depth, str(cell.queues)])
    return float(row[15]) if is_latency else float(row[13]) * 1000 / 8


def _cells(
    verbs: tuple[str, ...], latencies: tuple[str, ...], queues: tuple[int, ...]
) -> tuple[Cell, ...]:
    bandwidth = [
        Cell(verb, "bandwidth", size, qps)
        for verb in verbs
        for size in (4096, 65536, 1 << 20)
        for qps in queues
    ]
    return *bandwidth, *(Cell(verb, "latency", size) for verb in latencies for size in (8, 4096))


TOOLS = {
    "perftest": Tool(
        "verbs",
        ("--retry-timeout", "18"),
        _cells(("write", "read", "send"), ("write", "send"), (1, 4)),
        of_perftest,
    ),
    "ucx": Tool(
        "ucx",
        ("--ucx-tls", "rc_verbs,ud_verbs,self", "--gid-index", "0"),
        _cells(("write", "read", "send"), ("write", "send"), (1,)),
        of_ucx,
    ),
}


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the median by order statistics (binomial, p = 1/2)."""
    ordered = sorted(values)
    count = len(ordered)
    below = 0.0
    rank = 0
    while below + math.comb(count, rank) / 2**count <= 0.025:
        below += math.comb(count, rank) / 2**count
        rank += 1
    rank = max(0, rank - 1)
    return ordered[rank], ordered[count - 1 - rank]


def geometric_mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tool", choices=TOOLS, default="perftest")
    parser.add_argument("--only", default="", help="cells whose name contains this")
    given = parser.parse_args()
    tool = TOOLS[given.tool]
    cells = [cell for cell in tool.cells if given.only in cell.name]
    ratios: dict[Cell, list[float]] = {cell: [] for cell in cells}
    values: dict[Cell, list[tuple[float, float]]] = {cell: [] for cell in cells}
    with SoftRoce.boot(rails=2) as guest:
        for number in range(given.rounds):
            for cell in cells:
                if number % 2 == 0:
                    ours, peers = of_railgauge(guest, cell, tool), tool.measure(guest, cell)
                else:
                    peers, ours = tool.measure(guest, cell), of_railgauge(guest, cell, tool)
                ratios[cell].append(ours / peers)
                values[cell].append((ours, peers))
            print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
    print(f"{'cell':36} {'railgauge':>10} {'peer':>10} {'ratio':>7}  95 % interval")
    for cell in cells:
        low, high = interval(ratios[cell])
        ours = statistics.median(value[0] for value in values[cell])
        peers = statistics.median(value[1] for value in values[cell])
        middle = statistics.median(ratios[cell])
        print(f"{cell.name:36} {ours:10.2f} {peers:10.2f} {middle:7.3f}  {low:.3f} .. {high:.3f}")
    for operation in ("bandwidth", "latency"):
        medians = [statistics.median(ratios[cell]) for cell in cells if cell.operation == operation]
        if medians:
            mean = geometric_mean(medians)
            print(f"{operation}: geometric mean over {len(medians)} cells {mean:.3f}")


if __name__ == "__main__":
    main()
