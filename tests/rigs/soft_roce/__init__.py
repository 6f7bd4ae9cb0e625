# SPDX-License-Identifier: Apache-2.0
"""A throw-away virtual machine whose RDMA devices are Soft-RoCE on rails that can be broken.

docs/rigs/soft-roce.md says what it shows and what it cannot.
"""

from .errors import GuestLost, SoftRoceError
from .faults import Down, DropEvery, Fault, Loss, Rate, Unreachable
from .machine import Hardware
from .rails import address
from .requirements import why_not
from .session import Result, SoftRoce, run_in_guest

__all__ = [
    "Down",
    "DropEvery",
    "Fault",
    "GuestLost",
    "Hardware",
    "Loss",
    "Rate",
    "Result",
    "SoftRoce",
    "SoftRoceError",
    "Unreachable",
    "address",
    "run_in_guest",
    "why_not",
]
