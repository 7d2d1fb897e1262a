"""Worlds: what happens under a random condition is tried apart, and merged afterwards.

When the code branches on a random value, each branch runs in a world of its own. A world remembers the content of
every box (list, dictionary, frame of variables) before its first change there. When it closes, the changes are taken
back, and after both branches each box gets the merged content: the one, or the other, by the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import compress
from operator import is_not
from typing import Any, NoReturn, TypeVar

from taut.errors import MechanismError, Place, TautError, UnsupportedValue
from taut.frontend.python.values import (
    UNBOUND,
    Alternatives,
    Box,
    Cases,
    DictBox,
    Frame,
    ListBox,
    SetBox,
    Symbolic,
    is_scalar,
)
from taut.ir import Term, Terms

__all__ = ["DEAD", "PathEnds", "World", "Worlds", "failure_like"]

R = TypeVar("R")
Changes = dict[Box, Any]


class PathEnds(Exception):
    """The current path cannot go on: it fails, which must be impossible, or is already known to be."""


class Dead:
    """The result of a branch that ends on every path."""


DEAD = Dead()


class World:
    """The runs in which a condition holds: ``guard`` is that condition, and all those around it."""

    __slots__ = ("before", "guard")

    def __init__(self, guard: Term) -> None:
        self.guard = guard
        self.before: Changes = {}


class Worlds:
    """The state of a program that is being read: terms, worlds, evidence, and what must be impossible."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.world = World(terms.true)
        self.root = self.world
        self.evidence = terms.true
        self.obligations: list[tuple[Term, TautError]] = []
        self.running: list[list[Any]] = []
        self.lazy: list[int] = []

    @property
    def place(self) -> Place | None:
        """Where in the source the reading has come to."""
        return None

    # -- changing boxes ------------------------------------------------------------------------------------------

    def change(self, box: Box) -> Any:
        """The content of a box, to be changed in place; remembered first if the box is older than this world."""
        world = self.world
        if world is not self.root and box.world is not world and box not in world.before:
            world.before[box] = box.content
            box.content = _copy(box.content)
        return box.content

    def replace(self, box: Box, content: Any) -> None:
        """Give a box another content."""
        self.change(box)
        box.content = content

    @contextmanager
    def running_through(self, value: Any) -> Iterator[None]:
        """Remember which lists a loop runs through, and how far it has come."""
        lists = [value, *getattr(value, "sources", ())] if isinstance(value, ListBox) else []
        self.running.append([lists, -1])
        try:
            yield
        finally:
            self.running.pop()

    def refuse_if_running(self, box: Box, place: int | None = None) -> None:
        """Refuse a change that a loop would still meet: of the list's length, or at a place it has not passed."""
        if self.lazy and box.stamp < self.lazy[-1]:
            raise UnsupportedValue(
                "a generator expression changes a list; how far Python runs it depends on who asks. Use a 'for' loop."
            )
        for lists, passed in self.running:
            if any(one is box for one in lists) and (place is None or place > passed):
                raise UnsupportedValue(
                    "a list is changed while a loop runs through it; run through a copy, as in 'for item in list(xs)'."
                )

    # -- branching -----------------------------------------------------------------------------------------------

    def open(self, test: Term) -> World:
        """Enter the world in which a condition holds; returns the world that was left."""
        outer = self.world
        self.world = World(self.terms.all(outer.guard, test))
        return outer

    def close(self, outer: World) -> Changes:
        """Leave the current world for the one around it, take its changes back, and return them."""
        changes = {box: box.content for box in self.world.before}
        for box, content in self.world.before.items():
            box.content = content
        self.world = outer
        return changes

    def explore(self, test: Term, action: Callable[[], R]) -> tuple[R | Dead, Changes]:
        """Do something in the world in which a condition holds."""
        if test is self.terms.false:
            return DEAD, {}
        outer = self.open(test)
        result: R | Dead = DEAD
        with suppress(PathEnds):
            result = action()
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
        if test is self.terms.true:
            return then()
        if test is self.terms.false:
            return other()
        a, b = self.branch(test, then, other)
        if a is DEAD or b is DEAD:
            return b if a is DEAD else a
        if fresh and isinstance(a, ListBox) and isinstance(b, ListBox):
            return ListBox(self._merge_lists(test, a.content, b.content), self.world)
        return self.merge(test, a, b)

    def merge_changes(
        self, test: Term, then: Changes, other: Changes, dead: tuple[bool, bool] = (False, False)
    ) -> None:
        """Give every box that either side changed the content it has after both."""
        for box in dict.fromkeys([*then, *other]):
            before = box.content
            a, b = then.get(box, before), other.get(box, before)
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
        if isinstance(a, (Symbolic,)) or is_scalar(a):
            if isinstance(b, Symbolic) or is_scalar(b):
                return self.wrap(self.terms.ite(test, self.term(a), self.term(b)))
        elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple([self.merge(test, p, q) for p, q in zip(a, b, strict=True)])
        negated = self.terms.negate(test)
        options = [(self.terms.all(test, guard), value) for guard, value in self.options(a)]
        options += [(self.terms.all(negated, guard), value) for guard, value in self.options(b)]
        return self.alternatives(options)

    def alternatives(self, options: Iterable[tuple[Term, Any]]) -> Any:
        """One of some guarded values, like ones made one: the same object, scalars, tuples of one length."""
        kept: list[tuple[Term, Any]] = []
        for guard, value in options:
            if guard is self.terms.false:
                continue
            for place, (known, other) in enumerate(kept):
                if _alike(value, other):
                    merged = self.merge(guard, value, other)
                    kept[place] = (self.terms.any(known, guard), merged)
                    break
            else:
                kept.append((guard, value))
        if not kept:
            raise PathEnds
        return kept[0][1] if len(kept) == 1 else Alternatives(tuple(kept))

    def options(self, value: Any) -> tuple[tuple[Term, Any], ...]:
        """The alternatives of a value, with their guards."""
        return value.options if isinstance(value, Alternatives) else ((self.terms.true, value),)

    def each(self, value: Any, action: Callable[[Any], Any], fresh: bool = False) -> Any:
        """Do something with each alternative of a value where it is the one, and merge the results."""
        if not isinstance(value, Alternatives):
            return action(value)
        return self._each(list(value.options), action, fresh)

    def _each(self, options: list[tuple[Term, Any]], action: Callable[[Any], Any], fresh: bool) -> Any:
        (guard, value), rest = options[0], options[1:]
        if not rest:
            return action(value)
        return self.choose(guard, lambda: action(value), lambda: self._each(rest, action, fresh), fresh)

    def merge_content(self, test: Term, box: Box, a: Any, b: Any) -> Any:
        if a is b:
            return a
        if isinstance(box, ListBox):
            return self._merge_lists(test, a, b)
        assert isinstance(box, (Frame, DictBox, SetBox))
        if isinstance(box, DictBox) and [key for key in a if key in b] != [key for key in b if key in a]:
            raise UnsupportedValue(
                "the order of a dictionary's keys is random here; give the keys their values in one order first."
            )
        return {name: self.merge(test, a.get(name, UNBOUND), b.get(name, UNBOUND)) for name in dict.fromkeys([*a, *b])}

    def _merge_lists(self, test: Term, a: Any, b: Any) -> Any:
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            merged = list(a)
            for place in compress(range(len(a)), map(is_not, a, b)):
                merged[place] = self.merge(test, a[place], b[place])
            return merged
        true, negated = self.terms.true, self.terms.negate(test)
        first = a.options if isinstance(a, Cases) else [(true, a)]
        second = b.options if isinstance(b, Cases) else [(true, b)]
        by_length: dict[int, tuple[Term, list[Any]]] = {
            len(items): (self.terms.all(test, guard), items) for guard, items in first
        }
        for guard, items in second:
            known = by_length.get(len(items))
            here = self.terms.all(negated, guard)
            if known is None:
                by_length[len(items)] = (here, items)
            else:
                by_length[len(items)] = (self.terms.any(known[0], here), self._merge_lists(test, known[1], items))
        return self.cases(by_length.values())

    def cases(self, options: Iterable[tuple[Term, list[Any]]]) -> Any:
        """The content of a list of random length: lengths that are impossible here are left out."""
        kept = [(guard, items) for guard, items in options if guard is not self.terms.false]
        if len(kept) > 2:
            kept = [(guard, items) for guard, items in kept if self.feasible(guard)]
        if not kept:
            raise PathEnds
        return kept[0][1] if len(kept) == 1 else Cases(sorted(kept, key=lambda case: len(case[1])))

    def feasible(self, guard: Term) -> bool:
        """Whether a condition can hold in this world, as far as that can be told quickly; if in doubt, it can."""
        raise NotImplementedError

    # -- terms and values ----------------------------------------------------------------------------------------

    def term(self, value: Any) -> Term:
        """The term of a scalar."""
        return value.term if isinstance(value, Symbolic) else self.terms.const(value)

    def wrap(self, term: Term) -> Any:
        """The value of a term: an ordinary one, if it is constant."""
        return term.value if hasattr(term, "value") else Symbolic(term)

    # -- failures ------------------------------------------------------------------------------------------------

    def must_not(self, event: Term, error: TautError) -> None:
        """Demand that something never happens in this world; if it surely does, the error is raised at once."""
        when = self.terms.all(self.evidence, self.world.guard, event)
        if when is self.terms.false:
            return
        error.at(self.place)
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
    )
}


def _alike(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b)
    scalar = isinstance(a, Symbolic) or is_scalar(a)
    return scalar and (isinstance(b, Symbolic) or is_scalar(b))


def _copy(content: Any) -> Any:
    if isinstance(content, Cases):
        return Cases([(guard, list(items)) for guard, items in content.options])
    return content.copy()
