# SPDX-License-Identifier: Apache-2.0
"""Running an MPI program on the nodes, started from the head as from a login node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .cluster import VirtualCluster
from .errors import VclusterError
from .layout import CONTROL, HEAD
from .namespaces import HERE
from .profiles import PROFILES

RUN_MPIRUN = HERE.parents[2] / "scripts" / "run-mpirun"

_RIG_ENVIRONMENT = {
    "OMPI_MCA_plm_rsh_no_tree_spawn": "1",  # a node cannot enter another, only the head can
    "OMPI_MCA_orte_tmpdir_base": "/dev/shm",  # each node's own, and gone with it
}


@dataclass(frozen=True)
class Launch:
    """How to start the ranks: by default one a rail on every node, each on its own rail."""

    nodes: Sequence[str] = ()  # names or indices; empty: all
    ranks_per_node: int = 0  # 0: one a rail
    rail_map: str = ""  # as scripts/rank-env reads it; empty: local rank modulo rails
    profile: str = "bandwidth"
    options: Sequence[str] = ()  # further options of run-mpirun


def launch_command(cluster: VirtualCluster, launch: Launch, program: Sequence[str]) -> list[str]:
    """Return the command line that runs `program` on every rank through scripts/run-mpirun.

    It needs `launch_environment()`.
    """
    layout = cluster.layout
    names = [layout.names[layout.node(str(node))] for node in launch.nodes] or layout.names
    ranks = str(launch.ranks_per_node or layout.rails)
    if not RUN_MPIRUN.exists():
        raise VclusterError(f"{RUN_MPIRUN} is missing, and only it knows mpirun: run in a checkout")
    options = ["--hosts", ",".join(f"{name}:{ranks}" for name in names), "--ranks-per-node", ranks]
    options += ["--control-interface", CONTROL, "--launch-agent", str(HERE / "agent")]
    options += ["--rail-map", launch.rail_map or f"*:rail%{layout.rails}", "--oversubscribe"]
    return cluster.command(HEAD, [str(RUN_MPIRUN), *options, *launch.options, "--", *program])


def launch_environment(cluster: VirtualCluster, launch: Launch) -> dict[str, str]:
    """Return the environment for `launch_command`: the caller's, the rig's, the profile's."""
    try:
        profile = PROFILES[launch.profile]
    except KeyError:
        known = ", ".join(PROFILES)
        raise VclusterError(f"no profile {launch.profile!r} is known: use {known}") from None
    return cluster.environment() | _RIG_ENVIRONMENT | profile
