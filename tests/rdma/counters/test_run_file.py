# SPDX-License-Identifier: Apache-2.0
"""A run in the guest has the counters of its RDMA devices, and says what they are."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest
from soft_roce import SoftRoce

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
RUN_MPIRUN = ROOT / "scripts" / "run-mpirun"
PAIRS = ROOT / "build" / "release" / "bin" / "railgauge-pairs"
Row = dict[str, Any]

MESSAGES = 20
PACKETS_PER_MESSAGE = 65536 // 4096
UCX = {"UCX_TLS": "rc_verbs,ud_verbs,self", "UCX_IB_GID_INDEX": "0"}


def measure(guest: SoftRoce, out: Path, *mca: str) -> Path:
    """Run one case between two ranks of the guest, and return the run."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is missing: install openmpi-bin")
    if not PAIRS.exists():
        pytest.skip(f"{PAIRS} is missing: build it")
    plan = ["--pattern", "one-pair", "--pair", "0:1", "--sizes", "64KiB", "--depth", "1"]
    program = [str(PAIRS), *plan, "-n", str(MESSAGES), "--out", str(out)]
    done = guest.run(
        [str(RUN_MPIRUN), "-n", "2", *mca, "--", *program], deadline_s=90, environment=UCX
    )
    assert done.code == 0, shlex.join(program) + done.stderr
    return out


@pytest.fixture(scope="module")
def run_file(common_guest: SoftRoce, writable: Path) -> Path:
    """Return a run over MPI's TCP."""
    tcp = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    return measure(common_guest, writable / "counters.h5", *tcp)


def rows_of(run_file: Path) -> list[Row]:
    """Return the counters of the one case."""
    with h5py.File(run_file) as run:
        table = run["counters/0000"][()]
    names = table.dtype.names
    return [
        {
            name: value.decode() if isinstance(value, bytes) else int(value)
            for name, value in zip(names, row, strict=True)
        }
        for row in table.tolist()
    ]


@pytest.mark.parametrize("device", ["rxe0", "rxe1"])
def test_every_hardware_counter_of_a_device_has_a_row(
    guest: SoftRoce, run_file: Path, device: str
) -> None:
    rows = [row for row in rows_of(run_file) if row["device"] == device]
    expected = set(guest.counters(int(device[-1]))) - {"lifespan"}
    assert {row["name"] for row in rows} == expected
    assert {(row["source"], row["port"], row["status"]) for row in rows} == {("rdma_hw", 1, "ok")}


def test_counters_are_those_that_the_device_had(guest: SoftRoce, run_file: Path) -> None:
    now = guest.counters(0)
    for row in rows_of(run_file):
        if row["device"] == "rxe0":
            assert row["before"] <= row["after"] <= now[row["name"]], row


def test_counters_move_with_a_case_over_rdma(guest: SoftRoce, writable: Path) -> None:
    if "ucx" not in guest.run(["ompi_info", "--param", "pml", "ucx"]).stdout:
        pytest.skip("Open MPI has no UCX")
    run = measure(guest, writable / "moving.h5", "--rail-map", "*:rxe%", "--mca", "pml", "ucx")
    moved = {
        row["device"]: row["after"] - row["before"]
        for row in rows_of(run)
        if row["name"] == "sent_pkts"
    }
    assert max(moved.values()) >= MESSAGES * PACKETS_PER_MESSAGE, moved


def test_facts_say_what_the_devices_are(run_file: Path) -> None:
    with h5py.File(run_file) as run:
        facts = json.loads(run["nodes/soft-roce/facts"][()])
    devices = facts["rdma_devices"]
    assert [device["name"] for device in devices] == ["rxe0", "rxe1"]
    for device in devices:
        port = device["ports"][0]
        assert device["driver"] == "rxe"
        assert (port["state"], port["link_layer"]) == ("ACTIVE", "Ethernet")
        assert port["active_mtu"] == 4096
        assert {gid["type"] for gid in port["gids"]} == {"RoCE v2"}
        assert {gid["netdev"] for gid in port["gids"]} == {f"rail{device['name'][-1]}"}
