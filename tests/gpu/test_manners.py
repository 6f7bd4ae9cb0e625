# SPDX-License-Identifier: Apache-2.0
"""However operations are launched and buffers are allocated, results are right and counted."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Measure

BYTES = 4096
FEW = ("--sizes", "4KiB", "-n", "5", "-w", "2")
OPERATIONS = ("--op", "all_reduce,all_gather,reduce_scatter,alltoall")
GRAPH_OF_IN_PLACE = "in place that is repeated in a graph"
STEPS = "its steps depend on each other"


@pytest.mark.parametrize(
    ("manner", "operations"),
    [
        (("--aggregate", "4"), 4),
        (("--graph", "1"), 1),
        (("--graph", "6"), 6),
        (("--mode", "batched", "--batch", "7"), 7),
        (("--aggregate", "2", "--graph", "3", "--mode", "batched", "--batch", "5"), 30),
    ],
    ids=lambda value: "".join(value).strip("-") if isinstance(value, tuple) else "",
)
def test_a_sample_has_the_operations_that_it_timed(
    manner: tuple[str, ...], operations: int, measure: Measure
) -> None:
    ended = measure(*OPERATIONS, *FEW, *manner, "--buffers", "plain,registered,symmetric")
    assert ended.code == 0, ended.stderr
    run = ended.run
    assert len(run.cases) == 4 * 3
    for case in run.cases:
        assert (case["status"], case["wrong_elements"]) == ("done", 0), case
        assert case["ops_per_sample"] == operations
        samples = run.samples[case["id"]]
        assert samples.counts == [5, 5]
        assert set(samples.columns["bytes"]) == {BYTES * operations}


def test_every_operation_that_is_issued_as_one_is_checked(measure: Measure) -> None:
    alone = measure("--op", "all_reduce", *FEW, out="alone.h5").run.cases[0]
    many = measure("--op", "all_reduce", *FEW, "--aggregate", "3", out="many.h5").run.cases[0]
    assert many["checked_elements"] == 3 * alone["checked_elements"]


@pytest.mark.parametrize(
    ("manner", "reason", "skipped"),
    [
        (("--graph", "2"), GRAPH_OF_IN_PLACE, {"all_reduce in", "reduce_scatter in", "reduce in"}),
        (("--aggregate", "2"), STEPS, {"hypercube out", "hypercube in"}),
    ],
)
def test_what_has_no_known_result_is_skipped_and_all_else_is_done(
    manner: tuple[str, ...], reason: str, skipped: set[str], measure: Measure
) -> None:
    ended = measure("--op", "all", "--place", "both", *FEW, *manner)
    assert ended.code == 0, ended.stderr
    run = ended.run
    found = {
        f"{case['operation']} {case['place']}"
        for case in run.status("skipped")
        if reason in case["reason"]
    }
    assert found == skipped
    assert len(run.status("skipped")) == len(skipped) + 1  # and alltoall in place
    assert len(run.status("done")) == len(run.cases) - len(skipped) - 1
    assert not any(case["wrong_elements"] for case in run.cases)


def test_host_memory_that_is_pinned_is_measured_as_the_gpu_s_own(measure: Measure) -> None:
    ended = measure("--op", "all", *FEW, "--memory", "pinned")
    assert ended.code == 0, ended.stderr
    run = ended.run
    assert len(run.cases) == 11
    for case in run.cases:
        assert (case["status"], case["memory"], case["wrong_elements"]) == ("done", "pinned", 0)


def test_pinned_memory_is_refused_as_a_registered_buffer(measure: Measure) -> None:
    ended = measure(*FEW, "--memory", "pinned", "--buffers", "registered")
    assert ended.code in (0, 2), ended.stderr
    assert not (ended.code == 0 and ended.run.status("done")), ended.stdout


@pytest.mark.parametrize("split", [(), ("--split", "pair")], ids=["all", "pairs"])
def test_the_steps_of_a_communicator_s_life_are_measured(
    split: tuple[str, ...], measure: Measure
) -> None:
    ended = measure("--op", "communicator", "-n", "3", "-w", "1", *split, ranks=4)
    assert ended.code == 0, ended.stderr
    run = ended.run
    (case,) = run.cases
    assert (case["status"], case["operation"]) == ("done", "communicator")
    samples = run.samples[case["id"]]
    assert samples.counts == [3, 3, 3, 3]
    steps = ["init_ns", "split_ns", "register_ns", "first_ns", "finalize_ns"]
    together = np.sum([samples.columns[step] for step in steps], axis=0)
    assert (samples.columns["memory_bytes"] > 0).all()
    assert all((samples.columns[step] > 0).all() for step in steps)
    assert (together <= samples.columns["elapsed_ns"]).all()


def test_a_communicator_s_life_leaves_the_others_intact(measure: Measure) -> None:
    ended = measure("--op", "communicator,all_reduce", *FEW, ranks=3)
    assert ended.code == 0, ended.stderr
    assert [case["status"] for case in ended.run.cases] == ["done", "done"]
    assert ended.run.cases[1]["wrong_elements"] == 0


def test_a_symmetric_window_that_the_library_does_not_give_is_no_plain_buffer(
    measure: Measure,
) -> None:
    ended = measure(
        *OPERATIONS,
        *FEW,
        *("--buffers", "symmetric"),
        environment={"RAILGAUGE_DOUBLE_NO_WINDOWS": "1"},
    )
    assert ended.code == 0, ended.stderr
    assert {case["status"] for case in ended.run.cases} == {"skipped"}
    assert all("no symmetric memory" in case["reason"] for case in ended.run.cases)
