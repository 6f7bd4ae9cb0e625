# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from synthetic import Plan, expired_document, sweep, write_part, write_parts, write_run

from railgauge.errors import RailgaugeError
from railgauge.load import open_run
from railgauge.model import Status
from railgauge.results import iterate


def test_a_finished_run_reads_back_as_written(finished: Path, plan: Plan) -> None:
    run = open_run(finished)
    assert run.info.program == "railgauge-collective"
    assert run.info.argv == ("railgauge-collective", "--op", "all_reduce")
    assert [r.host for r in run.ranks] == plan.hosts
    assert [n.host for n in run.nodes] == ["n1", "n2"]
    assert run.nodes[0].facts["environment.UCX_TLS"] == "tcp"
    assert [c.name for c in run.cases] == [s.name for s in plan.cases]
    assert run.cases[2].variables["bytes"] == 65536
    assert not run.interrupted
    assert not run.problems


def test_parts_and_file_give_the_same_results(tmp_path: Path, finished: Path, plan: Plan) -> None:
    write_parts(tmp_path / "other", plan)
    parts, whole = open_run(tmp_path / "other"), open_run(finished)
    assert parts.interrupted
    assert parts.cases == whole.cases
    for one, other in zip(iterate(parts), iterate(whole), strict=True):
        assert one.groups[0].time == other.groups[0].time


@pytest.mark.parametrize("name", ["run", "run.parts", "run.parts/"])
def test_parts_are_found_by_either_name(tmp_path: Path, plan: Plan, name: str) -> None:
    write_parts(tmp_path / "run", plan, finished=2)
    run = open_run(Path(f"{tmp_path}/{name}"))
    assert [c.status for c in run.cases] == [Status.DONE] * 2 + [Status.PLANNED] * 4


def test_a_finished_file_wins_over_newer_parts_and_says_so(finished: Path, plan: Plan) -> None:
    write_parts(finished, plan, finished=1)
    run = open_run(finished)
    assert len(run.finished_cases) == 6
    assert "run.parts beside it holds a newer, unfinished run" in run.notices[0]


def test_an_expired_case_takes_status_and_text_of_the_deadline(tmp_path: Path, plan: Plan) -> None:
    plan.expired = expired_document(plan, plan.cases[3])
    write_parts(tmp_path / "run", plan, finished=3)
    run = open_run(tmp_path / "run")
    assert run.cases[3].status is Status.EXPIRED
    assert "rank 2 did not enter" in run.cases[3].reason
    assert run.expired is not None
    assert [r.state for r in run.expired.ranks] == ["inside", "inside", "not-entered", "inside"]


def test_a_deadline_outside_a_case_marks_none(tmp_path: Path, plan: Plan) -> None:
    plan.expired = expired_document(plan, plan.cases[3]) | {"case": -1, "phase": "init"}
    write_parts(tmp_path / "run", plan, finished=3)
    run = open_run(tmp_path / "run")
    assert run.expired is not None
    assert Status.EXPIRED not in {c.status for c in run.cases}


def test_constant_columns_cost_no_storage_and_no_memory(finished: Path) -> None:
    run = open_run(finished)
    with run.samples(run.cases[1]) as samples:
        column = samples.columns["bytes"]
        assert column.constant == 1024
        assert column.unit == "B"
        assert column.read(3, 6).tolist() == [1024] * 3


def test_a_whole_column_stored_without_data_is_its_fill_value(tmp_path: Path) -> None:
    def together(spec: object, rank: int, ranks: int) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1, np.int64), np.full(1, 700, np.int64)

    specs = sweep(["all_reduce"], [8], iterations=1, samples=together)
    (result,) = iterate(open_run(write_run(tmp_path / "run", Plan(specs))))
    assert result.groups[0].time.median == 700


def test_host_names_in_korean_and_with_slashes_survive(tmp_path: Path) -> None:
    hosts = ["노드-하나", "노드-하나", "rack/7", "rack/7"]
    run = open_run(write_run(tmp_path / "시험", Plan(sweep(["reduce"], [8]), hosts=hosts)))
    assert run.name == "시험"
    assert [n.host for n in run.nodes] == ["노드-하나", "rack/7"]
    assert [r.host for r in run.ranks] == hosts


def test_a_missing_run_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(RailgaugeError, match=r"neither the file .*nix nor the folder .*nix\.parts"):
        open_run(tmp_path / "nix")


# --- parts that are not what they should be: their case is lost, the run is not ------------------


def broken_part(tmp_path: Path, plan: Plan) -> Path:
    return write_parts(tmp_path / "run", plan, finished=4) / "0002.h5"


def expect_one_lost_case(tmp_path: Path, because: str) -> None:
    run = open_run(tmp_path / "run")
    assert len(run.finished_cases) == 3
    assert run.cases[2].status is Status.PLANNED
    assert len(run.problems) == 1
    assert because in run.problems[0]
    assert "part 0002.h5" in run.problems[0]


def test_a_truncated_part_is_reported(tmp_path: Path, plan: Plan) -> None:
    part = broken_part(tmp_path, plan)
    part.write_bytes(part.read_bytes()[:900])
    expect_one_lost_case(tmp_path, "cannot be read")


def test_a_part_of_another_plan_is_reported(tmp_path: Path, plan: Plan) -> None:
    part = broken_part(tmp_path, plan)
    other = Plan(plan.cases, plan_id="ffff")
    write_part(part, other, plan.cases[2])
    expect_one_lost_case(tmp_path, "of another plan")


def test_two_parts_that_claim_one_case_do_not_both_count(tmp_path: Path, plan: Plan) -> None:
    part = broken_part(tmp_path, plan)
    shutil.copy(part.with_name("0001.h5"), part)
    expect_one_lost_case(tmp_path, "it claims to be 1 all_reduce")


def test_a_folder_in_the_place_of_a_part_is_reported(tmp_path: Path, plan: Plan) -> None:
    part = broken_part(tmp_path, plan)
    part.unlink()
    part.mkdir()
    expect_one_lost_case(tmp_path, "not a regular file")


def test_junk_in_the_parts_folder_is_told_apart_from_parts(tmp_path: Path, plan: Plan) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    for name in ("0001.h5.tmp", "notes.txt", "board", "xx.h5", "-1.h5"):
        (folder / name).write_bytes(b"junk")
    for name in ("00001.h5", "9999.h5"):
        shutil.copy(folder / "0001.h5", folder / name)
    run = open_run(tmp_path / "run")
    assert len(run.finished_cases) == 2
    assert ["00001.h5" in run.problems[0], "9999.h5" in run.problems[1]] == [True, True]
    assert len(run.problems) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"case": 1}',
        '{"case": "x", "text": ""}',
        "[" * 100_000,
        '{"ranks": 3}',
        '{"case": 1e999, "text": ""}',
    ],
)
def test_a_damaged_expired_file_is_reported(tmp_path: Path, plan: Plan, text: str) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    (folder / "expired.json").write_text(text)
    run = open_run(tmp_path / "run")
    assert run.expired is None
    assert "expired.json is damaged" in run.problems[0]


def test_an_expired_file_of_another_plan_is_left_out(tmp_path: Path, plan: Plan) -> None:
    folder = write_parts(tmp_path / "run", plan, finished=2)
    document = expired_document(plan, plan.cases[2]) | {"plan_id": "other"}
    (folder / "expired.json").write_text(json.dumps(document))
    run = open_run(tmp_path / "run")
    assert run.cases[2].status is Status.PLANNED
    assert "of another plan" in run.problems[0]


def test_a_run_without_nodes_still_opens(tmp_path: Path, plan: Plan) -> None:
    import h5py

    with h5py.File(write_run(tmp_path / "run", plan), "r+") as file:
        del file["nodes"]
    assert open_run(tmp_path / "run").nodes == []
