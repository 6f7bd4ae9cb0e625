# SPDX-License-Identifier: Apache-2.0
"""Text that came out of a file is hostile until it has passed through here."""

from __future__ import annotations

import unicodedata

_UNSAFE_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def clean(raw: bytes | str) -> str:
    r"""Decode UTF-8 and make everything a terminal or a browser might obey visible.

    Invalid bytes, control characters (ANSI escapes among them), bidirectional overrides and line
    separators become ``\x1b``-like escapes; everything else, Korean included, is left alone.
    """
    text = raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str, limit: int = 600) -> str:
    """Fold whitespace, clean, and shorten to ``limit`` characters."""
    return shorten(clean(" ".join(text.split())), limit)


def shorten(text: str, limit: int) -> str:
    """Cut a text to ``limit`` characters, visibly."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def display_width(text: str) -> int:
    """Columns the text takes in a terminal: wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def pad(text: str, width: int, *, right: bool = True) -> str:
    """Pad to ``width`` terminal columns, the text at the right end by default."""
    blank = " " * max(0, width - display_width(text))
    return blank + text if right else text + blank


def size_label(size_bytes: float) -> str:
    """Short binary size for axes and headings: ``8``, ``64 KiB``, ``1 MiB``; exact or in bytes."""
    value = int(size_bytes)
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor and value % factor == 0:
            return f"{value // factor} {unit}"
    return f"{value} B"


def plural(count: int, noun: str) -> str:
    """Return ``1 node``, ``2 nodes``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
