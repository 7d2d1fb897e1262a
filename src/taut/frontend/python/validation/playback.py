"""One run of the user's function with the coins of its reading: each draw that Python makes is found in the reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.frontend.python.distributions import DISTRIBUTIONS, Distribution
from taut.frontend.python.drawlog import Draw
from taut.frontend.python.scripted import Position, ScriptEnds
from taut.frontend.python.validation.agreement import has_floats, same_distribution
from taut.frontend.python.validation.choices import Chooser
from taut.ir import Coin, Evaluation, Program, Tables, Term

__all__ = ["DrawLog", "Playback"]

_MOST_KEPT = 10_000


class DrawLog:
    """The draws of a reading, prepared for many runs."""

    def __init__(self, program: Program, draws: Sequence[Draw]) -> None:
        self.draws = draws
        self.coins = program.coins
        self.always = program.terms.true
        self.positions = [_position(draw) for draw in draws]
        self.places = frozenset(self.positions) - {None}
        self.tables: Tables = {}
        self._rows: dict[int, dict[Any, tuple[Distribution, Term]]] = {}
        self._distributions: dict[Any, Distribution] = {}

    def row(self, place: int, key: Any) -> tuple[Distribution, Term] | None:
        """The distribution and the toss of a draw whose parameters have these values."""
        rows = self._rows.get(place)
        if rows is None:
            rows = self._rows[place] = {known: (row, toss) for known, row, toss in self.draws[place].rows}
        return rows.get(key)

    def distribution(self, name: str, arguments: tuple[Any, ...]) -> Distribution:
        """What Python draws from, given the arguments that it computed."""
        key = (name, *[tuple(value) if isinstance(value, list) else value for value in arguments])
        try:
            found = self._distributions.get(key)
        except TypeError:
            return DISTRIBUTIONS[name](*arguments)
        if found is None:
            found = DISTRIBUTIONS[name](*arguments)
            if len(self._distributions) < _MOST_KEPT:
                self._distributions[key] = found
        return found


class Playback:
    """A script for one run: the next draw of the reading whose condition is true decides what Python draws.

    A draw of Python may be answered by any draw of the reading that stands at the same place (where Python tells the
    place, and the reading knows it), has the same distribution, happens in this run, and has not answered before. So
    each draw of Python is decided by a coin of its own with the right weights. If there is none, the run ends: the
    reading lacks that draw. Draws of the reading that Python does not make decide nothing, or the results differ.
    """

    def __init__(self, log: DrawLog, entries: Sequence[Any], chooser: Chooser) -> None:
        self.evaluation = Evaluation(entries, self._choose, log.tables)
        self.shown: list[tuple[str, Position | None, Any]] = []
        self.lacking: tuple[str, tuple[Any, ...], Position | None] | None = None
        self.adapted = True
        """Whether every coin was free when Python asked for it."""
        self._log = log
        self._chooser = chooser
        self._next = 0
        self._passed: list[int] = []

    def _choose(self, coin: int) -> Any:
        outcomes = self._log.coins[coin].outcomes
        return outcomes[self._chooser.choose(len(outcomes))]

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        log = self._log
        found = None
        if not self._passed and self._next < len(log.draws):  # as a rule the next draw of the reading is the one
            expected = log.draws[self._next]
            if (
                expected.condition is log.always
                and expected.name == name
                and log.positions[self._next] == position
                and expected.arguments == arguments
                and name != "discrete"
            ):
                self._next += 1
                found = expected.rows[0][1:]
        if found is None:
            found = self._find(name, arguments, position if position in log.places else None)
        if found is None:
            self.lacking = (name, arguments, position)
            raise ScriptEnds
        _, toss = found
        if type(toss) is Coin and toss.index in self.evaluation.coins:
            self.adapted = False
        outcome = self.evaluation.value(toss)
        self.shown.append((name, position, outcome))
        return outcome

    def _find(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        for order, place in enumerate(self._passed):
            found = self._answer(place, name, arguments, position)
            if found is not None:
                del self._passed[order]
                return found
        draws = self._log.draws
        while self._next < len(draws):
            place = self._next
            self._next += 1
            if self.evaluation.value(draws[place].condition) is not True:
                continue
            found = self._answer(place, name, arguments, position)
            if found is not None:
                return found
            self._passed.append(place)
        return self._find(name, arguments, None) if position is not None else None

    def _answer(
        self, place: int, name: str, arguments: tuple[Any, ...], position: Position | None
    ) -> tuple[Distribution, Term] | None:
        """The distribution and toss of a draw that happens, if it is the one that Python makes."""
        draw = self._log.draws[place]
        if draw.name != name or (position is not None and self._log.positions[place] != position):
            return None
        if draw.index is None:
            (_, row, toss), *_ = draw.rows
            if name != "discrete" and arguments == draw.arguments:
                return row, toss
        else:
            chosen = self._log.row(place, self.evaluation.value(draw.index))
            if chosen is None:
                return None
            row, toss = chosen
        ran = self._log.distribution(name, arguments)
        return (row, toss) if same_distribution(row, ran, has_floats(arguments)) else None


def _position(draw: Draw) -> Position | None:
    place = draw.place
    return None if place is None else (place.file, place.line, place.column - 1)
