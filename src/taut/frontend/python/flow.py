"""How a block of statements ends: it falls through, returns, breaks or continues, each under a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taut.frontend.python.worlds import Worlds
from taut.ir import Term

__all__ = ["Flow", "Flows"]


@dataclass(frozen=True)
class Flow:
    """The conditions, of which exactly one holds on a path that is alive; ``value`` is what is returned."""

    normal: Term
    returns: Term
    breaks: Term
    continues: Term
    value: Any = None


class Flows:
    """Puts flows together."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        true, false = worlds.terms.true, worlds.terms.false
        self.normal = Flow(true, false, false, false)
        self.breaks = Flow(false, false, true, false)
        self.continues = Flow(false, false, false, true)
        self.dead = Flow(false, false, false, false)

    def returning(self, value: Any) -> Flow:
        terms = self.worlds.terms
        return Flow(terms.false, terms.true, terms.false, terms.false, value)

    def fork(self, test: Term, then: Flow, other: Flow) -> Flow:
        """One flow where the test holds, the other where it does not."""
        if then is self.dead:
            return other
        if other is self.dead or then is other:
            return then
        ite = self.worlds.terms.ite
        return Flow(
            ite(test, then.normal, other.normal),
            ite(test, then.returns, other.returns),
            ite(test, then.breaks, other.breaks),
            ite(test, then.continues, other.continues),
            self._value(test, then, other),
        )

    def then(self, first: Flow, rest: Flow) -> Flow:
        """A flow, and where it falls through, another."""
        terms = self.worlds.terms
        if rest is self.dead:
            return Flow(terms.false, first.returns, first.breaks, first.continues, first.value)
        return Flow(
            terms.ite(first.normal, rest.normal, terms.false),
            terms.ite(first.normal, rest.returns, first.returns),
            terms.ite(first.normal, rest.breaks, first.breaks),
            terms.ite(first.normal, rest.continues, first.continues),
            self._value(first.returns, first, rest),
        )

    def round(self, body: Flow, proceed: Term, rest: Flow) -> Flow:
        """One round of a loop, and where it proceeds, the rest of the loop."""
        terms = self.worlds.terms
        if rest is self.dead:
            if proceed is terms.true:
                return rest
            return Flow(body.breaks, body.returns, terms.false, terms.false, body.value)
        return Flow(
            terms.ite(proceed, rest.normal, body.breaks),
            terms.ite(proceed, rest.returns, body.returns),
            terms.false,
            terms.false,
            self._value(body.returns, body, rest),
        )

    def _value(self, test: Term, a: Flow, b: Flow) -> Any:
        """What is returned, where at least one of two flows returns something."""
        false = self.worlds.terms.false
        if a.returns is false:
            return b.value
        if b.returns is false:
            return a.value
        return self.worlds.merge(test, a.value, b.value)
