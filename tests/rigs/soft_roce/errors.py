# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with the rig itself, as opposed to a command that fails in the guest."""

from __future__ import annotations


class SoftRoceError(Exception):
    """What went wrong, why it matters, what to do."""


class GuestLost(SoftRoceError):  # noqa: N818
    """The guest never came up, died, or stopped answering; the console's last lines say more."""

    def __init__(self, problem: str, console: str, stdout: str = "", stderr: str = "") -> None:
        super().__init__(f"{problem}; the guest's console ends:\n{console}")
        self.console = console
        self.stdout = stdout
        self.stderr = stderr
