# SPDX-License-Identifier: Apache-2.0
"""What the kernel starts with: busybox, the modules that reach the host's files, two scripts."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .kernel import Kernel

BUSYBOX = Path("/bin/busybox")
_GUEST = Path(__file__).resolve().parent / "guest"
_FOLDERS = ["bin", "dev", "host", "layer", "modules", "proc", "root", "sys"]
_TO_REACH_THE_HOST = ["virtio_pci", "9p", "9pnet_virtio", "overlay", "virtio_console"]


@dataclass(frozen=True)
class _Entry:
    name: str
    mode: int
    content: bytes = b""


def initramfs(kernel: Kernel) -> bytes:
    """Return an archive in the format the kernel unpacks; uncompressed, for a slow processor."""
    entries = list(_entries(kernel))
    records = [_record(number, entry) for number, entry in enumerate(entries, start=1)]
    return b"".join([*records, _record(0, _Entry("TRAILER!!!", 0))])


def _entries(kernel: Kernel) -> Iterator[_Entry]:
    for folder in _FOLDERS:
        yield _Entry(folder, stat.S_IFDIR | 0o755)
    yield _program("bin/busybox", BUSYBOX)
    yield _Entry("bin/sh", stat.S_IFLNK | 0o777, b"busybox")
    yield _program("init", _GUEST / "init")
    yield _program("agent", _GUEST / "agent")
    modules = kernel.load_order(*_TO_REACH_THE_HOST)
    for module in modules:
        yield _program(f"modules/{module.name}", module)
    order = "".join(f"/modules/{module.name}\n" for module in modules)
    yield _Entry("modules/order", stat.S_IFREG | 0o644, order.encode())


def _program(name: str, source: Path) -> _Entry:
    return _Entry(name, stat.S_IFREG | 0o755, source.read_bytes())


def _record(number: int, entry: _Entry) -> bytes:
    """Return one file in cpio's `newc` format: 13 fields of 8 hexadecimal digits, name, content."""
    name = entry.name.encode() + b"\0"
    owner, links, time, devices = [0, 0], 1, 0, [0, 0, 0, 0]
    size = len(entry.content)
    fields = [number, entry.mode, *owner, links, time, size, *devices, len(name), 0]
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(header + name) + _padded(entry.content)


def _padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 4)
