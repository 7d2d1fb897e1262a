"""Playback: one run of the user's function with the coins of its reading; each Python draw is matched to one there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import is_
from typing import Any

from taut.languages.python.distributions import DISTRIBUTIONS, Distribution, with_ends
from taut.languages.python.logs import Around, Chain, Draw, Weighed
from taut.languages.python.scripted import Position, ScriptEnds
from taut.languages.python.validation.choices import Chooser
from taut.languages.python.validation.result import equal_distributions, same_distribution
from taut.program import Coin, Const, Evaluation, Program, Tables, Term
from taut.program.noise import Shifted
from taut.program.operations import typed
from taut.support.exact import surely_zero

__all__ = ["ANYTHING", "DrawLog", "Playback", "place_of"]

_MOST_KEPT = 10_000
_KEPT = 1 << 10
_LONG = 64
"""Number of weights above which distributions are not cached: hashing them costs more than making them."""


class DrawLog:
    """The draws of a reading, prepared for many runs."""

    def __init__(self, program: Program, draws: Sequence[Draw]) -> None:
        self.draws = draws
        self.coins = program.coins
        self.window = None if program.ends is None else program.ends.window
        self.always = program.terms.true
        self.positions = [_position(draw) for draw in draws]
        self.places = frozenset(self.positions) - {None}
        weighed = [draw.chain for draw in draws if isinstance(draw.chain, Weighed)]
        self.accepted = {coin.index for one in weighed for coin in one.accepted.values() if isinstance(coin, Coin)}
        """Coins that show whether a candidate is accepted, which it is in every run by Python."""
        self.tables: Tables = {}
        self.checked: dict[int, tuple[Any, ...]] = {}
        """The arguments with which each draw's coin has been compared."""
        self.weights = 0
        """Number of weights in long distributions that Python has drawn from."""
        self._tosses: dict[int, dict[Any, Term]] = {}
        self._agreed: dict[Term, Distribution] = {}
        self._distributions: dict[Any, Distribution] = {}
        self._last: tuple[str, tuple[Any, ...], Distribution] = ("", (), ((), ()))
        self._long: tuple[str, list[Any], Distribution] = ("", [], ((), ()))

    def toss(self, place: int, key: Any) -> Term | None:
        """Return the toss of a draw for these parameter values."""
        tosses = self._tosses.get(place)
        if tosses is None:
            tosses = self._tosses[place] = dict(self.draws[place].tosses)
        return tosses.get(key)

    def row(self, toss: Term) -> Distribution:
        """Return the distribution of a toss in the program."""
        if isinstance(toss, Coin):
            coin = self.coins[toss.index]
            return coin.outcomes, coin.weights
        assert isinstance(toss, Const)
        return (toss.value,), (Fraction(1),)

    def agrees(self, toss: Term, ran: Distribution, arguments: tuple[Any, ...]) -> bool:
        """Return True if a toss has the distribution that Python draws from; a long one is compared once."""
        if self._agreed.get(toss) is ran:
            return True
        read = self.row(toss)
        if len(ran[0]) > _LONG and equal_distributions(read, ran):
            self._agreed[toss] = ran
            return True
        return same_distribution(read, ran, arguments)

    def distribution(self, name: str, arguments: tuple[Any, ...]) -> Distribution:
        """Return the distribution for the arguments that Python computed, without ends in the reading's window."""
        arguments = tuple(with_ends(name, arguments, self.window))
        if name in _SIMPLE and self._last[0] == name and self._last[1] == arguments:
            return self._last[2]
        if any(isinstance(value, (list, dict)) and len(value) > _LONG for value in arguments):
            return self._long_distribution(name, arguments)
        key = (name, *[tuple(value) if isinstance(value, list) else value for value in arguments])
        try:
            found = self._distributions.get(key)
        except TypeError:
            return DISTRIBUTIONS[name](*arguments)
        if found is None:
            found = DISTRIBUTIONS[name](*arguments)
            if len(self._distributions) < _MOST_KEPT:
                self._distributions[key] = found
        self._last = (name, arguments, found)
        return found

    def _long_distribution(self, name: str, arguments: tuple[Any, ...]) -> Distribution:
        """Return the same for many weights, cached for identical objects."""
        items: list[Any] = []
        self.weights += sum(len(value) for value in arguments if isinstance(value, (list, dict)))
        for value in arguments:
            if isinstance(value, dict):
                items += [dict, *value, *value.values()]
            else:
                items += [list, *value] if isinstance(value, list) else [value]
        if name != self._long[0] or len(items) != len(self._long[1]) or not all(map(is_, items, self._long[1])):
            plain = len(items) <= _KEPT and all(type(item) in (int, str, Fraction, type) for item in items)
            key = (name, *map(typed, items)) if plain else None
            found = self._distributions.get(key) if plain else None
            if found is None:
                found = DISTRIBUTIONS[name](*arguments)
                if plain and len(self._distributions) < _MOST_KEPT:
                    self._distributions[key] = found
            self._long = (name, items, found)
        return self._long[2]


class Playback:
    """A script for one run: the next draw of the reading with a true condition decides Python's draw.

    A draw of Python may be answered by any draw of the reading that stands at the same place (where Python tells the
    place, and the reading knows it), has the same distribution, happens in this run, and has not answered before. So
    each draw of Python is decided by a coin of its own with the right weights. If there is none, the run ends: the
    reading lacks that draw. Draws of the reading that Python does not make decide nothing, or the results differ.
    Coins that are ``decided`` show what they showed in an earlier run. A draw shows what is ``wanted`` of it, in the
    order in which Python draws, where its coin is free and has that outcome.
    """

    def __init__(
        self,
        log: DrawLog,
        entries: Sequence[Any],
        chooser: Chooser,
        decided: Mapping[int, Any] | None = None,
        wanted: Sequence[Any] = (),
    ) -> None:
        self.evaluation = Evaluation(entries, self._choose, log.tables)
        self.shown: list[tuple[str, Position | None, Any]] = []
        self.lacking: tuple[str, tuple[Any, ...], Position | None] | None = None
        self.adapted = True
        """True if every coin was undecided when Python drew it."""
        self._log = log
        self._chooser = chooser
        self._decided = decided or {}
        self._wanted = wanted
        self._steered: dict[int, Any] = {}
        self._next = 0
        self._passed: list[int] = []

    def _choose(self, coin: int) -> Any:
        if coin in self._log.accepted:
            return True
        if coin in self._decided:
            return self._decided[coin]
        if coin in self._steered:
            return self._steered[coin]
        outcomes = self._log.coins[coin].outcomes
        return outcomes[self._chooser.choose(len(outcomes))]

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        log = self._log
        toss = None
        if not self._passed and self._next < len(log.draws):  # as a rule the next draw of the reading is the one
            expected = log.draws[self._next]
            if (
                expected.condition is log.always
                and expected.name == name
                and log.positions[self._next] == position
                and log.checked.get(self._next) == arguments
            ):
                self._next += 1
                toss = expected.tosses[0][1]
        if toss is None:
            toss = self._find(name, arguments, position if position in log.places else None)
        if toss is None:
            self.lacking = (name, arguments, position)
            raise ScriptEnds
        if type(toss) is Coin:
            if toss.index in self.evaluation.coins:
                self.adapted = False
            elif self._want is not ANYTHING:
                place = place_of(log.coins[toss.index].outcomes, self._want)
                if place is not None:
                    self._steered[toss.index] = log.coins[toss.index].outcomes[place]
        outcome = self.evaluation.value(toss)
        self.shown.append((name, position, outcome))
        return outcome

    @property
    def _want(self) -> Any:
        """Return the wanted outcome of the current draw."""
        return self._wanted[len(self.shown)] if len(self.shown) < len(self._wanted) else ANYTHING

    def _find(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Term | None:
        for order, place in enumerate(self._passed):
            toss = self._answer(place, name, arguments, position)
            if toss is not None:
                del self._passed[order]
                return toss
        draws = self._log.draws
        while self._next < len(draws):
            place = self._next
            self._next += 1
            if self.evaluation.value(draws[place].condition) is not True:
                continue
            toss = self._answer(place, name, arguments, position)
            if toss is not None:
                return toss
            self._passed.append(place)
        return self._find(name, arguments, None) if position is not None else None

    def _answer(self, place: int, name: str, arguments: tuple[Any, ...], position: Position | None) -> Term | None:
        """Return the toss of the reading's draw if it matches Python's draw, else None."""
        log = self._log
        draw = log.draws[place]
        if draw.name != name or (position is not None and log.positions[place] != position):
            return None
        if isinstance(draw.chain, Around):
            return self._around(draw.chain, log.distribution(name, arguments))
        if isinstance(draw.chain, Weighed):
            return self._weighed(draw.chain, log.distribution(name, arguments), arguments)
        if isinstance(draw.chain, Chain):
            return self._chosen(draw.chain, log.distribution(name, arguments), arguments)
        toss = draw.tosses[0][1] if draw.index is None else log.toss(place, self.evaluation.value(draw.index))
        if toss is None:
            return None
        if not log.agrees(toss, log.distribution(name, arguments), arguments):
            return None
        if draw.index is None and name in _SIMPLE:
            log.checked[place] = arguments
        return toss

    def _chosen(self, chain: Chain, expected: Distribution, arguments: tuple[Any, ...]) -> Term | None:
        """Return the choice of a chain of coins if its distribution matches Python's, else None."""
        left, weights, asked = Fraction(1), [], []
        last = place_of(chain.outcomes, self._want)
        for step, (index, tosses) in reversed(list(enumerate(chain.steps, start=1))):
            toss = tosses.get(self.evaluation.value(index))
            if toss is None:
                return None
            chances = dict(zip(*self._log.row(toss), strict=True))
            weights.append(left * chances.get(True, 0))
            left = left * chances.get(False, 0)
            if isinstance(toss, Coin):
                asked.append(toss.index)
                if last is not None:
                    self._steered[toss.index] = step == last
        rows = [(one, weight) for one, weight in zip(chain.outcomes, (left, *reversed(weights)), strict=True) if weight]
        drawn = (tuple([one for one, _ in rows]), tuple([weight for _, weight in rows]))
        if not same_distribution(drawn, expected, arguments):
            return None
        if any(coin in self.evaluation.coins for coin in asked):
            self.adapted = False
        return chain.chosen

    def _around(self, draw: Around, expected: Distribution) -> Term | None:
        """Return noise around a centre if it is Python's, else None."""
        coin, weights = draw.coin, expected[1]
        assert isinstance(coin, Coin)
        own = self._log.coins[coin.index].weights
        center = self.evaluation.value(draw.center)
        if not isinstance(own, Shifted) or not isinstance(weights, Shifted) or own.noise.key != weights.noise.key:
            return None
        if (center, draw.low, draw.high) != (weights.center, weights.low, weights.high):
            return None
        if coin.index in self.evaluation.coins:
            self.adapted = False
        if self._want is not ANYTHING and isinstance(self._want, int):
            self._steered[coin.index] = self._want - center
        return draw.value

    def _weighed(self, draw: Weighed, expected: Distribution, arguments: tuple[Any, ...]) -> Term | None:
        """Return the candidate of a weighed draw if its distribution matches Python's, else None."""
        weights = []
        for given in draw.given:
            toss = draw.accepted.get(self.evaluation.value(given))
            if toss is None:
                return None
            weights.append(dict(zip(*self._log.row(toss), strict=True)).get(True, Fraction(0)))
        total = sum(weights[1:], start=weights[0])
        rows = [
            (one, weight / total) for one, weight in zip(draw.outcomes, weights, strict=True) if not surely_zero(weight)
        ]
        drawn = (tuple([one for one, _ in rows]), tuple([weight for _, weight in rows]))
        if not same_distribution(drawn, expected, arguments):
            return None
        assert isinstance(draw.place, Coin)
        if draw.place.index in self.evaluation.coins:
            self.adapted = False
        place = place_of(draw.outcomes, self._want)
        if place is not None:
            self._steered[draw.place.index] = place
        return draw.chosen


ANYTHING = object()
"""Marker for a draw that may have any outcome."""


def place_of(outcomes: Sequence[Any], wanted: Any) -> int | None:
    """Return the index of an outcome, None if it is missing; consecutive integers need no search."""
    if wanted is ANYTHING:
        return None
    first = outcomes[0]
    if type(first) is int and type(wanted) is int:
        place = wanted - first
        if 0 <= place < len(outcomes) and outcomes[place] == wanted:
            return place
    try:
        return outcomes.index(wanted)
    except ValueError:
        return None


_SIMPLE = {"flip", "uniform", "binomial", "geometric", "discrete_laplace", "discrete_gaussian"}
"""Draws with numeric arguments, for which equal arguments mean equal distributions."""


def _position(draw: Draw) -> Position | None:
    place = draw.place
    return None if place is None else (place.file, place.line, place.column - 1)
