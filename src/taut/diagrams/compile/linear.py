"""Sums, differences and multiples as their parts, and the terms that need no diagram of their own."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from taut.program import Apply, Const, Input, Term
from taut.program.program import children
from taut.program.values import IntegerRange, Values, are_exact

__all__ = [
    "all_parts",
    "are_integers",
    "difference",
    "inner_terms",
    "is_comparison",
    "is_linear",
    "linear_parts",
    "opened",
]

Parts = list[tuple[int, Term]]
"""Terms with the whole numbers by which they are multiplied."""

_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
_ORDERS = {"lt", "le", "gt", "ge"}


def is_linear(term: Term) -> bool:
    """Return True if a term adds or subtracts exact numbers, or multiplies an integer by a constant one.

    Texts and balls are added in the order written, and products of other numbers are left to operations that know their
    rounding.
    """
    if not isinstance(term, Apply):
        return False
    if term.operation.name == "mul":
        return any(_factor(arg) for arg in term.args) and all(are_integers(arg.values) for arg in term.args)
    if term.operation.name not in ("add", "sub", "neg"):
        return False
    different = {id(arg.values): arg.values for arg in term.args}  # the entries of a database share theirs
    return all(map(are_exact, different.values()))


def is_comparison(term: Term) -> bool:
    """Return True if a term compares two others."""
    return isinstance(term, Apply) and term.operation.name in _COMPARISONS


def linear_parts(term: Term, inner: set[Term], factor: int = 1) -> Parts:
    """Return the parts of a sum, those of inner sums included."""
    assert isinstance(term, Apply)
    parts: Parts = []
    stack = _own_parts(factor, term)
    while stack:
        factor, part = stack.pop()
        if part in inner and is_linear(part):
            assert isinstance(part, Apply)
            stack += _own_parts(factor, part)
        else:
            parts.append((factor, part))
    return parts


def all_parts(term: Term, opens: Callable[[Term], bool] = is_linear) -> Parts:
    """Return the parts of a sum, those of all sums inside it included, or of those that are opened."""
    assert isinstance(term, Apply)
    parts: Parts = []
    sums: set[Term] = {term}
    stack = _own_parts(1, term)
    while stack:
        one = stack.pop()
        factor, part = one
        if type(part) is Input or not opens(part):
            parts.append(one)
        elif part in sums:
            return _merged_parts(term, opens)
        else:
            assert isinstance(part, Apply)
            sums.add(part)
            stack += _own_parts(factor, part)
    return parts


def _merged_parts(term: Apply, opens: Callable[[Term], bool]) -> Parts:
    """Return the same for a sum that uses some sum more than once: each is opened once, with its factors added up."""
    factors: dict[Term, int] = {term: 1}
    sums = [(-term.serial, term)]  # a term is younger than those that it is made of, so its users come before it
    found: dict[Term, None] = {}
    while sums:
        _, one = heapq.heappop(sums)
        for factor, part in _own_parts(factors[one], one):
            if part not in factors:
                if opens(part):
                    assert isinstance(part, Apply)
                    heapq.heappush(sums, (-part.serial, part))
                else:
                    found[part] = None
            factors[part] = factors.get(part, 0) + factor
    return [(factors[part], part) for part in found if factors[part]]


def opened(term: Term, inner: set[Term], factor: int = 1) -> Parts:
    """Return the parts of a term where it is an inner sum; else the term itself."""
    return linear_parts(term, inner, factor) if term in inner and is_linear(term) else [(factor, term)]


def difference(term: Apply, inner: set[Term]) -> Parts:
    """Return the parts of left side minus right side of a comparison; |t| counts as t.

    There are none where no side is an inner sum.
    """
    sides = [arg.args[0] if arg in inner and _named(arg, "abs") else arg for arg in term.args]  # type: ignore[attr-defined]
    if not any(side in inner and is_linear(side) for side in sides):
        return []
    return [*opened(sides[0], inner), *opened(sides[1], inner, -1)]


def inner_terms(order: Sequence[Term], keep: set[Term]) -> set[Term]:
    """Return terms that are used once, by a term that is made of their parts: they need no diagram of their own.

    Sums inside sums and in comparisons; the largest of several, and a distance from 0, in comparisons.
    """
    uses: dict[Term, int] = {}
    user: dict[Term, Term] = {}
    for term in order:
        for child in children(term):
            uses[child] = uses.get(child, 0) + 1
            user[child] = term
    inner: set[Term] = set()
    for term in reversed(order):  # users first
        if isinstance(term, Apply) and uses.get(term) == 1 and term not in keep and _is_opened(term, user[term], inner):
            inner.add(term)
    return inner


def _is_opened(term: Apply, by: Term, inner: set[Term]) -> bool:
    """Return True if the term ``by`` uses the parts of ``term`` instead of its value."""
    assert isinstance(by, Apply) or not is_linear(by)
    if is_linear(term):
        return is_linear(by) or is_comparison(by) or (by in inner and _named(by, "abs"))
    if not is_comparison(by) or not are_integers(term.values):
        return False
    assert isinstance(by, Apply)
    ordered = by.operation.name in _ORDERS
    if _named(term, "abs"):
        (other,) = [arg for arg in by.args if arg is not term]
        known = isinstance(other, Const) and type(other.value) is int and other.value >= 0
        return known or (ordered and not _named(other, "abs", "max", "min"))
    return ordered and term is _first_extreme(by)


def _first_extreme(by: Apply) -> Term | None:
    return next((arg for arg in by.args if _named(arg, "max", "min")), None)


def _named(term: Term, *names: str) -> bool:
    return isinstance(term, Apply) and term.operation.name in names


def _own_parts(factor: int, term: Apply) -> Parts:
    if term.operation.name == "add":
        return [(factor, arg) for arg in term.args]
    if term.operation.name == "neg":
        return [(-factor, term.args[0])]
    if term.operation.name == "mul":
        known, other = term.args if _factor(term.args[0]) else term.args[::-1]
        return [(factor * _factor(known), other)]
    return [(factor, term.args[0]), (-factor, term.args[1])]


def _factor(term: Term) -> int:
    """Return the constant that a term is, if it can be a factor; else 0."""
    return term.value if isinstance(term, Const) and type(term.value) is int else 0


def are_integers(values: Values) -> bool:
    """Return True if all values are certainly integers or Booleans."""
    if isinstance(values, IntegerRange):
        return True
    return isinstance(values, frozenset) and all(isinstance(value, int) for value in values)
