# SPDX-License-Identifier: Apache-2.0
"""A receiver outside the job over RDMA verbs, and a client that writes where it may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from soft_roce import Result, SoftRoce

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / "build" / "release" / "bin"
BUFFER_BYTES = 2 * 65536  # of the session in hostile_client

_SERVED = """set -u
umask 077
head -c 32 /dev/urandom | base64 >/run/token
'{program}' --serve --listen 127.0.0.1:0 --token-file /run/token --backend verbs --device rxe1 \
    {patience} --sessions {ranks} 2>/run/server & server=$!
until address=$(sed -n 's/.*serving on \\([^ ]*\\): .*/\\1/p' /run/server) && [ -n "$address" ]; do
    kill -0 $server || {{ cat /run/server; exit 1; }}
    sleep 0.1
done
'{root}/scripts/run-mpirun' -n {ranks} --mca pml ob1 --mca btl self,vader -- '{program}' \
    --backend verbs --device rxe0 --pattern served --served "$address" --token-file /run/token \
    --out /run/run.h5 --overwrite {patience} {options}
code=$?
wait $server || code=$((code + 100))
cat /run/server
exit $code
"""


# Both sides poll, on the few CPUs that Soft-RoCE itself needs to answer.
_PATIENCE = "--retry-timeout 18"


def built(name: str) -> str:
    """Return the path of a program, or skip."""
    path = BIN / name
    if not path.exists():
        pytest.skip(f"{path} is missing: build it, with libibverbs-dev installed")
    return str(path)


def attack(guest: SoftRoce, offset: int) -> Result:
    return guest.run([built("hostile_client"), str(offset), "rxe0", "rxe1"], 120)


@pytest.mark.parametrize("ranks", [1, 2])
def test_ranks_write_and_read_over_verbs_and_every_byte_is_right(
    guest: SoftRoce, ranks: int
) -> None:
    options = (
        "--verb write,read --op bandwidth,latency --sizes 64,4KiB,100000 --depth 8 --queues 1,2 "
        "-n 5 -w 1"
    )
    script = _SERVED.format(
        program=built("railgauge-pairs"),
        root=ROOT,
        ranks=ranks,
        options=options,
        patience=_PATIENCE,
    )
    done = guest.run(["bash", "-c", script], 240)
    assert done.code == 0, done
    rows = [line.split() for line in done.stdout.splitlines() if " served " in line]
    assert len(rows) == 2 * (3 * 2 * 2 + 3)
    assert all("0" in row[-6:] for row in rows), done.stdout
    assert done.stdout.count(": ends, 30 cases, ") == ranks


def test_a_write_within_the_sessions_buffer_arrives(guest: SoftRoce) -> None:
    done = attack(guest, 0)
    assert "write: done" in done.stdout, done
    assert "guard: unchanged" in done.stdout
    assert "first byte: 0x77" in done.stdout


@pytest.mark.parametrize(
    "offset",
    [BUFFER_BYTES - 32, BUFFER_BYTES, 1 << 40, (1 << 64) - 64],
    ids=["over the end", "behind it", "far away", "before it"],
)
def test_a_write_beyond_the_sessions_buffer_is_refused_by_the_servers_device(
    guest: SoftRoce, offset: int
) -> None:
    done = attack(guest, offset)
    assert "remote access error" in done.stdout, done
    assert "guard: unchanged" in done.stdout, done
    assert "first byte: 0x0" in done.stdout
