# SPDX-License-Identifier: Apache-2.0
"""railgauge-pairs over verbs and UCX between two rails: every byte, losses, and what ends a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import h5py
import pytest
from soft_roce import DropEvery, Loss, Result, SoftRoce, Unreachable

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
PAIRS = ROOT / "build" / "release" / "bin" / "railgauge-pairs"
RAILGAUGE = ROOT / ".venv" / "bin" / "railgauge"
PLAN = "--pattern one-pair --pair 0:1 --warmup 1"
FEW = "--iterations 3"
# A guest that pauses longer than an acknowledgement may take sends all again, and rxe gets
# messages of many packets wrong then.
PATIENT = "--retry-timeout 18"
UCX = "--backend ucx --ucx-tls rc_verbs,ud_verbs,self --gid-index 0"


@pytest.fixture(scope="module")
def guest_and_folder(common_guest: SoftRoce, writable: Path) -> tuple[SoftRoce, Path]:
    if not PAIRS.exists():
        pytest.skip(f"{PAIRS} is missing: build it")
    return common_guest, writable


class Guest:
    """Two ranks of the guest, rank k on rail k."""

    def __init__(self, guest: SoftRoce, folder: Path) -> None:
        self.guest = guest
        self.out = folder / "pairs 결과.h5"

    def run(self, options: str, *, before: str = "", deadline_s: float = 120) -> Result:
        """Run railgauge-pairs, after the shell commands ``before``."""
        command = (
            f"{before} {ROOT}/scripts/run-mpirun -n 2 --rail-map '*:rail%' -- {PAIRS} {PLAN} "
            f"{options} --out '{self.out}' --overwrite"
        )
        return self.guest.run(command, deadline_s)

    def read_by(self, command: str) -> str:
        """Return what ``railgauge COMMAND`` prints of the run."""
        program = [RAILGAUGE, command, self.out]
        done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout


@pytest.fixture
def pair(guest_and_folder: tuple[SoftRoce, Path]) -> Guest:
    return Guest(*guest_and_folder)


def statuses(out: Path) -> list[tuple[str, int, int]]:
    """Return the status, checked and wrong elements of every planned case."""
    with h5py.File(out) as run:
        table = run["cases"][()]
    names = [column.lower() for column in table.dtype.names]
    rows = [dict(zip(names, row, strict=True)) for row in table.tolist()]
    return [
        (row["status"].decode(), int(row["checked_elements"]), int(row["wrong_elements"]))
        for row in rows
    ]


def assert_all_bytes_right(out: Path, cases: int) -> None:
    found = statuses(out)
    assert len(found) == cases
    for status, checked, wrong in found:
        assert (status, wrong) == ("done", 0)
        assert checked > 0


@pytest.mark.parametrize("backend", [f"--backend verbs --queues 1,5 {PATIENT}", UCX])
def test_every_byte_of_every_verb_arrives(pair: Guest, backend: str) -> None:
    options = f"{backend} --op bandwidth,latency --verb send,write,read --sizes 1,5000,256KiB"
    done = pair.run(f"{options} {FEW} --depth 4")
    assert done.code == 0, done
    per_verb = 3 * 2 * (2 if "verbs" in backend.split() else 1) + 3
    assert_all_bytes_right(pair.out, 3 * per_verb)


def test_many_queues_deep_windows_and_few_signals_lose_nothing(pair: Guest) -> None:
    options = f"{PATIENT} --verb write,read,send --queues 32 --depth 8 --signal-interval 8"
    done = pair.run(f"--backend verbs {options} {FEW} --sizes 4KiB --mode batched --batch 5")
    assert done.code == 0, done
    assert_all_bytes_right(pair.out, 6)


def test_dropped_packets_cost_no_byte_and_mark_the_case(pair: Guest) -> None:
    options = "--backend verbs --verb write --direction forward --sizes 16KiB --depth 1"
    with pair.guest.faults(DropEvery(50, rail=1)):
        done = pair.run(f"{options} --iterations 100")
    assert done.code == 0, done
    assert_all_bytes_right(pair.out, 1)
    shown = pair.read_by("show")
    assert "! RDMA errors" in shown, shown
    assert "! soft-roce rxe1 port 1: out_of_seq_request" in shown, shown
    assert "FAIL    rdma_clean" in pair.read_by("check")


def test_random_losses_cost_no_byte(pair: Guest) -> None:
    with pair.guest.faults(Loss(2, rail=0), Loss(2, rail=1)):
        done = pair.run(f"--backend verbs {FEW} --verb write,read,send --sizes 16KiB --depth 2")
    assert done.code == 0, done
    assert_all_bytes_right(pair.out, 6)


def test_a_rail_that_dies_is_named_with_its_status_and_finished_cases_are_kept(
    pair: Guest,
) -> None:
    """The switch is thrown when the first case is finished; the second would take for ever."""
    parts = Path(f"{pair.out}.parts")
    dead = "iptables -A INPUT -i rail1 -p udp --dport 4791 -j DROP"
    watch = f"(until ls '{parts}'/0000.h5 >/dev/null 2>&1; do sleep 0.1; done; {dead}) &"
    done = pair.run(
        "--backend verbs --verb write --direction forward --sizes 4KiB,64KiB --depth 1 "
        "--stop time --time 4s --max-time 8s",
        before=watch,
    )
    pair.guest.run("iptables -D INPUT -i rail1 -p udp --dport 4791 -j DROP")
    assert done.code == 6, done
    assert "transport retry counter exceeded" in done.stderr, done
    assert "rank 1 on soft-roce" in done.stderr
    assert "rxe0" in done.stderr
    with h5py.File(parts / "0000.h5") as part:
        assert part["samples/0000/acknowledged_ns"].size > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--backend verbs --device mlx5_9", ["mlx5_9", "rxe0:1 (rail0, active)"]),
        ("--backend verbs --gid-kind ipv6", ["no RoCE v2 GID of kind ipv6", "10.77.0."]),
        ("--backend verbs --mtu 1000", ["1000", "1024"]),
        ("--backend ucx --device mlx5_9", ["mlx5_9"]),
        ("--backend mpi --mtu 1024", ["no RDMA fabric"]),
    ],
)
def test_what_cannot_be_had_is_refused_in_one_line(
    pair: Guest, options: str, words: list[str]
) -> None:
    done = pair.run(f"{options} --sizes 4KiB")
    assert done.code == 2, done
    lines = [line for line in done.stderr.splitlines() if line.startswith("railgauge-pairs:")]
    assert len(lines) == 1, done
    for word in words:
        assert word in lines[0]


def test_an_unreachable_rail_ends_the_run_before_the_deadline(pair: Guest) -> None:
    with pair.guest.faults(Unreachable(rail=1)):
        done = pair.run("--backend verbs --verb write --direction forward --sizes 4KiB")
    assert done.code == 6, done
    assert not done.timed_out
    assert "rank 1 on soft-roce" in done.stderr, done
