"""Relations given by pairs of inputs: listed, or by a predicate that is asked about all of them."""

from __future__ import annotations

import functools
import itertools
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from taut.neighbors.automaton import NAMED, AnyLayer, Neighbors, PairAutomaton, relation_names
from taut.program.domains import InputSpace, as_tuples
from taut.support.errors import InvalidInput, InvalidNeighbors, TautError, TooLarge, meant
from taut.support.interruption import interruptible
from taut.support.limits import checkpoints

__all__ = ["Pairs", "Predicate", "neighbors_of"]


_MOST_PAIRS = 4_000_000
"""Limit for the pairs on which a predicate is evaluated."""
_OURS = str(Path(__file__).parent.parent)
"""Folder of the source files of taut."""
Positions = tuple[int, ...]


class Pairs(Neighbors):
    """A relation given by its ordered pairs."""

    name = "pairs"

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs: dict[tuple[Any, Any], None] = {}
        for pair in pairs:
            if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
                raise InvalidNeighbors(f"neighbors: expected ordered pairs (x, x'); got {pair!r}.", value=pair)
            x, x_prime = as_tuples(pair[0]), as_tuples(pair[1])
            if x == x_prime:
                raise InvalidNeighbors(f"neighbors: {x!r} cannot be its own neighbour.", value=pair)
            try:
                self.pairs[x, x_prime] = None
            except TypeError:
                raise InvalidNeighbors(
                    f"neighbors: {pair!r} holds something that is not a database.", value=pair
                ) from None

    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        try:
            pairs = [(space.positions(x), space.positions(x_prime)) for x, x_prime in self.pairs]
        except InvalidInput as problem:
            raise InvalidNeighbors(f"neighbors: {problem}", value=problem.value) from None
        return _tree(pairs, order)


class Predicate(Neighbors):
    """All pairs of different inputs for which the predicate f(x, x_prime) is true; it is evaluated on each."""

    def __init__(self, function: Callable[[Any, Any], Any], name: str = "custom") -> None:
        self.function, self.name = function, name
        self._asked: tuple[InputSpace, list[tuple[Positions, Positions]]] | None = None

    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        if self._asked is None or self._asked[0] != space:
            self._asked = (space, self._all(space))
        return _tree(self._asked[1], order)

    def related(self, space: InputSpace) -> Callable[[Any, Any], bool]:
        return lambda x, x_prime: x != x_prime and self._holds(x, x_prime)

    def compiled(self, reader: Callable[[Callable[[Any, Any], Any]], Neighbors | None]) -> Neighbors:
        return reader(self.function) or self

    def _all(self, space: InputSpace) -> list[tuple[Positions, Positions]]:
        if space.size**2 > _MOST_PAIRS:
            raise TooLarge(
                f"a predicate on {space.size} inputs would have to be asked {space.size**2} times; at most "
                f"{_MOST_PAIRS}. Use {relation_names()}, or list the pairs.",
                value=space.size**2,
            )
        positions = list(itertools.product(*[range(len(values)) for values in space.values]))
        inputs = [(one, space.at(one)) for one in positions]
        pairs = checkpoints(itertools.permutations(inputs, 2))
        with interruptible():
            return [(a, b) for (a, x), (b, x_prime) in pairs if self._holds(x, x_prime)]

    def _holds(self, x: Any, x_prime: Any) -> bool:
        try:
            return bool(self.function(x, x_prime))
        except TautError:
            raise
        except Exception as problem:
            # the lines of the user's that were at work; none where the predicate could not even be called
            inside = [frame for frame in traceback.extract_tb(problem.__traceback__) if _OURS not in frame.filename]
            where = f" ({inside[-1].filename}:{inside[-1].lineno})" if inside else ""
            raise InvalidNeighbors(
                f"neighbors: the predicate '{self.name}' raised {type(problem).__name__}: {problem}{where} "
                f"at x={x!r}, x'={x_prime!r}.",
                value=(x, x_prime),
            ) from problem


def _tree(pairs: Iterable[tuple[Positions, Positions]], order: Sequence[int]) -> PairAutomaton:
    """Build the automaton of a list of pairs from the tree of their entries."""
    layers: list[dict[int, list[tuple[int, int, int]]]] = [{} for _ in order]
    following: list[dict[tuple[int, int, int], int]] = [{} for _ in order]
    states = itertools.count(1)
    accepting = set()
    for x, x_prime in checkpoints(pairs):
        state = 0
        for layer, known, entry in zip(layers, following, order, strict=True):
            key = (state, x[entry], x_prime[entry])
            if key not in known:
                known[key] = next(states)
                layer.setdefault(state, []).append((x[entry], x_prime[entry], known[key]))
            state = known[key]
        accepting.add(state)
    tree: list[AnyLayer] = [*layers]
    return PairAutomaton.of(order, tree, 0, accepting)


def neighbors_of(given: Any) -> Neighbors:
    """Return the relation for a name, a predicate, or a list of pairs.

    Parameters
    ----------
    given
        A name, such as ``"one_differ"``; a predicate f(x, x_prime); ordered pairs (x, x'); or a relation itself.

    Raises
    ------
    InvalidNeighbors
        It is none of these.

    Examples
    --------
    >>> from taut.program.domains import InputSpace, bits
    >>> space = InputSpace((bits(3),))
    >>> neighbors_of("one_differ").automaton(space).count_pairs()
    24
    >>> neighbors_of(lambda x, x_prime: sum(x) < sum(x_prime)).automaton(space).count_pairs()
    22
    """
    if isinstance(given, Neighbors):
        return given
    if isinstance(given, str) and given in NAMED:
        return _named(given)
    if callable(given):
        return Predicate(given)
    if isinstance(given, Iterable) and not isinstance(given, str):
        return Pairs(given)
    raise InvalidNeighbors(
        f"neighbors={given!r}: there are {relation_names()}, a predicate f(x, x_prime), or ordered pairs (x, x')."
        f"{meant(given, NAMED) if isinstance(given, str) else ''}",
        value=given,
    )


@functools.cache
def _named(name: str) -> Neighbors:
    """Return the relation of a name: always the same object, so that cached results are reused."""
    return NAMED[name]()
