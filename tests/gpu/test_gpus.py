# SPDX-License-Identifier: Apache-2.0
"""Each rank has a GPU of its own, the run says which, and mistakes are refused with a remedy."""

from __future__ import annotations

from itertools import islice
from typing import Any

from conftest import Measure, Start

FEW = ("--sizes", "4KiB", "-n", "3", "-w", "1")


def test_the_run_says_that_its_gpus_are_the_double(measure: Measure) -> None:
    run = measure(*FEW).run
    assert run.origin == "double"
    assert {case["memory"] for case in run.cases} == {"cuda"}


def test_every_rank_has_a_gpu_of_its_own(measure: Measure) -> None:
    run = measure(*FEW, ranks=4).run
    assert [rank["gpu_index"] for rank in run.ranks] == [0, 1, 2, 3]
    for column in ("gpu_uuid", "gpu_pci"):
        assert len({rank[column] for rank in run.ranks}) == 4
    assert all(rank["gpu_uuid"].startswith("GPU-") for rank in run.ranks)


def test_a_launcher_may_show_each_rank_its_own_gpu_alone(measure: Measure) -> None:
    own = 'export CUDA_VISIBLE_DEVICES="$OMPI_COMM_WORLD_LOCAL_RANK"'
    ended = measure(*FEW, ranks=3, rank_setting=own)
    assert ended.code == 0, ended.stderr
    run = ended.run
    assert [rank["gpu_index"] for rank in run.ranks] == [0, 0, 0]
    assert len({rank["gpu_uuid"] for rank in run.ranks}) == 3
    assert run.cases[0]["status"] == "done"


def test_an_mpi_run_uses_no_gpu(measure: Measure) -> None:
    ended = measure(*FEW, backend="mpi", environment={"RAILGAUGE_DOUBLE_GPUS": "0"})
    assert ended.code == 0, ended.stderr
    assert [rank["gpu_uuid"] for rank in ended.run.ranks] == ["", ""]
    assert "device_ns" not in ended.run.samples[0].columns


# What a mistake is: arguments and surroundings of a job, and words of its refusal.
Mistake = tuple[tuple[str, ...], dict[str, Any], tuple[str, ...]]
MISTAKES: dict[str, Mistake] = {
    "more ranks than GPUs": (
        (),
        {"ranks": 3, "environment": {"RAILGAUGE_DOUBLE_GPUS": "2"}},
        ("3 ranks and 2 GPUs", "start 2 ranks per node"),
    ),
    "two ranks that see the same GPU": (
        (),
        {"environment": {"CUDA_VISIBLE_DEVICES": "0"}},
        ("ranks 0 and 1", "the same GPU", "start one rank per GPU"),
    ),
    "no GPU": (
        (),
        {"environment": {"RAILGAUGE_DOUBLE_GPUS": "0"}},
        ("no GPU", "--backend mpi --memory host"),
    ),
    "NCCL on the host's memory": (
        ("--memory", "host"),
        {},
        ("cannot use memory 'host'", "use --memory cuda or pinned"),
    ),
    "MPI that is not CUDA-aware on the GPU's": (
        ("--memory", "cuda"),
        {"backend": "mpi"},
        ("cannot use memory 'cuda'", "use --memory host"),
    ),
    "more fewest CTAs than most": (
        ("--min-ctas", "8", "--max-ctas", "4"),
        {},
        ("--min-ctas 8 is more than --max-ctas 4", "swap them"),
    ),
    "CTAs of MPI": (("--max-ctas", "4"), {"backend": "mpi"}, ("add --backend nccl",)),
    "a split by rails that nobody named": (
        ("--split", "rail"),
        {},
        ("rank 0 has no rail", "--rail-map"),
    ),
    "a choice of groups without a split": (
        ("--groups", "both"),
        {},
        ("--groups has no use here", "add --split"),
    ),
    "a root beyond its group": (
        ("--split", "pair", "--root", "2", "--op", "reduce"),
        {"ranks": 4},
        ("root 2 does not exist", "use --root 0 to 1"),
    ),
}


def test_every_mistake_is_refused_in_one_line_with_a_remedy(start: Start) -> None:
    names = iter(MISTAKES)
    while some := list(islice(names, 5)):  # most of a refusal is the launcher's patience
        jobs = {
            name: start(*FEW, *MISTAKES[name][0], out=f"{name}.h5", **MISTAKES[name][1])
            for name in some
        }
        for name, job in jobs.items():
            ended = job.wait()
            assert ended.code == 2, (name, ended.stderr)
            assert len(ended.own_lines) == 1, (name, ended.stderr)
            assert ended.said(*MISTAKES[name][2]), (name, ended.stderr)
            assert not ended.out.exists(), name
