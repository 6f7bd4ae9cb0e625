# SPDX-License-Identifier: Apache-2.0
"""Network namespaces as the nodes of a cluster whose rails are really slowed.

docs/rigs/virtual-cluster.md says what it shows and what it cannot.
"""

from .cluster import VirtualCluster, clusters
from .errors import VclusterError
from .launch import Launch, launch_command, launch_environment
from .lifecycle import down, reap
from .requirements import why_not

__all__ = [
    "Launch",
    "VclusterError",
    "VirtualCluster",
    "clusters",
    "down",
    "launch_command",
    "launch_environment",
    "reap",
    "why_not",
]
