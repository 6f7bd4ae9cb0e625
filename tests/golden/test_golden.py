# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from run_golden import Golden, default_programs, difference, load_cases, printed_by


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: f"{case.program}-{case.name}")
def test_programs_print_what_is_stored(case: Golden) -> None:
    """If the change is wanted: run_golden.py --generate, and look at the difference."""
    change = difference(case, printed_by(case, default_programs()))
    assert not change, change
