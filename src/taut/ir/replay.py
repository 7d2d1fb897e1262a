"""Replaying one case: P(output = y) on one input, by deciding coin after coin and remembering what is left to decide.

It shares nothing with the compiler: no diagram, no variable order, only terms. Where few coins are looked at the plain
enumerator is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.ir.enumerator import enumerate_outcomes
from taut.ir.formula import Formula
from taut.ir.program import CoinVariable, Program, children, reachable
from taut.ir.terms import Apply, Coin, Const, Ite, Select, Term, Terms, Tuple
from taut.limits import checkpoint

__all__ = ["replay", "replay_formula"]

_FEW = 4096


def replay(program: Program, x: Any, y: Any) -> tuple[Any, str]:
    """P(A(x) = y) given the evidence, and how it was found: 'enumerator', or 'memoised evaluation'."""
    fixed = program.fix(x)
    outcomes = 1
    for term in reachable([fixed.output, fixed.evidence]):
        if isinstance(term, Coin):
            outcomes *= len(program.coins[term.index].outcomes)
    if outcomes <= _FEW:
        return enumerate_outcomes(program, x).get(y, 0), "enumerator"
    terms = fixed.terms
    holds = terms.truth(fixed.evidence)
    event = terms.all(holds, _equals(terms, fixed.output, y))
    known: dict[Term, Any] = {terms.true: 1, terms.false: 0}
    mass = _probability(program.coins, terms, event, known)
    return mass / _probability(program.coins, terms, holds, known), "memoised evaluation"


def replay_formula(formula: Formula, x: Sequence[int], y: Sequence[int]) -> tuple[Any, str]:
    """The mass of y on x in a formula written by hand, and how it was found: by deciding variable after variable."""
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
    """The event that a term is a given value."""
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
    """The probability of an event; ``known`` remembers that of every event met on the way."""
    stack = [event]
    pending: dict[Term, list[tuple[Any, Term]]] = {}
    while stack:
        checkpoint()
        term = stack[-1]
        if term in known:
            stack.pop()
            continue
        if isinstance(term, Const):
            known[term] = 1 if term.value else 0
            continue
        if term not in pending:
            coin = min((t for t in reachable([term]) if isinstance(t, Coin)), key=lambda t: t.index)
            variable = coins[coin.index]
            pending[term] = [
                (weight, _decided(terms, term, coin, outcome))
                for outcome, weight in zip(variable.outcomes, variable.weights, strict=True)
            ]
        missing = [rest for _, rest in pending[term] if rest not in known]
        if missing:
            stack += missing
            continue
        known[term] = sum(weight * known[rest] for weight, rest in pending.pop(term))
    return known[event]


def _decided(terms: Terms, root: Term, coin: Coin, outcome: Any) -> Term:
    """A term with one coin decided, simplified."""
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
