"""Uniform random numbers without a value: each comparison is a draw, and narrows the number's interval."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, cast

from taut.languages.python.logs import ALMOST_ONE
from taut.languages.python.run.continuous import Combination, exponential, noise, uniform
from taut.languages.python.run.gumbel import Gumbel
from taut.languages.python.run.held import Valueless, in_place
from taut.languages.python.run.listed import Law, Listed, spent
from taut.languages.python.run.steps import (
    DOUBLES,
    Affine,
    Compared,
    Doubles,
    Logarithm,
    Rounding,
    Step,
    TooFine,
    exactly,
)
from taut.languages.python.run.tree import SMALL, ChoiceTree, unwatched
from taut.support.errors import InvalidNumber, TooLarge, UnsupportedValue
from taut.support.exact import Ball

__all__ = [
    "Interval",
    "LazyNumber",
    "Progression",
    "lazy_gumbel",
    "lazy_listed",
    "lazy_noise",
    "lazy_real",
    "lazy_whole",
]

V = TypeVar("V", "Interval", "Progression")
_ALMOST = Fraction(1, 2**40)
"""Distance from 1 below which a threshold seems to be a sum of probabilities that rounding has kept from being 1."""
_MOST_VALUES = 4096
"""Limit for the values of one draw."""


class Interval:
    """A real number, uniform between two ends."""

    whole = False
    joined: Combination | None = None
    """The number as continuous noise, once it is compared with other noise."""
    logarithm: tuple[tuple[Step, ...], Combination] | None = None
    """Steps, and the logarithm of the stepped number as continuous noise, once it is compared with other noise."""
    spent = False
    """True once a sum has taken its place."""

    def __init__(self, tree: ChoiceTree) -> None:
        self.tree = tree
        self.low: Compared = Compared(Fraction(0), True)
        self.high: Compared = Compared(Fraction(1), True)

    def share(self, asked: Compared) -> Any:
        """Return the probability that the number lies below the threshold."""
        if self.spent:
            spent(self.tree)
        if self.logarithm is not None:
            self.logarithm[1].refused(
                "made of the logarithm of a uniform number is used, and the number itself as well"
            )
        low, high = self.low, self.high
        if _not_above(asked, low):
            return Fraction(0)
        if _not_above(high, asked):
            return Fraction(1)
        if 0 < 1 - asked.threshold < _ALMOST:
            self.tree.draws.add(ALMOST_ONE)
        return (asked.threshold - low.threshold) / (high.threshold - low.threshold)

    @property
    def places(self) -> tuple[Any, Any]:
        """The probabilities to be below what is left, and below its end."""
        return self.low.threshold, self.high.threshold

    def keep(self, asked: Compared, below: bool) -> None:
        """Restrict the number to one side of a threshold."""
        if below:
            self.high = asked
        else:
            self.low = asked

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.low.threshold), float(self.high.threshold)

    def state(self) -> Any:
        return self.low, self.high, self.logarithm is not None

    def log(self, steps: tuple[Step, ...]) -> Combination | None:
        """Return the logarithm of what steps make of the number as continuous noise, if that is uniform from 0 to 1."""
        ends = [end.threshold for end in (self.low, self.high)]
        for step in steps:
            ends = [end if isinstance(end, Ball) else step.forward(end) for end in ends]
        if self.logarithm is None and sorted(ends, key=float) == [0, 1]:
            self.logarithm = steps, exponential(self.tree).moved(Fraction(-1), Fraction(0))
        return self.logarithm[1] if self.logarithm is not None and self.logarithm[0] == steps else None

    def join(self) -> Combination | None:
        """Make the number continuous noise; None if an end is irrational."""
        if self.logarithm is not None or isinstance(self.low.threshold, Ball) or isinstance(self.high.threshold, Ball):
            return None
        self.joined = uniform(self.tree, self.low.threshold, self.high.threshold)
        return self.joined


def _not_above(a: Compared, b: Compared) -> bool:
    """Return True if the first threshold is at most the second; balls that overlap must be one number."""
    if a.key is not None and a.key == b.key:
        return True
    return bool(a.threshold <= b.threshold)


class Progression:
    """A whole number, uniform on offset, offset + stride, ..., ``count`` of them."""

    whole = True
    joined = None

    def __init__(self, tree: ChoiceTree, count: int, offset: int = 0, stride: int = 1) -> None:
        self.tree = tree
        self.offset, self.stride, self.count = offset, stride, count
        self.start, self.whole_count = offset, stride * count
        self.spent = False
        """True once a number that is made of it has taken its place."""

    @property
    def places(self) -> tuple[Any, Any]:
        """The probabilities to be below what is left, and below its end; it is not divided with a rest."""
        begin = self.offset - self.start
        return Fraction(begin, self.whole_count), Fraction(begin + self.stride * self.count, self.whole_count)

    def _below(self, asked: Compared) -> int:
        if self.spent:
            spent(self.tree)
        if isinstance(asked.threshold, Ball):
            raise TooFine
        place = (asked.threshold - self.offset) / self.stride
        number = math.ceil(place) if asked.strict else math.floor(place) + 1
        return int(min(max(number, 0), self.count))

    def share(self, asked: Compared) -> Any:
        return Fraction(self._below(asked), self.count)

    def keep(self, asked: Compared, below: bool) -> None:
        number = self._below(asked)
        if below:
            self.count = number
        else:
            self.offset += self.stride * number
            self.count -= number

    def narrow(self, place: int, period: int) -> None:
        """Keep every ``period``-th number from a place on."""
        if self.spent:
            spent(self.tree)
        self.count = (self.count - place + period - 1) // period
        self.offset += self.stride * place
        self.stride *= period

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.offset), float(self.offset + self.stride * (self.count - 1))

    def state(self) -> Any:
        return self.offset, self.stride, self.count


class LazyNumber(Valueless):
    """A number that a function computes of one uniform number by monotone steps."""

    __slots__ = ("_held", "_kind", "_of_numpy", "_steps")
    __array_priority__ = 1000.0

    def __init__(
        self, variable: Interval | Progression | Listed | Combination | Gumbel, steps: tuple[Step, ...], kind: type
    ) -> None:
        self._held = variable
        self._steps = steps
        self._kind = kind
        self._of_numpy = False
        """True for what is a scalar of NumPy's in Python, such as an entry of an array."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # isinstance(u, float) is what Python would say
        return type(_numpys(self._kind(0))) if self._of_numpy else self._kind

    def as_scalar(self, of_numpy: bool = True) -> LazyNumber:
        """Return the same number as a scalar of NumPy's, or as a number of Python's."""
        if self._of_numpy == of_numpy:
            return self
        made = LazyNumber(self._held, self._steps, self._kind)
        made._of_numpy = of_numpy
        return made

    @property
    def _variable(self) -> Interval | Progression | Listed | Combination | Gumbel:
        return self._held.joined or self._held

    def __reduce__(self) -> Any:
        self._refuse("is copied or pickled")

    def __copy__(self) -> LazyNumber:
        return self

    def __deepcopy__(self, memo: Any) -> LazyNumber:
        return self

    # -- comparisons ---------------------------------------------------------------------------------------------

    def _decide(self, asked: Compared) -> bool:
        variable = self._variable
        if isinstance(variable, Interval) and variable.logarithm is not None:
            known = self._combination()
            if known is not None:
                return bool(known.below(asked.threshold) != asked.negated)
        asked = self._back(asked)
        if type(variable) is Combination and not isinstance(asked.threshold, Ball):
            return bool(variable.below(asked.threshold) != asked.negated)
        try:
            share = variable.share(asked)
        except TooFine:
            return bool(self._refuse("with whole values has its logarithm compared"))
        if isinstance(share, Ball) or 0 < share < 1:
            below = variable.tree.choose((share, 1 - share)) == 0
            variable.keep(asked, below)
        else:
            below = share == 1
        return below != asked.negated

    @unwatched
    def _compare(self, other: Any, strict: bool, negated: bool) -> Any:
        if type(other) is LazyNumber:
            if other._variable is self._variable and other._steps == self._steps:
                return strict == negated  # a number is at most itself, and not below itself
            if other._variable.whole and other._listed() is not None:
                return self._compare(other._value(), strict, negated)
            if self._variable.whole and self._listed() is not None:
                value = self._value()
                return other._compare(value, not strict, not negated)
            heights = self._as_gumbel(), other._as_gumbel()
            if heights[0] is not None and heights[1] is not None:
                return self._raced(*heights[0], *heights[1]) != negated
            joined = self._joined(other, -1)
            if type(joined) is LazyNumber:
                return joined._decide(Compared(Fraction(0), strict)) != negated
            if joined is not None:
                return (joined < 0 if strict else joined <= 0) != negated
            if other._discrete and self._combination() is not None:
                return self._compare(other._value(), strict, negated)
            if self._discrete and other._combination() is not None:
                return other._compare(self._value(), not strict, not negated)
            self._refuse("is compared with another random real number")
        threshold = exactly(other, self._machine)
        if threshold is not None:
            return self._decide(Compared(threshold, strict)) != negated
        if isinstance(other, float) and not math.isnan(other):
            return (other > 0) != negated
        if isinstance(other, float):
            return False
        return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, True, False)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, False, False)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, False, True)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, True, True)

    @unwatched
    def __eq__(self, other: Any) -> Any:
        if other is self:
            return True
        if not self._discrete:
            if type(other) is LazyNumber:
                noise = self._as_gumbel()
                if noise is not None and other._as_gumbel() is not None:
                    return noise == other._as_gumbel()
                joined = self._joined(other, -1)
                if joined is None and not other._discrete:
                    self._refuse("is compared with another random real number")
                return joined == 0 if type(joined) is float else False
            return False if exactly(other) is not None else NotImplemented  # a real number is equal to none, surely
        if type(other) is LazyNumber:
            return self._value() == other._value()
        if exactly(other) is None:
            return False if isinstance(other, float) else NotImplemented
        return bool(self <= other and self >= other)

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        return hash(self._value())

    # -- arithmetic ----------------------------------------------------------------------------------------------

    @property
    def _machine(self) -> bool:
        """Return True if the number is a double as the machine computes it."""
        return bool(self._steps) and isinstance(self._steps[0], Doubles)

    @unwatched
    def _affine(
        self, factor: Any, shift: Any, other: Any, operation: Callable[[Any], Any], divided: bool = False
    ) -> Any:
        kind: Any = int if self._kind is int and isinstance(other, (int, bool)) and not divided else float
        if isinstance(other, Fraction):
            kind = float if self._kind is float else Fraction
        if factor == 0:
            return kind(shift)
        steps = self._steps
        if steps and isinstance(steps[-1], Doubles):
            last_double = steps[-1]
            grows = last_double.increasing == (factor > 0)
            return LazyNumber(self._variable, (Doubles((*last_double.operations, operation), grows),), float)
        made = Affine(Fraction(factor), Fraction(shift))
        if steps and isinstance(steps[-1], Affine):
            last, steps = steps[-1], steps[:-1]
            made = Affine(made.factor * last.factor, made.factor * last.shift + made.shift)
        return LazyNumber(self._variable, (*steps, made), kind)

    def _other(self, other: Any) -> tuple[Fraction] | None:
        """Return the exact operand; None where another kind of object has to answer."""
        if type(other) is LazyNumber:
            self._refuse("is combined with another random real number")
        value = exactly(other, self._machine)
        if value is None and isinstance(other, float):
            self._refuse(f"is combined with {other}")
        return None if value is None else (value,)

    def _combination(self) -> Combination | None:
        """Return the number as continuous noise, if it can be that."""
        held, steps = self._variable, self._steps
        if any(type(step) is Logarithm for step in steps) and isinstance(held, Interval):
            last = max(place for place, step in enumerate(steps) if type(step) is Logarithm)
            before, steps = steps[:last], steps[last + 1 :]
            affine = all(type(step) is Affine for step in (*before, *steps))
            made = held.log(before) if affine else None
        else:
            plain = all(type(step) is Affine for step in steps)
            made = (
                held if isinstance(held, Combination) else held.join() if plain and isinstance(held, Interval) else None
            )
        if made is None or not all(type(step) is Affine for step in steps):
            return None
        for step in steps:
            assert type(step) is Affine
            made = made.moved(step.factor, step.shift)
        return made

    def _as_gumbel(self) -> tuple[Gumbel, Fraction, Fraction] | None:
        """Return the noise, the scale and the centre of a number that is made of Gumbel noise; else None.

        The logarithm of an exponential number is minus such noise, which is how it is drawn by inversion.
        """
        held, steps, sign = self._variable, self._steps, 1
        logarithms = [place for place, step in enumerate(steps) if type(step) is Logarithm]
        if len(logarithms) == (2 if isinstance(held, Interval) else 1) and not isinstance(held, Gumbel):
            last = logarithms[-1]
            inner = LazyNumber(held, steps[:last], float)._combination()
            noise = None if inner is None else inner.gumbel()
            if noise is None:
                return None
            held, steps, sign = noise, steps[last + 1 :], -1
        if not isinstance(held, Gumbel) or not all(type(step) is Affine for step in steps):
            return None
        factor, shift = Fraction(sign), Fraction(0)
        for step in steps:
            assert type(step) is Affine
            factor, shift = factor * step.factor, shift * step.factor + step.shift
        return held, factor, shift

    def _raced(self, a: Gumbel, scale: Fraction, shift: Fraction, b: Gumbel, width: Fraction, move: Fraction) -> bool:
        """Return True if one number made of Gumbel noise is below another one."""
        if a is b or scale != width:
            a.refused("is compared with itself, or with noise of another scale")
        larger = a.above(shift / scale, b, move / scale)
        return larger == (scale < 0)

    def _joined(self, other: LazyNumber, factor: int) -> Any:
        """Return the sum with a multiple of another number; None if one of them is no continuous noise."""
        mine = self._combination()
        theirs = None if mine is None else other._combination()
        return None if mine is None or theirs is None else _lazy_sum(mine.plus(theirs, Fraction(factor)))

    @unwatched
    def _both(self, other: Any, operation: Callable[[Any, Any], Any], factor: int = 0) -> Any:
        """Combine two random numbers: continuous noise is added, and a number of few values is drawn."""
        for join in (self._joined, self._counted, self._appended) if factor else ():
            joined = join(other, factor)
            if joined is not None:
                return joined
        if other._listed() is not None:
            return operation(self, other._value())
        if self._listed() is not None:
            return operation(self._value(), other)
        if other._discrete and self._combination() is not None:
            return operation(self, other._value())
        if self._discrete and other._combination() is not None:
            return operation(self._value(), other)
        return self._refuse("is combined with another random real number")

    def _counted(self, other: LazyNumber, factor: int) -> LazyNumber | None:
        """Return the sum of two counts, which has no value either; None if that is not known to help."""
        both = self._count(), other._count()
        if self._variable is other._variable or None in both:
            return None
        mine, theirs = (number._as_listed(kind) for number, kind in zip((self, other), both, strict=True))
        if mine.count + theirs.count > 2 * _MOST_VALUES:
            return None
        return LazyNumber(mine.plus(theirs, factor), (), int if self._kind is other._kind is int else float)

    def _appended(self, other: LazyNumber, factor: int) -> LazyNumber | None:
        """Return the sum of two uniform numbers that is uniform itself, as of high digits and low digits."""
        mine, theirs = self._steady(), other._steady()
        if mine is None or theirs is None or self._variable is other._variable or factor != 1:
            return None
        (low, fine, few), (high, coarse, many) = sorted((mine, theirs), key=lambda line: line[1])
        return self._replaced(other, few * many, low + high, fine) if coarse == fine * few else None

    def _steady(self) -> tuple[int, int, int] | None:
        """Return the first value, the distance and the number of values that are all equally probable."""
        variable, (factor, shift) = self._variable, self._line()
        if not isinstance(variable, Progression) or self._kind is not int or factor is None or factor <= 0:
            return None
        return int(factor * variable.offset + shift), int(factor * variable.stride), variable.count

    def _replaced(self, other: Any, count: int, offset: int = 0, stride: int = 1) -> LazyNumber:
        """Return a new uniform number, which takes the place of this number and of another one."""
        variable = self._variable
        assert isinstance(variable, Progression)
        for number in (self, other):
            if type(number) is LazyNumber:
                assert isinstance(number._variable, Progression)
                if number._variable.spent:
                    spent(variable.tree)
                number._variable.spent = True
        return LazyNumber(Progression(variable.tree, count, offset, stride), (), int)

    def _bits(self) -> int | None:
        """Return k for a number that is uniform below 2**k; None for all others, and for those that are listed."""
        line = self._steady()
        known = line is not None and line[:2] == (0, 1) and line[2] & (line[2] - 1) == 0
        return line[2].bit_length() - 1 if line is not None and known and line[2] > SMALL else None

    def _count(self) -> str | None:
        """Return how a number is a whole one with listed probabilities: by its variable, or by its last rounding."""
        if isinstance(self._variable, Listed):
            return "listed" if self._line()[0] in (1, -1) else None
        uniform = isinstance(self._variable, Interval) and self._variable.logarithm is None
        return "rounded" if uniform and self._integral and not self._machine and self._listed() is None else None

    def _as_listed(self, kind: str | None) -> Listed:
        """Return the number as a variable of its own, which takes the place of the one behind it."""
        variable = self._variable
        if isinstance(variable, Listed):
            factor, shift = self._line()
            if factor == 1 and not shift:
                return variable
            zero = Listed(variable.tree, Law(int(shift), (Fraction(1),)))
            return zero.plus(variable, int(factor or 1))
        assert isinstance(variable, Interval)
        last = max(place for place, step in enumerate(self._steps) if step.rounds)
        whole = LazyNumber(variable, self._steps[: last + 1], int)
        key = Law, variable.state(), whole._steps
        if key not in variable.tree.memory:
            numbers, endless = whole._window()
            shares = whole._cuts(numbers, endless)[1]
            rest = shares.pop()
            variable.tree.memory[key] = Law(numbers[0], [share / (1 - rest) for share in shares]), (1 - rest, rest)
        law, followed = variable.tree.memory[key]
        variable.tree.choose_or_stop(followed)
        variable.spent = True
        made = LazyNumber(Listed(variable.tree, law), self._steps[last + 1 :], int)
        return made._as_listed(None)

    def __add__(self, other: Any) -> Any:
        if type(other) is LazyNumber:
            return self._both(other, lambda a, b: a + b, 1)
        known = self._other(other)
        return NotImplemented if known is None else self._affine(1, known[0], other, lambda value: value + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is LazyNumber:
            return self._both(other, lambda a, b: a - b, -1)
        known = self._other(other)
        return NotImplemented if known is None else self._affine(1, -known[0], other, lambda value: value - other)

    def __rsub__(self, other: Any) -> Any:
        known = self._other(other)
        return NotImplemented if known is None else self._affine(-1, known[0], other, lambda value: other - value)

    def __mul__(self, other: Any) -> Any:
        if type(other) is LazyNumber:
            return self._both(other, lambda a, b: a * b)
        known = self._other(other)
        return NotImplemented if known is None else self._affine(known[0], 0, other, lambda value: value * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is LazyNumber:
            return self._both(other, lambda a, b: a / b)
        known = self._other(other)
        if known is None:
            return NotImplemented
        if known[0] == 0:
            raise ZeroDivisionError("division by zero")
        return self._affine(1 / known[0], 0, other, lambda value: value / other, divided=True)

    def __neg__(self) -> Any:
        return self._affine(-1, 0, 0, lambda value: -value)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._value() if self._discrete else self._refuse("is divided by")

    def __floordiv__(self, other: Any) -> Any:
        known = self._other(other)
        if known is None:
            return NotImplemented
        if known[0] == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        if self._machine:
            self._refuse("is divided without rest")
        kind = int if self._kind is int and isinstance(other, int) else float
        return self._affine(1 / known[0], 0, other, lambda value: value / other)._rounded("floor", kind)

    @unwatched
    def __mod__(self, other: Any) -> Any:
        known = self._other(other)
        variable = self._variable
        if known is None:
            return NotImplemented
        divisor = known[0]
        if isinstance(variable, Progression) and self._kind is int and divisor.denominator == 1 and divisor > 0:
            factor, shift = self._line()
            if factor is not None:
                period = int(divisor) // math.gcd(int(factor * variable.stride), int(divisor))
                if period > _MOST_VALUES:
                    return self._without_multiples(other, f"{divisor}, which has {period} values")
                if period > 1:
                    counts = [max(0, (variable.count - j + period - 1) // period) for j in range(period)]
                    place = variable.tree.choose([Fraction(count, variable.count) for count in counts])
                    variable.narrow(place, period)
                return int((factor * variable.offset + shift) % divisor)
        if self._discrete and self._listed() is not None:
            return self._value() % other
        return self._without_multiples(other, "a number")

    def _without_multiples(self, other: Any, divisor: str) -> Any:
        """Return the remainder of a division: the quotient is drawn if it has few values, the remainder stays lazy."""
        quotient = None if self._machine or other == 0 else self // other
        if type(quotient) is LazyNumber and quotient._listed() is None:
            quotient = None
        if quotient is None:
            return self._refuse(f"is taken modulo {divisor}")
        return self - int(quotient) * other

    def _line(self) -> tuple[Fraction | None, Fraction]:
        """Factor and shift, if the number is a whole multiple of the variable plus a whole number."""
        if not self._steps:
            return Fraction(1), Fraction(0)
        if len(self._steps) == 1 and isinstance(self._steps[0], Affine):
            step = self._steps[0]
            if step.factor.denominator == 1 and step.shift.denominator == 1:
                return step.factor, step.shift
        return None, Fraction(0)

    def __divmod__(self, other: Any) -> Any:
        remainder = self % other
        return (self - remainder) // other, remainder

    def __and__(self, other: Any) -> Any:
        if isinstance(other, int) and other >= 0 and other & (other + 1) == 0 and self._kind is int:
            return self % (other + 1)
        return self._value() & other

    __rand__ = __and__

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << other) if isinstance(other, int) else self._value() >> other

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << other) if isinstance(other, int) else self._value() << other

    @unwatched
    def __or__(self, other: Any) -> Any:
        mine, theirs = self._steady(), other._steady() if type(other) is LazyNumber else None
        if mine is not None and theirs is not None:
            (low, fine, few), (high, coarse, _) = sorted((mine, theirs), key=lambda line: line[1])
            apart = coarse & (coarse - 1) == 0 and high % coarse == 0 and 0 <= low <= low + fine * (few - 1) < coarse
            joined = self._appended(other, 1) if apart and high >= 0 else None
            if joined is not None:
                return joined
        return self._value() | other

    @unwatched
    def __xor__(self, other: Any) -> Any:
        bits = self._bits()
        theirs = other._bits() if type(other) is LazyNumber and other._variable is not self._variable else None
        if bits is not None and type(other) is int and 0 <= other < 2**bits:
            return self._replaced(other, 2**bits)
        if bits is not None and theirs is not None:
            return self._replaced(other, 2 ** max(bits, theirs))
        return self._value() ^ other

    __ror__, __rxor__ = __or__, __xor__

    def __pow__(self, other: Any) -> Any:
        return self._value() ** other if self._discrete else self._refuse("is raised to a power")

    def __rpow__(self, other: Any) -> Any:
        return other ** self._value() if self._discrete else self._refuse("is an exponent")

    def __rfloordiv__(self, other: Any) -> Any:
        return other // self._value()

    def __rmod__(self, other: Any) -> Any:
        return other % self._value()

    # -- whole numbers -------------------------------------------------------------------------------------------

    def _rounded(self, kind: str, result: type) -> LazyNumber:
        steps = self._steps if self._integral and not self._machine else (*self._steps, Rounding(kind))
        return LazyNumber(self._variable, steps, result).as_scalar(self._of_numpy and result is float)

    @property
    def _integral(self) -> bool:
        """Return True if all values are integers: after a rounding, only integer multiples and shifts follow."""
        for step in reversed(self._steps):
            if step.rounds:
                return True
            if not isinstance(step, Affine) or step.factor.denominator != 1 or step.shift.denominator != 1:
                return False
        return self._variable.whole

    @property
    def _discrete(self) -> bool:
        return self._variable.whole or any(step.rounds for step in self._steps)

    def __floor__(self) -> Any:
        return self._rounded("floor", int)

    def __ceil__(self) -> Any:
        return self._rounded("ceil", int)

    def __trunc__(self) -> Any:
        return self._rounded("trunc", int)

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self._rounded("round", int)
        if digits == 0 or self._integral:
            return self._rounded("round", self._kind)
        if self._machine:
            self._refuse("of the machine is rounded to digits")
        return (self * 10**digits)._rounded("round", float) / 10**digits

    def __int__(self) -> int:
        return int(self._rounded("trunc", int)._value())

    def __index__(self) -> int:
        return int(self._value() if self._kind is int else self._refuse("is used as an index"))

    def __float__(self) -> float:
        if not self._discrete:
            self._variable.tree.wants_floats = True
            self._refuse("is needed as a plain float, as for an array of floats or for code in C")
        return float(self._value())

    @unwatched
    def as_whole(self) -> Any:
        """Return the number rounded towards 0 as ``int`` does; without a value if it can have many."""
        whole = self._rounded("trunc", int)
        if isinstance(whole._variable, (Interval, Progression)) and not self._machine and whole.is_long():
            low, high = whole._rough_ends()
            if math.isfinite(low) and math.isfinite(high):
                return whole
        return int(self)

    @unwatched
    def as_real(self) -> Any:
        """Return the number as ``float`` does; without a value if it can have many."""
        if self._kind is float and (not self._discrete or self.is_long()):
            return self
        if self._discrete and not self.is_long():
            return float(self)
        return LazyNumber(self._held, self._steps, float)

    @property
    def numerator(self) -> int:
        """The number itself, as a fraction is made of it; it is then needed as a plain one."""
        if self._kind is not int:
            raise AttributeError("'float' object has no attribute 'numerator'")
        return int(self._value())

    denominator = 1

    def is_integer(self) -> bool:
        return float(self).is_integer() if self._discrete else False

    def bit_length(self) -> int:
        return int(self._value()).bit_length()

    # numpy calls methods of these names for arrays of objects
    def floor(self) -> Any:
        return self._rounded("floor", float)

    def ceil(self) -> Any:
        return self._rounded("ceil", float)

    def rint(self) -> Any:
        return self._rounded("round", float)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        if out is not None:
            self._refuse("is rounded into an array")
        return self.rint() if decimals == 0 else self.__round__(decimals)

    def log(self) -> Any:
        if self._machine and not self._listed():
            self._refuse("of the machine has its logarithm taken, whose rounding is not known")
        if self._discrete:
            return math.log(self._value())
        if not self > 0:
            raise ValueError("math domain error")
        return LazyNumber(self._variable, (*self._steps, Logarithm()), float).as_scalar(self._of_numpy)

    def _listed(self) -> range | None:
        """Return the whole numbers that the last rounding can give, or the places of a variable; None if many."""
        if not self._discrete:
            return None
        if self._variable.whole and not any(step.rounds for step in self._steps):
            count = self._variable.count  # type: ignore[union-attr]
            return range(count) if count <= _MOST_VALUES else None
        low, high = self._rough_ends()
        if not math.isfinite(low) or not math.isfinite(high) or high - low > _MOST_VALUES:
            return None
        return range(math.floor(low) - 1, math.ceil(high) + 2)

    def is_long(self) -> bool:
        """Return True for a whole number with so many values that it is better compared than listed."""
        listed = self._listed() if self._discrete else None
        return self._discrete and (listed is None or len(listed) > SMALL)

    # -- what a reader asks, which decides nothing -----------------------------------------------------------------

    def is_uniform(self) -> bool:
        """Return True if the number is made of one uniform number that no other noise is part of."""
        held = self._held
        return isinstance(held, (Interval, Progression)) and not held.joined

    def is_real(self) -> bool:
        """Return True for a number that has no list of values; one of the machine is taken for real."""
        return self._machine or not self._discrete

    @property
    def of_the_machine(self) -> bool:
        """Return True for a double as the machine computes it."""
        return self._machine

    def place_of(self, asked: Compared) -> tuple[Any, bool, Any]:
        """Return the probability that the uniform number behind is below what a comparison asks; True if negated; and
        an exact description if that is irrational."""
        asked = self._back(asked)
        return self._variable.share(asked), asked.negated, asked.key

    def description(self) -> Any:
        """Return what tells this number from others that are made of the same uniform number."""
        return self._steps, self._kind

    def cells(self, most: int) -> tuple[list[Any], list[Any]] | None:
        """Return places that cut the uniform number behind, and the value in each cell; None if values are many."""
        listed = self._listed() if any(step.rounds for step in self._steps) else None
        if listed is None or len(listed) > most:
            return None
        last = max(place for place, step in enumerate(self._steps) if step.rounds)
        whole = LazyNumber(self._variable, self._steps[: last + 1], int)
        ends = [whole.place_of(Compared(Fraction(number), False)) for number in range(listed[0] - 1, listed[-1] + 1)]
        rows = [(high[0], low[0]) if high[1] else (low[0], high[0]) for low, high in itertools.pairwise(ends)]
        found = [(*row, number) for row, number in zip(rows, listed, strict=True) if row[0] is not row[1]]
        found = sorted([row for row in found if row[0] != row[1]], key=lambda row: float(row[0]))
        values = [self._finished(self._steps[last + 1 :], Fraction(number)) for _, _, number in found]
        return [row[0] for row in found[1:]], values

    def _rough_ends(self) -> tuple[float, float]:
        last = max((place for place, step in enumerate(self._steps) if step.rounds), default=-1)
        ends = []
        for end in self._variable.ends:
            for step in self._steps[: last + 1]:
                end = step.rough(end)
            ends.append(end)
        return min(ends), max(ends)

    def returned(self) -> Any:
        """Return the value, as part of what the function returns."""
        if not self._discrete:
            self._refuse("is itself part of what is returned")
        return self._value()

    @unwatched
    def _value(self) -> Any:
        """Return the value, decided by a draw among all that it can have."""
        if not self._discrete:
            self._refuse("is needed as a number, but can be any of infinitely many")
        variable = self._variable
        if isinstance(variable, Listed) and not any(step.rounds for step in self._steps):
            return self._finished(self._steps, Fraction(variable.decided()))
        if isinstance(variable, Progression) and not any(step.rounds for step in self._steps):
            places = self._listed()
            if places is None:
                return self._too_many(variable.count)
            if len(places) > 1:
                variable.narrow(variable.tree.choose(_alike(len(places))), variable.count)
            return self._finished(self._steps, Fraction(variable.offset))
        last = max(place for place, step in enumerate(self._steps) if step.rounds)
        whole = LazyNumber(variable, self._steps[: last + 1], int)
        numbers = whole._listed()
        number = whole._among(numbers) if numbers is not None else whole._searched()
        return self._finished(self._steps[last + 1 :], Fraction(number))

    def _finished(self, steps: tuple[Step, ...], value: Fraction) -> Any:
        for step in steps:
            value = step.forward(value)
        return value if self._kind is Fraction else self._kind(value)

    def _among(self, numbers: range, endless: str = "") -> int:
        """Draw one of these whole numbers; if there are infinitely many, the rest is not followed."""
        variable = self._variable
        key = variable.state(), self._steps, numbers, endless
        known = variable.tree.memory.get(key)
        if known is None:
            known = variable.tree.memory[key] = self._cuts(numbers, endless)
        cuts, shares = known
        place = variable.tree.choose_or_stop(shares) if endless else variable.tree.choose(shares)
        for truth, (asked, share) in ((False, cuts[place]), (True, cuts[place + 1])):
            if isinstance(share, Ball) or 0 < share < 1:
                variable.keep(asked, truth != asked.negated)
        return numbers[place]

    def _cuts(self, numbers: range, endless: str) -> tuple[list[tuple[Compared, Any]], list[Any]]:
        """Return the comparisons with each of these numbers and their probabilities, then those of the numbers."""
        cuts = []
        for number in range(numbers[0] - 1, numbers[-1] + 1):
            asked = self._back(Compared(Fraction(number), False))
            share = self._variable.share(asked)
            cuts.append((asked, 1 - share if asked.negated else share))
        shares = []
        for (low, before), (high, share) in itertools.pairwise(cuts):
            if type(self._variable) is Combination:
                shares.append(self._variable.between(*((high, low) if low.negated else (low, high))))
                continue
            same = share is before or (not isinstance(share, Ball) and share == before)
            shares.append(Fraction(0) if same else share - before)
        if endless:
            beyond = {"up": 1 - cuts[-1][1], "down": cuts[0][1], "both": cuts[0][1] + (1 - cuts[-1][1])}
            shares.append(beyond[endless])
        return cuts, shares

    def _searched(self) -> int:
        """Draw one of infinitely many whole numbers, outwards from the end or from 0, with a draw for each."""
        known = self._variable.tree.memory.get((self._variable.state(), self._steps))
        if known is None:
            known = self._variable.tree.memory[self._variable.state(), self._steps] = self._window()
        return self._among(*known)

    def _window(self) -> tuple[range, str]:
        """Return the probable ones of infinitely many whole numbers, and the directions in which others follow."""
        low, high = self._rough_ends()
        if math.isfinite(low) and math.isfinite(high):
            self._too_many(int(high - low))
        up = math.isfinite(low)
        if not up and not math.isfinite(high):
            return self._window_around()
        start = math.floor(low) - 1 if math.isfinite(low) else math.ceil(high) + 1
        count, growth = 64, Fraction(2)
        while count <= _MOST_VALUES:
            numbers = range(start, start + count) if up else range(start - count + 1, start + 1)
            end = numbers[-1] if up else numbers[0] - 1
            try:
                asked = self._back(Compared(Fraction(end), False))
                share = self._variable.share(asked)
            except InvalidNumber:  # this far out the digits of balls do not suffice, a little further in they do
                if growth < 2:
                    return cast(tuple[range, str], self._refuse("is rounded where it differs by less than 2**-250"))
                count, growth = count // 2, Fraction(9, 8)
                count = int(count * growth)
                continue
            inside = share if up != asked.negated else 1 - share
            if float(1 - inside) <= self._variable.tree.smallest:
                return numbers, "up" if up else "down"
            count = int(count * growth)
        self._too_many(count)
        raise AssertionError

    def _window_around(self) -> tuple[range, str]:
        """Return a sufficient range of whole numbers that are unbounded in both directions."""
        variable = self._variable
        if not isinstance(variable, Combination):
            return cast(tuple[range, str], self._refuse("with values without end in both directions is rounded"))
        middle = float(variable.shift)
        for step in self._steps:
            middle = step.rough(middle)
        reach = 32
        while 2 * reach <= _MOST_VALUES:
            numbers = range(round(middle) - reach, round(middle) + reach + 1)
            ends = [self._back(Compared(Fraction(end), False)) for end in (numbers[0] - 1, numbers[-1])]
            if float(1 - variable.between(*(ends[::-1] if ends[0].negated else ends))) <= variable.tree.smallest:
                return numbers, "both"
            reach *= 2
        self._too_many(2 * reach)
        raise AssertionError

    def _back(self, asked: Compared) -> Compared:
        try:
            for step in reversed(self._steps):
                asked = step.back(asked)
        except TooFine:
            self._refuse("is rounded or compared after nested logarithms")
        return asked

    def _too_many(self, count: int) -> Any:
        if self._machine:
            return self._refuse("of the machine is needed as a number, but can be any of very many")
        problem = f"a random number with {count} values is needed as a number; at most {_MOST_VALUES} can be listed."
        return self._variable.tree.refuse(
            TooLarge(f"'{self._variable.tree.name}': {problem} Compare it, or take it modulo a number.", value=count)
        )

    # -- everything else -----------------------------------------------------------------------------------------

    def _refuse(self, what: str) -> Any:
        if isinstance(self._variable, (Combination, Gumbel)):
            return self._variable.refused(what)
        tree = self._variable.tree
        return tree.refuse(
            UnsupportedValue(
                f"'{tree.name}': a uniform random number {what}. It can be compared with numbers, shifted, scaled, "
                "rounded to whole numbers, and its logarithm taken; nothing else of it is exact.",
                value=tree.name,
            )
        )

    def __str__(self) -> str:
        return str(self._value())

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self._value(), spec)

    def __array_function__(self, function: Any, kinds: Any, args: Any, keywords: Any) -> Any:
        if function.__name__ == "searchsorted" and args and args[-1] is self and len(args) == 2:
            return _searched(args[0], self, **keywords)
        return function._implementation(*args, **keywords)

    @unwatched
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        import numpy as np

        if keywords.get("out") is not None and method == "__call__":
            return in_place(ufunc, method, inputs, keywords["out"], self)
        if method != "__call__" or any(value is not None for value in keywords.values() if value is not True):
            return self._refuse(f"is given to numpy.{ufunc.__name__} in a way that cannot be followed")
        arrays = [np.asarray(_boxed(np, value), dtype=object) for value in inputs]
        if all(array.ndim == 0 for array in arrays):
            return _scalar_ufunc(self, ufunc.__name__, [array.item() for array in arrays])
        return ufunc(*arrays)


def _searched(items: Any, number: LazyNumber, side: str = "left", sorter: Any = None) -> Any:
    """Return the place of a number among ascending ones, as numpy.searchsorted does."""
    import numpy as np

    ascending = [_python(item) for item in (items if sorter is None else np.asarray(items)[sorter])]
    if any(a > b for a, b in itertools.pairwise(ascending)):
        number._refuse("is looked up among numbers that do not ascend")
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        reached = number <= ascending[middle] if side == "left" else number < ascending[middle]
        low, high = (low, middle) if reached else (middle + 1, high)
    return np.int64(low)


def _boxed(np: Any, value: Any) -> Any:
    if type(value) is not LazyNumber:
        return value
    made = np.empty((), dtype=object)
    made[()] = value
    return made


def _scalar_ufunc(number: LazyNumber, name: str, values: list[Any]) -> Any:
    known = _UFUNCS.get(name)
    if known is None:
        return number._refuse(f"is given to numpy.{name}")
    return _numpys(known(*[_python(value) for value in values]))


def _numpys(value: Any) -> Any:
    """Return a number as the scalar that NumPy makes of it."""
    import numpy as np

    if type(value) is LazyNumber:
        return value.as_scalar()
    kinds = {bool: np.bool_, int: np.int64, float: np.float64}
    return kinds[type(value)](value) if type(value) in kinds and abs(value) < 2**63 else value


def _is_of_numpy(value: Any) -> bool:
    return value._of_numpy if type(value) is LazyNumber else type(value).__module__ == "numpy"


def _typed(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator whose result is a scalar of NumPy's where one of its operands is."""

    @functools.wraps(method)
    def called(self: LazyNumber, *others: Any) -> Any:
        made = method(self, *others)
        if made is NotImplemented or not (self._of_numpy or any(map(_is_of_numpy, others))):
            return made
        return tuple(map(_numpys, made)) if type(made) is tuple else _numpys(made)

    return called


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "rshift", "lshift")
_TYPED = {*_OPERATORS, *[f"r{name}" for name in _OPERATORS], "neg", "pos", "abs", "divmod"}
for _name in sorted(_TYPED | {"lt", "le", "gt", "ge", "eq", "ne"}):
    if f"__{_name}__" in vars(LazyNumber):
        setattr(LazyNumber, f"__{_name}__", _typed(vars(LazyNumber)[f"__{_name}__"]))


def _python(value: Any) -> Any:
    """Return the number of Python's that is a scalar of NumPy's, or the fraction that a long one prints as."""
    if type(value).__module__ != "numpy":
        return value
    plain = value.item()
    return plain if type(plain).__module__ != "numpy" else exactly(plain)


_UFUNCS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "negative": lambda a: -a,
    "absolute": abs,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "floor": lambda a: a.floor(),
    "ceil": lambda a: a.ceil(),
    "rint": lambda a: a.rint(),
    "trunc": lambda a: a._rounded("trunc", float),
    "log": lambda a: a.log(),
    "sign": lambda a: (a > 0) - (a < 0),
    "copysign": lambda a, b: -abs(a) if b < 0 else +abs(a),
    "isnan": lambda a: False,
    "isinf": lambda a: False,
    "isfinite": lambda a: True,
    "maximum": lambda a, b: a if a >= b else b,
    "clip": lambda a, low, high: low if a < low else high if a > high else a,
    "minimum": lambda a, b: a if a <= b else b,
}


def lazy_real(tree: ChoiceTree, machine: bool = False) -> LazyNumber:
    """Return a real number, uniform from 0 to 1; or of the machine, k / 2**53 with k uniform below 2**53."""
    if machine:
        return LazyNumber(_begun(Progression(tree, DOUBLES)), (Doubles(),), float)
    return LazyNumber(_begun(Interval(tree)), (), float)


def _begun(variable: V) -> V:
    """Tell the tree of a new variable."""
    variable.tree = variable.tree.begun(variable)
    return variable


def lazy_noise(tree: ChoiceTree, kind: str, center: Any, scale: Any, name: str) -> Any:
    """Return noise from a Laplace or an exponential distribution, added to a centre, which may be random itself."""
    made = _lazy_sum(noise(tree, kind, scale, name))
    return made + center if type(made) is LazyNumber else center + made


def lazy_gumbel(tree: ChoiceTree) -> LazyNumber:
    """Return noise with the standard Gumbel distribution."""
    return LazyNumber(Gumbel(tree), (), float)


def lazy_listed(tree: ChoiceTree, law: Law, rest: Any) -> LazyNumber:
    """Return a whole number with listed probabilities; runs where it is another one, with probability ``rest``, are not
    followed."""
    if rest:
        tree.choose_or_stop((1 - rest, rest))
    return LazyNumber(Listed(tree, law), (), int)


def _lazy_sum(made: Combination) -> Any:
    """Return a lazy number; a float where nothing random is left."""
    return LazyNumber(made, (), float) if made.factors else float(made.shift)


def lazy_whole(tree: ChoiceTree, count: int, small: int | None = None) -> Any:
    """Return a whole number, uniform below ``count``; a plain int where there are few."""
    if count <= (tree.small if small is None else small):
        return tree.choose(_alike(count))
    return LazyNumber(_begun(Progression(tree, count)), (), int)


@functools.lru_cache(maxsize=256)
def _alike(count: int) -> tuple[Fraction, ...]:
    """Return the weights of a draw whose outcomes are equally probable, the same object each time."""
    return (Fraction(1, count),) * count


def _refused_by(name: str) -> Callable[[LazyNumber], Any]:
    """Return the method that NumPy calls for each number of an array of objects; it refuses."""
    return lambda number: number._refuse(f"is given to numpy.{name}")


for _name in (
    *("exp", "exp2", "expm1", "log2", "log10", "log1p", "sqrt", "cbrt"),
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
):
    setattr(LazyNumber, _name, _refused_by(_name))
