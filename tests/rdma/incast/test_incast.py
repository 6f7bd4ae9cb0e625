# SPDX-License-Identifier: Apache-2.0
"""railgauge-incast over real verbs: every byte right, a sender whose packets are lost named."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from soft_roce import Result, SoftRoce

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
INCAST = ROOT / "build" / "release" / "bin" / "railgauge-incast"
RANKS = 4
# UCX 1.13 drops datagrams of rxe's IPv4 addresses, by which it connects; index 0 is link-local.
UCX = {"UCX_TLS": "rc_verbs,ud_verbs,self", "UCX_IB_GID_INDEX": "0"}
WINDOW = ("--warmup-duration", "200ms", "--duration", "500ms", "--depth", "4")


def incast(guest: SoftRoce, out: Path, *arguments: str, script: str = "{command}") -> Result:
    """Run on ranks that take turns on the two rails; rank 0 receives."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is missing: install openmpi-bin")
    if not INCAST.exists():
        pytest.skip(f"{INCAST} is missing: build it")
    launch = [str(ROOT / "scripts" / "run-mpirun"), "-n", str(RANKS), "--rail-map", "*:rxe%2"]
    own_talk = ["--mca", "pml", "ob1", "--mca", "btl", "self,vader"]
    program = [str(INCAST), *WINDOW, *arguments, "--out", str(out), "--overwrite"]
    command = shlex.join([*launch, *own_talk, "--", *program])
    script = script.format(command=command, out=shlex.quote(str(out)))
    return guest.run(script, 200, environment=UCX)


@pytest.mark.parametrize(
    ("backend", "verb"), [("verbs", "write"), ("verbs", "send"), ("ucx", "send"), ("ucx", "write")]
)
def test_every_byte_of_every_sender_arrives(
    guest: SoftRoce, writable: Path, backend: str, verb: str
) -> None:
    out = writable / f"{backend}-{verb}.h5"
    sweep = ("--senders", "1,3", "--queues", "1,4", "--sizes", "4KiB,64KiB", "--spread", "all")
    done = incast(guest, out, "--backend", backend, "--verb", verb, *sweep)
    assert done.code == 0, done
    with h5py.File(out) as run:
        cases = run["cases"][:]
        assert set(cases["status"]) == {b"done"}
        per_case = cases["senders"] * cases["queues"] * cases["depth"] * cases["bytes"]
        assert list(cases["checked_elements"]) == list(per_case)
        assert sum(cases["wrong_elements"]) == 0
        for case in cases:
            samples = run[f"samples/{case['id']:04d}"]
            rows = np.diff(samples["offsets"][:])
            assert np.count_nonzero(rows) == case["senders"]


# Once a case is measured, nothing that comes in from the other rail arrives any more. The ranks
# stand still meanwhile: they would leave little of the guest's two processors.
_LOSE = """{command} & job=$!
until [[ -e {out}.parts/0000.h5 ]]; do kill -0 $job || exit 99; sleep 0.05; done
ranks=$(pgrep -x railgauge-incas)
kill -STOP $ranks
iptables -A INPUT -i rail0 -p udp --dport 4791 -j DROP
kill -CONT $ranks
wait $job
"""


def test_a_sender_whose_packets_are_lost_is_named_the_others_finish_and_nothing_hangs(
    guest: SoftRoce, writable: Path
) -> None:
    out = writable / "lost.h5"
    # Rank 1 sends from rail 1, rank 2 within rail 0.
    sweep = ("--senders", "2", "--queues", "1,2,3,4", "--sizes", "4KiB", "--spread", "all")
    try:
        done = incast(guest, out, "--backend", "verbs", *sweep, script=_LOSE)
    finally:
        guest.run("iptables -F INPUT")
    assert done.code == 6, done
    assert "rank 1 on " in done.stderr, done.stderr
    with h5py.File(out) as run:
        cases = run["cases"][:]
        assert cases[0]["status"] == b"done"
        assert cases[-1]["status"] == b"failed"
        assert b"rank 1 on " in cases[-1]["reason"]
        assert b"rank 0 on " in cases[-1]["reason"]
