# SPDX-License-Identifier: Apache-2.0
"""Channels of RDMA verbs on Soft-RoCE devices: of ranks, and of two processes, one of them bad."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from soft_roce import Down, DropEvery, Result, SoftRoce, Unreachable

pytestmark = pytest.mark.rdma

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "build" / "release" / "bin"
LAUNCH = ROOT / "tests" / "mpi" / "launch"


def program(name: str) -> str:
    path = PROGRAMS / name
    if not path.exists():
        pytest.skip(f"{path} is missing: build it")
    return str(path)


def run_ranks(guest: SoftRoce, ranks: int) -> Result:
    """Run the tests of channels on ranks, each on the device of rail 0 or 1 in turn."""
    nic = "export RAILGAUGE_NIC=rail$((OMPI_COMM_WORLD_LOCAL_RANK % 2))"
    words = [str(LAUNCH), str(ranks), "bash", "-c", f'{nic}; exec "$0"', program("verbs_ranks")]
    return guest.run(words, deadline_s=150, environment={"OMPI_MCA_pml": "ob1"})


def run_pair(
    guest: SoftRoce, scenario: str, *options: str, here: str = "", there: str = "", before: str = ""
) -> Result:
    """Run two processes, one on rxe0 and one on rxe1 unless their options say otherwise."""
    here = here if "--device" in here else f"--device rxe0 {here}"
    there = there if "--device" in there else f"--device rxe1 {there}"
    words = [program("verbs_pair"), scenario, *options, "--here", here, "--there", there]
    return guest.run(f"{before} {shlex.join(words)}")


def said(result: Result, who: str) -> str:
    """Return what one of the two processes said of itself."""
    lines = [line for line in result.stdout.splitlines() if line.startswith(f"{who}: ")]
    assert lines, result
    return lines[-1]


@pytest.mark.parametrize("ranks", [2, 4])
def test_channels_between_ranks_hold_their_promises(guest: SoftRoce, ranks: int) -> None:
    done = run_ranks(guest, ranks)
    assert done.code == 0, done.stdout + done.stderr


def test_channels_hold_their_promises_when_packets_are_lost(guest: SoftRoce) -> None:
    with guest.faults(DropEvery(211, rail=1)):
        done = run_ranks(guest, 2)
        assert guest.dropped() > 0
    assert done.code == 0, done.stdout + done.stderr


def test_a_device_is_named_by_itself_its_port_or_its_interface(guest: SoftRoce) -> None:
    for here in ("rxe0", "rxe0:1", "rail0"):
        done = run_pair(guest, "write", here=f"--device {here}")
        assert said(done, "here") == "here: done, memory by way of host", done


@pytest.mark.parametrize("kind", ["ipv4", "link-local"])
def test_either_kind_of_address_works_when_both_sides_choose_it(guest: SoftRoce, kind: str) -> None:
    options = f"--gid-kind {kind}"
    done = run_pair(guest, "write", here=options, there=options)
    assert done.code == 0, done


def test_a_path_takes_the_least_mtu_of_both_ends_and_says_so(guest: SoftRoce) -> None:
    done = run_pair(guest, "write", here="--mtu 1024")
    assert done.code == 0, done
    assert "path MTUs differ: rxe0:1 has 1024 and rxe1:1 of soft-roce has 4096" in done.stderr


def test_a_killed_peer_is_no_answer_not_a_flush(guest: SoftRoce) -> None:
    done = run_pair(guest, "kill")
    assert done.code == 6, done
    text = said(done, "here")
    assert "a write between rxe0:1 and the other process failed on queue pair" in text
    assert "transport retry counter exceeded" in text
    assert "see whether the peer is alive" in text


def test_an_unreachable_rail_is_no_answer_within_seconds(guest: SoftRoce) -> None:
    with guest.faults(Unreachable(1)):
        done = run_pair(guest, "write", here="--retries 3 --retry-timeout 13")
    assert done.code == 6, done
    assert "no answer after 3 retries of 33.6 ms" in said(done, "here")


def test_a_rail_without_a_link_is_not_active(guest: SoftRoce) -> None:
    with guest.faults(Down(0)):
        done = run_pair(guest, "write")
    assert done.code == 6, done
    assert "rxe0:1 is not active (its state is PORT_DOWN)" in said(done, "here")


def test_a_missing_receive_is_told_from_a_dead_peer(guest: SoftRoce) -> None:
    done = run_pair(guest, "no-receive")
    assert done.code == 6, done
    assert "RNR retry counter exceeded" in said(done, "here")
    assert "the peer posted no receive for it" in said(done, "here")


def test_a_write_beyond_the_peers_memory_is_refused_by_its_device(guest: SoftRoce) -> None:
    done = run_pair(guest, "outside")
    assert done.code == 6, done
    assert "remote access error" in said(done, "here")


def test_both_sides_learn_that_a_card_is_nonsense(guest: SoftRoce) -> None:
    done = run_pair(guest, "nonsense")
    assert done.code == 6, done
    for who in ("here", "there"):
        assert "what it says of itself cannot be read" in said(done, who)


@pytest.mark.parametrize(
    ("here", "problem", "hint"),
    [
        ("--device rxe7", "--device names 'rxe7'", "rxe0:1 (rail0, active)"),
        ("--device rxe0 --gid-kind ipv6", "no RoCE v2 GID of kind ipv6", "1 RoCE v2 10.77.0.1"),
        ("--device rxe0 --gid-index 77", "no RoCE v2 GID at index 77", "--gid-kind"),
        ("--device rxe0 --mtu 1500", "--mtu 1500 is no path MTU", "256, 512"),
        ("--device rxe0 --pkey-index 999", "--pkey-index 999 does not exist", "partition keys"),
    ],
)
def test_what_the_device_lacks_is_refused_with_what_there_is(
    guest: SoftRoce, here: str, problem: str, hint: str
) -> None:
    done = run_pair(guest, "write", here=here)
    assert done.code == 2, done
    assert problem in said(done, "here")
    assert hint in said(done, "here")


def test_one_of_several_devices_must_be_named(guest: SoftRoce) -> None:
    words = [program("verbs_pair"), "write", "--there", "--device rxe1"]
    done = guest.run(words)
    assert done.code == 2, done
    assert "2 RDMA ports are active" in said(done, "here")


def test_an_mtu_above_the_ports_is_refused(guest: SoftRoce) -> None:
    guest.run("ip link set rail0 mtu 1500")
    try:
        done = run_pair(guest, "write", here="--mtu 4096")
    finally:
        guest.run("ip link set rail0 mtu 4500")
    assert done.code == 2, done
    assert "--mtu 4096 cannot be had (the active MTU of rxe0:1 is 1024)" in said(done, "here")


def test_addresses_of_two_kinds_are_refused_by_both(guest: SoftRoce) -> None:
    done = run_pair(guest, "write", here="--gid-kind link-local")
    assert done.code == 6, done
    for who in ("here", "there"):
        assert "choose what both have with --gid-kind" in said(done, who)


def test_what_one_side_lacks_the_other_says_too(guest: SoftRoce) -> None:
    done = run_pair(guest, "write", here="--inline 4096")
    assert done.code == 2, done
    assert "--inline 4096 cannot be had" in said(done, "here")
    assert "it says: --inline 4096 cannot be had" in said(done, "there")


def test_more_messages_than_a_completion_queue_takes_are_refused(guest: SoftRoce) -> None:
    done = run_pair(guest, "write", "--depth", "100000")
    assert done.code == 2, done
    assert "200000 completions of one peer cannot be had (rxe0:1 has" in said(done, "here")


def test_too_little_locked_memory_is_named_with_its_limit(guest: SoftRoce) -> None:
    without = "prlimit --memlock=65536 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock"
    done = run_pair(guest, "write", before=without)
    assert done.code == 6, done
    assert "RLIMIT_MEMLOCK is 64 KiB" in said(done, "here")
    assert "ulimit -l unlimited" in said(done, "here")


def test_a_limit_of_queue_pairs_is_told_to_both_sides(guest: SoftRoce) -> None:
    """A control group limits this device: its own limit is a million."""
    limit = """mkdir -p /run/limited && mount -t cgroup2 none /run/limited &&
        echo +rdma >/run/limited/cgroup.subtree_control && mkdir -p /run/limited/few &&
        echo "rxe0 hca_object=40" >/run/limited/few/rdma.max &&
        echo $$ >/run/limited/few/cgroup.procs || exit 99\n"""
    done = run_pair(guest, "exhaust", "--queues", "8", "--depth", "1", before=limit)
    assert done.code == 6, done
    text = said(done, "here")
    assert "of 8 cannot be made on rxe0:1" in text
    assert "fewer queues" in text
    assert "it says: queue pair" in said(done, "there")


def test_huge_pages_are_used_where_they_are_set_aside_and_refused_where_not(
    guest: SoftRoce,
) -> None:
    done = run_pair(guest, "write", "--memory", "huge")
    assert done.code == 6, done
    assert "nr_hugepages 0" in said(done, "here")
    pages = "echo {} >/proc/sys/vm/nr_hugepages\n"
    done = run_pair(guest, "write", "--memory", "huge", before=pages.format(8))
    guest.run(pages.format(0))
    assert done.code == 0, done
