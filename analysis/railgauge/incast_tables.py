# SPDX-License-Identifier: Apache-2.0
"""Flat rows of runs of ``railgauge-incast``: a row per case and receiver, and one per sender."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from statistics import median_low

from railgauge.case_counters import RunCounters
from railgauge.congestion_names import Signal
from railgauge.errors import RailgaugeError
from railgauge.incast import Congestion
from railgauge.incast_class import (
    Classification,
    Evidence,
    Fairness,
    Load,
    classify,
    devices_at_work,
    evidence_of,
)
from railgauge.incast_latency import Latency
from railgauge.incast_results import IncastResult, ReceiverResult, SenderResult, iterate_incast
from railgauge.incast_sets import Triple, triples
from railgauge.incast_shares import SLICE_NS
from railgauge.incast_victims import Factors
from railgauge.load import Run
from railgauge.model import Case
from railgauge.rows import Row, plain

VARIABLES = (
    *("verb", "receivers", "receiver_ranks", "spread", "senders", "queues", "bytes", "depth"),
    *("ramp", "victim", "victim_ranks", "victim_bytes", "congestion", "rows_per_second"),
    *("matching", "warmup_ns", "duration_ns"),
)
COUNTS = (
    *("senders", "queues", "bytes", "depth", "victim_bytes", "rows_per_second", "warmup_ns"),
    *("duration_ns", "receiver", "receiver_rail", "slices", "starved_slices", "latency_rows"),
    *("requests", "victim_rows", "sender", "sender_rail", "sent_bytes", "rows"),
    *("marks", "pauses", "waits", "drops", "rdma_error_count", "priority_0_bytes"),
)
"""Columns of whole numbers."""

NUMBERS = (
    *("aggregate_Gbit_s", "line_Gbit_s", "percent_of_line", "jain", "lowest_share"),
    *("median_share", "highest_share", "from_ms", "slice_ms", "rows_per_slice"),
    *("jain_slices_median", "jain_slices_p5", "jain_slices_lowest", "longest_gap_ms"),
    *("drain_ms", "median_us", "p95_us", "p99_us", "p99_9_us", "max_us"),
    *("victim_average_us", "victim_median_us", "victim_p99_us", "victim_max_us"),
    *("average_factor", "average_factor_low", "average_factor_high"),
    *("p99_factor", "p99_factor_low", "p99_factor_high", "aggregate_change_percent"),
    *("rate_Gbit_s", "share", "longest_us"),
)
"""Columns of other numbers."""

_SIGNAL_COLUMNS = {
    "marks": Signal.MARK,
    "pauses": Signal.PAUSE,
    "waits": Signal.WAIT,
    "drops": Signal.DROP,
    "rdma_error_count": Signal.ERROR,
}


class IncastTables:
    """All results of a run of incasts, joined and classified; what its outputs are made of.

    Attributes
    ----------
    results : list of IncastResult
    triples : list of Triple
        Of the measured cases.
    counters : RunCounters
    """

    def __init__(self, run: Run, slice_ns: int = SLICE_NS) -> None:
        self._run = run
        self.counters = RunCounters(run)
        self.hosts = {r.node: r.host for r in run.ranks}
        self.results = list(iterate_incast(run, slice_ns))
        self.triples = triples(self.results)
        self._triple_of = {r.case.id: t for t in self.triples for r in t.parts.values()}
        self._evidence: dict[int, Evidence] = {}

    def triple_of(self, case: Case) -> Triple | None:
        """Return the measurement that a case is a part of."""
        return self._triple_of.get(case.id)

    def sender_text(self, sender: SenderResult) -> str:
        """``n3 rank 5 rail 1``."""
        return rank_text(self._run, sender.rank, sender.rail)

    def named(self, receiver: ReceiverResult) -> list[str]:
        """Return senders far below the fair share: ``n3 rank 5 rail 1: 0.51 of the fair share``."""
        return [f"{self.sender_text(s)}: {s.share:.2f} of the fair share" for s in receiver.named]

    def evidence(self, result: IncastResult) -> Evidence:
        """Return what the counters of a measured case say."""
        found = self._evidence.get(result.case.id)
        if found is None:
            found = self._evidence[result.case.id] = _evidence(self._run, result, self.hosts)
        return found

    def classification(self, result: IncastResult) -> Classification | None:
        """Classify a case; None where no incast was measured in it."""
        if not result.receivers:
            return None
        fairness = Fairness(
            jain=min(r.jain for r in result.receivers),
            named=tuple(text for r in result.receivers for text in self.named(r)),
            tells=all(r.tells for r in result.receivers),
        )
        return classify(self.evidence(result), fairness, _load(self._run, result), self.hosts)

    def rows(self, result: IncastResult) -> Iterator[Row]:
        """Yield a row per receiver of a case; one without receiver where none was at work."""
        about = _about(result)
        victim = _victim_row(result, self.triple_of(result.case))
        end = self._end(result)
        for number, receiver in enumerate(result.receivers or (None,)):
            yield about | self._receiver_row(receiver) | victim | self._change(result, number) | end

    def sender_rows(self, result: IncastResult) -> Iterator[Row]:
        """Yield a row per receiver and sender of a case."""
        for receiver in result.receivers:
            for sender in receiver.senders:
                place = self._run.ranks[sender.rank]
                yield {
                    **_about(result),
                    **_place(self._run, receiver.receiver),
                    "sender": sender.rank,
                    "sender_host": place.host,
                    "sender_nic": place.nic,
                    "sender_rail": sender.rail if sender.rail >= 0 else None,
                    "sent_bytes": sender.bytes,
                    "requests": sender.requests,
                    "rows": sender.rows,
                    "rate_Gbit_s": sender.gbit_per_s,
                    "share": plain(sender.share),
                    "named": "yes" if sender in receiver.named else "",
                    "starved_slices": sender.starved_slices,
                    "longest_gap_ms": sender.longest_gap_ns / 1e6,
                    "longest_us": sender.longest_ns / 1e3,
                }

    def _receiver_row(self, receiver: ReceiverResult | None) -> Row:
        if receiver is None:
            return dict.fromkeys((*_PLACE_COLUMNS, *_RECEIVER_COLUMNS))
        parts = [s.share for s in receiver.senders]
        line, fair = receiver.line_gbit_per_s, receiver.slices
        values: tuple[str | int | float | None, ...] = (
            receiver.gbit_per_s,
            line,
            100 * receiver.gbit_per_s / line if line else None,
            receiver.jain,
            min(parts),
            median_low(parts),
            max(parts),
            "; ".join(self.named(receiver)),
            receiver.plan.begin_ns / 1e6,
            receiver.plan.width_ns / 1e6,
            fair.slices,
            fair.rows_per_slice,
            fair.jain_median,
            fair.jain_p5,
            fair.jain_lowest,
            sum(fair.starved),
            max(s.longest_gap_ns for s in receiver.senders) / 1e6,
            receiver.drain_ns / 1e6,
        )
        row = dict(zip(_RECEIVER_COLUMNS, values, strict=False))
        row |= _latency_row(receiver.latency)
        return _place(self._run, receiver.receiver) | {n: plain(v) for n, v in row.items()}

    def _change(self, result: IncastResult, number: int) -> Row:
        triple = self.triple_of(result.case)
        known = triple is not None and result.setup is not None and number < len(triple.change)
        beside = known and result.setup and result.setup.congestion is Congestion.CONGESTED
        value = 100 * triple.change[number] if triple and beside else None
        return {"aggregate_change_percent": value}

    def _end(self, result: IncastResult) -> Row:
        found = self.classification(result)
        row: Row = {
            "class": found.text if found else None,
            "why": found.why if found else None,
            **self._signals(result),
            "checked_elements": result.case.checked_elements,
            "wrong_elements": result.case.wrong_elements,
        }
        return row | self.counters.row(result.case)

    def _signals(self, result: IncastResult) -> Row:
        """Return how far counters of each kind moved; None where nothing of the kind is known.

        With them what the nodes at work received in priority 0, B.
        """
        row: Row = dict.fromkeys((*_SIGNAL_COLUMNS, "priority_0_bytes"))
        if not result.receivers:
            return row
        evidence = self.evidence(result)
        for name, signal in _SIGNAL_COLUMNS.items():
            if signal in evidence.watched and not evidence.unknown([signal]):
                row[name] = sum(t.change.delta or 0 for t in evidence.moved([signal]))
        if evidence.priority_0:
            row["priority_0_bytes"] = sum(evidence.priority_0.values())
        return row


def rank_text(run: Run, rank: int, rail: int) -> str:
    """``n3 rank 5 rail 1``, without a rail where there is none."""
    end = f" rail {rail}" if rail >= 0 else ""
    return f"{run.ranks[rank].host} rank {rank}{end}"


def receiver_text(run: Run, rank: int) -> str:
    """Name a receiver as senders are named."""
    return rank_text(run, rank, run.ranks[rank].rail)


def is_judged(result: IncastResult) -> bool:
    """Tell whether a case is an incast: several senders into a receiver were at work."""
    return any(len(r.senders) > 1 for r in result.receivers)


def _evidence(run: Run, result: IncastResult, hosts: Mapping[int, str]) -> Evidence:
    ranks = [run.ranks[r] for r in (result.setup.ranks if result.setup else ())]
    facts = {n.node: n.facts for n in run.nodes}
    devices = devices_at_work(((r.node, r.nic) for r in ranks), facts)
    try:
        rows = run.counters(result.case) if run.has(result.case, "counters") else []
    except RailgaugeError as error:
        return Evidence(blind=(str(error),))
    return evidence_of(rows, devices, result.case.backend, hosts)


def _load(run: Run, result: IncastResult) -> Load:
    received: dict[int, int] = {}
    for receiver in result.receivers:
        node = run.ranks[receiver.receiver].node
        received[node] = received.get(node, 0) + receiver.bytes
    return Load(received, traffic_class_of(run, result.case))


def traffic_class_of(run: Run, case: Case) -> int | None:
    """Return the traffic class that a case was to have, from its row or else the command line."""
    value = case.variables.get("traffic_class")
    if isinstance(value, int):
        return value if value >= 0 else None
    words = [*run.info.argv, ""]
    for word, following in pairwise(words):
        name, equals, text = word.partition("=")
        if name == "--traffic-class":
            text = text if equals else following
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else None
    return None


def _about(result: IncastResult) -> Row:
    case = result.case
    fixed: Row = {
        "case": case.id,
        "name": case.name,
        "status": str(case.status),
        "reason": case.reason or result.problem,
        "operation": case.operation,
        "backend": case.backend,
        "memory": case.memory,
    }
    return fixed | {n: plain(case.variables.get(n)) for n in VARIABLES}


_PLACE_COLUMNS = ("receiver", "receiver_host", "receiver_rail")


def _place(run: Run, rank: int) -> Row:
    place = run.ranks[rank]
    rail = place.rail if place.rail >= 0 else None
    return dict(zip(_PLACE_COLUMNS, (rank, place.host, rail), strict=True))


_LATENCY_COLUMNS = (
    *("latency_rows", "requests", "median_us", "p95_us", "p99_us", "p99_9_us", "max_us"),
)
_RECEIVER_COLUMNS = (
    *("aggregate_Gbit_s", "line_Gbit_s", "percent_of_line", "jain"),
    *("lowest_share", "median_share", "highest_share", "named", "from_ms", "slice_ms", "slices"),
    *("rows_per_slice", "jain_slices_median", "jain_slices_p5", "jain_slices_lowest"),
    *("starved_slices", "longest_gap_ms", "drain_ms"),
    *_LATENCY_COLUMNS,
)


def _latency_row(latency: Latency | None) -> Row:
    if latency is None:
        return dict.fromkeys(_LATENCY_COLUMNS)
    shown = [latency.shown(p) for p in (0.5, 0.95, 0.99, 0.999)]
    times = [None if t is None else t / 1e3 for t in (*shown, latency.maximum)]
    return dict(zip(_LATENCY_COLUMNS, (latency.rows, latency.requests, *times), strict=True))


_VICTIM_COLUMNS = (
    *("victim_rows", "victim_average_us", "victim_median_us", "victim_p99_us", "victim_max_us"),
)
_FACTOR_COLUMNS = (
    *("average_factor", "average_factor_low", "average_factor_high"),
    *("p99_factor", "p99_factor_low", "p99_factor_high"),
)


def _victim_row(result: IncastResult, triple: Triple | None) -> Row:
    row: Row = dict.fromkeys((*_VICTIM_COLUMNS, *_FACTOR_COLUMNS))
    if result.victim is not None:
        latency = result.victim.latency
        times = [latency.mean, latency.shown(0.5), latency.shown(0.99), latency.maximum]
        shown = [None if t is None else t / 1e3 for t in times]
        row |= zip(_VICTIM_COLUMNS, (latency.rows, *shown), strict=True)
    congested = result.setup is not None and result.setup.congestion is Congestion.CONGESTED
    if congested and triple is not None and triple.factors is not None:
        row |= zip(_FACTOR_COLUMNS, factor_values(triple.factors), strict=True)
    return row


def factor_values(found: Factors) -> list[float | None]:
    """Return value, low and high of the average's factor, then of the 99th percentile's."""
    several = [v for f in (found.average, found.tail) for v in (f.value, f.low, f.high)]
    return [None if v != v else v for v in several]


def class_json(found: Classification | None) -> dict[str, str]:
    """Return the classes of a case with their reasons."""
    return {} if found is None else {str(c): why for c, why in found.reasons.items()}
