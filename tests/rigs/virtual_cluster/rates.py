# SPDX-License-Identifier: Apache-2.0
"""Rates as text, the way `tc` writes them: 100mbit, 2.5gbit, or a share of nominal: 70%."""

from __future__ import annotations

import re

from .errors import VclusterError

_BITS = {"bit": 1, "kbit": 1_000, "mbit": 1_000_000, "gbit": 1_000_000_000}
_RATE = re.compile(r"(\d+(?:\.\d+)?)(bit|kbit|mbit|gbit|%)", re.IGNORECASE)


def parse_rate(text: str, nominal: int | None = None) -> int:
    """Return a rate in bit/s. A percentage needs `nominal`, in bit/s."""
    match = _RATE.fullmatch(text)
    if not match:
        raise VclusterError(
            f"{text!r} is no rate: write for example 100mbit" + (" or 70%" if nominal else "")
        )
    number, unit = float(match[1]), match[2].lower()
    if unit == "%":
        if nominal is None:
            raise VclusterError(f"{text!r} has nothing to be a share of: write for example 100mbit")
        bits = number / 100 * nominal
    else:
        bits = number * _BITS[unit]
    if bits < 8_000:
        raise VclusterError(
            f"{text!r} is too slow for a shaped link: use at least 8kbit, or cut the link"
        )
    return round(bits)
