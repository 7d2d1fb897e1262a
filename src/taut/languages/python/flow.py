"""Flows: a block of statements falls through, returns, breaks or continues, each under a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taut.languages.python.worlds import Worlds
from taut.program import Term
from taut.program.placeholders import Opaque

__all__ = ["Flow", "Flows"]


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
