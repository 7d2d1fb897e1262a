"""Loss distributions of pairs of inputs: pairs with one future go down the relation as one, and are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from itertools import islice
from operator import itemgetter
from typing import Any

from taut.inference.channel import Channel
from taut.inference.loss import Branches, LossWalk
from taut.inference.masses import Masses
from taut.neighbors import PairAutomaton
from taut.questions.bound import Interval
from taut.questions.pair_measure import PairCase
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.limits import grace, reason_of
from taut.synthesis.case_order import CaseOrder
from taut.synthesis.pairs.branches import BranchWalk, completed
from taut.synthesis.pairs.losses import distinct, loss_of, pair_loss
from taut.synthesis.problem import Budget
from taut.synthesis.walk import Counted, CountingWalk, Joined

__all__ = ["LossCollection"]

_SAMPLED = 32
"""Pairs that are finished where time or room ended before all were."""
_GRACE = 1.0


class LossCollection(BranchWalk[Counted], CountingWalk[Branches]):
    """The loss distributions of all pairs that an automaton accepts.

    Parameters
    ----------
    channel, automaton, order, budget
        The mechanism; the pairs; which of them come first; the room.
    weights
        For states after the last entry how many pairs each stands for, if not one.
    """

    def __init__(
        self,
        channel: Channel,
        automaton: PairAutomaton,
        order: CaseOrder,
        budget: Budget,
        weights: Mapping[int, int] | None = None,
    ) -> None:
        super().__init__(channel.relation, automaton, order)
        self.channel, self.budget, self.weights = channel, budget, weights
        self.losses = LossWalk(channel.relation, channel.conditioned, budget.max_beliefs)
        self.open: Mapping[Any, Joined[Any, Counted]] = {None: Joined(automaton.states[0][0], None, (1, 0))}
        """The last layer that was complete, and how many entries were read then."""
        self.read = 0
        self.largest = 1
        self.stopped: str | None = None

    def run(self) -> list[PairCase]:
        """The different loss distributions, the first pair of each; of a few pairs if ``stopped`` says why."""
        same = self.automaton.states[0][0] in self.automaton.same_after[0]
        try:
            return self._cases(self.walk(self.losses.start(same=same), (1, 0)).values())
        except (OutOfTime, OutOfMemory) as error:
            self.stopped = reason_of(error)
        except TooLarge:
            self.stopped = f"max_beliefs={self.budget.max_beliefs}"
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        return self.sampled()

    def begun(self, place: int, layer: Mapping[Any, Any]) -> None:
        self.open, self.read = layer, self.entry
        self.largest = max(self.largest, len(layer))
        if self.budget.progress is not None:
            self.budget.progress(Interval(place, len(self.levels), None, None))

    def require_room(self, layer: Sized) -> None:
        if len(layer) > self.budget.max_beliefs:
            raise TooLarge("too many pairs of prefixes differ.", value=len(layer))

    def _cases(self, walked: Iterable[Any]) -> list[PairCase]:
        cases: dict[Any, tuple[Masses, int, int]] = {}
        for state, branches, (count, first) in walked:
            total = self.losses.total(branches)
            key = frozenset(total.items())
            _, before, known = cases.get(key, (total, 0, first))
            count *= 1 if self.weights is None else self.weights[state]
            cases[key] = (total, before + count, min(first, known))
        return distinct(
            PairCase(loss_of(self.channel, self.losses.finished(total), *self._inputs(first)), count)
            for total, count, first in sorted(cases.values(), key=itemgetter(2))
        )

    def sampled(self) -> list[PairCase]:
        """Some pairs, finished one by one, also after a limit was passed: what they attain is attained.

        Raises
        ------
        OutOfTime, OutOfMemory
            Not even one pair was finished.
        """
        cases: list[PairCase] = []
        try:
            with grace(_GRACE):
                for state, _, (_, first) in islice(self.open.values(), 0, None, max(1, len(self.open) // _SAMPLED)):
                    pair = completed(self.automaton, self.order, first, state, self.read)
                    x, x_prime = (self.channel.x(positions) for positions in pair)
                    cases.append(PairCase(pair_loss(self.channel, x, x_prime, self.budget.max_beliefs), 1))
        except (OutOfTime, OutOfMemory):
            if not cases:
                raise
        return distinct(cases)

    def _inputs(self, number: int) -> tuple[Any, Any]:
        x, x_prime, _ = self.order.case(number)
        return self.channel.x(x), self.channel.x(x_prime)
