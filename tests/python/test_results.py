# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Railgauge
from synthetic import CaseSpec, Int64s, Plan, sweep, write_run

from railgauge import results, samples
from railgauge.load import open_run
from railgauge.results import busbw_gb_s, iterate
from railgauge.rows import CLOCK_NOTE, rows


def exact_samples(spec: CaseSpec, rank: int, ranks: int) -> tuple[Int64s, Int64s]:
    """Rank r enters r x 1 us late and all leave together, 50 us + k after the first entry."""
    k = np.arange(spec.iterations, dtype=np.int64)
    entry = k * 100_000 + rank * 1000
    return entry, k * 100_000 + 50_000 + k - entry


def test_known_samples_give_known_results(tmp_path: Path) -> None:
    specs = sweep(["all_reduce"], [4_700], iterations=100, samples=exact_samples)
    run = open_run(write_run(tmp_path / "run", Plan(specs, hosts=["n1"] * 4)))
    (result,) = iterate(run)
    (group,) = result.groups
    assert group.time.minimum == 47_000
    assert group.time.maximum == 47_099
    assert group.time.median == 47_049
    assert group.median_from_first_entry_ns == 50_049
    assert group.lateness_ns == {0: 0, 1: 1000, 2: 2000, 3: 3000}
    assert busbw_gb_s(result.case, 47_000) == pytest.approx(4_700 / 47_000 * 1.5)


def test_times_are_of_one_operation_when_samples_hold_several(tmp_path: Path) -> None:
    specs = sweep(["all_reduce"], [8], iterations=100, samples=exact_samples, ops_per_sample=10)
    (result,) = iterate(open_run(write_run(tmp_path / "run", Plan(specs))))
    assert result.groups[0].time.minimum == 4_700


def test_lateness_within_the_clock_error_is_left_out(tmp_path: Path) -> None:
    specs = sweep(["all_reduce"], [8], iterations=100, samples=exact_samples)
    plan = Plan(specs, clock_error_ns={"n2": 1_250})
    (result,) = iterate(open_run(write_run(tmp_path / "run", plan)))
    assert result.groups[0].clock_bound_ns == 1_250
    assert result.groups[0].lateness_ns == {0: None, 1: None, 2: None, 3: 3000}


@pytest.mark.parametrize(("error_ns", "largest"), [(1_250, 3.0), (1_600, None), (0, 3.0)])
def test_the_largest_lateness_is_none_where_the_clocks_cannot_tell(
    tmp_path: Path, error_ns: int, largest: float | None
) -> None:
    specs = sweep(["all_reduce"], [8], iterations=100, samples=exact_samples)
    plan = Plan(specs, clock_error_ns={"n2": error_ns})
    (row,) = rows(iterate(open_run(write_run(tmp_path / "run", plan))))
    assert row["largest_lateness_us"] == largest


@pytest.mark.parametrize(
    ("error_ns", "per", "marked"),
    # the median of a sample is 47,049 ns, whatever number of operations it holds
    [(1_150, 1, False), (1_200, 1, True), (1_150, 10, False), (1_200, 10, True), (0, 1, False)],
)
def test_times_that_the_clocks_blur_by_more_than_5_percent_are_marked(
    tmp_path: Path, railgauge: Railgauge, error_ns: int, per: int, marked: bool
) -> None:
    specs = sweep(["all_reduce"], [8], iterations=100, samples=exact_samples, ops_per_sample=per)
    path = write_run(tmp_path / "run", Plan(specs, clock_error_ns={"n2": error_ns}))
    (row,) = rows(iterate(open_run(path)))
    assert row["clock_percent"] == pytest.approx(100 * 2 * error_ns / 47_049)
    shown = railgauge("show", path).stdout
    assert ("done ~clock" in shown) == marked
    assert (CLOCK_NOTE in shown) == marked
    railgauge("report", path, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ("<td>~clock</td>" in page) == marked
    assert (CLOCK_NOTE in page) == marked


def test_a_boot_id_that_nobody_could_read_is_no_shared_clock(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", Plan(sweep(["all_reduce"], [8]))))
    run.nodes = [replace(n, facts=n.facts | {"boot_id": "unknown"}) for n in run.nodes]
    assert len(run.nodes) > 1
    assert len(set(results.clock_ids(run))) == len(run.nodes)


def test_rooted_operations_are_pipelined_unless_each_starts_by_itself(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", Plan(sweep(["broadcast"], [8]))))
    (case,) = run.cases
    alone = replace(case, variables=case.variables | {"root": 0, "start": "barrier"})
    assert not alone.pipelined
    assert replace(alone, ops_per_sample=10).pipelined
    assert replace(alone, variables=alone.variables | {"start": "free"}).pipelined
    assert not replace(alone, ops_per_sample=10, variables=alone.variables | {"root": -1}).pipelined


def test_groups_are_measured_apart_and_idle_ranks_left_out(tmp_path: Path) -> None:
    spec = CaseSpec(0, iterations=30, samples=exact_samples, group=[0, 0, 1, -1])
    (result,) = iterate(open_run(write_run(tmp_path / "run", Plan([spec]))))
    first, second = result.groups
    assert (first.group.ranks, second.group.ranks) == ((0, 1), (2,))
    assert first.time.minimum == 49_000
    assert second.lateness_ns == {2: 0}


@pytest.mark.parametrize("scale", [1, 1000, 1_000_000])
def test_streaming_gives_the_same_results_as_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: int
) -> None:
    def scaled(spec: CaseSpec, rank: int, ranks: int) -> tuple[Int64s, Int64s]:
        rng = np.random.default_rng([spec.id, rank])
        start = np.arange(spec.iterations) * 20_000 * scale + rng.integers(0, 900 * scale, 1000)
        return start, (5000 * scale * rng.lognormal(0, 0.5, 1000)).astype(np.int64)

    specs = sweep(["all_reduce", "reduce"], [8], iterations=1000, samples=scaled)
    run = open_run(write_run(tmp_path / "run", Plan(specs)))
    in_memory = list(iterate(run))
    monkeypatch.setattr(results, "IN_MEMORY_ITERATIONS", 0)
    monkeypatch.setattr(samples, "SLAB_SAMPLES", 4 * 37)
    streamed = list(iterate(run))
    for one, other in zip(in_memory, streamed, strict=True):
        a, b = one.groups[0], other.groups[0]
        assert b.time.quantiles == a.time.quantiles
        assert (b.time.minimum, b.time.maximum) == (a.time.minimum, a.time.maximum)
        assert b.time.mean == pytest.approx(a.time.mean)
        assert (b.time.median_low, b.time.median_high) == (a.time.median_low, a.time.median_high)
        assert b.median_from_first_entry_ns == a.median_from_first_entry_ns
        assert b.lateness_ns == a.lateness_ns
        assert b.timeline.maximum.tolist() == a.timeline.maximum.tolist()
        assert b.timeline.peak.tolist() == a.timeline.peak.tolist()
        assert a.blocks is not None
        assert b.blocks is not None
        np.testing.assert_allclose(b.blocks.means, a.blocks.means)
        assert a.fence_ns is not None
        assert b.fence_ns == pytest.approx(a.fence_ns, rel=2e-4)
