# SPDX-License-Identifier: Apache-2.0
"""perftest's programs between the guest's two rails: rxe0 is the client, rxe1 the server."""

from __future__ import annotations

import shlex

from soft_roce import Result, SoftRoce

_GID_INDEX = "1"  # the IPv4 one
_SCRIPT = """{command} -d rxe1 >/run/server 2>&1 & server=$!
until ss --listening --tcp --numeric | grep -q ':18515 '; do
    kill -0 $server || {{ cat /run/server; exit 1; }}
    sleep 0.05
done
{command} -d rxe0 127.0.0.1 || exit
wait $server || {{ cat /run/server; exit 1; }}
"""


def perftest(guest: SoftRoce, program: str, *options: str, deadline_s: float = 60) -> Result:
    """Run the program's two sides, and return what the client prints and whether both succeed."""
    command = shlex.join([program, "-x", _GID_INDEX, "-F", *options])
    return guest.run(_SCRIPT.format(command=command), deadline_s)


def figures(result: Result) -> dict[str, float]:
    """Return the columns of a result's one line by the words of its heading."""
    assert result.code == 0, result
    lines = result.stdout.splitlines()
    at = next(at for at, line in enumerate(lines) if line.lstrip().startswith("#bytes"))
    names = lines[at].replace("BW ", "BW_").replace("% perc", "%_perc").split()
    return dict(zip(names, map(float, lines[at + 1].split()), strict=True))
