# SPDX-License-Identifier: Apache-2.0
"""The tables and texts of synthetic runs, as HDF5 holds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import railgauge.hdf5  # noqa: F401 - sets HDF5's environment before h5py is imported

import h5py  # isort: skip
import numpy as np
from numpy.typing import NDArray


def text_type(values: Iterable[str]) -> Any:
    width = max([1, *(len(v.encode()) for v in values)])
    return h5py.string_dtype("utf-8", width)


def table(columns: dict[str, tuple[Any, list[Any]]]) -> NDArray[Any]:
    """Build a compound array; a column of type ``str`` becomes fixed-length UTF-8."""
    types = [(n, text_type(v) if t is str else np.dtype(t)) for n, (t, v) in columns.items()]
    rows = np.zeros(len(next(iter(columns.values()))[1]), np.dtype(types))
    for name, (kind, values) in columns.items():
        rows[name] = [v.encode() for v in values] if kind is str else values
    return rows


def write_scalar_text(parent: Any, name: str, text: str) -> None:
    raw = text.encode()
    parent.create_dataset(name, data=np.array(raw, h5py.string_dtype("utf-8", max(1, len(raw)))))
