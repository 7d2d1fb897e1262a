"""Worlds: what happens under a random condition is tried apart, and merged afterwards.

When the code branches on a random value, each branch runs in a world of its own. A world remembers the content of
every box (list, dictionary, iterator, frame of variables) before its first change there. When it closes, the changes
are taken back, and after both branches each box gets the merged content: the one, or the other, by the condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from itertools import compress
from operator import is_not
from typing import Any, NoReturn, TypeVar

from taut.algebra.expression import Expression, Frozen
from taut.errors import MechanismError, Place, TautError, UnsupportedSyntax, UnsupportedValue
from taut.frontend.python.facts import Facts
from taut.frontend.python.given_numbers import plain_number
from taut.frontend.python.kinds import kind_of_number, kinds_of
from taut.frontend.python.sizes import require_parts
from taut.frontend.python.values import (
    UNBOUND,
    Alternatives,
    Box,
    Cases,
    DictBox,
    Entry,
    Frame,
    IteratorBox,
    ListBox,
    Members,
    Record,
    SetBox,
    Symbolic,
    is_scalar,
    kind_of,
    same_spelling,
)
from taut.ir import Term, Terms
from taut.ir.opaque import Opaque
from taut.ir.values import Anything

__all__ = ["DEAD", "PathEnds", "World", "Worlds", "failure_like"]

R = TypeVar("R")
_KINDS_OF_ONE: dict[str | None, frozenset[str]] = {
    None: frozenset(),
    **{kind: frozenset({kind}) for kind in ("bool", "int", "float", "Fraction")},
}
_INTEGERS = frozenset({"bool", "int"})
Changes = dict[int, tuple[Box, Any]]
"""Boxes by their identity, each with a content."""


class PathEnds(Exception):
    """The current path cannot go on: it fails, which must be impossible, or is already known to be."""


class Dead(Opaque):
    """The result of a branch that ends on every path."""


DEAD = Dead()


class World:
    """The runs in which a condition holds: ``guard`` is that condition, and all those around it."""

    __slots__ = ("before", "facts", "guard", "outer")

    def __init__(self, guard: Term, outer: World | None = None, facts: list[Term] | None = None) -> None:
        self.guard = guard
        self.outer = outer
        self.facts = facts or []
        self.before: Changes = {}


class Worlds:
    """The state of a program that is being read: terms, worlds, evidence, and what must be impossible."""

    def __init__(
        self,
        terms: Terms,
        feasible: Callable[[Term], bool],
        possible: Callable[[Term], bool],
        place: Callable[[], Place | None],
    ) -> None:
        self.terms = terms
        self.possible = possible
        self.world = World(terms.true)
        self.root = self.world
        self.evidence = terms.true
        self.obligations: list[tuple[Term, TautError]] = []
        self.stamps = itertools.count()
        self.fractions = False
        self._kinds: dict[Term, frozenset[str]] = {}
        self.feasible = feasible
        self.facts = Facts(terms)
        self._place = place

    @property
    def ordinary(self) -> bool:
        """Whether no random branch controls what happens now."""
        return self.world.guard is self.terms.true

    # -- changing boxes ------------------------------------------------------------------------------------------

    def change(self, box: Box) -> Any:
        """The content of a box, to be changed in place; remembered first if the box is older than this world."""
        if box.outside:
            self.refuse_outside(box)
        world = self.world
        if world is not self.root and box.world is not world and id(box) not in world.before:
            world.before[id(box)] = (box, box.content)
            box.content = _copy(box.content)
        return box.content

    def replace(self, box: Box, content: Any) -> None:
        """Give a box another content."""
        if box.outside:
            self.refuse_outside(box)
        world = self.world
        if world is not self.root and box.world is not world and id(box) not in world.before:
            world.before[id(box)] = (box, box.content)
        box.content = content

    def refuse_outside(self, box: Box) -> NoReturn:
        raise UnsupportedValue(
            f"{kind_of(box)} that is defined outside the mechanism (or is a default argument) would be changed; "
            "every run would see the changes of the runs before it. Change a copy of it."
        )

    # -- branching -----------------------------------------------------------------------------------------------

    def open(self, test: Term) -> World:
        """Enter the world in which a condition holds; returns the world that was left."""
        outer = self.world
        self.world = World(self.terms.all(outer.guard, test), outer, self.facts.add(test))
        return outer

    def close(self, outer: World) -> Changes:
        """Leave the current world for the one around it, take its changes back, and return them."""
        before = self.world.before
        changes = {key: (box, box.content) for key, (box, _) in before.items()}
        for box, content in before.values():
            box.content = content
        self.facts.remove(self.world.facts)
        self.world = outer
        return changes

    def explore(self, test: Term, action: Callable[[], R]) -> tuple[R | Dead, Changes]:
        """Do something in the world in which a condition holds."""
        if test is self.terms.false or self.facts.decide(test) is False:
            return DEAD, {}
        outer = self.open(test)
        here = self.world
        result: R | Dead = DEAD
        try:
            result = action()
        except PathEnds:
            pass
        except (UnsupportedValue, UnsupportedSyntax):
            # What cannot be followed does not matter where no run gets to.
            while self.world is not here and self.world.outer is not None:
                self.close(self.world.outer)
            if self.possible(self.terms.all(self.evidence, here.guard)):
                raise
        return result, self.close(outer)

    def branch(self, test: Term, then: Callable[[], R], other: Callable[[], R]) -> tuple[R | Dead, R | Dead]:
        """Do one thing where a condition holds and another where it does not, and merge what they changed."""
        a, changes_a = self.explore(test, then)
        b, changes_b = self.explore(self.terms.negate(test), other)
        if a is DEAD and b is DEAD:
            raise PathEnds
        self.merge_changes(test, changes_a, changes_b, dead=(a is DEAD, b is DEAD))
        return a, b

    def choose(self, test: Term, then: Callable[[], Any], other: Callable[[], Any], fresh: bool = False) -> Any:
        """The value of one thing where a condition holds, of another where it does not.

        With ``fresh`` lists are new ones that nobody else knows, so that two can be made one.
        """
        known = self.known(test)
        if known is not None:
            return then() if known else other()
        a, b = self.branch(test, then, other)
        if a is DEAD or b is DEAD:
            return b if a is DEAD else a
        if fresh and type(a) is ListBox and type(b) is ListBox:
            return ListBox(self.merge_lists(test, a.content, b.content), self.world)
        return self.merge(test, a, b)

    def known(self, test: Term) -> bool | None:
        """Whether a condition holds in this world, where that is seen at a glance."""
        if test is self.terms.true or test is self.terms.false:
            return test is self.terms.true
        return self.facts.decide(test)

    def merge_changes(
        self, test: Term, then: Changes, other: Changes, dead: tuple[bool, bool] = (False, False)
    ) -> None:
        """Give every box that either side changed the content it has after both."""
        for key, (box, _) in {**then, **other}.items():
            before = box.content
            a = then[key][1] if key in then else before
            b = other[key][1] if key in other else before
            content = b if dead[0] else a if dead[1] else self.merge_content(test, box, a, b)
            if content is not before:
                self.replace(box, _copy(content))

    # -- merging values ------------------------------------------------------------------------------------------

    def merge(self, test: Term, a: Any, b: Any) -> Any:
        """The value that is a where the condition holds and b where it does not."""
        if a is b or test is self.terms.true:
            return a
        if test is self.terms.false:
            return b
        if self.alike(a, b):
            require_parts(a, b)
            if isinstance(a, tuple):
                return _like(a, [self.merge(test, p, q) for p, q in zip(a, b, strict=True)])
            if isinstance(a, Record):
                rows = zip(a.values, b.values, strict=True)
                return Record(a.python, a.names, tuple([self.merge(test, p, q) for p, q in rows]))
            return self.wrap(self.terms.ite(test, self.term(a), self.term(b)))
        negated = self.terms.negate(test)
        options = [(self.terms.all(test, guard), value) for guard, value in self.options(a)]
        options += [(self.terms.all(negated, guard), value) for guard, value in self.options(b)]
        return self.alternatives(options)

    def alike(self, a: Any, b: Any) -> bool:
        """Whether two values can be made one without losing what tells them apart."""
        if a is b:
            return True
        if isinstance(a, tuple):
            return type(a) is type(b) and len(a) == len(b)
        if isinstance(a, Record):
            return isinstance(b, Record) and a.python is b.python
        if not (isinstance(a, Symbolic) or is_scalar(a)) or not (isinstance(b, Symbolic) or is_scalar(b)):
            return False
        if isinstance(a, Symbolic) and isinstance(b, Symbolic) and a.term is b.term:
            return True
        return self.one_kind((a, b))

    def one_kind(self, values: Iterable[Any]) -> bool:
        """Tell whether scalars can share a term: True, 2, 2.0 and Fraction(2) look different as text.

        Two kinds in one term would be told apart as long as no two numbers are equal, but what is computed of them may
        be.
        """
        found: frozenset[str] = frozenset()
        for value in values:
            found |= self.kinds(value)
        return len(found) <= 1

    def kinds(self, value: Any) -> frozenset[str]:
        """The kinds of the numbers that a scalar can be."""
        if isinstance(value, Symbolic):
            known = self._kinds.get(value.term)
            if known is None:
                known = kinds_of(value.term, self.fractions)
                if not isinstance(value.term.values, Anything):
                    self._kinds[value.term] = known
            return known
        kind = kind_of_number(value)
        if not self.fractions and kind in ("float", "Fraction"):
            self.fractions = True
        return _KINDS_OF_ONE[kind]

    def erased(self, value: Any) -> Any:
        """A number for operations that take True as 1: alternatives that differ in that only are made one."""
        if not isinstance(value, Alternatives):
            return value
        for _, option in value.options:
            if not (isinstance(option, Symbolic) or is_scalar(option)) or not self.kinds(option) <= _INTEGERS:
                return value
        result = self.term(value.options[-1][1])
        for guard, option in reversed(value.options[:-1]):
            result = self.terms.ite(guard, self.term(option), result)
        return self.wrap(result)

    def alternatives(self, options: Iterable[tuple[Term, Any]]) -> Any:
        """One of some guarded values, like ones made one: the same object, scalars, tuples of one length."""
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
        """The alternatives of a value, with their guards."""
        return value.options if isinstance(value, Alternatives) else ((self.terms.true, value),)

    def each(self, value: Any, action: Callable[[Any], Any], fresh: bool = False) -> Any:
        """Do something with each alternative of a value where it is the one, and merge the results."""
        if not isinstance(value, Alternatives):
            return action(self.bound(value) if value is UNBOUND else value)
        options = list(self.bound(value).options) if isinstance(self.bound(value), Alternatives) else None
        if options is None:
            return action(self.bound(value))
        return self._each(options, action, fresh)

    def _each(self, options: list[tuple[Term, Any]], action: Callable[[Any], Any], fresh: bool) -> Any:
        (guard, value), rest = options[0], options[1:]
        if not rest:
            return action(value)
        return self.choose(guard, lambda: action(value), lambda: self._each(rest, action, fresh), fresh)

    def split(self, value: Any, mark: Any) -> tuple[Term, Any]:
        """The condition that a value is not the mark, and the value where it is not."""
        if value is mark:
            return self.terms.false, None
        if not isinstance(value, Alternatives) or all(option is not mark for _, option in value.options):
            return self.terms.true, value
        missing = self.terms.any(*[guard for guard, option in value.options if option is mark])
        rest = self.alternatives([(guard, option) for guard, option in value.options if option is not mark])
        return self.terms.negate(missing), rest

    def bound(self, value: Any, name: str = "a variable") -> Any:
        """The value, without the alternative that there is none, which must be impossible."""
        if value is UNBOUND:
            return self.fail(failure_like(UnboundLocalError(), f"{name} has no value here."))
        if isinstance(value, Alternatives) and any(option is UNBOUND for _, option in value.options):
            missing = self.terms.any(*[guard for guard, option in value.options if option is UNBOUND])
            problem = f"{name} may have no value here: it is set in one branch of a random condition only."
            self.must_not(missing, failure_like(UnboundLocalError(), problem))
            return self.alternatives([(guard, option) for guard, option in value.options if option is not UNBOUND])
        return value

    # -- merging contents ----------------------------------------------------------------------------------------

    def merge_content(self, test: Term, box: Box, a: Any, b: Any) -> Any:
        if a is b:
            return a
        if isinstance(box, ListBox):
            return self.merge_lists(test, a, b)
        if isinstance(box, SetBox):
            return self._merge_members(test, a, b)
        if isinstance(box, DictBox):
            return self._merge_entries(test, a, b)
        if isinstance(box, IteratorBox):
            return self.merge(test, a, b)
        assert isinstance(box, Frame)
        return {name: self.merge(test, a.get(name, UNBOUND), b.get(name, UNBOUND)) for name in dict.fromkeys([*a, *b])}

    def _merge_entries(self, test: Term, a: dict[Any, Entry], b: dict[Any, Entry]) -> dict[Any, Entry]:
        """The entries of a dictionary after both branches."""
        negated = self.terms.negate(test)
        merged = {}
        for key in dict.fromkeys([*a, *b]):
            p, q = a.get(key), b.get(key)
            if p is q or p is None or q is None:
                if p is None and q is not None:
                    p = Entry(self.terms.all(negated, q.present), q.value, q.stamp, q.key)
                elif q is None and p is not None:
                    p = Entry(self.terms.all(test, p.present), p.value, p.stamp, p.key)
                merged[key] = p
            else:
                present = self.terms.ite(test, p.present, q.present)
                value, stamp = self.merge(test, p.value, q.value), self.merge(test, p.stamp, q.stamp)
                merged[key] = Entry(present, value, stamp, self.spelled(test, p.key, q.key))
        return {
            key: entry for key, entry in merged.items() if entry is not None and entry.present is not self.terms.false
        }

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
        """Of two equal keys the one that is kept: a where the condition holds, else b."""
        return a if same_spelling(a, b) else self.merge(test, a, b)

    def merge_lists(self, test: Term, a: Any, b: Any) -> Any:
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            merged = list(a)
            for place in compress(range(len(a)), map(is_not, a, b)):
                merged[place] = self.merge(test, a[place], b[place])
            return merged
        true, negated = self.terms.true, self.terms.negate(test)
        first = a.options if isinstance(a, Cases) else [(true, a)]
        second = b.options if isinstance(b, Cases) else [(true, b)]
        rows = [(self.terms.all(test, guard), items) for guard, items in first]
        by_length: dict[int, tuple[Term, list[Any]]] = {len(items): (guard, items) for guard, items in rows}
        for guard, items in second:
            known = by_length.get(len(items))
            here = self.terms.all(negated, guard)
            if known is None:
                by_length[len(items)] = (here, items)
            else:
                by_length[len(items)] = (self.terms.any(known[0], here), self.merge_lists(test, known[1], items))
        return self.cases(by_length.values())

    def by_length(self, rows: Iterable[tuple[Term, list[Any]]]) -> Any:
        """The content of a list that is one of some rows, whose guards exclude each other."""
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

    def cases(self, options: Iterable[tuple[Term, list[Any]]]) -> Any:
        """The content of a list of random length: lengths that are impossible here are left out."""
        kept = [(guard, items) for guard, items in options if guard is not self.terms.false]
        if len(kept) > 2:
            kept = [(guard, items) for guard, items in kept if self.feasible(guard)] or kept[:1]
        if not kept:
            return []
        return kept[0][1] if len(kept) == 1 else Cases(sorted(kept, key=lambda case: len(case[1])))

    # -- terms and values ----------------------------------------------------------------------------------------

    def term(self, value: Any) -> Term:
        """The term of a scalar."""
        if isinstance(value, Symbolic):
            return value.term
        if not self.fractions and kind_of_number(value) not in ("int", None):
            self.fractions = True
        if isinstance(value, Expression):
            self.fractions, value = True, Frozen(value)
        return self.terms.const(plain_number(value))

    def wrap(self, term: Term) -> Any:
        """The value of a term: an ordinary one, if it is constant."""
        if not hasattr(term, "value"):
            return Symbolic(term)
        return term.value.expression if isinstance(term.value, Frozen) else term.value

    # -- failures ------------------------------------------------------------------------------------------------

    def must_not(self, event: Term, error: TautError) -> None:
        """Demand that something never happens in this world; if it surely does, the error is raised at once."""
        when = self.terms.all(self.evidence, self.world.guard, event)
        if when is self.terms.false:
            return
        error.at(self._place())
        if when is self.terms.true:
            raise error
        self.obligations.append((when, error))

    def fail(self, error: TautError) -> NoReturn:
        """The current path fails: an error, unless the path turns out to be impossible."""
        self.must_not(self.terms.true, error)
        raise PathEnds


def failure_like(problem: BaseException, message: str | None = None) -> TautError:
    """A MechanismError that is also of the built-in type of the problem, as a caller would expect."""
    text = message or f"{type(problem).__name__}: {problem}"
    for kind, error in _KINDS.items():
        if isinstance(problem, kind):
            return error(text, value=problem)
    return MechanismError(text, value=problem)


def _mechanism_error(kind: type[Exception]) -> type[MechanismError]:
    return type(f"Mechanism{kind.__name__}", (MechanismError, kind), {"__doc__": f"{kind.__name__} in a mechanism."})


_KINDS = {
    kind: _mechanism_error(kind)
    for kind in (
        IndexError,
        KeyError,
        ZeroDivisionError,
        OverflowError,
        UnboundLocalError,
        NameError,
        AttributeError,
        TypeError,
        ValueError,
        ArithmeticError,
        AssertionError,
        RuntimeError,
        StopIteration,
    )
}


def _like(row: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """Items as a tuple of the same class: a namedtuple stays one."""
    kind: Any = type(row)
    return tuple(items) if kind is tuple else kind._make(items)


def _copy(content: Any) -> Any:
    if isinstance(content, Cases):
        return Cases([(guard, list(items)) for guard, items in content.options])
    return content.copy() if isinstance(content, (list, dict)) else content
