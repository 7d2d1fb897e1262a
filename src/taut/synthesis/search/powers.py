"""Powers: a run of equal links is crossed at once, by repeated squaring (Theorem 11).

At a joint a vector has one entry, so an item is a state of the automaton, for each track whether there is mass at all,
and a scale. The effect of a link on such items is a matrix: the best factor from each of them to each. Best factors of
two links are products of theirs at their best, so those of a run of n equal links take log n products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.synthesis.search.frontier import Group, ItemFrontier, Key, Layer, Pool
from taut.synthesis.search.question import Choice, SearchBudget, SearchQuestion
from taut.synthesis.search.step import step_down

__all__ = ["Powers", "Way"]

Place = tuple[int, tuple[int, ...]]
"""A state, and for each track 1 if there is mass, else 0."""
_LARGE = 2_000
"""Number of items within a link beyond which an ordinary search is quicker than squaring."""
_LONG = 4
"""Number of equal links in a row from which squaring pays."""


@dataclass(frozen=True)
class Way:
    """Choices one after the other: those of one link, or of one way and then of another."""

    parts: tuple[Any, ...]

    def choices(self) -> Iterator[Choice]:
        """Yield all choices, from the top down."""
        stack: list[Any] = [self]
        while stack:
            part = stack.pop()
            if isinstance(part, Way):
                stack.extend(reversed(part.parts))
            else:
                yield part


Matrix = Mapping[Place, Mapping[Place, tuple[Any, Way]]]
"""From every place to those that can be reached, with the best factor and the way that has it."""


@dataclass(frozen=True)
class _Run:
    """Equal links in a row: their common kind, the steps of one, and their number."""

    signature: Any
    steps: int
    count: int


class Powers:
    """The runs of equal links in a plan, and their effect on a layer."""

    def __init__(self, question: SearchQuestion, budget: SearchBudget) -> None:
        self.question = question
        self.budget = budget
        self._runs = self._found()
        self._known: dict[Any, list[Matrix] | None] = {}

    def layer(self, above: Layer, stop: int) -> Layer | None:
        """Return the layer behind the run that begins at a layer of beliefs, and ends at a cut or before.

        None if no run does, if its links are large, or if the budget is exhausted.
        """
        run = self._runs.get(above.cut)
        if run is None or above.cut + run.steps * run.count > stop:
            return None
        squares = self._squares(run, above.cut)
        if squares is None:
            return None
        return self._behind(above, run, self._power(squares, run.count))

    def _found(self) -> dict[int, _Run]:
        """Return the runs, by the cuts at which they begin."""
        automaton, inputs_above = self.question.automaton, self.question.inputs_above
        runs: dict[int, _Run] = {}
        begin, last, following = -1, None, -1
        for cut, link in self.question.plan.links.items():
            first, stop = inputs_above[cut], inputs_above[cut + link.steps]
            layers = tuple([id(layer) for layer in automaton.transitions[first:stop]])
            signature = (link.kind, layers, automaton.states[first], automaton.states[stop])
            if signature == last and cut == following:
                run = runs[begin]
                runs[begin] = _Run(run.signature, run.steps, run.count + 1)
            else:
                begin, last = cut, signature
                runs[begin] = _Run(signature, link.steps, 1)
            following = cut + link.steps
        return {cut: run for cut, run in runs.items() if run.count >= _LONG}

    def _squares(self, run: _Run, cut: int) -> list[Matrix] | None:
        """Return the matrix of a link, its square, the square of that, and so on; None if the link is too large."""
        if run.signature not in self._known:
            matrix = self._matrix(cut, run.steps)
            if matrix is None and self.budget.exhausted():
                return None
            self._known[run.signature] = None if matrix is None else [matrix]
        squares = self._known[run.signature]
        while squares is not None and 2 ** len(squares) <= run.count:
            squares.append(self._product(squares[-1], squares[-1]))
        return squares

    def _matrix(self, cut: int, steps: int) -> Matrix | None:
        """Return the effect of one link on every place."""
        matrix: dict[Place, Mapping[Place, tuple[Any, Way]]] = {}
        waiting: list[Place] = [(state, (1,) * len(self.question.tracks)) for state in self.question.states(cut)]
        while waiting:
            place = waiting.pop()
            if place not in matrix:
                row = self._row(place, cut, steps)
                if row is None:
                    return None
                matrix[place] = row
                waiting.extend(row)
        return matrix

    def _row(self, place: Place, cut: int, steps: int) -> dict[Place, tuple[Any, Way]] | None:
        question = self.question
        if any(step.finished for step in question.plan.steps[cut : cut + steps]):
            return None
        frontier = ItemFrontier("down", _layer_of(question, cut, {place: (question.arithmetic.unit, 0, (0, 0))}))
        for _ in range(steps):
            layer = step_down(question, frontier.layer, self.budget)
            if layer is None or layer.size > _LARGE:
                return None
            frontier.extend(layer)
        return {reached: (scale, Way(tuple(frontier.path(item)))) for reached, scale, item in _places(frontier.layer)}

    def _product(self, first: Matrix, second: Matrix) -> Matrix:
        """Return both links one after the other: for every two places the best over the places between them."""
        product: dict[Place, Mapping[Place, tuple[Any, Way]]] = {}
        for place, row in first.items():
            ways: dict[Place, tuple[Any, Way]] = {}
            for between, (scale, way) in row.items():
                for reached, (more, onward) in second[between].items():
                    self._offer(ways, reached, scale * more, Way((way, onward)))
            product[place] = ways
        return product

    def _power(self, squares: list[Matrix], count: int) -> Matrix:
        power: Matrix | None = None
        for exponent, square in enumerate(squares):
            if count >> exponent & 1:
                power = square if power is None else self._product(power, square)
        assert power is not None
        return power

    def _offer(self, ways: dict[Place, tuple[Any, Any]], place: Place, scale: Any, way: Any) -> None:
        """Merging (Theorem 2): of two scales the better stays."""
        known = ways.get(place)
        if known is None:
            ways[place] = (scale, way)
        elif self.question.beats(scale, known[0]):
            ways[place] = (self.question.better(known[0], scale), way)
        elif self.question.plan.balls:
            ways[place] = (self.question.better(known[0], scale), known[1])

    def _behind(self, above: Layer, run: _Run, power: Matrix) -> Layer:
        reached: dict[Place, tuple[Any, Any]] = {}
        made = 0
        for place, scale, item in _places(above):
            for following, (factor, way) in power[place].items():
                self._offer(reached, following, scale * factor, (item, way))
                made += 1
        items = {place: (scale, *origin) for place, (scale, origin) in reached.items()}
        return _layer_of(self.question, above.cut + run.steps * run.count, items, made)


def _places(layer: Layer) -> Iterator[tuple[Place, Any, int]]:
    """Yield the items of a layer at a joint: their places, scales and numbers."""
    for (state, block), group in layer.groups.items():
        rows = layer.pools[block].rows
        for number, scale in enumerate(group.scales.tolist()):
            pattern = tuple([1 if rows[vector][0] else 0 for vector in group.ids[:, number].tolist()])
            yield (state, pattern), scale, group.start + number


def _layer_of(question: SearchQuestion, cut: int, items: Mapping[Place, tuple[Any, int, Any]], made: int = 0) -> Layer:
    """Return a layer at a joint: for each place a scale, the item that it comes from, and the choices since."""
    pool = Pool(question.arithmetic, 1)
    number = {1: int(pool.intern([[1]])[0][0])}
    if any(0 in pattern for _, pattern in items):
        number[0] = int(pool.intern([[0]])[0][0])
    groups: dict[Key, Group] = {}
    start = 0
    for state in sorted({state for state, _ in items}):
        own = [(pattern, *item) for (here, pattern), item in items.items() if here == state]
        scales, ways = np.empty(len(own), dtype=object), np.empty(len(own), dtype=object)
        ids = np.array([[number[entry] for entry in pattern] for pattern, *_ in own], dtype=np.int64).T
        parents = np.array([parent for _, _, parent, _ in own], dtype=np.int64)
        for place, (_, scale, _, way) in enumerate(own):
            scales[place], ways[place] = scale, way
        groups[state, 0] = Group(ids, scales, parents, ways, start)
        start += len(own)
    return Layer(cut, {0: pool}, groups, made, start).compact()
