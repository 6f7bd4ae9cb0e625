# SPDX-License-Identifier: Apache-2.0
"""``railgauge check``: the verdicts of a run, and the exit code they add up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from railgauge.load import Run
from railgauge.rows import run_document, watermark
from railgauge.show import progress_line
from railgauge.verdict import CheckResult, Verdict, overall

_LISTED = 20


def verdict_of(results: Sequence[CheckResult]) -> Verdict:
    """Return the overall verdict of a run."""
    return overall(r.verdict for r in results)


def check_json(run: Run, results: Sequence[CheckResult]) -> dict[str, Any]:
    """Return run, verdict and findings as one JSON document."""
    return {
        "run": run_document(run),
        "verdict": verdict_of(results),
        "checks": [
            {
                "name": r.name,
                "title": r.title,
                "verdict": r.verdict,
                "reason": r.reason,
                "findings": [
                    {
                        "case": f.case_id,
                        "name": f.case_name,
                        "verdict": f.verdict,
                        "reason": f.reason,
                    }
                    for f in r.findings
                ],
            }
            for r in results
        ],
    }


def check_text(run: Run, results: Sequence[CheckResult]) -> Iterator[str]:
    """Yield the verdicts, and what stands behind all that is not PASS."""
    if mark := watermark(run.info):
        yield mark
    yield f"{verdict_of(results)}  {run.name}: {progress_line(run)}"
    for result in results:
        yield f"  {result.verdict:<8}{result.name}: {result.title.lower()} ({result.reason})"
        bad = [f for f in result.findings if f.verdict not in (Verdict.PASS, Verdict.SKIP)]
        for finding in bad[:_LISTED]:
            where = f"{finding.case_name}: " if finding.case_name else ""
            yield f"    {finding.verdict:<8}{where}{finding.reason}"
        if len(bad) > _LISTED:
            yield f"    ... and {len(bad) - _LISTED} more; --format json lists all"
