# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a cluster, and what that means for each port; pure data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

Port = tuple[int, int]  # node, rail
Pair = tuple[int, int, int]  # smaller node, larger node, rail
_Key = TypeVar("_Key")


@dataclass(frozen=True)
class PortState:
    """What one rail port of one node has to be made to do. Rates in bit/s."""

    rate: int
    pair_rates: dict[int, int] = field(
        default_factory=dict
    )  # peer node -> rate of what this node sends it
    loss_permille: int = 0
    up: bool = True


@dataclass(frozen=True)
class Faults:
    """Every fault in force. Degrading a node or a rail is degrading each of its ports."""

    rates: dict[Port, int] = field(default_factory=dict)
    pair_rates: dict[Pair, int] = field(default_factory=dict)
    losses: dict[Port, int] = field(default_factory=dict)
    cuts: frozenset[Port] = frozenset()
    dead: frozenset[int] = frozenset()

    def port(self, node: int, rail: int, nominal: int) -> PortState:
        return PortState(
            rate=self.rates.get((node, rail), nominal),
            pair_rates={
                b if node == a else a: rate
                for (a, b, on), rate in sorted(self.pair_rates.items())
                if on == rail and node in (a, b)
            },
            loss_permille=self.losses.get((node, rail), 0),
            up=(node, rail) not in self.cuts and node not in self.dead,
        )

    def with_rate(self, ports: list[Port], rate: int) -> Faults:
        return replace(self, rates=self.rates | dict.fromkeys(ports, rate))

    def with_pair_rate(self, pair: Pair, rate: int) -> Faults:
        return replace(self, pair_rates=self.pair_rates | {pair: rate})

    def with_loss(self, port: Port, permille: int) -> Faults:
        return replace(self, losses=self.losses | {port: permille})

    def with_cut(self, ports: list[Port]) -> Faults:
        return replace(self, cuts=self.cuts | frozenset(ports))

    def with_dead(self, node: int) -> Faults:
        return replace(self, dead=self.dead | {node})

    def without_ports(self, ports: list[Port]) -> Faults:
        """Forget every fault of these ports, and what slows a pair through one of them."""

        def hit(port: Port) -> bool:
            return port in ports

        return replace(
            self,
            rates=_drop(self.rates, hit),
            pair_rates=_drop(
                self.pair_rates, lambda pair: hit((pair[0], pair[2])) or hit((pair[1], pair[2]))
            ),
            losses=_drop(self.losses, hit),
            cuts=self.cuts - frozenset(ports),
        )

    def without_pair(self, pair: Pair) -> Faults:
        return replace(self, pair_rates=_drop(self.pair_rates, lambda other: other == pair))

    def without_node(self, node: int, rails: int) -> Faults:
        restored = self.without_ports([(node, rail) for rail in range(rails)])
        return replace(restored, dead=self.dead - {node})

    def to_json(self) -> dict[str, list[list[int]]]:
        return {
            "rates": [[*port, rate] for port, rate in sorted(self.rates.items())],
            "pair_rates": [[*pair, rate] for pair, rate in sorted(self.pair_rates.items())],
            "losses": [[*port, permille] for port, permille in sorted(self.losses.items())],
            "cuts": [list(port) for port in sorted(self.cuts)],
            "dead": [[node] for node in sorted(self.dead)],
        }

    @staticmethod
    def from_json(data: dict[str, list[list[int]]]) -> Faults:
        return Faults(
            rates={(node, rail): rate for node, rail, rate in data["rates"]},
            pair_rates={(a, b, rail): rate for a, b, rail, rate in data["pair_rates"]},
            losses={(node, rail): permille for node, rail, permille in data["losses"]},
            cuts=frozenset((node, rail) for node, rail in data["cuts"]),
            dead=frozenset(node for (node,) in data["dead"]),
        )


def _drop(table: dict[_Key, int], unwanted: Callable[[_Key], bool]) -> dict[_Key, int]:
    return {key: value for key, value in table.items() if not unwanted(key)}
