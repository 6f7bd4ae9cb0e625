# SPDX-License-Identifier: Apache-2.0
"""Exit status and end of ranks under the installed Open MPI. The ranks are shells."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import DEADLINE_S, SCRIPTS, Tree, is_alive, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun on this machine")

RANKS = 3


def run(tree: Tree, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    """`script` as each rank; RANK is its number."""
    text = f"RANK=$OMPI_COMM_WORLD_RANK; {script}"
    return tree.run("run-mpirun", "-n", str(RANKS), *options, "bash", "-c", text)


@pytest.mark.parametrize("status", [0, 2, 4, 5, 6, 143])
def test_the_status_of_all_ranks_passes_through(tree: Tree, status: int) -> None:
    assert run(tree, f"exit {status}").returncode == status


@pytest.mark.parametrize("status", [2, 4, 5])
def test_the_status_of_one_rank_passes_through_and_ends_the_others(tree: Tree, status: int) -> None:
    done = run(tree, f"if [ $RANK = 1 ]; then exit {status}; fi; exec sleep 600")
    assert done.returncode == status


def test_a_killed_rank_is_137_and_ends_the_others(tree: Tree) -> None:
    done = run(tree, "if [ $RANK = 1 ]; then kill -KILL $$; fi; exec sleep 600")
    assert done.returncode == 137


def test_mpirun_adds_no_words_to_a_failing_program(tree: Tree) -> None:
    done = run(tree, "if [ $RANK = 0 ]; then echo one line >&2; fi; exit 2")
    assert done.stderr == "one line\n"


def test_a_launch_that_fails_points_to_verbose(tree: Tree) -> None:
    done = tree.run("run-mpirun", "-n", "1", "--mca", "oob_tcp_if_include", "nosuch0", "true")
    assert done.returncode != 0
    assert "--verbose" in done.stderr


def test_each_rank_gets_its_rail_before_it_starts(tree: Tree) -> None:
    for rail in ("rail0", "rail1"):
        tree.write(f"sys/class/net/{rail}/operstate", "up\n")
    done = tree.run(
        *("run-mpirun", "-n", "3", "--rail-map", "0:rail0,1:rail1,2:rail1"),
        *(
            "bash",
            "-c",
            'echo "$RAILGAUGE_LOCAL_RANK $RAILGAUGE_RAIL $OMPI_MCA_btl_tcp_if_include"',
        ),
        RAILGAUGE_SYSFS=str(tree.root / "sys"),
    )
    assert sorted(done.stdout.splitlines()) == ["0 0 rail0", "1 1 rail1", "2 1 rail1"]


def test_a_rail_that_is_not_there_ends_the_run_with_status_2(tree: Tree) -> None:
    done = tree.run("run-mpirun", "-n", "2", "--rail-map", "0:lo,1:rail9", "sleep", "600")
    assert done.returncode == 2
    assert "gives local rank 1 the NIC rail9" in done.stderr


EXPIRED = "railgauge-pairs: no rank got on for 8.0 s in case x; finished cases are kept"


def run_stand_in(tree: Tree, mpirun: str) -> subprocess.CompletedProcess[str]:
    """A job on hosts whose mpirun is this script."""
    version = 'if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; exit; fi'
    tree.stand_in("mpirun", f"#!/bin/bash\n{version}\n{mpirun}\n")
    return tree.run("run-mpirun", "--hosts", "n0:1,n1:1", "true")


def test_an_mpirun_that_waits_for_a_dead_node_is_ended_after_the_ranks_deadline(tree: Tree) -> None:
    done = run_stand_in(tree, f"printf '{EXPIRED}\\n' >&2; trap '' TERM; while :; do sleep 1; done")
    assert (done.returncode, done.stderr) == (5, EXPIRED + "\n")


@pytest.mark.parametrize("status", [0, 5, 137])
def test_after_the_ranks_deadline_an_mpirun_that_ends_keeps_its_status(
    tree: Tree, status: int
) -> None:
    done = run_stand_in(tree, f"printf '{EXPIRED}\\n' >&2; sleep 0.3; exit {status}")
    assert (done.returncode, done.stderr) == (status, EXPIRED + "\n")


def test_on_hosts_stderr_passes_through_unchanged_to_its_last_byte(tree: Tree) -> None:
    done = run_stand_in(tree, "printf '한글\\033[K no line end' >&2; exit 3")
    assert (done.returncode, done.stderr) == (3, "한글\033[K no line end")


class Running:
    """run-mpirun with ranks that have written their process ids."""

    def __init__(self, folder: Path, rank_script: str) -> None:
        ready = 'echo $$ > "$PIDS/tmp.$OMPI_COMM_WORLD_RANK"; mv "$PIDS/tmp.$OMPI_COMM_WORLD_RANK" '
        ready += '"$PIDS/$OMPI_COMM_WORLD_RANK"; '
        self.pids_folder = folder
        self.process = subprocess.Popen(
            [
                SCRIPTS / "run-mpirun",
                "-n",
                str(RANKS),
                "bash",
                "-c",
                f"{rank_script}; {ready} $LOOP",
            ],
            env=os.environ | {"PIDS": str(folder), "LOOP": "eval while :; do sleep 0.1; done"},
            stdin=subprocess.DEVNULL,
        )
        names = [str(rank) for rank in range(RANKS)]
        wait_until(lambda: all((folder / name).exists() for name in names), "all ranks started")
        self.pids = [int((folder / name).read_text()) for name in names]

    def all_gone(self) -> bool:
        return not any(is_alive(pid) for pid in self.pids)


LEAVES = "trap 'exit 0' TERM INT"
STAYS = "trap '' TERM INT"


@pytest.mark.parametrize("rank", [LEAVES, STAYS], ids=["leaves", "stays"])
@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_ranks_and_is_the_status(
    tmp_path: Path, rank: str, sent: signal.Signals, status: int
) -> None:
    running = Running(tmp_path, rank)
    running.process.send_signal(sent)
    assert running.process.wait(DEADLINE_S) == status
    assert running.all_gone()


def test_ranks_get_sigterm_first_to_close_their_files(tmp_path: Path) -> None:
    running = Running(tmp_path, f"trap 'touch {tmp_path}/closed; exit 0' TERM")
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(DEADLINE_S)
    assert (tmp_path / "closed").exists()  # by one at least: SIGKILL follows, however slow they are


def test_a_killed_launcher_leaves_no_rank_behind(tmp_path: Path) -> None:
    running = Running(tmp_path, LEAVES)
    running.process.kill()
    running.process.wait(DEADLINE_S)
    wait_until(running.all_gone, "ranks gone after SIGKILL of run-mpirun")


def test_a_killed_mpirun_is_137(tmp_path: Path) -> None:
    running = Running(tmp_path, LEAVES)
    stat = Path(f"/proc/{running.pids[0]}/stat").read_text(encoding="utf-8")
    mpirun = int(stat.rpartition(")")[2].split()[1])  # the rank's parent
    os.kill(mpirun, signal.SIGKILL)
    assert running.process.wait(DEADLINE_S) == 137
    for pid in running.pids:  # ranks leave by themselves only after MPI_Init
        os.kill(pid, signal.SIGKILL)


def test_an_mpirun_that_outlives_the_ranks_deadline_is_ended_with_5(tree: Tree) -> None:
    # As when a node died: the ranks have left, and mpirun waits for that node's daemon.
    line = "railgauge-pairs: no rank got on for 5.0 s in case 3"
    tree.stand_in(
        "mpirun",
        "#!/bin/bash\n[[ $1 != --version ]] || { echo 'mpirun (Open MPI) 4.1.4'; exit; }\n"
        f"echo '{line}' >&2\nexec sleep 600\n",
    )
    done = tree.run("run-mpirun", "--hosts", "a:1", "true")
    assert (done.returncode, done.stderr) == (5, f"{line}\n")
