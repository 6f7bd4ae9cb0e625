# SPDX-License-Identifier: Apache-2.0
"""How the messages of a case of pairs move: verb, queue pairs, and who times them. Pure.

Runs that were made before these columns existed have the defaults. A reader takes the peer's
memory, so a read flows from the peer to the rank that times it; and it is a round trip by itself,
so that its latency is all of the time, where that of a message is half of the time there and back.
"""

from __future__ import annotations

from railgauge.errors import DamagedRun
from railgauge.model import Case

LATENCY = "latency"
BIPARTITE = "bipartite"
SERVED = "served"
READ = "read"
VERBS = ("send", "write", READ)
OUTSIDE = -1
"""Number of the node outside the job that a pair of the pattern `SERVED` ends at."""

_QUEUES_LIMIT = 1 << 24
"""Numbers of queue pairs have 24 bits."""


def verb_of(case: Case) -> str:
    """Return ``send``, ``write`` or ``read``, or whatever the file says instead."""
    return str(case.variables.get("verb") or VERBS[0])


def queues_of(case: Case) -> int:
    """Return the number of queue pairs that carry data; 0 where the file has no whole number."""
    return integer_of(case, "queues", 1)


def integer_of(case: Case, name: str, default: int = 0) -> int:
    """Return a variable that is a whole number: the default without it, 0 where it is none."""
    value = case.variables.get(name, default)
    return value if isinstance(value, int) else 0


def is_read(case: Case) -> bool:
    """Tell whether payload flows towards the rank that times it."""
    return verb_of(case) == READ


def is_served(case: Case) -> bool:
    """Tell whether the peers are outside the job."""
    return case.variables.get("pattern") == SERVED


def served_host_of(case: Case) -> str:
    """Return the host outside the job; empty for other patterns."""
    if not is_served(case):
        return ""
    return str(case.variables.get("served_host") or "host outside the job")


def times_per_sample(case: Case) -> int:
    """Return by what a sample's time is divided for one operation.

    A latency is half of a message there and back, and all of a read.
    """
    halves = case.operation == LATENCY and not is_read(case)
    return case.ops_per_sample * (2 if halves else 1)


def require_setup(case: Case) -> None:
    """Refuse a case of which nobody knows what it measured.

    Raises
    ------
    DamagedRun
        Its verb is none, or its number of queue pairs is impossible.
    """
    why = ""
    if verb_of(case) not in VERBS:
        why = f"verb {verb_of(case)!r:.60} is none of {', '.join(VERBS)}"
    elif not 0 < queues_of(case) < _QUEUES_LIMIT:
        why = f"queues is {case.variables.get('queues')!r:.60}, not 1 to {_QUEUES_LIMIT - 1}"
    if why:
        raise DamagedRun("the row of the case is damaged", why, "Measure again.")
