"""Neighbour relations: which databases count as neighbours, as small automata over pairs of entries read in order."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.domains import as_tuples
from taut.errors import InvalidNeighbors

__all__ = [
    "AllStep",
    "Block",
    "Custom",
    "Entrywise",
    "Layered",
    "Layers",
    "Neighbors",
    "OneDiffer",
    "OneStep",
    "Pairs",
    "Turn",
    "custom",
    "neighbors_of",
]

Entries = tuple[Any, ...]
Index = int | slice
Block = tuple[tuple[Index, Index], ...]
"""For every entry where x and where x' lies, in positions: a family of pairs that differ in the same way."""


class Neighbors(ABC):
    """A relation between databases; no database is its own neighbour. Pairs are ordered."""

    name: str

    @abstractmethod
    def related(self, x: Any, x_prime: Any) -> bool:
        """Whether two databases, given as users give them, are neighbours."""


class Entrywise(Neighbors):
    """A relation that a small automaton decides, reading the pairs of entries one after the other.

    ``step`` gives the next state, or None if the pair of entries is not allowed there; a pair of databases is related
    if the last state is accepting.
    """

    start = 0

    @abstractmethod
    def step(self, state: int, value: Any, other: Any) -> int | None: ...

    def accepting(self, state: int) -> bool:
        return state == 1

    def related(self, x: Any, x_prime: Any) -> bool:
        return self.related_entries(_flat(x), _flat(x_prime))

    def related_entries(self, x: Entries, x_prime: Entries) -> bool:
        """Whether two databases, given by their entries, are neighbours."""
        if len(x) != len(x_prime):
            return False
        state: int | None = self.start
        for value, other in zip(x, x_prime, strict=True):
            state = self.step(state, value, other) if state is not None else None
        return state is not None and self.accepting(state)

    def neighbors(self, entries: Entries, values: Sequence[Sequence[Any]]) -> Iterator[Entries]:
        """The neighbours of a database, lazily, in the order of the domain."""
        stack: list[tuple[int, int, Entries]] = [(0, self.start, ())]
        while stack:
            place, state, chosen = stack.pop()
            if place == len(entries):
                if self.accepting(state):
                    yield chosen
                continue
            for other in reversed(values[place]):
                following = self.step(state, entries[place], other)
                if following is not None and self._may_end(following, len(entries) - place - 1):
                    stack.append((place + 1, following, (*chosen, other)))

    def _may_end(self, state: int, left: int) -> bool:
        return left > 0 or self.accepting(state)

    @abstractmethod
    def blocks(self, values: Sequence[Sequence[Any]]) -> Iterator[Block]:
        """All related pairs, each in exactly one block."""


class OneDiffer(Entrywise):
    """One entry changes freely: the paper's relation."""

    name = "one_differ"

    def step(self, state: int, value: Any, other: Any) -> int | None:
        if value == other:
            return state
        return 1 if state == 0 and self.allowed(value, other) else None

    def allowed(self, value: Any, other: Any) -> bool:
        return True

    def blocks(self, values: Sequence[Sequence[Any]]) -> Iterator[Block]:
        everything = (slice(None), slice(None))
        for entry, choices in enumerate(values):
            for a, b in itertools.permutations(range(len(choices)), 2):
                if self.allowed(choices[a], choices[b]):
                    yield tuple((a, b) if place == entry else everything for place in range(len(values)))


class OneStep(OneDiffer):
    """One entry changes, by at most 1."""

    name = "one_step"

    def allowed(self, value: Any, other: Any) -> bool:
        return bool(abs(_number(value, self.name) - _number(other, self.name)) <= 1)


class AllStep(Entrywise):
    """Every entry may change, by at most 1: the answers to queries of sensitivity one."""

    name = "all_step"

    def step(self, state: int, value: Any, other: Any) -> int | None:
        if value == other:
            return state
        return 1 if abs(_number(value, self.name) - _number(other, self.name)) <= 1 else None

    def blocks(self, values: Sequence[Sequence[Any]]) -> Iterator[Block]:
        moves = [self._moves(choices) for choices in values]
        for block in itertools.product(*moves):
            if any(move != (slice(None), slice(None)) for move in block):
                yield block

    def _moves(self, choices: Sequence[Any]) -> list[tuple[Index, Index]]:
        same: tuple[Index, Index] = (slice(None), slice(None))
        numbers = [_number(choice, self.name) for choice in choices]
        if all(b - a == 1 for a, b in itertools.pairwise(numbers)):
            up: tuple[Index, Index] = (slice(None, -1), slice(1, None))
            return [same, up, (up[1], up[0])] if len(choices) > 1 else [same]
        pairs = itertools.permutations(range(len(choices)), 2)
        return [same, *[(a, b) for a, b in pairs if abs(numbers[a] - numbers[b]) <= 1]]


Turn = tuple[int, int, int]
"""Positions of the value of x and of the value of x', and the state they lead to."""
Layers = tuple[Sequence[Mapping[int, Sequence[Turn]]], int, set[int]]
"""For each entry in some order the turns from every state; the first state; the last states that accept."""


class Layered(Neighbors):
    """A relation that is an automaton over the entries in any order that is asked for; None if it cannot be read."""

    @abstractmethod
    def layers(self, order: Sequence[int]) -> Layers | None: ...


@dataclass(frozen=True)
class Custom(Neighbors):
    """A relation given by a predicate f(x, x_prime) on databases; x itself never counts."""

    predicate: Callable[[Any, Any], Any]
    name: str = "custom"

    def related(self, x: Any, x_prime: Any) -> bool:
        return x != x_prime and bool(self.predicate(x, x_prime))


def custom(predicate: Callable[[Any, Any], Any]) -> Custom:
    """The relation of all different databases for which a predicate f(x, x_prime) is true."""
    return Custom(predicate)


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
                    f"neighbors: {pair!r} holds something that is no database.", value=pair
                ) from None

    def related(self, x: Any, x_prime: Any) -> bool:
        return (as_tuples(x), as_tuples(x_prime)) in self.pairs


_NAMED: dict[str, type[Entrywise]] = {kind.name: kind for kind in (OneDiffer, OneStep, AllStep)}


def neighbors_of(given: Any) -> Neighbors:
    """The relation that a user names, defines by a predicate, or lists."""
    if isinstance(given, Neighbors):
        return given
    if isinstance(given, str):
        if given not in _NAMED:
            raise InvalidNeighbors(
                f"neighbors={given!r}: there are {', '.join(_NAMED)}, a predicate f(x, x_prime), or ordered pairs.",
                value=given,
            )
        return _NAMED[given]()
    if callable(given):
        return Custom(given)
    if isinstance(given, Iterable):
        return Pairs(given)
    raise InvalidNeighbors(f"neighbors={given!r} is no relation; there are {', '.join(_NAMED)}.", value=given)


def _number(value: Any, name: str) -> Any:
    if not isinstance(value, (int, float, Fraction)):
        raise InvalidNeighbors(f"neighbors='{name}' needs entries that are numbers; got {value!r}.", value=value)
    return value


def _flat(x: Any) -> Entries:
    """The entries of a database, or of several."""
    if not isinstance(x, (list, tuple)):
        return (x,)
    kinds = set(map(type, x))
    if list in kinds or tuple in kinds:
        return tuple(entry for part in x for entry in _flat(part))
    return tuple(x)
