"""Free parameters: unknown numbers from an interval, with which mechanisms compute as with any others."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from taut.support.algebra.polynomial import Arithmetic
from taut.support.algebra.rational import RationalFunction, as_fraction
from taut.support.algebra.roots import Box, Point, place_text, signs_on
from taut.support.errors import InvalidNumber, WrongArguments

__all__ = ["Expression", "Frozen", "Undecided", "expressions", "parameter", "point_text"]


class Undecided(InvalidNumber):
    """A comparison has different results for different values of a parameter."""


def parameter(name: str, low: Any, high: Any) -> Expression:
    """Return a free parameter: an unknown number between ``low`` and ``high``, both included.

    It is accepted wherever a mechanism takes a probability, a ratio or a base, and can be computed with: 1 - lam,
    lam / 2, lam ** 2. A comparison is decided if it comes out the same for all values, and refused if it does not.

    Parameters
    ----------
    name
        What it is called in results.
    low, high
        The interval, closed; numbers or text such as '1/2'.

    Raises
    ------
    WrongArguments
        The name is not an identifier, or low is not below high.

    Examples
    --------
    >>> from taut import bits, parameter
    >>> from taut.mechanisms import randomized_response
    >>> model = randomized_response(bits(2), lam=parameter("lam", 0, "1/2"))
    >>> print(model.probability((0, 1), (0, 0)))
    lam - lam**2
    >>> print(model.privacy().pieces[0].value)
    (1 - lam)/lam
    """
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise WrongArguments(f"parameter: the name must be an identifier such as 'lam'; got {name!r}.", value=name)
    ends = []
    for what, given in (("low", low), ("high", high)):
        if isinstance(given, (bool, Expression, Frozen)):
            raise WrongArguments(f"parameter({name!r}): {what} must be a number; got {given!r}.", value=given)
        ends.append(as_fraction(given, f"parameter({name!r}): {what}"))
    if not ends[0] < ends[1]:
        raise WrongArguments(
            f"parameter({name!r}): low must be below high; got {ends[0]} and {ends[1]}.", value=(low, high)
        )
    return Expression(RationalFunction.unknown(name), {name: (ends[0], ends[1])})


class Expression(Arithmetic):
    """A rational function of parameters, each from an interval; a comparison must have one result on all of them."""

    __slots__ = ("box", "function")
    function: RationalFunction
    box: Box

    def __init__(self, function: RationalFunction, box: Box) -> None:
        self.function, self.box = function, box

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        number = self._operand(other)
        if number is None:
            return NotImplemented
        a, b = (number, self) if swapped else (self, number)
        return Expression(operation(a.function, b.function), joint_box(self.box, number.box))

    def _operand(self, other: Any) -> Expression | None:
        if isinstance(other, Frozen):
            return other.expression
        if isinstance(other, Expression):
            return other
        if isinstance(other, float):
            other = as_fraction(other, "a number")
        if isinstance(other, (int, Fraction)):
            return Expression(self.function * 0 + other, self.box)
        if hasattr(other, "arb"):
            raise InvalidNumber(f"{self} and {other}: exp cannot be mixed with a parameter left free.", value=other)
        return None

    def __truediv__(self, other: Any) -> Any:
        number = self._operand(other)
        return NotImplemented if number is None else self * number.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        number = self._operand(other)
        return NotImplemented if number is None else number * self.inverse()

    def inverse(self) -> Expression:
        """Return the reciprocal; refuse an expression that is 0 somewhere."""
        zero = self.place({0})
        if zero is not None:
            raise ZeroDivisionError(f"division by {self}, which is 0 at {zero}.")
        return Expression(1 / self.function, self.box)

    def __pow__(self, power: Any) -> Any:
        whole = power.numerator if isinstance(power, Fraction) and power.denominator == 1 else power
        if isinstance(whole, bool) or not isinstance(whole, int):
            raise InvalidNumber(f"({self}) ** {power}: the power of a parameter must be a whole number.", value=power)
        return self.inverse() ** -whole if whole < 0 else Expression(self.function**whole, self.box)

    def __rpow__(self, base: Any) -> NoReturn:
        raise InvalidNumber(f"{base} ** ({self}): a parameter cannot be a power; only its base.", value=base)

    def __neg__(self) -> Expression:
        return Expression(-self.function, self.box)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return -self if self < 0 else self

    # -- what must hold for all values ---------------------------------------------------------------------------

    def constant(self) -> Fraction | None:
        """Return the number if the expression is constant, else None."""
        return self.function.constant()

    def signs(self) -> dict[int, Point]:
        """Return the signs that the expression takes, each with a point."""
        tops, decided = signs_on(self.function.numerator, self.box)
        bottoms, known = signs_on(self.function.denominator, self.box)
        if not decided or not known:
            raise Undecided(f"the sign of {self} could not be decided {self._where()}.", value=self)
        bottom = next(sign for sign in bottoms if sign)
        return {sign * bottom: point for sign, point in tops.items()}

    def place(self, signs: set[int]) -> str | None:
        """Return, as text, a point at which the expression has one of ``signs``; None if there is none."""
        found = self.signs()
        return next((point_text(point) for sign, point in found.items() if sign in signs), None)

    def _compare(self, other: Any, accepted: set[int], symbol: str) -> Any:
        number = self._operand(other)
        if number is None:
            return NotImplemented
        signs = (self - number).signs()
        if set(signs) <= accepted:
            return True
        if not set(signs) & accepted:
            return False
        yes = next(point for sign, point in signs.items() if sign in accepted)
        no = next(point for sign, point in signs.items() if sign not in accepted)
        raise Undecided(
            f"'{self} {symbol} {number}' depends on the value of {', '.join(self.function.names)}: it is true at "
            f"{point_text(yes)} and false at {point_text(no)}. A comparison must come out the same for all values "
            "of a parameter that is left free; choose an interval on which it does.",
            value=self,
        )

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, {-1}, "<")

    def __le__(self, other: Any) -> Any:
        return self._compare(other, {-1, 0}, "<=")

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, {1}, ">")

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, {0, 1}, ">=")

    def __eq__(self, other: object) -> bool:
        found = self._compare(other, {0}, "==")
        return False if found is NotImplemented else bool(found)

    def __ne__(self, other: object) -> bool:
        found = self._compare(other, {-1, 1}, "!=")
        return True if found is NotImplemented else bool(found)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        return hash(self.function)

    def _unknown(self, *_: Any) -> NoReturn:
        raise Undecided(
            f"the value of {self} is not known: {', '.join(self.function.names)} is left free. It can be a "
            "probability, a ratio or a base, not a whole number or a float.",
            value=self,
        )

    __float__ = __int__ = __index__ = __trunc__ = __floor__ = __ceil__ = __round__ = _unknown
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _unknown

    def _where(self) -> str:
        return "for " + " and ".join(f"{low} <= {name} <= {high}" for name, (low, high) in self.box.items())

    def __str__(self) -> str:
        return str(self.function)

    def __repr__(self) -> str:
        return f"<{self} {self._where()}>"


class Frozen:
    """An expression as the value of a term: two are equal if they are the same function.

    Arithmetic returns such values; comparisons are decided as for expressions, or refused.
    """

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __eq__(self, other: object) -> bool:
        """Return True if both are the same function; used for constants of terms, never for a user's ``==``."""
        return self.expression.function == (other.expression.function if isinstance(other, Frozen) else other)

    def __hash__(self) -> int:
        return hash(self.expression)

    def __repr__(self) -> str:
        return str(self.expression)


def _thawed(value: Any) -> Any:
    return value.expression if isinstance(value, Frozen) else value


def _delegated(name: str) -> Callable[..., Any]:
    def method(self: Frozen, *others: Any) -> Any:
        found = getattr(self.expression, name)(*[_thawed(other) for other in others])
        return Frozen(found) if isinstance(found, Expression) else found

    return method


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg", "pos", "abs"):
    setattr(Frozen, f"__{_name}__", _delegated(f"__{_name}__"))
for _name in ("lt", "le", "gt", "ge", "bool", "float", "int", "index", "floordiv", "rfloordiv", "mod", "rmod"):
    setattr(Frozen, f"__{_name}__", _delegated(f"__{_name}__"))


def joint_box(a: Box, b: Box) -> Box:
    """Return the intervals of all parameters of two boxes; a parameter must have one interval."""
    for name in a:
        if name in b and a[name] != b[name]:
            raise InvalidNumber(f"the parameter {name} is given with two different intervals.", value=name)
    return a if len(b) <= len(a) and all(name in a for name in b) else {**a, **b}


def point_text(point: Point) -> str:
    """Format a point for messages: lam = 1/4, mu = 0."""
    return ", ".join(f"{name} = {place_text(place)}" for name, place in point.items())


def expressions(value: Any) -> list[Expression]:
    """Return the expressions in an argument, also in lists, tuples and dictionaries."""
    if isinstance(value, Expression):
        return [value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [found for item in value for found in expressions(item)]
    if isinstance(value, Mapping):
        return [found for item in value.values() for found in expressions(item)]
    return []
