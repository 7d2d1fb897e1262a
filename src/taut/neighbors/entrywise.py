"""Relations defined by entries: the number that may change, and the allowed changes of a value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from taut.neighbors.automaton import AnyLayer, Neighbors, PairAutomaton, named
from taut.neighbors.ways import Ways
from taut.program.domains import InputSpace
from taut.support.errors import InvalidNeighbors
from taut.support.exact import exact, is_number
from taut.support.limits import checkpoints

__all__ = ["AddRemove", "AllStep", "Entrywise", "OneDiffer", "OneStep", "changes_one"]


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
