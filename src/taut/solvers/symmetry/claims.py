"""Claims: a symmetry as users write it down, and what is said about it, with a counterexample if it is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.compile import Relation
from taut.errors import InvalidSymmetry
from taut.solvers.symmetry.fingerprint import Fingerprint
from taut.solvers.symmetry.permutation import IDENTITY, Coordinate, Image, Permutation

__all__ = ["Counterexample", "SymmetryCheck", "claimed", "differing_case"]


@dataclass(frozen=True)
class Counterexample:
    """A case at which a claimed symmetry fails: P(A(x) = y) and P(A(x_moved) = y_moved) differ."""

    x: Any
    y: Any
    probability: Any
    x_moved: Any
    y_moved: Any
    probability_moved: Any

    def __str__(self) -> str:
        return (
            f"P(A({self.x!r}) = {self.y!r}) = {self.probability}, "
            f"but P(A({self.x_moved!r}) = {self.y_moved!r}) = {self.probability_moved}"
        )


@dataclass(frozen=True)
class SymmetryCheck:
    """Whether a claimed symmetry holds, how that is known, and if it does not, where it fails.

    With evidence a claim may fail for the joint masses and still hold for the conditional probabilities; then it is
    not accepted, and there is no counterexample.
    """

    claim: str
    holds: bool
    exact: bool
    error: Fraction
    method: str
    counterexample: Counterexample | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return f"{self.claim}: a symmetry, by {self.method}"
        if self.counterexample is None:
            return f"{self.claim}: not accepted, {self.method}"
        return f"{self.claim}: no symmetry, {self.counterexample}"

    def demand(self) -> None:
        """Refuse a claim that does not hold."""
        if not self.holds:
            raise InvalidSymmetry(f"{self}.", value=self.counterexample)


def claimed(
    relation: Relation,
    entries: Mapping[int, int] | Sequence[int] | None = None,
    values: Mapping[Any, Any] | None = None,
    outputs: Any = None,
    output_values: Mapping[Any, Any] | None = None,
) -> Permutation:
    """The permutation that a user describes.

    ``entries`` says where each entry goes, ``values`` which value becomes which: in all entries, or for some by
    ``{entry: {value: value}}``. ``outputs`` does the same for the components of an output that is a tuple, and
    ``output_values`` for their values; for an output that is a single value, ``outputs`` maps values, or is a function.
    """
    inputs = [variable.values for variable in relation.inputs]
    slots = [variable.values for variable in relation.outputs]
    moves = _moves("input", "entries", inputs, entries, values)
    if len(slots) == 1 and outputs is not None:
        if output_values is not None:
            raise InvalidSymmetry("give outputs= or output_values=, not both, for a single output.", value=outputs)
        output_values, outputs = _as_mapping(outputs, slots[0]), None
    elif callable(outputs):
        raise InvalidSymmetry(
            "outputs= is a function only where the output is a single value; here it says where components go, like "
            "{0: 1, 1: 0}.",
            value=outputs,
        )
    return Permutation({**moves, **_moves("output", "outputs", slots, outputs, output_values)})


def differing_case(
    relation: Relation, permutation: Permutation, source: random.Random | None = None
) -> tuple[list[int], list[int]]:
    """An input and an output, by positions, whose mass differs from that of the case they are moved to.

    Variables are decided one after the other, several at once where that goes well, so that the counts before and
    after the move stay different; with all of them decided, the counts are single masses.
    """
    randomness = random.SystemRandom() if source is None else source
    point = Fingerprint(relation, randomness)
    while point.moved(permutation) == point.count:
        point = Fingerprint(relation, randomness)
    weights: dict[Coordinate, Sequence[int]] = dict(point.weights)
    chosen: dict[Coordinate, int] = {}
    stack: list[list[Coordinate]] = [list(point.arity)]
    while stack:
        some = stack.pop()
        for value in range(max((point.arity[variable] for variable in some), default=0)):
            if len(some) > 1 and value > 1:
                break
            trial = {**weights, **{v: _only(point.weights[v], min(value, point.arity[v] - 1)) for v in some}}
            if point.moved(permutation, trial) != point.moved(IDENTITY, trial):
                weights = trial
                chosen.update({v: min(value, point.arity[v] - 1) for v in some})
                break
        else:
            some = some if len(some) > 1 else []
        if some and some[0] not in chosen:
            stack += [some[len(some) // 2 :], some[: len(some) // 2]]
    back = permutation.inverse
    x = [chosen["input", i] for i in range(len(relation.inputs))]
    y = [chosen["output", j] for j in range(len(relation.outputs))]
    return back.applied("input", x), back.applied("output", y)


def _only(weights: Sequence[int], value: int) -> list[int]:
    return [weight if place == value else 0 for place, weight in enumerate(weights)]


def _moves(
    kind: str,
    argument: str,
    values: Sequence[tuple[Any, ...]],
    targets: Mapping[int, int] | Iterable[int] | None,
    changes: Mapping[Any, Any] | None,
) -> dict[Coordinate, Image]:
    count = len(values)
    goes = _targets(argument, count, targets)
    each = changes is not None and bool(changes) and all(isinstance(change, Mapping) for change in changes.values())
    found: dict[Coordinate, Image] = {}
    for index in range(count):
        there = values[goes[index]]
        change = (changes or {}).get(index, {}) if each else (changes or {})
        if sorted(map(repr, values[index])) != sorted(map(repr, there)):
            raise InvalidSymmetry(
                f"{argument}: {index} cannot go to {goes[index]}, which has other values.", value=targets
            )
        unknown = [value for value in change if value not in values[index]]
        if unknown and (each or not any(value in row for row in values for value in unknown)):
            raise InvalidSymmetry(f"{unknown[0]!r} is no value of {_noun(kind)} {index}.", value=changes)
        images = [change.get(value, value) for value in values[index]]
        try:
            places = tuple(there.index(image) for image in images)
        except ValueError:
            places = ()
        if len(set(places)) != len(there):
            raise InvalidSymmetry(
                f"values of {_noun(kind)} {index}: every value must become another one, each once; got {change!r}.",
                value=changes,
            )
        found[kind, index] = ((kind, goes[index]), places)
    return found


def _targets(argument: str, count: int, given: Mapping[int, int] | Iterable[int] | None) -> list[int]:
    if given is None:
        return list(range(count))
    try:
        pairs = dict(given) if isinstance(given, Mapping) else dict(enumerate(given))
        goes = [pairs.get(index, index) for index in range(count)]
        fine = sorted(goes) == list(range(count)) and set(pairs) <= set(range(count))
        fine = fine and (isinstance(given, Mapping) or len(pairs) == count)
    except TypeError:
        fine = False
    if not fine:
        raise InvalidSymmetry(
            f"{argument}={given!r} is no permutation of 0..{count - 1}; write it like {{0: 1, 1: 0}}.", value=given
        )
    return goes


def _as_mapping(given: Mapping[Any, Any] | Callable[[Any], Any] | Any, values: Sequence[Any]) -> Mapping[Any, Any]:
    if isinstance(given, Mapping):
        return given
    if not callable(given):
        raise InvalidSymmetry(f"outputs={given!r}: expected a mapping of output values, or a function.", value=given)
    return {value: given(value) for value in values}


def _noun(kind: str) -> str:
    return "entry" if kind == "input" else "output"
