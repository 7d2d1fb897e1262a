"""Worlds: what the branches that are being read know and change, and the flows in which blocks of statements end."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from taut.languages.python.failures import DEAD, Dead, PathEnds, failure_like, refused_value
from taut.languages.python.merging import Merging
from taut.languages.python.values import UNBOUND, Alternatives, Box, Cases, ListBox, Thinned, kind_of
from taut.program import Apply, Term, Terms
from taut.program.placeholders import Opaque
from taut.support.errors import Place, TautError, UnsupportedSyntax, UnsupportedValue

__all__ = ["Facts", "Flow", "Flows", "World", "Worlds"]

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
        """The condition of the runs that are followed to their end."""
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
        raise refused_value(
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


@dataclass(frozen=True, eq=False)
class Flow(Opaque):
    """The conditions of each way to end; exactly one holds on a path that is alive.

    ``results`` lists the returned values with their conditions; the first whose condition holds is the result. So
    'return i' in round i of a loop keeps a short condition, not the path to it. ``stops`` is the condition that the
    consumer of an iterator wants no more items: it leaves the loops that produce them.
    """

    normal: Term
    returns: Term
    breaks: Term
    continues: Term
    stops: Term
    results: tuple[tuple[Term, Any], ...] = ()


class Flows:
    """Combines flows."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        true, false = worlds.terms.true, worlds.terms.false
        self.normal = Flow(true, false, false, false, false)
        self.breaks = Flow(false, false, true, false, false)
        self.continues = Flow(false, false, false, true, false)
        self.dead = Flow(false, false, false, false, false)

    def returning(self, value: Any) -> Flow:
        terms = self.worlds.terms
        return Flow(terms.false, terms.true, terms.false, terms.false, terms.false, ((terms.true, value),))

    def value(self, flow: Flow) -> Any:
        """Return the returned value."""
        value = flow.results[-1][1]
        for guard, earlier in reversed(flow.results[:-1]):
            value = self.worlds.merge(guard, earlier, value)
        return value

    def fork(self, test: Term, then: Flow, other: Flow) -> Flow:
        """Return ``then`` where the test holds, else ``other``."""
        if then is self.dead:
            return other
        if other is self.dead or then is other:
            return then
        terms = self.worlds.terms
        returns = terms.ite(test, then.returns, other.returns)
        if then.results and other.results:
            merged = self.worlds.merge(test, self.value(then), self.value(other))
            results: tuple[tuple[Term, Any], ...] = ((returns, merged),)
        else:
            side = test if then.results else terms.negate(test)
            results = self._guarded(side, then.results or other.results)
        return Flow(
            terms.ite(test, then.normal, other.normal),
            returns,
            terms.ite(test, then.breaks, other.breaks),
            terms.ite(test, then.continues, other.continues),
            terms.ite(test, then.stops, other.stops),
            results,
        )

    def then(self, first: Flow, rest: Flow) -> Flow:
        """Return the flow of ``first``, followed by ``rest`` where it falls through."""
        terms = self.worlds.terms
        if rest is self.dead:
            return self.alive(
                Flow(terms.false, first.returns, first.breaks, first.continues, first.stops, first.results)
            )
        leaves = any(way is not terms.false for way in (first.breaks, first.continues, first.stops))
        return Flow(
            terms.ite(first.normal, rest.normal, terms.false),
            terms.ite(first.normal, rest.returns, first.returns),
            terms.ite(first.normal, rest.breaks, first.breaks),
            terms.ite(first.normal, rest.continues, first.continues),
            terms.ite(first.normal, rest.stops, first.stops),
            first.results + (self._guarded(first.normal, rest.results) if leaves else rest.results),
        )

    def round(self, body: Flow, proceed: Term, rest: Flow) -> Flow:
        """Return the flow of one round of a loop, followed by ``rest`` where it proceeds."""
        terms = self.worlds.terms
        if rest is self.dead:
            if proceed is terms.true:
                return rest
            return self.alive(Flow(body.breaks, body.returns, terms.false, terms.false, body.stops, body.results))
        leaves = body.breaks is not terms.false or body.stops is not terms.false
        left = rest.breaks is not terms.false or rest.continues is not terms.false
        return Flow(
            terms.ite(proceed, rest.normal, body.breaks),
            terms.ite(proceed, rest.returns, body.returns),
            terms.ite(proceed, rest.breaks, terms.false) if left else terms.false,
            terms.ite(proceed, rest.continues, terms.false) if left else terms.false,
            terms.ite(proceed, rest.stops, body.stops),
            body.results + (self._guarded(proceed, rest.results) if leaves else rest.results),
        )

    def stopping(self, flow: Flow) -> Flow:
        """Convert the flow of a loop body for the inner loops that produce its items: break stops them."""
        terms = self.worlds.terms
        if flow.breaks is terms.false and flow.continues is terms.false:
            return flow
        normal, stops = terms.any(flow.normal, flow.continues), terms.any(flow.stops, flow.breaks)
        return Flow(normal, flow.returns, terms.false, terms.false, stops, flow.results)

    def stopped(self, flow: Flow) -> Flow:
        """Convert the flow of loops that produce items back for the code outside: a stop leaves the loop normally."""
        terms = self.worlds.terms
        if flow.stops is terms.false:
            return flow
        normal = terms.any(flow.normal, flow.stops)
        return Flow(normal, flow.returns, flow.breaks, flow.continues, terms.false, flow.results)

    def alive(self, flow: Flow) -> Flow:
        """Return the flow, or the dead one if none of its conditions can hold."""
        false = self.worlds.terms.false
        ways = (flow.normal, flow.returns, flow.breaks, flow.continues, flow.stops)
        return self.dead if all(way is false for way in ways) else flow

    def _guarded(self, guard: Term, results: tuple[tuple[Term, Any], ...]) -> tuple[tuple[Term, Any], ...]:
        """Restrict results to a condition."""
        return tuple([(self.worlds.terms.all(guard, own), value) for own, value in results])
