# SPDX-License-Identifier: Apache-2.0
"""The report's charts as plain plotly figures (dicts): pure functions of the results.

Texts of a run are HTML-escaped here, for plotly reads HTML-like tags in labels.
"""
