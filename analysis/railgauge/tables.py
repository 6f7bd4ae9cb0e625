# SPDX-License-Identifier: Apache-2.0
"""From the columns of a file's tables and texts to the values of `railgauge.model`."""

from __future__ import annotations

import collections
import json
import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from railgauge import hdf5
from railgauge.errors import DamagedRun, RailgaugeError
from railgauge.model import (
    Case,
    Check,
    Counter,
    Expired,
    ExpiredRank,
    Gauge,
    Node,
    Rank,
    RunInfo,
    Scalar,
    Status,
)
from railgauge.text import clean, one_line

SCHEMA_MAJOR = "railgauge/1"
_FACT_LIMIT = 1000
_FACT_LENGTH = 2000
_JSON_ERRORS = (ValueError, RecursionError)  # what json.loads raises

_RANK_FIELDS = {f.name: f.type for f in fields(Rank)}
_CHECK_FIELDS = {f.name: f.type for f in fields(Check)}
_COUNTER_FIELDS = {f.name: f.type for f in fields(Counter)}
_GAUGE_FIELDS = {f.name: f.type for f in fields(Gauge)}
_CASE_FIELDS = {f.name: f.type for f in fields(Case) if f.name != "variables"}


def check_schema(file: Any, what: str) -> str:
    """Return the schema text of a file of this major version; refuse any other.

    Raises
    ------
    RailgaugeError
        No schema attribute, another program's file, or another major.
    """
    schema = hdf5.attribute_text(file, "schema")
    if schema is None:
        raise RailgaugeError(f"{what} is no run file", "no attribute schema", "Check the path.")
    if schema != SCHEMA_MAJOR and not schema.startswith(SCHEMA_MAJOR + "."):
        why = f"its schema is {schema}; this program reads {SCHEMA_MAJOR}"
        raise RailgaugeError(f"{what} cannot be read", why, "Use the railgauge of that schema.")
    return schema


def read_info(file: Any, what: str) -> RunInfo:
    """Read the root attributes of a header or a finished run."""
    schema = check_schema(file, what)

    def text(name: str) -> str:
        return hdf5.attribute_text(file, name) or ""

    return RunInfo(
        schema=schema,
        program=text("program"),
        version=text("version"),
        git_revision=text("git_revision"),
        argv=_argv(text("argv")),
        origin=text("origin"),
        started_utc=text("started_utc"),
        finished_utc=hdf5.attribute_text(file, "finished_utc"),
        clock_unix_ns=hdf5.attribute_int(file, "clock_unix_ns") or 0,
        plan_id=text("plan_id"),
        ranks=hdf5.attribute_int(file, "ranks") or 0,
        nodes=hdf5.attribute_int(file, "nodes") or 0,
    )


def _argv(text: str) -> tuple[str, ...]:
    try:
        words = json.loads(text) if text else []
    except _JSON_ERRORS:
        return (text,)
    return tuple(clean(str(w)) for w in words) if isinstance(words, list) else (text,)


def _rows(columns: hdf5.Columns) -> Iterator[dict[str, Scalar]]:
    lists = [c if isinstance(c, list) else c.tolist() for c in columns.values()]
    for values in zip(*lists, strict=True):
        yield dict(zip(columns, values, strict=True))


def _check_types(columns: hdf5.Columns, types: dict[str, Any], where: str) -> None:
    kinds = {"int": "iu", "float": "fiu"}
    for name, kind in types.items():
        is_text = isinstance(columns[name], list)
        wants_text = kind not in kinds
        if is_text != wants_text or (not is_text and columns[name].dtype.kind not in kinds[kind]):
            raise DamagedRun(f"{where} is damaged", f"column {name} is no {kind}", "Measure again.")


def read_ranks(file: Any, expected: int) -> tuple[Rank, ...]:
    """Read ``/ranks``; rank r must be row r."""
    columns = hdf5.read_table(file, "ranks", set(_RANK_FIELDS))
    _check_types(columns, _RANK_FIELDS, "/ranks")
    ranks = tuple(
        Rank(**{n: row[n] for n in _RANK_FIELDS})  # type: ignore[arg-type]
        for row in _rows(columns)
    )
    if len(ranks) != expected or any(r.rank != i for i, r in enumerate(ranks)):
        why = f"{len(ranks)} rows that are not ranks 0 to {expected - 1} in order"
        raise DamagedRun("/ranks is damaged", why, "Measure again.")
    return ranks


def read_cases(file: Any) -> list[Case]:
    """Read ``/cases`` in file order; ids and names must be unique."""
    columns = hdf5.read_table(file, "cases", set(_CASE_FIELDS))
    _check_types(columns, _CASE_FIELDS, "/cases")
    cases = [_case(row) for row in _rows(columns)]
    for what, values in (("id", [c.id for c in cases]), ("name", [c.name for c in cases])):
        value, count = collections.Counter(values).most_common(1)[0] if values else (None, 1)
        if count > 1:
            raise DamagedRun("/cases is damaged", f"{what} {value} occurs {count} times", "")
    if any(c.id < 0 for c in cases):
        raise DamagedRun("/cases is damaged", "a case id is negative", "Measure again.")
    return cases


def _case(row: dict[str, Scalar]) -> Case:
    known: dict[str, Any] = {n: row.pop(n) for n in _CASE_FIELDS}
    try:
        known["status"] = Status(known["status"])
    except ValueError as error:
        raise DamagedRun("/cases is damaged", f"status {known['status']!r}", "") from error
    if known["ops_per_sample"] < 1:
        raise DamagedRun("/cases is damaged", "ops_per_sample is 0", "Measure again.")
    if not math.isfinite(known["bus_factor"]) or known["bus_factor"] < 0:
        known["bus_factor"] = math.nan
    return Case(**known, variables=row)


def read_checks(parent: Any, name: str, ranks: int) -> list[Check]:
    """Read what each rank verified in a case.

    Raises
    ------
    DamagedRun
        The table is missing, not that of the schema, or not of so many ranks.
    """
    columns = hdf5.read_table(parent, name, set(_CHECK_FIELDS))
    _check_types(columns, _CHECK_FIELDS, f"/checks/{name}")
    checks = [
        Check(**{n: row[n] for n in _CHECK_FIELDS})  # type: ignore[arg-type]
        for row in _rows(columns)
    ]
    if len(checks) != ranks:
        raise DamagedRun(f"/checks/{name} has {len(checks)} rows for {ranks} ranks", "", "")
    return checks


def read_counters(parent: Any, name: str) -> list[Counter]:
    """Read a case's table of counters.

    Raises
    ------
    DamagedRun
        The table is missing or not that of the schema.
    """
    columns = hdf5.read_table(parent, name, set(_COUNTER_FIELDS))
    _check_types(columns, _COUNTER_FIELDS, f"/counters/{name}")
    return [
        Counter(**{n: row[n] for n in _COUNTER_FIELDS})  # type: ignore[arg-type]
        for row in _rows(columns)
    ]


def read_gauges(parent: Any, name: str) -> list[Gauge]:
    """Read a case's table of series.

    Raises
    ------
    DamagedRun
        The table is missing or not that of the schema.
    """
    columns = hdf5.read_table(parent, name, set(_GAUGE_FIELDS))
    _check_types(columns, _GAUGE_FIELDS, f"/series/{name}")
    return [
        Gauge(**{n: row[n] for n in _GAUGE_FIELDS})  # type: ignore[arg-type]
        for row in _rows(columns)
    ]


def read_nodes(file: Any, problems: list[str]) -> list[Node]:
    """Read ``/nodes`` ordered by node; a node whose facts are unreadable is kept without them."""
    if hdf5.member(file, "nodes") is None:
        return []
    parent = hdf5.group(file, "nodes")
    nodes = []
    for name in hdf5.names(parent):
        host = clean(name).replace("%2F", "/")
        number, facts = -1, "{}"
        try:
            entry = hdf5.group(parent, name)
            stored = hdf5.attribute_int(entry, "node")
            number = -1 if stored is None else stored
            facts = hdf5.read_text(entry, "facts") or facts
            nodes.append(Node(host, number, flatten(facts)))
        except (RailgaugeError, *_JSON_ERRORS) as error:
            problems.append(one_line(f"facts of node {host} are unreadable: {error}"))
            nodes.append(Node(host, number, {}))
    return sorted(nodes, key=lambda n: (n.node, n.host))


def flatten(text: str) -> dict[str, str]:
    """Flatten a JSON object, lists of objects too, to dotted names and cleaned, short texts."""
    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError("facts are no JSON object")
    flat: dict[str, str] = {}
    pending = list(reversed(parsed.items()))
    while pending and len(flat) < _FACT_LIMIT:
        name, value = pending.pop()
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            value = {str(i): v for i, v in enumerate(value)}
        if isinstance(value, dict) and value:
            pending.extend((f"{name}.{k}", v) for k, v in reversed(value.items()))
        else:
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            flat[one_line(name, 200)] = one_line(shown, _FACT_LENGTH)
    return flat


def parse_expired(raw: str) -> Expired:
    """Parse ``expired.json``.

    Raises
    ------
    DamagedRun
        It is not the JSON object of the schema.
    """
    try:
        document = json.loads(raw)
        ranks = tuple(
            ExpiredRank(
                int(r["rank"]),
                one_line(str(r.get("host", ""))),
                one_line(str(r.get("phase", "")), 80),
                one_line(str(r.get("state", "")), 80),
                one_line(str(r.get("sequence", "")), 80),
            )
            for r in document.get("ranks", [])
        )
        plan_id = clean(str(document.get("plan_id", "")))
        return Expired(int(document["case"]), one_line(str(document["text"])), ranks, plan_id, raw)
    except (*_JSON_ERRORS, AttributeError, KeyError, OverflowError, TypeError) as error:
        raise DamagedRun("expired.json is damaged", str(error), "") from error
