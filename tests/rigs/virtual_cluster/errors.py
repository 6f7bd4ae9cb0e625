# SPDX-License-Identifier: Apache-2.0


class VclusterError(Exception):
    """One line: what went wrong, why it matters, what to do."""
