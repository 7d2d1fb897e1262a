"""Cells: groups of output items that share no coin with other groups; each is a small program over statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.inference.parts import coin_content
from taut.program import Apply, Coin, CoinVariable, Const, InputVariable, Program, Term, Terms, Tuple
from taut.program.domains import Domain
from taut.program.operations import typed
from taut.program.program import children, substituted
from taut.program.values import Anything
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.decompose.contributions import Contributions, contributions_of
from taut.synthesis.decompose.differences import Differences, differences_of
from taut.synthesis.decompose.kernel import Kernel
from taut.synthesis.decompose.mixtures import Mixture
from taut.synthesis.decompose.statistic import Dependence, Statistic, Statistics, Whole
from taut.synthesis.decompose.translation import adds_noise, drawn_noise

__all__ = ["Cell", "Cells", "Kernels", "cells_of", "items_of", "statistics_used", "without_coins"]

_MOST_VALUES, _MOST_TOTALS = 1 << 16, 1 << 24


@dataclass(frozen=True, eq=False)
class Cell:
    """Output items that share coins: their places, the statistics they use, and their kernel."""

    items: tuple[int, ...]
    statistics: tuple[Statistic, ...]
    kernel: Kernel | Mixture


@dataclass(frozen=True, eq=False)
class Cells:
    """A program as independent cells; ``shape`` has the place of each item in the output.

    Cells may have the differences of items in their place.
    """

    cells: tuple[Cell, ...]
    shape: Any
    differences: Differences | None = None

    def output(self, items: Mapping[int, Any]) -> Any:
        """Return the output that has these items, or these differences of them."""
        return _filled(self.shape, items if self.differences is None else self.differences.restored(items))


def cells_of(program: Program, *, whole: bool = False) -> Cells | None:
    """Return the cells of a program; None if its evidence or a random term does not depend on entries by statistics.

    With ``whole``, every term without coins is a statistic itself, whatever function of the entries it is.
    """
    if program.conditioned:
        return None
    dependence = Dependence(program)
    items: list[Term] = []
    shape = _opened(program.output, items)
    differences = differences_of(program.terms, items, dependence)
    if differences is not None:
        items = list(differences.items)
        program = replace(program, output=program.terms.tuple(items))
        dependence = Dependence(program)
    found = Statistics(program, dependence)
    groups = _groups(items, dependence)
    makers = Kernels(program)
    cells = []
    for group in groups:
        checkpoint()
        roots = [items[place] for place in group]
        plain = whole or (len(roots) == 1 and _adds_noise(program, roots[0]))
        added = None if plain else contributions_of(program, roots, dependence, found)
        if added is not None:
            cells.append(_mixed(program, tuple(group), roots, added, makers))
            continue
        used = _wholes(program, roots, dependence) if whole else statistics_used(roots, dependence, found)
        if used is None:
            return None
        ordered, key = makers.key(roots, used)
        cells.append(Cell(tuple(group), ordered, makers.kernel(key, roots, ordered)))
    return Cells(tuple(cells), shape, differences)


def _adds_noise(program: Program, root: Term) -> bool:
    """Return True if an item is a function of noise that is added to a centre."""
    drawn = drawn_noise(root, program.coins)
    return drawn is not None and adds_noise(drawn, program.coins)


def _mixed(
    program: Program, items: tuple[int, ...], roots: Sequence[Term], added: Contributions, makers: Kernels
) -> Cell:
    """Return a cell that uses sums of random contributions; its statistics are how many entries contribute in each
    way.
    """
    sums = {
        term: Statistic(term, {0: (0, high - low)}, low)
        for term, (low, high) in zip(added.sums, added.ends, strict=True)
    }
    ordered, inner = makers.key(roots, {term: (one,) for term, one in sums.items()})
    places = {term: place for place, term in enumerate(added.sums)}
    added = added.ordered([places[one.term] for one in ordered])
    statistics = [
        Statistic(
            added.sums[0], {e: tuple([int(own == kind) for own in table]) for e, table in added.tables.items()}, 0
        )
        for kind in range(len(added.kinds) - 1)
    ]
    key = (inner, added.constant, added.kinds, added.others, len(added.tables))
    return Cell(items, tuple(statistics), makers.mixture(key, roots, ordered, added))


def _opened(term: Term, items: list[Term]) -> Any:
    """Return the shape of an output, whose items are added to a list."""
    if isinstance(term, Tuple):
        return tuple([_opened(item, items) for item in term.items])
    items.append(term)
    return len(items) - 1


def _filled(shape: Any, items: Mapping[int, Any]) -> Any:
    return tuple([_filled(part, items) for part in shape]) if isinstance(shape, tuple) else items[shape]


def _groups(items: Sequence[Term], dependence: Dependence) -> list[list[int]]:
    """Return the items in groups that share no coin."""
    owner: dict[Term, int] = {}
    groups: dict[int, list[int]] = {}
    leader: dict[int, int] = {}

    def head(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number, item in enumerate(items):
        leader[number] = number
        stack = [item] if item in dependence.random else []
        while stack:
            term = stack.pop()
            known = owner.setdefault(term, number)
            if known != number:
                leader[head(known)] = head(number)  # whatever is below it is another's already
                continue
            stack += [child for child in children(term) if child in dependence.random and owner.get(child) != number]
    for number in range(len(items)):
        groups.setdefault(head(number), []).append(number)
    return list(groups.values())


def _wholes(
    program: Program, roots: Sequence[Term], dependence: Dependence
) -> dict[Term, tuple[Statistic, ...]] | None:
    """Return the terms without coins that the roots use, each its own statistic; None if one may have any value."""
    used: dict[Term, tuple[Statistic, ...]] = {}
    for term in without_coins(roots, dependence):
        parts: dict[Term, None] = {}
        stack = [term]
        while stack:  # a function with many values is known by its arguments
            part = stack.pop()
            below = children(part) if _many(part) else ()
            if _many(part) and not below:
                return None
            stack += [child for child in reversed(below) if dependence.reads(child)]
            if not below:
                parts[part] = None
        used[term] = tuple([_whole(program, part) for part in parts])
    return used


def _many(term: Term) -> bool:
    """Return True if a term may have any value, or one of too many."""
    return isinstance(term.values, Anything) or len(term.values) > _MOST_VALUES


def _whole(program: Program, term: Term) -> Whole:
    """Return a term without coins as a statistic."""
    assert not isinstance(term.values, Anything)
    integers = all(isinstance(value, int) for value in term.values)
    values = tuple(sorted(term.values) if integers else sorted(term.values, key=repr))
    return Whole(term, {}, 0, values, program)


def without_coins(roots: Sequence[Term], dependence: Dependence) -> Iterator[Term]:
    """Yield the largest terms without coins in the roots that read entries."""
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term in dependence.random:
            stack += children(term)
        elif dependence.reads(term):
            yield term


def statistics_used(
    roots: Sequence[Term], dependence: Dependence, found: Statistics
) -> dict[Term, tuple[Statistic, ...]] | None:
    """Return the terms without coins that the roots use, each with its statistics."""
    used: dict[Term, tuple[Statistic, ...]] = {}
    for term in without_coins(roots, dependence):
        statistics = found.of(term)
        if statistics is None:
            return None
        used[term] = statistics
    single: dict[int, dict[Statistic, None]] = {}
    for statistics in used.values():
        for one in statistics:
            if one.values is not None:
                single.setdefault(next(iter(one.tables)), {})[one] = None
    several = {one for ones in single.values() if len(ones) > 1 for one in ones}
    return {t: tuple([found.whole(one) if one in several else one for one in own]) for t, own in used.items()}


class Kernels:
    """The programs of cells, made once for cells that are alike."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[Any, Kernel | Mixture] = {}
        self._contents: dict[tuple[int, int], int] = {}
        self._numbers: dict[Any, int] = {}

    def key(
        self, roots: Sequence[Term], used: Mapping[Term, tuple[Statistic, ...]]
    ) -> tuple[tuple[Statistic, ...], Any]:
        """Return the statistics in the order in which the roots meet them, and a key that equal cells share."""
        leaves = {one.term: one for statistics in used.values() for one in statistics}
        place: dict[Term, int] = {}
        ordered: dict[Statistic, None] = {}
        parts: list[Any] = []
        stack = list(reversed(roots))
        while stack:
            term = stack.pop()
            if term in place:
                parts.append(place[term])
                continue
            place[term] = len(place)
            if term in leaves:
                one = leaves[term]
                ordered.setdefault(one)
                parts.append((None, one.constant, *one.ends) if one.values is None else (None, typed(one.values)))
            elif isinstance(term, Const):
                parts.append((Const, typed(term.value)))
            elif isinstance(term, Coin):
                parts.append((Coin, self._content(self.program.coins[term.index])))
            else:
                kids = children(term)
                keys = getattr(term, "keys", ())
                parts.append((type(term), term.operation if isinstance(term, Apply) else typed(keys), len(kids)))
                stack += reversed(kids)
        return tuple(ordered), (len(roots), tuple(parts))

    def _content(self, coin: CoinVariable) -> int:
        """Return a number that coins with equal outcomes and weights share."""
        place = (id(coin.outcomes), id(coin.weights))  # of which draws of a thousand clients have the same few
        if place not in self._contents:
            self._contents[place] = self._numbers.setdefault(coin_content(coin), len(self._numbers))
        return self._contents[place]

    def kernel(self, key: Any, roots: Sequence[Term], statistics: Sequence[Statistic]) -> Kernel | Mixture:
        if key not in self._known:
            self._known[key] = Kernel(len(self._known), self._made(roots, statistics))
        return self._known[key]

    def mixture(
        self, key: Any, roots: Sequence[Term], statistics: Sequence[Statistic], added: Contributions
    ) -> Kernel | Mixture:
        if key not in self._known:
            number = len(self._known)
            self._known[key] = Mixture(number, Kernel(number, self._made(roots, statistics)), added)
        return self._known[key]

    def _made(self, roots: Sequence[Term], statistics: Sequence[Statistic]) -> Program:
        terms = Terms()
        inputs = [InputVariable(f"s{place}", _values(one)) for place, one in enumerate(statistics)]
        known = {one.term: terms.input(place, inputs[place].values) for place, one in enumerate(statistics)}
        coins = _coins(roots, known)
        numbers = {index: place for place, index in enumerate(coins)}
        made = substituted(terms, roots, [], self.program.coins, numbers, known)
        output = made[0] if len(made) == 1 else terms.tuple(made)
        domains = tuple(Domain(1, variable.values, variable.name, bare=True) for variable in inputs)
        return Program(
            self.program.name, domains, tuple(inputs), _of(self.program.coins, coins), output, terms.true, terms
        )


def _of(coins: Sequence[CoinVariable], indices: Sequence[int]) -> tuple[CoinVariable, ...]:
    return tuple([coins[index] for index in indices])


def _coins(roots: Sequence[Term], known: Mapping[Term, Term]) -> list[int]:
    """Return the coins in terms, those that are only in known terms left out."""
    seen, stack = set(roots), list(roots)
    while stack:
        term = stack.pop()
        if term not in known:
            more = [child for child in children(term) if child not in seen]
            seen.update(more)
            stack += more
    return sorted(term.index for term in seen if isinstance(term, Coin))


def _values(one: Statistic) -> tuple[Any, ...]:
    """Return a superset of the values that a statistic can have."""
    least, most = one.ends
    if most - least > _MOST_TOTALS:
        raise TooLarge("a sum has too many values.", value=one)
    if one.values is None:
        return tuple(range(one.constant + least, one.constant + most + 1))
    return tuple([one.value(total) for total in checkpoints(range(least, most + 1), 4096)])


def items_of(cell: Cell, output: Any) -> Iterator[tuple[int, Any]]:
    """Yield the items of a cell, with their places, for one of its outputs."""
    values = (output,) if len(cell.items) == 1 else output
    return zip(cell.items, values, strict=True)
