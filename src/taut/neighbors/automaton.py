"""Neighbour relations and their pair automata: sets of pairs (x, x') of inputs, read entry by entry."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from taut.neighbors.ways import Ways
from taut.program.domains import InputSpace
from taut.support.process import cached_property, collector_paused

__all__ = [
    "DEFAULT",
    "NAMED",
    "AnyLayer",
    "Layer",
    "Neighbors",
    "PairAutomaton",
    "named",
    "relation_names",
    "single_inputs",
]


Layer = Mapping[int, Ways]
"""The transitions from every state at one entry, at most one for each pair of values."""
AnyLayer = Mapping[int, Sequence[tuple[int, int, int]]]
"""A layer under construction: its transitions may be bare tuples in any order."""


@dataclass(frozen=True)
class PairAutomaton:
    """A minimal deterministic layered automaton over pairs of values; build it with ``of``.

    ``transitions[i][q]`` lists what may happen at the entry ``order[i]`` from state q. ``states[i]`` are the states
    before it, each on a way from the start to acceptance. ``same_before[i]`` are those that are reached by equal values
    only, ``same_after[i]`` those from which only equal values lead on. ``sides`` is 2 for pairs, 1 for single inputs.
    States of a layer are numbered from 0. Layers made from one layer are one object where they can be, so that what is
    computed from a layer is computed once.
    """

    order: tuple[int, ...]
    transitions: tuple[Layer, ...]
    states: tuple[tuple[int, ...], ...]
    same_before: tuple[frozenset[int], ...]
    same_after: tuple[frozenset[int], ...]
    sides: int = 2

    @classmethod
    def of(
        cls, order: Sequence[int], layers: Sequence[AnyLayer], start: int, accepting: set[int], sides: int = 2
    ) -> PairAutomaton:
        """Return the minimal automaton that accepts the same pairs.

        ``layers`` read the entries in this order; ``start`` is the state before the first of them, ``accepting`` are
        states after the last. States may be numbered at will, in every layer anew.

        >>> different = [(0, 1, 1), (1, 0, 1)]
        >>> automaton = PairAutomaton.of([0], [{0: different}], 0, {1})
        >>> automaton.count_pairs(), automaton.symmetric
        (2, True)
        """
        reduced, first = _reduced(layers, start, accepting)
        by_id = {id(layer): layer for layer in reduced}
        forward = functools.cache(lambda layer, here, same: _forward(by_id[layer], here, same))
        backward = functools.cache(lambda layer, same: _same_after(by_id[layer], same))
        states, before = [first], [frozenset(first)]
        for layer in reduced:
            following, same = forward(id(layer), states[-1], before[-1])
            states.append(following)
            before.append(same)
        after = [frozenset(states[-1])]
        for layer in reversed(reduced):
            after.append(backward(id(layer), after[-1]))
        after = [same & frozenset(here) for same, here in zip(reversed(after), states, strict=True)]
        return cls(tuple(order), tuple(reduced), tuple(states), tuple(before), tuple(after), sides)

    @property
    def empty(self) -> bool:
        """Return True if the relation is empty."""
        return not self.states[0]

    def free(self, sizes: Sequence[int]) -> bool:
        """Return True if every value of x is possible before and after every state.

        ``sizes`` has the number of values of each entry. If so, every belief and every functional can be extended to a
        whole pair.
        """
        layers = zip(self.order, self.transitions, self.states[:-1], self.states[1:], strict=True)
        for entry, layer, before, after in layers:
            runs = [(state, run) for state in before for run in layer[state].runs]
            values = range(sizes[entry])
            leaving = {(state, run.value) for state, run in runs}
            arriving = {(run.state, run.value) for _, run in runs}
            if len(leaving) < len(before) * len(values) or len(arriving) < len(after) * len(values):
                return False
        return True

    @cached_property
    def symmetric(self) -> bool:
        """Return True if the relation is symmetric."""
        if self.empty:
            return True
        mirrored = {(self.states[0][0], self.states[0][0])}
        for layer, exchanged in zip(self.transitions, self.swapped().transitions, strict=True):
            following = set()
            for state, image in mirrored:
                reached = _reached_together(exchanged[state], layer[image])
                if reached is None:
                    return False
                following |= reached
            mirrored = following
        return True

    @cached_property
    def pairs_from(self) -> tuple[Mapping[int, int], ...]:
        """Return, for every layer and state, the number of ways to pair the remaining entries."""
        counts = [dict.fromkeys(self.states[-1], 1)]
        for layer, here in zip(reversed(self.transitions), reversed(self.states[:-1]), strict=True):
            known = counts[-1]
            counts.append({q: sum(times * known[reached] for reached, times in layer[q].counts.items()) for q in here})
        return tuple(reversed(counts))

    def count_pairs(self) -> int:
        """Return the exact number of related ordered pairs, without listing them."""
        return sum(self.pairs_from[0].values())

    def related(self, x: Sequence[int], x_prime: Sequence[int]) -> bool:
        """Return True if two inputs, given as positions of values, are related."""
        if self.empty:
            return False
        state: int | None = self.states[0][0]
        for entry, layer in zip(self.order, self.transitions, strict=True):
            if state is None:
                return False
            state = layer[state].state(x[entry], x_prime[entry])
        return state is not None

    def neighbors(self, x: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield all x' related to x, as positions of values.

        They come in the order of the domain if entries are read in that order; the first one comes at once, however
        many there are.
        """
        layers = [
            {state: layer[state].of_value(x[entry]) for state in here}
            for entry, layer, here in zip(self.order, self.transitions, self.states[:-1], strict=True)
        ]
        automaton = PairAutomaton.of(self.order, layers, next(iter(self.states[0]), 0), set(self.states[-1]))
        stack: list[tuple[int, int, tuple[int, ...]]] = [(0, state, ()) for state in automaton.states[0]]
        while stack:
            level, state, chosen = stack.pop()
            if level < len(layers):
                ways = reversed(automaton.transitions[level][state])
                stack += [(level + 1, one.state, (*chosen, one.other)) for one in ways]
            else:
                by_entry = dict(zip(self.order, chosen, strict=True))
                yield tuple(by_entry[entry] for entry in sorted(by_entry))

    def swapped(self) -> PairAutomaton:
        """Return the relation with x and x' exchanged, with the same states."""
        layers = self.by_layer(lambda layer: {state: ways.swapped() for state, ways in layer.items()})
        return replace(self, transitions=layers)

    def by_layer(self, compute: Any) -> tuple[Any, ...]:
        """Return compute(layer) for every layer, computed once for layers that are one object."""
        known: dict[int, Any] = {}
        for layer in self.transitions:
            if id(layer) not in known:
                known[id(layer)] = compute(layer)
        return tuple(known[id(layer)] for layer in self.transitions)


def single_inputs(sizes: Sequence[int], order: Sequence[int]) -> PairAutomaton:
    """Return the relation of every input with itself; ``sizes`` are the numbers of values of the entries."""
    layers: dict[int, Layer] = {size: {0: Ways.of_runs((v, v, v + 1, 0) for v in range(size))} for size in set(sizes)}
    return PairAutomaton.of(order, [layers[sizes[entry]] for entry in order], 0, {0}, 1)


def _reduced(layers: Sequence[AnyLayer], start: int, accepting: set[int]) -> tuple[list[Layer], tuple[int, ...]]:
    """Minimise layers: drop states that never accept, and merge equivalent ones; return the layers and the start."""
    known: dict[tuple[int, frozenset[tuple[int, int]]], tuple[Layer, dict[int, int]]] = {}
    number = dict.fromkeys(accepting, 0)
    reduced: list[Layer] = []
    for layer in reversed(layers):
        key = (id(layer), frozenset(number.items()))
        if key not in known:
            known[key] = _merged(layer, number)
        made, number = known[key]
        reduced.append(made)
    reduced.reverse()
    return reduced, (number[start],) if start in number else ()


def _merged(layer: AnyLayer, number: Mapping[int, int]) -> tuple[Layer, dict[int, int]]:
    states: dict[Ways, int] = {}
    merged: dict[int, int] = {}
    for state, ways in layer.items():
        alive = Ways.of(ways).renumbered(number)
        if alive:
            merged[state] = states.setdefault(alive, len(states))
    return {state: ways for ways, state in states.items()}, merged


def _reached_together(ways: Ways, others: Ways) -> set[tuple[int, int]] | None:
    """Return the pairs of states reached by equal pairs of values; None if some pair leads on in one of them only."""
    reached = set()
    second = iter(others.runs)
    other = next(second, None)
    for run in ways.runs:
        at = run.start
        while at < run.stop:
            while other is not None and (other.value, other.stop) <= (run.value, at):
                other = next(second, None)
            if other is None or other.value != run.value or other.start > at:
                return None
            reached.add((run.state, other.state))
            at = min(run.stop, other.stop)
    return reached if len(ways) == len(others) else None


def _forward(layer: Layer, states: tuple[int, ...], same: frozenset[int]) -> tuple[tuple[int, ...], frozenset[int]]:
    """Return the states after a layer, and those of them that are reached by equal values alone."""
    reached = {following for state in states for following in layer[state].counts}
    differ = {q for state in states for q in (layer[state].unequal if state in same else layer[state].counts)}
    return tuple(sorted(reached)), frozenset(reached - differ)


def _same_after(layer: Layer, same: frozenset[int]) -> frozenset[int]:
    """Return the states before a layer from which only equal values lead on."""
    return frozenset(state for state, ways in layer.items() if not ways.unequal and same >= ways.counts.keys())


DEFAULT = "one_differ"
"""The relation of a mechanism that declares none."""


class Neighbors(ABC):
    """A relation between inputs: ordered pairs (x, x') with x different from x'.

    All questions about a relation are answered by its automaton, so a new relation is a class with one method,
    ``read``.
    """

    name: str

    @abstractmethod
    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        """Return the related pairs of a space as an automaton that reads the entries in the given order."""

    def automaton(self, space: InputSpace, order: Sequence[int] | None = None) -> PairAutomaton:
        """Return the related pairs of inputs of a space.

        Parameters:
            space: the inputs.
            order: the entries in the order in which they are read; by default as they stand.

        Raises:
            InvalidNeighbors: the relation makes no sense for these inputs.
            TooLarge: the relation would have to be listed, and there are too many pairs.
        """
        with collector_paused():
            return self.read(space, range(len(space.values)) if order is None else order)

    def related(self, space: InputSpace) -> Callable[[Any, Any], bool]:
        """Return a function that tells whether two inputs, in the user's form, are neighbours."""
        automaton = self.automaton(space)
        return lambda x, x_prime: automaton.related(space.positions(x), space.positions(x_prime))

    def compiled(self, reader: Callable[[Callable[[Any, Any], Any]], Neighbors | None]) -> Neighbors:
        """Return the relation that ``reader`` compiles from the defining predicate; this relation if it has none."""
        return self


Kind = TypeVar("Kind", bound=type[Neighbors])
NAMED: dict[str, Callable[[], Neighbors]] = {}


def named(kind: Kind) -> Kind:
    """Register a class of relations under its name."""
    NAMED[kind.name] = kind
    return kind


def relation_names() -> str:
    """Return the names of all named relations as a list in words."""
    return ", ".join(NAMED)
