# SPDX-License-Identifier: Apache-2.0
"""One QEMU process, and the sockets that are its guest's ports. No named temporary file."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .initramfs import initramfs
from .kernel import Kernel

QEMU = "qemu-system-x86_64"
PORTS = ("control", "stdout", "stderr")
_KERNEL_ARGUMENTS = (
    "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off nokaslr audit=0 no_timer_check"
)
_CONSOLE_LINES = 20
_END_S = 5.0


@dataclass(frozen=True)
class Hardware:
    """Size of the guest. One processor makes latencies of milliseconds."""

    cpus: int = 2
    memory_mib: int = 2048


class Machine:
    """A running guest. It dies with the thread that started it, if `end` was not called before."""

    def __init__(
        self,
        kernel: Kernel,
        hardware: Hardware,
        shares: Mapping[str, Path],
        kernel_arguments: Sequence[str] = (),
    ) -> None:
        with contextlib.ExitStack() as ends:
            self._console = tempfile.TemporaryFile()  # noqa: SIM115
            start = ends.enter_context(tempfile.TemporaryFile())
            start.write(initramfs(kernel))
            start.flush()
            self.ports: dict[str, socket.socket] = {}
            files = {"console": self._console.fileno(), "initramfs": start.fileno()}
            for name in PORTS:
                self.ports[name], far = socket.socketpair()
                files[name] = ends.enter_context(far).fileno()
            self._qemu = _start(
                [
                    *_board(kernel, hardware, files["initramfs"], kernel_arguments),
                    *_serial(files),
                    *_folders({"host": Path("/"), "modules": kernel.modules}, "readonly=on,"),
                    *_folders(shares, ""),
                ],
                self._console,
                list(files.values()),
            )

    def console(self) -> str:
        """Return the last lines of the kernel's console, a panic's own among them, and of QEMU."""
        with Path(f"/proc/self/fd/{self._console.fileno()}").open(errors="replace") as text:
            lines = [line.rstrip() for line in text]
        panics = [at for at, line in enumerate(lines) if "Kernel panic" in line]
        first = min([*panics[-1:], max(0, len(lines) - _CONSOLE_LINES)])
        return "\n".join(lines[first:]) or "(it printed nothing)"

    def end(self) -> None:
        """Take the power away; harmless when it is off."""
        if self._qemu.poll() is None:
            self._qemu.terminate()
        try:
            self._qemu.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._qemu.kill()
            self._qemu.wait()
        for port in self.ports.values():
            port.close()
        self._console.close()


def _start(options: list[str], console: IO[bytes], files: list[int]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", QEMU, *options],
        stdin=subprocess.DEVNULL,
        stdout=console,
        stderr=console,
        pass_fds=files,
        start_new_session=True,  # Ctrl-C is for us to handle
    )


def _board(
    kernel: Kernel, hardware: Hardware, initramfs_fd: int, kernel_arguments: Sequence[str]
) -> list[str]:
    """Return a bare machine.

    Nehalem has no PCLMULQDQ, which halves the speed of rxe where it is emulated, and no AVX. RDRAND
    keeps programs from waiting for random numbers.
    """
    words = "-nodefaults -no-user-config -display none -no-reboot -monitor none -machine q35"
    arguments = " ".join([_KERNEL_ARGUMENTS, *kernel_arguments])
    return [
        *words.split(),
        *["-accel", "tcg,thread=multi", "-cpu", "Nehalem,+rdrand"],
        *["-smp", str(hardware.cpus), "-m", str(hardware.memory_mib)],
        *["-kernel", str(kernel.image), "-initrd", f"/proc/self/fd/{initramfs_fd}"],
        *["-append", arguments],
    ]


def _serial(files: Mapping[str, int]) -> list[str]:
    options = ["-device", "virtio-serial-pci"]
    options += ["-chardev", f"file,id=console,path=/proc/self/fd/{files['console']},append=on"]
    options += ["-serial", "chardev:console"]
    for name in PORTS:
        options += ["-chardev", f"socket,id={name},fd={files[name]}"]
        options += ["-device", f"virtserialport,chardev={name},name={name}"]
    return options


def _folders(shares: Mapping[str, Path], access: str) -> list[str]:
    options = []
    for tag, folder in shares.items():
        path = str(folder).replace(",", ",,")
        rules = f"{access}security_model=none,multidevs=remap"
        options += ["-virtfs", f"local,path={path},mount_tag={tag},{rules}"]
    return options
