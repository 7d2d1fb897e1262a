"""The search extends prefixes from the top or suffixes from the bottom, the cheaper, until they meet (Theorem 9)."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from taut.support.errors import OutOfMemory, OutOfTime
from taut.support.limits import grace, reason_of
from taut.synthesis.search.bounding import Bounding
from taut.synthesis.search.certificate import Certificate
from taut.synthesis.search.closing import Closing, HullPruning
from taut.synthesis.search.frontier import ItemFrontier, Layer, bottom_layer, top_layer
from taut.synthesis.search.meet import meet
from taut.synthesis.search.powers import Powers
from taut.synthesis.search.question import SearchBudget, SearchQuestion
from taut.synthesis.search.step import step_down, step_up
from taut.synthesis.search.witness import Path, quick_witness, some_path, value_of

__all__ = ["LayerStats", "Progress", "Search", "SearchResult"]

_WIDTHS = (8, 48)
"""Items per state and block that the quick search for a witness keeps; few are often enough to attain a bound."""
_LARGE = 2_000
"""Number of items in a layer from which a witness and bounds are computed."""
_GRACE = 0.5
"""Seconds to find limits and a witness after a search was stopped before it had them."""


@dataclass(frozen=True)
class Progress:
    """Progress of a search: cuts done, cuts in all, and the certified interval as far as it is known."""

    done: int
    total: int
    value: Any
    bound: Any
    path: Path | None = None
    """A path that attains the value."""


@dataclass(frozen=True)
class LayerStats:
    """One layer: its cut, its side, items before merging, after merging and after pruning, and different vectors."""

    cut: int
    side: str
    made: int
    merged: int
    kept: int
    beliefs: int
    bound: float | None


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

    ``value`` is attained by ``path``; nothing is beyond ``bound``, in the same scale (None: nothing is known). If
    ``stopped`` is None the two are equal.
    """

    value: Any
    path: Path
    bound: Any
    stopped: str | None
    decided_at: int
    layers: tuple[LayerStats, ...]


class Pass(Protocol):
    """A rule that drops items of a frontier's last layer, by a theorem of docs/search.md."""

    def pruned(self, frontier: ItemFrontier) -> Layer:
        """Return the layer without the dropped items; values that these attain are offered to the certificate."""


class Search:
    """One question, searched once."""

    def __init__(
        self, question: SearchQuestion, max_beliefs: int, report: Callable[[Progress], None] | None = None
    ) -> None:
        self.question = question
        self.budget = SearchBudget(max_beliefs)
        self.report = report
        self.certificate = Certificate(question)
        self.above = ItemFrontier("down", top_layer(question))
        self.below = ItemFrontier("up", bottom_layer(question))
        self.powers = Powers(question, self.budget)
        self.closing = Closing(question, self.certificate)
        self.bounding = Bounding(question, self.certificate, self.budget)
        self.hull = HullPruning(question, self.budget, _LARGE)
        self.layers: list[LayerStats] = []

    def run(self) -> SearchResult:
        """Search until the answer is exact, or until the time limit, ``max_beliefs`` or Ctrl-C."""
        try:
            self._search()
        except KeyboardInterrupt:
            self.budget.stopped = "interrupted"
        except (OutOfTime, OutOfMemory) as error:
            self.budget.stopped = reason_of(error)
        stopped, certificate = self.budget.stopped, self.certificate
        bare = certificate.best is None
        if bare:
            path = some_path(self.question)
            self._offer(value_of(self.question, path), path)
        if stopped is not None and not certificate.settled:
            with contextlib.suppress(KeyboardInterrupt, OutOfTime, OutOfMemory), grace(_GRACE):
                self._complete_certificate(bare)
        best = certificate.best
        assert best is not None
        bound = best.value if stopped is None or certificate.settled else certificate.bound
        if stopped is not None and (certificate.settled or certificate.attains(bound)):
            stopped = None
        return SearchResult(best.value, best.path, bound, stopped, best.cut, tuple(self.layers))

    def _search(self) -> None:
        """The algorithm: advance the cheaper side, prune what it reached, and meet."""
        while self.above.layer.cut < self.below.layer.cut:
            if self._ends():
                return
            frontier, layer = self.above, self.powers.layer(self.above.layer, self.below.layer.cut)
            if layer is None:
                frontier, step = (self.above, step_down) if self._goes_down() else (self.below, step_up)
                onto = frontier.layer.cut + (1 if frontier.down else -1)
                still = self.bounding.open_images(onto, down=frontier.down)
                layer = step(self.question, frontier.layer, self.budget, still)
            if layer is None:
                return
            frontier.extend(layer)
            self._prune(frontier)
            self._record(frontier)
        if not self._ends():
            self._meet()

    def _ends(self) -> bool:
        return self.certificate.settled or self.budget.exhausted()

    def _prune(self, frontier: ItemFrontier) -> None:
        """Close items, bound them, and look for dominated ones; before the first large layer, look for a witness."""
        frontier.prune(self.closing.pruned(frontier))
        if frontier.layer.merged > _LARGE and self.bounding.limits is None and not self._ends():
            self.bounding.prepare()
            self._look_for_witness(_WIDTHS)
        passes: tuple[Pass, ...] = (self.bounding, self.hull)
        for pruning in passes:
            if self._ends():
                return
            frontier.prune(pruning.pruned(frontier))

    def _record(self, frontier: ItemFrontier) -> None:
        layer, steps = frontier.layer, len(self.question.plan.steps)
        self.layers.append(
            LayerStats(layer.cut, frontier.side, layer.made, layer.merged, layer.size, layer.beliefs, layer.bound)
        )
        self.budget.hold(layer.size + layer.beliefs)
        if self.report is not None and not self._ends():
            done = self.above.layer.cut + steps - self.below.layer.cut
            best = self.certificate.best
            value, path = (None, None) if best is None else (best.value, best.path)
            self.report(Progress(done, steps, value, self.certificate.bound, path))

    def _meet(self) -> None:
        """Offer the best of all prefixes with all suffixes."""
        above, below = self.above, self.below
        best = self.certificate.best
        met = meet(self.question, above.layer, below.layer, self.certificate.value, self.budget)
        if met is not None and met.items is not None:
            path = Path((*above.path(met.items[0]), *below.path(met.items[1])))
            self.certificate.offer(met.value, lambda: path, above.layer.cut)
        elif met is not None and best is not None:
            self.certificate.offer(met.value, lambda: best.path, best.cut)

    def _look_for_witness(self, widths: Sequence[int]) -> None:
        for value, path in quick_witness(self.question, widths, self.budget):
            self._offer(value, path)
            if self.certificate.settled:
                return

    def _offer(self, value: Any, path: Path) -> None:
        self.certificate.offer(value, lambda: path, len(self.question.plan.steps))

    def _complete_certificate(self, bare: bool) -> None:
        """Complete the interval of a stopped search, within a grace: find limits and a better witness."""
        self.budget.stopped = None
        self.bounding.prepare()
        if bare and not self._ends():
            self._look_for_witness(_WIDTHS[:1])

    # -- which side is cheaper -------------------------------------------------------------------------------------

    def _goes_down(self) -> bool:
        """Return True if the next step is taken from the top: if that is cheaper.

        Bounds are known at cuts before inputs. So the last step, if it reads an input, is taken from the bottom as soon
        as bounds matter: the two sides then meet where both have been pruned.
        """
        cut = self.above.layer.cut
        last = cut + 1 == self.below.layer.cut
        if last and self.bounding.limits is not None and self.question.plan.steps[cut].kind == "input":
            return False
        return self._cost_down() <= self._cost_up()

    def _cost_down(self) -> int:
        layer = self.above.layer
        return sum(
            len(group) * len(self.question.transitions(layer.cut, state)) for (state, _), group in layer.groups.items()
        )

    def _cost_up(self) -> int:
        index = self.below.layer.cut - 1
        sizes: Counter[int] = Counter()
        for (state, _), group in self.below.layer.groups.items():
            sizes[state] += len(group)
        return sum(
            sizes[following] * count
            for state in self.question.states(index)
            for following, count in self.question.transitions(index, state).counts.items()
        )
