# SPDX-License-Identifier: Apache-2.0
"""scripts/test, over suites of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SCRIPTS, Tree

_SHEBANG = "#!/bin/bash\n"


@pytest.fixture
def suites(tree: Tree) -> Tree:
    tree.write("scripts/setup", _SHEBANG)
    tree.write("scripts/suites/good", f"{_SHEBANG}echo fine\n")
    tree.write("scripts/suites/bad", f"{_SHEBANG}echo the reason is here; exit 3\n")
    tree.write(
        "scripts/suites/absent", f"{_SHEBANG}echo noise; echo no rig on this machine; exit 77\n"
    )
    tree.write("scripts/suites/partly", f"{_SHEBANG}echo 'SKIPPED [1] a.py:3: no GPU here'\n")
    return tree


def test_the_totals_are_the_last_line(suites: Tree) -> None:
    done = suites.run("test", "--only", "good,bad,absent")
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"


def test_one_failed_suite_fails_the_run_but_not_the_suites_after_it(suites: Tree) -> None:
    done = suites.run("test", "--only", "bad,good")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_passes_and_skips_succeed(suites: Tree) -> None:
    assert suites.run("test", "--only", "good,absent").returncode == 0


def test_a_failed_suite_shows_its_end_and_names_its_log(suites: Tree) -> None:
    done = suites.run("test", "--only", "bad")
    assert "the reason is here" in done.stdout
    assert (suites.root / "build/logs/bad.log").read_text() == "the reason is here\n"


def test_a_skipped_suite_gives_its_reason(suites: Tree) -> None:
    assert "no rig on this machine" in suites.run("test", "--only", "absent").stdout


def test_a_skipped_test_of_a_passing_suite_is_named_with_its_reason(suites: Tree) -> None:
    assert "skipped: a.py:3: no GPU here" in suites.run("test", "--only", "partly").stdout


def test_an_unknown_suite_is_refused(suites: Tree) -> None:
    done = suites.run("test", "--only", "good,nonsense")
    assert done.returncode != 0
    assert "nonsense" in done.stderr


def test_every_suite_file_is_listed(tree: Tree) -> None:
    listed = [line.split()[0] for line in tree.run("test", "--list").stdout.splitlines()]
    files = [path.name for path in (SCRIPTS / "suites").iterdir() if path.suffix == ""]
    assert sorted(listed) == sorted(files)


def test_ci_runs_the_same_command() -> None:
    text = Path(SCRIPTS.parent / ".ci/run").read_text(encoding="utf-8")
    assert text.splitlines()[-1].endswith('/../scripts/test"')
