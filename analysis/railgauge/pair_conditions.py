# SPDX-License-Identifier: Apache-2.0
"""What cases have in common when their pairs are compared: all variables but the choice of pairs.

Cases of different memory, verb, number of queue pairs or depth are never joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from railgauge.model import Case
from railgauge.pair_setup import (
    LATENCY,
    OUTSIDE,
    READ,
    integer_of,
    queues_of,
    served_host_of,
    verb_of,
)
from railgauge.pairs import NODE_PATTERNS
from railgauge.text import plural, size_label

ALONE = "alone"
"""`Condition.rails` where each rail was measured by itself."""

_ONE_WAY = "one way"
_DIRECTIONS = {"both": "both ways at once", "forward": _ONE_WAY, "backward": _ONE_WAY}


class Condition(NamedTuple):
    """What the cases of a set have in common: all variables but those that choose the pairs.

    ``direction`` joins forward and backward as one way, for together they measure every pair.
    """

    operation: str
    backend: str
    memory: str
    pattern: str
    direction: str
    verb: str
    bytes: int
    depth: int
    queues: int
    signal_interval: int
    rails: str
    plane: str
    served_host: str

    @property
    def is_latency(self) -> bool:
        """True when the numbers are latencies in us, else they are Gbit/s."""
        return self.operation == LATENCY

    @property
    def is_read(self) -> bool:
        """True when payload flows towards the rank that times it."""
        return self.verb == READ

    @property
    def unit(self) -> str:
        """Unit of the numbers."""
        return "us" if self.is_latency else "Gb/s"

    def names(self, nodes: Mapping[int, str]) -> dict[int, str]:
        """Return the hosts of all nodes and of the one outside the job, by number."""
        return {**nodes, OUTSIDE: self.served_host} if self.served_host else dict(nodes)


def condition_of(case: Case) -> Condition:
    """Return the condition under which a case was measured."""
    text = {n: str(case.variables.get(n, "")) for n in ("pattern", "direction", "rails", "plane")}
    several = "," in text["rails"] or text["rails"] in ("", "none")
    return Condition(
        case.operation,
        case.backend,
        case.memory,
        text["pattern"],
        _DIRECTIONS.get(text["direction"], text["direction"]),
        verb_of(case),
        integer_of(case, "bytes"),
        integer_of(case, "depth"),
        queues_of(case),
        integer_of(case, "signal_interval"),
        text["rails"] if several else ALONE,
        text["plane"],
        served_host_of(case),
    )


def condition_labels(conditions: Sequence[Condition], *, with_size: bool = True) -> list[str]:
    """Describe conditions by size, depth, and whatever else is not the same in all of them."""
    always = {"operation", "depth"} | ({"bytes"} if with_size else set())
    always |= {"pattern"} if all(c.pattern in NODE_PATTERNS for c in conditions) else set()
    told = [
        n for n in Condition._fields if n in always or len({getattr(c, n) for c in conditions}) > 1
    ]
    if _follows_depth(conditions) and "signal_interval" in told:
        told.remove("signal_interval")
    return [" · ".join(_words(c, told)) for c in conditions]


def _follows_depth(conditions: Sequence[Condition]) -> bool:
    """Tell whether the depth says the interval of signals, as it does where nobody chose one."""
    depths = {(c.operation, c.depth) for c in conditions}
    return len({(c.operation, c.depth, c.signal_interval) for c in conditions}) == len(depths)


def _words(condition: Condition, told: Sequence[str]) -> Iterator[str]:
    for name in told:
        value = getattr(condition, name)
        if name == "bytes":
            yield size_label(value)
        elif name == "depth":
            if not condition.is_latency:
                yield f"depth {value}"
        elif name == "queues":
            yield plural(value, "QP")
        elif name == "signal_interval":
            yield f"a signal each {value}"
        elif name == "served_host":
            yield f"with {value}" if value else "within the job"
        elif name == "rails":
            yield "each rail alone" if value == ALONE else f"rails {value}"
        elif name == "plane":
            yield f"plane {value}" if value else "no plane"
        elif not (name == "direction" and condition.is_latency):
            yield value


def latency_title(conditions: Iterable[Condition]) -> str:
    """Say what the latencies of some conditions are: half round trips, reads, or both."""
    reads = {c.is_read for c in conditions if c.is_latency}
    if reads == {True}:
        return "time of a read (us)"
    return "latency (us)" if True in reads else "half round trip (us)"
