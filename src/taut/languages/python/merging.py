"""Merging of two values or box contents under a condition: values of one kind share a term, others stay apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from itertools import compress
from operator import is_not
from typing import Any

from taut.languages.python.failures import DEAD, PathEnds, require_parts
from taut.languages.python.floats import plain_number
from taut.languages.python.kinds import is_lookalike, kind_of_number, kinds_of
from taut.languages.python.values import (
    UNBOUND,
    Alternatives,
    Box,
    Cases,
    DictBox,
    DictEntry,
    Frame,
    IteratorBox,
    ListBox,
    Members,
    RecordValue,
    SetBox,
    Symbolic,
    Thinned,
    is_scalar_or_random,
    same_spelling,
)
from taut.program import Term, Terms
from taut.program.values import Anything, IntegerRange
from taut.support.algebra.expression import Expression, Frozen
from taut.support.limits import checkpoint

__all__ = ["Merging"]

_KINDS_OF_ONE: dict[str | None, frozenset[str]] = {
    None: frozenset(),
    **{kind: frozenset({kind}) for kind in ("bool", "int", "float", "Fraction")},
}
_INTEGERS = frozenset({"bool", "int"})
_UNSHARED = frozenset({"its own class", "another one"})
"""Kinds of constants that never share a term, not even with others of their class."""


class Merging:
    """Values by conditions: scalars as terms, guarded alternatives, and the contents of boxes."""

    def __init__(self, terms: Terms, feasible: Callable[[Term], bool], ever: Callable[[Term], bool]) -> None:
        self.terms = terms
        self.feasible = feasible
        self.ever = ever
        self.thins = False
        """True if a list of random length is kept as items with conditions, until its single lengths are needed."""
        self.fractions = False
        self._kinds: dict[Term, frozenset[str]] = {}

    # -- merging values ------------------------------------------------------------------------------------------

    def merge(self, test: Term, a: Any, b: Any) -> Any:
        """Return a value that is ``a`` where the condition holds, else ``b``."""
        if a is b or test is self.terms.true:
            return a
        if test is self.terms.false:
            return b
        if self.alike(a, b):
            require_parts(a, b)
            if isinstance(a, tuple):
                return _like(a, [self.merge(test, p, q) for p, q in zip(a, b, strict=True)])
            if isinstance(a, RecordValue):
                rows = zip(a.values, b.values, strict=True)
                return RecordValue(a.python, a.names, tuple([self.merge(test, p, q) for p, q in rows]))
            return self.wrap(self.terms.ite(test, self.term(a), self.term(b)))
        negated = self.terms.negate(test)
        options = [(self.terms.all(test, guard), value) for guard, value in self.options(a)]
        options += [(self.terms.all(negated, guard), value) for guard, value in self.options(b)]
        return self.alternatives(options)

    def alike(self, a: Any, b: Any) -> bool:
        """Return True if two values can be merged without losing a visible difference."""
        if a is b:
            return True
        if isinstance(a, tuple):
            return type(a) is type(b) and len(a) == len(b)
        if isinstance(a, RecordValue):
            return isinstance(b, RecordValue) and a.python is b.python
        if not is_scalar_or_random(a) or not is_scalar_or_random(b):
            return False
        if isinstance(a, Symbolic) and isinstance(b, Symbolic) and a.term is b.term:
            return True
        return self.one_kind((a, b))

    def one_kind(self, values: Iterable[Any]) -> bool:
        """Return True if scalars can share a term: True, 2, 2.0 and Fraction(2) differ as text.

        Two kinds in one term would be told apart as long as no two numbers are equal, but what is computed of them may
        be.
        """
        found: frozenset[str] = frozenset()
        for value in values:
            found |= self.kinds(value)
        return len(found) <= 1

    def kinds(self, value: Any) -> frozenset[str]:
        """Return the possible kinds of a scalar's numbers."""
        if isinstance(value, Symbolic):
            known = self._kinds.get(value.term)
            if known is None:
                known = kinds_of(value.term, self.fractions)
                if not isinstance(value.term.values, Anything):
                    self._kinds[value.term] = known
            return known
        if is_lookalike(value):
            return _UNSHARED
        kind = kind_of_number(value)
        if not self.fractions and kind in ("float", "Fraction"):
            self.fractions = True
        return _KINDS_OF_ONE[kind]

    def erased(self, value: Any) -> Any:
        """Merge integer and Boolean alternatives into one number, for operations that treat True as 1."""
        if not isinstance(value, Alternatives):
            return value
        for _, option in value.options:
            if not is_scalar_or_random(option) or not self.kinds(option) <= _INTEGERS:
                return value
        result = self.term(value.options[-1][1])
        for guard, option in reversed(value.options[:-1]):
            result = self.terms.ite(guard, self.term(option), result)
        return self.wrap(result)

    def alternatives(self, options: Iterable[tuple[Term, Any]]) -> Any:
        """Return guarded alternatives, with like ones merged: same object, scalars, tuples of one length."""
        kept: list[tuple[Term, Any]] = []
        spare: Any = DEAD
        for guard, value in options:
            if guard is self.terms.false:
                spare = value
                continue
            for place, (known, other) in enumerate(kept):
                if self.alike(value, other):
                    merged = self.merge(guard, value, other)
                    kept[place] = (self.terms.any(known, guard), merged)
                    break
            else:
                kept.append((guard, value))
        if not kept:
            if spare is DEAD:
                raise PathEnds
            return spare  # none is possible, so neither is this world; whatever it holds then does not matter
        return kept[0][1] if len(kept) == 1 else Alternatives(tuple(kept))

    def options(self, value: Any) -> tuple[tuple[Term, Any], ...]:
        """Return the alternatives of a value with their guards."""
        return value.options if isinstance(value, Alternatives) else ((self.terms.true, value),)

    def split(self, value: Any, mark: Any) -> tuple[Term, Any]:
        """Return the condition that a value is not ``mark``, and the value in that case."""
        if value is mark:
            return self.terms.false, None
        if not isinstance(value, Alternatives) or all(option is not mark for _, option in value.options):
            return self.terms.true, value
        missing = self.terms.any(*[guard for guard, option in value.options if option is mark])
        rest = self.alternatives([(guard, option) for guard, option in value.options if option is not mark])
        return self.terms.negate(missing), rest

    # -- merging contents ----------------------------------------------------------------------------------------

    def merge_content(self, test: Term, box: Box, a: Any, b: Any) -> Any:
        if a is b:
            return a
        if isinstance(box, ListBox):
            return self.merge_lists(test, a, b)
        if isinstance(box, SetBox):
            return self._merge_members(test, a, b)
        if isinstance(box, DictBox):
            return self._merge_entries(test, a, b, box.counts)
        if isinstance(box, IteratorBox):
            return self.merge(test, a, b)
        assert isinstance(box, Frame)
        return {name: self.merge(test, a.get(name, UNBOUND), b.get(name, UNBOUND)) for name in dict.fromkeys([*a, *b])}

    def _merge_entries(
        self, test: Term, a: dict[Any, DictEntry], b: dict[Any, DictEntry], counts: bool
    ) -> dict[Any, DictEntry]:
        """Return the entries of a dictionary after both branches."""
        negated = self.terms.negate(test)
        merged = {}
        for key in dict.fromkeys([*a, *b]):
            p, q = a.get(key), b.get(key)
            if p is q or p is None or q is None:
                if p is None and q is not None:
                    p = self.conditional(negated, q, counts)
                elif q is None and p is not None:
                    p = self.conditional(test, p, counts)
                merged[key] = p
            else:
                present = self.terms.ite(test, p.present, q.present)
                value, stamp = self.merge(test, p.value, q.value), self.merge(test, p.stamp, q.stamp)
                padded = p.padded and q.padded
                merged[key] = DictEntry(present, value, stamp, self.spelled(test, p.key, q.key), padded)
        return {
            key: entry for key, entry in merged.items() if entry is not None and entry.present is not self.terms.false
        }

    def conditional(self, test: Term, entry: DictEntry, counts: bool) -> DictEntry:
        """Return an entry of a dictionary that is there only if a condition holds."""
        padded = counts and entry.padded and self.is_count(entry.value)
        value = self.merge(test, entry.value, 0) if padded else entry.value
        return DictEntry(self.terms.all(test, entry.present), value, entry.stamp, entry.key, padded)

    def is_count(self, value: Any) -> bool:
        """Return True if a value is an integer in all runs, also in those that do not use it."""
        if not is_scalar_or_random(value) or self.kinds(value) != {"int"}:
            return False
        values = value.term.values if isinstance(value, Symbolic) else (value,)
        return isinstance(values, (IntegerRange, Anything)) or all(isinstance(one, int) for one in values)

    def _merge_members(self, test: Term, a: Members, b: Members) -> Members:
        false = self.terms.false
        merged = Members()
        for element in dict.fromkeys([*a, *b]):
            there = self.terms.ite(test, a.get(element, false), b.get(element, false))
            if there is not false:
                merged[element] = there
                merged.spell(element, self._spelled_in(test, element, a, b))
        merged.shrunk = a.shrunk or b.shrunk
        return merged

    def _spelled_in(self, test: Term, element: Any, a: Members, b: Members) -> Any:
        if element not in a or element not in b:
            return (a if element in a else b).spelled(element)
        return self.spelled(test, a.spelled(element), b.spelled(element))

    def spelled(self, test: Term, a: Any, b: Any) -> Any:
        """Return the kept spelling of two equal keys: ``a`` where the condition holds, else ``b``."""
        return a if same_spelling(a, b) else self.merge(test, a, b)

    def merge_lists(self, test: Term, a: Any, b: Any) -> Any:
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            merged = list(a)
            for place in compress(range(len(a)), map(is_not, a, b)):
                merged[place] = self.merge(test, a[place], b[place])
            return merged
        parts = self._grown(test, a, b)
        return self._merged_rows(test, self._rows(a), self._rows(b)) if parts is None else self.thinned(parts)

    def _grown(self, test: Term, a: Any, b: Any) -> list[tuple[Term, Any]] | None:
        """Return the items of two lists that grew out of one, each with its condition; None if they did not."""
        if not self.thins or not all(isinstance(content, (list, Thinned)) for content in (a, b)):
            return None
        first, second = self.parts(a), self.parts(b)
        shared = min(len(first), len(second))
        for place, (p, q) in enumerate(zip(first, second, strict=False)):
            if p is not q and not (p[0] is q[0] and _one(p[1], q[1])):
                shared = place
                break
        if not shared and not (isinstance(a, Thinned) or isinstance(b, Thinned) or not first or not second):
            return None
        more = [(self.terms.all(test, guard), item) for guard, item in first[shared:]]
        negated = self.terms.negate(test)
        more += [(self.terms.all(negated, guard), item) for guard, item in second[shared:]]
        return [*first[:shared], *[part for part in more if part[0] is not self.terms.false]]

    def thinned(self, parts: list[tuple[Term, Any]]) -> Thinned:
        """Return the content of a list from its items, each with the condition that it is present."""
        return Thinned(parts, self._listed)

    def parts(self, content: Any) -> list[tuple[Term, Any]]:
        """Return the items of a list, each with the condition that it is there."""
        return content.parts if isinstance(content, Thinned) else [(self.terms.true, item) for item in content]

    def _listed(self, parts: list[tuple[Term, Any]]) -> list[tuple[Term, list[Any]]]:
        """Return the items of each length."""
        content: Any = []
        for guard, block in itertools.groupby(parts, key=lambda part: part[0]):
            checkpoint()
            more = [item for _, item in block]
            longer = [(own, items + more) for own, items in self._rows(content)]
            content = self._merged_rows(guard, longer, self._rows(content), everywhere=True)
        return self._rows(content)

    def _rows(self, content: Any) -> list[tuple[Term, list[Any]]]:
        return content.options if isinstance(content, Cases) else [(self.terms.true, content)]

    def _merged_rows(
        self,
        test: Term,
        first: list[tuple[Term, list[Any]]],
        second: list[tuple[Term, list[Any]]],
        everywhere: bool = False,
    ) -> Any:
        negated = self.terms.negate(test)
        by_length: dict[int, tuple[Term, list[Any]]] = {}
        for guard, items in first:
            by_length[len(items)] = (self.terms.all(test, guard), items)
        for guard, items in second:
            known = by_length.get(len(items))
            here = self.terms.all(negated, guard)
            if known is None:
                by_length[len(items)] = (here, items)
            else:
                by_length[len(items)] = (self.terms.any(known[0], here), self.merge_lists(test, known[1], items))
        return self.cases(by_length.values(), everywhere)

    def by_length(self, rows: Iterable[tuple[Term, list[Any]]]) -> Any:
        """Return the content of a list that is one of several rows with exclusive guards."""
        found: dict[int, tuple[Term, list[Any]]] = {}
        for guard, items in rows:
            if guard is self.terms.false:
                continue
            known = found.get(len(items))
            if known is not None:
                items = [self.merge(guard, new, old) for new, old in zip(items, known[1], strict=True)]
                guard = self.terms.any(known[0], guard)
            found[len(items)] = (guard, items)
        return self.cases(found.values())

    def cases(self, options: Iterable[tuple[Term, list[Any]]], everywhere: bool = False) -> Any:
        """Return the content of a list of random length, without lengths impossible here, or ``everywhere``."""
        kept = [(guard, items) for guard, items in options if guard is not self.terms.false]
        if len(kept) > 2:
            can = self.ever if everywhere else self.feasible
            kept = [(guard, items) for guard, items in kept if can(guard)] or kept[:1]
        if not kept:
            return []
        return kept[0][1] if len(kept) == 1 else Cases(sorted(kept, key=lambda case: len(case[1])))

    # -- terms and values ----------------------------------------------------------------------------------------

    def term(self, value: Any) -> Term:
        """Return the term of a scalar."""
        if isinstance(value, Symbolic):
            return value.term
        if not self.fractions and kind_of_number(value) not in ("int", None):
            self.fractions = True
        if isinstance(value, Expression):
            self.fractions, value = True, Frozen(value)
        return self.terms.const(plain_number(value))

    def wrap(self, term: Term) -> Any:
        """Return the value of a term: an ordinary one if the term is constant."""
        if not hasattr(term, "value"):
            return Symbolic(term)
        return term.value.expression if isinstance(term.value, Frozen) else term.value


def _like(row: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """Return items as a tuple of the class of ``row``, so that a namedtuple stays one."""
    kind: Any = type(row)
    return tuple(items) if kind is tuple else kind._make(items)


def _one(a: Any, b: Any) -> bool:
    """Return True if two values are one object, or the same term."""
    return a is b or (isinstance(a, Symbolic) and isinstance(b, Symbolic) and a.term is b.term)
