# SPDX-License-Identifier: Apache-2.0
"""The command `run`: one command in a guest of its own."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import SoftRoceError
from .faults import Down, DropEvery, Fault, Loss, Rate, Unreachable
from .machine import Hardware
from .requirements import why_not
from .session import Result, SoftRoce

_RIG_FAILED = 125
_ABOUT = """Runs COMMAND in a virtual machine with RDMA devices rxe0, rxe1... on rail0, rail1...
It sees this machine's files; what it writes is lost, except below --writable. Output and exit
status are the command's; 124 at the deadline, 125 if the machine failed, 2 for a mistake here.
Without :railK a fault is every rail's. docs/rigs/soft-roce.md has the rest."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    # Clean-up is in `finally`, which SIGTERM by itself would skip.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = _parse(list(sys.argv[1:] if argv is None else argv))
    reason = why_not()
    if options.check or reason:
        print(reason or "this machine can run the guest", file=sys.stderr if reason else sys.stdout)
        return _RIG_FAILED if reason else 0
    try:
        return _run(options).code
    except SoftRoceError as error:
        print(f"soft_roce: {error}", file=sys.stderr)
        return _RIG_FAILED
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace) -> Result:
    faults = [fault for make in options.faults for fault in make(options.rails)]
    hardware = Hardware(options.cpus, options.memory)
    with SoftRoce.boot(options.rails, hardware, options.writable) as guest:
        if faults:
            guest.set_faults(*faults)
        return guest.run(
            options.command,
            options.deadline,
            dict(options.environment),
            _writer(sys.stdout.fileno()),
            _writer(sys.stderr.fileno()),
        )


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run",
        usage="run [OPTION...] -- COMMAND...",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--rails", type=int, default=2, metavar="N", help="RDMA devices (default %(default)s)")
    add("--cpus", type=int, default=2, metavar="N")
    add("--memory", type=int, default=2048, metavar="MIB", help="(default %(default)s)")
    add("--deadline", type=float, default=300.0, metavar="S", help="(default %(default)s)")
    add("--writable", type=Path, action="append", default=[], metavar="FOLDER")
    add(
        "--env",
        type=_variable,
        action="append",
        default=[],
        dest="environment",
        metavar="NAME[=VALUE]",
        help="a variable for the command; without a value, ours",
    )
    add(
        "--check",
        action="store_true",
        help="say whether this machine can run the guest, and why not",
    )
    _add_faults(parser)
    at = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:at])
    options.command = words[at + 1 :]
    if not options.command and not options.check:
        parser.error("there is nothing to run: write run [OPTION...] -- COMMAND...")
    return options


MakeFaults = Callable[[int], list[Fault]]


def _add_faults(parser: argparse.ArgumentParser) -> None:
    def add(option: str, kind: Callable[[str], MakeFaults], shape: str, text: str) -> None:
        parser.add_argument(
            option, type=kind, action="append", default=[], dest="faults", metavar=shape, help=text
        )

    add(
        "--drop-every",
        _per_rail(lambda n, rail: DropEvery(int(n), rail)),
        "N[:railK]",
        "drop every N-th RoCE packet that arrives",
    )
    add("--loss", _per_rail(Loss), "PERCENT[:railK]", "drop what arrives at random")
    add("--rate", _per_rail(Rate), "MBIT[:railK]", "slow both directions")
    add("--down", _down, "railK[@SECONDS]", "no carrier, from the start or after so long")
    add("--unreachable", _unreachable, "railK", "drop all RoCE that is sent to it")


def _per_rail(make: Callable[[float, int], Fault]) -> Callable[[str], MakeFaults]:
    def parse(text: str) -> MakeFaults:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(?::rail(\d+))?", text)
        if not found:
            raise argparse.ArgumentTypeError(f"{text!r} is not NUMBER or NUMBER:railK")
        value, rail = float(found[1]), found[2]
        return lambda rails: [make(value, at) for at in ([int(rail)] if rail else range(rails))]

    return parse


def _down(text: str) -> MakeFaults:
    found = re.fullmatch(r"rail(\d+)(?:@(\d+(?:\.\d+)?))?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not railK or railK@SECONDS")
    return lambda _: [Down(int(found[1]), float(found[2] or 0))]


def _unreachable(text: str) -> MakeFaults:
    found = re.fullmatch(r"rail(\d+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not railK")
    return lambda _: [Unreachable(int(found[1]))]


def _variable(text: str) -> tuple[str, str]:
    name, given, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise argparse.ArgumentTypeError(f"{name!r} is no variable's name")
    return name, value if given else os.environ.get(name, "")


def _writer(file: int) -> Callable[[bytes], None]:
    def write(chunk: bytes) -> None:
        while chunk:
            chunk = chunk[os.write(file, chunk) :]

    return write
