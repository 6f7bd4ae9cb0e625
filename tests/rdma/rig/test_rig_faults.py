# SPDX-License-Identifier: Apache-2.0
"""Faults do what they say, show where they should, and end."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from perftest import figures, perftest
from soft_roce import Down, DropEvery, Loss, Rate, SoftRoce, SoftRoceError, Unreachable

pytestmark = pytest.mark.rdma

WRITES = ("ib_write_bw", "-s", "65536", "-n", "100")


@pytest.fixture(autouse=True)
def sound(guest: SoftRoce) -> Iterator[None]:
    if not shutil.which("ib_write_bw"):
        pytest.skip("ib_write_bw is missing: install perftest")
    yield
    guest.set_faults()


def state(guest: SoftRoce, rail: int) -> str:
    return guest.run(f"cat /sys/class/infiniband/rxe{rail}/ports/1/state").stdout.strip()


def test_each_fiftieth_packet_dropped_is_one_gap_seen_by_the_receiver(guest: SoftRoce) -> None:
    # Fewer packets under way than 50, so that each drop is a gap of its own, and patience, so that
    # a pause of the guest repeats nothing.
    patient = ["-t", "2", "-u", "20"]
    before = guest.counters(1)["out_of_seq_request"]
    with guest.faults(DropEvery(50, rail=1)):
        figures(perftest(guest, *WRITES, *patient))
        gaps = guest.counters(1)["out_of_seq_request"] - before
        dropped = guest.dropped()
    assert dropped >= 100 * 16 // 50
    assert gaps == dropped


def test_random_loss_shows_at_the_receiver_and_the_sender(guest: SoftRoce) -> None:
    receiver, sender = guest.counters(1), guest.counters(0)
    with guest.faults(Loss(3, rail=1)):
        figures(perftest(guest, *WRITES))
    assert guest.counters(1)["out_of_seq_request"] - receiver["out_of_seq_request"] > 5
    assert guest.counters(0)["rcvd_seq_err"] - sender["rcvd_seq_err"] > 5


def test_a_slowed_rail_is_no_faster_than_its_rate(guest: SoftRoce) -> None:
    with guest.faults(Rate(80, rail=0)):  # 10 MB/s
        shown = figures(perftest(guest, *WRITES))
    assert 4 < shown["BW_average[MB/sec]"] < 10.5


def test_a_rail_that_is_down_has_no_link_and_its_neighbour_has(guest: SoftRoce) -> None:
    with guest.faults(Down(rail=1)):
        assert (state(guest, 0), state(guest, 1)) == ("4: ACTIVE", "1: DOWN")
    assert state(guest, 1) == "4: ACTIVE"


def test_a_link_goes_down_while_a_command_runs(guest: SoftRoce) -> None:
    with guest.faults(Down(rail=0, after_s=1)):
        look = "cat /sys/class/infiniband/rxe0/ports/1/state"
        done = guest.run(f"{look}; until {look} | grep DOWN; do sleep 0.1; done", deadline_s=20)
    assert done.stdout.splitlines() == ["4: ACTIVE", "1: DOWN"]


def test_a_fault_that_was_to_come_ends_with_the_others(guest: SoftRoce) -> None:
    guest.set_faults(Down(rail=0, after_s=1))
    guest.set_faults()
    guest.run(["sleep", "1.5"])
    assert state(guest, 0) == "4: ACTIVE"


def test_an_unreachable_rail_hears_nothing_though_links_are_up(guest: SoftRoce) -> None:
    receiver, sender = guest.counters(1), guest.counters(0)
    with guest.faults(Unreachable(rail=1)):
        done = perftest(guest, *WRITES, "-u", "12", deadline_s=4)  # it retries for ever
        assert done.timed_out, done
        assert guest.dropped() > 0
        assert (state(guest, 0), state(guest, 1)) == ("4: ACTIVE", "4: ACTIVE")
    assert guest.counters(1)["rcvd_pkts"] == receiver["rcvd_pkts"]
    assert guest.counters(0)["completer_retry_err"] > sender["completer_retry_err"]


def test_without_faults_rails_are_as_good_as_new(guest: SoftRoce) -> None:
    guest.set_faults(DropEvery(2, 0), Loss(50, 1), Rate(1, 0), Unreachable(1), Down(1))
    guest.set_faults()
    figures(perftest(guest, *WRITES))
    assert guest.dropped() == 0


def test_a_fault_of_no_rail_is_refused(guest: SoftRoce) -> None:
    with pytest.raises(SoftRoceError, match="no rail 2 is among the guest's 2"):
        guest.set_faults(Down(rail=2))
