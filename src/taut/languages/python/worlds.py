"""Facts: conditions known to hold in the current world, from the branches that led there."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from taut.languages.python.failures import DEAD, Dead, PathEnds, RefusedValue, failure_like
from taut.languages.python.merging import Merging
from taut.languages.python.values import (
    UNBOUND,
    Alternatives,
    Box,
    Cases,
    ListBox,
    Thinned,
    kind_of,
)
from taut.program import Apply, Term, Terms
from taut.support.errors import Place, TautError, UnsupportedSyntax, UnsupportedValue

__all__ = ["Facts", "World", "Worlds"]

_DEEP = 4


class Facts:
    """The conditions of the open worlds, split: 'a and b' into both parts, 'not (a or b)' into both negations."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._held: Counter[Term] = Counter()

    def add(self, test: Term) -> list[Term]:
        """Add a condition; return the parts to pass to ``remove`` later."""
        new = self._parts(test)
        self._held.update(new)
        return new

    def remove(self, parts: list[Term]) -> None:
        """Remove the parts that ``add`` returned."""
        for part in parts:
            self._held[part] -= 1
            if not self._held[part]:
                del self._held[part]

    def decide(self, test: Term, depth: int = _DEEP) -> bool | None:
        """Return True or False if a condition is decided by the known facts; None if not quickly decided."""
        if not self._held:
            return None
        if test in self._held:
            return True
        if self._terms.negate(test) in self._held:
            return False
        if not isinstance(test, Apply) or not depth:
            return None
        name = test.operation.name
        if name == "not":
            found = self.decide(test.args[0], depth - 1)
            return None if found is None else not found
        if name not in ("and", "or"):
            return None
        decisive, all_others = name == "or", True
        for part in test.args:
            found = self.decide(part, depth - 1)
            if found is decisive:
                return decisive
            all_others = all_others and found is not None
        return not decisive if all_others else None

    def _parts(self, test: Term) -> list[Term]:
        parts: dict[Term, None] = {}
        stack = [test]
        while stack:
            part = stack.pop()
            if part in parts:
                continue
            parts[part] = None
            if not isinstance(part, Apply):
                continue
            if part.operation.name == "and":
                stack.extend(part.args)
            elif part.operation.name == "not":
                inner = part.args[0]
                if isinstance(inner, Apply) and inner.operation.name == "or":
                    stack.extend(self._terms.negate(arg) for arg in inner.args)
        return list(parts)


R = TypeVar("R")
Changes = dict[int, tuple[Box, Any]]
"""Boxes by identity, each with a content."""


class World:
    """The runs in which a condition holds; ``guard`` is its conjunction with those of the enclosing worlds."""

    __slots__ = ("before", "facts", "guard", "outer")

    def __init__(self, guard: Term, outer: World | None = None, facts: list[Term] | None = None) -> None:
        self.guard = guard
        self.outer = outer
        self.facts = facts or []
        self.before: Changes = {}


class Worlds(Merging):
    """The state of a program being read: terms, worlds, evidence, and events that must be impossible."""

    def __init__(
        self,
        terms: Terms,
        feasible: Callable[[Term], bool],
        ever: Callable[[Term], bool],
        possible: Callable[[Term], bool],
        place: Callable[[], Place | None],
    ) -> None:
        super().__init__(terms, feasible, ever)
        self.possible = possible
        self.world = World(terms.true)
        self.root = self.world
        self.evidence = terms.true
        self.followed = terms.true
        """True for the runs that are followed to their end; nothing is claimed of others."""
        self.obligations: list[tuple[Term, TautError]] = []
        self.stamps = itertools.count()
        self.facts = Facts(terms)
        self._place = place

    @property
    def ordinary(self) -> bool:
        """Return True outside all random branches."""
        return self.world.guard is self.terms.true

    # -- changing boxes ------------------------------------------------------------------------------------------

    def change(self, box: Box) -> Any:
        """Return the content of a box for a change in place; save it first if the box is older than this world."""
        content = self.grow(box)
        if isinstance(content, Thinned):
            content = box.content = Cases([(guard, list(items)) for guard, items in content.options])
        return content

    def grow(self, box: Box) -> Any:
        """Return the content of a box for a change in place, which only adds to a list."""
        if box.outside:
            self.refuse_outside(box)
        world = self.world
        if world is not self.root and box.world is not world and id(box) not in world.before:
            world.before[id(box)] = (box, box.content)
            box.content = _copy(box.content)
        return box.content

    def replace(self, box: Box, content: Any) -> None:
        """Replace the content of a box."""
        if box.outside:
            self.refuse_outside(box)
        world = self.world
        if world is not self.root and box.world is not world and id(box) not in world.before:
            world.before[id(box)] = (box, box.content)
        box.content = content

    def refuse_outside(self, box: Box) -> NoReturn:
        raise RefusedValue(
            f"{kind_of(box)} that is defined outside the mechanism (or is a default argument) would be changed; "
            "every run would see the changes of the runs before it. Change a copy of it."
        )

    # -- branching -----------------------------------------------------------------------------------------------

    def open(self, test: Term) -> World:
        """Enter the world in which a condition holds; return the enclosing world."""
        outer = self.world
        self.world = World(self.terms.all(outer.guard, test), outer, self.facts.add(test))
        return outer

    def close(self, outer: World) -> Changes:
        """Leave the current world for ``outer``; undo its changes and return them."""
        before = self.world.before
        changes = {key: (box, box.content) for key, (box, _) in before.items()}
        for box, content in before.values():
            box.content = content
        self.facts.remove(self.world.facts)
        self.world = outer
        return changes

    def explore(self, test: Term, action: Callable[[], R]) -> tuple[R | Dead, Changes]:
        """Run ``action`` in the world in which a condition holds; return its result and changes."""
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
            if self.possible(self.terms.all(self.evidence, self.followed, here.guard)):
                raise
        return result, self.close(outer)

    def branch(self, test: Term, then: Callable[[], R], other: Callable[[], R]) -> tuple[R | Dead, R | Dead]:
        """Run ``then`` where a condition holds and ``other`` where not, and merge their changes."""
        a, changes_a = self.explore(test, then)
        b, changes_b = self.explore(self.terms.negate(test), other)
        if a is DEAD and b is DEAD:
            raise PathEnds
        self.merge_changes(test, changes_a, changes_b, dead=(a is DEAD, b is DEAD))
        return a, b

    def choose(self, test: Term, then: Callable[[], Any], other: Callable[[], Any], fresh: bool = False) -> Any:
        """Return the merged value of ``then`` where a condition holds and ``other`` where not.

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
        """Return True or False if a condition is quickly decided in this world, else None."""
        if test is self.terms.true or test is self.terms.false:
            return test is self.terms.true
        return self.facts.decide(test)

    def merge_changes(
        self, test: Term, then: Changes, other: Changes, dead: tuple[bool, bool] = (False, False)
    ) -> None:
        """Merge the changes of both sides into every changed box."""
        for key, (box, _) in {**then, **other}.items():
            before = box.content
            a = then[key][1] if key in then else before
            b = other[key][1] if key in other else before
            content = b if dead[0] else a if dead[1] else self.merge_content(test, box, a, b)
            if content is not before:
                self.replace(box, _copy(content))

    # -- alternatives --------------------------------------------------------------------------------------------

    def each(self, value: Any, action: Callable[[Any], Any], fresh: bool = False) -> Any:
        """Apply ``action`` to each alternative of a value under its guard, and merge the results."""
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

    def bound(self, value: Any, name: str = "a variable") -> Any:
        """Drop the unbound alternative of a value; require that it cannot occur."""
        if value is UNBOUND:
            return self.fail(failure_like(UnboundLocalError(), f"{name} has no value here."))
        if isinstance(value, Alternatives) and any(option is UNBOUND for _, option in value.options):
            missing = self.terms.any(*[guard for guard, option in value.options if option is UNBOUND])
            problem = f"{name} may have no value here: it is set in one branch of a random condition only."
            self.must_not(missing, failure_like(UnboundLocalError(), problem))
            return self.alternatives([(guard, option) for guard, option in value.options if option is not UNBOUND])
        return value

    def give_up(self, event: Term) -> None:
        """Stop following the runs of this world in which an event happens."""
        self.followed = self.terms.all(self.followed, self.terms.negate(self.terms.all(self.world.guard, event)))

    # -- failures ------------------------------------------------------------------------------------------------

    def must_not(self, event: Term, error: TautError) -> None:
        """Require that an event is impossible in this world; raise the error at once if it surely happens."""
        when = self.terms.all(self.evidence, self.followed, self.world.guard, event)
        if when is self.terms.false:
            return
        error.at(self._place())
        if when is self.terms.true:
            raise error
        self.obligations.append((when, error))

    def fail(self, error: TautError) -> NoReturn:
        """Fail the current path: an error, unless the path turns out to be impossible."""
        self.must_not(self.terms.true, error)
        raise PathEnds


def _copy(content: Any) -> Any:
    if isinstance(content, Thinned):
        return content.copy()
    if isinstance(content, Cases):
        return Cases([(guard, list(items)) for guard, items in content.options])
    return content.copy() if isinstance(content, (list, dict)) else content
