"""The exponential mechanism as a chain of conditional draws, where its scores depend on different entries.

Drawn at once, n scores of k values need a coin for each of the k^n vectors of scores. As in reservoir sampling, the
candidates can be looked at one after the other instead: candidate i, of weight w, takes the place of the one chosen so
far with probability w / (w + v), where v is the total weight of those before. In the end candidate j is the chosen one
with probability

    w_j / (w_0 + ... + w_j)  times  the product over i > j of  (w_0 + ... + w_{i-1}) / (w_0 + ... + w_i),

which is w_j over the total of all. A step has to know v alone: as many coins as there are different totals and weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.errors import UnsupportedValue
from taut.frontend.python.distributions import DISTRIBUTIONS, Distribution
from taut.frontend.python.drawlog import Chain
from taut.frontend.python.values import Symbolic
from taut.ir import Coin, Input, Term, Terms, pointwise
from taut.ir.program import reachable
from taut.limits import checkpoints
from taut.numbers import number_or_expression

__all__ = ["FEWEST_VECTORS", "chain_of_choices", "separate_scores"]

FEWEST_VECTORS = 256
"""Vectors of scores up to which each has a coin of its own."""
_WIDEST = 100_000
"""The largest difference of two scores in a chain."""
_MOST_ROWS = 100_000


def separate_scores(terms: Terms, parameters: tuple[Any, ...]) -> list[Term] | None:
    """The scores of an exponential mechanism that is worth a chain; None if it is not.

    It is where many vectors of scores are possible and no two scores depend on the same entry or coin. Otherwise there
    may be few vectors, and a step would have to know all scores that are still to come.
    """
    if len(parameters) != 2 or not isinstance(parameters[0], tuple):
        return None
    given, base = parameters
    scores = [score.term if isinstance(score, Symbolic) else terms.const(score) for score in given]
    vectors, used, possible = 1, set[Term](), set[int]()
    for score in scores:
        values = score.values
        if not isinstance(values, frozenset) or not all(isinstance(value, int) for value in values):
            return None
        own = {term for term in reachable([score]) if isinstance(term, (Input, Coin))}
        if not used.isdisjoint(own):
            return None
        used |= own
        vectors *= len(values)
        possible |= values
    few = vectors <= FEWEST_VECTORS or max(possible) - min(possible) > _WIDEST
    return None if few or isinstance(base, Symbolic) else scores


def chain_of_choices(
    terms: Terms,
    scores: Sequence[Term],
    base: Any,
    toss: Callable[[Sequence[Distribution]], Mapping[Distribution, Term]],
) -> Chain:
    """The index that the exponential mechanism chooses, by one coin per candidate after the first.

    Parameters
    ----------
    terms
        The table of the program.
    scores
        What ``separate_scores`` found.
    base
        The base, an ordinary number.
    toss
        Makes one new draw, with a coin for each of some distributions.

    Raises
    ------
    InvalidDistribution
        The base is not a number above 0.
    UnsupportedValue
        A step has too many different totals.
    """
    DISTRIBUTIONS["exponential"]([0], base)
    totals = _Totals(base, scores)
    state, states = terms.const(0), [totals.none]
    chosen = terms.const(0)
    steps = []
    for place, score in enumerate(scores):
        values = sorted(score.values)  # type: ignore[arg-type]
        keys = [(number, value) for number in range(len(states)) for value in values]
        if len(keys) > _MOST_ROWS:
            raise UnsupportedValue(
                f"an exponential mechanism whose first {place} candidates have {len(states)} different total weights "
                "is too large."
            )
        index = terms.apply(_PAIR, state, score)
        if place > 0:
            weights = [totals.weight(known) for known in states]
            shares = [totals.power(value) / (weights[number] + totals.power(value)) for number, value in keys]
            rows: list[Distribution] = [((False, True), (1 - share, share)) for share in checkpoints(shares)]
            coins = toss(rows)
            flips = [coins[row] for row in rows]
            chosen = terms.ite(terms.select(index, keys, flips), terms.const(place), chosen)
            steps.append((index, dict(zip(keys, flips, strict=True))))
        following: dict[Any, int] = {}
        numbers = [
            following.setdefault(totals.with_one_more(states[number], value), len(following))
            for number, value in checkpoints(keys)
        ]
        state, states = terms.select(index, keys, [terms.const(number) for number in numbers]), list(following)
    return Chain(chosen, tuple(steps))


class _Totals:
    """Total weights: rationals, which are equal where they are; else the scores that they are made of."""

    def __init__(self, base: Any, scores: Sequence[Term]) -> None:
        self._base = number_or_expression(base, "exponential: base")
        self._exact = isinstance(self._base, Fraction)
        possible = {int(value) for score in scores for value in score.values}  # type: ignore[union-attr]
        self._least = min(possible)
        self._powers = {value: self._base ** (value - self._least) for value in possible}
        self.none: Any = Fraction(0) if self._exact else ()

    def power(self, score: int) -> Any:
        """The weight of one score."""
        return self._powers[score]

    def with_one_more(self, state: Any, score: int) -> Any:
        """The state after one more candidate."""
        return state + self._powers[score] if self._exact else tuple(sorted((*state, int(score))))

    def weight(self, state: Any) -> Any:
        """The total weight of a state, of at least one candidate."""
        if self._exact:
            return state
        return sum([self._powers[score] for score in state[1:]], start=self._powers[state[0]])


def _pair(state: Any, score: Any) -> tuple[Any, Any]:
    return (state, score)


_PAIR = pointwise(_pair)
