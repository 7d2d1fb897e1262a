"""Contributions: the random amounts, with coins of their own, that single entries add to sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taut.diagrams.compile.linear import all_parts, is_linear
from taut.inference.parts import Blocks, Contribution
from taut.program import Coin, Program, Term
from taut.program.program import children
from taut.synthesis.decompose.statistic import Dependence, Statistics

__all__ = ["Contribution", "Contributions", "contributions_of"]


@dataclass(frozen=True, eq=False)
class Contributions:
    """Sums as a constant plus independent contributions: one of each entry, and some that belong to no entry.

    ``kinds`` are the different contributions of entries, and ``tables`` has for each entry the kind of each value.
    """

    sums: tuple[Term, ...]
    constant: tuple[int, ...]
    kinds: tuple[Contribution, ...]
    tables: Mapping[int, tuple[int, ...]]
    others: tuple[Contribution, ...]

    def ordered(self, order: Sequence[int]) -> Contributions:
        """Return the contributions with the sums in another order."""

        def moved(one: Contribution) -> Contribution:
            return tuple(sorted((tuple([vector[place] for place in order]), mass) for vector, mass in one))

        return Contributions(
            tuple([self.sums[place] for place in order]),
            tuple([self.constant[place] for place in order]),
            tuple(map(moved, self.kinds)),
            self.tables,
            tuple(map(moved, self.others)),
        )

    @property
    def ends(self) -> list[tuple[int, int]]:
        """The least and the largest value of each sum."""
        found = []
        for place, constant in enumerate(self.constant):
            low = high = constant
            for table in self.tables.values():
                own = [vector[place] for kind in set(table) for vector, _ in self.kinds[kind]]
                low, high = low + min(own), high + max(own)
            for other in self.others:
                own = [vector[place] for vector, _ in other]
                low, high = low + min(own), high + max(own)
            found.append((low, high))
        return found


def contributions_of(
    program: Program, roots: Sequence[Term], dependence: Dependence, found: Statistics
) -> Contributions | None:
    """Return the sums that some terms use, where a coin is inside of one, as independent contributions of the entries.

    None if there is no such sum, if the terms use more than sums, or if contributions depend on each other: two entries
    share a coin, a part reads two entries, or a coin of a sum is used beside it.
    """
    sums, own = _sums_in(roots, dependence, found)
    if sums is None or not any(term in dependence.random and dependence.only(term) is None for term in sums):
        return None
    blocks = Blocks(program, dependence)
    if not all(map(blocks.add, sums)):
        return None
    entry_of = blocks.entry_of
    if entry_of is None or not own.isdisjoint(blocks.coins):
        return None
    added = blocks.contributions(entry_of)
    if added is None:
        return None
    kinds: dict[Contribution, int] = {}
    tables = {
        entry: tuple([kinds.setdefault(row, len(kinds)) for row in rows]) for entry, rows in added if entry is not None
    }
    others = sorted([rows[0] for entry, rows in added if entry is None])
    return Contributions(tuple(sums), tuple(blocks.constant), tuple(kinds), tables, tuple(others))


def _sums_in(
    roots: Sequence[Term], dependence: Dependence, found: Statistics
) -> tuple[dict[Term, None] | None, set[int]]:
    """Return the sums that some terms use, and the coins besides; no sums if other functions are used."""
    sums: dict[Term, None] = {}
    coins: set[int] = set()
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term not in dependence.random:
            statistics = found.of(term) if dependence.reads(term) else ()
            if statistics is None or any(one.values is not None for one in statistics):
                return None, coins
            sums.update({one.term: None for one in statistics})
        elif is_linear(term) and dependence.reads(term) and _of_single_entries(term, dependence):
            sums[term] = None
        elif isinstance(term, Coin):
            coins.add(term.index)
        else:
            stack += children(term)
    return sums, coins


def _of_single_entries(term: Term, dependence: Dependence) -> bool:
    """Return True if every part of a sum reads one entry, or none."""
    return all(dependence.only(part) is not None or not dependence.reads(part) for _, part in all_parts(term))
