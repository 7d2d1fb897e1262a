"""Models of mechanisms with parameters left free, and their comparison with the mechanism itself."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.reading import Reading
from taut.model.model import Model
from taut.program import Program
from taut.support.algebra.expression import Expression
from taut.support.algebra.rational import RationalFunction
from taut.support.errors import InvalidInput, Misreading, TooLarge
from taut.support.options import options

if TYPE_CHECKING:
    from taut.parameters.model import ParametricModel

__all__ = ["free_parameters", "parametric_model"]

_PLACES = (Fraction(2, 7), Fraction(7, 11))
"""Places in the intervals at which the reading is compared with an ordinary one."""
_INPUTS = 3


def free_parameters(program: Program, arguments: Mapping[str, Any]) -> bool:
    """Return True if some argument, or some weight, has parameters left free."""
    if any(expressions(value) for value in arguments.values()):
        return True
    return any(RationalFunction in coin.kinds for coin in program.coins)


def expressions(value: Any) -> list[Expression]:
    """The expressions in an argument, also in lists, tuples and dictionaries."""
    if isinstance(value, Expression):
        return [value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [found for item in value for found in expressions(item)]
    if isinstance(value, Mapping):
        return [found for item in value.values() for found in expressions(item)]
    return []


def specialized(value: Any, point: Mapping[str, Fraction]) -> Any:
    """An argument with numbers in place of its parameters."""
    if isinstance(value, Expression):
        return value.function.at(point)
    if isinstance(value, (list, tuple)):
        return type(value)(specialized(item, point) for item in value)
    if isinstance(value, dict):
        return {key: specialized(item, point) for key, item in value.items()}
    return value


def parametric_model(
    mechanism: Any, reading: Reading, args: Sequence[Any], keywords: Mapping[str, Any]
) -> ParametricModel:
    """The model of a reading with parameters left free, made by calling a mechanism with these arguments.

    Guarantee:
        At two values of the parameters, the program is the one that is read with these numbers in their place; and the
        first of these readings has been compared with what Python itself does.

    Raises
    ------
    Misreading
        It is not: no answer is given.
    """
    program, arguments = reading.program, reading.arguments
    boxes: dict[str, tuple[Fraction, Fraction]] = {}
    for value in arguments.values():
        for expression in expressions(value):
            boxes.update(expression.box)
    for coin in program.coins:
        for weight in coin.weights:
            for name in weight.names if isinstance(weight, RationalFunction) else ():
                if name not in boxes:
                    raise InvalidInput(
                        f"'{program.name}' uses the parameter {name} without having it as an argument; give it one, as "
                        f"in {program.name}(..., {name}=taut.parameter({name!r}, 0, 1)).",
                        value=name,
                    )
    if not program.exact:
        raise InvalidInput(
            f"'{program.name}' has weights with exp, which cannot be mixed with a parameter that is left free.",
            value=program.name,
        )
    from taut.parameters.model import ParametricModel  # what most models do not need
    from taut.parameters.piecewise import FreeParameter

    parameters = [FreeParameter(name, low, high) for name, (low, high) in sorted(boxes.items())]

    def specialize(point: Mapping[str, Fraction]) -> Model:
        named = {name: specialized(value, point) for name, value in keywords.items()}
        model: Model = mechanism(*[specialized(value, point) for value in args], **named)
        return model

    inner = Model(program, reading, mechanism.neighbors)
    made = ParametricModel(inner, parameters, specialize)
    for number, share in enumerate(_PLACES):
        point = {one.name: one.low + (one.high - one.low) * share for one in parameters}
        # the first is compared with Python; another value changes numbers only, which the readings show
        with contextlib.nullcontext() if number == 0 else options(validate="off"):
            ordinary = _compare(made, point)
        if number == 0:
            made.validation = ordinary.validation
    return made


def _compare(model: ParametricModel, point: Mapping[str, Fraction]) -> Model:
    """The ordinary model at a point; refused if the reading is not the ordinary one there."""
    ordinary = model.at(**point)
    coins, others = model.program.coins, ordinary.program.coins
    same = len(coins) == len(others) and all(
        coin.outcomes == other.outcomes and tuple(_number(weight, point) for weight in coin.weights) == other.weights
        for coin, other in zip(coins, others, strict=True)
    )
    if same and model.program.computes_as(ordinary.program):
        return ordinary
    space = ordinary.space
    sizes = [len(variable.values) for variable in ordinary.program.inputs]
    for step in range(_INPUTS):
        x = space.at([(size - 1) * step // (_INPUTS - 1) for size in sizes])
        try:
            found = {y: _number(chance, point) for y, chance in model.distribution(x).items()}
            wanted = ordinary.distribution(x)
        except TooLarge:
            continue
        if {y: chance for y, chance in found.items() if chance} != wanted:
            raise Misreading(
                f"'{model.name}' with {', '.join(f'{name} = {value}' for name, value in point.items())} at x={x!r} is "
                "not what its parameters left free say. This is a fault of taut, and no answer is given; please report "
                "it together with the mechanism.",
                value=x,
            )
    return ordinary


def _number(weight: Any, point: Mapping[str, Fraction]) -> Any:
    return weight.at(point) if isinstance(weight, RationalFunction) else weight
