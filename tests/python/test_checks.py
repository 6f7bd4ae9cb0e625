# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Railgauge
from synthetic import Plan, expired_document, sweep, write_parts, write_run
from synthetic_pairs import Fabric, PairsCase, write_pairs_run

from railgauge.checks import run_checks
from railgauge.load import open_run
from railgauge.verdict import EXIT_CODES, Verdict, overall

import h5py  # isort: skip


def verdicts(path: Path, allow_rig: bool = False) -> dict[str, Verdict]:
    return {r.name: r.verdict for r in run_checks(open_run(path), allow_rig=allow_rig)}


def test_a_whole_and_right_run_passes(finished: Path, railgauge: Railgauge) -> None:
    assert set(verdicts(finished).values()) == {Verdict.PASS}
    assert railgauge("check", finished).returncode == 0


def test_one_wrong_case_fails_and_is_named(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.cases[4].status = "wrong"
    plan.cases[4].wrong = 3
    result = railgauge("check", write_run(tmp_path / "run", plan))
    assert result.returncode == 1
    assert f"{plan.cases[4].name}: 3 of 4096 verified elements are wrong" in result.stdout


def test_wrong_elements_fail_whatever_the_status_says(tmp_path: Path, plan: Plan) -> None:
    plan.cases[4].wrong = 3
    assert verdicts(write_run(tmp_path / "run", plan))["data_right"] is Verdict.FAIL


def test_data_that_nobody_verified_are_unknown(
    tmp_path: Path, plan: Plan, railgauge: Railgauge
) -> None:
    plan.cases[1].checked = 0
    result = railgauge("check", write_run(tmp_path / "run", plan))
    assert result.returncode == 3
    assert "no element was verified" in result.stdout


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ("planned", Verdict.UNKNOWN),
        ("failed", Verdict.FAIL),
        ("expired", Verdict.FAIL),
        ("skipped", Verdict.PASS),
    ],
)
def test_an_unmeasured_case_keeps_the_run_from_passing_unless_it_was_skipped(
    tmp_path: Path, plan: Plan, status: str, verdict: Verdict
) -> None:
    plan.cases[0].status = status
    assert verdicts(write_run(tmp_path / "run", plan))["case_complete"] is verdict


def test_an_interrupted_run_is_incomplete(tmp_path: Path, plan: Plan, railgauge: Railgauge) -> None:
    write_parts(tmp_path / "run", plan, finished=4)
    result = railgauge("check", tmp_path / "run")
    assert result.returncode == 3
    assert "4 PASS, 2 UNKNOWN" in result.stdout


def test_a_passed_deadline_fails_even_outside_a_case(tmp_path: Path, plan: Plan) -> None:
    plan.expired = expired_document(plan, plan.cases[0]) | {"case": -1}
    write_parts(tmp_path / "run", plan)
    assert verdicts(tmp_path / "run")["case_complete"] is Verdict.FAIL


def test_a_run_where_nothing_could_be_judged_is_unknown(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    plan = Plan(sweep(["reduce"], [8], status="skipped", reason="too few ranks"))
    run = write_run(tmp_path / "run", plan)
    assert set(verdicts(run).values()) == {Verdict.SKIP}
    result = railgauge("check", run)
    assert result.returncode == 3
    assert result.stdout.startswith("UNKNOWN")
    run = write_run(tmp_path / "empty", Plan([]))
    assert set(verdicts(run).values()) == {Verdict.UNKNOWN}


def test_lost_samples_are_unknown(tmp_path: Path, plan: Plan) -> None:
    import h5py

    run = write_run(tmp_path / "run", plan)
    with h5py.File(run, "r+") as file:
        rows = file["cases"][...]
        rows["samples"][2] += 1
        file["cases"][...] = rows
    assert verdicts(run)["case_complete"] is Verdict.UNKNOWN


@pytest.mark.parametrize("in_one_slab", [True, False])
@pytest.mark.parametrize(("column", "value"), [("elapsed_ns", -5), ("start_ns", 2**63 - 1)])
def test_times_that_no_run_has_are_unknown_to_check_and_damaged_to_show(
    finished: Path,
    railgauge: Railgauge,
    monkeypatch: pytest.MonkeyPatch,
    column: str,
    value: int,
    in_one_slab: bool,
) -> None:
    with h5py.File(finished, "r+") as file:
        file[f"samples/0001/{column}"][77] = value
    assert f"{column} holds" in railgauge("show", finished).stdout
    if not in_one_slab:
        monkeypatch.setattr("railgauge.samples.SLAB_SAMPLES", 16)
    result = railgauge("check", finished, "--format", "json")
    assert result.returncode == 3
    (complete,) = (c for c in json.loads(result.stdout)["checks"] if c["name"] == "case_complete")
    bad = [f for f in complete["findings"] if f["verdict"] != "PASS"]
    assert [f["case"] for f in bad] == [1]
    assert f"{column} holds" in bad[0]["reason"]


def test_samples_of_no_group_are_unknown(finished: Path, railgauge: Railgauge) -> None:
    with h5py.File(finished, "r+") as file:
        file["samples/0001/group"][:] = -1
    result = railgauge("check", finished)
    assert result.returncode == 3
    assert "it holds no samples" in result.stdout


@pytest.mark.parametrize("origin", ["double", "simulated"])
def test_a_rig_is_unknown_unless_allowed_and_marked_all_the_same(
    tmp_path: Path, plan: Plan, railgauge: Railgauge, origin: str
) -> None:
    plan.origin = origin
    run = write_run(tmp_path / "run", plan)
    assert set(verdicts(run).values()) == {Verdict.UNKNOWN}
    assert set(verdicts(run, allow_rig=True).values()) == {Verdict.PASS}
    result = railgauge("check", run, "--allow-rig")
    assert result.returncode == 0
    assert result.stdout.startswith("RIG: ")


def test_a_failure_on_a_double_says_what_it_would_be(tmp_path: Path, plan: Plan) -> None:
    plan.origin = "double"
    plan.cases[0].wrong = 1
    (data_right,) = [
        r
        for r in run_checks(open_run(write_run(tmp_path / "run", plan)), allow_rig=False)
        if r.name == "data_right"
    ]
    assert data_right.verdict is Verdict.UNKNOWN
    assert data_right.findings[0].reason.startswith("measured on a double; would be FAIL: 1 of")


@pytest.mark.parametrize(
    ("origin", "verdict"),
    [("imported:nccl-tests", Verdict.PASS), ("", Verdict.UNKNOWN), ("moon", Verdict.UNKNOWN)],
)
def test_an_unknown_origin_is_never_a_pass_even_with_allow_rig(
    tmp_path: Path, plan: Plan, origin: str, verdict: Verdict
) -> None:
    plan.origin = origin
    run = write_run(tmp_path / "run", plan)
    assert set(verdicts(run, allow_rig=True).values()) == {verdict}


def test_json_holds_every_finding(finished: Path, railgauge: Railgauge) -> None:
    document = json.loads(railgauge("check", finished, "--format", "json").stdout)
    assert document["verdict"] == "PASS"
    assert [c["name"] for c in document["checks"]] == ["case_complete", "data_right"]
    assert all(len(c["findings"]) == 6 for c in document["checks"])


def test_a_check_of_nothing_but_skips_leaves_the_verdict_to_the_others(
    tmp_path: Path, railgauge: Railgauge
) -> None:
    fabric = Fabric(["n0", "n1"])
    case = PairsCase(0, [1, 0, -1, -1], pattern="one-pair", rails="0>1")
    run = write_pairs_run(tmp_path / "run", fabric, [case])
    result = railgauge("check", run, "--format", "json")
    document = json.loads(result.stdout)
    verdicts = {c["name"]: c["verdict"] for c in document["checks"]}
    assert verdicts == {"case_complete": "PASS", "data_right": "PASS", "rail_proven": "SKIP"}
    assert (document["verdict"], result.returncode) == ("PASS", 0)
    nothing = write_pairs_run(tmp_path / "nothing", fabric, [replace(case, status="skipped")])
    assert railgauge("check", nothing).returncode == 3


def test_the_worst_verdict_wins_and_skip_does_not_count() -> None:
    passed, failed, unknown, skipped = Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, Verdict.SKIP
    assert overall([passed, skipped]) is passed
    assert overall([passed, unknown]) is unknown
    assert overall([unknown, failed, passed]) is failed
    assert overall([skipped]) is unknown
    assert overall([]) is unknown
    assert {passed: 0, failed: 1, unknown: 3, skipped: 3} == EXIT_CODES
