# SPDX-License-Identifier: Apache-2.0
"""Rails by affinity, on nodes whose sysfs says what hardware would say."""

from __future__ import annotations

from pathlib import Path

import pytest
from pairs_runs import read, run_pairs
from virtual_cluster import Launch

pytestmark = pytest.mark.cluster

NODES, RAILS = 3, 2


def test_auto_gives_each_rank_a_rail_of_its_own_and_its_nic_carries_it(
    bring_up, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mgmt0", *(f"rail{rail}" for rail in range(RAILS))):
        device = tmp_path / "sys/class/net" / name / "device"
        device.mkdir(parents=True)
        (device / "numa_node").write_text("0\n")
    monkeypatch.setenv("RAILGAUGE_SYSFS", str(tmp_path / "sys"))
    cluster = bring_up(nodes=NODES, rails=RAILS)
    out = tmp_path / "run.h5"
    arguments = ("--pattern", "all-pairs", "--sizes", "256KiB", "-n", "3")
    done = run_pairs(cluster, out, *arguments, launch=Launch(rail_map="auto"))
    assert done.returncode == 0, done.stderr
    outcome = read(out)
    assert len(outcome.rates) == NODES * (NODES - 1) * RAILS
    assert min(outcome.carried) >= 1
    assert max(outcome.strayed) < 2**18
