# SPDX-License-Identifier: Apache-2.0
"""A guest that fails says so; however it ends, it leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from soft_roce import GuestLost, Hardware, SoftRoce, SoftRoceError

pytestmark = [pytest.mark.rdma, pytest.mark.usefixtures("possible")]

RUN = str(Path(__file__).parents[2] / "rigs" / "soft_roce" / "run")
SMALL = Hardware(cpus=1, memory_mib=512)


def children(of: int) -> set[int]:
    """Return every process below one, by what /proc says of parents."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parents[int(status.parent.name)] = int(fields[1])
    found, grown = {of}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return found - {of}


def guests_of(owner: int) -> set[int]:
    paths = {pid: Path(f"/proc/{pid}/comm") for pid in children(owner)}
    return {pid for pid, path in paths.items() if path.exists() and "qemu" in path.read_text()}


def traces() -> tuple[set[int], str, set[str], int]:
    mounts = Path("/proc/self/mountinfo").read_text()
    files = {str(path) for path in Path(tempfile.gettempdir()).iterdir()}
    mine = {name for name in files if "roce" in name}
    return children(os.getpid()), mounts, mine, len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before = traces()
    yield
    assert traces() == before


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RUN, *words],
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def test_a_kernel_that_panics_at_boot_is_reported_with_its_last_words() -> None:
    with pytest.raises(GuestLost, match=r"the guest died[\s\S]*Kernel panic"):
        SoftRoce.boot(hardware=SMALL, kernel_arguments=["rdinit=/missing"])


def test_a_guest_that_never_comes_up_is_reported_and_ended() -> None:
    with pytest.raises(GuestLost, match=r"did not come up in 0\.5 s; the guest's console ends:"):
        SoftRoce.boot(hardware=SMALL, within_s=0.5)


def test_a_panic_under_a_command_is_reported_with_its_output() -> None:
    crash = "echo before; sleep 0.5; echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger"
    with (
        SoftRoce.boot(rails=0, hardware=SMALL) as guest,
        pytest.raises(GuestLost, match=r"the guest died[\s\S]*Kernel panic") as lost,
    ):
        guest.run(crash)
    assert lost.value.stdout == "before\n"


def test_what_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SoftRoceError, match="is no folder"):
        SoftRoce.boot(writable=[tmp_path / "missing"])
    with pytest.raises(SoftRoceError, match="33 rails do not fit"):
        SoftRoce.boot(rails=33)


def test_the_command_line_is_the_command_of_the_guest(tmp_path: Path) -> None:
    script = f'echo "$GIVEN $TAKEN"; echo err >&2; ls -d /sys/class/infiniband/rxe[0-9] | wc -l \
        >{tmp_path}/devices; cat /sys/class/infiniband/rxe2/ports/1/state; exit 9'
    options = ["--rails", "3", "--down", "rail2", "--env", "GIVEN=a b", "--env", "TAKEN"]
    done = run(*options, "--writable", str(tmp_path), "--", "bash", "-c", script, TAKEN="from here")
    assert (done.returncode, done.stdout, done.stderr) == (9, "a b from here\n1: DOWN\n", "err\n")
    assert (tmp_path / "devices").read_text() == "3\n"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_the_guest_with_its_owner(how: signal.Signals) -> None:
    with subprocess.Popen(
        [RUN, "--rails", "0", "--", "sleep", "600"], stdin=subprocess.DEVNULL
    ) as owner:
        until = time.monotonic() + 60
        while not (guests := guests_of(owner.pid)):
            assert time.monotonic() < until
            time.sleep(0.05)
        owner.send_signal(how)
        assert owner.wait(30) in (143, 130, -signal.SIGKILL)
    until = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in guests):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_missing_program_is_named() -> None:
    done = subprocess.run(
        [sys.executable, RUN, "--check"],
        env={"PATH": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 125
    assert done.stderr.startswith("the Soft-RoCE guest needs qemu-system-x86_64: install")


def test_without_a_kernel_and_a_network_the_reason_is_given(tmp_path: Path) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'E: Could not resolve' >&2\nexit 100\n")
    apt.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = run("--check", SOFT_ROCE_CACHE=str(tmp_path / "cache"), PATH=path)
    assert done.returncode == 125
    assert "no kernel" in done.stderr
    assert [at.name for at in (tmp_path / "cache").iterdir()] == ["lock"]
