# SPDX-License-Identifier: Apache-2.0
"""What a check says: PASS, FAIL, UNKNOWN or SKIP, with its reason. Unknown is never PASS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Outcome of a check."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"
    SKIP = "SKIP"


_SEVERITY = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.PASS)

EXIT_CODES = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.UNKNOWN: 3, Verdict.SKIP: 3}
"""Exit code of ``railgauge check`` by its overall verdict."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Verdict on one case, or on the run as a whole (``case_id`` None)."""

    verdict: Verdict
    reason: str
    case_id: int | None = None
    case_name: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check's findings and the verdict they add up to."""

    name: str
    title: str
    verdict: Verdict
    reason: str
    findings: tuple[Finding, ...]


def of_check(findings: Sequence[Finding]) -> Verdict:
    """Return a check's worst verdict; SKIP, which does not count, where it is nothing but that."""
    only_skipped = bool(findings) and all(f.verdict is Verdict.SKIP for f in findings)
    return Verdict.SKIP if only_skipped else overall(f.verdict for f in findings)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; SKIP does not count, and nothing but SKIP is UNKNOWN."""
    present = set(verdicts)
    return next((v for v in _SEVERITY if v in present), Verdict.UNKNOWN)
