"""Symbolic draws: one coin for each distribution that the parameters allow; a run uses one of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import is_
from typing import TYPE_CHECKING, Any, Protocol

from taut.languages.python.conditional_draws import (
    Candidates,
    Weights,
    chain_of_choices,
    separate_candidates,
    weighed_candidates,
    weighed_choice,
)
from taut.languages.python.distributions import (
    DISTRIBUTIONS,
    NOISE,
    Distribution,
    is_open,
    noise_of,
    outside_at_most,
    with_ends,
)
from taut.languages.python.ends import OpenCoin, WindowUnfit, open_values
from taut.languages.python.failures import PathEnds, require_parts
from taut.languages.python.floats import exactly, rounded
from taut.languages.python.logs import Around, Draw
from taut.languages.python.randomness import Rejected, draw_one
from taut.languages.python.tails import FAR
from taut.languages.python.values import (
    Alternatives,
    DictBox,
    DictView,
    IteratorBox,
    ListBox,
    SetBox,
    Symbolic,
    has_symbolic,
    is_scalar,
    kind_of,
)
from taut.program import (
    UNDEFINED,
    Apply,
    Coin,
    CoinVariable,
    Const,
    Evaluation,
    Input,
    IntegerRange,
    OneEntry,
    Term,
    pointwise,
)
from taut.program.noise import Shifted
from taut.program.operations import Operation, typed
from taut.program.program import children, reachable
from taut.program.values import GATHERED, Anything
from taut.support.algebra.expression import Expression
from taut.support.errors import InvalidDistribution, TautError, UnsupportedValue
from taut.support.limits import checkpoints
from taut.support.options import REMAINDER_SHARE, active

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader
from taut.support.exact import Ball, exact_text

__all__ = ["Draws", "Questions"]

_FEW = 64
"""Number of parameter combinations up to which impossible ones are not searched for."""
_MOST_ROWS = 100_000
_FEWEST_SHARED = 8
"""Parameters from which on draws of entries that do the same share their distributions."""
_MOST_CENTERS = 1 << 12
"""Centres of one draw that have coins of their own where they need not."""
_LISTED, _LISTING = 1 << 12, 1 << 14
"""Vectors of weights that have coins of their own where they need not, and nodes that finding them may take."""


class Questions(Protocol):
    """The interface for exact questions about terms, implemented by the compiler of diagrams."""

    def possible(self, event: Term) -> bool: ...

    def surely_impossible(self, event: Term) -> bool: ...

    def values(self, term: Term) -> list[Any]: ...

    def few_values(self, term: Term, most: int, work: int) -> list[Any] | None: ...

    def example(self, event: Term) -> dict[int, Any]: ...

    def run(self, event: Term) -> tuple[dict[int, Any], dict[int, Any]] | bool: ...

    def chance(self, event: Term, entries: Mapping[int, Any]) -> Any: ...

    def most(self, event: Term) -> Any: ...

    @property
    def nodes(self) -> int: ...


class Draws:
    """Draws and observations in the current world; a real run uses real randomness.

    ``log`` has a record of each draw, in the order of reading.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self.log: list[Draw] = []
        self.open: dict[int, OpenCoin] = {}
        """The coins of unbounded noise, clamped to a window of the reader while it reads."""
        self._by_shape: dict[Any, list[Distribution] | None] = {}
        self._rows: dict[Any, dict[tuple[Any, ...], Distribution]] = {}

    def observe(self, event: Any) -> None:
        holds = self.reader.operators.truth(event)
        if self.reader.real:
            if holds is self.terms.false:
                raise Rejected
            return
        happens = self.terms.any(self.terms.negate(self.worlds.world.guard), holds)
        self.worlds.evidence = self.terms.all(self.worlds.evidence, happens)

    def draw(self, name: str, arguments: Sequence[Any]) -> Any:
        """Return a draw from a distribution whose parameters may be random."""
        if not self.reader.may_draw:
            raise UnsupportedValue("a target, distance or predicate must not be random itself; it draws a coin.")
        arguments = [self._listed(argument) for argument in arguments]
        if self.reader.real:
            return self.reader.import_value(draw_one(name, *[self._parameter(argument) for argument in arguments]))
        if not any(has_symbolic(argument) for argument in arguments):
            return self._draw_plainly(name, [self._parameter(argument) for argument in arguments])
        return self._frozen(tuple(arguments), lambda parameters: self._draw_by_parameters(name, parameters))

    def _listed(self, value: Any) -> Any:
        """Collect iterators, views and sets into lists, so that weights and scores may be given by them."""
        if isinstance(value, (IteratorBox, DictView, SetBox)):
            return self.reader.loops.collected(value)
        return value

    def _parameter(self, value: Any) -> Any:
        """Return an ordinary parameter, with a float as its exact number."""
        if isinstance(value, DictBox):
            keys, shares = self._weights(value)
            return {
                rounded(key): exactly(self.reader.foreign.exported(share))
                for key, share in zip(keys, shares, strict=True)
            }
        if isinstance(value, ListBox):
            return [self._parameter(item) for item in self.reader.sequences.items(value)]
        if isinstance(value, tuple):
            return tuple([self._parameter(item) for item in value])
        return exactly(value)

    def _weights(self, box: DictBox) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        order = self.reader.dicts.order(box)
        if order is None or any(box.content[key].present is not self.terms.true for key in order):
            raise UnsupportedValue(
                "the values of a distribution are random here; give every value a weight, 0 where it cannot occur."
            )
        keys = tuple([box.content[key].key for key in order])
        if has_symbolic(keys):
            raise UnsupportedValue("which of several equal values a distribution has, True or 1 say, is random here.")
        return keys, tuple([box.content[key].value for key in order])

    def _frozen(self, value: Any, action: Callable[[Any], Any]) -> Any:
        """Apply ``action`` to parameters as tuples of scalars, separately for each possible shape."""
        require_parts(value)
        value = self.worlds.erased(value)
        if isinstance(value, Alternatives):
            return self.worlds.each(value, lambda option: self._frozen(option, action))
        if isinstance(value, ListBox):
            return self.reader.sequences.per_length(value, lambda items: self._frozen(tuple(items), action))
        if isinstance(value, DictBox):
            keys, shares = self._weights(value)
            names = tuple([rounded(key) for key in keys])
            return self._frozen(shares, lambda row: action(Weights(names, row)))
        if isinstance(value, tuple):
            return self._frozen_items(value, (), action)
        return action(value)

    def _frozen_items(self, items: tuple[Any, ...], done: tuple[Any, ...], action: Callable[[Any], Any]) -> Any:
        while items and not isinstance(items[0], (Alternatives, ListBox, DictBox, tuple)):
            items, done = items[1:], (*done, items[0])
        if not items:
            return action(done)
        return self._frozen(items[0], lambda item: self._frozen_items(items[1:], (*done, item), action))

    def possible_values(self, term: Term) -> list[Any]:
        """Return a superset of the values of a term in this world, in a fixed order."""
        if not isinstance(term.values, Anything) and len(term.values) <= 1024:
            if len(term.values) == 0:
                raise PathEnds  # every run fails where the term is computed; that must be impossible, as demanded there
            return sorted(term.values, key=_stable)
        return self._occurring(term)

    def _occurring(self, term: Term) -> list[Any]:
        """Return exactly the possible values of a term in this world, in a fixed order."""
        guarded = self.terms.ite(self.worlds.world.guard, term, self.terms.const(_OUTSIDE))
        known = [value for value in self.reader.questions.values(guarded) if value is not _OUTSIDE]
        if not known:
            raise PathEnds
        return sorted(known, key=_stable)

    def _draw_plainly(self, name: str, parameters: Sequence[Any]) -> Any:
        number = self._new_draw()
        try:
            row, coin = self._row(name, parameters, number)
        except TautError as problem:
            return self.worlds.fail(problem)
        toss = self._toss(name, row, number, coin)
        self._cut_off(name, parameters, toss, [()], [row], [toss])
        guard = self.worlds.world.guard
        self.log.append(Draw(name, self.reader.place, guard, None, (((), toss),), tuple(parameters)))
        return self._outcome(row, toss)

    # -- unbounded noise ----------------------------------------------------------------------------------------

    def _row(self, name: str, parameters: Sequence[Any], number: int) -> tuple[Distribution, OpenCoin | None]:
        """Return the distribution of a draw; of unbounded noise, which the window clamps, also the coin."""
        if not is_open(name, parameters):
            return DISTRIBUTIONS[name](*parameters), None
        noise, center = noise_of(name, parameters), int(parameters[0])
        low, high = [None if end is None else int(end) for end in parameters[2:]]
        exact = noise.ratio is not None and number not in self.reader.cut
        if exact and noise.ratio == 0:  # nothing is added
            value = center if low is None else max(center, low)
            return ((value if high is None else min(value, high),), (Fraction(1),)), None
        if not exact:
            if isinstance(noise.ratio, Expression):
                raise UnsupportedValue(
                    f"{name}: unbounded noise is used in a way that needs ends (compared with another draw, added "
                    "to one, or its remainder taken), and has a parameter that is left free; give low and high.",
                    value=parameters[1],
                )
            reach = outside_at_most(noise, REMAINDER_SHARE * active().max_remainder)
            return DISTRIBUTIONS[name](*with_ends(name, parameters, (center - reach, center + reach))), None
        window = self.reader.window
        first, last = min(center, center if high is None else high), max(center, center if low is None else low)
        if (low is None and window[0] >= first) or (high is None and window[1] <= last):
            raise WindowUnfit(first - 1, last + 1)
        row = DISTRIBUTIONS[name](*with_ends(name, parameters, window))
        return row, OpenCoin(number, noise, center, low, high)

    def _cut_off(
        self,
        name: str,
        parameters: Sequence[Any],
        joint: Term,
        keys: Sequence[Any],
        rows: Sequence[Distribution],
        tosses: Sequence[Term],
    ) -> None:
        """Mark the runs as not followed in which an unbounded draw falls into a tail that is cut off."""
        sides = (
            [side for side, end in ((0, parameters[2]), (-1, parameters[3])) if end is None] if name in NOISE else []
        )
        if not sides or any(isinstance(toss, Coin) and toss.index in self.open for toss in tosses):
            return
        events = [
            self.terms.any(*[self.terms.apply("eq", toss, self.terms.const(row[0][side])) for side in sides])
            if len(row[0]) > 1
            else self.terms.false
            for row, toss in zip(rows, tosses, strict=True)
        ]
        self.worlds.give_up(events[0] if len(events) == 1 else self.terms.truth(self.terms.select(joint, keys, events)))

    def _require_window(self, name: str, parameters: Sequence[tuple[Any, ...]], terms: Sequence[Term]) -> None:
        """Request another reading: with a window around all centres, and with ends for draws that are centres."""
        if not is_open(name, parameters[0]):
            return
        unbounded = [term for term in terms if isinstance(term.values, Anything) or _is_endless(term.values)]
        below = [one for one in reachable(unbounded) if isinstance(one, Coin) and one.index in self.open]
        if below:
            raise WindowUnfit(cut=frozenset(self.open[one.index].draw for one in below))
        centers = [row[0] for row in parameters if isinstance(row[0], (int, Fraction))]
        low, high = self.reader.window
        if centers and (min(centers) <= low or max(centers) >= high):
            raise WindowUnfit(int(min(centers)) - 1, int(max(centers)) + 1)

    def _draw_by_parameters(self, name: str, parameters: tuple[Any, ...]) -> Any:
        terms: dict[Term, None] = {}
        _collect(parameters, terms)
        if not terms:
            return self._draw_plainly(name, _filled(parameters, {}))
        candidates = separate_candidates(self.terms, name, parameters)
        if candidates is not None:
            return self._draw_one_by_one(name, candidates)
        drawn = self._draw_by_weights(name, parameters, list(terms))
        if drawn is None and name in NOISE:
            drawn = self._draw_around(name, parameters)
        if drawn is not None:
            return drawn
        known = self._rows_of_entry(name, parameters, list(terms))
        if known is not None:
            return self._draw_by_entry(name, *known)
        joint, choices = self._joint(list(terms))
        number = self._new_draw()
        tosses: dict[Any, Term] = {}
        keys, rows = [], []
        first_problem: TautError | None = None
        alike = self._alike(name, parameters)
        if name in NOISE:
            self._require_window(
                name, [_filled(parameters, dict(zip(terms, choice, strict=True))) for choice in choices], list(terms)
            )
        for choice in choices:
            try:
                coin = None
                if choice in alike:
                    row = alike[choice]
                else:
                    row, coin = self._row(name, _filled(parameters, dict(zip(terms, choice, strict=True))), number)
                    alike[choice] = row
            except TautError as problem:
                key = choice[0] if len(terms) == 1 else choice
                first_problem = first_problem or problem
                self.worlds.must_not(self.terms.apply("eq", joint, self.terms.const(key)), problem)
                continue
            if _row_key(row) not in tosses:
                tosses[_row_key(row)] = self._toss(name, row, number, coin)
            keys.append(choice[0] if len(terms) == 1 else choice)
            rows.append(row)
        if not rows:
            assert first_problem is not None
            return self.worlds.fail(first_problem)
        drawn = [tosses[_row_key(row)] for row in rows]
        self._cut_off(name, parameters, joint, keys, rows, drawn)
        logged = tuple(zip(keys, drawn, strict=True))
        self.log.append(Draw(name, self.reader.place, self.worlds.world.guard, joint, logged))
        return self._by_key(name, joint, keys, rows, tosses)

    def _alike(self, name: str, parameters: tuple[Any, ...]) -> dict[tuple[Any, ...], Distribution]:
        """Return the distributions that draws with the same parameters share; noise has one for each centre."""
        if name not in NOISE or not isinstance(parameters[0], Symbolic):
            return {}
        fixed = [value if isinstance(value, Symbolic) else exactly(value) for value in parameters[1:]]
        if not all(type(value) in (int, str, Fraction) or isinstance(value, Ball) for value in fixed):
            return {}
        return self._rows.setdefault((name, *map(typed, fixed)), {})

    def _draw_one_by_one(self, name: str, candidates: Candidates) -> Any:
        """Return a candidate chosen by a chain of coins."""

        def toss(rows: Sequence[Distribution]) -> dict[Distribution, Term]:
            number = self._new_draw()
            return {row: self._toss(name, row, number) for row in dict.fromkeys(rows)}

        try:
            chain = chain_of_choices(self.terms, candidates, toss)
        except InvalidDistribution as problem:
            return self.worlds.fail(problem)
        self.log.append(Draw(name, self.reader.place, self.worlds.world.guard, None, (), chain=chain))
        return self.worlds.wrap(chain.chosen)

    def _rows_of_entry(
        self, name: str, parameters: tuple[Any, ...], terms: list[Term]
    ) -> tuple[Input, list[Distribution]] | None:
        """Return the entry that many parameters are functions of, and the distribution for each of its values; else
        None.

        A thousand clients who do the same share their distributions.
        """
        below = reachable(terms) if len(terms) > _FEWEST_SHARED and name not in NOISE else []
        entries = [term for term in below if isinstance(term, Input)]
        if len(entries) != 1 or any(isinstance(term, Coin) for term in below):
            return None
        (entry,) = entries
        values = self.reader.inputs[entry.index].values
        key = (name, values, tuple(_shapes(below, terms)), _template(parameters, terms))
        if not _is_plain(key):
            return None
        if key not in self._by_shape:
            self._by_shape[key] = _rows_by_value(name, parameters, terms, values)
        shared = self._by_shape[key]
        return None if shared is None else (entry, shared)

    def _draw_by_entry(self, name: str, entry: Input, rows: list[Distribution]) -> Any:
        """Return a draw with a coin for each distribution that the values of an entry choose."""
        number, keys = self._new_draw(), list(self.reader.inputs[entry.index].values)
        tosses: dict[Any, Term] = {}
        for row in rows:
            if _row_key(row) not in tosses:
                tosses[_row_key(row)] = self._toss(name, row, number)
        logged = tuple([(key, tosses[_row_key(row)]) for key, row in zip(keys, rows, strict=True)])
        self.log.append(Draw(name, self.reader.place, self.worlds.world.guard, entry, logged))
        return self._by_key(name, entry, keys, rows, tosses)

    def _draw_by_weights(self, name: str, parameters: tuple[Any, ...], terms: list[Term]) -> Any:
        """Return a candidate by weights that depend on inputs and have too many vectors to list; None for others."""
        guard = self.worlds.world.guard
        candidates = weighed_candidates(self.terms, name, parameters)
        if candidates is None or any(isinstance(term, Coin) for term in reachable([guard])):
            return None
        joint = self.terms.apply(_GATHER, *terms)
        if self.reader.questions.few_values(joint, _LISTED, _LISTING) is not None:
            return None
        try:
            found = weighed_choice(self.terms, candidates, lambda row: self._toss(name, row, self._new_draw()))
        except InvalidDistribution as problem:
            return self.worlds.fail(problem)
        if found is None:
            return None
        weighed, accepted = found
        self.worlds.evidence = self.terms.all(self.worlds.evidence, self.terms.any(self.terms.negate(guard), accepted))
        self.log.append(Draw(name, self.reader.place, guard, None, (), chain=weighed))
        return self.worlds.wrap(weighed.chosen)

    def _draw_around(self, name: str, parameters: tuple[Any, ...]) -> Any:
        """Return noise around a centre with too many values for a coin each; None for other draws."""
        if not isinstance(parameters[0], Symbolic) or has_symbolic(parameters[1:]) or is_open(name, parameters):
            return None
        center = parameters[0].term
        if isinstance(center.values, Anything) or len(center.values) <= _MOST_CENTERS:
            return None
        if len(center.values) <= _MOST_ROWS and any(isinstance(term, Coin) for term in reachable([center])):
            return None
        ends = (center.values.low, center.values.high) if isinstance(center.values, IntegerRange) else center.values
        if not all(isinstance(end, int) for end in ends):
            return None
        least, most, (low, high) = min(ends), max(ends), parameters[2:]
        try:
            noise = noise_of(name, (0, *map(exactly, parameters[1:])))
            for end in (least, most):
                DISTRIBUTIONS[name](*[exactly(value) for value in (end, *parameters[1:])])
        except TautError:
            return None
        if not isinstance(noise.ratio, Fraction) or not noise.ratio or low == high:
            return None
        outcomes = tuple(range(low - most, high - least + 1))
        weights = Shifted(
            lambda: tuple(noise.row(0, outcomes[0], outcomes[-1])[1]), noise, 0, outcomes[0], outcomes[-1]
        )
        index = len(self.reader.coins)
        line = f" line {self.reader.place.line}" if self.reader.place is not None else ""
        self.reader.coins.append(CoinVariable(f"{name}{line}", outcomes, weights, self._new_draw()))
        coin = self.terms.coin(index, outcomes, IntegerRange(outcomes[0], outcomes[-1]))
        value = self.terms.apply("max", self.terms.const(low), self.terms.apply("add", center, coin))
        value = self.terms.apply("min", self.terms.const(high), value)
        around = Around(coin, center, value, low, high)
        self.log.append(Draw(name, self.reader.place, self.worlds.world.guard, None, (), chain=around))
        return self.worlds.wrap(value)

    def _by_key(
        self, name: str, joint: Term, keys: list[Any], rows: list[Distribution], tosses: dict[Any, Term]
    ) -> Any:
        first: tuple[Any, ...] = rows[0][0] if name == "discrete" else ()
        alike = len(first) > 0 and all(len(row[0]) == len(first) and all(map(is_, row[0], first)) for row in rows)
        drawn = rows[:1] if alike else rows if name == "discrete" else []
        outcomes = [outcome for row in drawn for outcome in row[0]]
        plain = not any(isinstance(outcome, (tuple, float, Fraction)) for outcome in outcomes)
        if plain and self.worlds.one_kind(outcomes):
            return self.worlds.wrap(self.terms.select(joint, keys, [tosses[_row_key(row)] for row in rows]))
        guarded = [
            (self.terms.apply("eq", joint, self.terms.const(key)), self._outcome(row, tosses[_row_key(row)]))
            for key, row in zip(keys, rows, strict=True)
        ]
        return self.worlds.alternatives(
            [
                (self.terms.all(test, guard), option)
                for test, value in guarded
                for guard, option in self.worlds.options(value)
            ]
        )

    def _joint(self, terms: list[Term]) -> tuple[Term, list[tuple[Any, ...]]]:
        """Return one term for all parameters, and the combinations of their values."""
        joint = terms[0] if len(terms) == 1 else self.terms.apply(_GATHER, *terms)
        size = 1
        for term in terms:
            size *= _FEW + 1 if isinstance(term.values, Anything) else len(term.values)
        if len(terms) > 1 and size <= _FEW:
            return joint, list(itertools.product(*[self.possible_values(term) for term in terms]))
        free = self.worlds.world.guard is self.terms.true and all(type(term) is Input for term in terms)
        if len(terms) > 1 and free and size <= _MOST_ROWS:  # different entries, which can have any values together
            return joint, sorted(itertools.product(*map(self.possible_values, terms)), key=_stable)
        values = self.possible_values(joint) if len(terms) == 1 else self._occurring(joint)
        if len(values) > _MOST_ROWS:
            raise UnsupportedValue(f"a distribution with {len(values)} different parameters is too large.")
        return joint, [(value,) for value in values] if len(terms) == 1 else values

    def _new_draw(self) -> int:
        coins = self.reader.coins
        return coins[-1].draw + 1 if coins else 0

    def _toss(self, name: str, row: Distribution, draw: int, open_coin: OpenCoin | None = None) -> Term:
        outcomes, weights = row
        if len(outcomes) == 1:
            return self.terms.const(outcomes[0])
        place = self.reader.place
        line = f" line {place.line}" if place is not None else ""
        coins = self.reader.coins
        index = len(coins)
        shown = (
            f"flip({exact_text(weights[1]) if isinstance(weights[1], Fraction) else weights[1]})"
            if name == "flip"
            else name
        )
        known = weights
        if not isinstance(weights, Shifted) and Expression in set(map(type, weights)):
            known = tuple([weight.function if isinstance(weight, Expression) else weight for weight in weights])
        coins.append(CoinVariable(f"{shown}{line}", outcomes, known, draw))
        if open_coin is None:
            return self.terms.coin(index, outcomes)
        self.open[index] = open_coin
        return self.terms.coin(index, outcomes, open_values(open_coin))

    def _outcome(self, row: Distribution, toss: Term) -> Any:
        """Return the value of a toss; tuple outcomes become tuples of values."""
        if not any(isinstance(outcome, tuple) for outcome in row[0]):
            for outcome in row[0]:
                if not is_scalar(outcome):
                    raise UnsupportedValue(f"{kind_of(outcome)} cannot be an outcome of a draw.")
            return self.reader.lifted(toss, row[0])
        return self.opened(toss, row[0])

    def opened(self, term: Term, values: Sequence[Any], keys: Sequence[Any] | None = None) -> Any:
        """Return the value of a term with tuples among its values, as tuples of values grouped by length.

        The term shows ``keys``, one for each value, where it does not show the values themselves.
        """
        rows = list(zip(values if keys is None else keys, values, strict=True))
        widths = list(dict.fromkeys(len(value) if isinstance(value, tuple) else -1 for value in values))
        parts = []
        for width in widths:
            chosen = [row for row in rows if (len(row[1]) if isinstance(row[1], tuple) else -1) == width]
            own = [key for key, _ in chosen]
            if width == -1:
                part: Any = self._selected(term, own, [self.reader.imported_scalar(value) for _, value in chosen])
            else:
                columns = list(zip(*[value for _, value in chosen], strict=True))
                part = tuple([self._column(term, own, column) for column in columns])
            fits = [self.terms.apply("eq", term, self.terms.const(key)) for key in own]
            parts.append((self.terms.any(*fits) if len(widths) > 1 else self.terms.true, part))
        return self.worlds.alternatives(parts)

    def _column(self, term: Term, keys: Sequence[Any], column: Sequence[Any]) -> Any:
        if any(isinstance(value, tuple) for value in column):
            return self.opened(term, column, keys)
        return self._selected(term, keys, [self.reader.imported_scalar(value) for value in column])

    def _selected(self, term: Term, keys: Sequence[Any], scalars: Sequence[Any]) -> Any:
        """Return the scalar for the value of a term."""
        if self.worlds.one_kind(scalars):
            return self.worlds.wrap(self.terms.select(term, list(keys), [self.worlds.term(v) for v in scalars]))
        tests = [self.terms.apply("eq", term, self.terms.const(key)) for key in keys]
        return self.worlds.alternatives(list(zip(tests, scalars, strict=True)))


class _Outside:
    """Placeholder for the parameters of a draw on paths that do not make it."""


_OUTSIDE = _Outside()


def _row_key(row: Distribution) -> Any:
    """Return a key for sharing coins: equal short distributions are shared, long ones only if identical objects."""
    return (typed(row[0]), row[1]) if len(row[0]) <= 8 else id(row)


def _is_endless(values: Any) -> bool:
    return isinstance(values, IntegerRange) and max(-values.low, values.high) >= FAR


def _gather(*values: Any) -> tuple[Any, ...]:
    return values


_GATHER = pointwise(_gather, GATHERED)


def _collect(value: Any, terms: dict[Term, None]) -> None:
    if isinstance(value, Symbolic):
        terms[value.term] = None
    elif isinstance(value, Weights):
        _collect(value.shares, terms)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, terms)


def _rows_by_value(
    name: str, parameters: tuple[Any, ...], terms: Sequence[Term], values: Sequence[Any]
) -> list[Distribution] | None:
    """Return the distribution for each value of the one entry that terms read; None if there is none for some value."""
    known: dict[Any, Distribution] = {}
    rows = []
    for value in checkpoints(values):
        evaluation = Evaluation(OneEntry(value), _no_coin, {})
        vector = tuple([evaluation.value(term) for term in terms])
        if any(one is UNDEFINED for one in vector):
            return None
        try:
            if vector not in known:
                known[vector] = DISTRIBUTIONS[name](*_filled(parameters, dict(zip(terms, vector, strict=True))))
        except TautError:
            return None  # the value may not occur here
        rows.append(known[vector])
    return rows


def _no_coin(coin: int) -> Any:
    raise AssertionError("no coin is looked at")


def _shapes(below: Sequence[Term], terms: Sequence[Term]) -> Iterator[Any]:
    """Yield the content of terms of one entry, without the entry, so that equal ones of different entries are found."""
    places: dict[Term, int] = {}
    for term in below:
        places[term] = len(places)
        if isinstance(term, Input):
            yield Input
        elif isinstance(term, Const):
            yield Const, typed(term.value)
        else:
            made = term.operation if isinstance(term, Apply) else typed(getattr(term, "keys", ()))
            yield type(term), made, tuple([places[child] for child in children(term)])
    yield tuple([places[term] for term in terms])


def _is_plain(value: Any) -> bool:
    """Return True if a key is made of exact values, types and operations: equal ones are the same."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (int, str, Fraction, type, Operation))


def _template(value: Any, terms: list[Term]) -> Any:
    """Return the parameters with each term replaced by its place."""
    places = {term: place for place, term in enumerate(terms)}

    def filled(part: Any) -> Any:
        if isinstance(part, Symbolic):
            return "term", places[part.term]
        if isinstance(part, Weights):
            return "weights", typed(part.keys), tuple(map(filled, part.shares))
        return tuple(map(filled, part)) if isinstance(part, tuple) else typed(exactly(part))

    return filled(value)


def _filled(value: Any, known: dict[Term, Any]) -> Any:
    if isinstance(value, Symbolic):
        return exactly(known[value.term])
    if isinstance(value, Weights):
        return dict(zip(value.keys, _filled(value.shares, known), strict=True))
    if isinstance(value, tuple):
        return tuple([_filled(item, known) for item in value])
    return exactly(value)


def _stable(value: Any) -> tuple[str, Any]:
    return ("", value) if isinstance(value, int) else (type(value).__name__, repr(value))
