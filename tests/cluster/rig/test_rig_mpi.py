# SPDX-License-Identifier: Apache-2.0
"""MPI programs run across the nodes through scripts/run-mpirun, each rank on its rail."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from traffic import PAYLOAD
from virtual_cluster import Launch, VirtualCluster, launch_command, launch_environment
from virtual_cluster.profiles import PROFILES

pytestmark = pytest.mark.cluster

HERE = Path(__file__).parent
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def cluster(bring_up) -> VirtualCluster:
    for program in ("mpirun", "mpicxx"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing: install Open MPI")
    return bring_up(nodes=4, rails=2, prefix="노드")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("프로그램")

    def compile_program(name: str) -> str:
        built = folder / name
        source = HERE / f"{name}.cpp"
        command = ["mpicxx", "-O1", "-DOMPI_SKIP_MPICXX", "-o", built, source]
        subprocess.run(command, check=True, timeout=300)
        return str(built)

    return compile_program


def run(cluster: VirtualCluster, launch: Launch, *program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        launch_command(cluster, launch, program),
        env=launch_environment(cluster, launch),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_all_ranks_compute_together_each_on_its_rail(cluster: VirtualCluster, build) -> None:
    before = cluster.bytes()
    done = run(cluster, Launch(), build("all_reduce"))
    assert done.returncode == 0, done.stderr
    lines = Counter(done.stdout.splitlines())
    assert lines == Counter(
        f"노드{node} rail{rail} {sum(range(8))}" for node in range(4) for rail in range(2)
    )
    after = cluster.bytes()
    for name, counts in after.items():
        sent = {key: counts[key]["tx"] - before[name][key]["tx"] for key in counts}
        assert min(sent["rail0"], sent["rail1"]) > MIB // 2
        assert sent["mgmt0"] < MIB // 4


def test_a_subset_of_nodes_and_a_rail_map_can_be_chosen(cluster: VirtualCluster, build) -> None:
    launch = Launch(nodes=["노드1", "3"], ranks_per_node=3, rail_map="*:rail1")
    done = run(cluster, launch, build("all_reduce"))
    assert done.returncode == 0, done.stderr
    expected = [f"노드{node} rail1 {sum(range(6))}" for node in (1, 3) for _ in range(3)]
    assert sorted(done.stdout.splitlines()) == expected


def test_exit_codes_and_silence_pass_through(cluster: VirtualCluster) -> None:
    done = run(cluster, Launch(nodes=["0", "1"], ranks_per_node=1), "/bin/sh", "-c", "exit 4")
    assert (done.returncode, done.stdout) == (4, "")


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "plain"])
@pytest.mark.parametrize("size", [MIB // 2, 8 * MIB])
def test_a_profile_lets_both_directions_run_at_once(
    cluster: VirtualCluster, build, profile: str, size: int
) -> None:
    launch = Launch(nodes=["0", "1"], ranks_per_node=1, profile=profile)
    done = run(cluster, launch, build("exchange"), str(size), str(16 * MIB // size))
    assert done.returncode == 0, done.stderr
    # Taking turns would be half of it.
    assert float(done.stdout) * 8 / cluster.layout.rate > 0.8 * PAYLOAD
