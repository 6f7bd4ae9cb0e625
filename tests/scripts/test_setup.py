# SPDX-License-Identifier: Apache-2.0
"""scripts/setup, with stand-ins for the package manager."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import SCRIPTS, Tree, one_line

OS_RELEASE = Path("/etc/os-release")

pytestmark = pytest.mark.skipif(
    not OS_RELEASE.exists()
    or not re.search(
        r'^ID=debian$[\s\S]*^VERSION_ID="?12|^VERSION_ID="?12[\s\S]*^ID=debian$',
        OS_RELEASE.read_text(),
        re.M,
    ),
    reason="not on Debian 12",
)

_TOUCHED = "#!/bin/bash\necho touched >&2\nexit 1\n"


def packages(group: str) -> list[str]:
    text = (SCRIPTS / "packages.debian12").read_text(encoding="utf-8")
    section = re.search(rf"^\[{group}\]$(.*?)(?=^\[|\Z)", text, re.M | re.S)
    assert section
    lines = (line.partition("#")[0].strip() for line in section[1].splitlines())
    return [line for line in lines if line]


def installed(tree: Tree, names: list[str]) -> None:
    """Make dpkg-query list these packages as installed."""
    lines = "\n".join(f"installed {name}" for name in names)
    tree.stand_in("dpkg-query", f"#!/bin/bash\ncat <<'END'\n{lines}\nEND\n")


def finished_venv(tree: Tree, group: str) -> None:
    project = tree.write("analysis/pyproject.toml", "[project]\n")
    digest = subprocess.run(
        ["sha256sum"], stdin=project.open(), capture_output=True, text=True, check=True
    )
    tree.write(".venv/bin/python", _TOUCHED)
    tree.write(".venv/stamp", f"{tree.root}\n{group} {digest.stdout}")


@pytest.mark.parametrize("group", ["run", "test"])
def test_what_is_there_is_left_alone(tree: Tree, group: str) -> None:
    installed(tree, packages("run") + packages("test"))
    finished_venv(tree, "test")
    for name in ("apt-get", "sudo"):
        tree.stand_in(name, _TOUCHED)
    done = tree.run("setup", group)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_only_missing_packages_of_the_group_are_installed(tree: Tree) -> None:
    present = [name for name in packages("run") if name not in ("cmake", "openmpi-bin")]
    installed(tree, present)
    finished_venv(tree, "run")
    log = tree.root / "apt.log"
    tree.stand_in("apt-get", f'#!/bin/bash\necho "$@" >>"{log}"\n')
    done = tree.run("setup")
    assert done.returncode == 0, done.stderr
    assert log.read_text().splitlines()[-1].endswith("--no-install-recommends cmake openmpi-bin")


def test_no_network_is_one_line_with_the_reason(tree: Tree) -> None:
    installed(tree, packages("run")[1:])
    finished_venv(tree, "run")
    reason = "E: Failed to fetch somewhere"
    tree.stand_in("apt-get", f'#!/bin/bash\necho "{reason}" >&2\nexit 100\n')
    done = tree.run("setup")
    assert done.returncode == 1
    progress, error = done.stderr.splitlines()
    assert progress.startswith("setup: installing 1 packages")
    assert reason in error
    assert "check the network" in error


def test_no_network_for_pip_is_one_line_and_the_next_run_tries_again(tree: Tree) -> None:
    installed(tree, packages("run"))
    finished_venv(tree, "run")
    tree.write("analysis/pyproject.toml", "[project]\nname = 'changed'\n")
    tree.write("stand-ins/pip-fails", "")
    for _ in range(2):
        done = tree.run("setup", PIP_INDEX_URL="http://127.0.0.1:9/", PIP_NO_INDEX="1")
        assert done.returncode == 1
        assert "the Python packages could not be installed" in done.stderr.splitlines()[-1]


def test_packages_can_be_left_to_the_user(tree: Tree) -> None:
    tree.stand_in("apt-get", _TOUCHED)
    tree.stand_in("dpkg-query", _TOUCHED)
    finished_venv(tree, "run")
    assert tree.run("setup", "--no-packages").stderr == ""


def test_an_unknown_argument_is_one_line_and_status_2(tree: Tree) -> None:
    done = tree.run("setup", "--everything")
    assert done.returncode == 2
    assert "--everything" in one_line(done.stderr)
