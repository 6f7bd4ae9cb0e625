# SPDX-License-Identifier: Apache-2.0
"""Bringing clusters up and taking them down, whoever left them."""

from __future__ import annotations

import os

from . import namespaces, ports
from .errors import VclusterError
from .faults import Faults
from .layout import HEAD, Layout
from .registry import Entry, Process, Registry
from .script import Script

# Reno is the one algorithm every namespace may choose. The machine's default may be another: BBR,
# for one, paces itself and holds a shaped link less steadily.
_NODE_SYSCTLS = {
    "tcp_congestion_control": "reno",
    "tcp_slow_start_after_idle": "0",
    "tcp_no_metrics_save": "1",
}


def bring_up(
    name: str, layout: Layout, owned: bool, owner_pid: int | None = None
) -> namespaces.Started:
    """Bring a cluster up and write it down, or leave nothing behind.

    An owned one ends with this process. Another stays until `down`, or is reaped after the process
    `owner_pid`.
    """
    registry = Registry()
    with registry.locked():
        _reap(registry)
        if registry.read(name):
            raise VclusterError(
                f"virtual cluster {name!r} is up already: take it down, or choose another name"
            )
        owner = _owner(os.getpid() if owned else owner_pid)
        folder = registry.create(name, layout)
        started = None
        try:
            started = namespaces.start(folder, layout.names, owned)
            entry = Entry(layout, started.head, owner, started.pids, Faults())
            namespaces.run_on_head(
                entry.head, ["sh"], _furnish_network(layout, started.pids).render(entry.pids)
            )
            registry.write(name, entry)
        except BaseException:
            if started:
                end(started)
            registry.remove(name)
            raise
        return started


def down(name: str) -> None:
    """Take a cluster down by name; harmless when there is none."""
    registry = Registry()
    with registry.locked():
        _remove(registry, name)


def reap() -> list[str]:
    """Take down what is left of clusters whose head or owner is gone, and return their names."""
    registry = Registry()
    with registry.locked():
        return _reap(registry)


def end(started: namespaces.Started) -> None:
    """End a cluster that this process started."""
    namespaces.stop(started.head)
    os.close(started.lifeline)
    started.keeper.wait()


def _owner(pid: int | None) -> Process | None:
    if pid is None:
        return None
    owner = Process.of(pid)
    if owner is None:
        raise VclusterError(f"owner process {pid} does not exist: give the id of a live one")
    return owner


def _reap(registry: Registry) -> list[str]:
    entries = {name: registry.read(name) for name in registry.names()}
    stale = [name for name, entry in entries.items() if entry is None or entry.is_stale()]
    for name in stale:
        _remove(registry, name)
    return stale


def _remove(registry: Registry, name: str) -> None:
    entry = registry.read(name)
    if entry:
        namespaces.stop(entry.head)
    registry.remove(name)


def _furnish_network(layout: Layout, pids: dict[str, int]) -> Script:
    script = Script()
    script.add(HEAD, "ip", *layout.head_links(pids))
    settings = [f"echo {value} > /proc/sys/net/ipv4/{key}" for key, value in _NODE_SYSCTLS.items()]
    for node, name in enumerate(layout.names):
        script.add(name, "sh", *settings)
        script.add(name, "ip", *layout.node_links(node))
        for rail in range(layout.rails):
            ports.shape(script, layout, node, rail, Faults().port(node, rail, layout.rate))
    return script
