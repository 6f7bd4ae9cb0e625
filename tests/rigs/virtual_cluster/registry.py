# SPDX-License-Identifier: Apache-2.0
"""Where running clusters are written down: a folder each, private to root, gone with the last."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .errors import VclusterError
from .faults import Faults
from .layout import Layout

_NAME = re.compile(r"[\w-][\w.-]{0,63}")


@dataclass(frozen=True)
class Process:
    """A process by id and start time (clock ticks since boot), so that a reused id is another."""

    pid: int
    start: int

    @staticmethod
    def of(pid: int) -> Process | None:
        try:
            fields = (
                Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            return None
        return Process(pid, int(fields[19])) if fields[0] not in "ZX" else None

    def is_alive(self) -> bool:
        return Process.of(self.pid) == self


@dataclass(frozen=True)
class Entry:
    """What it takes to use a cluster. `pids`: each node's first process, as the head sees it."""

    layout: Layout
    head: Process
    owner: Process | None
    pids: dict[str, int]
    faults: Faults

    def is_stale(self) -> bool:
        return not self.head.is_alive() or (self.owner is not None and not self.owner.is_alive())


class Registry:
    """Folders of running clusters. Whoever changes anything holds `locked()`."""

    def __init__(self) -> None:
        self._base = Path(os.environ.get("VCLUSTER_STATE") or "/run/railgauge-vcluster")

    def folder(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise VclusterError(
                f"{name!r} cannot be a folder's name: name clusters with letters, digits, - . _"
            )
        return self._base / name

    def names(self) -> list[str]:
        return sorted(path.name for path in self._base.glob("*/")) if self._base.is_dir() else []

    def read(self, name: str) -> Entry | None:
        """Return the entry of a cluster; None if there is none, or its bring-up never finished."""
        try:
            data = json.loads((self.folder(name) / "cluster.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Entry(
            layout=Layout(**data["layout"]),
            head=Process(**data["head"]),
            owner=Process(**data["owner"]) if data["owner"] else None,
            pids=data["pids"],
            faults=Faults.from_json(data["faults"]),
        )

    def write(self, name: str, entry: Entry) -> None:
        data = asdict(entry) | {"faults": entry.faults.to_json()}
        folder = self.folder(name)
        (folder / "nodes").write_text(
            "".join(f"{node} {pid}\n" for node, pid in entry.pids.items()), encoding="utf-8"
        )
        part = folder / "cluster.json.part"
        part.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
        part.rename(folder / "cluster.json")

    def create(self, name: str, layout: Layout) -> Path:
        folder = self.folder(name)
        folder.mkdir(mode=0o700)
        (folder / "hosts").write_text(layout.hosts_file(), encoding="utf-8")
        return folder

    def remove(self, name: str) -> None:
        shutil.rmtree(self.folder(name), ignore_errors=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the registry alone. The lock is on its folder, which goes with the last cluster."""
        descriptor = self._lock_base()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                self._base.rmdir()
            os.close(descriptor)

    def _lock_base(self) -> int:
        while True:
            self._base.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                descriptor = os.open(self._base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Whoever held the lock before may have removed the folder.
            with contextlib.suppress(FileNotFoundError):
                if os.fstat(descriptor).st_ino == self._base.stat().st_ino:
                    return descriptor
            os.close(descriptor)
