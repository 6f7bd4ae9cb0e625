# SPDX-License-Identifier: Apache-2.0
"""What the kernel counted on the links of a cluster."""

from __future__ import annotations

import json
import re

from .errors import VclusterError
from .layout import switch_port
from .namespaces import run_on_head
from .registry import Entry


def count_bytes(entry: Entry) -> dict[str, dict[str, dict[str, int]]]:
    """Count bytes since bring-up: node -> interface -> {"tx", "rx"}, as the node sees them.

    Counted at the switch's end, so that killed nodes have counts too; `rx` includes what injected
    loss then drops.
    """
    shown = run_on_head(entry.head, ["ip", "-json", "-stats", "link", "show", "type", "veth"])
    stats = {link["ifname"]: link["stats64"] for link in json.loads(shown)}
    result: dict[str, dict[str, dict[str, int]]] = {name: {} for name in entry.layout.names}
    for node, _, interface in entry.layout.interfaces():
        name, port = entry.layout.names[node], stats.get(switch_port(node, interface))
        if port is None:
            raise VclusterError(f"the namespaces of {name} are gone: take the cluster down")
        result[name][interface] = {"tx": port["rx"]["bytes"], "rx": port["tx"]["bytes"]}
    return result


def count_lost(entry: Entry) -> dict[str, dict[str, int]]:
    """Count packets that injected loss dropped, node -> interface, where loss is in force."""
    lost: dict[str, dict[str, int]] = {}
    for node, rail in sorted(entry.faults.losses):
        name = entry.layout.names[node]
        enter = ["nsenter", "--target", str(entry.pids[name]), "--net"]
        table = ["nft", "list", "table", "netdev", f"loss_rail{rail}"]
        match = re.search(r"counter packets (\d+)", run_on_head(entry.head, [*enter, *table]))
        if match:
            lost.setdefault(name, {})[f"rail{rail}"] = int(match[1])
    return lost
