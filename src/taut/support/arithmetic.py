"""Operators +, - and * of a class of numbers, derived from one method that combines two numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

__all__ = ["Arithmetic"]


class Arithmetic:
    """A number whose ``_with`` applies an operation to itself and another number; ``swapped`` puts the other one
    first.
    """

    __slots__ = ()

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, operator.add, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, swapped=True)
