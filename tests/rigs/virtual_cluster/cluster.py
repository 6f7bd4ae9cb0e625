# SPDX-License-Identifier: Apache-2.0
"""A virtual cluster: bring it up, break it, run programs on it, take it down."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from . import counters, lifecycle, namespaces, ports
from .errors import VclusterError
from .faults import Faults, Pair, Port
from .layout import HEAD, Layout
from .rates import parse_rate
from .registry import Entry, Registry
from .script import Script


class VirtualCluster:
    """A running cluster. As a context manager it goes down with the block, or with its process.

    Nodes are given by name or index. Rates are text: 70mbit, or 70% of nominal. A fault changes the
    links at once and stays until restored.
    """

    def __init__(self, name: str = "vc") -> None:
        """Attach to the running cluster `name`."""
        self.name = name
        self._registry = Registry()
        self._started: namespaces.Started | None = None
        self._entry()

    @classmethod
    def up(
        cls, nodes: int, rails: int, rate: str = "100mbit", name: str = "vc", prefix: str = "n"
    ) -> VirtualCluster:
        """Bring a cluster up that ends with this process at the latest."""
        started = lifecycle.bring_up(name, Layout(nodes, rails, rate, prefix), owned=True)
        cluster = cls(name)
        cluster._started = started
        return cluster

    def __enter__(self) -> VirtualCluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()

    def down(self) -> None:
        """Take the cluster down; harmless when it is down already."""
        if self._started:
            lifecycle.end(self._started)
            self._started = None
        lifecycle.down(self.name)

    @property
    def layout(self) -> Layout:
        return self._entry().layout

    @property
    def faults(self) -> Faults:
        return self._entry().faults

    def degrade_port(self, node: str | int, rail: int, rate: str) -> None:
        """Slow both directions of a node's port on a rail."""
        self._slow(lambda layout: [_port(layout, node, rail)], rate)

    def degrade_node(self, node: str | int, rate: str) -> None:
        """Slow every rail of a node, each to this rate."""
        self._slow(lambda layout: _node_ports(layout, node), rate)

    def degrade_rail(self, rail: int, rate: str) -> None:
        """Slow every node's port on a rail."""
        self._slow(lambda layout: _rail_ports(layout, rail), rate)

    def degrade_pair(self, a: str | int, b: str | int, rail: int, rate: str) -> None:
        """Slow only what these two send each other on this rail."""

        def edit(layout: Layout, faults: Faults) -> Faults:
            return faults.with_pair_rate(_pair(layout, a, b, rail), parse_rate(rate, layout.rate))

        self._change(edit)

    def lose(self, node: str | int, rail: int, permille: int) -> None:
        """Drop a random share of the packets that arrive on a port."""
        if not 0 < permille <= 1000:
            raise VclusterError(f"{permille} permille is no loss: use 1 to 1000, or restore")
        self._change(lambda layout, faults: faults.with_loss(_port(layout, node, rail), permille))

    def cut_port(self, node: str | int, rail: int) -> None:
        """Pull a port's cable."""
        self._change(lambda layout, faults: faults.with_cut([_port(layout, node, rail)]))

    def cut_rail(self, rail: int) -> None:
        """Pull every cable of a rail."""
        self._change(lambda layout, faults: faults.with_cut(_rail_ports(layout, rail)))

    def kill(self, node: str | int) -> None:
        """Lose a node as by a power cut: links first, so that no peer sees a connection close."""

        def also(script: Script, entry: Entry) -> None:
            pid = entry.pids[entry.layout.names[_node(entry.layout, node)]]
            script.add(HEAD, "sh", f"nsenter --target {pid} --pid sh -c 'kill -9 -1'")

        self._change(lambda layout, faults: faults.with_dead(_node(layout, node)), also)

    def flap(self, node: str | int, rail: int, down_ms: int, up_ms: int, count: int) -> None:
        """Pull a port's cable and put it back, `count` times; return after the last."""
        index, _ = _port(self.layout, node, rail)
        try:
            for _ in range(count):
                self._plug(index, rail, up=False)
                time.sleep(down_ms / 1000)
                self._plug(index, rail, up=True)
                time.sleep(up_ms / 1000)
        finally:
            self._plug(index, rail, self.faults.port(index, rail, self.layout.rate).up)

    def restore(self) -> None:
        """Mend everything. A killed node is an empty, reachable one again."""
        self._change(lambda layout, faults: Faults())

    def restore_port(self, node: str | int, rail: int) -> None:
        """Mend a port, and what is slowed between it and single peers."""
        self._change(lambda layout, faults: faults.without_ports([_port(layout, node, rail)]))

    def restore_pair(self, a: str | int, b: str | int, rail: int) -> None:
        """Mend what `degrade_pair` did."""
        self._change(lambda layout, faults: faults.without_pair(_pair(layout, a, b, rail)))

    def restore_node(self, node: str | int) -> None:
        """Mend every port of a node, and the node itself if it was killed."""
        self._change(lambda layout, faults: faults.without_node(_node(layout, node), layout.rails))

    def restore_rail(self, rail: int) -> None:
        """Mend every port on a rail."""
        self._change(lambda layout, faults: faults.without_ports(_rail_ports(layout, rail)))

    def command(self, node: str | int, argv: Sequence[str]) -> list[str]:
        """Return the command line that runs `argv` on a node, or on `head`, in this directory.

        It needs `environment()`. On a node `argv` gets the bare environment of a remote login, on
        the head the caller's.
        """
        entry = self._entry()
        enter = namespaces.enter_head(entry.head)
        if node == HEAD:
            return [*enter, *argv]
        name = entry.layout.names[_node(entry.layout, node)]
        line = f"cd {shlex.quote(str(Path.cwd()))} && exec {shlex.join(argv)}"
        return [*enter, str(namespaces.HERE / "agent"), name, line]

    def environment(self) -> dict[str, str]:
        """Return the caller's environment and what the agent needs."""
        return os.environ | {"VCLUSTER_DIR": str(self._registry.folder(self.name))}

    def exec(
        self, node: str | int, argv: Sequence[str], timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a node and return its exit code and output."""
        return subprocess.run(
            self.command(node, argv),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def bytes(self) -> dict[str, dict[str, dict[str, int]]]:
        """Count bytes since bring-up; see `counters.count_bytes`."""
        return counters.count_bytes(self._entry())

    def lost_packets(self) -> dict[str, dict[str, int]]:
        """Count packets dropped by `lose`; see `counters.count_lost`."""
        return counters.count_lost(self._entry())

    def _entry(self) -> Entry:
        entry = self._registry.read(self.name)
        if entry is None or not entry.head.is_alive():
            raise VclusterError(
                f"no virtual cluster {self.name!r} is up: bring it up first; status shows others"
            )
        return entry

    def _slow(self, ports_of: Callable[[Layout], list[Port]], rate: str) -> None:
        def edit(layout: Layout, faults: Faults) -> Faults:
            return faults.with_rate(ports_of(layout), parse_rate(rate, layout.rate))

        self._change(edit)

    def _change(
        self,
        edit: Callable[[Layout, Faults], Faults],
        also: Callable[[Script, Entry], None] | None = None,
    ) -> None:
        with self._registry.locked():
            entry = self._entry()
            after = edit(entry.layout, entry.faults)
            script = ports.update(entry.layout, entry.faults, after)
            if also:
                also(script, entry)
            namespaces.run_on_head(entry.head, ["sh"], script.render(entry.pids))
            self._registry.write(self.name, replace(entry, faults=after))

    def _plug(self, node: int, rail: int, up: bool) -> None:
        entry, script = self._entry(), Script()
        ports.plug(script, node, f"rail{rail}", up)
        namespaces.run_on_head(entry.head, ["sh"], script.render(entry.pids))


def clusters() -> Iterator[VirtualCluster]:
    """Yield every cluster that is up."""
    for name in Registry().names():
        with contextlib.suppress(VclusterError):
            yield VirtualCluster(name)


def _node(layout: Layout, node: str | int) -> int:
    return layout.node(str(node))


def _port(layout: Layout, node: str | int, rail: int) -> Port:
    return _node(layout, node), layout.rail(rail)


def _node_ports(layout: Layout, node: str | int) -> list[Port]:
    return [(_node(layout, node), rail) for rail in range(layout.rails)]


def _rail_ports(layout: Layout, rail: int) -> list[Port]:
    return [(node, layout.rail(rail)) for node in range(layout.nodes)]


def _pair(layout: Layout, a: str | int, b: str | int, rail: int) -> Pair:
    first, second = sorted((_node(layout, a), _node(layout, b)))
    if first == second:
        raise VclusterError(f"node {a} paired with itself uses no rail: give two nodes")
    return first, second, layout.rail(rail)
