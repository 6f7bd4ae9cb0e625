# SPDX-License-Identifier: Apache-2.0
"""Judges Railgauge runs: reads what the rank programs measured, never measures itself.

The straight line is ``load`` -> ``results`` (statistics per case) -> ``checks`` -> ``show``,
``report``, ``export``, ``check``. Everything shown is recomputed from the raw samples.
"""

__version__ = "0.1.0"
