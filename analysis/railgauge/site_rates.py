# SPDX-License-Identifier: Apache-2.0
"""Nominal rates of ports, from what the site file of a run means (``/site_json``). Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from railgauge.model import Rank

_MOST_GBIT_PER_S = 100_000
"""What docs/site-file.md allows."""


class SiteRates:
    """Rates of the ports of a site; a site that cannot be read gives none.

    Parameters
    ----------
    text : str or None
        ``/site_json`` (docs/site-file.md, "As JSON").
    """

    def __init__(self, text: str | None) -> None:
        self._site = _object(text)

    def of(self, rank: Rank) -> float | None:
        """Return the rate of a rank's port in Gb/s, 1e9 bit/s per direction; None = not known.

        The port is that of the rank's rail or device on its host; where the site does not list the
        host, the rate is its rail's.
        """
        for group in _objects(self._site.get("groups")):
            hosts = group.get("hosts")
            if not isinstance(hosts, list) or not any(same_host(h, rank.host) for h in hosts):
                continue
            for port in _objects(group.get("ports")):
                if _is_port_of(port, rank):
                    return _rate(port)
        if rank.rail < 0:
            return None
        rails = _objects(self._site.get("rails"))
        return next((_rate(r) for r in rails if r.get("index") == rank.rail), None)


def same_host(one: Any, other: str) -> bool:
    """Compare host names in upper or lower case, with a domain on either side or without."""
    if not isinstance(one, str):
        return False
    a, b = one.casefold(), other.casefold()
    return a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")


def _is_port_of(port: dict[str, Any], rank: Rank) -> bool:
    if rank.rail >= 0:
        return port.get("rail") == rank.rail
    return bool(rank.nic) and rank.nic in (port.get("rdma"), port.get("netdev"))


def _rate(found: dict[str, Any]) -> float | None:
    rate = found.get("rate_gbit_per_s")
    if not isinstance(rate, int | float) or isinstance(rate, bool):
        return None
    return float(rate) if math.isfinite(rate) and 0 < rate <= _MOST_GBIT_PER_S else None


def _object(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _objects(found: Any) -> Iterator[dict[str, Any]]:
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, dict))
