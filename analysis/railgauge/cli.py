# SPDX-License-Identifier: Apache-2.0
"""The ``railgauge`` command: show, report, export, pack, check.

Exit codes: 0 pass, 1 fail, 2 usage or unreadable, 3 unknown or incomplete.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from railgauge import __version__, guard, streams
from railgauge.errors import RailgaugeError
from railgauge.text import clean

USAGE = 2

Options = argparse.Namespace


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RailgaugeError("the command is not understood", message, f"See {self.prog} --help.")

    def _print_message(self, message: str, file: object = None) -> None:
        streams.put(message)
        streams.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command in a guarded child process and return its exit code."""
    try:
        return _coded(lambda: _guarded(argv))
    except BrokenPipeError:
        return 0  # the reader of --help has seen enough


def _guarded(argv: Sequence[str] | None) -> int:
    streams.prepare()
    options = parse(argv)
    return guard.run(lambda: run_command(options), clean(os.fspath(options.run)))


def run_command(options: Options) -> int:
    """Run a parsed command in this process; failures become one line on stderr."""
    return _coded(lambda: options.command(options))


def _coded(work: Callable[[], int]) -> int:
    """Return the exit code of ``work``; never 1, which is a verdict, where it broke off."""
    try:
        return work()
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except RailgaugeError as error:
        return _fail(error)
    except MemoryError:
        return _fail(RailgaugeError("out of memory", "", "Free memory and repeat."))
    except OSError as error:
        name = clean(os.fsdecode(error.filename)) if error.filename else "a file"
        remedy = "Check its path, its permissions and the room on its disk."
        why = error.strerror or str(error)
        return _fail(RailgaugeError(f"{name} cannot be used", why, remedy))
    except Exception as error:
        if os.environ.get("RAILGAUGE_TRACEBACK"):
            traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        remedy = "This is a bug; report it with the output under RAILGAUGE_TRACEBACK=1."
        return _fail(RailgaugeError("the command broke off", what, remedy))


def _fail(error: RailgaugeError) -> int:
    streams.say(f"railgauge: {error}")
    return USAGE


def parse(argv: Sequence[str] | None) -> Options:
    """Parse the command line; RailgaugeError when it is not understood."""
    parser = _Parser(prog="railgauge", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")
    _add_slice(_add(commands, "show", _show, "print the results as a table"))
    report = _add(commands, "report", _report, "write a self-contained HTML page")
    report.add_argument("-o", "--output", type=Path, help="default: <run>.html")
    _add_rig(report)
    _add_slice(report)
    export = _add(commands, "export", _export, "write CSV or Parquet, one row per case")
    export.add_argument("-o", "--output", type=Path, help="required, but for --archive")
    export.add_argument("--as", dest="kind", choices=("csv", "parquet"), help="default: by -o")
    what = export.add_mutually_exclusive_group()
    what.add_argument("--pairs", action="store_true", help="a row per pair (of railgauge-pairs)")
    memories = "pairs by size, queue pairs and memory, beside host memory"
    what.add_argument("--memories", action="store_true", help=memories)
    senders = "a row per sender (of railgauge-incast)"
    what.add_argument("--senders", action="store_true", help=senders)
    what.add_argument("--samples", action="store_true", help="the raw samples instead")
    what.add_argument("--counters", action="store_true", help="a row per counter and case")
    what.add_argument("--series", action="store_true", help="a row per reading of a gauge")
    archive = "the files kept with the run, NCCL's topology for one; replaces none"
    what.add_argument("--archive", type=Path, metavar="FOLDER", help=archive)
    _add_slice(export)
    packing = _add(commands, "pack", _pack, "make one file of the parts of a run that has ended")
    packing.add_argument("--overwrite", action="store_true", help="replace an existing <run>")
    _add_rig(_add(commands, "check", _check, "judge the run; the exit code is the verdict"))
    options = parser.parse_args(argv)
    if options.name == "export" and (options.output is None) == (options.archive is None):
        export.error("give either -o FILE or --archive FOLDER")
    return options


def _add(commands: Any, name: str, command: Callable[[Options], int], text: str) -> Any:
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.add_argument("run", type=Path, help="name of the run: <out>, also for <out>.parts/")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(command=command)
    return parser


def _add_rig(parser: Any) -> None:
    text = "judge a double or a simulation like hardware (it stays marked RIG)"
    parser.add_argument("--allow-rig", action="store_true", help=text)


def _add_slice(parser: Any) -> None:
    text = "width of the slices of a window, in ms (of railgauge-incast); default 10"
    parser.add_argument("--slice", type=_slice_ns, default=10_000_000, metavar="MS", help=text)


def _slice_ns(text: str) -> int:
    value = float(text)
    if not 0.001 <= value <= 1e7:  # NaN, too
        raise argparse.ArgumentTypeError(f"{text} is not between 0.001 and 10000000 ms")
    return round(value * 1e6)


def _print(options: Options, document: Any, lines: Iterable[str]) -> None:
    if options.format == "json":
        streams.put(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        for line in lines:
            streams.put(f"{line}\n")
    streams.flush()


def _open(options: Options) -> Any:
    from railgauge.load import open_run

    run = open_run(options.run)
    for notice in run.notices:
        streams.say(f"railgauge: {notice}")
    return run


# Each command imports what it needs: h5py stays out of the parent process, which must survive it.


def _show(options: Options) -> int:
    from railgauge.show import show_json, show_text

    run = _open(options)
    as_json = options.format == "json"
    document = show_json(run, options.slice) if as_json else None
    _print(options, document, () if as_json else show_text(run, options.slice))
    return 0


def _report(options: Options) -> int:
    from railgauge.report import write_report

    run = _open(options)
    default = run.location.out.with_name(run.location.out.name + ".html")
    output = options.output or default
    path = write_report(run, output, allow_rig=options.allow_rig, slice_ns=options.slice)
    shown = clean(os.fspath(path))
    _print(options, {"report": shown, "run": run.name, "rig": run.info.is_rig}, [shown])
    return 0


def _export_archive(options: Options) -> int:
    from railgauge.archive import export_archive

    run = _open(options)
    shown = [clean(os.fspath(p)) for p in export_archive(run, options.archive)]
    _print(options, {"export": shown, "run": run.name, "rig": run.info.is_rig}, shown)
    return 0


def _export(options: Options) -> int:
    if options.archive is not None:
        return _export_archive(options)
    from railgauge.export import (
        export_cases,
        export_memories,
        export_pairs,
        export_samples,
        kind_of,
    )
    from railgauge.export_incast import export_receivers, export_senders
    from railgauge.export_tables import export_counters, export_series
    from railgauge.incast import is_incast

    kind = kind_of(options.output, options.kind)
    run = _open(options)
    chosen = {
        export_pairs: options.pairs,
        export_memories: options.memories,
        export_samples: options.samples,
        export_counters: options.counters,
        export_series: options.series,
    }
    export = next((e for e, wanted in chosen.items() if wanted), export_cases)
    if options.senders:
        count = export_senders(run, options.output, kind, options.slice)
    elif export is export_cases and is_incast(run):
        count = export_receivers(run, options.output, kind, options.slice)
    else:
        count = export(run, options.output, kind)
    shown = clean(os.fspath(options.output))
    document = {"export": shown, "rows": count, "run": run.name, "rig": run.info.is_rig}
    _print(options, document, [f"{shown}: {count} rows"])
    return 0


def _pack(options: Options) -> int:
    from railgauge.pack import pack

    packed = pack(options.run, overwrite=options.overwrite)
    shown = clean(os.fspath(packed.path))
    lines = [f"{shown}: {packed.cases} finished cases"]
    lines += [f"left in the parts folder, not of this run: {name}" for name in packed.left]
    _print(options, {"run": shown, "cases": packed.cases, "left": packed.left}, lines)
    return 0


def _check(options: Options) -> int:
    from railgauge.check import check_json, check_text, verdict_of
    from railgauge.checks import run_checks
    from railgauge.verdict import EXIT_CODES

    run = _open(options)
    results = run_checks(run, allow_rig=options.allow_rig)
    with contextlib.suppress(BrokenPipeError):  # who reads no further still gets the verdict
        _print(options, check_json(run, results), check_text(run, results))
    return EXIT_CODES[verdict_of(results)]


if __name__ == "__main__":
    sys.exit(main())
