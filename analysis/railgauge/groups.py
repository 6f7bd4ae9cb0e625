# SPDX-License-Identifier: Apache-2.0
"""Groups of a split: which split a case has, whether its groups work together, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from railgauge.model import Case, Rank
from railgauge.text import shorten

NO_SPLIT = "none"
NAME_LIMIT = 64
_PREFIXES = {"rail": "rail", "local-index": "local", "pair": "pair"}


class Manner(StrEnum):
    """How the groups of a split work: all at once, or one while the others rest."""

    TOGETHER = "together"
    ALONE = "alone"


def split_of(case: Case) -> str:
    """Return the split of a case; ``none`` where it has none, or the run is from before splits."""
    split = case.variables.get("split")
    return split if isinstance(split, str) and split else NO_SPLIT


def is_split(case: Case) -> bool:
    """Tell whether the ranks of a case work in groups, each for itself."""
    return split_of(case) != NO_SPLIT


def manner_of(case: Case) -> Manner:
    """Tell whether all groups of a case work, or one alone."""
    active = case.variables.get("active")
    named = isinstance(active, str) and active not in ("", Manner.TOGETHER)
    return Manner.ALONE if named else Manner.TOGETHER


def group_name(split: str, number: int, ranks: Sequence[Rank]) -> str:
    """Return the name of a group for a person, at most `NAME_LIMIT` characters.

    Groups by node have the host's name (with the node's number where several nodes share it),
    those by rail, local index and pair are ``rail2``, ``local0`` and ``pair5``. A node that
    ``/ranks`` does not have is ``node7``; a split that is not known here gives its own name and
    the number; without a split there is no name.
    """
    if split == NO_SPLIT:
        return ""
    if split != "node":
        return f"{_PREFIXES.get(split, shorten(split, 24))}{number}"
    host = next((r.host for r in ranks if r.node == number), "")
    if not host:
        return f"node{number}"
    end = f"#{number}" if any(r.host == host and r.node != number for r in ranks) else ""
    return shorten(host, NAME_LIMIT - len(end)) + end
