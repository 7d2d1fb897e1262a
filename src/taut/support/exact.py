"""Exact numbers as users write them, and rigorous balls where ``exp`` makes exactness impossible."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.exponentials import Exponential
from taut.support.algebra.expression import Expression, Frozen
from taut.support.algebra.polynomial import Arithmetic, to_flint
from taut.support.errors import InvalidNumber, InvalidProbability, shortened

__all__ = [
    "INFINITY",
    "Ball",
    "ball_of",
    "decimal",
    "enclosing",
    "ends",
    "exact",
    "exact_text",
    "exp",
    "float_above",
    "fraction_of_text",
    "in_groups",
    "in_precision",
    "is_number",
    "large",
    "largest",
    "may_be_equal",
    "number",
    "number_or_expression",
    "probability",
    "quotient",
    "smallest",
    "surely_above",
    "surely_at_most",
    "surely_zero",
]

INFINITY = math.inf
_PRECISION = 256
_MAX_EXPONENT = 10_000


class Ball(Arithmetic):
    """A real number known to lie within ``radius`` of ``mid``; arithmetic keeps that promise.

    ``form`` is the number exactly, if it was made from powers of e by a few operations; else None. It decides
    comparisons of balls that overlap.

    >>> half = exp("-1") / exp("-1") / 2
    >>> abs(float(half) - 0.5) < 1e-15, half.radius < 1e-70
    (True, True)
    """

    __slots__ = ("arb", "form")
    arb: Any
    form: Exponential | None

    def __init__(self, value: Any, form: Exponential | None = None) -> None:
        if isinstance(value, flint.arb):
            self.arb, self.form = value, form
        else:
            self.arb, self.form = _arb(value), Exponential.of(Fraction(value))

    @property
    def mid(self) -> Fraction:
        """Return the centre exactly."""
        return _dyadic(self.arb.mid())

    @property
    def radius(self) -> Fraction:
        """Return the radius exactly."""
        return _dyadic(self.arb.rad())

    @property
    def lower(self) -> Fraction:
        return self.mid - self.radius

    @property
    def upper(self) -> Fraction:
        return self.mid + self.radius

    def contains(self, value: Fraction | int) -> bool:
        """Return True if ``value`` lies in the ball."""
        return self.lower <= value <= self.upper

    def _with(self, other: object, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        if not isinstance(other, (Ball, Fraction, int, float)):
            return NotImplemented
        form = None
        if self.form is not None:
            that = _form_of(other)
            if that is not None:
                form = _FORMAL[operation](*((that, self.form) if swapped else (self.form, that)))
        with flint.ctx.workprec(_PRECISION):
            that = other.arb if isinstance(other, Ball) else _arb(exact(other))
            return Ball(operation(that, self.arb) if swapped else operation(self.arb, that), form)

    def __truediv__(self, other: object) -> Any:
        return self._with(other, _quotient)

    def __rtruediv__(self, other: object) -> Any:
        return self._with(other, _quotient, swapped=True)

    def __pow__(self, exponent: object) -> Any:
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            return NotImplemented
        with flint.ctx.workprec(_PRECISION):
            power = _power(self.arb, exponent) if exponent >= 0 else 1 / _power(self.arb, -exponent)
        return Ball(power, None if self.form is None else self.form**exponent)

    def __neg__(self) -> Ball:
        with flint.ctx.workprec(_PRECISION):  # else it is rounded to the digits of a float
            return Ball(-self.arb, None if self.form is None else -self.form)

    def __abs__(self) -> Ball:
        with flint.ctx.workprec(_PRECISION):
            return Ball(abs(self.arb))

    def _compare(self, other: object, operation: Callable[[Any, Any], bool], name: str) -> Any:
        if not isinstance(other, (Ball, Fraction, int, float)):
            return NotImplemented
        with flint.ctx.workprec(_PRECISION):
            that = other.arb if isinstance(other, Ball) else _arb(exact(other))
            if operation(self.arb, that):
                return True
            if self.arb.overlaps(that) and not (self.arb.is_exact() and that.is_exact()):
                order = _order(self, other)
                if order is not None:
                    return operation(order, 0)
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
        """Return True if both are the same ball; two balls can never show that their numbers are equal."""
        if isinstance(other, Ball):
            return self.parts() == other.parts()
        if isinstance(other, (int, Fraction)):
            return self.radius == 0 and self.mid == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.mid) if self.arb.is_exact() else hash(self.parts())

    def __float__(self) -> float:
        try:
            return float(self.mid)
        except OverflowError:
            return math.inf if self.mid > 0 else -math.inf

    def __reduce__(self) -> tuple[Any, ...]:
        return ball_of, (*self.parts(), self.form)

    def parts(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return centre and radius, each as an odd mantissa (or 0) and a power of two: unique for equal balls."""
        mid, radius = self.arb.mid().man_exp(), self.arb.rad().man_exp()
        return (int(mid[0]), int(mid[1])), (int(radius[0]), int(radius[1]))

    def __repr__(self) -> str:
        return f"Ball({decimal(self.mid, 17)} ± {decimal(self.radius, 2)})"


def exp(power: Any) -> Ball:
    """Return e to a power as a ball; for an exact power the relative radius is below 1e-70.

    >>> float(exp("-5"))
    0.006737946999085467
    """
    if isinstance(power, Expression):
        raise InvalidNumber(
            f"exp({power}): the exponential of a parameter that is left free is not a rational function; leave the "
            "ratio or the base free instead.",
            value=power,
        )
    value = number(power, "exp")
    with flint.ctx.workprec(_PRECISION):
        if abs(value.mid if isinstance(value, Ball) else value) > 1_000_000:
            raise InvalidNumber(f"exp({power!r}): the power must lie between -1000000 and 1000000.", value=power)
        return Ball(value.arb.exp()) if isinstance(value, Ball) else _exp(value)


@functools.lru_cache(maxsize=1 << 12)
def _exp(power: Fraction) -> Ball:
    # one object per power: two weights are known to be the same number if they are the same object
    return Ball(_arb(power).exp(), Exponential.of(Fraction(1), power))


def number(value: Any, what: str) -> Fraction | Ball:
    """Read a number exactly: int, Fraction, Ball, text such as '1/5' or '0.2', or a float as the decimal typed."""
    if isinstance(value, Ball):
        return value
    if isinstance(value, Expression):
        raise InvalidNumber(f"{what}: a number is needed here; {value} has a parameter that is left free.", value=value)
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


def number_or_expression(value: Any, what: str) -> Any:
    """Read an exact number or an expression in parameters; a constant expression becomes a Fraction."""
    if not isinstance(value, (Expression, Frozen)):
        return number(value, what)
    expression = value.expression if isinstance(value, Frozen) else value
    constant = expression.constant()
    return expression if constant is None else constant


def probability(value: Any, what: str) -> Any:
    """Read a probability exactly; refuse a value, or an expression with some value, outside [0, 1]."""
    parsed = number_or_expression(value, what)
    if isinstance(parsed, Expression):
        place = parsed.place({-1}) or (1 - parsed).place({-1})
        if place is not None:
            raise InvalidProbability(
                f"{what}: probability must lie in [0, 1]; {parsed} does not at {place}.", value=value
            )
        return parsed
    low, high = (parsed.lower, parsed.upper) if isinstance(parsed, Ball) else (parsed, parsed)
    if low < 0 or high > 1:
        raise InvalidProbability(f"{what}: probability must lie in [0, 1]; got {parsed}.", value=value)
    return parsed


def surely_zero(value: Any) -> bool:
    """Return True if a weight is 0; for an expression, if it is 0 for all parameters."""
    return value.constant() == 0 if isinstance(value, Expression) else bool(value == 0)


def ends(value: Any) -> tuple[Any, Any]:
    """Return the least and the largest number that a value may be: the ends of a ball, or an exact number twice."""
    if not isinstance(value, Ball):
        return value, value
    mid, radius = value.mid, value.radius
    return mid - radius, mid + radius


def largest(values: Iterable[Any]) -> Any:
    """Return the maximum of some numbers; for balls, a ball from the largest lower end to the largest upper end.

    >>> wide, narrow = Ball(5) + Ball(flint.arb(0, 10)), Ball(10)
    >>> [round(float(end), 6) for end in ends(largest([wide, narrow]))]
    [10.0, 15.0]
    """
    return _extreme(list(values), max)


def smallest(values: Iterable[Any]) -> Any:
    """Return the minimum of some numbers; for balls, a ball from the smallest lower end to the smallest upper end."""
    return _extreme(list(values), min)


def _extreme(values: list[Any], choose: Callable[[Iterable[Any]], Any]) -> Any:
    lower, upper = (choose(end) for end in zip(*map(ends, values), strict=True))
    known = next((value for value in values if ends(value) == (lower, upper)), None)
    if known is not None:
        return known
    near = [value for value in values if ends(value)[0] <= upper and ends(value)[1] >= lower]
    if all(_order(value, near[0]) == 0 for value in near[1:]):
        return near[0]
    with in_precision():
        return Ball(_arb(lower).union(_arb(upper)))


def in_groups(numbers: Sequence[Any]) -> list[list[int]]:
    """Group the positions of numbers that may be equal, smallest first: equal numbers, and chains of overlapping balls.

    Two balls never show that their numbers are equal; as long as they overlap, nothing shows that they differ.
    """
    groups: list[list[int]] = []
    top: Any = None
    for lower, position in sorted((ends(value)[0], position) for position, value in enumerate(numbers)):
        upper = ends(numbers[position])[1]
        if groups and lower <= top:
            groups[-1].append(position)
            top = max(top, upper)
        else:
            groups.append([position])
            top = upper
    return groups


def may_be_equal(a: Any, b: Any) -> bool:
    """Return True if two numbers are equal, or if one is a ball and the other lies in it, or overlaps it."""
    if not (isinstance(a, Ball) or isinstance(b, Ball)):
        return bool(a == b)
    (low, high), (least, most) = ends(a), ends(b)
    return bool(low <= most and least <= high) and _order(a, b) in (None, 0)


def surely_at_most(a: Any, b: Any) -> bool:
    """Return True if ``a`` is certainly not larger than ``b``.

    >>> surely_at_most(exp("1/3") ** 3, exp(1)), surely_at_most(exp(1), 2)
    (True, False)
    """
    if INFINITY in (a, b):
        return bool(b == INFINITY)
    return surely_above(a, b) is False


def enclosing(a: Ball, b: Ball) -> Ball:
    """Return a ball that holds both; of balls with the same form the first, since they are one number."""
    if _order(a, b) == 0:
        return a
    with in_precision():
        return Ball(a.arb.union(b.arb))


def surely_above(a: Any, b: Any) -> bool | None:
    """Return True if ``a`` is larger than ``b``; None if balls overlap, so that the comparison is undecided.

    >>> surely_above(exp(1), 2), surely_above(exp(1), exp("1/2") ** 2), surely_above(Fraction(1), Fraction(1))
    (True, False, False)
    """
    (a_low, a_high), (b_low, b_high) = ends(a), ends(b)
    if a_low > b_high or a_high <= b_low:
        return bool(a_low > b_high)
    order = _order(a, b)
    return None if order is None else order > 0


def in_precision() -> Any:
    """Return a context in which Flint computes with the precision of ``Ball``."""
    return flint.ctx.workprec(_PRECISION)


def large(count: int) -> str:
    """Format a count for messages: exactly, or as a power of two if it is very large."""
    return str(count) if count < 10**18 else f"about 2^{count.bit_length() - 1}"


def decimal(value: Any, digits: int = 10) -> str:
    """Format a number with ``digits`` digits, however large or small; a ball is represented by its centre.

    >>> decimal(Fraction(1, 3), 4), decimal(Fraction(10) ** 400, 4)
    ('0.3333', '1.000e+400')
    """
    if abs(value) == INFINITY:
        return "inf" if value > 0 else "-inf"
    exactly = Fraction(value.mid if isinstance(value, Ball) else value)
    if exactly == 0 or Fraction(1, 10**300) < abs(exactly) < 10**300:
        return f"{float(exactly):.{digits}g}"
    with flint.ctx.workprec(_PRECISION):
        text: str = _arb(exactly).str(digits, radius=False)
    return text


def exact_text(value: Fraction | int) -> str:
    """Format a fraction as 'p/q' or 'p', also with more digits than Python converts by default."""
    top = flint.fmpz(value.numerator).str()
    return top if value.denominator == 1 else f"{top}/{flint.fmpz(value.denominator).str()}"


def quotient(p: Any, q: Any) -> Any:
    """Return p / q for probabilities: infinity if only q is zero, None for 0 / 0."""
    if p == 0:
        return None if q == 0 else p * 0
    return INFINITY if q == 0 else p / q


def exact(value: Any) -> Any:
    """Return a float as the decimal that its author typed, an int as a Fraction, and other numbers unchanged."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidNumber(f"a number must be finite; got {value}.", value=value)
        return Fraction(repr(float(value)))
    if isinstance(value, Ball):
        return value
    return Fraction(value)


def float_above(value: Any) -> float:
    """Return the smallest float that is not below a number; INFINITY if there is no such float."""
    if abs(value) == INFINITY:
        return float(value)
    try:
        guess = float(value)
    except OverflowError:
        return INFINITY if value > 0 else -math.nextafter(INFINITY, 0)
    while Fraction(guess) < value:
        guess = math.nextafter(guess, INFINITY)
        if guess == INFINITY:
            return guess
    while Fraction(math.nextafter(guess, -INFINITY)) >= value:
        guess = math.nextafter(guess, -INFINITY)
    return guess


def is_number(value: Any) -> bool:
    return isinstance(value, (int, Fraction, float))


def fraction_of_text(text: str) -> Fraction | None:
    """Return the exact value of '1/5', '0.2', '2e-3' or '7'; None if the text is not a finite number."""
    _, _, power = text.strip().lower().partition("e")
    try:
        if power and abs(int(power)) > _MAX_EXPONENT:
            return None
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        return None


def _shown(value: Any) -> str:
    return shortened(repr(value))


def _quotient(a: Any, b: Any) -> Any:
    if b.contains(0):
        raise InvalidNumber(f"division by a ball that contains 0: {b}.", value=b)
    return a / b


_FORMAL: dict[Any, Callable[[Any, Any], Exponential | None]] = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    _quotient: operator.truediv,
}


def _form_of(value: Any) -> Exponential | None:
    return value.form if isinstance(value, Ball) else Exponential.of(Fraction(exact(value)))


def _order(a: Any, b: Any) -> int | None:
    """Return the sign of a - b by the forms of two balls, one of them perhaps a rational number; None if undecided."""
    one, other = _form_of(a), _form_of(b)
    if one is None or other is None:
        return None
    same = one.same(other)
    if same is not False:
        return None if same is None else 0
    above = one.above(other)
    return None if above is None else 1 if above else -1


def _power(base: Any, exponent: int) -> Any:
    """Return an integer power; Flint alone fails for a ball around zero."""
    if base.is_exact() or not base.contains(0):
        return base**exponent
    if exponent == 0:
        return flint.arb(1)
    low, high = base.lower() ** exponent, base.upper() ** exponent
    return low.union(high) if exponent % 2 else low.union(high).union(flint.arb(0))


def _arb(value: Any) -> Any:
    with flint.ctx.workprec(_PRECISION):
        return flint.arb(to_flint(Fraction(value)))


def ball_of(mid: tuple[int, int], radius: tuple[int, int], form: Exponential | None = None) -> Ball:
    """Return the ball with this centre and radius, each a mantissa and a power of two, and with its form.

    Flint rounds a radius up by one unit of its 30 bits, so the radius passed to it is one unit smaller.
    """
    mantissa, power = radius
    return Ball(flint.arb(mid, ((mantissa << 64) - 1, power - 64)) if mantissa else flint.arb(mid), form)


def _dyadic(exact_arb: Any) -> Fraction:
    mantissa, power = map(int, exact_arb.man_exp())
    return Fraction(mantissa << power) if power >= 0 else Fraction(mantissa, 1 << -power)
