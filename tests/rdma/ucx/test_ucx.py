# SPDX-License-Identifier: Apache-2.0
"""The transport ucx over real verbs: the tests of its channels, and UCX's own program."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from soft_roce import Result, SoftRoce

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / "build" / "release" / "bin"

# UCX 1.13 drops datagrams of rxe's IPv4 addresses, by which it connects; index 0 is link-local.
_VERBS = {
    "RAILGAUGE_TEST_UCX_TLS": "rc_verbs,ud_verbs,self",
    "UCX_IB_GID_INDEX": "0",
}
_PERFTEST = """ucx_perftest >/run/server 2>&1 & server=$!
until ss --listening --tcp --numeric | grep -q ':13337 '; do
    kill -0 $server || {{ cat /run/server; exit 1; }}
    sleep 0.05
done
UCX_NET_DEVICES=rxe0:1 ucx_perftest 127.0.0.1 -t {test} -s 65536 -n 50 -w 5 || exit
wait $server
"""


def built(name: str) -> str:
    """Return the path of a test program, or skip."""
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{path} is missing: build it, with libucx-dev installed")
    return str(path)


def received_bytes(guest: SoftRoce) -> int:
    return sum(
        int(guest.run(["cat", f"/sys/class/net/rail{rail}/statistics/rx_bytes"]).stdout)
        for rail in (0, 1)
    )


def channels(guest: SoftRoce, ranks: int, *options: str) -> Result:
    """Run the channels' tests on ranks that take turns on the two rails."""
    launch = [str(ROOT / "scripts" / "run-mpirun"), "-n", str(ranks), "--rail-map", "*:rxe%2"]
    vader = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader"]
    program = [built("ucx_transport_test"), *options]
    return guest.run([*launch, *vader, "--", *program], 240, environment=_VERBS)


@pytest.mark.parametrize("ranks", [2, 4])
def test_channels_over_reliable_connections(guest: SoftRoce, ranks: int) -> None:
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is missing: install openmpi-bin")
    before = received_bytes(guest)
    done = channels(guest, ranks)
    assert done.code == 0, done
    assert received_bytes(guest) - before > 50_000_000


def test_sides_that_fail_or_die_over_reliable_connections(guest: SoftRoce) -> None:
    program = [built("ucx_fabric_test"), "--gtest_brief=1"]
    done = guest.run(program, 120, environment=_VERBS | {"UCX_NET_DEVICES": "rxe0:1"})
    assert done.code == 0, done


@pytest.mark.parametrize("test", ["tag_bw", "ucp_put_bw", "ucp_get"])
def test_ucx_perftest_runs_between_rails(guest: SoftRoce, test: str) -> None:
    if not shutil.which("ucx_perftest"):
        pytest.skip("ucx_perftest is missing: install ucx-utils")
    environment = {
        "UCX_TLS": _VERBS["RAILGAUGE_TEST_UCX_TLS"],
        "UCX_IB_GID_INDEX": "0",
        "UCX_NET_DEVICES": "rxe1:1",
    }
    done = guest.run(_PERFTEST.format(test=test), 60, environment=environment)
    assert done.code == 0, done
    print(f"\n{done.stdout.splitlines()[-1]}")
