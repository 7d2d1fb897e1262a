"""The semantics of a program, by enumeration: run it for every outcome of the coins it depends on, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.program.operations import UNDEFINED
from taut.program.placeholders import plain_output
from taut.program.program import Program
from taut.program.terms import Apply, Coin, Const, Input, Ite, Select, Term, Tuple
from taut.support.errors import ImpossibleEvidence, MechanismError
from taut.support.limits import checkpoint

__all__ = ["enumerate_outcomes", "evaluate"]


class _Tosses(Exception):
    """Raised when the evaluation depends on a coin that has not been tossed yet."""

    def __init__(self, coin: int) -> None:
        self.coin = coin


def enumerate_outcomes(program: Program, x: Any) -> dict[Any, Any]:
    """Return the exact distribution of the program's output on x, given its evidence, by enumerating coin outcomes.

    Guarantee:
        The values sum to one (exactly, for rational weights); outputs of probability zero are not listed.
    """
    entries = program.entries(x)
    mass: dict[Any, Any] = {}
    runs: list[tuple[dict[int, Any], Any]] = [({}, Fraction(1))]
    while runs:
        checkpoint()
        coins, weight = runs.pop()
        try:
            if not evaluate(program.evidence, entries, coins):
                continue
            value = evaluate(program.output, entries, coins)
        except _Tosses as request:
            variable = program.coins[request.coin]
            for outcome, share in zip(variable.outcomes, variable.weights, strict=True):
                if share != 0:
                    runs.append(({**coins, request.coin: outcome}, weight * share))
            continue
        if _holds_undefined(value):
            raise MechanismError(f"'{program.name}' is undefined at x={x!r} with coins {coins!r}.", value=x)
        plain_output(value)
        mass[value] = mass[value] + weight if value in mass else weight
    if not mass:
        raise ImpossibleEvidence(f"'{program.name}': the evidence has probability 0 at x={x!r}.", value=x)
    evidence = sum(mass.values())
    return {value: weight / evidence for value, weight in mass.items()}


def evaluate(root: Term, entries: Sequence[Any], coins: Mapping[int, Any], known: dict[Term, Any] | None = None) -> Any:
    """Return the value of a term for given entries and coin outcomes; unused parts are not evaluated.

    ``known`` are values of terms for the same entries and outcomes; those that are found are added.
    """
    known = {} if known is None else known
    if root in known:
        return known[root]
    stack = [root]
    while stack:
        term = stack[-1]
        needed = _next_needed(term, known)
        if needed:
            stack.extend(needed)
            continue
        known[term] = _value(term, known, entries, coins)
        stack.pop()
    return known[root]


def _next_needed(term: Term, known: dict[Term, Any]) -> list[Term]:
    if isinstance(term, Apply):
        return [arg for arg in term.args if arg not in known]
    if isinstance(term, Tuple):
        return [item for item in term.items if item not in known]
    if isinstance(term, Ite):
        if term.test not in known:
            return [term.test]
        if known[term.test] is UNDEFINED:
            return []
        chosen = term.then if known[term.test] else term.other
        return [] if chosen in known else [chosen]
    if isinstance(term, Select):
        if term.index not in known:
            return [term.index]
        item = _chosen(term, known)
        return [] if item is None or item in known else [item]
    return []


def _chosen(term: Select, known: dict[Term, Any]) -> Term | None:
    return next((item for key, item in zip(term.keys, term.items, strict=True) if key == known[term.index]), None)


def _value(term: Term, known: dict[Term, Any], entries: Sequence[Any], coins: Mapping[int, Any]) -> Any:
    if isinstance(term, Const):
        return term.value
    if isinstance(term, Input):
        return entries[term.index]
    if isinstance(term, Coin):
        if term.index not in coins:
            raise _Tosses(term.index)
        return coins[term.index]
    if isinstance(term, Apply):
        return term.operation(*[known[arg] for arg in term.args])
    if isinstance(term, Ite):
        test = known[term.test]
        return UNDEFINED if test is UNDEFINED else known[term.then if test else term.other]
    if isinstance(term, Select):
        chosen = _chosen(term, known)
        return UNDEFINED if chosen is None else known[chosen]
    assert isinstance(term, Tuple)
    return tuple(known[item] for item in term.items)


def _holds_undefined(value: Any) -> bool:
    return value is UNDEFINED or (isinstance(value, tuple) and any(_holds_undefined(item) for item in value))
