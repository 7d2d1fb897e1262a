"""Permutations of entries, values and outputs, and the notation in which users write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taut.diagrams.compile import Relation
from taut.support.errors import InvalidSymmetry

__all__ = ["IDENTITY", "Coordinate", "Image", "Permutation", "arities_of", "exchange", "read_permutation"]


Coordinate = tuple[str, int]
"""A coordinate of a case (x, y): ('input', i) is an entry, ('output', j) a component of the output."""
Image = tuple[Coordinate, tuple[int, ...]]
"""The target of a coordinate, and the position that each of its values has there."""


@dataclass(frozen=True)
class Permutation:
    """A permutation g of literals, which takes an input x to g x and an output y to g y.

    It is a symmetry of a mechanism A if P(A(g x) = g y) = P(A(x) = y) for all x and y.

    Parameters
    ----------
    moves : mapping, optional
        For each coordinate that moves, ``('input', i)`` or ``('output', j)``, the coordinate it goes to and a tuple
        that gives for each position of a value its new position. What is not named stays.

    Examples
    --------
    >>> flip = Permutation({("input", 0): (("input", 0), (1, 0))})
    >>> flip.applied("input", [0, 0]), bool(flip.then(flip))
    ([1, 0], False)
    """

    moves: Mapping[Coordinate, Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        moving = {
            coordinate: (target, values)
            for coordinate, (target, values) in self.moves.items()
            if target != coordinate or values != tuple(range(len(values)))
        }
        object.__setattr__(self, "moves", moving)

    def __bool__(self) -> bool:
        """Return True if anything moves."""
        return bool(self.moves)

    def __hash__(self) -> int:
        return hash(frozenset(self.moves.items()))

    @property
    def inputs(self) -> Permutation:
        """The permutation restricted to inputs."""
        return self._only("input")

    @property
    def outputs(self) -> Permutation:
        """The permutation restricted to outputs."""
        return self._only("output")

    def _only(self, kind: str) -> Permutation:
        return Permutation({coordinate: image for coordinate, image in self.moves.items() if coordinate[0] == kind})

    def image(self, coordinate: Coordinate, arity: int) -> Image:
        """Return the image of a coordinate with ``arity`` values."""
        return self.moves.get(coordinate) or (coordinate, tuple(range(arity)))

    def then(self, other: Permutation) -> Permutation:
        """Return the product: first this one, then the other."""
        moves: dict[Coordinate, Image] = dict(other.moves)
        for coordinate, (target, values) in self.moves.items():
            further, again = other.image(target, len(values))
            moves[coordinate] = (further, tuple(again[value] for value in values))
        return Permutation(moves)

    @property
    def inverse(self) -> Permutation:
        """The permutation that undoes this one."""
        return Permutation(
            {
                target: (coordinate, tuple(sorted(range(len(values)), key=values.__getitem__)))
                for coordinate, (target, values) in self.moves.items()
            }
        )

    def applied(self, kind: str, positions: Sequence[int]) -> list[int]:
        """Return the image of an input (``kind='input'``) or an output (``'output'``), as positions of values."""
        image = list(positions)
        for (what, index), ((_, target), values) in self.moves.items():
            if what == kind:
                image[target] = values[positions[index]]
        return image


IDENTITY = Permutation()


def exchange(pairs: Iterable[tuple[Coordinate, Coordinate]], arities: Mapping[Coordinate, int]) -> Permutation:
    """Return pairs of coordinates exchanged, their values keeping their positions."""
    moves: dict[Coordinate, Image] = {}
    for one, other in pairs:
        values = tuple(range(arities[one]))
        moves[one], moves[other] = (other, values), (one, values)
    return Permutation(moves)


def arities_of(relation: Relation) -> dict[Coordinate, int]:
    """Return the number of values of each coordinate of a relation."""
    arities: dict[Coordinate, int] = {("input", i): len(one.values) for i, one in enumerate(relation.inputs)}
    return arities | {("output", j): len(one.values) for j, one in enumerate(relation.outputs)}


def read_permutation(
    relation: Relation,
    entries: Mapping[int, int] | Sequence[int] | None = None,
    values: Mapping[Any, Any] | None = None,
    outputs: Any = None,
    output_values: Mapping[Any, Any] | None = None,
) -> Permutation:
    """Return the permutation that a user describes.

    ``entries`` says where each entry goes, ``values`` which value becomes which: in all entries, or for some by
    ``{entry: {value: value}}``. ``outputs`` does the same for the components of an output that is a tuple, and
    ``output_values`` for their values; for an output that is a single value, ``outputs`` maps values, or is a function.
    """
    components = [variable.values for variable in relation.outputs]
    if len(components) == 1 and outputs is not None:
        if output_values is not None:
            raise InvalidSymmetry("give outputs= or output_values=, not both, for a single output.", value=outputs)
        if not callable(outputs) and not isinstance(outputs, Mapping):
            raise InvalidSymmetry(f"outputs={outputs!r}: expected a mapping of values, or a function.", value=outputs)
        output_values = {value: outputs(value) for value in components[0]} if callable(outputs) else outputs
        outputs = None
    elif callable(outputs):
        raise InvalidSymmetry(
            "outputs= is a function only where the output is a single value; here it says where components go, like "
            "{0: 1, 1: 0}.",
            value=outputs,
        )
    moves = _moves("input", "entries", [variable.values for variable in relation.inputs], entries, values)
    return Permutation({**moves, **_moves("output", "outputs", components, outputs, output_values)})


def _moves(
    kind: str,
    argument: str,
    values: Sequence[tuple[Any, ...]],
    given: Mapping[int, int] | Iterable[int] | None,
    changes: Mapping[Any, Any] | None,
) -> dict[Coordinate, Image]:
    """Return the images of the coordinates of one kind; ``argument`` is the users' name for ``given``."""
    changes = changes or {}
    targets = _targets(argument, len(values), given)
    separately = bool(changes) and all(isinstance(change, Mapping) for change in changes.values())
    moves: dict[Coordinate, Image] = {}
    for index, (target, here) in enumerate(zip(targets, values, strict=True)):
        name = f"{'entry' if kind == 'input' else 'output'} {index}"
        there = values[target]
        if sorted(map(repr, here)) != sorted(map(repr, there)):
            raise InvalidSymmetry(f"{argument}: {index} cannot go to {target}, which has other values.", value=given)
        change = changes.get(index, {}) if separately else changes
        unknown = [value for value in change if value not in here]
        if unknown and (separately or not any(value in row for row in values for value in unknown)):
            raise InvalidSymmetry(f"{unknown[0]!r} is not a value of {name}.", value=changes)
        images = [change.get(value, value) for value in here]
        positions = tuple(there.index(image) for image in images if image in there)
        if len(positions) < len(images) or len(set(positions)) != len(there):
            raise InvalidSymmetry(
                f"values of {name}: every value must become another one, each once; got {change!r}.", value=changes
            )
        moves[kind, index] = ((kind, target), positions)
    return moves


def _targets(argument: str, count: int, given: Mapping[int, int] | Iterable[int] | None) -> list[int]:
    if given is None:
        return list(range(count))
    try:
        pairs = dict(given) if isinstance(given, Mapping) else dict(enumerate(given))
        targets = [pairs.get(index, index) for index in range(count)]
        fine = sorted(targets) == list(range(count)) and set(pairs) <= set(range(count))
        fine = fine and (isinstance(given, Mapping) or len(pairs) == count)
    except TypeError:
        fine = False
    if not fine:
        raise InvalidSymmetry(
            f"{argument}={given!r} is not a permutation of 0..{count - 1}; write it like {{0: 1, 1: 0}}.", value=given
        )
    return targets
