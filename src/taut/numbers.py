"""Exact numbers as users write them, and rigorous balls where ``exp`` makes exactness impossible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.errors import InvalidNumber, InvalidProbability

__all__ = [
    "INFINITY",
    "Ball",
    "exact",
    "exp",
    "fraction_of_text",
    "in_groups",
    "in_precision",
    "is_number",
    "large",
    "may_be_equal",
    "number",
    "probability",
    "quotient",
]

INFINITY = math.inf
_PRECISION = 256
_MAX_EXPONENT = 10_000


class Ball:
    """A real number known to lie within ``radius`` of ``mid``; arithmetic keeps that promise.

    >>> half = exp("-1") / exp("-1") / 2
    >>> abs(float(half) - 0.5) < 1e-15, half.radius < 1e-70
    (True, True)
    """

    __slots__ = ("arb",)
    arb: Any

    def __init__(self, value: Any) -> None:
        self.arb = value if isinstance(value, flint.arb) else _arb(value)

    @property
    def mid(self) -> Fraction:
        """The centre, exactly."""
        return _dyadic(self.arb.mid())

    @property
    def radius(self) -> Fraction:
        """The radius, exactly."""
        return _dyadic(self.arb.rad())

    @property
    def lower(self) -> Fraction:
        return self.mid - self.radius

    @property
    def upper(self) -> Fraction:
        return self.mid + self.radius

    def contains(self, value: Fraction | int) -> bool:
        """Whether the number may be ``value``."""
        return self.lower <= value <= self.upper

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, (Ball, Fraction, int, float)):
            return NotImplemented
        with flint.ctx.workprec(_PRECISION):
            return Ball(operation(self.arb, other.arb if isinstance(other, Ball) else _arb(exact(other))))

    def __add__(self, other: object) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: object) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: object) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: object) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: object) -> Any:
        return self._with(other, _quotient)

    def __rtruediv__(self, other: object) -> Any:
        return self._with(other, lambda a, b: _quotient(b, a))

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> Any:
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            return NotImplemented
        with flint.ctx.workprec(_PRECISION):
            return Ball(self.arb**exponent if exponent >= 0 else 1 / self.arb**-exponent)

    def __neg__(self) -> Ball:
        return Ball(-self.arb)

    def __abs__(self) -> Ball:
        return Ball(abs(self.arb))

    def _compare(self, other: object, operation: Callable[[Any, Any], bool], name: str) -> Any:
        if not isinstance(other, (Ball, Fraction, int, float)):
            return NotImplemented
        with flint.ctx.workprec(_PRECISION):
            that = other.arb if isinstance(other, Ball) else _arb(exact(other))
            if operation(self.arb, that):
                return True
            if self.arb.overlaps(that) and not (self.arb.is_exact() and that.is_exact()):
                raise InvalidNumber(
                    f"{self} {name} {other}: the two balls overlap, so the comparison is undecided.", value=self
                )
            return False

    def __lt__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: bool(a < b), "<")

    def __le__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: bool(a <= b), "<=")

    def __gt__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: bool(a > b), ">")

    def __ge__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: bool(a >= b), ">=")

    def __eq__(self, other: object) -> bool:
        """The same ball (not: the same number, which two balls can never show)."""
        if isinstance(other, Ball):
            return self.mid == other.mid and self.radius == other.radius
        if isinstance(other, (int, Fraction)):
            return self.radius == 0 and self.mid == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.mid) if self.radius == 0 else hash((self.mid, self.radius))

    def __float__(self) -> float:
        try:
            return float(self.mid)
        except OverflowError:
            return math.copysign(math.inf, self.mid)

    def __repr__(self) -> str:
        near = float(self)
        mid = f"{near:.17g}" if 1e-300 < abs(near) < 1e300 else self.arb.mid().str(17, radius=False)
        return f"Ball({mid} ± {self.arb.rad().str(2, radius=False)})"


def exp(power: Any) -> Ball:
    """e to a power, as a ball; of an exact power its radius is below 1e-70 times its size.

    >>> float(exp("-5"))
    0.006737946999085467
    """
    value = number(power, "exp")
    with flint.ctx.workprec(_PRECISION):
        result = (value.arb if isinstance(value, Ball) else _arb(value)).exp()
        if not result.is_finite() or abs(float(value)) > 1e6:
            raise InvalidNumber(f"exp({power!r}): the power must lie between -1000000 and 1000000.", value=power)
        return Ball(result)


def number(value: Any, what: str) -> Fraction | Ball:
    """Read a number exactly: int, Fraction, Ball, text such as '1/5' or '0.2', or a float as the decimal typed."""
    if isinstance(value, Ball):
        return value
    if isinstance(value, str):
        parsed = fraction_of_text(value)
        if parsed is None:
            raise InvalidNumber(f"{what}: {value!r} is not a number; write it like '1/5', '0.2' or 3.", value=value)
        return parsed
    if is_number(value):
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidNumber(f"{what}: must be finite; got {value}.", value=value)
        return Fraction(exact(value))
    raise InvalidNumber(
        f"{what}: expected a number (Fraction, int, float or text like '1/5'); got {_shown(value)}.", value=value
    )


def probability(value: Any, what: str) -> Fraction | Ball:
    """Read a probability exactly, or refuse it with its value."""
    parsed = number(value, what)
    low, high = (parsed.lower, parsed.upper) if isinstance(parsed, Ball) else (parsed, parsed)
    if low < 0 or high > 1:
        raise InvalidProbability(f"{what}: probability must lie in [0, 1]; got {parsed}.", value=value)
    return parsed


def in_groups(numbers: Sequence[Any]) -> list[list[int]]:
    """Which numbers, given in increasing order, are to be taken as one: equal ones, and balls that overlap.

    Two balls never show that their numbers are equal; as long as they overlap, nothing shows that they differ.
    """
    groups: list[list[int]] = []
    for place, value in enumerate(numbers):
        if groups and may_be_equal(numbers[groups[-1][-1]], value):
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def may_be_equal(a: Any, b: Any) -> bool:
    """Whether two numbers are equal, or are balls that overlap."""
    if isinstance(a, Ball) and isinstance(b, Ball):
        return bool(a.arb.overlaps(b.arb))
    return bool(a == b)


def in_precision() -> Any:
    """A context in which bare balls are computed as precisely as Balls are."""
    return flint.ctx.workprec(_PRECISION)


def large(count: int) -> str:
    """A count for messages: exactly, or as a power of two where nobody would read its digits."""
    return str(count) if count < 10**18 else f"about 2^{count.bit_length() - 1}"


def quotient(p: Any, q: Any) -> Any:
    """p / q for probabilities: infinity where only q is zero, None for 0 / 0 (what neither of the two can give)."""
    if p == 0:
        return None if q == 0 else p * 0
    return INFINITY if q == 0 else p / q


def exact(value: Any) -> Any:
    """A float as the decimal its author typed, every other number as it is (ints as Fractions)."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidNumber(f"a number must be finite; got {value}.", value=value)
        return Fraction(repr(float(value)))
    if isinstance(value, Ball):
        return value
    return Fraction(value)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, Fraction, float))


def fraction_of_text(text: str) -> Fraction | None:
    """The exact value of '1/5', '0.2', '2e-3' or '7'; None if the text is no finite number."""
    _, _, power = text.strip().lower().partition("e")
    try:
        if power and abs(int(power)) > _MAX_EXPONENT:
            return None
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        return None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _quotient(a: Any, b: Any) -> Any:
    if b.contains(0):
        raise InvalidNumber(f"division by a ball that contains 0: {b}.", value=b)
    return a / b


def _arb(value: Any) -> Any:
    with flint.ctx.workprec(_PRECISION):
        ratio = Fraction(value)
        return flint.arb(flint.fmpq(ratio.numerator, ratio.denominator))


def _dyadic(exact_arb: Any) -> Fraction:
    mantissa, power = exact_arb.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(power)
