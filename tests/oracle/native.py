"""The exact distribution of a mechanism by running it as ordinary Python, once for every sequence of random choices.

Nothing of taut takes part: CPython executes the function's own code object, and only the random primitives are
replaced, by ones that read their outcome off a script.
"""

import copy
import functools
import inspect
import math
import sys
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

__all__ = ["native_distribution"]

Outcomes = Sequence[tuple[Any, Fraction]]


def native_distribution(function: Callable[..., Any], args: Mapping[str, Any]) -> dict[Hashable, Fraction]:
    """Return the probability of every output that ``function`` has on ``args``, conditioned on its observations.

    Guarantee:
        The probabilities are positive, exact, and sum to 1. Lists in outputs are tuples.

    Raises:
        ZeroDivisionError: no run satisfies the observations.
    """
    script = Script()
    rebuild = Rebuild(script)
    run = rebuild.function(plain(function))
    arguments = {name: rebuild.value(parameter(value)) for name, value in args.items()}
    masses: dict[Hashable, Fraction] = {}
    while script.unfinished:
        script.start()
        try:
            output = frozen(run(**copy.deepcopy(arguments)))
        except RunAbandoned:
            pass
        else:
            masses[output] = masses.get(output, Fraction(0)) + script.probability
        script.advance()
    if not masses:
        raise ZeroDivisionError(f"no run of {run.__name__} satisfies its observations at {dict(args)}")
    total = sum(masses.values(), Fraction(0))
    return {output: mass / total for output, mass in masses.items()}


class RunAbandoned(BaseException):
    """The run contradicts an observation; a BaseException, so that no ``except`` of the program catches it."""


class Script:
    """The choices of one run, and the odometer that steps to the next run in depth-first order."""

    def __init__(self) -> None:
        self.unfinished = True
        self.runs = 0
        self._taken: list[int] = []
        self._widths: list[int] = []
        self._position = 0
        self.probability = Fraction(1)

    def start(self) -> None:
        """Begin a run that repeats the choices on record and takes first outcomes from there on."""
        self._position = 0
        self.probability = Fraction(1)
        self.runs += 1

    def choose(self, outcomes: Outcomes) -> Any:
        """Return the scripted one of ``outcomes``, all of which have positive probability."""
        if self._position == len(self._taken):
            self._taken.append(0)
            self._widths.append(len(outcomes))
        assert self._widths[self._position] == len(outcomes), "the function is not determined by its random choices"
        value, probability = outcomes[self._taken[self._position]]
        self._position += 1
        self.probability *= probability
        return value

    def advance(self) -> None:
        """Move to the next sequence of choices, or finish."""
        while self._taken and self._taken[-1] == self._widths[-1] - 1:
            self._taken.pop()
            self._widths.pop()
        if self._taken:
            self._taken[-1] += 1
        else:
            self.unfinished = False


def primitives(script: Script) -> dict[str, Callable[..., Any]]:
    """Return what each public name of taut means while ``script`` is played."""

    def flip(p: Any) -> Any:
        return script.choose(flip_outcomes(exact(p)))

    def discrete(weights: Any) -> Any:
        pairs = weights.items() if isinstance(weights, Mapping) else enumerate(weights)
        return script.choose(positive([(value, exact(p)) for value, p in pairs]))

    def uniform(low: int, high: int) -> Any:
        return script.choose(uniform_outcomes(int(low), int(high)))

    def binomial(n: int, p: Any) -> Any:
        return script.choose(binomial_outcomes(int(n), exact(p)))

    def geometric(center: int, ratio: Any, low: int, high: int) -> Any:
        return script.choose(geometric_outcomes(int(center), exact(ratio), int(low), int(high)))

    def exponential(scores: Sequence[int], base: Any) -> Any:
        return script.choose(exponential_outcomes(tuple(int(score) for score in scores), exact(base)))

    def observe(event: Any) -> None:
        if not event:
            raise RunAbandoned

    def unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    return {
        "flip": flip,
        "discrete": discrete,
        "uniform": uniform,
        "binomial": binomial,
        "geometric": geometric,
        "exponential": exponential,
        "observe": observe,
        "mechanism": unchanged,
        "helper": unchanged,
    }


@functools.cache
def flip_outcomes(p: Fraction) -> Outcomes:
    """True with probability ``p``."""
    return positive([(True, p), (False, 1 - p)])


@functools.cache
def uniform_outcomes(low: int, high: int) -> Outcomes:
    """Every integer from ``low`` to ``high``, both included, alike."""
    return positive([(value, Fraction(1, high - low + 1)) for value in range(low, high + 1)])


@functools.cache
def binomial_outcomes(n: int, p: Fraction) -> Outcomes:
    """The number of successes in ``n`` independent trials."""
    return positive([(k, math.comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1)])


@functools.cache
def geometric_outcomes(center: int, ratio: Fraction, low: int, high: int) -> Outcomes:
    """``center`` plus Z with P(Z=z) proportional to ratio**abs(z), clamped to ``low``..``high``."""
    if low == high:
        return positive([(low, Fraction(1))])

    def at_least(z: int) -> Fraction:
        return ratio**z / (1 + ratio) if z > 0 else 1 - ratio ** (1 - z) / (1 + ratio)

    inner = [(v, (1 - ratio) / (1 + ratio) * ratio ** abs(v - center)) for v in range(low + 1, high)]
    return positive([(low, at_least(center - low)), *inner, (high, at_least(high - center))])


@functools.cache
def exponential_outcomes(scores: tuple[int, ...], base: Fraction) -> Outcomes:
    """An index of ``scores``, with probability proportional to base**score."""
    weights = [base**score for score in scores]
    return positive([(index, weight / sum(weights)) for index, weight in enumerate(weights)])


def positive(outcomes: Outcomes) -> Outcomes:
    """Drop impossible outcomes; refuse what is not a distribution."""
    assert all(p >= 0 for _, p in outcomes), f"negative probability in {outcomes}"
    assert sum(p for _, p in outcomes) == 1, f"probabilities of {outcomes} do not sum to 1"
    return [(value, p) for value, p in outcomes if p]


def exact(number: Any) -> Fraction:
    """Return ``number`` as a Fraction, a float as the decimal its author typed."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def parameter(value: Any) -> Any:
    """Return a parameter as it arrives in the body: numeric strings and floats are Fractions."""
    if isinstance(value, float):
        return exact(value)
    if isinstance(value, str):
        try:
            return Fraction(value)
        except ValueError:
            return value
    return value


def frozen(output: Any) -> Any:
    """Return ``output`` with every list, however deep, as a tuple."""
    return tuple(frozen(item) for item in output) if isinstance(output, list | tuple) else output


def plain(function: Any) -> types.FunctionType:
    """Return the function under all decorators."""
    inner = inspect.unwrap(function)
    assert isinstance(inner, types.FunctionType), f"{function!r} wraps no plain function"
    return inner


class Rebuild:
    """Copies of functions, of what they call and of what they close over, with scripted randomness."""

    def __init__(self, script: Script) -> None:
        self._scripted = primitives(script)
        self._taut = sys.modules.get("taut")
        self._functions: dict[int, types.FunctionType] = {}

    def function(self, original: types.FunctionType) -> types.FunctionType:
        """Return a copy of ``original`` in which every global and free name has been rebuilt."""
        if id(original) in self._functions:
            return self._functions[id(original)]
        cells = tuple(types.CellType() for _ in original.__closure__ or ())
        names: dict[str, Any] = dict(original.__globals__)
        made = types.FunctionType(original.__code__, names, original.__name__, None, cells)
        self._functions[id(original)] = made  # before looking inside: functions may call each other in a circle
        for name in names_read(original.__code__) & names.keys():
            names[name] = self.value(names[name])
        for cell, old in zip(cells, original.__closure__ or (), strict=True):
            cell.cell_contents = self.value(old.cell_contents)
        made.__defaults__ = self.value(original.__defaults__)
        made.__kwdefaults__ = self.value(original.__kwdefaults__)
        return made

    def value(self, value: Any) -> Any:
        """Return ``value`` with scripted randomness wherever a function stands in it."""
        if value is self._taut and value is not None:
            return types.SimpleNamespace(**{**vars(value), **self._scripted})
        for name, scripted in self._scripted.items():
            if self._taut is not None and value is getattr(self._taut, name, None):
                return scripted
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if callable(value) and hasattr(value, "__wrapped__"):
            return self.function(plain(value))
        if type(value) in (list, tuple):
            return type(value)(self.value(item) for item in value)
        if type(value) is dict:
            return {key: self.value(item) for key, item in value.items()}
        return value


def names_read(code: types.CodeType) -> set[str]:
    """Return the global names that ``code``, or a function nested in it, may read."""
    nested = (names_read(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*nested)
