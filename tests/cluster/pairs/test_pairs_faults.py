# SPDX-License-Identifier: Apache-2.0
"""What is missing or broken is said in one line; the rest is measured, and nothing hangs."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import pytest
from pairs_runs import read, run_pairs
from virtual_cluster import Launch, VirtualCluster

pytestmark = pytest.mark.cluster

NODES, RAILS = 5, 2
SHORT = ("--sizes", "64KiB", "--depth", "1", "-n", "3", "-w", "1")
DEADLINE = 8


@pytest.fixture(scope="module")
def running(bring_up) -> VirtualCluster:
    return bring_up(nodes=NODES, rails=RAILS, prefix="노드")


@pytest.fixture
def cluster(running: VirtualCluster) -> Iterator[VirtualCluster]:
    yield running
    running.restore()


def own_lines(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if re.match(r"(railgauge-pairs|rank-env):", line)]


def test_an_odd_number_of_nodes_leaves_each_out_once_and_measures_the_rest(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    out = tmp_path / "홀수.h5"
    done = run_pairs(cluster, out, *SHORT)
    assert done.returncode == 0, done.stderr
    outcome = read(out)
    assert len(outcome.status) == NODES
    assert set(outcome.status.values()) == {"done"}
    assert len(outcome.rates) == NODES * (NODES - 1) * RAILS
    with h5py.File(out, "r") as run:
        for case in range(NODES):
            assert list(run[f"samples/{case:04d}/group"][:]).count(-1) == RAILS


def test_one_node_is_refused_in_one_line(cluster: VirtualCluster, tmp_path: Path) -> None:
    done = run_pairs(cluster, tmp_path / "run.h5", *SHORT, launch=Launch(nodes=["0"]))
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "the job runs on one node" in line
    assert list(tmp_path.iterdir()) == []


def test_ranks_of_one_node_can_be_measured_as_one_pair(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    out = tmp_path / "run.h5"
    pair = ("--pattern", "one-pair", "--pair", "0:1")
    done = run_pairs(cluster, out, *SHORT, *pair, launch=Launch(nodes=["0"]))
    assert done.returncode == 0, done.stderr
    assert read(out).wrong == 0


def test_ranks_that_do_not_divide_by_rails_are_named_and_measured(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    out = tmp_path / "run.h5"
    launch = Launch(nodes=["0", "1"], ranks_per_node=3)
    done = run_pairs(cluster, out, *SHORT, launch=launch)
    assert done.returncode == 0, done.stderr
    assert "2 on rail 0, 1 on rail 1 on every node" in own_lines(done.stderr)[0]
    assert set(read(out).rates) == {(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)}


def test_a_rail_map_that_names_no_nic_is_refused_by_host_and_nic(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    launch = Launch(nodes=["0", "1"], rail_map="0:rail0,1:eth7")
    done = run_pairs(cluster, tmp_path / "run.h5", *SHORT, launch=launch)
    assert done.returncode == 2
    assert any("rank-env: 노드0:" in line and "eth7" in line for line in own_lines(done.stderr))


def test_a_cut_rail_is_refused_by_name_before_anything_is_measured(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    cluster.cut_port(1, 1)
    done = run_pairs(cluster, tmp_path / "run.h5", *SHORT, launch=Launch(nodes=["0", "1"]))
    assert done.returncode == 2
    line = own_lines(done.stderr)[0]
    assert "rank-env: 노드1: the NIC rail1 of local rank 1 has no link" in line


def test_beside_a_cut_rail_the_others_are_measured_and_its_cases_are_marked(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    cluster.cut_rail(1)
    out = tmp_path / "run.h5"
    launch = Launch(nodes=["0", "1", "2"], options=["--dead-rails", "idle"])
    done = run_pairs(cluster, out, *SHORT, "--rails", "both", launch=launch)
    assert done.returncode == 0, done.stderr
    assert "no link on 노드0 rail 1, 노드1 rail 1, 노드2 rail 1" in own_lines(done.stderr)[0]
    outcome = read(out)
    by_rails = {name.split("/")[7]: status for name, status in outcome.status.items()}
    assert by_rails == {"0": "done", "1": "skipped", "0,1": "done"}
    assert {rail for _, _, rail in outcome.rates} == {0}
    assert len(outcome.rates) == 6


def test_a_rail_map_against_the_site_file_is_refused(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    site = tmp_path / "site.toml"
    site.write_text(SITE, encoding="utf-8")
    launch = Launch(nodes=["0", "1"], rail_map="0:rail0,1:mgmt0")
    done = run_pairs(cluster, tmp_path / "run.h5", *SHORT, "--site", str(site), launch=launch)
    assert done.returncode == 2
    (line,) = own_lines(done.stderr)
    assert "rank 1 on 노드0 uses the NIC mgmt0 (the site file puts it on no rail)" in line


SITE = """
format = 1
name = "가상"
planes = [{name = "A"}, {name = "B"}]
rails = [
    {index = 0, name = "rail 0", plane = "A", rate_gbit_per_s = 0.1},
    {index = 1, name = "rail 1", plane = "B", rate_gbit_per_s = 0.1},
]
control_interface = "mgmt0"
groups = [
    {name = "nodes", hosts = ["노드[0-4]"], ports = [
        {rail = 0, netdev = "rail0"}, {rail = 1, netdev = "rail1"}
    ]},
]
leaves = [
    {name = "왼쪽", nodes = ["노드[0-1]"], planes = ["A", "B"]},
    {name = "오른쪽", nodes = ["노드[2-4]"], planes = ["A", "B"]},
]
"""


def test_planes_crossings_and_leaves_of_the_site_file_are_measured(
    cluster: VirtualCluster, tmp_path: Path
) -> None:
    site, out = tmp_path / "site.toml", tmp_path / "run.h5"
    site.write_text(SITE, encoding="utf-8")
    patterns = "plane,cross-rail,cross-plane,bisection,rail-sweep"
    launch = Launch(nodes=["0", "1", "2", "3"])
    arguments = (*SHORT, "--pattern", patterns, "--op", "bandwidth,latency", "--site", str(site))
    done = run_pairs(cluster, out, *arguments, launch=launch)
    assert done.returncode == 0, done.stderr
    outcome = read(out)
    assert set(outcome.status.values()) == {"done"}
    assert outcome.wrong == 0
    names = [name for name in outcome.status if name.startswith("bandwidth")]
    rails = {(name.split("/")[3], name.split("/")[7]) for name in names}
    assert rails == {
        ("plane", "0"),
        ("plane", "1"),
        ("cross-rail", "0>1,1>0"),
        ("cross-plane", "0>1,1>0"),
        ("bisection", "0,1"),
        ("rail-sweep", "0"),
        ("rail-sweep", "1"),
        ("rail-sweep", "0,1"),
    }


@contextmanager
def once_parts_exist(out: Path, parts: int, act: Callable[[], None]) -> Iterator[None]:
    """Do something to the cluster when so many cases are finished."""

    def watch() -> None:
        deadline = time.monotonic() + 100
        folder = Path(f"{out}.parts")
        while time.monotonic() < deadline:
            if len(list(folder.glob("[0-9]*.h5"))) >= parts:
                act()
                break
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("fault", ["kill a node", "cut a port", "cut a rail"])
def test_a_fault_in_mid_run_ends_it_by_the_deadline_and_keeps_what_was_measured(
    cluster: VirtualCluster, tmp_path: Path, fault: str
) -> None:
    faults: dict[str, Callable[[], None]] = {
        "kill a node": lambda: cluster.kill(2),
        "cut a port": lambda: cluster.cut_port(2, 1),
        "cut a rail": lambda: cluster.cut_rail(1),
    }
    out = tmp_path / "run.h5"
    arguments = ("--sizes", "256KiB", "--depth", "1", "-n", "8", "-w", "1", "--repeats", "20")
    began = time.monotonic()
    with once_parts_exist(out, 2, faults[fault]):
        done = run_pairs(cluster, out, *arguments, "--timeout", f"{DEADLINE}s")
    assert done.returncode == 5, done.stderr
    assert time.monotonic() - began < 100
    report = json.loads(Path(f"{out}.parts", "expired.json").read_text(encoding="utf-8"))
    assert report["text"] in done.stderr.replace("\n", " ")
    states = {rank["rank"]: rank["state"] for rank in report["ranks"]}
    assert set(states.values()) & {"inside", "not-entered", "silent", "gone"}
    parts = sorted(Path(f"{out}.parts").glob("[0-9]*.h5"))
    assert len(parts) >= 2
    for part in parts:
        with h5py.File(part, "r") as file:
            assert len(file["samples"]) == 1
