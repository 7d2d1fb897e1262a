"""Base of models with parameters left free: their distributions, bounds, and comparison with the mechanism."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.reading import Reading
from taut.languages.python.validation import Validation
from taut.model.model import Model
from taut.parameters.closed_form import Pieces, all_evidence, require_evidence
from taut.parameters.piecewise import FreeParameter, PiecewiseBound
from taut.questions.bound import Bound
from taut.questions.measure import MassCase
from taut.questions.registry import registered
from taut.support.algebra.expression import Expression, expressions
from taut.support.algebra.rational import RationalFunction
from taut.support.errors import InvalidInput, Misreading, OutOfMemory, OutOfTime, TautError, TooLarge
from taut.support.exact import large
from taut.support.options import check_seconds, options, worked
from taut.synthesis import Problem
from taut.synthesis.exhaustive.solver import Exhaustive
from taut.synthesis.symmetry.solver import BySymmetry, evidence_of_orbits

if TYPE_CHECKING:
    from taut.parameters.model import ParametricModel

from taut.model.arguments import AskedByName

__all__ = ["ParametricBase", "parametric_model"]


_METHODS = ("auto", "exhaustive", "restricted", "sampled")
_MOST_CASES = 1 << 26
_MOST_ORBITS = 1 << 16
_SAMPLES = 9


class ParametricBase(AskedByName):
    """A mechanism on a domain with parameters left free, and the way from a question to the pieces of its answer."""

    validation: Validation = Validation(reason="there is no Python function to compare with")
    """Outcome of comparing the function with a reading that has a number in place of the parameter."""

    def __init__(
        self, inner: Model, parameters: Sequence[FreeParameter], specialize: Callable[[Mapping[str, Fraction]], Model]
    ) -> None:
        self._inner = inner
        self.parameters = tuple(parameters)
        self._specialize = specialize

    def __repr__(self) -> str:
        domains = ", ".join(str(domain) for domain in self.program.domains)
        free = ", ".join(map(str, self.parameters))
        return f"<ParametricModel {self.name}({domains}), {len(self.program.coins)} coins, {free}>"

    def __getattr__(self, name: str) -> Any:
        """Return the method of a question that has none here, or refuse what needs numbers."""
        if name not in registered() and not name.startswith("_") and hasattr(Model, name):
            raise self._needs_numbers(name)
        return super().__getattr__(name)

    def _needs_numbers(self, name: str) -> InvalidInput:
        """Return the error for a question without a closed form."""
        example = ", ".join(f"{one.name}={str((one.low + one.high) / 2)!r}" for one in self.parameters)
        return InvalidInput(
            f"'{name}' needs numbers, and {', '.join(one.name for one in self.parameters)} is left free; ask an "
            f"ordinary model, as in model.at({example}).{name}.",
            value=name,
        )

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self._inner.name

    @property
    def program(self) -> Any:
        """The program of the mechanism."""
        return self._inner.program

    @property
    def domain(self) -> Any:
        """The domain of the database; a tuple of domains if there are several."""
        return self._inner.domain

    @property
    def size(self) -> int:
        """The number of nodes of the relation, its two leaves included."""
        return self._inner.size

    @property
    def parameter(self) -> FreeParameter:
        """The parameter, if there is one only; several are refused."""
        if len(self.parameters) > 1:
            names = ", ".join(one.name for one in self.parameters)
            raise InvalidInput(
                f"pieces and calibration need a single parameter; {names} are left free. Ask for distributions, or fix "
                "all but one of them.",
                value=names,
            )
        return self.parameters[0]

    def at(self, value: Any = None, /, **values: Any) -> Model:
        """Return the ordinary model at a value of the parameter; several are given by name.

        Raises
        ------
        InvalidInput
            A value is missing, belongs to no parameter, or lies outside the parameter's interval.
        """
        given = dict(values) if value is None else {self.parameter.name: value, **values}
        known = {one.name: one for one in self.parameters}
        for name in [*given, *known]:
            if name not in known or name not in given:
                what = "is missing" if name in known else "is not one of them"
                raise InvalidInput(
                    f"at: give a value for each of {', '.join(known)}, and no other; {name} {what}.", value=name
                )
        return self._specialize({name: known[name].value(number) for name, number in given.items()})

    # -- one input -------------------------------------------------------------------------------------------------

    def distribution(self, x: Any = ()) -> dict[Any, Any]:
        """Return the distribution of the output on input x: outputs with their probabilities as functions of the
        parameters.

        >>> from taut import bits, parameter
        >>> from taut.mechanisms import rr_count
        >>> for y, chance in rr_count(bits(2), lam=parameter("lam", 0, "1/2")).distribution((0, 1)).items():
        ...     print(y, chance)
        0 lam - lam**2
        1 1 - 2*lam + 2*lam**2
        2 lam - lam**2
        """
        return {y: self._function(chance) for y, chance in self._inner.distribution(x).items()}

    def probability(self, x: Any, y: Any) -> RationalFunction:
        """Return P(A(x) = y) as a function of the parameters."""
        return self._function(self._inner.probability(x, y))

    def _function(self, value: Any) -> RationalFunction:
        if isinstance(value, RationalFunction):
            return value
        constant: RationalFunction = RationalFunction.unknown(self.parameters[0].name) * 0 + value
        return constant

    # -- inside ----------------------------------------------------------------------------------------------------

    def _answered(
        self,
        label: str,
        method: str,
        time_limit: float | None,
        compared: Callable[[FreeParameter, str], tuple[Pieces, dict[str, Any]]],
        ask: Callable[[Model], Bound],
        again: Callable[[Sequence[Any], FreeParameter], Pieces],
        *,
        largest: bool = True,
        neighbors: str | None = None,
    ) -> PiecewiseBound:
        """Return the closed form from all cases; if they are too many, from the worst cases at a few values."""
        parameter = self.parameter
        if method not in _METHODS:
            raise InvalidInput(
                f"method must be one of {', '.join(_METHODS)} for a parameter left free; got {method!r}.", value=method
            )
        check_seconds(time_limit, "time_limit", InvalidInput)
        start = time.perf_counter()
        made = functools.partial(
            PiecewiseBound, label, parameter, largest=largest, neighbors=neighbors, mechanism=self.name
        )

        def work() -> PiecewiseBound | tuple[dict[Fraction, Any], Pieces, str]:
            why = "it was asked for"
            for chosen in {"auto": ("exhaustive", "restricted")}.get(method, () if method == "sampled" else (method,)):
                try:
                    (pieces, points), stats = compared(parameter, chosen)
                    stats["seconds"] = round(time.perf_counter() - start, 6)
                    return made(pieces, points, chosen, stats)
                except (OutOfMemory, OutOfTime):
                    raise
                except TooLarge as problem:
                    if method != "auto":
                        raise
                    why = str(problem)
            proved, found = self._sampled(parameter, ask, largest)
            return proved, again(list(dict.fromkeys(found)), parameter), why

        found = worked(work, self._inner._settings, time_limit)
        if isinstance(found, PiecewiseBound):
            return found
        proved, (pieces, points), why = found
        stats = {"why": why, "samples": _SAMPLES, "seconds": round(time.perf_counter() - start, 6)}
        bound = made(pieces, points, "sampled", stats, exact=False, proved_at=tuple(proved))
        for value, answer in proved.items():
            if bound.at(value) != answer:
                raise TautError(f"the closed form is {bound.at(value)} at {value}, and the model {answer}: a fault.")
        return bound

    def _sampled(
        self, parameter: FreeParameter, ask: Callable[[Model], Bound], largest: bool
    ) -> tuple[dict[Fraction, Any], list[Any]]:
        """Ask at values spread over the interval; return the exact bounds by value, and all worst cases."""
        width = parameter.high - parameter.low
        proved: dict[Fraction, Any] = {}
        witnesses = []
        for step in range(1, _SAMPLES + 1):
            value = parameter.low + width * step / (_SAMPLES + 1)
            bound = ask(self._specialize({parameter.name: value}))
            witnesses.append(bound.witness)
            if bound.exact:
                proved[value] = bound.upper if largest else bound.lower
        return proved, witnesses

    def _cases(
        self, problem: Problem, parameter: FreeParameter, chosen: str
    ) -> tuple[Sequence[MassCase], dict[str, Any]]:
        """Return all different probabilities of a problem, from all cases or from one of each orbit."""
        channel, budget = problem.channel, self._inner._budget()
        if chosen == "exhaustive":
            if problem.cases > _MOST_CASES:
                what = problem.measure.cases
                raise TooLarge(f"'{self.name}' has {large(problem.cases)} {what}, too many to compare all.")
            if channel.conditioned:
                require_evidence(self.name, all_evidence(channel, budget.max_beliefs), parameter)
            cases = Exhaustive().classes(problem, budget)
            return cases, {problem.measure.cases: problem.cases, "different_probabilities": len(cases)}
        if channel.conditioned:
            require_evidence(self.name, evidence_of_orbits(channel), parameter)
        solver = BySymmetry()
        orbits = solver.cost(problem)
        if orbits > _MOST_ORBITS:
            raise TooLarge(f"'{self.name}' has {large(orbits)} orbits of {problem.measure.cases}, too many.")
        cases = solver.classes(problem, budget)
        return cases, {"orbits": orbits, "different_probabilities": len(cases)}


_PLACES = (Fraction(2, 7), Fraction(7, 11))
"""Relative places in the parameters' intervals at which the reading is compared with one of numbers."""
_INPUTS = 3


def specialized(value: Any, point: Mapping[str, Fraction]) -> Any:
    """Return an argument with numbers in place of its parameters."""
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
    """Return the model of a reading with free parameters, made by calling a mechanism with these arguments.

    Guarantee:
        At two values of the parameters, the program is the one that is read with these numbers in their place; and the
        first of these readings has been compared with what Python itself does.

    Raises:
        Misreading: the reading and the mechanism differ; no answer is given.
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
    """Return the ordinary model at a point; raise Misreading if the reading differs from it."""
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
