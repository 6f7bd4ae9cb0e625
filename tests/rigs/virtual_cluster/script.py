# SPDX-License-Identifier: Apache-2.0
"""One shell script that configures many network namespaces with few processes."""

from __future__ import annotations

from .layout import HEAD

_BATCH = {"ip": "ip -batch -", "tc": "tc -batch -", "nft": "nft -f -", "sh": "sh -e"}


class Script:
    """Lines for `ip`, `tc`, `nft` or `sh` by place and tool: the head's first, then as added."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], list[str]] = {}

    def add(self, place: str, tool: str, *lines: str) -> None:
        """Add lines for `tool` to read in the network namespace of `place`, the head or a node."""
        self._lines.setdefault((place, tool), []).extend(lines)

    def render(self, pids: dict[str, int]) -> str:
        """Return text for a shell on the head. `pids`: each node's first process, seen there."""
        parts = ["set -e"]
        in_order = sorted(self._lines.items(), key=lambda item: item[0][0] != HEAD)
        for (place, tool), lines in in_order:
            enter = "" if place == HEAD else f"nsenter --target {pids[place]} --net "
            parts.append(f"{enter}{_BATCH[tool]} <<'END'\n" + "\n".join(lines) + "\nEND")
        return "\n".join(parts) + "\n"
