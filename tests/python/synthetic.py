# SPDX-License-Identifier: Apache-2.0
"""Writes runs that follow docs/run-file.md to the letter, with contents the tests know.

plan = sweep(["all_reduce"], [8, 1024], iterations=100)
write_run(path, plan)                     # <out>
write_parts(path, plan, finished=3)       # <out>.parts/, as an interruption leaves it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import railgauge.hdf5  # noqa: F401 - sets HDF5's environment before h5py is imported

import h5py  # isort: skip
import numpy as np
from numpy.typing import NDArray
from synthetic_tables import table, text_type, write_scalar_text

Int64s = NDArray[np.int64]
SampleMaker = Callable[["CaseSpec", int, int], tuple[Int64s, Int64s]]

BUS_FACTORS = {
    "all_reduce": lambda n: 2 * (n - 1) / n,
    "all_gather": lambda n: (n - 1) / n,
    "reduce_scatter": lambda n: (n - 1) / n,
    "alltoall": lambda n: (n - 1) / n,
    "broadcast": lambda n: 1.0,
    "reduce": lambda n: 1.0,
}
ELEMENT_BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "bytes": 1}
COLUMNS = ("start_ns", "elapsed_ns", "bytes")


@dataclass
class CaseSpec:
    """One planned case and what its file will say."""

    id: int
    operation: str = "all_reduce"
    bytes: int = 1024
    dtype: str = "float32"
    redop: str = "sum"
    place: str = "out"
    root: int = -1
    status: str = "done"
    reason: str = ""
    checked: int = 4096
    wrong: int = 0
    iterations: int = 20
    ops_per_sample: int = 1
    group: list[int] | None = None
    samples: SampleMaker | None = None
    backend: str = "mpi"
    extra_columns: dict[str, tuple[str, Any]] = field(default_factory=dict)
    variables: dict[str, str | int | float] = field(default_factory=dict)
    suffix: str = ""

    @property
    def name(self) -> str:
        parts = (
            self.operation,
            self.backend,
            "host",
            self.dtype,
            self.redop,
            self.place,
        )
        return "/".join((*parts, str(self.bytes))) + self.suffix

    def active_ranks(self, ranks: int) -> int:
        return ranks if self.group is None else sum(g >= 0 for g in self.group)


@dataclass
class Plan:
    """A run: its root attributes, its ranks and nodes, and its cases."""

    cases: list[CaseSpec]
    hosts: list[str] = field(default_factory=lambda: ["n1", "n1", "n2", "n2"])
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    clock_error_ns: dict[str, int] = field(default_factory=dict)
    origin: str = "hardware"
    finished: bool = True
    site: str | None = None
    expired: dict[str, Any] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    plan_id: str = "0123456789abcdef"
    program: str = "railgauge-collective"
    nics: list[str] | None = None
    rails: list[int] | None = None
    gpus: list[str] | None = None

    @property
    def ranks(self) -> int:
        return len(self.hosts)

    @property
    def nodes(self) -> list[str]:
        return list(dict.fromkeys(self.hosts))


def sweep(
    operations: Iterable[str],
    sizes: Iterable[int],
    dtypes: Iterable[str] = ("float32",),
    **changes: Any,
) -> list[CaseSpec]:
    """Cases of the cross product, in the order of a rank program."""
    cases = []
    for operation in operations:
        for dtype in dtypes:
            for size in sizes:
                redop = "sum" if "reduce" in operation else "-"
                root = 0 if operation in ("broadcast", "reduce") else -1
                spec = CaseSpec(len(cases), operation, size, dtype, redop, root=root)
                cases.append(replace(spec, **changes))
    return cases


def known_samples(spec: CaseSpec, rank: int, ranks: int) -> tuple[Int64s, Int64s]:
    """Back-to-back iterations: a fixed latency per size, log-normal noise, ranks 2 and 3 late."""
    shared = np.random.default_rng(spec.id + 1)
    latency_ns = (5_000 + spec.bytes / 10.0) * (1.3 if spec.operation != "all_reduce" else 1.0)
    elapsed = latency_ns * shared.lognormal(0.0, 0.08, spec.iterations)
    outliers = shared.random(spec.iterations) < 0.004
    elapsed[outliers] *= 8
    entry = np.concatenate(([0.0], np.cumsum(elapsed * 1.1)[:-1])) + 1_000_000 * spec.id
    own = np.random.default_rng([spec.id + 1, rank])
    late_ns = {2: 2_500, 3: spec.bytes // 400}.get(rank, 0)
    entry += own.integers(0, 300, spec.iterations) + late_ns
    leave = np.cumsum(elapsed * 1.1) + 1_000_000 * spec.id + own.integers(0, 200, spec.iterations)
    start = entry.astype(np.int64)
    return start, np.maximum(leave.astype(np.int64) - start, 1)


# --- tables -------------------------------------------------------------------------------------


def ranks_table(plan: Plan) -> NDArray[Any]:
    hosts, n = plan.hosts, plan.ranks
    nodes = [plan.nodes.index(h) for h in hosts]
    local = [hosts[:r].count(h) for r, h in enumerate(hosts)]
    return table(
        {
            "rank": ("i4", list(range(n))),
            "node": ("i4", nodes),
            "local_rank": ("i4", local),
            "host": (str, hosts),
            "gpu_index": ("i4", [-1] * n),
            "gpu_uuid": (str, plan.gpus or [""] * n),
            "gpu_pci": (str, [""] * n),
            "nic": (str, plan.nics or ["eth0"] * n),
            "rail": ("i4", plan.rails or [-1] * n),
            "numa": ("i4", [0] * n),
            "cpus": (str, [str(r) for r in range(n)]),
            "clock_offset_ns": ("i8", [0] * n),
            "clock_error_ns": ("i8", [plan.clock_error_ns.get(h, 0) for h in hosts]),
        }
    )


def cases_table(plan: Plan, cases: list[CaseSpec], planned: bool = False) -> NDArray[Any]:
    ranks = plan.ranks
    status = ["planned" if planned else c.status for c in cases]
    ran = [s not in ("planned", "skipped") for s in status]

    def if_ran(values: list[int]) -> list[int]:
        return [v if r else 0 for v, r in zip(values, ran, strict=True)]

    group_ranks = [c.group.count(max(c.group)) if c.group else ranks for c in cases]
    factors = [
        BUS_FACTORS[c.operation](n) if c.operation in BUS_FACTORS else np.nan
        for c, n in zip(cases, group_ranks, strict=True)
    ]
    return table(
        {
            "id": ("i4", [c.id for c in cases]),
            "name": (str, [c.name for c in cases]),
            "status": (str, status),
            "reason": (str, ["" if planned else c.reason for c in cases]),
            "checked_elements": ("u8", if_ran([c.checked for c in cases])),
            "wrong_elements": ("u8", if_ran([c.wrong for c in cases])),
            "samples": ("u8", if_ran([c.iterations * c.active_ranks(ranks) for c in cases])),
            "started_ns": ("i8", if_ran([1_000_000 * c.id for c in cases])),
            "wall_ns": ("i8", if_ran([900_000 for _ in cases])),
            "clock_error_ns": (
                "i8",
                if_ran([max(plan.clock_error_ns.values(), default=0)] * len(cases)),
            ),
            "ops_per_sample": ("u8", [c.ops_per_sample for c in cases]),
            "algbw_bytes": ("u8", [c.bytes for c in cases]),
            "bus_factor": ("f8", factors),
            "benchmark": (str, ["collective"] * len(cases)),
            "operation": (str, [c.operation for c in cases]),
            "backend": (str, [c.backend for c in cases]),
            "memory": (str, ["host"] * len(cases)),
            "dtype": (str, [c.dtype for c in cases]),
            "redop": (str, [c.redop for c in cases]),
            "root": ("i8", [c.root for c in cases]),
            "place": (str, [c.place for c in cases]),
            "bytes": ("i8", [c.bytes for c in cases]),
            "count": ("i8", [c.bytes // ELEMENT_BYTES.get(c.dtype, 1) for c in cases]),
            "group_ranks": ("i8", group_ranks),
            "mode": (
                str,
                ["batched" if c.ops_per_sample > 1 else "per-iteration" for c in cases],
            ),
            "start": (str, ["free"] * len(cases)),
            "stop": (str, ["fixed"] * len(cases)),
            "warmup": ("i8", [5] * len(cases)),
            **extra_variables(cases),
        }
    )


def extra_variables(cases: list[CaseSpec]) -> dict[str, tuple[Any, list[Any]]]:
    """Columns of `CaseSpec.variables`, which all cases of a run must have."""
    kinds = {str: str, int: "i8", float: "f8"}
    first = cases[0].variables if cases else {}
    return {n: (kinds[type(v)], [c.variables[n] for c in cases]) for n, v in first.items()}


# --- files --------------------------------------------------------------------------------------


def write_root(file: Any, plan: Plan, finished: bool) -> None:
    texts = {
        "schema": "railgauge/1",
        "program": plan.program,
        "version": "0.1.0",
        "git_revision": "unknown",
        "argv": json.dumps([plan.program, "--op", "all_reduce"]),
        "origin": plan.origin,
        "started_utc": "2026-03-01T09:00:00Z",
        "plan_id": plan.plan_id,
    }
    if finished:
        texts["finished_utc"] = "2026-03-01T09:05:00Z"
    for name, text in texts.items():
        file.attrs[name] = np.array(text.encode(), text_type([text]))
    file.attrs["clock_unix_ns"] = np.int64(1_772_355_600_000_000_000)
    file.attrs["ranks"] = np.int32(plan.ranks)
    file.attrs["nodes"] = np.int32(len(plan.nodes))
    for name, value in plan.attributes.items():
        file.attrs[name] = value


def default_facts(host: str) -> dict[str, Any]:
    return {
        "hostname": host,
        "boot_id": f"boot-{host}",
        "kernel": "6.1.0-18-amd64",
        "os": "Debian GNU/Linux 12",
        "cpu_model": "Example CPU 9000",
        "cpus": 64,
        "memory_bytes": 549755813888,
        "mpi_library": "Open MPI v4.1.4",
        "hdf5_version": "1.10.8",
        "environment": {"OMPI_MCA_btl": "tcp,self", "UCX_TLS": "tcp"},
    }


def write_context(file: Any, plan: Plan) -> None:
    file["ranks"] = ranks_table(plan)
    nodes = file.create_group("nodes")
    for number, host in enumerate(plan.nodes):
        entry = nodes.create_group(host.replace("/", "%2F"))
        entry.attrs["node"] = np.int32(number)
        facts = default_facts(host) | plan.facts.get(host, {})
        write_scalar_text(entry, "facts", json.dumps(facts, ensure_ascii=False))
    if plan.site is not None:
        write_scalar_text(file, "site", plan.site)


def constant_column(parent: Any, name: str, value: int, length: int, kind: Any) -> Any:
    """Write a contiguous dataset without storage whose fill value is the constant."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.CONTIGUOUS)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
    plist.set_fill_value(np.array(value, kind))
    space = h5py.h5s.create_simple((length,))
    h5type = h5py.h5t.py_create(np.dtype(kind))
    return h5py.Dataset(h5py.h5d.create(parent.id, name.encode(), h5type, space, plist))


def write_samples(file: Any, spec: CaseSpec, ranks: int) -> None:
    group = spec.group if spec.group is not None else [0] * ranks
    maker = spec.samples or known_samples
    parts = {r: maker(spec, r, ranks) for r in range(ranks) if group[r] >= 0}
    empty = np.zeros(0, np.int64)
    starts = [parts[r][0] if r in parts else empty for r in range(ranks)]
    elapsed = [parts[r][1] if r in parts else empty for r in range(ranks)]
    counts = [s.size for s in starts]
    parent = file.require_group("samples").create_group(f"{spec.id:04d}")
    parent["offsets"] = np.concatenate(([0], np.cumsum(counts))).astype("u8")
    parent["group"] = np.array(group, "i4")
    per_rank = max(counts)
    parent.attrs["blocks"] = np.arange(0, per_rank, max(1, per_rank // 4), dtype="u8")
    parent["start_ns"] = np.concatenate(starts)
    parent["elapsed_ns"] = np.concatenate(elapsed)
    constant_column(parent, "bytes", spec.bytes * spec.ops_per_sample, sum(counts), "u8")
    for name, unit in zip(COLUMNS, ("ns", "ns", "B"), strict=True):
        parent[name].attrs["unit"] = np.bytes_(unit)
    for name, (unit, values) in spec.extra_columns.items():
        parent[name] = values
        parent[name].attrs["unit"] = np.bytes_(unit)


def write_counters(file: Any, spec: CaseSpec) -> None:
    rows = table(
        {
            "node": ("i4", [0]),
            "device": (str, ["eth0"]),
            "port": ("i4", [-1]),
            "source": (str, ["netdev"]),
            "name": (str, ["tx_bytes"]),
            "before": ("u8", [100]),
            "after": ("u8", [200]),
            "status": (str, ["ok"]),
        }
    )
    file.require_group("counters")[f"{spec.id:04d}"] = rows


def write_run(out: Path, plan: Plan) -> Path:
    """Write a finished (or interrupted and packed) run file."""
    with h5py.File(out, "w") as file:
        write_root(file, plan, plan.finished)
        write_context(file, plan)
        file["cases"] = cases_table(plan, plan.cases)
        if plan.expired is not None:
            write_scalar_text(file, "expired", json.dumps(plan.expired))
        for spec in plan.cases:
            if spec.status in ("done", "wrong"):
                write_samples(file, spec, plan.ranks)
                write_counters(file, spec)
    return out


def write_part(path: Path, plan: Plan, spec: CaseSpec) -> Path:
    with h5py.File(path, "w") as file:
        for name, text in (("schema", "railgauge/1"), ("plan_id", plan.plan_id)):
            file.attrs[name] = np.array(text.encode(), text_type([text]))
        file["cases"] = cases_table(plan, [spec])
        if spec.status in ("done", "wrong"):
            write_samples(file, spec, plan.ranks)
            write_counters(file, spec)
    return path


def write_parts(out: Path, plan: Plan, finished: int | None = None) -> Path:
    """Write the parts folder of a run of which the first ``finished`` cases have their part."""
    folder = out.with_name(out.name + ".parts")
    folder.mkdir(parents=True)
    with h5py.File(folder / "header.h5", "w") as file:
        write_root(file, plan, finished=False)
        write_context(file, plan)
        file["cases"] = cases_table(plan, plan.cases, planned=True)
    for spec in plan.cases[:finished]:
        write_part(folder / f"{spec.id:04d}.h5", plan, spec)
    if plan.expired is not None:
        (folder / "expired.json").write_text(json.dumps(plan.expired, ensure_ascii=False))
    return folder


def expired_document(plan: Plan, spec: CaseSpec) -> dict[str, Any]:
    """What rank 0 leaves when a deadline passes in a case: rank 2 never entered."""
    where = f"case {spec.id} {spec.name}, phase timed"
    text = f"deadline of 60 s passed in {where}: rank 2 did not enter"
    states = ["not-entered" if r == 2 else "inside" for r in range(plan.ranks)]
    return {
        "schema": "railgauge/1",
        "plan_id": plan.plan_id,
        "case": spec.id,
        "case_name": spec.name,
        "operation": spec.operation,
        "bytes": spec.bytes,
        "phase": "timed",
        "deadline_s": 60.0,
        "elapsed_s": 60.2,
        "text": text,
        "ranks": [
            {
                "rank": r,
                "host": host,
                "phase": "timed",
                "sequence": 41,
                "state": states[r],
                "cpu_ms": 0,
            }
            for r, host in enumerate(plan.hosts)
        ],
    }
