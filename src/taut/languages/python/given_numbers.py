"""Numbers given by the user as floats or text: exact, and accepted by NumPy as floats."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

__all__ = ["GivenNumber", "plain_number"]


class GivenNumber(Fraction):
    """A Fraction for a number given by the user, and for results computed from it.

    The functions of NumPy have no meaning for Fractions; they get the float that the number is.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    def __index__(self) -> int:
        """Return an integer for indices and counts: '3' and 3.0 mean 3 there."""
        if self.denominator != 1:
            raise TypeError(f"{self!r} is not a whole number")
        return self.numerator

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy

        return numpy.array(float(self), dtype)


def plain_number(value: Any) -> Any:
    """Return a number given by the user as an ordinary Fraction; anything else unchanged."""
    return Fraction(value) if type(value) is GivenNumber else value


def _kept(name: str) -> Callable[..., Any]:
    operation = getattr(Fraction, name)

    def method(self: GivenNumber, *others: Any) -> Any:
        result = operation(self, *others)
        return GivenNumber(result) if type(result) is Fraction else result

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "mod", "pow"):
    setattr(GivenNumber, f"__{_name}__", _kept(f"__{_name}__"))
    setattr(GivenNumber, f"__r{_name}__", _kept(f"__r{_name}__"))
for _name in ("neg", "pos", "abs", "round"):
    setattr(GivenNumber, f"__{_name}__", _kept(f"__{_name}__"))
