# SPDX-License-Identifier: Apache-2.0
"""The command `vcluster`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import lifecycle
from .cluster import VirtualCluster, clusters
from .errors import VclusterError
from .launch import Launch, launch_command, launch_environment
from .layout import Layout
from .profiles import PROFILES
from .requirements import why_not

Arguments = dict[str, type]
Action = Callable[..., None]

_ABOUT = """Network namespaces as the nodes of a cluster whose rails are really slowed.
NODE is a name or an index; RATE is 70mbit, or 70% of nominal.
docs/rigs/virtual-cluster.md has the rest."""

_PORT: Arguments = {"node": str, "rail": int}
_PAIR: Arguments = {"a": str, "b": str, "rail": int}
_TIMES: Arguments = {"down_ms": int, "up_ms": int, "count": int}

# One row makes a command that changes a cluster: its words, its arguments, what it does.
_CHANGES: list[tuple[str, Arguments, Action]] = [
    ("degrade port", _PORT | {"rate": str}, VirtualCluster.degrade_port),
    ("degrade pair", _PAIR | {"rate": str}, VirtualCluster.degrade_pair),
    ("degrade node", {"node": str, "rate": str}, VirtualCluster.degrade_node),
    ("degrade rail", {"rail": int, "rate": str}, VirtualCluster.degrade_rail),
    ("loss", _PORT | {"permille": int}, VirtualCluster.lose),
    ("cut port", _PORT, VirtualCluster.cut_port),
    ("cut rail", {"rail": int}, VirtualCluster.cut_rail),
    ("flap", _PORT | _TIMES, VirtualCluster.flap),
    ("kill", {"node": str}, VirtualCluster.kill),
    ("restore all", {}, VirtualCluster.restore),
    ("restore port", _PORT, VirtualCluster.restore_port),
    ("restore pair", _PAIR, VirtualCluster.restore_pair),
    ("restore node", {"node": str}, VirtualCluster.restore_node),
    ("restore rail", {"rail": int}, VirtualCluster.restore_rail),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    # Clean-up is in `finally` and `except`, which SIGTERM by itself would skip.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    words, program = _split(list(sys.argv[1:] if argv is None else argv))
    parser = _parser()
    options, unknown = parser.parse_known_args(words)
    if unknown and options.act is not _run:
        parser.error(f"unknown argument {unknown[0]}; see --help")
    options.unknown, options.program = unknown, program
    try:
        return options.act(options) or 0
    except VclusterError as error:
        print(f"vcluster: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return what is before `--`, and the program after it."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vcluster", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_up(commands)
    _add(commands, "down", _down, "take a cluster down; harmless if there is none")
    _add(commands, "reap", _reap, "take down what dead owners left")
    _add(commands, "check", _check, "say why this machine cannot run a virtual cluster")
    _add(commands, "status", _status, "clusters that are up, and what is wrong with them")
    _add(commands, "bytes", _bytes, "bytes sent and received by node and rail, as JSON")
    _add_changes(commands)
    _add_run(commands)
    execute = _add(commands, "exec", _exec, "exec NODE -- COMMAND...: on a node, or on `head`")
    execute.add_argument("node", metavar="NODE")
    return parser


def _add(
    commands: Any, name: str, act: Callable[[argparse.Namespace], int | None], text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, allow_abbrev=False)
    parser.add_argument("--name", default="vc", help="several can be up (default %(default)s)")
    parser.set_defaults(act=act)
    return parser


def _add_up(commands: Any) -> None:
    up = _add(commands, "up", _up, "bring a cluster up; it stays until `down`")
    up.add_argument("--nodes", type=int, default=12)
    up.add_argument("--rails", type=int, default=4)
    up.add_argument("--rate", default="100mbit", help="of every rail (default %(default)s)")
    up.add_argument("--prefix", default="n", help="of host names, any letters (default n)")
    up.add_argument("--owner", type=int, metavar="PID", help="let `reap` follow this process")


def _add_changes(commands: Any) -> None:
    groups: dict[str, Any] = {}
    for words, arguments, action in _CHANGES:
        verb, _, scope = words.partition(" ")
        text = (action.__doc__ or "").partition("\n")[0]
        if scope and verb not in groups:
            scopes = [row[0].split()[1] for row in _CHANGES if row[0].startswith(f"{verb} ")]
            group = commands.add_parser(verb, help=f"one of: {', '.join(scopes)}")
            groups[verb] = group.add_subparsers(required=True, metavar="WHAT")
        parser = _add(groups.get(verb, commands), scope or verb, _changer(arguments, action), text)
        for argument, kind in arguments.items():
            parser.add_argument(argument, type=kind, metavar=argument.upper())


def _changer(arguments: Arguments, action: Action) -> Callable[[argparse.Namespace], None]:
    def act(options: argparse.Namespace) -> None:
        action(VirtualCluster(options.name), *(getattr(options, key) for key in arguments))

    return act


def _add_run(commands: Any) -> None:
    text = "run [OPTION...] -- PROGRAM...: under MPI; further options go to scripts/run-mpirun"
    run = _add(commands, "run", _run, text)
    run.add_argument("--nodes", default="", metavar="A,B,...", help="only these (default all)")
    run.add_argument("--ranks-per-node", type=int, default=0, metavar="K", help="default: rails")
    run.add_argument("--rail-map", default="", help="default: the local rank modulo rails")
    run.add_argument("--profile", choices=PROFILES, default="bandwidth", help="MPI settings")


def _up(options: argparse.Namespace) -> None:
    reason = why_not()
    if reason:
        raise VclusterError(reason)
    layout = Layout(options.nodes, options.rails, options.rate, options.prefix)
    lifecycle.bring_up(options.name, layout, owned=False, owner_pid=options.owner)


def _down(options: argparse.Namespace) -> None:
    lifecycle.down(options.name)


def _reap(_: argparse.Namespace) -> None:
    print("\n".join(lifecycle.reap()) or "nothing to reap")


def _check(_: argparse.Namespace) -> int:
    reason = why_not()
    print(reason or "this machine can run a virtual cluster")
    return 1 if reason else 0


def _status(_: argparse.Namespace) -> None:
    shown = [line for cluster in clusters() for line in _describe(cluster)]
    print("\n".join(shown) or "no virtual cluster is up")


def _describe(cluster: VirtualCluster) -> list[str]:
    layout, faults, lost = cluster.layout, cluster.faults, cluster.lost_packets()
    names = layout.names
    size = f"{layout.nodes} nodes ({names[0]} to {names[-1]}) x {layout.rails} rails"
    lines = [f"{cluster.name}: {size} at {layout.rate_text}"]
    for (node, rail), rate in sorted(faults.rates.items()):
        lines.append(f"  {names[node]} rail{rail}: {rate / 1e6:g} Mbit/s")
    for (a, b, rail), rate in sorted(faults.pair_rates.items()):
        lines.append(f"  {names[a]} - {names[b]} rail{rail}: {rate / 1e6:g} Mbit/s")
    for (node, rail), permille in sorted(faults.losses.items()):
        dropped = lost[names[node]][f"rail{rail}"]
        lines.append(f"  {names[node]} rail{rail}: loses {permille} permille, {dropped} so far")
    lines += [f"  {names[node]} rail{rail}: cut" for node, rail in sorted(faults.cuts)]
    return lines + [f"  {names[node]}: killed" for node in sorted(faults.dead)]


def _bytes(options: argparse.Namespace) -> None:
    print(json.dumps(VirtualCluster(options.name).bytes(), ensure_ascii=False))


def _exec(options: argparse.Namespace) -> None:
    if not options.program:
        raise VclusterError("exec has nothing to run: write exec NODE -- COMMAND...")
    cluster = VirtualCluster(options.name)
    _become(cluster.command(options.node, options.program), cluster.environment())


def _run(options: argparse.Namespace) -> None:
    if not options.program:
        raise VclusterError("run has nothing to run: write run [OPTION...] -- PROGRAM...")
    cluster = VirtualCluster(options.name)
    nodes = options.nodes.split(",") if options.nodes else ()
    launch = Launch(
        nodes, options.ranks_per_node, options.rail_map, options.profile, options.unknown
    )
    _become(launch_command(cluster, launch, options.program), launch_environment(cluster, launch))


def _become(command: list[str], environment: dict[str, str]) -> None:
    sys.stdout.flush()
    os.execvpe(command[0], command, environment)
