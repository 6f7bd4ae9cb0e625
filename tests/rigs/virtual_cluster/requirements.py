# SPDX-License-Identifier: Apache-2.0
"""Why this machine cannot run a virtual cluster, for tests to skip by."""

from __future__ import annotations

import os
import shutil
import subprocess

from .namespaces import KINDS

_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nft": "nftables",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "setpriv": "util-linux",
    "mount": "mount",
    "awk": "mawk",
}

_NO_NAMESPACES = "no namespaces or mounts can be made here: run with the capability SYS_ADMIN"
_LOSS = """nft -f - <<'END'
add table netdev t
add chain netdev t c { type filter hook ingress device "left" priority 0; }
add rule netdev t c numgen random mod 10 < 1 counter drop
END"""

# Tried in this order in namespaces of their own; what is said when one fails.
_TRIALS = {
    "mount -t tmpfs tmpfs /dev/shm && mount -t sysfs sysfs /sys": _NO_NAMESPACES,
    "ip link add name left type veth peer name right": "the kernel has no veth links",
    "ip link add name bridge0 type bridge": "the kernel has no bridges",
    "tc qdisc add dev left root tbf rate 1mbit burst 10kb latency 1ms": "the kernel has no tbf",
    "tc qdisc add dev right root handle 1: htb": "the kernel has no htb",
    _LOSS: "nftables cannot drop arriving packets at random",
}


def why_not() -> str | None:
    """Return one line that says what is missing, or None if a cluster can be brought up here."""
    if os.geteuid() != 0:
        return "a virtual cluster needs root: it makes namespaces and network links"
    for program, package in _PACKAGES.items():
        if not shutil.which(program):
            return f"a virtual cluster needs {program}: install {package}"
    reason = _first_failed_trial()
    return f"a virtual cluster is impossible: {reason}" if reason else None


def _first_failed_trial() -> str | None:
    trials = [f"if ! {trial}\nthen echo '{reason}'; exit; fi" for trial, reason in _TRIALS.items()]
    done = subprocess.run(
        ["unshare", *KINDS, "--fork", "--kill-child", "sh", "-c", "\n".join(trials)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return _NO_NAMESPACES if done.returncode else done.stdout.strip() or None
