"""Replay of one case: P(output = y) on one input, by deciding coin after coin with memoisation.

Events that share no coin are decided apart, so that independent clients take time in proportion to their number.

It shares nothing with the compiler: no diagram, no variable order, only terms. Where few coins are looked at the plain
enumerator is used instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from taut.program.enumerator import enumerate_outcomes, evaluate
from taut.program.program import CoinVariable, Formula, Program, children, reachable
from taut.program.terms import Apply, Coin, Const, Ite, Select, Term, Terms, Tuple
from taut.support.limits import checkpoint

__all__ = ["replay", "replay_all", "replay_distribution", "replay_formula"]

_FEW = 4096
_REJECTED = "the evidence fails", object()
"""The value of runs in which the evidence fails; no output equals it."""


def replay(program: Program, x: Any, y: Any) -> tuple[Any, str]:
    """Return P(A(x) = y) given the evidence, and the method: 'enumerator' or 'memoised evaluation'."""
    fixed = program.fix(x)
    if _few_outcomes(fixed):
        return enumerate_outcomes(program, x).get(y, 0), "enumerator"
    terms = fixed.terms
    holds = terms.truth(fixed.evidence)
    event = terms.all(holds, _equals(terms, fixed.output, y))
    known: dict[Term, Any] = {terms.true: 1, terms.false: 0}
    mass = _probability(program.coins, terms, event, known)
    return mass / _probability(program.coins, terms, holds, known), "memoised evaluation"


def replay_all(program: Program, x: Any) -> dict[Any, Any] | None:
    """Return the distribution on x by the enumerator; None if it depends on too many coins."""
    return enumerate_outcomes(program, x) if _few_outcomes(program.fix(x)) else None


def replay_distribution(program: Program, x: Any) -> tuple[dict[Any, Any], str]:
    """Return the distribution on x, and the method."""
    fixed = program.fix(x)
    if _few_outcomes(fixed):
        return enumerate_outcomes(program, x), "enumerator"
    terms = fixed.terms
    rejected = terms.const(_REJECTED)
    known: dict[Term, dict[Any, Any]] = {}
    masses = dict(
        _distribution(program.coins, terms, terms.ite(terms.truth(fixed.evidence), fixed.output, rejected), known)
    )
    masses.pop(_REJECTED, None)
    evidence = sum(masses.values())
    return {value: mass / evidence for value, mass in masses.items()}, "memoised evaluation"


def _few_outcomes(fixed: Program) -> bool:
    """Return True if the coins that a program depends on have few joint outcomes."""
    outcomes = 1
    for term in reachable([fixed.output, fixed.evidence]):
        if isinstance(term, Coin):
            outcomes *= len(fixed.coins[term.index].outcomes)
    return outcomes <= _FEW


def replay_formula(formula: Formula, x: Sequence[int], y: Sequence[int]) -> tuple[Any, str]:
    """Return the mass of y on x in a formula, by deciding variable after variable, and the method."""
    terms, event = formula.terms, formula.constraint
    chosen = {"input": iter(x), "output": iter(y)}
    coins, factor = [], Fraction(1)
    for number, variable in enumerate(formula.variables):
        coin = terms.coin(number, (False, True))
        assert isinstance(coin, Coin)
        weights: tuple[Any, ...] = variable.weights[::-1]
        if variable.name in formula.hidden:
            event = terms.any(*[_decided(terms, event, coin, outcome) for outcome in (False, True)])
        elif variable.kind in chosen:
            event = _decided(terms, event, coin, bool(next(chosen[variable.kind])))
        else:
            total = sum(weights)
            factor = factor * total
            weights = tuple(weight / total if total != 0 else weight for weight in weights)
        coins.append(CoinVariable(variable.name, (False, True), weights, number))
    known: dict[Term, Any] = {terms.true: 1, terms.false: 0}
    return factor * _probability(coins, terms, event, known), "memoised evaluation"


def _equals(terms: Terms, output: Term, y: Any) -> Term:
    """Return the event that ``output`` equals y."""
    made: dict[tuple[Term, Any], Term] = {}
    stack = [(output, y)]
    while stack:
        term, value = key = stack[-1]
        if key in made:
            stack.pop()
            continue
        if isinstance(term, Tuple):
            if not isinstance(value, tuple) or len(value) != len(term.items):
                made[key] = terms.false
                continue
            parts = list(zip(term.items, value, strict=True))
        elif isinstance(term, Ite):
            parts = [(term.then, value), (term.other, value)]
        elif isinstance(term, Select):
            parts = [(item, value) for item in term.items]
        else:
            made[key] = terms.false if isinstance(value, tuple) else terms.apply("eq", term, terms.const(value))
            continue
        missing = [part for part in parts if part not in made]
        if missing:
            stack += missing
            continue
        found = [made[part] for part in parts]
        if isinstance(term, Tuple):
            made[key] = terms.all(*found)
        elif isinstance(term, Ite):
            made[key] = terms.ite(term.test, *found)
        else:
            made[key] = terms.select(term.index, term.keys, found)
    return made[output, y]


def _probability(coins: Sequence[CoinVariable], terms: Terms, event: Term, known: dict[Term, Any]) -> Any:
    """Return the probability of an event; ``known`` memoises that of every event on the way."""

    def mixed(parts: list[tuple[Any, Any]]) -> Any:
        return sum(weight * share for weight, share in parts)

    return _expected(coins, terms, event, known, lambda value: 1 if value else 0, mixed, apart=True)


def _distribution(
    coins: Sequence[CoinVariable], terms: Terms, term: Term, known: dict[Term, dict[Any, Any]]
) -> dict[Any, Any]:
    """Return the masses of a term's values; ``known`` memoises those of every term on the way."""

    def mixed(parts: list[tuple[Any, dict[Any, Any]]]) -> dict[Any, Any]:
        masses: dict[Any, Any] = {}
        for weight, shares in parts:
            for value, share in shares.items():
                masses[value] = masses[value] + weight * share if value in masses else weight * share
        return {value: mass for value, mass in masses.items() if mass}

    found: dict[Any, Any] = _expected(coins, terms, term, known, lambda value: {value: Fraction(1)}, mixed)
    return found


def _expected(
    coins: Sequence[CoinVariable],
    terms: Terms,
    root: Term,
    known: dict[Term, Any],
    decided: Callable[[Any], Any],
    mixed: Callable[[list[tuple[Any, Any]]], Any],
    apart: bool = False,
) -> Any:
    """Return the expected value of a term: ``decided`` maps constants, ``mixed`` combines the weighted outcomes of a
    coin.

    With ``apart``, terms are events and the values probabilities, which multiply for events that share no coin.
    """
    stack = [root]
    pending: dict[Term, tuple[Sequence[Any] | None, Sequence[Term]]] = {}
    while stack:
        checkpoint()
        term = stack[-1]
        if term in known:
            stack.pop()
            continue
        if isinstance(term, Const):
            known[term] = decided(term.value)
            continue
        if term not in pending:
            parts = _independent(terms, term) if apart else [term]
            if len(parts) > 1:
                pending[term] = (None, parts)
            else:
                tosses = [t for t in reachable([term]) if isinstance(t, Coin)]
                if not tosses:  # a tuple of constants
                    known[term] = decided(evaluate(term, (), {}))
                    continue
                coin = min(tosses, key=lambda t: t.index)
                variable = coins[coin.index]
                outcomes = [_decided(terms, term, coin, outcome) for outcome in variable.outcomes]
                pending[term] = (variable.weights, outcomes)
        weights, rests = pending[term]
        missing = [rest for rest in rests if rest not in known]
        if missing:
            stack += missing
            continue
        del pending[term]
        worth = [known[rest] for rest in rests]
        known[term] = math.prod(worth) if weights is None else mixed(list(zip(weights, worth, strict=True)))
    return known[root]


def _independent(terms: Terms, event: Term) -> list[Term]:
    """Split an event into events that share no coin and whose conjunction it is, as far as its form shows."""
    if not isinstance(event, Apply) or event.operation.name != "and":
        return [event]
    leader: dict[Term, Term] = {}

    def led_by(term: Term) -> Term:
        while leader.setdefault(term, term) is not term:
            leader[term] = term = leader[leader[term]]
        return term

    for term in reachable(event.args):
        for child in children(term):
            if not isinstance(child, Const):  # which is all that events without a common coin can share
                leader[led_by(child)] = led_by(term)
    groups: dict[Term, list[Term]] = {}
    for argument in event.args:
        groups.setdefault(led_by(argument), []).append(argument)
    return [event] if len(groups) == 1 else [terms.all(*group) for group in groups.values()]


def _decided(terms: Terms, root: Term, coin: Coin, outcome: Any) -> Term:
    """Return a term with one coin fixed, simplified."""
    made: dict[Term, Term] = {}
    for term in reachable([root]):
        parts = [made[child] for child in children(term)]
        if term is coin:
            made[term] = terms.const(outcome)
        elif all(new is old for new, old in zip(parts, children(term), strict=True)):
            made[term] = term
        elif isinstance(term, Apply):
            made[term] = terms.apply(term.operation, *parts)
        elif isinstance(term, Ite):
            made[term] = terms.ite(*parts)
        elif isinstance(term, Select):
            made[term] = terms.select(parts[0], term.keys, parts[1:])
        else:
            made[term] = terms.tuple(parts)
    return made[root]
