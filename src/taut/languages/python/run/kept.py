"""Uniform numbers kept in variables of what is read: a comparison is a coin that splits cells between cut points.

Such a number has no value. Each comparison with it asks on which side of a cut point it lies. The first cut is a coin
of two cells; a later one splits the cell that it falls into, by a coin with the conditional probabilities. So the cells
are decided from the outside to the inside, and every comparison is a function of these coins.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from taut.languages.python.failures import refused_value
from taut.languages.python.floats import plain_argument, rounded
from taut.languages.python.logs import Cells, Draw, RunCall
from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.steps import Compared, TooFine, exactly
from taut.languages.python.run.table import Runner
from taut.languages.python.run.tree import ChoiceTree
from taut.languages.python.scripted import scripted
from taut.languages.python.values import Alternatives, Symbolic, Uniform, is_scalar
from taut.program import Term
from taut.program.operations import typed
from taut.support.errors import TautError, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["KeptNumbers"]

_MOST = 1000
"""Values of a factor, or of a rounded number, that are looked at one by one."""


class _Decided(Exception):
    """Raised where a draw is decided at once, so that it is no number to be kept."""


class _NoChoice(ChoiceTree):
    """The tree of a number that is only made, and asked nothing."""

    def choose(self, weights: Sequence[Any], followed: int | None = None) -> int:
        raise _Decided

    def refuse(self, problem: TautError) -> NoReturn:
        raise problem


@dataclass
class _Account:
    draws: frozenset[str]
    numbers: int = 0
    cuts: set[Any] = field(default_factory=set)


class KeptNumbers:
    """Draws of uniform numbers, and what is computed of them, for a reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self._made: dict[Any, tuple[Any, LazyNumber | None, str]] = {}
        self._accounts: dict[str, _Account] = {}
        self._rows: dict[Any, Any] = {}
        self._places: dict[Any, Any] = {}

    def calls(self) -> list[RunCall]:
        """Return for each source of randomness what was kept of it."""
        return [
            RunCall(name, one.numbers, 0, tuple(sorted(one.draws - {name})), inline=True, cells=len(one.cuts) + 1)
            for name, one in self._accounts.items()
        ]

    def draw(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Uniform | None:
        """Return the number that a source of randomness draws; None if it is decided at once, or its parameters are
        random."""
        values = [*args, *keywords.values()]
        if not all(is_scalar(value) for value in values) or not self.reader.may_draw:
            return None
        given = [plain_argument(rounded(value)) for value in values]
        key = _identity(function), typed(tuple(given)), tuple(keywords)
        if key not in self._made:
            self._made[key] = (
                function,
                *self._drawn(function, given[: len(args)], dict(zip(keywords, given[len(args) :], strict=True))),
            )
        _, number, name = self._made[key]
        if number is None:
            return None
        self._accounts[name].numbers += 1
        cells = Cells()
        self.reader.draws.log.append(Draw("run", self.reader.place, self.worlds.world.guard, None, (), chain=cells))
        return Uniform(number, cells, name)

    def _drawn(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> tuple[LazyNumber | None, str]:
        """Return the number that a source draws, without a value, and the name of the distribution."""
        tree = _NoChoice(getattr(function, "__name__", "a draw"), 1, Fraction(0), small=0)
        runner = Runner(function, tree.name, 1, keeps_arguments=False)
        try:
            with runner.ready(), scripted(tree):
                made = runner.called(*args, **keywords)
        except (_Decided, TautError):
            return None, ""
        if type(made) is not LazyNumber or not made.is_uniform() or (not made.is_real() and not made.is_long()):
            return None, ""
        name = min(tree.draws, default=tree.name)
        self._accounts.setdefault(name, _Account(frozenset(tree.draws)))
        return made, name

    # -- questions -----------------------------------------------------------------------------------------------

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """Return a < b, a == b, ... where one of them is a kept number."""
        if not isinstance(a, Uniform):
            return self.compare(_MIRRORED[name], b, a)
        if isinstance(b, Uniform):
            if b.cells is a.cells and b.number is a.number:
                return name in ("le", "ge", "eq")
            raise self._refused(a, "is compared with another such number", b)
        if name in ("eq", "ne"):
            above, below = (self.reader.operators.truth(self.compare(one, a, b)) for one in ("ge", "le"))
            same = self.terms.all(above, below)
            return self.worlds.wrap(same if name == "eq" else self.terms.negate(same))
        return self._by_value(b, lambda known: self.worlds.wrap(self._compared(name, a, known)))

    def _by_value(self, other: Any, action: Callable[[Any], Any]) -> Any:
        """Apply ``action`` to an ordinary number, or to each number that a random one can be."""
        if isinstance(other, Alternatives):
            return self.worlds.each(other, lambda option: self._by_value(option, action))
        if not isinstance(other, Symbolic):
            return action(other)
        values = self.reader.draws.possible_values(other.term)
        if len(values) > _MOST:
            raise UnsupportedValue(f"a uniform random number meets a random one that has {len(values)} values.")
        found = [action(value) for value in values]
        return self._selected(other.term, values, found)

    def _selected(self, index: Term, keys: list[Any], found: list[Any]) -> Any:
        """Return the value that stands beside the key that a term shows."""
        if all(isinstance(value, (bool, Symbolic)) for value in found):
            return self.worlds.wrap(self.terms.select(index, keys, [self.worlds.term(value) for value in found]))
        tests = [self.terms.apply("eq", index, self.terms.const(key)) for key in keys]
        return self.worlds.alternatives(list(zip(tests, found, strict=True)))

    def _compared(self, name: str, kept: Uniform, other: Any) -> Term:
        """Return the condition that a kept number is below (above, ...) an ordinary one."""
        terms, number = self.terms, kept.number
        threshold = exactly(_plain(other), number.of_the_machine)
        if threshold is None:
            if isinstance(_plain(other), float):
                known = not math.isnan(_plain(other)) and (_plain(other) > 0) == (name in ("lt", "le"))
                return terms.const(known)
            raise self._refused(kept, "is compared with something that is no number", other)
        cut, negated = self._cut(kept, threshold, name in ("lt", "ge"))
        found = self._chosen(kept, [cut], [terms.const(not negated), terms.const(negated)])
        return terms.negate(found) if name in ("gt", "ge") else found

    def _cut(self, kept: Uniform, threshold: Any, strict: bool) -> tuple[Any, bool]:
        """Return the probability that the number behind is below a threshold; True if above is what is asked."""
        key = id(kept.number), threshold, strict
        known = self._places.get(key)
        if known is None:
            try:
                place, negated, exact_place = kept.number.place_of(Compared(threshold, strict))
            except (TooFine, TautError):
                raise self._refused(kept, "is compared in a way that is not followed", None) from None
            if exact_place is not None:  # equal irrational places are one object
                place = self._places.setdefault((exact_place, None), place)
            known = self._places[key] = place, negated
        place, negated = known
        return place, negated

    def _chosen(self, kept: Uniform, cuts: list[Any], found: list[Term], cell: Cells | None = None) -> Term:
        """Return the term for the cell between sorted cuts that the number lies in."""
        cell = kept.cells if cell is None else cell
        inside = [cut for cut in cuts if _below(cell.low, cut) and _below(cut, cell.high)]
        if not inside:
            return found[sum(1 for cut in cuts if not _below(cell.low, cut))]
        if cell.toss is None:
            self._split(kept, cell, inside)
        children = [self._chosen(kept, cuts, found, child) for child in cell.parts]
        toss: Term = cell.toss
        if children == [self.terms.true, self.terms.false]:
            return toss
        keys = (True, False) if len(children) == 2 else tuple(range(len(children)))
        return self.terms.select(toss, keys, children)

    def _split(self, kept: Uniform, cell: Cells, cuts: list[Any]) -> None:
        """Split a cell by cuts inside of it, with a coin for the part that the number lies in."""
        ends = (cell.low, *cuts, cell.high)
        row = self._rows.get(ends)
        if row is None:
            size = cell.high - cell.low
            weights = tuple([(high - low) / size for low, high in itertools.pairwise(ends)])
            outcomes = (True, False) if len(weights) == 2 else tuple(range(len(weights)))
            row = self._rows[ends] = outcomes, weights
        draws = self.reader.draws
        cell.toss = draws._toss(kept.name, row, draws._new_draw())
        cell.parts = [Cells(low, high) for low, high in itertools.pairwise(ends)]
        self._accounts[kept.name].cuts.update(cuts)

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def apply(self, operation: Callable[..., Any], *values: Any) -> Any:
        """Return what a monotone operation makes of a kept number and other numbers."""
        place = next((at for at, value in enumerate(values) if isinstance(value, (Symbolic, Alternatives))), None)
        if place is not None:
            before, after = values[:place], values[place + 1 :]
            return self._by_value(values[place], lambda known: self.apply(operation, *before, known, *after))
        kept = [value for value in values if isinstance(value, Uniform)]
        if len(kept) != 1:
            raise self._refused(kept[0], "is combined with another such number", kept[1])
        given = [value.number if isinstance(value, Uniform) else _plain(value) for value in values]
        try:
            made = operation(*given)
        except (_Decided, TooFine, TypeError):  # abs, say, of a number that may have both signs
            raise self._refused(kept[0], "is used in a way that is not followed", None) from None
        if type(made) is not LazyNumber:
            return self.reader.import_value(made)
        return self._wrapped(made, kept[0])

    def knows(self, function: Any) -> bool:
        """Return True for a function of one kept number that is followed here."""
        return _lookup(function) is not None or _is_ufunc(function)

    def call(self, function: Any, args: Sequence[Any]) -> Any:
        """Return what such a function makes of a kept number, or of what may be one."""
        for place, value in enumerate(args):
            if isinstance(value, Alternatives):
                return self.worlds.each(value, functools.partial(self._called, function, args, place))
        return self.apply(_lookup(function) or function, *args)

    def _called(self, function: Any, args: Sequence[Any], place: int, option: Any) -> Any:
        return self.reader.calls.call(function, [*args[:place], option, *args[place + 1 :]], {})

    def _wrapped(self, number: LazyNumber, kept: Uniform) -> Any:
        """Return a computed number: kept as well, or decided now if it has few values."""
        key = "values", id(kept.number), number.description()
        if key not in self._places:
            self._places[key] = number, number.cells(_MOST)
        number, listed = self._places[key]
        if listed is None:
            return Uniform(number, kept.cells, kept.name)
        cuts, values = listed
        imported = [self.reader.imported_scalar(value) for value in values]
        if len(imported) == 1:
            return imported[0]
        return self.worlds.wrap(self._chosen(kept, cuts, [self.worlds.term(value) for value in imported]))

    def _refused(self, kept: Uniform, what: str, value: Any) -> TautError:
        return refused_value(
            f"a number of {kept.name} {what}. A uniform number that is kept in a variable can be compared with "
            "numbers, shifted, scaled, and rounded to whole numbers.",
            value=value,
        )


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    int: math.trunc,
    float: lambda number: +number,
    round: round,
    math.floor: math.floor,
    math.ceil: math.ceil,
    math.trunc: math.trunc,
    math.log: lambda number: number.log(),
    math.fabs: abs,
}
"""Functions of a kept number."""


def _below(low: Any, high: Any) -> bool:
    """Return True if one place is below another one; irrational ones that are equal are one object."""
    return low is not high and bool(low < high)


def _lookup(function: Any) -> Any:
    try:
        return _FUNCTIONS.get(function)
    except TypeError:
        return None


def _is_ufunc(function: Any) -> bool:
    return type(function).__name__ == "ufunc" and type(function).__module__ == "numpy"


def _plain(value: Any) -> Any:
    return plain_argument(rounded(value))


def _identity(function: Any) -> Any:
    owner = getattr(function, "__self__", None)
    return id(function) if owner is None else (id(owner), getattr(function, "__name__", ""))
