"""How a block of statements ends: it falls through, returns, breaks or continues, each under a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taut.frontend.python.worlds import Worlds
from taut.ir import Term
from taut.ir.opaque import Opaque

__all__ = ["Flow", "Flows"]


@dataclass(frozen=True, eq=False)
class Flow(Opaque):
    """The conditions, of which exactly one holds on a path that is alive.

    ``results`` lists what is returned, each under a condition of its own; the first that holds counts, and none counts
    where nothing is returned. So 'return i' in round i of a loop stays a short condition, not the path to it.
    ``stops`` says that who takes the items of an iterator wants no more of them: it leaves the loops that make them.
    """

    normal: Term
    returns: Term
    breaks: Term
    continues: Term
    stops: Term
    results: tuple[tuple[Term, Any], ...] = ()


class Flows:
    """Puts flows together."""

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
        """What is returned, where something is."""
        value = flow.results[-1][1]
        for guard, earlier in reversed(flow.results[:-1]):
            value = self.worlds.merge(guard, earlier, value)
        return value

    def fork(self, test: Term, then: Flow, other: Flow) -> Flow:
        """One flow where the test holds, the other where it does not."""
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
        """A flow, and where it falls through, another."""
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
        """One round of a loop, and where it proceeds, the rest of the loop."""
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
        """The flow of a body inside the loops that make its items: to break is to want no more of them."""
        terms = self.worlds.terms
        if flow.breaks is terms.false and flow.continues is terms.false:
            return flow
        normal, stops = terms.any(flow.normal, flow.continues), terms.any(flow.stops, flow.breaks)
        return Flow(normal, flow.returns, terms.false, terms.false, stops, flow.results)

    def stopped(self, flow: Flow) -> Flow:
        """The flow of the loops that make items, seen from outside: who wants no more has left the loop."""
        terms = self.worlds.terms
        if flow.stops is terms.false:
            return flow
        normal = terms.any(flow.normal, flow.stops)
        return Flow(normal, flow.returns, flow.breaks, flow.continues, terms.false, flow.results)

    def alive(self, flow: Flow) -> Flow:
        """The flow, or the dead one if none of its conditions can hold."""
        false = self.worlds.terms.false
        ways = (flow.normal, flow.returns, flow.breaks, flow.continues, flow.stops)
        return self.dead if all(way is false for way in ways) else flow

    def _guarded(self, guard: Term, results: tuple[tuple[Term, Any], ...]) -> tuple[tuple[Term, Any], ...]:
        """Results that count only where a condition holds."""
        return tuple([(self.worlds.terms.all(guard, own), value) for own, value in results])
