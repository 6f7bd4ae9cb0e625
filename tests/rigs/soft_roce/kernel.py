# SPDX-License-Identifier: Apache-2.0
"""Debian's own kernel and the modules the guest needs: unpacked into a cache, never installed."""

from __future__ import annotations

import fcntl
import lzma
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .errors import SoftRoceError

_BUILT = Path(__file__).resolve().parents[3] / "build"
_FETCH_S = 300.0
_XZ_MAGIC = b"\xfd7zXZ\x00"
_PREFIX = "linux-image-"
_CONTENT = "content"  # a file beside the image: what was unpacked

# Of the package's 400 MB, what the guest has: its devices, its file systems, all of the network.
_MODULES = [
    "arch/x86/crypto",
    "crypto",
    "drivers/char/virtio_console.ko",
    "drivers/infiniband/core",
    "drivers/infiniband/sw",
    "drivers/net/veth.ko",
    "drivers/virtio",
    "fs/9p",
    "fs/configfs",
    "fs/fscache",
    "fs/netfs",
    "fs/overlayfs",
    "lib",
    "net",
]


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel: `folder` has vmlinux and lib/modules."""

    folder: Path

    @property
    def release(self) -> str:
        return self.folder.name

    @property
    def image(self) -> Path:
        return self.folder / "vmlinux"

    @property
    def modules(self) -> Path:
        return self.folder / "lib" / "modules"

    def load_order(self, *names: str) -> list[Path]:
        """Return the files of these modules and of what they need, in the order of loading."""
        look = ["--dirname", str(self.folder), "--set-version", self.release, "--show-depends"]
        lines = _output(["modprobe", *look, "--all", *names]).splitlines()
        words = [line.split() for line in lines]
        return list(dict.fromkeys(Path(word[1]) for word in words if word[0] == "insmod"))


def find_kernel() -> Kernel:
    """Return the newest cached kernel, or fetch the distribution's current one."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / "lock"):
        return _newest(cache) or _fetch(cache)


def search_path() -> str:
    """Return where programs are: an ordinary user's PATH lacks the folders of modprobe and ip."""
    return f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"


def cache_folder() -> Path:
    """Return where kernels are kept: $SOFT_ROCE_CACHE, or below the checkout's build folder."""
    return Path(os.environ.get("SOFT_ROCE_CACHE") or _BUILT / "rigs" / "soft_roce").resolve()


def _newest(cache: Path) -> Kernel | None:
    found = [mark.parent for mark in cache.glob(f"*/{_CONTENT}") if mark.read_text() == _content()]
    return Kernel(max(found, key=_version)) if found else None


def _content() -> str:
    return "\n".join(_MODULES)


def _version(folder: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", folder.name)]


def _fetch(cache: Path) -> Kernel:
    package = _current_package()
    folder = cache / package.removeprefix(_PREFIX)
    with tempfile.TemporaryDirectory(prefix="unpacking-", dir=cache) as scratch:
        _output(["apt-get", "download", package], cwd=scratch, failure=_no_download(package))
        unpacked = Path(scratch) / "kernel"
        _unpack(next(Path(scratch).glob("*.deb")), unpacked, folder.name)
        (unpacked / _CONTENT).write_text(_content())
        shutil.rmtree(folder, ignore_errors=True)  # unpacked by another version of this file
        unpacked.rename(folder)  # complete, or not there
    return Kernel(folder)


def _current_package() -> str:
    """Return the current kernel's package; the cloud flavour would have no rxe."""
    lines = _output(["apt-cache", "depends", "linux-image-amd64"], failure="")
    found = re.search(rf"Depends: ({_PREFIX}[\w.+-]+)", lines)
    if not found:
        raise SoftRoceError(
            f"no kernel is cached in {cache_folder()}, and the package lists name none: "
            "run apt-get update on Debian"
        )
    return found[1]


def _no_download(package: str) -> str:
    return (
        f"no kernel is cached in {cache_folder()}, and {package} cannot be downloaded: "
        "connect to the package archive once"
    )


def _unpack(package: Path, folder: Path, release: str) -> None:
    modules = f"./lib/modules/{release}"
    wanted = [f"{modules}/modules.{kind}" for kind in ("order", "builtin", "builtin.modinfo")]
    wanted += [f"{modules}/kernel/{path}" for path in _MODULES]
    packed = f"./boot/vmlinuz-{release}"
    folder.mkdir()
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE
    ) as tarfile:
        extract = ["tar", "--extract", "--directory", str(folder), "--no-same-owner"]
        subprocess.run([*extract, packed, *wanted], stdin=tarfile.stdout, check=True)
    _output(["depmod", "--basedir", str(folder), release])
    (folder / "vmlinux").write_bytes(_uncompressed((folder / packed).read_bytes()))
    shutil.rmtree(folder / "boot")


def _uncompressed(packed: bytes) -> bytes:
    """Return the ELF image inside a bzImage: it starts at once, and unpacking costs seconds."""
    at = packed.find(_XZ_MAGIC)
    image = lzma.LZMADecompressor().decompress(packed[at:]) if at >= 0 else b""
    if not image.startswith(b"\x7fELF"):
        raise SoftRoceError("the kernel's image is not packed with xz: teach kernel.py the new way")
    return image


def _output(command: list[str], cwd: str | None = None, failure: str | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"PATH": search_path()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_FETCH_S,
        check=False,
    )
    if done.returncode and failure != "":
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise SoftRoceError(f"{failure or f'{command[0]} failed'} ({last})")
    return done.stdout


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
