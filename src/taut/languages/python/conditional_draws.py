"""A choice among weighted candidates as a chain of conditional draws, for weights that depend on different entries.

The exponential mechanism is one, and so is ``discrete`` with weights that are divided by their total. Drawn at once, n
weights of k values need a coin for each of the k^n vectors of them. As in reservoir sampling, the
candidates can be looked at one after the other instead: candidate i, of weight w, takes the place of the one chosen so
far with probability w / (w + v), where v is the total weight of those before. In the end candidate j is the chosen one
with probability

    w_j / (w_0 + ... + w_j)  times  the product over i > j of  (w_0 + ... + w_{i-1}) / (w_0 + ... + w_i),

which is w_j over the total of all. A step has to know v alone: as many coins as there are different totals and weights.

Weights that share entries are no chain. Where they depend on inputs alone and have too many vectors to list, the
candidate is drawn uniformly and accepted with a probability in proportion to its weight; that it is accepted is
evidence. So candidate j has the probability

    w_j / (w_0 + ... + w_{n-1})

given the evidence. The evidence has a probability that depends on the inputs alone, so that other draws, and other
evidence, have the distribution that they have without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.languages.python.distributions import DISTRIBUTIONS, Distribution
from taut.languages.python.floats import divided, exact_fraction, exactly
from taut.languages.python.logs import Chain, Weighed
from taut.languages.python.values import Symbolic
from taut.program import Apply, Coin, Const, Input, Term, Terms, operation, pointwise
from taut.program.program import reachable
from taut.program.values import Anything
from taut.support.algebra.expression import Expression
from taut.support.errors import UnsupportedValue
from taut.support.exact import Ball, number_or_expression
from taut.support.limits import checkpoints

__all__ = [
    "FEWEST_VECTORS",
    "Candidates",
    "Weights",
    "chain_of_choices",
    "separate_candidates",
    "weighed_candidates",
    "weighed_choice",
]

FEWEST_VECTORS = 256
"""Number of weight vectors up to which each has its own coin."""
_WIDEST = 100_000
"""Limit for the difference of two scores in a chain."""
_MOST_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Weights:
    """A dictionary of weights: ordinary values, weights that may be random."""

    keys: tuple[Any, ...]
    shares: tuple[Any, ...]


@dataclass(frozen=True)
class Candidates:
    """Candidates with weights that depend on different entries: a term and a result for each."""

    given: Sequence[Term]
    outcomes: tuple[Any, ...]
    totals: Callable[[], _Totals]
    """A factory of the accumulator of weights; it raises InvalidDistribution for invalid weights."""


def separate_candidates(terms: Terms, name: str, parameters: tuple[Any, ...]) -> Candidates | None:
    """Return the candidates of a draw if a chain is worthwhile, else None.

    A chain is worthwhile if many vectors of weights are possible and no two weights depend on the same entry or coin.
    Otherwise there may be few vectors, and a step would depend on all later weights.
    """
    found = _candidates(terms, name, parameters)
    if found is None:
        return None
    vectors, used = 1, set[Term]()
    for given in found.given:
        own = {term for term in reachable([given]) if isinstance(term, (Input, Coin))}
        if not used.isdisjoint(own):
            return None
        used |= own
        vectors *= len(given.values)  # type: ignore[arg-type]
    return found if vectors > FEWEST_VECTORS else None


def weighed_candidates(terms: Terms, name: str, parameters: tuple[Any, ...]) -> Candidates | None:
    """Return the candidates of a draw if their weights depend on inputs alone, and not on coins; else None."""
    found = _candidates(terms, name, parameters)
    vectors = 1
    for given in () if found is None else found.given:
        vectors *= len(given.values)  # type: ignore[arg-type]
    if found is None or vectors <= FEWEST_VECTORS:
        return None
    return None if any(isinstance(term, Coin) for term in reachable(found.given)) else found


def _candidates(terms: Terms, name: str, parameters: tuple[Any, ...]) -> Candidates | None:
    if name == "exponential":
        return _by_scores(terms, parameters)
    return _by_shares(terms, parameters) if name == "discrete" else None


def _by_scores(terms: Terms, parameters: tuple[Any, ...]) -> Candidates | None:
    """Return the candidates of the exponential mechanism."""
    if len(parameters) != 2 or not isinstance(parameters[0], tuple) or isinstance(parameters[1], Symbolic):
        return None
    scores, base = [_term(terms, score) for score in parameters[0]], exactly(parameters[1])
    possible: set[int] = set()
    for score in scores:
        if isinstance(score.values, Anything) or len(score.values) > _MOST_ROWS:
            return None
        if not all(isinstance(value, int) for value in score.values):
            return None
        possible.update(score.values)
    if max(possible) - min(possible) > _WIDEST:
        return None

    def totals() -> _Totals:
        DISTRIBUTIONS["exponential"]([0], base)
        known = number_or_expression(base, "exponential: base")
        return _Totals({value: known ** (int(value) - int(min(possible))) for value in possible})

    return Candidates(scores, tuple(range(len(scores))), totals)


def _by_shares(terms: Terms, parameters: tuple[Any, ...]) -> Candidates | None:
    """Return the candidates of a discrete draw whose probabilities are weights divided by their sum."""
    given = parameters[0]
    if len(parameters) != 1 or not isinstance(given, (tuple, Weights)):
        return None
    shares, outcomes = (given.shares, given.keys) if isinstance(given, Weights) else (given, tuple(range(len(given))))
    if not all(isinstance(outcome, (int, str)) for outcome in outcomes):
        return None
    weights: list[Term] = []
    total: Term | None = None
    for share in shares:
        term = _term(terms, share)
        if not isinstance(term, Apply) or term.operation not in _DIVISIONS or total not in (None, term.args[1]):
            return None
        weight, total = term.args
        if isinstance(weight.values, Anything) or len(weight.values) > _MOST_ROWS:
            return None
        if not all(map(_is_weight, weight.values)):
            return None
        weights.append(weight)
    if total is None or _summands([total]) != _summands(weights):
        return None
    possible = {value for weight in weights for value in weight.values}  # type: ignore[union-attr]
    return Candidates(weights, outcomes, lambda: _Totals({value: Fraction(value) for value in possible}))


def _term(terms: Terms, value: Any) -> Term:
    return value.term if isinstance(value, Symbolic) else terms.const(value)


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, Fraction)) and value >= 0


def _summands(parts: Sequence[Term]) -> Counter[Term | None]:
    """Count each summand, with None for 1; equal counts imply equal sums."""
    found: Counter[Term | None] = Counter()
    stack = list(parts)
    while stack:
        part = stack.pop()
        if isinstance(part, Apply) and part.operation.name == "add":
            stack.extend(part.args)
        elif isinstance(part, Const) and isinstance(part.value, (int, Fraction)):
            found[None] += part.value  # type: ignore[assignment]
        else:
            found[part] += 1
    return Counter({part: times for part, times in found.items() if times})


def chain_of_choices(
    terms: Terms, candidates: Candidates, toss: Callable[[Sequence[Distribution]], Mapping[Distribution, Term]]
) -> Chain:
    """Return the chosen candidate, decided by one coin per candidate after the first.

    Parameters:
        terms: the table of the program.
        candidates: what ``separate_candidates`` found.
        toss: makes one new draw, with a coin for each of some distributions, or a constant if nothing is left to
            chance.

    Raises:
        InvalidDistribution: the base of an exponential mechanism is not a number above 0.
        UnsupportedValue: a step has too many different totals.
    """
    totals = candidates.totals()
    state, states = terms.const(0), [totals.none]
    chosen = terms.const(0)
    steps = []
    for place, given in enumerate(candidates.given):
        values = sorted(given.values)  # type: ignore[arg-type]
        keys = [(number, value) for number in range(len(states)) for value in values]
        if len(keys) > _MOST_ROWS:
            raise UnsupportedValue(
                f"a draw whose first {place} candidates have {len(states)} different total weights is too large."
            )
        index = terms.apply(_PAIR, state, given)
        if place > 0:
            rows = [_step(totals.weight(states[number]), totals.powers[value]) for number, value in checkpoints(keys)]
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
    outcomes = candidates.outcomes
    if outcomes != tuple(range(len(outcomes))) or any(type(outcome) is bool for outcome in outcomes):
        chosen = terms.select(chosen, range(len(outcomes)), [terms.const(outcome) for outcome in outcomes])
    return Chain(chosen, outcomes, tuple(steps))


def weighed_choice(
    terms: Terms, candidates: Candidates, toss: Callable[[Distribution], Term]
) -> tuple[Weighed, Term] | None:
    """Return the chosen candidate, and the event that it is accepted; None if weights are functions of parameters.

    ``toss`` makes the coin of a distribution, or a constant if nothing is left to chance.

    Raises:
        InvalidDistribution: the base of an exponential mechanism is not a number above 0.
    """
    powers = candidates.totals().powers
    if any(isinstance(weight, Expression) for weight in powers.values()):
        return None
    most = max(powers.values(), key=lambda weight: getattr(weight, "mid", weight))
    count = len(candidates.given)
    place = toss((tuple(range(count)), (Fraction(1, count),) * count))
    accepted = {value: toss(_accepted(powers[value] / most)) for value in sorted(powers)}
    events = []
    for given in candidates.given:
        values = sorted(given.values)  # type: ignore[arg-type]
        events.append(terms.select(given, values, [accepted[value] for value in values]))
    outcomes = candidates.outcomes
    chosen = place
    if outcomes != tuple(range(count)) or any(type(outcome) is bool for outcome in outcomes):
        chosen = terms.select(place, range(count), [terms.const(outcome) for outcome in outcomes])
    event = terms.truth(terms.select(place, range(count), events))
    return Weighed(place, chosen, outcomes, tuple(candidates.given), accepted), event


def _accepted(share: Any) -> Distribution:
    if isinstance(share, Fraction) and share in (0, 1):
        return (share == 1,), (Fraction(1),)
    if isinstance(share, Ball) and not share.upper < 1:  # the largest weight, divided by itself
        return (True,), (Fraction(1),)
    return (False, True), (1 - share, share)


def _step(total: Any, weight: Any) -> Distribution:
    """Return the distribution of replacing the current candidate (total weight ``total``) by one with ``weight``."""
    if isinstance(weight, Fraction) and weight == 0:
        return (False,), (Fraction(1),)
    if isinstance(total, Fraction) and total == 0:
        return (True,), (Fraction(1),)
    share = weight / (total + weight)
    return (False, True), (1 - share, share)


class _Totals:
    """Accumulated weights: rationals, or the multiset of values that they come from."""

    def __init__(self, powers: Mapping[Any, Any]) -> None:
        self.powers = powers
        self._exact = all(isinstance(weight, Fraction) for weight in powers.values())
        self.none: Any = Fraction(0) if self._exact else ()

    def with_one_more(self, state: Any, value: Any) -> Any:
        """Return the state after one more candidate."""
        return state + self.powers[value] if self._exact else tuple(sorted((*state, int(value))))

    def weight(self, state: Any) -> Any:
        """Return the total weight of a state with at least one candidate."""
        if self._exact:
            return state
        return sum([self.powers[value] for value in state[1:]], start=self.powers[state[0]])


_DIVISIONS = {operation("truediv"), divided, pointwise(exact_fraction)}


def _pair(state: Any, score: Any) -> tuple[Any, Any]:
    return (state, score)


_PAIR = pointwise(_pair)
