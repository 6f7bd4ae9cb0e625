# SPDX-License-Identifier: Apache-2.0
"""The mpirun line that run-mpirun composes, seen by a stand-in for mpirun."""

from __future__ import annotations

import os

import pytest
from conftest import Tree, one_line

ORTE = "mpirun (Open MPI) 4.1.4"
PRRTE = "mpirun (Open MPI) 5.0.6"

_STAND_IN = """#!/bin/bash
[[ $1 != --version ]] || { echo "$VERSION"; exit 0; }
printf '%s\\n' "$@"
"""


def line(tree: Tree, *arguments: str, version: str = ORTE, **variables: str) -> list[str]:
    """Words that mpirun is given."""
    tree.stand_in("mpirun", _STAND_IN)
    done = tree.run("run-mpirun", *arguments, VERSION=version, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def parameters(words: list[str], flag: str = "--mca") -> dict[str, str]:
    return {words[i + 1]: words[i + 2] for i, word in enumerate(words) if word == flag}


def value(words: list[str], flag: str) -> str | None:
    return words[words.index(flag) + 1] if flag in words else None


def exports(words: list[str]) -> set[str]:
    return {words[i + 1] for i, word in enumerate(words) if word == "-x"}


def test_control_interface_pins_orte_and_default_tcp(tree: Tree) -> None:
    given = parameters(line(tree, "--hosts", "a:8,b:8", "--control-interface", "mgmt0", "true"))
    assert given["oob_tcp_if_include"] == given["btl_tcp_if_include"] == "mgmt0"


def test_control_interface_pins_prrte_and_default_tcp(tree: Tree) -> None:
    options = ("--hosts", "a:8,b:8", "--control-interface", "mgmt0", "true")
    words = line(tree, *options, version=PRRTE)
    assert parameters(words, "--prtemca")["prte_if_include"] == "mgmt0"
    assert parameters(words)["btl_tcp_if_include"] == "mgmt0"


def test_control_interface_is_told_to_the_ranks(tree: Tree) -> None:
    words = line(tree, "-n", "2", "--control-interface", "mgmt0", "true")
    assert "RAILGAUGE_CONTROL_INTERFACE" in exports(words)


def test_prrte_gets_no_orte_names(tree: Tree) -> None:
    words = line(tree, "--hosts", "a.x:8", "--launch-agent", "/opt/agent", "true", version=PRRTE)
    names = parameters(words)
    assert not [name for name in names if name.startswith(("orte_", "oob_", "plm_", "odls_"))]
    assert parameters(words, "--prtemca") == {
        "prte_execute_quiet": "1",
        "plm_ssh_agent": "/opt/agent",
        "prte_keep_fqdn_hostnames": "1",
    }


def test_one_machine_needs_no_network(tree: Tree) -> None:
    given = parameters(line(tree, "-n", "2", "true"))
    assert given["oob_tcp_if_include"] == given["btl_tcp_if_include"] == "lo"
    assert "plm_rsh_args" not in given


def test_prrte_on_one_machine_is_not_given_lo_which_it_refuses(tree: Tree) -> None:
    assert "prte_if_include" not in parameters(line(tree, "-n", "2", "true", version=PRRTE))


@pytest.mark.parametrize("version", [ORTE, PRRTE])
def test_an_allocation_is_not_one_machine(tree: Tree, version: str) -> None:
    words = line(tree, "-n", "2", "true", version=version, SLURM_JOB_ID="7")
    assert "btl_tcp_if_include" not in parameters(words)


@pytest.mark.parametrize("version", [ORTE, PRRTE])
def test_ranks_per_node_places_that_many_on_each_host(tree: Tree, version: str) -> None:
    words = line(tree, "--hosts", "a:8,b:8", "--ranks-per-node", "8", "true", version=version)
    assert value(words, "--map-by") == "ppr:8:node"
    assert value(words, "--host") == "a:8,b:8"


def test_more_ranks_than_cores_yield(tree: Tree) -> None:
    cores = len(os.sched_getaffinity(0))
    many = line(tree, "-n", str(cores + 1), "true")
    few = line(tree, "-n", "1", "true")
    assert parameters(many)["mpi_yield_when_idle"] == "1"
    assert "mpi_yield_when_idle" not in parameters(few)


def test_oversubscribe_keeps_ranks_per_node(tree: Tree) -> None:
    words = line(tree, "--hosts", "a:4", "--ranks-per-node", "4", "--oversubscribe", "true")
    assert value(words, "--map-by") == "ppr:4:node:OVERSUBSCRIBE"
    assert parameters(words)["mpi_yield_when_idle"] == "1"


def test_host_names_with_dots_stay_whole(tree: Tree) -> None:
    hostfile = tree.write("hostfile", "job-worker-0.job.ns.svc slots=8\n")
    dotted = parameters(line(tree, "--hostfile", str(hostfile), "true"))
    plain = parameters(line(tree, "--hosts", "a:8", "true"))
    assert dotted["orte_keep_fqdn_hostnames"] == "1"
    assert "orte_keep_fqdn_hostnames" not in plain


def test_korean_host_names_are_not_packed_by_pattern(tree: Tree) -> None:
    hostfile = tree.write("hostfile", "서울-노드1 slots=8\n")
    assert parameters(line(tree, "--hostfile", str(hostfile), "true"))["regx"] == "naive"
    assert parameters(line(tree, "--hosts", "부산:8", "true"))["regx"] == "naive"
    assert "regx" not in parameters(line(tree, "--hosts", "a:8", "true"))
    assert "regx" not in parameters(line(tree, "--hosts", "부산:8", "true", version=PRRTE))


def test_korean_host_names_are_not_packed_which_hangs_orte(tree: Tree) -> None:
    assert parameters(line(tree, "--hosts", "노드0:8", "true"))["regx"] == "naive"
    assert "regx" not in parameters(line(tree, "--hosts", "n0:8", "true"))


def test_ssh_has_a_deadline_and_never_asks(tree: Tree) -> None:
    given = parameters(line(tree, "--hosts", "a:8", "true"))
    assert given["plm_rsh_args"] == "-o BatchMode=yes -o ConnectTimeout=10"


def test_ssh_arguments_of_the_operator_are_kept(tree: Tree) -> None:
    words = line(tree, "--hosts", "a:8", "true", OMPI_MCA_plm_rsh_args="-o ConnectionAttempts=10")
    assert "plm_rsh_args" not in parameters(words)


def test_only_known_names_are_exported(tree: Tree) -> None:
    words = line(
        tree,
        *("-n", "1", "true"),
        NCCL_DEBUG="INFO",
        UCX_TLS="rc",
        CUDA_VISIBLE_DEVICES="0",
        RAILGAUGE_LABEL="판교",
        AWS_SECRET_ACCESS_KEY="s3cr3t",
        OMPI_MCA_pml="ucx",
        SOMETHING="else",
    )
    wanted = {
        *("NCCL_DEBUG", "UCX_TLS", "CUDA_VISIBLE_DEVICES", "LANG", "PATH"),
        *("RAILGAUGE_LABEL", "RAILGAUGE_RUN_ID"),
    }
    assert exports(words) == wanted


def test_an_exported_secret_is_a_name_on_the_line(tree: Tree) -> None:
    words = line(
        tree,
        *("-n", "1", "--export", "AWS_SECRET_ACCESS_KEY", "true"),
        AWS_SECRET_ACCESS_KEY="s3cr3t",
    )
    assert "AWS_SECRET_ACCESS_KEY" in exports(words)
    assert not [word for word in words if "s3cr3t" in word]


@pytest.mark.parametrize("version", [ORTE, PRRTE])
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_is_allowed(tree: Tree, version: str) -> None:
    assert "--allow-run-as-root" in line(tree, "-n", "1", "true", version=version)


def test_arguments_reach_the_program_unchanged(tree: Tree) -> None:
    arguments = ["--out", "결과 1.h5", "", "--", "-n", "*", "$HOME", "--dry-run"]
    words = line(tree, "-n", "1", "true", *arguments)
    assert words[-len(arguments) - 2 :] == [
        str(tree.root / "scripts/rank-env"),
        "/usr/bin/true",
        *arguments,
    ]


def test_a_program_is_found_in_the_release_tree(tree: Tree) -> None:
    program = tree.write("build/release/bin/railgauge-example", "#!/bin/sh\n")
    assert line(tree, "-n", "1", "railgauge-example")[-1] == str(program)


def test_dry_run_prints_the_line_and_starts_nothing(tree: Tree) -> None:
    tree.stand_in("mpirun", '#!/bin/bash\necho "mpirun (Open MPI) 4.1.4"; echo started >&2\n')
    done = tree.run("run-mpirun", "-n", "1", "--dry-run", "true", "a b")
    assert done.returncode == 0
    assert done.stdout.startswith("mpirun ")
    assert done.stdout.rstrip().endswith(r"true a\ b")
    assert "started" not in done.stderr.replace("started", "", 1)  # once, for --version


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no program"),
        (["-n", "2"], "no program"),
        (["true"], "how many ranks"),
        (["-n", "0", "true"], "no number of ranks"),
        (["-n", "two", "true"], "no number of ranks"),
        (["-n"], "needs a value"),
        (["--colour", "red", "true"], "unknown option --colour"),
        (["--hosts", "a:1", "--hostfile", "/dev/null", "true"], "both"),
        (["--hostfile", "/nonexistent", "true"], "cannot be read"),
        (["-n", "1", "--bind", "gpu", "true"], "--bind is 'gpu'"),
        (["-n", "1", "--bind", "nic", "true"], "--rail-map"),
        (["-n", "1", "--dead-rails", "mend", "true"], "--dead-rails is 'mend'"),
        (["-n", "1", "--export", "A=B", "true"], "takes a name"),
        (["-n", "1", "--export", "NOT_SET_ANYWHERE", "true"], "no such variable"),
        (["-n", "1", "no-such-program"], "neither on the PATH nor in build/release/bin"),
        (["-n", "1", "./no-such-program"], "not an executable file"),
        (["-n", "1", "--mca", "pml"], "a name and a value"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(tree: Tree, arguments: list[str], says: str) -> None:
    tree.stand_in("mpirun", _STAND_IN)
    done = tree.run("run-mpirun", *arguments, VERSION=ORTE)
    assert done.returncode == 2
    assert says in one_line(done.stderr)


def test_the_value_of_a_refused_export_is_not_repeated(tree: Tree) -> None:
    done = tree.run("run-mpirun", "-n", "1", "--export", "KEY=s3cr3t", "true")
    assert "s3cr3t" not in done.stderr


@pytest.mark.parametrize("version", ["HYDRA build details:", "", "mpirun (Open MPI) 3.1.0"])
def test_another_mpirun_is_refused(tree: Tree, version: str) -> None:
    tree.stand_in("mpirun", _STAND_IN)
    done = tree.run("run-mpirun", "-n", "1", "true", VERSION=version)
    assert done.returncode == 2
    assert "put Open MPI 4.1 or 5 first" in one_line(done.stderr)
