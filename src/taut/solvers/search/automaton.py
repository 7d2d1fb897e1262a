"""Neighbour relations as the search reads them: states between entries, in the order of the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.neighbors import AllStep, Entrywise, Layered, Neighbors, OneDiffer, Pairs, Turn

__all__ = ["Pairing", "Turn", "alone", "pairing_of"]


@dataclass(frozen=True)
class Pairing:
    """A layered automaton over pairs of values; every state lies on a way from the start to acceptance.

    ``turns[i][q]`` lists what may happen at the i-th input from state q. ``states[i]`` are the states before it.
    ``same_before[i]`` are those that are reached by equal values only, ``same_after[i]`` those from which only equal
    values lead on. ``sides`` is 2 for pairs, 1 for single inputs.
    """

    turns: tuple[Mapping[int, Sequence[Turn]], ...]
    states: tuple[tuple[int, ...], ...]
    same_before: tuple[frozenset[int], ...]
    same_after: tuple[frozenset[int], ...]
    sides: int

    @property
    def free(self) -> bool:
        """Whether every value of x is possible on every way to and from every state.

        Then whatever mass a belief or a functional has can be completed to a whole pair.
        """
        for layer, before, after in zip(self.turns, self.states[:-1], self.states[1:], strict=True):
            values = {a for turns in layer.values() for a, _, _ in turns}
            leaving = {(q, a) for q, turns in layer.items() for a, _, _ in turns}
            arriving = {(following, a) for turns in layer.values() for a, _, following in turns}
            if len(leaving) < len(before) * len(values) or len(arriving) < len(after) * len(values):
                return False
        return True

    @property
    def empty(self) -> bool:
        """Whether nothing is related."""
        return not self.states[0]


def pairing_of(
    neighbors: Neighbors, order: Sequence[int], values: Sequence[Sequence[Any]], entries: Any
) -> Pairing | None:
    """The pairing of a relation whose entries are read in ``order``; None if it cannot be read entry by entry.

    ``values`` are those of every entry; ``entries`` gives the entries of an input, for relations that list their pairs.
    """
    if isinstance(neighbors, (OneDiffer, AllStep)) or (
        isinstance(neighbors, Entrywise) and list(order) == sorted(order)
    ):
        return _entrywise(neighbors, order, values)
    if isinstance(neighbors, Layered):
        layers = neighbors.layers(order)
        return None if layers is None else _pairing(*layers, 2)
    if isinstance(neighbors, Pairs):
        return _listed(neighbors, order, values, entries)
    return None


def alone(order: Sequence[int], values: Sequence[Sequence[Any]]) -> Pairing:
    """Single inputs: one state, every value."""
    layers = [{0: [(value, value, 0) for value in range(len(values[entry]))]} for entry in order]
    return _pairing(layers, 0, {0}, 1)


def _entrywise(neighbors: Entrywise, order: Sequence[int], values: Sequence[Sequence[Any]]) -> Pairing:
    known: dict[tuple[Any, ...], dict[int, list[Turn]]] = {}
    layers: list[dict[int, list[Turn]]] = []
    states = {neighbors.start}
    for entry in order:
        choices = tuple(values[entry])
        layer: dict[int, list[Turn]] = {}
        for state in states:
            key = (state, choices)
            if key not in known:
                known[key] = {state: _turns(neighbors, state, choices)}
            layer[state] = known[key][state]
        layers.append(layer)
        states = {turn[2] for turns in layer.values() for turn in turns}
    return _pairing(layers, neighbors.start, {state for state in states if neighbors.accepting(state)}, 2)


def _turns(neighbors: Entrywise, state: int, choices: Sequence[Any]) -> list[Turn]:
    found = []
    for a, value in enumerate(choices):
        for b, other in enumerate(choices):
            following = neighbors.step(state, value, other)
            if following is not None:
                found.append((a, b, following))
    return found


def _listed(neighbors: Pairs, order: Sequence[int], values: Sequence[Sequence[Any]], entries: Any) -> Pairing:
    """The pairs as a trie over the entries in their order."""
    places = [{value: place for place, value in enumerate(choices)} for choices in values]
    layers: list[dict[int, list[Turn]]] = [{} for _ in order]
    number: dict[tuple[Turn, ...] | tuple[tuple[int, int], ...], int] = {(): 0}
    for x, x_prime in neighbors.pairs:
        own, others = entries(x), entries(x_prime)
        prefix: tuple[tuple[int, int], ...] = ()
        for layer, entry in zip(layers, order, strict=True):
            pair = (places[entry][own[entry]], places[entry][others[entry]])
            state, prefix = number[prefix], (*prefix, pair)
            if prefix not in number:
                number[prefix] = len(number)
                layer.setdefault(state, []).append((*pair, number[prefix]))
    last = {turn[2] for turns in layers[-1].values() for turn in turns} if layers else set()
    return _pairing(layers, 0, last, 2)


def _pairing(layers: Sequence[Mapping[int, Sequence[Turn]]], start: int, last: set[int], sides: int) -> Pairing:
    """Layers without the states that never accept, and what is known of each state."""
    alive = [last]
    for layer in reversed(layers):
        following = alive[-1]
        alive.append({state for state, turns in layer.items() if any(turn[2] in following for turn in turns)})
    alive.reverse()
    turns: list[dict[int, list[Turn]]] = []
    states = [{start} & alive[0]]
    before = [frozenset(states[0])]
    for layer, following in zip(layers, alive[1:], strict=True):
        here = {state: [turn for turn in layer[state] if turn[2] in following] for state in states[-1]}
        turns.append(here)
        states.append({turn[2] for found in here.values() for turn in found})
        differs = {
            turn[2] for state, found in here.items() for turn in found if turn[0] != turn[1] or state not in before[-1]
        }
        before.append(frozenset(states[-1] - differs))
    after = [frozenset(states[-1])]
    for here in reversed(turns):
        finished = after[-1]
        after.append(
            frozenset(state for state, found in here.items() if all(a == b and q in finished for a, b, q in found))
        )
    after.reverse()
    return Pairing(tuple(turns), tuple(tuple(sorted(layer)) for layer in states), tuple(before), tuple(after), sides)
