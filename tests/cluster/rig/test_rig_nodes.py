# SPDX-License-Identifier: Apache-2.0
"""A node looks like a machine of its own, and faults look from inside as real ones do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from virtual_cluster import VclusterError, VirtualCluster
from waiting import wait_until

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=3, rails=2, prefix="노드")


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


@contextmanager
def started(
    cluster: VirtualCluster, node: int, argv: list[str]
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(cluster.command(node, argv), env=cluster.environment())
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def shell(cluster: VirtualCluster, node: str | int, text: str) -> str:
    done = cluster.exec(node, ["sh", "-c", text])
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def link(cluster: VirtualCluster, node: int, interface: str, attribute: str) -> str:
    return shell(cluster, node, f"cat /sys/class/net/{interface}/{attribute}")


def test_a_node_has_its_own_name_links_hosts_and_shared_memory(cluster: VirtualCluster) -> None:
    assert shell(cluster, 1, "hostname") == "노드1"
    assert shell(cluster, 1, "ls /sys/class/net").split() == ["lo", "mgmt0", "rail0", "rail1"]
    assert shell(cluster, 1, "getent hosts 노드2-rail1").split()[0] == "10.10.1.3"
    assert shell(cluster, 1, "getent hosts head").split()[0] == "10.10.100.254"
    marker = f"{cluster.name}.marker"
    shell(cluster, 1, f"touch /dev/shm/{marker}; ipcmk --shmem 4096")
    assert shell(cluster, 2, "ls /dev/shm; ipcs --shmems | grep -c 0x || true") == "0"
    assert not Path("/dev/shm", marker).exists()


def test_processes_of_one_node_are_not_seen_on_another(cluster: VirtualCluster) -> None:
    def listing(node: int) -> str:
        return shell(cluster, node, "ps ax -o args")

    with started(cluster, 1, ["sleep", "77"]):
        wait_until(lambda: "sleep 77" in listing(1), "it runs on its node")
        assert "sleep 77" not in listing(2)
    wait_until(lambda: "sleep 77" not in listing(1), "it ends with its caller")


def test_a_command_keeps_its_arguments_its_folder_and_its_exit_code(
    cluster: VirtualCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "결과 $HOME"
    folder.mkdir()
    monkeypatch.chdir(folder)
    done = cluster.exec(1, ["sh", "-c", 'pwd; printf "%s\\n" "$@"; exit 3', "sh", "a b", "'\"$x"])
    assert done.stdout.splitlines() == [str(folder), "a b", "'\"$x"]
    assert done.returncode == 3


def test_a_node_gets_a_login_environment_and_not_the_callers(
    cluster: VirtualCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGOTTEN_EXPORT", "1")
    assert "FORGOTTEN_EXPORT" not in shell(cluster, 1, "env")
    assert "FORGOTTEN_EXPORT" in shell(cluster, "head", "env")


def test_orphans_of_a_node_do_not_stay_as_zombies(cluster: VirtualCluster) -> None:
    shell(cluster, 1, "(setsid sleep 0.05 &)")
    wait_until(lambda: "sleep 0.05" not in shell(cluster, 1, "ps ax -o args"), "it ends")
    wait_until(lambda: "Z" not in shell(cluster, 1, "ps ax -o stat"), "it is reaped")


def test_a_cut_port_loses_carrier_and_its_neighbours_do_not(cluster: VirtualCluster) -> None:
    cluster.cut_port(1, 0)
    assert link(cluster, 1, "rail0", "carrier") == "0"
    for node, rail in ((1, 1), (0, 0), (2, 0)):
        assert link(cluster, node, f"rail{rail}", "carrier") == "1"
    assert "10.10.0.2/24" in shell(cluster, 1, "ip -4 address show dev rail0")
    cluster.restore_port(1, 0)
    assert link(cluster, 1, "rail0", "carrier") == "1"


def test_a_cut_rail_is_down_on_every_node(cluster: VirtualCluster) -> None:
    cluster.cut_rail(1)
    assert {link(cluster, node, "rail1", "carrier") for node in range(3)} == {"0"}
    cluster.restore_rail(1)
    assert {link(cluster, node, "rail1", "carrier") for node in range(3)} == {"1"}


def test_a_flapping_port_changes_carrier_as_often_as_told_and_ends_up(
    cluster: VirtualCluster,
) -> None:
    before = int(link(cluster, 1, "rail0", "carrier_changes"))
    cluster.flap(1, 0, down_ms=5, up_ms=5, count=3)
    assert int(link(cluster, 1, "rail0", "carrier_changes")) - before == 6
    assert link(cluster, 1, "rail0", "carrier") == "1"


def test_flapping_a_cut_port_leaves_it_cut(cluster: VirtualCluster) -> None:
    cluster.cut_port(1, 0)
    cluster.flap(1, 0, down_ms=1, up_ms=1, count=1)
    assert link(cluster, 1, "rail0", "carrier") == "0"


def test_a_killed_node_falls_silent_and_comes_back_empty(cluster: VirtualCluster) -> None:
    listen = "import socket as s, time; c = s.create_server(('', 5000)).accept(); time.sleep(99)"
    connect = "import socket as s, time; c = s.create_connection(('10.10.100.2', 5000)); "
    connect += "time.sleep(99)"
    established = "ss -Htn state established dst 10.10.100.2"
    interfaces = ("rail0", "rail1", "mgmt0")
    with ExitStack() as stack:
        stack.enter_context(started(cluster, 1, ["python3", "-c", listen]))
        wait_until(lambda: shell(cluster, 1, "ss -Hltn sport 5000") != "", "it listens")
        peer = stack.enter_context(started(cluster, 0, ["python3", "-c", connect]))
        wait_until(lambda: shell(cluster, 0, established) != "", "they are connected")
        cluster.kill(1)
        assert "python3" not in shell(cluster, 1, "ps ax -o comm")
        assert {link(cluster, 1, name, "carrier") for name in interfaces} == {"0"}
        # No reset and no end of file: as after a power cut, the peer learns nothing.
        assert shell(cluster, 0, established) != ""
        assert peer.poll() is None
    cluster.restore_node(1)
    assert {link(cluster, 1, name, "carrier") for name in interfaces} == {"1"}


@pytest.mark.parametrize(
    "fault",
    [
        lambda cluster: cluster.degrade_port("노드3", 0, "70%"),
        lambda cluster: cluster.degrade_port(0, 2, "70%"),
        lambda cluster: cluster.degrade_pair(1, 1, 0, "70%"),
        lambda cluster: cluster.lose(0, 0, 0),
        lambda cluster: cluster.lose(0, 0, 1001),
        lambda cluster: cluster.kill(-1),
    ],
)
def test_a_fault_that_cannot_be_is_refused_and_changes_nothing(
    cluster: VirtualCluster, fault: Callable[[VirtualCluster], None]
) -> None:
    before = cluster.faults
    with pytest.raises(VclusterError):
        fault(cluster)
    assert cluster.faults == before
