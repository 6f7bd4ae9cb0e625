# SPDX-License-Identifier: Apache-2.0
"""The rail, its variables and CPUs that rank-env gives a rank, on nodes laid out in a folder."""

from __future__ import annotations

import os
import sys

import pytest
from conftest import Tree, one_line


@pytest.fixture
def node(tree: Tree) -> Tree:
    """Two RDMA NICs with network devices of other names, and two plain network devices."""
    for index in range(2):
        rdma = f"sys/class/infiniband/mlx5_{index}"
        tree.write(f"{rdma}/ports/1/gid_attrs/ndevs/0", f"ens{index}f0np0\n")
        tree.write(f"{rdma}/device/numa_node", "0\n")
        tree.write(f"sys/class/net/ens{index}f0np0/device/numa_node", "0\n")
        tree.write(f"sys/class/net/rail{index}/operstate", "up\n")
    tree.write("sys/devices/system/node/node0/cpulist", "0\n")
    return tree


def variables(node: Tree, rail_map: str, local_rank: int, **more: str) -> dict[str, str]:
    more = {"OMPI_COMM_WORLD_LOCAL_RANK": str(local_rank)} | more
    sysfs = str(node.root / "sys")
    done = node.run("rank-env", "env", RAILGAUGE_RAIL_MAP=rail_map, RAILGAUGE_SYSFS=sysfs, **more)
    assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("rail_map", "local_rank", "nic", "rail"),
    [
        ("0:rail0,1:rail0,2:rail1", 1, "rail0", 0),
        ("0:rail0,1:rail0,2:rail1", 2, "rail1", 1),
        ("2:rail0,0:rail1", 0, "rail1", 0),  # numbered in the order of ranks, not of writing
        ("2:rail0,0:rail1", 2, "rail0", 1),
        ("08:rail1,7:rail0", 8, "rail1", 1),  # not octal
        ("*:rail%", 1, "rail1", 1),
        ("*:rail%2", 7, "rail1", 1),
        ("*:ens%2f0np0", 3, "ens1f0np0", 1),
        ("*:rail1", 5, "rail1", 0),
    ],
)
def test_the_map_gives_nic_and_rail(
    node: Tree, rail_map: str, local_rank: int, nic: str, rail: int
) -> None:
    found = variables(node, rail_map, local_rank)
    assert (found["RAILGAUGE_NIC"], found["RAILGAUGE_RAIL"]) == (nic, str(rail))


def test_a_network_device_steers_tcp(node: Tree) -> None:
    found = variables(node, "*:rail%", 1)
    assert found["OMPI_MCA_btl_tcp_if_include"] == found["UCX_NET_DEVICES"] == "rail1"
    assert "NCCL_IB_HCA" not in found


@pytest.mark.parametrize("name", ["mlx5_1", "ens1f0np0"])
def test_either_name_of_an_rdma_nic_steers_every_library(node: Tree, name: str) -> None:
    found = variables(node, f"0:{name}", 0)
    assert found["OMPI_MCA_btl_tcp_if_include"] == "ens1f0np0"
    assert found["UCX_NET_DEVICES"] == "mlx5_1:1"
    assert found["NCCL_IB_HCA"] == "=mlx5_1"


@pytest.mark.parametrize("name", ["rail0", "mlx5_0"])
def test_a_nic_without_link_is_refused_before_mpi_waits_for_it(node: Tree, name: str) -> None:
    node.write("sys/class/net/rail0/carrier", "0\n")
    node.write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n")
    sysfs = str(node.root / "sys")
    done = node.run(
        *("rank-env", "true"),
        RAILGAUGE_RAIL_MAP=f"0:{name}",
        RAILGAUGE_SYSFS=sysfs,
        OMPI_COMM_WORLD_LOCAL_RANK="0",
    )
    assert done.returncode == 2
    assert f"the NIC {name} of local rank 0 has no link" in one_line(done.stderr)


def test_a_rank_on_a_dead_rail_may_idle_over_the_control_interface(node: Tree) -> None:
    node.write("sys/class/net/rail1/carrier", "0\n")
    idle = {"RAILGAUGE_DEAD_RAILS": "idle", "RAILGAUGE_CONTROL_INTERFACE": "mgmt0"}
    dead = variables(node, "*:rail%", 1, **idle)
    alive = variables(node, "*:rail%", 0, **idle)
    assert dead["OMPI_MCA_btl_tcp_if_include"] == dead["UCX_NET_DEVICES"] == "mgmt0"
    assert dead["RAILGAUGE_RAIL_IS_DEAD"] == "1"
    assert alive["OMPI_MCA_btl_tcp_if_include"] == "rail0"
    assert "RAILGAUGE_RAIL_IS_DEAD" not in alive


def test_a_linked_rdma_nic_is_steered(node: Tree) -> None:
    node.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n")
    node.write("sys/class/net/ens0f0np0/carrier", "1\n")
    assert variables(node, "0:mlx5_0", 0)["NCCL_IB_HCA"] == "=mlx5_0"


def test_without_a_map_nothing_is_steered(node: Tree) -> None:
    done = node.run("rank-env", "env", OMPI_COMM_WORLD_LOCAL_RANK="1")
    assert "RAILGAUGE_LOCAL_RANK=1" in done.stdout.splitlines()
    assert "UCX_NET_DEVICES" not in done.stdout
    assert "RAILGAUGE_RAIL" not in done.stdout


def test_under_srun_the_local_rank_is_slurms(node: Tree) -> None:
    done = node.run("rank-env", "env", SLURM_LOCALID="3")
    assert "RAILGAUGE_LOCAL_RANK=3" in done.stdout.splitlines()


def test_under_mpirun_in_an_allocation_slurms_rank_is_the_daemons(node: Tree) -> None:
    found = variables(node, "*:rail%", 1, SLURM_LOCALID="0")
    assert found["RAILGAUGE_LOCAL_RANK"] == "1"


def test_auto_takes_the_nodes_rdma_devices_in_turn_by_name(node: Tree) -> None:
    found = [variables(node, "auto", rank) for rank in range(3)]
    names = sorted(p.name for p in (node.root / "sys/class/infiniband").iterdir())
    assert [f["RAILGAUGE_NIC"] for f in found] == [names[r % len(names)] for r in range(3)]
    assert [int(f["RAILGAUGE_RAIL"]) for f in found] == [r % len(names) for r in range(3)]


def auto_node(tree: Tree, numa_of_nic: list[int], cpus_of_node: dict[int, str]) -> Tree:
    """A node with networks only, rail0 and so on, each on its NUMA node."""
    for index, numa in enumerate(numa_of_nic):
        tree.write(f"sys/class/net/rail{index}/device/numa_node", f"{numa}\n")
    tree.write("sys/class/net/mgmt0/device/numa_node", "0\n")
    tree.write("sys/class/net/lo/operstate", "unknown\n")
    for numa, cpus in cpus_of_node.items():
        tree.write(f"sys/devices/system/node/node{numa}/cpulist", f"{cpus}\n")
    return tree


def auto(tree: Tree, local_rank: int) -> tuple[str, str]:
    done = tree.run(
        *("rank-env", "env"),
        RAILGAUGE_RAIL_MAP="auto",
        RAILGAUGE_CONTROL_INTERFACE="mgmt0",
        RAILGAUGE_SYSFS=str(tree.root / "sys"),
        OMPI_COMM_WORLD_LOCAL_RANK=str(local_rank),
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return found["RAILGAUGE_NIC"], found["RAILGAUGE_RAIL"]


def test_auto_prefers_the_nics_of_the_ranks_numa_node(tree: Tree) -> None:
    everywhere = "0-9999"  # whatever CPUs this test may use
    auto_node(tree, [0, 1, 0, 1], {0: "10000-10001", 1: everywhere})
    assert [auto(tree, rank) for rank in range(3)] == [
        ("rail1", "1"),
        ("rail3", "3"),
        ("rail1", "1"),
    ]


def test_auto_takes_every_nic_where_affinity_tells_nothing(tree: Tree) -> None:
    auto_node(tree, [-1] * 11, {0: "0-9999"})
    assert auto(tree, 2) == ("rail2", "2")
    assert auto(tree, 10) == ("rail10", "10")


def test_auto_without_a_nic_is_refused(tree: Tree) -> None:
    auto_node(tree, [], {0: "0-9999"})
    done = tree.run(
        *("rank-env", "true"),
        RAILGAUGE_RAIL_MAP="auto",
        RAILGAUGE_CONTROL_INTERFACE="mgmt0",
        RAILGAUGE_SYSFS=str(tree.root / "sys"),
        OMPI_COMM_WORLD_LOCAL_RANK="0",
    )
    assert done.returncode == 2
    assert "has no RDMA device" in one_line(done.stderr)


def test_a_rail_map_without_a_local_rank_is_refused(node: Tree) -> None:
    sysfs = str(node.root / "sys")
    done = node.run("rank-env", "true", RAILGAUGE_RAIL_MAP="*:rail%", RAILGAUGE_SYSFS=sysfs)
    assert done.returncode == 2
    assert "the launcher sets no local rank" in one_line(done.stderr)


def test_bind_nic_runs_on_the_cpus_of_the_nics_numa_node(node: Tree) -> None:
    done = node.run(
        *("rank-env", sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"),
        RAILGAUGE_RAIL_MAP="0:mlx5_0",
        RAILGAUGE_BIND="nic",
        RAILGAUGE_SYSFS=str(node.root / "sys"),
        OMPI_COMM_WORLD_LOCAL_RANK="0",
    )
    assert done.stdout == "{0}\n"


def test_bind_nic_without_affinity_keeps_every_cpu(node: Tree) -> None:
    node.write("sys/class/net/rail0/device/numa_node", "-1\n")
    found = node.run(
        *("rank-env", "nproc"),
        RAILGAUGE_RAIL_MAP="0:rail0",
        RAILGAUGE_BIND="nic",
        RAILGAUGE_SYSFS=str(node.root / "sys"),
        OMPI_COMM_WORLD_LOCAL_RANK="0",
    )
    assert found.stdout.strip() == str(len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("rail_map", "says"),
    [
        ("rail0", "is not LOCAL_RANK:NIC"),
        ("0:rail0,", "no NIC for local rank 1"),
        ("0:rail0,,1:rail1", "is not LOCAL_RANK:NIC"),
        ("0:rail0,0:rail1", "appears twice"),
        ("0:rail0", "no NIC for local rank 1"),
        ("1:rail0;1:rail1", "is not LOCAL_RANK:NIC"),
        ("1:../../etc", "is not LOCAL_RANK:NIC"),
        ("*:rail%%", "more than one %"),
        ("*:rail%0", "divides by zero"),
        ("*:", "is no NIC"),
        ("*:rail 0", "is no NIC"),
        ("*:rail%,0:rail0", "is no NIC"),
        ("*:rail7", "no such network or RDMA device"),
        ("1:레일0", "no such network or RDMA device"),
    ],
)
def test_a_wrong_map_is_one_line_and_status_2(node: Tree, rail_map: str, says: str) -> None:
    done = node.run(
        *("rank-env", "true"),
        RAILGAUGE_RAIL_MAP=rail_map,
        RAILGAUGE_SYSFS=str(node.root / "sys"),
        OMPI_COMM_WORLD_LOCAL_RANK="1",
    )
    assert done.returncode == 2
    line = one_line(done.stderr)
    assert says in line
    assert rail_map in line


def test_the_program_gets_its_arguments_and_gives_its_status(node: Tree) -> None:
    done = node.run("rank-env", "bash", "-c", 'printf "%s|" "$@"; exit 5', "-", "a b", "", "한글")
    assert (done.stdout, done.returncode) == ("a b||한글|", 5)


@pytest.mark.parametrize("arguments", [[], ["no-such-program"]])
def test_no_program_is_one_line_and_status_2(node: Tree, arguments: list[str]) -> None:
    done = node.run("rank-env", *arguments)
    assert done.returncode == 2
    one_line(done.stderr)


@pytest.fixture
def dead(node: Tree) -> Tree:
    """rail0 and mlx5_0 have no link, rail1 and mlx5_1 have one."""
    for index, carrier, state in ((0, "0", "1: DOWN"), (1, "1", "4: ACTIVE")):
        node.write(f"sys/class/net/rail{index}/carrier", f"{carrier}\n")
        node.write(f"sys/class/infiniband/mlx5_{index}/ports/1/state", f"{state}\n")
    return node


@pytest.mark.parametrize("nic", ["rail0", "mlx5_0"])
def test_a_nic_without_a_link_is_refused(dead: Tree, nic: str) -> None:
    sysfs = str(dead.root / "sys")
    done = dead.run(
        *("rank-env", "env"),
        RAILGAUGE_RAIL_MAP=f"0:{nic}",
        RAILGAUGE_SYSFS=sysfs,
        OMPI_COMM_WORLD_LOCAL_RANK="0",
    )
    assert done.returncode == 2
    assert f"the NIC {nic} of local rank 0 has no link" in one_line(done.stderr)


@pytest.mark.parametrize("nic", ["rail0", "mlx5_0"])
def test_told_to_idle_a_rank_without_a_link_is_reached_over_the_control_interface(
    dead: Tree, nic: str
) -> None:
    more = {"RAILGAUGE_DEAD_RAILS": "idle", "RAILGAUGE_CONTROL_INTERFACE": "mgmt0"}
    found = variables(dead, f"0:{nic}", 0, **more)
    assert (found["RAILGAUGE_NIC"], found["RAILGAUGE_RAIL"]) == (nic, "0")
    assert found["RAILGAUGE_RAIL_IS_DEAD"] == "1"
    assert found["OMPI_MCA_btl_tcp_if_include"] == found["UCX_NET_DEVICES"] == "mgmt0"
    assert "NCCL_IB_HCA" not in found


@pytest.mark.parametrize("nic", ["rail1", "mlx5_1"])
def test_a_nic_with_a_link_is_used(dead: Tree, nic: str) -> None:
    found = variables(dead, f"0:{nic}", 0, RAILGAUGE_DEAD_RAILS="idle")
    assert "RAILGAUGE_RAIL_IS_DEAD" not in found
    assert found["UCX_NET_DEVICES"] in ("rail1", "mlx5_1:1")
