# SPDX-License-Identifier: Apache-2.0
"""Why this machine cannot run the guest, for tests to skip by."""

from __future__ import annotations

import platform
import shutil

from .errors import SoftRoceError
from .initramfs import BUSYBOX
from .kernel import find_kernel, search_path
from .machine import QEMU

_PACKAGES = {
    QEMU: "qemu-system-x86",
    str(BUSYBOX): "busybox-static",
    "modprobe": "kmod",
    "depmod": "kmod",
    "setpriv": "util-linux",
    "dpkg-deb": "dpkg",
    "ip": "iproute2",
    "rdma": "iproute2",
    "tc": "iproute2",
    "iptables": "iptables",
}


def why_not() -> str | None:
    """Return one line that says what is missing, or None if a guest can run.

    Fetches the kernel where none is cached.
    """
    if platform.machine() != "x86_64":
        return f"the Soft-RoCE guest is an x86-64 one, and this is {platform.machine()}"
    for program, package in _PACKAGES.items():
        if not shutil.which(program, path=search_path()):
            return f"the Soft-RoCE guest needs {program}: install {package}"
    try:
        find_kernel()
    except (SoftRoceError, OSError) as error:
        return f"the Soft-RoCE guest has no kernel: {error}"
    return None
