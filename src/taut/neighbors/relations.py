"""Neighbour relations as users state them: by the entries that may change, as a list of pairs, or as a predicate."""

from __future__ import annotations

import functools
import itertools
import traceback
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from taut.neighbors.automaton import NAMED, AnyLayer, Neighbors, PairAutomaton, named, relation_names
from taut.neighbors.ways import Ways
from taut.program.domains import InputSpace, as_tuples
from taut.support.errors import InvalidInput, InvalidNeighbors, TautError, TooLarge, meant
from taut.support.exact import exact, is_number
from taut.support.interruption import interruptible
from taut.support.limits import checkpoints

__all__ = [
    "AddRemove",
    "AllStep",
    "Entrywise",
    "OneDiffer",
    "OneStep",
    "Pairs",
    "Predicate",
    "changes_one",
    "neighbors_of",
]


class Entrywise(Neighbors):
    """Inputs that differ in at least one entry and in at most ``most`` (None: in any number), each as ``changes`` says.

    A state is the number of entries that have changed, as far as it matters, so entries can be read in any order.
    """

    most: int | None = 1

    def changes(self, values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
        """The changes of an entry with these values: a position, and positions from one to before another that it may
        become. Its own position may be among them; it is left out."""
        for place in range(len(values)):
            yield place, 0, len(values)

    def changed(self, values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
        """Yield the changes without those of a position to itself."""
        for place, start, stop in checkpoints(self.changes(list(map(self.meant, values)))):
            if start <= place < stop:
                if start < place:
                    yield place, start, place
                start = place + 1
            if start < stop:
                yield place, start, stop

    def meant(self, value: Any) -> Any:
        """Return a value in the form that ``changes`` needs, or refuse it."""
        return value

    def require(self, space: InputSpace) -> None:
        """Refuse inputs to which the relation does not apply."""

    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        self.require(space)
        last = 1 if self.most is None else self.most
        layers = {values: self._layer(values, last) for values in dict.fromkeys(space.values)}
        return PairAutomaton.of(order, [layers[space.values[e]] for e in order], 0, set(range(1, last + 1)))

    def _layer(self, values: Sequence[Any], last: int) -> AnyLayer:
        changes = list(self.changed(values))
        layer: dict[int, Ways] = {}
        for state in range(last + 1):
            runs = [(place, place, place + 1, state) for place in checkpoints(range(len(values)), 4096)]
            if state < last or self.most is None:
                following = min(state + 1, last)
                runs += [(*change, following) for change in checkpoints(changes, 4096)]
            layer[state] = Ways.of_runs(runs)
        return layer


@named
class OneDiffer(Entrywise):
    """One entry changes to any other value. If entries may be absent, one may also appear or disappear."""

    name = "one_differ"


class _Numeric(Entrywise):
    """Numeric entries that change by at most 1, computed exactly: 0.1 is 1/10."""

    def meant(self, value: Any) -> Any:
        if not is_number(value):
            raise InvalidNeighbors(
                f"neighbors='{self.name}' needs entries that are numbers; got {value!r}.", value=value
            )
        return value if isinstance(value, int) else exact(value)

    def changes(self, values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
        places = sorted(range(len(values)), key=values.__getitem__)
        ordered = [values[place] for place in places]
        for place, value in enumerate(values):
            near = places[bisect_left(ordered, value - 1) : bisect_right(ordered, value + 1)]
            yield from ((place, start, stop) for start, stop in _runs(sorted(near)))


@named
class OneStep(_Numeric):
    """One entry changes, by at most 1."""

    name = "one_step"


@named
class AllStep(_Numeric):
    """Every entry may change, by at most 1: the answers to queries of sensitivity one."""

    name = "all_step"
    most = None


@named
class AddRemove(Entrywise):
    """One entry is added or removed: it is absent (None) in one input, and has any value in the other."""

    name = "add_remove"

    def require(self, space: InputSpace) -> None:
        for domain in space.domains:
            if None not in domain.values:
                raise InvalidNeighbors(
                    f"neighbors='{self.name}' needs entries that may be absent, and those of {domain} are always "
                    f"there. Write {domain}.optional(): an absent entry is None.",
                    value=domain,
                )

    def changes(self, values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
        absent = values.index(None)
        for place in range(len(values)):
            yield (place, 0, len(values)) if place == absent else (place, absent, absent + 1)


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield sorted positions as ranges of consecutive ones."""
    start = 0
    for number in range(1, len(places) + 1):
        if number == len(places) or places[number] != places[number - 1] + 1:
            yield places[start], places[number - 1] + 1
            start = number


def changes_one(neighbors: Neighbors | None) -> bool:
    """Return True if neighbours differ in one entry, whose values alone tell whether they are neighbours."""
    return isinstance(neighbors, Entrywise) and neighbors.most == 1 and type(neighbors).read is Entrywise.read


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
