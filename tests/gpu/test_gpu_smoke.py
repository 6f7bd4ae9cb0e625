# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu-smoke` on the GPU double: the packed archive on a machine that has nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / os.environ.get("RAILGAUGE_BUILD", "build/release")
DOUBLE = BUILD / "gpu_double"
SCRIPT = ROOT / "scripts" / "gpu-smoke"
DEADLINE_S = 600.0
MOST_BYTES = 64 << 20

# What the target has: a shell and its everyday companions, with their libraries.
TOOLS = ["bash", "dirname", "env", "grep", "mkdir", "mktemp", "rm", "sed", "tail", "timeout", "tr"]

ROW = re.compile(r"^(?P<name>.{36}) (?P<found>PASS|FAIL|SKIP)  ")

pytestmark = pytest.mark.skipif(
    not (BUILD / "bin" / "railgauge-gpu-smoke").exists() or not DOUBLE.exists(),
    reason=f"railgauge-gpu-smoke or the GPU double is missing in {BUILD} (built without NCCL)",
)


def rows(output: str) -> dict[str, str]:
    """What each check of the table found."""
    matches = [ROW.match(line) for line in output.splitlines()]
    return {m["name"].strip(): m["found"] for m in matches if m}


def run(command: list[str | Path], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def copy_with_libraries(program: str, root: Path) -> None:
    """Copies a program of this machine and all that `ldd` names to the same places below root."""
    path = Path(shutil.which(program) or pytest.fail(f"{program} is missing here"))
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    files = [path, *(Path(name) for name in re.findall(r"(/\S+) \(0x", listed))]
    for file in files:
        copy = root / file.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)


@dataclass(frozen=True)
class Machine:
    """A root folder with the unpacked archive and the double as its CUDA and NCCL."""

    root: Path

    def run(self, **variables: str) -> subprocess.CompletedProcess[str]:
        inside = [f"{name}={value}" for name, value in variables.items()]
        line = (
            'for d in proc dev; do mount --rbind "/$d" "$0/$d"; done; '
            'exec chroot "$0" env -i PATH=/usr/bin:/bin "$@" /gpu-smoke/run'
        )
        return run(["unshare", "-rm", "bash", "-c", line, self.root, *inside])

    def run_on_double(self, **variables: str) -> subprocess.CompletedProcess[str]:
        twins = "/double/librailgauge_double_twins.so"
        return self.run(LD_LIBRARY_PATH="/double", RAILGAUGE_DOUBLE_TWINS=twins, **variables)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("packed") / "gpu-smoke.tar.gz"
    packed = run([SCRIPT, "pack", file, "--build", BUILD])
    assert packed.returncode == 0, packed.stderr
    return file


@pytest.fixture(scope="module")
def machine(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    if run(["unshare", "-rm", "true"]).returncode != 0:
        pytest.skip("unshare -rm is not permitted here, so that there is no bare machine")
    root = tmp_path_factory.mktemp("bare")
    for folder in ("proc", "dev", "tmp"):
        (root / folder).mkdir()
    for tool in TOOLS:
        copy_with_libraries(tool, root)
    shutil.copytree(DOUBLE, root / "double")
    with tarfile.open(archive) as packed:
        packed.extractall(root)
    return Machine(root)


def test_archive_is_small_and_leaves_driver_and_nccl_to_the_target(archive: Path) -> None:
    assert archive.stat().st_size <= MOST_BYTES
    with tarfile.open(archive) as packed:
        names = packed.getnames()
    assert not [n for n in names if re.search(r"/lib(cuda|nccl)\.so", n)]
    assert not [n for n in names if "/lib/libcudart" in n]
    assert [n for n in names if n.startswith("gpu-smoke/cudart/libcudart.so")]


def test_every_check_passes_on_a_bare_machine_and_is_marked_as_a_rigs(machine: Machine) -> None:
    ran = machine.run_on_double()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "# RIG: double" in ran.stdout
    found = rows(ran.stdout)
    assert {"kernels: float8e4m3", "delay kernel: 5 ms"} <= set(found)
    assert {"buffers: symmetric, in place", "abort: the kernel ends"} <= set(found)
    assert {"CUDA graph of 8 operations", "issuing: seam / bare loop"} <= set(found)
    assert {"two ranks: all_reduce", "abort: peer never comes"} <= set(found)
    assert {"program: every operation", "program: life of a communicator"} <= set(found)
    assert set(found.values()) == {"PASS"}


def test_wrong_data_of_the_library_fails(machine: Machine) -> None:
    ran = machine.run_on_double(RAILGAUGE_DOUBLE_FAULT="0:*:corrupt")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = rows(ran.stdout)
    assert found["buffers: plain, apart"] == "FAIL"
    assert found["two ranks: all_reduce"] == "FAIL"
    assert found["program: every operation"] == "FAIL"
    assert found["kernels: float32"] == "PASS"


def test_machine_without_gpu_is_said(machine: Machine) -> None:
    ran = machine.run_on_double(RAILGAUGE_DOUBLE_GPUS="0")
    assert ran.returncode == 77, ran.stdout + ran.stderr
    assert "no GPU" in ran.stdout


def test_machine_without_nccl_is_said(machine: Machine) -> None:
    ran = machine.run()
    assert "no NCCL 2.28 or later was found" in ran.stdout
    assert ran.returncode == (1 if Path("/dev/nvidiactl").exists() else 77), ran.stderr


def test_nccl_that_is_too_old_is_passed_by(machine: Machine) -> None:
    old = machine.root / "old" / "lib" / "libnccl.so.2"
    old.parent.mkdir(parents=True)
    old.write_text("NCCL version 2.27.3+cuda12.9\n")
    ran = machine.run_on_double(NCCL_HOME="/old", RAILGAUGE_DOUBLE_GPUS="0")
    assert "NCCL 2.27.3 in /old/lib is older than 2.28" in ran.stderr
    assert "NCCL in /double" in ran.stdout


def test_nccl_of_a_python_package_is_found(machine: Machine) -> None:
    wheel = machine.root / "usr/local/lib/python3.12/site-packages/nvidia/nccl/lib"
    wheel.mkdir(parents=True)
    shutil.copy(DOUBLE / "libnccl.so.2", wheel)
    ran = machine.run(RAILGAUGE_DOUBLE_GPUS="0")
    shutil.rmtree(machine.root / "usr/local")
    assert "python3.12/site-packages/nvidia/nccl/lib" in ran.stdout
    assert "CUDA runtime in the archive" in ran.stdout


@pytest.mark.parametrize("arguments", [["pack"], ["pack", "--build"], ["unknown"], ["run", "--no"]])
def test_mistakes_in_the_command_exit_with_2(arguments: list[str]) -> None:
    ran = run([SCRIPT, *arguments])
    assert ran.returncode == 2
    assert ran.stderr.startswith("gpu-smoke: ")
