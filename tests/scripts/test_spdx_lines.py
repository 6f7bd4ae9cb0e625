# SPDX-License-Identifier: Apache-2.0
"""scripts/spdx-lines: which tracked files must say their licence."""

from __future__ import annotations

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "spdx-lines"
LINE = "SPDX-License-Identifier: Apache-2.0"


def found(folder: Path, files: dict[str, str]) -> tuple[int, list[str]]:
    """Track the files in a fresh checkout; return exit code and the names of those without."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for command in (["git", "init", "-q"], ["git", "add", "."]):
        subprocess.run(command, cwd=folder, check=True, timeout=30)
    done = subprocess.run([SCRIPT], cwd=folder, capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return done.returncode, sorted(line.split(":")[0] for line in done.stdout.splitlines())


def test_every_kind_of_source_without_the_line_is_named(tmp_path: Path) -> None:
    without = {
        "lib/a.cpp": "int a;\n",
        "lib/CMakeLists.txt": "room(a)\n",
        "x/late.py": "#\n" * 5 + f"# {LINE}\n",
        "x/tool": "#!/bin/sh\n",
        "x/page.html.j2": "<p>\n",
        "x/page.css": "p {}\n",
        "scripts/packages.debian12": "gcc\n",
    }
    assert found(tmp_path, without) == (1, sorted(without))


def test_the_line_in_the_first_five_and_files_that_are_no_source_pass(tmp_path: Path) -> None:
    files = {
        "lib/a.hpp": f"// {LINE}\n#pragma once\n",
        "x/tool": f"#!/bin/sh\n#\n#\n#\n# {LINE}\n",
        "x/data.csv": "a,b\n",
        "README.md": "# A\n",
        "tests/golden/help.txt": "#!\n",
        "x/empty.py": "",
    }
    assert found(tmp_path, files) == (0, [])
