"""Abstract values of terms, always a superset of the true ones: a small set, an interval of integers, or unknown."""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from taut.program.digits import within
from taut.program.operations import UNDEFINED, Operation
from taut.support.algebra.expression import Frozen
from taut.support.exact import Ball

__all__ = ["ANY", "BOOLEAN", "GATHERED", "IntegerRange", "Values", "are_exact", "image", "may_be_undecided", "union"]

_SMALL = 256
_PRODUCT = 4096


@dataclass(frozen=True)
class IntegerRange:
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
    """Any value: nothing is known."""

    def __contains__(self, value: object) -> bool:
        return True

    def __bool__(self) -> NoReturn:
        raise AssertionError("unknown values are neither some nor none")

    def __repr__(self) -> str:
        return "ANY"


ANY = Anything()
Values = frozenset[Any] | IntegerRange | Anything


def are_exact(values: Values) -> bool:
    """Return True if all values are exact numbers, whose sums do not depend on the order.

    Sums of balls are not: each addition rounds, and a ball is known by its centre and radius.
    """
    if isinstance(values, frozenset):
        return all(isinstance(value, (int, float, Fraction, Frozen)) for value in values)
    return isinstance(values, IntegerRange)


def may_be_undecided(values: Values) -> bool:
    """Return True if some values are balls or functions of parameters, which may be incomparable."""
    return isinstance(values, frozenset) and any(isinstance(value, (Ball, Frozen)) for value in values)


def union(parts: Iterable[Values]) -> Values:
    """Return the possible values of a choice among the parts."""
    sets: list[frozenset[Any]] = []
    intervals = []
    for part in parts:
        if isinstance(part, Anything):
            return ANY
        if isinstance(part, IntegerRange):
            intervals.append(part)
        else:
            sets.append(part)
    different = list({id(part): part for part in sets}.values())  # draws of one distribution share theirs
    found = different[0] if len(different) == 1 else _joined(different)
    if not intervals and len(found) <= _SMALL:
        return found
    return _hull(found, intervals)


def _joined(sets: list[frozenset[Any]]) -> frozenset[Any]:
    """Return the union; of equal values a fraction is preferred to an integer, and an integer to a Boolean."""
    found = {value for part in sets for value in part if not isinstance(value, int)}
    found.update(value for part in sets for value in part if not isinstance(value, bool))
    return frozenset(found.union(*sets))


def _telling(value: Any) -> int:
    """Rank equal values by type: Booleans first, then integers, then other numbers."""
    return 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2


def image(operation: Operation, parts: tuple[Values, ...]) -> tuple[Values, str | None]:
    """Return the possible results of the operation, and the reason why it may fail (None: it cannot)."""
    if operation.name in _ORDER:
        known = _compared_with_one(operation.name, *parts)
        if known is not None:
            return known, None
    elif operation.name == "add" and len(parts) == 2:
        found = _small_sum(*parts)
        if found is not None:
            return found, None
        if _adds_to_range(*parts):
            return _interval_image(operation, parts)  # a sum has at least as many values as each part
    sizes = 1
    for part in parts:
        if isinstance(part, Anything):
            return _EITHER if operation.name in BOOLEAN else ANY, "it may fail"
        sizes *= len(part)
        if sizes > _PRODUCT:
            return _interval_image(operation, parts)
    return _exhaustive_image(operation, parts)


def _small_sum(one: Values, other: Values) -> Values | None:
    """Return the sums of two small sets of integers, of which a loop over entries makes very many."""
    if not (isinstance(one, frozenset) and isinstance(other, frozenset) and len(one) * len(other) <= _PRODUCT):
        return None
    if _whole_ends(one) is None or _whole_ends(other) is None:
        return None
    return union([frozenset({a + b for a in one for b in other})])


def _adds_to_range(one: Values, other: Values) -> bool:
    """Return True if a range of integers that is no small set is added to integers."""
    if not isinstance(one, IntegerRange):
        one, other = other, one
    if not isinstance(one, IntegerRange) or len(one) <= _SMALL or isinstance(other, Anything):
        return False
    return _whole_ends(other) is not None


def _compared_with_one(name: str, one: Values, other: Values) -> frozenset[Any] | None:
    """Return the outcomes of comparing many integers with a single one, as a loop over entries does."""
    if isinstance(one, frozenset) and len(one) == 1:
        one, other, name = other, one, _MIRRORED.get(name, name)
    if not (isinstance(other, frozenset) and len(other) == 1) or isinstance(one, Anything):
        return None
    (wanted,) = other
    found = _whole_ends(one) if isinstance(wanted, int) else None
    if found is None:
        return None
    low, high = found
    if name in ("eq", "ne"):
        equal = wanted in one
        outcomes = {equal, equal and len(one) == 1}
        return frozenset(outcomes if name == "eq" else {not outcome for outcome in outcomes})
    compare = _COMPARE[name]
    return frozenset({compare(low, wanted), compare(high, wanted)})


@functools.lru_cache(maxsize=1 << 12)
def _whole_ends(values: frozenset[Any] | IntegerRange) -> tuple[int, int] | None:
    """Return the least and the largest of some integers; None if there are others."""
    if isinstance(values, IntegerRange):
        return values.low, values.high
    return (min(values), max(values)) if values and all(isinstance(value, int) for value in values) else None


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
    """Return the part with False and True added to 0 and 1, unless all its values are Booleans."""
    if isinstance(part, frozenset) and part and all(isinstance(v, bool) for v in part):
        return part
    plain = [int(v) if isinstance(v, bool) else v for v in part]
    return [*plain, *[bool(v) for v in plain if type(v) is int and 0 <= v <= 1]]


def _interval_image(operation: Operation, parts: tuple[Values, ...]) -> tuple[Values, str | None]:
    rule = _RULES.get(operation.name)
    own = {id(part): part for part in parts}  # the entries of a database share theirs
    wide = {key: _hull(part, []) if isinstance(part, frozenset) else part for key, part in own.items()}
    hulls = [wide[id(part)] for part in parts]
    if operation.name in BOOLEAN:
        failure = None if operation.name in _TOTAL or _integers(hulls) else "it may fail"
        return _comparison(operation.name, hulls) if _integers(hulls) else _EITHER, failure
    if operation.name == "truediv" and _integers(hulls) and _divides(operation, *hulls):
        return ANY, None
    if rule is None or not _integers(hulls):
        return ANY, "it may fail"
    found, failure = rule(*hulls)
    if isinstance(found, IntegerRange):
        try:
            within(max(found.low, found.high, key=abs))
        except OverflowError as problem:
            return ANY, str(problem)
    return found, failure


def _divides(division: Operation, one: Any, other: Any) -> bool:
    """Return True if all integers of one range can be divided by those of another; only large ones can not."""
    ends = itertools.product((one.low, one.high), (other.low, other.high))
    return not other.low <= 0 <= other.high and all(division(a, b) is not UNDEFINED for a, b in ends)


def _comparison(name: str, hulls: list[Values]) -> frozenset[Any]:
    """Return the possible results of comparing two intervals: one if they do not overlap, else both."""
    if name not in _ORDER:
        return _EITHER
    a, b = hulls
    assert isinstance(a, IntegerRange) and isinstance(b, IntegerRange)
    if name in ("gt", "ge"):
        a, b, name = b, a, {"gt": "lt", "ge": "le"}[name]
    if name == "lt":
        return frozenset({True}) if a.high < b.low else frozenset({False}) if a.low >= b.high else _EITHER
    if name == "le":
        return frozenset({True}) if a.high <= b.low else frozenset({False}) if a.low > b.high else _EITHER
    apart = a.high < b.low or b.high < a.low
    return frozenset({name == "ne"}) if apart else _EITHER


def _integers(hulls: list[Values]) -> bool:
    return set(map(type, hulls)) <= {IntegerRange}


def _hull(found: frozenset[Any], intervals: list[IntegerRange]) -> Values:
    if not all(isinstance(value, int) for value in found):
        return ANY
    lows = [int(value) for value in found] + [interval.low for interval in intervals]
    highs = [int(value) for value in found] + [interval.high for interval in intervals]
    return IntegerRange(min(lows), max(highs))


def _corners(function: Callable[[int, int], int]) -> Callable[[IntegerRange, IntegerRange], tuple[Values, str | None]]:
    def rule(a: IntegerRange, b: IntegerRange) -> tuple[Values, str | None]:
        ends = [function(p, q) for p in (a.low, a.high) for q in (b.low, b.high)]
        return IntegerRange(min(ends), max(ends)), None

    return rule


def _sum_rule(*parts: IntegerRange) -> tuple[Values, str | None]:
    return IntegerRange(sum([part.low for part in parts]), sum([part.high for part in parts])), None


def _floor_division(a: IntegerRange, b: IntegerRange) -> tuple[Values, str | None]:
    failure = "division by zero" if 0 in b else None
    if b.low > 0:
        ends = [p // q for p in (a.low, a.high) for q in (b.low, b.high)]
        return IntegerRange(min(ends), max(ends)), failure
    reach = max(abs(a.low), abs(a.high)) + 1
    return IntegerRange(-reach, reach), failure


def _modulo(a: IntegerRange, b: IntegerRange) -> tuple[Values, str | None]:
    failure = "division by zero" if 0 in b else None
    if a.low >= 0 and b.low > 0:
        return IntegerRange(0, min(a.high, b.high - 1)), failure
    return IntegerRange(min(0, b.low + 1), max(0, b.high - 1)), failure


def _absolute(a: IntegerRange) -> tuple[Values, str | None]:
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return IntegerRange(low, max(abs(a.low), abs(a.high))), None


def _minimum(*parts: IntegerRange) -> tuple[Values, str | None]:
    return IntegerRange(min(part.low for part in parts), min(part.high for part in parts)), None


def _maximum(*parts: IntegerRange) -> tuple[Values, str | None]:
    return IntegerRange(max(part.low for part in parts), max(part.high for part in parts)), None


def _negation(a: IntegerRange) -> tuple[Values, str | None]:
    return IntegerRange(-a.high, -a.low), None


def _bitwise(a: IntegerRange, b: IntegerRange) -> tuple[Values, str | None]:
    if a.low < 0 or b.low < 0:
        return ANY, None
    return IntegerRange(0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1), None


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
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_COMPARE = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
_ORDER = {"eq", "ne", "lt", "le", "gt", "ge"}
BOOLEAN = {"eq", "ne", "lt", "le", "gt", "ge", "same", "truth", "not", "and", "or", "defined"}
_TOTAL = {"eq", "ne", "same", "truth", "not", "and", "or", "defined"}
GATHERED = "all of these"
"""The name of the operation that makes a tuple of its arguments; no function of Python has it."""
_BLIND = {*_RULES, *BOOLEAN, GATHERED, "pow", "pos", "truediv", "lshift", "rshift"} - {"same"}
"""Operations with the same result on True as on 1, as far as equality tells."""
