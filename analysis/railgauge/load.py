# SPDX-License-Identifier: Apache-2.0
"""Opens a run, finished or in parts, as one lazy `Run`.

    run = open_run(Path("results/sweep"))       # takes sweep or sweep.parts/
    with run.samples(case) as samples: ...      # raw samples, in slabs

Structure and tables are read at once, samples only when asked for. A damaged part costs its case,
not the run: it is listed in `Run.problems`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from railgauge import hdf5
from railgauge.errors import DamagedRun, RailgaugeError
from railgauge.model import Case, Check, Counter, Expired, Gauge, Node, Rank, RunInfo, Status
from railgauge.samples import Samples
from railgauge.tables import (
    check_schema,
    parse_expired,
    read_cases,
    read_checks,
    read_counters,
    read_gauges,
    read_info,
    read_nodes,
    read_ranks,
)
from railgauge.text import clean, one_line

PARTS_SUFFIX = ".parts"
PART_NAME = re.compile(r"[0-9]+\.h5\Z")
_EXPIRED_LIMIT_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Location:
    """Where a run lies: ``out`` is its name, ``parts`` its folder while it is unfinished."""

    out: Path
    finished: bool

    @property
    def parts(self) -> Path:
        """The folder of the run while it is measured."""
        return self.out.with_name(self.out.name + PARTS_SUFFIX)


def locate(path: Path) -> tuple[Location, list[str]]:
    """Find the run of that name; also takes the name of its parts folder.

    Returns
    -------
    Location
        The finished file when there is one, else the parts folder.
    list of str
        Notices a person should see.
    """
    if path.name in ("", "..", PARTS_SUFFIX):
        name = clean(os.fspath(path))
        raise RailgaugeError(f"{name} names no run", "it is a folder", "Give the path of a run.")
    if path.name.endswith(PARTS_SUFFIX):
        path = path.with_name(path.name.removesuffix(PARTS_SUFFIX))
    location = Location(path, finished=path.exists() and not path.is_dir())
    has_parts = location.parts.is_dir()
    if not location.finished and not has_parts:
        name = clean(os.fspath(path))
        why = f"neither the file {name} nor the folder {name}{PARTS_SUFFIX} exists"
        raise RailgaugeError(f"there is no run {name}", why, "Check the path.")
    notices = []
    if location.finished and has_parts:
        notices.append(
            f"{clean(location.parts.name)} beside it holds a newer, unfinished run; "
            f"this is the older, finished one"
        )
    return location, notices


@dataclass
class Run:
    """A run as the schema describes it; samples are read when asked for."""

    location: Location
    info: RunInfo
    ranks: tuple[Rank, ...]
    nodes: list[Node]
    cases: list[Case]
    site: str | None
    expired: Expired | None
    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    site_json: str | None = None

    @property
    def name(self) -> str:
        """Name of the run, cleaned for display."""
        return clean(self.location.out.name)

    @property
    def interrupted(self) -> bool:
        """True when the run did not come to its own end."""
        return self.info.finished_utc is None

    @property
    def finished_cases(self) -> list[Case]:
        """Cases that were measured to their end, in execution order."""
        return [c for c in self.cases if c.finished]

    @contextmanager
    def samples(self, case: Case) -> Iterator[Samples]:
        """Open the raw samples of a case.

        Raises
        ------
        DamagedRun
            They are missing or contradict the schema.
        """
        with hdf5.open_file(self._file_of(case)) as opened:
            parent = hdf5.group(opened, "samples")
            yield Samples(hdf5.group(parent, group_name(case.id)), len(self.ranks))

    def checks(self, case: Case) -> list[Check] | None:
        """Read what each rank verified in a finished case; None where that is not recorded.

        Raises
        ------
        DamagedRun
            It contradicts the schema.
        """
        if not self.has(case, "checks"):
            return None
        with hdf5.open_file(self._file_of(case)) as opened:
            return read_checks(hdf5.group(opened, "checks"), group_name(case.id), len(self.ranks))

    def counters(self, case: Case) -> list[Counter]:
        """Read the counters of a finished case.

        Raises
        ------
        DamagedRun
            They are missing or contradict the schema.
        """
        with hdf5.open_file(self._file_of(case)) as opened:
            return read_counters(hdf5.group(opened, "counters"), group_name(case.id))

    def series(self, case: Case) -> list[Gauge]:
        """Read the series of a finished case.

        Raises
        ------
        DamagedRun
            They are missing or contradict the schema.
        """
        with hdf5.open_file(self._file_of(case)) as opened:
            return read_gauges(hdf5.group(opened, "series"), group_name(case.id))

    def has(self, case: Case, kind: str) -> bool:
        """Tell whether a finished case has ``checks``, ``counters`` or ``series``."""
        with hdf5.open_file(self._file_of(case)) as opened:
            if hdf5.member(opened, kind) is None:
                return False
            return hdf5.member(hdf5.group(opened, kind), group_name(case.id)) is not None

    def _file_of(self, case: Case) -> Path:
        if self.location.finished:
            return self.location.out
        return self.location.parts / part_name(case.id)

    def site_lines(self) -> list[str]:
        """Return the lines of the site file, cleaned for display."""
        return [clean(line) for line in (self.site or "").splitlines()]


def group_name(case_id: int) -> str:
    """Name of a case's groups: four digits or more."""
    return f"{case_id:04d}"


def part_name(case_id: int) -> str:
    """Name of a case's part file."""
    return group_name(case_id) + ".h5"


def open_run(path: Path) -> Run:
    """Open ``<out>`` or ``<out>.parts/``.

    Raises
    ------
    RailgaugeError
        There is no run, it is of another schema, or its header is damaged.
    """
    location, notices = locate(path)
    try:
        run = open_location(location)
    except RailgaugeError:
        # The program may have consolidated the parts between the look and the read.
        again, notices = locate(path)
        if again.finished == location.finished:
            raise
        run = open_location(again)
    run.notices[:0] = notices
    return run


def open_location(location: Location) -> Run:
    """Open the file or the parts of a run, whichever the location says."""
    header = location.out if location.finished else location.parts / "header.h5"
    what = clean(os.fspath(header))
    problems: list[str] = []
    with hdf5.open_file(header) as file:
        info = read_info(file, what)
        expired_text = hdf5.read_text(file, "expired") if location.finished else None
        run = Run(
            location=location,
            info=info,
            ranks=read_ranks(file, info.ranks),
            nodes=read_nodes(file, problems),
            cases=read_cases(file),
            site=hdf5.read_text(file, "site"),
            expired=parse_expired(expired_text) if expired_text else None,
            problems=problems,
            site_json=hdf5.read_text(file, "site_json"),
        )
    if not location.finished:
        run.expired = _read_expired_file(location.parts, info.plan_id, problems)
        run.cases = _merge_parts(run)
        _apply_expired(run)
    return run


def _merge_parts(run: Run) -> list[Case]:
    folder = run.location.parts
    planned = {part_name(c.id) for c in run.cases}
    present = {p.name for p in folder.iterdir() if PART_NAME.match(p.name)}
    for name in sorted(present - planned)[:20]:
        run.problems.append(f"part {clean(name)} belongs to no planned case and is left out")
    return [_merged(run, c) if part_name(c.id) in present else c for c in run.cases]


def _merged(run: Run, case: Case) -> Case:
    try:
        return read_part(run.location.parts / part_name(case.id), case, run.info.plan_id)
    except RailgaugeError as error:
        run.problems.append(f"part {part_name(case.id)} is left out: {error}")
        return replace(case, reason=f"part unreadable: {error}")


def read_part(path: Path, planned: Case, plan_id: str) -> Case:
    """Return the finished row of a planned case from its part file.

    Raises
    ------
    RailgaugeError
        The part is damaged, of another plan, or of another case.
    """
    with hdf5.open_file(path) as file:
        check_schema(file, path.name)
        if hdf5.attribute_text(file, "plan_id") != plan_id:
            raise DamagedRun("it is of another plan", "plan_id differs from the header's", "")
        rows = read_cases(file)
    if len(rows) != 1 or rows[0].id != planned.id or rows[0].name != planned.name:
        claims = ", ".join(f"{r.id} {r.name}" for r in rows[:3]) or "no case"
        raise DamagedRun(f"it claims to be {claims}", f"case {planned.id} is {planned.name}", "")
    return rows[0]


def _read_expired_file(folder: Path, plan_id: str, problems: list[str]) -> Expired | None:
    path = folder / "expired.json"
    try:
        if not path.exists():
            return None
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _EXPIRED_LIMIT_BYTES:
            raise DamagedRun("expired.json is refused", "no regular file, or too large", "")
        expired = parse_expired(path.read_bytes().decode("utf-8", "backslashreplace"))
        if expired.plan_id != plan_id:
            raise DamagedRun("expired.json is left out", "it is of another plan", "")
        return expired
    except (RailgaugeError, OSError) as error:
        problems.append(one_line(str(error)))
        return None


def _apply_expired(run: Run) -> None:
    expired = run.expired
    if expired is None:
        return
    run.cases = [
        replace(c, status=Status.EXPIRED, reason=expired.text)
        if c.id == expired.case and not c.finished
        else c
        for c in run.cases
    ]
