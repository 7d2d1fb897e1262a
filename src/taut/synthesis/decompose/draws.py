"""One draw: the rows of a cell that is a function of its statistics and of the outcome of one draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.inference.arrays import values_at
from taut.program import Coin, CoinVariable, Program, Select, Term, Terms
from taut.program.enumerator import evaluate
from taut.program.noise import Shifted
from taut.program.program import children, reachable, substituted
from taut.support.exact import Ball
from taut.support.limits import checkpoints
from taut.support.process import cached_property
from taut.synthesis.decompose.translation import Translation

__all__ = ["OneDraw", "one_draw", "total"]


@dataclass(frozen=True, eq=False)
class OneDraw:
    """A program whose inputs choose one coin: its output as a term of the inputs and, as the last, of the outcome."""

    program: Program
    output: Term
    index: Term
    coins: Mapping[Any, CoinVariable]
    """The coin for each value of the index."""

    def row(self, values: Any) -> dict[Any, Any] | None:
        """Return the distribution of the output at some inputs; None if arrays would not be exact."""
        entries = self.program.entries(values)
        coin = self.coins.get(evaluate(self.index, entries, {}))
        if coin is None:
            return None
        found = values_at(self.output, [*[(entry,) for entry in entries], coin.outcomes])
        if found is None:
            return None
        groups: dict[Any, list[int]] = {}
        for place, value in enumerate(found):
            groups.setdefault(value, []).append(place)
        return {value: self._mass(coin.weights, places) for value, places in groups.items()}

    def _mass(self, weights: Sequence[Any], places: list[int]) -> Any:
        """Return the sum of the weights at some places; of geometric noise, from the tails of consecutive ones."""
        if not isinstance(weights, Shifted) or not isinstance(weights.noise.ratio, Fraction) or len(places) == 1:
            return total([weights[place] for place in places])
        place = weights.noise.key, weights.low, weights.high
        noise = self._noise.get(place)
        if noise is None:
            noise = self._noise[place] = Translation(weights.noise, weights.low, weights.high, {}, 0)
        firsts = [one for one, before in zip(places, [-2, *places], strict=False) if one != before + 1]
        lasts = [one for one, after in zip(places, [*places[1:], -2], strict=True) if one != after - 1]
        center, low = weights.center, weights.low
        return total(
            [
                weights[first]
                if first == last
                else noise.up_to(low + last, center) - noise.up_to(low + first - 1, center)
                for first, last in zip(firsts, lasts, strict=True)
            ]
        )

    @cached_property
    def _noise(self) -> dict[Any, Translation]:
        """The noise of coins that are geometric, by its ratio and ends."""
        return {}


def one_draw(program: Program) -> OneDraw | None:
    """Return a program as a function of its inputs and one draw; None if it is none."""
    drawn = _drawn(program.output)
    terms = Terms()
    if isinstance(drawn, Coin):
        index, coins = terms.const(0), {0: program.coins[drawn.index]}
    elif isinstance(drawn, Select):
        index, coins = drawn.index, {}
        for key, item in zip(drawn.keys, drawn.items, strict=True):
            coins.setdefault(key, program.coins[item.index])  # type: ignore[attr-defined]
    else:
        return None
    different = {id(coin.outcomes): coin.outcomes for coin in coins.values()}
    outcomes = dict.fromkeys(y for own in checkpoints(different.values(), 16) for y in own)
    entries = [terms.input(place, variable.values) for place, variable in enumerate(program.inputs)]
    outcome = terms.input(len(entries), tuple(outcomes))
    (output,) = substituted(terms, [program.output], entries, program.coins, {}, {drawn: outcome})
    return OneDraw(program, output, index, coins)


def _drawn(root: Term) -> Term | None:
    """Return the only coin of a term, or the only choice of a coin by terms without coins; None for others."""
    found, stack, seen = list[Term](), [root], {root}
    while stack:
        term = stack.pop()
        if isinstance(term, Coin) or (isinstance(term, Select) and _chooses_coins(term)):
            found.append(term)
            continue
        more = [child for child in children(term) if child not in seen]
        seen.update(more)
        stack += more
    return found[0] if len(found) == 1 else None


def _chooses_coins(term: Select) -> bool:
    return all(type(item) is Coin for item in term.items) and not any(
        isinstance(part, Coin) for part in reachable([term.index])
    )


def total(weights: Sequence[Any]) -> Any:
    """Return the sum of weights; of Fractions, over one denominator."""
    if len(weights) == 1:
        return weights[0] if isinstance(weights[0], Ball) else Fraction(weights[0])
    if any(isinstance(weight, Ball) for weight in weights):
        return sum(weights[1:], weights[0])
    scale = math.lcm(*{weight.denominator for weight in weights})
    return Fraction(sum([weight.numerator * (scale // weight.denominator) for weight in weights]), scale)
