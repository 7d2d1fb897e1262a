"""Read a symmetry as users write it: mappings of entries, values and outputs make one permutation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from taut.diagrams.compile import Relation
from taut.support.errors import InvalidSymmetry
from taut.synthesis.symmetry.permutation import Coordinate, Image, Permutation

__all__ = ["read_permutation"]


def read_permutation(
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
