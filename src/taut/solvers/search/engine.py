"""The search: prefixes from the top, suffixes from the bottom, whichever is cheaper, until they meet."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.solvers.search.beam import quick_witness
from taut.solvers.search.hull import hull_pruned
from taut.solvers.search.layer import NOWHERE, Layer, Question, State, first_layer, last_layer, step_down, step_up
from taut.solvers.search.limits import Extremes, RevealedLimits, limits_of
from taut.solvers.search.meet import meet
from taut.solvers.search.plan import FINISHED
from taut.solvers.search.pool import log_of
from taut.solvers.search.witness import Path, anyhow_down, anyhow_up, complete_down, complete_up, some_path, value_of

__all__ = ["Found", "LayerStats", "Progress", "Search"]

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_WIDTH = 48
"""Items a state and block that the quick search for a witness keeps."""
_HULL_PAYS = 0.9
"""Dominated items are looked for as long as at least a tenth is found, and in at most half of all time."""
_LARGE = 2_000
"""Items in a layer from which a witness and bounds are worth their time."""


_GRACE = 0.5
"""Seconds for limits and a witness after a search was stopped before it had them."""


@dataclass(frozen=True)
class Progress:
    """How far a search is: cuts done, cuts in all, and the certified interval as far as it is known."""

    done: int
    total: int
    value: Any
    bound: Any


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
class Found:
    """What a search ends with.

    ``value`` is attained by ``path`` (None is infinity); nothing is beyond ``bound``, in the same scale. If
    ``stopped`` is None the two are equal.
    """

    value: Any
    path: Path
    bound: Any
    stopped: str | None
    decided_at: int
    layers: tuple[LayerStats, ...]


class _Enough(Exception):
    """Time or room is used up."""


class _Done(Exception):
    """No value can be better."""


@dataclass
class _Side:
    """The last layer from one side, and the trail of all before it."""

    layer: Layer
    trail: list[tuple[Ids, Ids]] = field(default_factory=list)

    def extend(self, layer: Layer) -> None:
        groups = sorted(layer.groups.values(), key=lambda group: group.start)
        nothing = np.zeros(0, dtype=np.int64)
        parents = np.concatenate([group.parents for group in groups] or [nothing])
        choices = np.concatenate([group.choices for group in groups] or [nothing])
        self.trail.append((parents, choices))
        self.layer = layer

    def path(self, item: int) -> list[int]:
        """The choices that led to an item of the last layer, the latest first."""
        found: list[int] = []
        for parents, choices in reversed(self.trail):
            if item == NOWHERE:
                break
            found.append(int(choices[item]))
            item = int(parents[item])
        return found


class Search:
    """One question, searched once."""

    def __init__(
        self,
        question: Question,
        max_beliefs: int,
        deadline: float | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> None:
        self.question = question
        self.max_beliefs = max_beliefs
        self.deadline = deadline
        self.report = report
        self.free = question.pairing.free
        self.value: Any = None
        self.path: Path | None = None
        self.decided_at = 0
        self.limits: RevealedLimits | Extremes | None = None
        self.open = {"down": math.inf, "up": math.inf}
        self.layers: list[LayerStats] = []
        self.above = _Side(first_layer(question))
        self.below = _Side(last_layer(question))
        self._started = time.perf_counter()
        self._hull_seconds = 0.0
        self._hull_pays = True
        self._counts: dict[tuple[int, int], Counter[int]] = {}

    def run(self) -> Found:
        """Search until the answer is exact, or time, room or patience is used up."""
        stopped = None
        try:
            self._run()
        except _Done:
            pass
        except _Enough as enough:
            stopped = str(enough)
        except KeyboardInterrupt:
            stopped = "interrupted"
        bare = self.path is None
        if bare:
            path = some_path(self.question)
            self._keep(value_of(self.question, path), path, len(self.question.plan.steps))
        if stopped is not None:
            try:
                self._give_account(bare)
            except _Done:
                stopped = None
            except (_Enough, KeyboardInterrupt):
                pass
        assert self.path is not None
        bound = self.value if stopped is None else self._certified()
        exact = stopped is None or self._meets(bound)
        return Found(self.value, self.path, bound, None if exact else stopped, self.decided_at, tuple(self.layers))

    def _give_account(self, bare: bool) -> None:
        """What an interval needs, within a grace: limits, and a witness that is better than any."""
        if self.value is None or (self.value == 0 and not self.question.largest):
            raise _Done
        self.deadline = time.perf_counter() + _GRACE
        if self.limits is None:
            self.limits = limits_of(self.question, self._check)
        if bare:
            self._take_quick_witness(_WIDTH // 6, self._check)

    # -- the loop ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        question = self.question
        while self.above.layer.cut < self.below.layer.cut:
            self._check()
            if self._goes_down():
                self._advance("down", self.above, step_down(question, self.above.layer, self._check))
            else:
                self._advance("up", self.below, step_up(question, self.below.layer, self._check))
        met = meet(question, self.above.layer, self.below.layer, self.value, self._check)
        if met is not None and met.above != NOWHERE:
            path = Path((*self.above.path(met.above)[::-1], *self.below.path(met.below)))
            self._keep(met.value, path, self.above.layer.cut)
        elif met is not None:
            self.value = met.value

    def _advance(self, name: str, side: _Side, layer: Layer) -> None:
        merged = layer.size
        side.extend(layer)
        trimmed = self._closed(side, layer, name)
        if merged > _LARGE and self.limits is None:
            self.limits = limits_of(self.question, self._check)
            self._take_quick_witness(_WIDTH, self._check)
            if self._meets(self.limits.overall):
                raise _Done
        bound = None
        if self.limits is not None:
            trimmed, bound = self._pruned(trimmed, name)
            trimmed = self._hulled(trimmed) if bound is not None else trimmed
        if trimmed is not layer:
            side.trail.pop()
            side.extend(trimmed)
        self.layers.append(LayerStats(layer.cut, name, layer.made, merged, trimmed.size, trimmed.beliefs, bound))
        if trimmed.size + trimmed.beliefs > self.max_beliefs:
            raise _Enough(f"max_beliefs={self.max_beliefs}")
        if self.report is not None:
            done = self.above.layer.cut + len(self.question.plan.steps) - self.below.layer.cut
            self.report(Progress(done, len(self.question.plan.steps), self.value, self._certified()))

    def _check(self) -> None:
        if self.deadline is not None and time.perf_counter() > self.deadline:
            raise _Enough("time_limit")

    def _goes_down(self) -> bool:
        """Whether the next step is taken from the top: if that is cheaper.

        Bounds are known at cuts before inputs. So the last step, if it reads an input, is taken from the bottom as soon
        as bounds matter: the two sides then meet where both have been pruned.
        """
        last = self.above.layer.cut + 1 == self.below.layer.cut
        if last and self.limits is not None and self.question.plan.steps[self.above.layer.cut].kind == "input":
            return False
        return self._cost_down() <= self._cost_up()

    def _cost_down(self) -> int:
        layer = self.above.layer
        return sum(
            len(group) * len(self.question.turns(layer.cut, state)) for (state, _), group in layer.groups.items()
        )

    def _cost_up(self) -> int:
        layer, place = self.below.layer, self.below.layer.cut - 1
        sizes: Counter[int] = Counter()
        for (state, _), group in layer.groups.items():
            sizes[state] += len(group)
        total = 0
        for state in self.question.pairing.states[self.question.reads[place]]:
            key = (place, state)
            if key not in self._counts:
                self._counts[key] = Counter(turn[2] for turn in self.question.turns(place, state))
            total += sum(count * sizes[following] for following, count in self._counts[key].items())
        return total

    # -- what is finished ----------------------------------------------------------------------------------------

    def _closed(self, side: _Side, layer: Layer, name: str) -> Layer:
        """The layer without items whose value is known: equal beliefs and no more differences, or nothing against."""
        if not self.question.largest:
            if self.free:
                self._take_nothing(side, layer, name)
            return layer
        if self.question.pairing.sides == 1:
            return layer
        pairing = self.question.pairing
        same = (pairing.same_after if name == "down" else pairing.same_before)[self.question.reads[layer.cut]]
        doomed: dict[State, Mask] = {}
        for (state, block), group in layer.groups.items():
            finished = block == FINISHED
            endless = layer.pools[block].zero[group.ids[1]]
            if endless.any() and (self.free or finished):
                self._take(side, name, (state, block), int(endless.argmax()), None)
                raise _Done
            inert = name == "down" and (finished or self._inert(layer.cut, block))
            if (self.free and (state in same or inert)) or finished:
                equal = np.all(group.ids[0::2] == group.ids[1::2], axis=0)
                if equal.any():
                    self._take_best(side, name, (state, block), np.flatnonzero(equal))
                    doomed[state, block] = ~equal
        if not doomed:
            return layer
        return layer.kept(lambda state, group: doomed.get(state, np.ones(len(group), dtype=bool)))

    def _take_nothing(self, side: _Side, layer: Layer, name: str) -> None:
        """Minimising, an item without mass cannot be beaten."""
        for state, group in layer.groups.items():
            empty = layer.pools[state[1]].zero[group.ids[0]]
            if empty.any():
                self._take(side, name, state, int(empty.argmax()), self.question.arithmetic.unit * 0)
                raise _Done

    def _inert(self, cut: int, block: int) -> bool:
        return not any(node in self.question.plan.reading for node in self.question.plan.cuts[cut][block])

    def _take_best(self, side: _Side, name: str, state: State, items: Ids) -> None:
        group = side.layer.groups[state]
        rows = side.layer.pools[state[1]].rows
        arithmetic = self.question.arithmetic
        for item in items.tolist():
            value = group.scales[item]
            if self.question.plan.balls:
                for ids in group.ids[0::2]:
                    value = value * arithmetic.spread(rows[int(ids[item])])
            if self._beats(value):
                self._take(side, name, state, item, value)
            elif self.question.plan.balls and self.value is not None:
                self.value = self.question.better(self.value, value)

    def _beats(self, value: Any) -> bool:
        """Whether a value is better than the best one; nothing is better than infinity."""
        if self.path is None:
            return True
        if self.value is None or value is None:
            return self.value is not None
        return self.question.beats(value, self.value)

    def _take(self, side: _Side, name: str, state: State, item: int, value: Any) -> None:
        """Complete an item, whose value no longer depends on how, to a whole witness."""
        layer = side.layer
        group = layer.groups[state]
        vector = layer.pools[state[1]].rows[int(group.ids[0][item])]
        path = side.path(group.start + item)
        rest: list[int] = []
        if state[1] != FINISHED and any(vector):
            complete = complete_down if name == "down" else complete_up
            rest = complete(self.question, layer.cut, *state, vector)
        elif state[1] != FINISHED:
            rest = (anyhow_down if name == "down" else anyhow_up)(self.question, layer.cut, state[0])
        joined = self.question.plan.balls and self.value is not None and value is not None
        value = self.question.better(self.value, value) if joined else value
        self._keep(value, Path((*path[::-1], *rest) if name == "down" else (*rest, *path)), layer.cut)

    def _keep(self, value: Any, path: Path, cut: int) -> None:
        """The best so far; one assignment, so that an interruption cannot part a value from its path."""
        self.value, self.path, self.decided_at = value, path, cut

    # -- bounds --------------------------------------------------------------------------------------------------

    def _take_quick_witness(self, width: int, check: Callable[[], None]) -> None:
        for value, path in quick_witness(self.question, check, width):
            if self._beats(value):
                self._keep(value, path, len(self.question.plan.steps))
                if value is None or (not self.question.largest and value == 0):
                    raise _Done

    def _hulled(self, layer: Layer) -> Layer:
        """The layer without dominated items, as long as looking for them pays."""
        conditioned = len(self.question.tracks) != self.question.pairing.sides
        if layer.size < _LARGE or conditioned or self.question.plan.balls or not self._hull_pays:
            return layer
        start = time.perf_counter()
        pruned = hull_pruned(self.question, layer, self._check)
        self._hull_seconds += time.perf_counter() - start
        worth = pruned.size < _HULL_PAYS * layer.size
        self._hull_pays = worth and self._hull_seconds < (time.perf_counter() - self._started) / 2
        return pruned

    def _meets(self, bound: Any) -> bool:
        """Whether the best value so far is as good as a bound says that values can be."""
        if bound is None or self.value is None or self.path is None or self.question.plan.balls:
            return False
        return bool(bound == Fraction(int(self.value.p), int(self.value.q)))

    def _pruned(self, layer: Layer, name: str) -> tuple[Layer, float | None]:
        """The layer without items that cannot beat the best value, and the largest bound of the others."""
        assert self.limits is not None
        limits: dict[State, npt.NDArray[np.float64]] = {}
        for state, group in layer.groups.items():
            found = self.limits.down(layer, state, group) if name == "down" else self.limits.up(layer, state, group)
            if found is None:
                return layer, None
            limits[state] = found
        sign = 1.0 if self.question.largest else -1.0
        best = sign * log_of(self.value) if self.path is not None else -math.inf
        masks = {state: sign * found > best for state, found in limits.items()}
        left = [float((sign * found[masks[state]]).max()) for state, found in limits.items() if masks[state].any()]
        bound = max([best, *left])
        self.open[name] = min(self.open[name], bound)
        if all(mask.all() for mask in masks.values()):
            return layer, bound
        return layer.kept(lambda state, group: masks[state]), bound

    def _certified(self) -> Any:
        """What nothing is beyond: exact where the hidden state revealed says as much, else rounded outwards.

        None where nothing is known: for quotients that is infinity.
        """
        if self.limits is None:
            return None
        overall = self.limits.overall
        sign = 1 if self.question.largest else -1
        known = min(self.open.values())
        if overall in (0, math.inf):
            return overall if overall == 0 else (None if known == math.inf else _rounded_out(known, 1))
        if known >= sign * log_of(overall) - 1e-8:
            return overall
        return _rounded_out(sign * known, sign)


def _rounded_out(logarithm: float, sign: int) -> Fraction:
    """e to a power, as a number that is certainly not smaller (or not larger)."""
    twos = math.floor(logarithm / math.log(2.0))
    near = Fraction(math.exp(logarithm - twos * math.log(2.0))) * Fraction(2) ** twos
    return near * (1 + sign * Fraction(1, 10**9))
