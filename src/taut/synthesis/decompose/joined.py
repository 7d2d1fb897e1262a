"""Entries that terms use together, taken as one entry whose values are the combinations of theirs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.diagrams.compile.linear import all_parts, is_linear
from taut.neighbors import Entrywise
from taut.program import Coin, Input, InputVariable, Program, Term, Terms
from taut.program.domains import Domain
from taut.program.program import children, reachable, substituted
from taut.support.exact import large
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.decompose.statistic import Dependence, Statistics, sharing

__all__ = ["JoinedEntries", "joined_entries"]

_MOST_VALUES = 1 << 10
"""Combinations of values of the entries that are taken as one."""
_MOST_ENTRIES = 12
_MOST_IN_ALL = 1 << 20
_MOST_TERMS = 1 << 18

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Combination:
    """A combination of values of several entries, by its place; ``kind`` is the number of their lists of values."""

    kind: int
    place: int


@dataclass(frozen=True, eq=False)
class JoinedEntries:
    """A program over groups of entries: the entries of each, and the values of those of each kind of group."""

    program: Program
    groups: tuple[tuple[int, ...], ...]
    kinds: tuple[tuple[Values, ...], ...]

    def told(self) -> str:
        """Describe the groups in words."""
        entries, largest = sum(map(len, self.groups)), max(map(len, self.groups))
        return (
            f"{large(entries)} entries are {large(len(self.groups))} groups of up to {largest} that are used together"
        )

    def neighbors(self, relation: Entrywise) -> Entrywise:
        """Return the relation in terms of groups: one changes as its entries do."""
        return _OfGroups(relation, self.kinds)

    def positions(self, joined: Sequence[int]) -> list[int]:
        """Return the positions of the values of all entries, given those of groups."""
        found = [0] * sum(map(len, self.groups))
        for group, variable, place in zip(self.groups, self.program.inputs, joined, strict=True):
            parts = [place] if len(group) == 1 else _parts(place, self.kinds[variable.values[0].kind])
            for entry, part in zip(group, parts, strict=True):
                found[entry] = part
        return found

    def joined(self, positions: Sequence[int]) -> list[int]:
        """Return the positions of the values of groups, given those of all entries."""
        found = []
        for group, variable in zip(self.groups, self.program.inputs, strict=True):
            place = 0
            for entry, values in zip(
                group, [()] if len(group) == 1 else self.kinds[variable.values[0].kind], strict=True
            ):
                place = place * len(values) + positions[entry]
            found.append(place)
        return found


class _OfGroups(Entrywise):
    """A relation of neighbours in terms of groups of entries."""

    def __init__(self, relation: Entrywise, kinds: Sequence[Sequence[Values]]) -> None:
        self.name, self.most = relation.name, relation.most
        self._relation, self._kinds = relation, kinds

    def changed(self, values: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
        if not isinstance(values[0], _Combination):
            yield from self._relation.changed(values)
            return
        entries = self._kinds[values[0].kind]
        moves = [_moves(self._relation, own) for own in entries]
        for places in itertools.product(*[range(len(own)) for own in entries]):
            checkpoint()
            ways = [[place, *moved[place]] for place, moved in zip(places, moves, strict=True)]
            if self.most is None:
                others = list(itertools.product(*ways))[1:]
            else:
                others = [
                    (*places[:entry], to, *places[entry + 1 :]) for entry, own in enumerate(ways) for to in own[1:]
                ]
            start = _place(places, entries)
            for place in sorted([_place(one, entries) for one in others]):
                yield start, place, place + 1


def _moves(relation: Entrywise, values: Values) -> list[list[int]]:
    """Return the related positions for each position of an entry."""
    found: list[list[int]] = [[] for _ in values]
    for place, start, stop in relation.changed(values):
        found[place] += range(start, stop)
    return found


def _place(places: Sequence[int], entries: Sequence[Values]) -> int:
    found = 0
    for place, values in zip(places, entries, strict=True):
        found = found * len(values) + place
    return found


def _parts(place: int, entries: Sequence[Values]) -> list[int]:
    found = []
    for values in reversed(entries):
        place, part = divmod(place, len(values))
        found.append(part)
    return found[::-1]


def joined_entries(program: Program) -> JoinedEntries | None:
    """Return a program over groups of the entries that its terms use together; None if there are none, or large ones.

    Groups are the entries of a part of a sum, or of a term without coins, that is no statistic of single entries; and
    those of parts that share a coin.
    """
    dependence = Dependence(program)
    if len(dependence.terms) > _MOST_TERMS:
        return None
    used = _used_together(program, dependence)
    single = [{entry} for entry in range(len(program.inputs))]
    sets = [*used, *single]
    groups = sorted([tuple(sorted(set().union(*[sets[n] for n in one]))) for one in sharing(sets)])
    numbers: dict[Any, int] = {}
    made: dict[int, Values] = {}
    variables: list[InputVariable] = []
    known: dict[int, Term] = {}
    terms, size = Terms(), 0
    for place, group in enumerate(checkpoints(groups, 16)):
        own = [program.inputs[entry] for entry in group]
        if len(group) == 1:
            variables.append(own[0])
            known[group[0]] = terms.input(place, own[0].values)
            continue
        size += len(group) * math.prod([len(one.values) for one in own])
        if math.prod([len(one.values) for one in own]) > _MOST_VALUES or size > _MOST_IN_ALL:
            return None
        kind = numbers.setdefault(tuple([one.values for one in own]), len(numbers))
        if kind not in made:
            made[kind] = tuple([_Combination(kind, n) for n in range(math.prod([len(one.values) for one in own]))])
        variables.append(InputVariable("+".join([one.name for one in own]), made[kind]))
        joint = terms.input(place, made[kind])
        for entry, column in zip(
            group, zip(*itertools.product(*[one.values for one in own]), strict=True), strict=True
        ):
            known[entry] = terms.select(joint, made[kind], list(map(terms.const, column)))
    if len(groups) == len(program.inputs):
        return None
    entries = [known[entry] for entry in range(len(program.inputs))]
    (output,) = substituted(terms, [program.output], entries, program.coins)
    domains = tuple([Domain(1, one.values, one.name, bare=True) for one in variables])
    joined = replace(program, domains=domains, inputs=tuple(variables), output=output, evidence=terms.true, terms=terms)
    return JoinedEntries(joined, tuple(groups), tuple(numbers))


def _used_together(program: Program, dependence: Dependence) -> list[set[int]]:
    """Return the sets of entries that have to be taken together."""
    statistics, few = Statistics(program, dependence), _entries_of(dependence)
    found: list[set[int]] = []
    stack, seen = [program.output], {program.output}
    while stack:
        term = stack.pop()
        checkpoint()
        if not dependence.reads(term) or dependence.only(term) is not None:
            continue
        below: Sequence[Term] = children(term)
        if is_linear(term):
            below = [part for _, part in all_parts(term)]
            found += _sharing_coins(below, few)
        elif term not in dependence.random:
            if statistics.of(term) is not None:
                continue
            if few[term] is not None:
                found.append(set(few[term] or ()))
                continue
        below = [child for child in below if child not in seen]
        seen.update(below)
        stack += below
    return found


def _sharing_coins(parts: Sequence[Term], few: dict[Term, frozenset[int] | None]) -> list[set[int]]:
    """Return the entries of each part of a sum that reads few, and of those that share coins, where several."""
    read = [(part, few[part]) for part in parts if few[part]]
    coins = [[one.index for one in reachable([part]) if isinstance(one, Coin)] for part, _ in read]
    groups = [set().union(*[own or () for own in [read[n][1] for n in one]]) for one in sharing(coins)]
    return [group for group in groups if 1 < len(group) <= _MOST_ENTRIES]


def _entries_of(dependence: Dependence) -> dict[Term, frozenset[int] | None]:
    """Return the entries in each term, or None where there are many."""
    found: dict[Term, frozenset[int] | None] = {}
    for term in checkpoints(dependence.terms, 256):
        if isinstance(term, Input):
            found[term] = frozenset((term.index,))
            continue
        own: frozenset[int] | None = frozenset()
        for child in children(term):
            below = found[child]
            own = None if own is None or below is None else own if below <= own else own | below
            if own is None or len(own) > _MOST_ENTRIES:
                own = None
                break
        found[term] = own
    return found
