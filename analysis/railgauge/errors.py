# SPDX-License-Identifier: Apache-2.0
"""The one error a person sees: problem, why it is one, what to do about it."""

from __future__ import annotations

from railgauge.text import one_line


class RailgaugeError(Exception):
    """A failure that ends a command with one line and a non-zero exit code.

    Parameters
    ----------
    problem : str
        What is wrong.
    why : str
        Why that is a problem, or the evidence for it.
    remedy : str
        What the person can do.
    """

    def __init__(self, problem: str, why: str = "", remedy: str = "") -> None:
        self.problem = one_line(problem)
        self.why = one_line(why)
        self.remedy = one_line(remedy)
        super().__init__(self.text())

    def text(self) -> str:
        """Return the parts as one line: ``problem (why) remedy``."""
        why = f" ({self.why})" if self.why else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{self.problem}{why}{remedy}"


class DamagedRun(RailgaugeError):  # noqa: N818 - it names a state of the file
    """The file or one part of it does not follow the schema."""
