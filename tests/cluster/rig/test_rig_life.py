# SPDX-License-Identifier: Apache-2.0
"""Clusters come up side by side and leave nothing, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from virtual_cluster import VclusterError, VirtualCluster, down, lifecycle, reap, why_not
from virtual_cluster.registry import Entry, Registry
from waiting import wait_until

RIG = Path(__file__).parents[2] / "rigs" / "virtual_cluster"
VCLUSTER = str(RIG / "vcluster")
KINDS = ("net", "uts", "ipc", "mnt", "pid")

cluster_test = pytest.mark.cluster


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep these clusters apart from whatever else runs on this machine."""
    monkeypatch.setenv("VCLUSTER_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def possible(bring_up: object) -> None:
    """Skip where no cluster can be brought up."""


def vcluster(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [VCLUSTER, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def entry_of(name: str) -> Entry:
    entry = Registry().read(name)
    assert entry is not None
    return entry


def namespaces_in_use() -> set[str]:
    """Return every namespace some process of this machine is in."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        for kind in KINDS:
            try:
                found.add(str((process / "ns" / kind).readlink()))
            except OSError:
                continue  # it ended meanwhile
    return found


def namespaces_of(cluster: VirtualCluster) -> set[str]:
    look = ["sh", "-c", f"cd /proc/self/ns; readlink {' '.join(KINDS)}"]
    places = ["head", *cluster.layout.names]
    return {line for place in places for line in cluster.exec(place, look).stdout.split()}


def assert_nothing_left(state: Path, namespaces: set[str]) -> None:
    assert not namespaces & namespaces_in_use()
    assert not state.exists()
    assert str(state) not in Path("/proc/self/mountinfo").read_text()


@cluster_test
def test_leaving_the_block_leaves_nothing(possible: None, state: Path) -> None:
    with VirtualCluster.up(nodes=3, rails=2) as cluster:
        cluster.exec(1, ["sh", "-c", "setsid sleep 999 >/dev/null 2>&1 & touch /dev/shm/x"])
        used = namespaces_of(cluster)
        assert len(used) == 4 * len(KINDS)  # head and nodes, nothing shared
    assert_nothing_left(state, used)


@cluster_test
def test_twenty_four_nodes_reach_each_other_on_every_rail(possible: None) -> None:
    with VirtualCluster.up(nodes=24, rails=4) as cluster:
        server = "import socket; s=socket.create_server(('', 5000)); print(1, flush=True); "
        server += "[s.accept() for _ in range(4)]"
        client = "import socket; [socket.create_connection((f'10.10.{r}.24', 5000), 20) "
        client += "for r in range(4)]"
        with subprocess.Popen(
            cluster.command("n23", ["python3", "-c", server]),
            env=cluster.environment(),
            stdout=subprocess.PIPE,
        ) as listening:
            assert listening.stdout is not None
            listening.stdout.readline()
            assert cluster.exec("n0", ["python3", "-c", client]).returncode == 0
        assert all(cluster.bytes()["n23"][f"rail{rail}"]["rx"] > 0 for rail in range(4))


@cluster_test
def test_several_clusters_run_at_once_and_do_not_touch_each_other(
    possible: None, state: Path
) -> None:
    with VirtualCluster.up(2, 1, name="one") as one, VirtualCluster.up(2, 1, name="two") as two:
        assert not namespaces_of(one) & namespaces_of(two)
        one.degrade_port(0, 0, "50%")
        assert two.faults.rates == {}
        one.down()
        assert two.exec(0, ["true"]).returncode == 0
    assert not state.exists()


@cluster_test
def test_a_name_in_use_is_refused_and_its_cluster_lives_on(possible: None) -> None:
    with VirtualCluster.up(2, 1, name="one") as cluster:
        with pytest.raises(VclusterError, match="'one' is up already"):
            VirtualCluster.up(2, 1, name="one")
        assert cluster.exec(0, ["true"]).returncode == 0


@cluster_test
def test_going_down_twice_is_harmless(possible: None) -> None:
    cluster = VirtualCluster.up(2, 1)
    cluster.down()
    cluster.down()
    down("never-was")
    with pytest.raises(VclusterError, match="no virtual cluster 'vc' is up"):
        cluster.exec(0, ["true"])


@cluster_test
@pytest.mark.parametrize("failure", [KeyboardInterrupt(), VclusterError("no links")])
def test_a_bring_up_that_fails_half_way_leaves_nothing(
    possible: None, state: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    seen: set[str] = set()

    def fail(*_: object) -> None:
        seen.update(namespaces_in_use())
        raise failure

    before = namespaces_in_use()
    monkeypatch.setattr(lifecycle, "_furnish_network", fail)
    with pytest.raises(type(failure)):
        VirtualCluster.up(2, 1)
    assert len(seen - before) >= 3 * len(KINDS)
    assert_nothing_left(state, seen - before)


@cluster_test
def test_a_cluster_dies_with_an_owner_killed_outright(possible: None, state: Path) -> None:
    program = "import sys, time; from virtual_cluster import VirtualCluster; "
    program += "c = VirtualCluster.up(2, 1); print('up', flush=True); time.sleep(99)"
    environment = os.environ | {"PYTHONPATH": str(RIG.parent)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"up\n"
        used, head = namespaces_of(VirtualCluster()), entry_of("vc").head
        owner.send_signal(signal.SIGKILL)
    wait_until(lambda: not head.is_alive(), "the head notices that its owner is gone")
    assert reap() == ["vc"]
    assert reap() == []
    assert_nothing_left(state, used)


@cluster_test
def test_a_cluster_outlives_the_command_and_is_reaped_after_its_owner(
    possible: None, state: Path
) -> None:
    with subprocess.Popen(["sleep", "99"]) as owner:
        size = ["--nodes", "2", "--rails", "1"]
        assert vcluster("up", *size, "--owner", str(owner.pid)).returncode == 0
        assert vcluster("up", *size, "--name", "free").returncode == 0
        used = namespaces_of(VirtualCluster("vc"))
        assert vcluster("reap").stdout == "nothing to reap\n"
        owner.kill()
    assert vcluster("reap").stdout == "vc\n"
    assert not used & namespaces_in_use()
    assert vcluster("status").stdout.startswith("free: 2 nodes (n0 to n1) x 1 rails")
    assert vcluster("down", "--name", "free").returncode == 0
    assert not state.exists()


@cluster_test
def test_status_tells_every_fault_and_restoring_clears_it(possible: None) -> None:
    with VirtualCluster.up(3, 2):
        for words in (
            "degrade port n1 0 70%",
            "degrade pair n0 n2 1 50mbit",
            "loss n2 1 10",
            "cut port n2 0",
            "kill n1",
        ):
            assert vcluster(*words.split()).returncode == 0
        assert vcluster("status").stdout.splitlines()[1:] == [
            "  n1 rail0: 70 Mbit/s",
            "  n0 - n2 rail1: 50 Mbit/s",
            "  n2 rail1: loses 10 permille, 0 so far",
            "  n2 rail0: cut",
            "  n1: killed",
        ]
        assert vcluster("restore", "all").returncode == 0
        assert len(vcluster("status").stdout.splitlines()) == 1


def test_mistakes_are_one_line_and_exit_2() -> None:
    for words in ("exec n0 -- true", "kill n0", "bytes", "run -- true"):
        done = vcluster(*words.split())
        assert done.returncode == 2
        assert done.stderr.startswith("vcluster: no virtual cluster 'vc' is up")
        assert len(done.stderr.splitlines()) == 1


def test_why_it_cannot_run_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert why_not() == "a virtual cluster needs root: it makes namespaces and network links"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_not() == "a virtual cluster needs ip: install iproute2"
    monkeypatch.setenv("PATH", path)
    request.getfixturevalue("possible")
    (tmp_path / "tc").write_text("#!/bin/sh\nexit 2\n")
    (tmp_path / "tc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{path}")
    assert why_not() == "a virtual cluster is impossible: the kernel has no tbf"
