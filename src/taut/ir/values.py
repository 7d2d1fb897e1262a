"""Which values a term can take: a small set, an interval of integers, or unknown; always at least the true ones."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.algebra.expression import Frozen
from taut.ir.operations import UNDEFINED, Operation
from taut.numbers import Ball

__all__ = ["ANY", "BOOLEAN", "Interval", "Values", "are_exact", "image", "may_be_undecided", "union"]

_SMALL = 256
_PRODUCT = 4096


@dataclass(frozen=True)
class Interval:
    """All integers from low to high."""

    low: int
    high: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def __len__(self) -> int:
        return min(self.high - self.low + 1, sys.maxsize)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high


class Anything:
    """No knowledge at all."""

    def __contains__(self, value: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "ANY"


ANY = Anything()
Values = frozenset[Any] | Interval | Anything


def are_exact(values: Values) -> bool:
    """Whether all values are surely exact numbers, whose sums are the same in any order.

    Sums of balls are not: each addition rounds, and a ball is known by its centre and radius.
    """
    if isinstance(values, frozenset):
        return all(isinstance(value, (int, float, Fraction, Frozen)) for value in values)
    return isinstance(values, Interval)


def may_be_undecided(values: Values) -> bool:
    """Whether some values are balls or functions of parameters, which need not be comparable with others."""
    return isinstance(values, frozenset) and any(isinstance(value, (Ball, Frozen)) for value in values)


def union(parts: Iterable[Values]) -> Values:
    """What a value taken from one of the parts can be."""
    sets: list[frozenset[Any]] = []
    intervals = []
    for part in parts:
        if isinstance(part, Anything):
            return ANY
        if isinstance(part, Interval):
            intervals.append(part)
        else:
            sets.append(part)
    found = sets[0] if len(sets) == 1 else _joined(sets)
    if not intervals and len(found) <= _SMALL:
        return found
    return _hull(found, intervals)


def _joined(sets: list[frozenset[Any]]) -> frozenset[Any]:
    """The union; of equal values the most telling is kept, so that only Booleans look like Booleans."""
    found = {value for part in sets for value in part if not isinstance(value, int)}
    found.update(value for part in sets for value in part if not isinstance(value, bool))
    return frozenset(found.union(*sets))


def _telling(value: Any) -> int:
    """Rank equal values: only integers look like integers, and only Booleans like Booleans."""
    return 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2


def image(operation: Operation, parts: tuple[Values, ...]) -> tuple[Values, str | None]:
    """What the operation can give on these arguments, and why it may fail (None: it cannot)."""
    sizes = 1
    for part in parts:
        if isinstance(part, Anything):
            return _EITHER if operation.name in BOOLEAN else ANY, "it may fail"
        sizes *= len(part)
        if sizes > _PRODUCT:
            return _interval_image(operation, parts)
    return _exhaustive_image(operation, parts)


def _exhaustive_image(operation: Operation, parts: tuple[Values, ...]) -> tuple[Values, str | None]:
    found: dict[Any, Any] = {}
    failure = None
    if operation.name not in _BLIND:
        parts = tuple(_either_type(part) for part in parts)
    for values in itertools.product(*[iter(part) for part in parts if not isinstance(part, Anything)]):
        value = operation(*values)
        if value is UNDEFINED:
            failure = failure or operation.failure(*values)
        else:
            known = found.get(value, value)
            found[value] = value if _telling(value) >= _telling(known) else known
    results = frozenset(found.values())
    return union([results]) if len(found) <= _SMALL else _hull(results, []), failure


def _either_type(part: Any) -> Any:
    """The integers 0 and 1 may be False and True, unless all are Booleans."""
    if isinstance(part, frozenset) and part and all(isinstance(v, bool) for v in part):
        return part
    plain = [int(v) if isinstance(v, bool) else v for v in part]
    return [*plain, *[bool(v) for v in plain if type(v) is int and 0 <= v <= 1]]


def _interval_image(operation: Operation, parts: tuple[Values, ...]) -> tuple[Values, str | None]:
    rule = _RULES.get(operation.name)
    hulls = [_hull(part, []) if isinstance(part, frozenset) else part for part in parts]
    if operation.name in BOOLEAN:
        failure = None if operation.name in _TOTAL or _integers(hulls) else "it may fail"
        return _comparison(operation.name, hulls) if _integers(hulls) else _EITHER, failure
    if rule is None or not _integers(hulls):
        return ANY, "it may fail"
    return rule(*hulls)


def _comparison(name: str, hulls: list[Values]) -> frozenset[Any]:
    """The outcomes of comparing two intervals: one only, if they do not overlap in the way that matters."""
    if name not in _ORDER:
        return _EITHER
    a, b = hulls
    assert isinstance(a, Interval) and isinstance(b, Interval)
    if name in ("gt", "ge"):
        a, b, name = b, a, {"gt": "lt", "ge": "le"}[name]
    if name == "lt":
        return frozenset({True}) if a.high < b.low else frozenset({False}) if a.low >= b.high else _EITHER
    if name == "le":
        return frozenset({True}) if a.high <= b.low else frozenset({False}) if a.low > b.high else _EITHER
    apart = a.high < b.low or b.high < a.low
    return frozenset({name == "ne"}) if apart else _EITHER


def _integers(hulls: list[Values]) -> bool:
    return all(isinstance(hull, Interval) for hull in hulls)


def _hull(found: frozenset[Any], intervals: list[Interval]) -> Values:
    if not all(isinstance(value, int) for value in found):
        return ANY
    lows = [int(value) for value in found] + [interval.low for interval in intervals]
    highs = [int(value) for value in found] + [interval.high for interval in intervals]
    return Interval(min(lows), max(highs))


def _corners(function: Callable[[int, int], int]) -> Callable[[Interval, Interval], tuple[Values, str | None]]:
    def rule(a: Interval, b: Interval) -> tuple[Values, str | None]:
        ends = [function(p, q) for p in (a.low, a.high) for q in (b.low, b.high)]
        return Interval(min(ends), max(ends)), None

    return rule


def _sum_rule(*parts: Interval) -> tuple[Values, str | None]:
    return Interval(sum(part.low for part in parts), sum(part.high for part in parts)), None


def _floor_division(a: Interval, b: Interval) -> tuple[Values, str | None]:
    failure = "division by zero" if 0 in b else None
    if b.low > 0:
        ends = [p // q for p in (a.low, a.high) for q in (b.low, b.high)]
        return Interval(min(ends), max(ends)), failure
    reach = max(abs(a.low), abs(a.high)) + 1
    return Interval(-reach, reach), failure


def _modulo(a: Interval, b: Interval) -> tuple[Values, str | None]:
    failure = "division by zero" if 0 in b else None
    if a.low >= 0 and b.low > 0:
        return Interval(0, min(a.high, b.high - 1)), failure
    return Interval(min(0, b.low + 1), max(0, b.high - 1)), failure


def _absolute(a: Interval) -> tuple[Values, str | None]:
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Interval(low, max(abs(a.low), abs(a.high))), None


def _minimum(*parts: Interval) -> tuple[Values, str | None]:
    return Interval(min(part.low for part in parts), min(part.high for part in parts)), None


def _maximum(*parts: Interval) -> tuple[Values, str | None]:
    return Interval(max(part.low for part in parts), max(part.high for part in parts)), None


def _negation(a: Interval) -> tuple[Values, str | None]:
    return Interval(-a.high, -a.low), None


def _bitwise(a: Interval, b: Interval) -> tuple[Values, str | None]:
    if a.low < 0 or b.low < 0:
        return ANY, None
    return Interval(0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1), None


_RULES: dict[str, Callable[..., tuple[Values, str | None]]] = {
    "add": _sum_rule,
    "sub": _corners(lambda p, q: p - q),
    "mul": _corners(lambda p, q: p * q),
    "floordiv": _floor_division,
    "mod": _modulo,
    "abs": _absolute,
    "neg": _negation,
    "min": _minimum,
    "max": _maximum,
    "bitand": _bitwise,
    "bitor": _bitwise,
    "bitxor": _bitwise,
}
_EITHER = frozenset({False, True})
_ORDER = {"eq", "ne", "lt", "le", "gt", "ge"}
BOOLEAN = {"eq", "ne", "lt", "le", "gt", "ge", "same", "truth", "not", "and", "or", "defined"}
_TOTAL = {"eq", "ne", "same", "truth", "not", "and", "or", "defined"}
_BLIND = {*_RULES, *BOOLEAN, "pow", "pos", "truediv", "lshift", "rshift"} - {"same"}
"""Operations that give the same on True as on 1."""
