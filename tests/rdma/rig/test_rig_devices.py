# SPDX-License-Identifier: Apache-2.0
"""The guest's devices, the usual programs on them, and MPI."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from perftest import figures, perftest
from soft_roce import SoftRoce, address

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
RUN_MPIRUN = ROOT / "scripts" / "run-mpirun"
PAIRS = ROOT / "build" / "release" / "bin" / "railgauge-pairs"


def needs(program: str, package: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} is missing: install {package}")


@pytest.mark.parametrize("rail", [0, 1])
def test_every_rail_has_a_device_whose_gids_are_its_addresses(guest: SoftRoce, rail: int) -> None:
    gids = guest.run(f"cat /sys/class/infiniband/rxe{rail}/ports/1/gids/[01]").stdout.split()
    types = guest.run(f"cat /sys/class/infiniband/rxe{rail}/ports/1/gid_attrs/types/[01]").stdout
    last = int(address(rail).rpartition(".")[2])
    assert gids[0].startswith("fe80:")
    assert gids[1].endswith(f":ffff:0a4d:{last:04x}")
    assert types.splitlines() == ["RoCE v2", "RoCE v2"]


def test_devices_are_active_with_packets_of_4096_bytes(guest: SoftRoce) -> None:
    needs("ibv_devinfo", "ibverbs-utils")
    shown = guest.run(["ibv_devinfo"]).stdout
    assert shown.count("PORT_ACTIVE") == 2
    assert shown.count("active_mtu:\t\t4096") == 2


@pytest.mark.parametrize("pairs", ["1", "4"])
def test_bandwidth_between_rails_goes_over_the_cable(guest: SoftRoce, pairs: str) -> None:
    needs("ib_write_bw", "perftest")
    read = ["cat", "/sys/class/net/rail1/statistics/rx_bytes"]
    before = int(guest.run(read).stdout)
    shown = figures(perftest(guest, "ib_write_bw", "-s", "65536", "-n", "100", "-q", pairs))
    moved = int(guest.run(read).stdout) - before
    print(f"\nib_write_bw, 64 KiB, {pairs} QPs: {shown['BW_average[MB/sec]']} MB/s")
    assert shown["#iterations"] == 100 * int(pairs)
    assert moved > 65536 * 100 * int(pairs)


def test_latency_between_rails_has_quantiles_in_order(guest: SoftRoce) -> None:
    needs("ib_send_lat", "perftest")
    shown = figures(perftest(guest, "ib_send_lat", "-s", "8", "-n", "200"))
    print(f"\nib_send_lat, 8 B: {shown['t_typical[usec]']} us")
    assert 0 < shown["t_min[usec]"] <= shown["t_typical[usec]"] <= shown["t_max[usec]"]


def test_mpirun_starts_ranks(guest: SoftRoce) -> None:
    needs("mpirun", "openmpi-bin")
    done = guest.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "hostname"])
    assert (done.code, done.stdout) == (0, "soft-roce\nsoft-roce\n")


def test_each_rank_has_the_device_of_its_rail(guest: SoftRoce) -> None:
    needs("mpirun", "openmpi-bin")
    needs("ibv_devinfo", "ibverbs-utils")
    name = 'echo "$(ibv_devinfo -d rxe$OMPI_COMM_WORLD_LOCAL_RANK | sed -n s/hca_id:.//p)"'
    done = guest.run([str(RUN_MPIRUN), "-n", "2", "--", "bash", "-c", name])
    assert sorted(done.stdout.split()) == ["rxe0", "rxe1"], done


def test_pairs_measures_between_ranks_over_mpi_tcp(guest: SoftRoce, writable: Path) -> None:
    needs("mpirun", "openmpi-bin")
    if not PAIRS.exists():
        pytest.skip(f"{PAIRS} is missing: build it")
    out = writable / "pairs.h5"
    tcp = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    plan = ["--pattern", "one-pair", "--pair", "0:1", "--sizes", "64KiB", "--depth", "1"]
    program = [str(PAIRS), *plan, "-n", "5", "--out", str(out)]
    done = guest.run([str(RUN_MPIRUN), "-n", "2", *tcp, "--", *program], deadline_s=90)
    assert done.code == 0, shlex.join(program) + done.stderr
    assert out.stat().st_size > 0
