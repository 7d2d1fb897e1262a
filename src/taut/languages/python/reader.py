"""The reader of a mechanism: its parts and its position in the source."""

from __future__ import annotations

import abc
import ast
import collections
import enum
import types
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.attributes import Attributes
from taut.languages.python.calls import Calls
from taut.languages.python.comparisons import Comparisons
from taut.languages.python.dicts import Dicts
from taut.languages.python.draws import Draws, Questions
from taut.languages.python.expressions import Expressions
from taut.languages.python.failures import PathEnds, refused_value, require_parts
from taut.languages.python.floats import ExactFloat, Float, exactly, plain_number, precisely, rounded
from taut.languages.python.foreign import Foreign
from taut.languages.python.generators import Comprehensions
from taut.languages.python.iterators import Iterators
from taut.languages.python.kinds import has_balls, has_fractions, has_frozen, refuse_unlike_tuple
from taut.languages.python.lists import Lists
from taut.languages.python.logs import BranchLog, RunCall
from taut.languages.python.loops import Loops
from taut.languages.python.operators import Operators
from taut.languages.python.sequences import Sequences
from taut.languages.python.sets import Sets
from taut.languages.python.statements import Statements
from taut.languages.python.text import Text
from taut.languages.python.values import (
    Alternatives,
    Box,
    Code,
    Deque,
    DictBox,
    DictView,
    DrawnArray,
    Frame,
    IteratorBox,
    ListBox,
    RecordValue,
    SetBox,
    Symbolic,
    is_foreign,
    is_scalar,
    kind_of,
)
from taut.languages.python.worlds import Flow, Flows, Worlds
from taut.program import UNFOLLOWED, CoinVariable, InputVariable, Term, Terms, pointwise
from taut.support.algebra.expression import Expression
from taut.support.errors import Place
from taut.support.exact import Ball, ends
from taut.support.options import REMAINDER_SHARE, active

if TYPE_CHECKING:
    from taut.languages.python.run.calls import Runs
    from taut.languages.python.run.inline import InlineDraws
    from taut.languages.python.run.kept import KeptNumbers

__all__ = ["Reader"]

_IMMUTABLE = (int, bool, str, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, abc.ABCMeta)
_DICTIONARIES = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)


class Reader:
    """Reads one mechanism symbolically, or with ``real`` randomness as an ordinary run.

    With ``exact_numbers`` floats are the numbers that they mean and nothing is rounded; without ``may_draw`` a draw is
    refused. Targets, distances and predicates are read so. Unbounded noise is clamped to ``window`` while it is
    read; the draws in ``cut`` have tails that are not followed. With ``inline``, expressions that draw real random
    numbers are run separately.
    """

    def __init__(
        self,
        code: Code,
        terms: Terms,
        inputs: list[InputVariable],
        coins: list[CoinVariable],
        questions: Questions,
        max_rounds: int,
        *,
        real: bool = False,
        exact_numbers: bool = False,
        may_draw: bool = True,
        window: tuple[int, int] = (0, 0),
        cut: frozenset[int] = frozenset(),
        inline: bool = False,
    ) -> None:
        self.inputs = inputs
        self.coins = coins
        self.questions = questions
        self.max_rounds = max_rounds
        self.real = real
        self.exact = exact_numbers
        self.may_draw = may_draw
        self.window = window
        self.cut = cut
        self.inline: InlineDraws | None = None
        self.subject = "the mechanism"  # who fails, in words: a target or a distance while one of them is read
        self.code = code
        self.node: ast.AST = code.source.node
        self.returned: ast.AST = self.node
        self.bare = False
        """True if nothing of the user's is read: then no line of taut's own is told as the place of an error."""
        self.called_at: Place | None = None  # while code of taut's own is read: the line of the user that called it
        self.frames: tuple[Frame, ...] = ()
        self.depth = 0
        self.yields: Callable[[Any], Flow] | None = None
        self._outside: dict[int, tuple[Any, Any]] = {}
        self.worlds = Worlds(terms, self._feasible, self._ever, questions.possible, lambda: self.error_place)
        self.branches = BranchLog()
        self.flows = Flows(self.worlds)
        self.operators = Operators(self)
        self.comparisons = Comparisons(self)
        self.sequences = Sequences(self)
        self.lists = Lists(self)
        self.dicts = Dicts(self)
        self.sets = Sets(self)
        self.text = Text(self)
        self.attributes = Attributes(self)
        self.iterators = Iterators(self)
        self.loops = Loops(self)
        self.comprehensions = Comprehensions(self)
        self.foreign = Foreign(self)
        self.draws = Draws(self)
        self._runs: Runs | None = None
        self.calls = Calls(self)
        self.expressions = Expressions(self)
        self.statements = Statements(self)
        if inline:
            from taut.languages.python.run.inline import InlineDraws

            self.inline = InlineDraws(self)

    @property
    def runs(self) -> Runs:
        """Return the part that runs what cannot be read; most mechanisms do without, so it is loaded when needed."""
        if self._runs is None:
            from taut.languages.python.run.calls import Runs

            self._runs = Runs(self)
        return self._runs

    @property
    def kept(self) -> KeptNumbers:
        """Return the part that keeps uniform random numbers in variables, which inline draws alone make."""
        assert self.inline is not None
        return self.inline.kept

    @property
    def of_numpy(self) -> bool:
        """Return True if some Booleans may be NumPy's, since entries of arrays of random numbers were compared."""
        return self.inline is not None and self.inline.of_numpy

    @property
    def run_calls(self) -> tuple[RunCall, ...]:
        """Return the functions that were run, each with its number of runs, and what was kept of draws."""
        run = () if self._runs is None else self._runs.calls()
        return run if self.inline is None else (*run, *self.inline.calls())

    def fork(self) -> Reader:
        """Return a reader for functions of this reader's values: exact, without draws, and without effects here."""
        made = Reader(
            self.code,
            self.worlds.terms,
            self.inputs,
            list(self.coins),
            self.questions,
            self.max_rounds,
            exact_numbers=True,
            may_draw=False,
            window=self.window,
            cut=self.cut,
        )
        made.draws.open = self.draws.open
        made.worlds.evidence, made.worlds.followed = self.worlds.evidence, self.worlds.followed
        made.worlds.fractions = True
        return made

    @property
    def place(self) -> Place | None:
        """Return the current position in the source; None in a target or distance, and where nothing is read."""
        if self.depth == 0 and (self.exact or self.bare):
            return None
        return self.code.source.place(self.node)

    @property
    def error_place(self) -> Place | None:
        """Return the current position in the user's source."""
        return self.called_at or self.place

    def alive(self) -> bool:
        """Return True if the current world may be possible."""
        return self._feasible(self.worlds.terms.true)

    def improbable(self) -> bool:
        """Return True if the runs of the current world are so improbable that they need not be followed."""
        worlds = self.worlds
        if any(not coin.kinds <= {Fraction, Ball} for coin in self.coins):
            return False  # a parameter that is left free has no probability
        most = self.questions.most(worlds.terms.all(worlds.followed, worlds.world.guard))
        return most is not None and ends(most)[1] <= REMAINDER_SHARE * active().max_remainder

    def go_on(self) -> None:
        """Raise PathEnds if the current path is impossible; called in searches that might not end otherwise."""
        if not self.worlds.ordinary and not self.alive():
            raise PathEnds

    def _feasible(self, guard: Term) -> bool:
        """Return False if a condition is surely impossible in this world; True if in doubt."""
        worlds = self.worlds
        met = worlds.terms.all(worlds.evidence, worlds.followed, worlds.world.guard, guard)
        return not self.questions.surely_impossible(met)

    def _ever(self, guard: Term) -> bool:
        """Return False if a condition is surely impossible, in whatever world."""
        return not self.questions.surely_impossible(guard)

    # -- values from ordinary Python -----------------------------------------------------------------------------

    def imported_scalar(self, value: Any) -> Any:
        """Return a scalar from ordinary Python, with floats as pairs of rounded and exact number."""
        if type(value) is not float:
            return value
        if value != value:
            return value  # not a number, and refused wherever it is used
        self.worlds.fractions = True
        return ExactFloat(value) if self.exact else Float(value)

    def import_value(self, value: Any) -> Any:
        """Return a fresh value from ordinary Python with its containers boxed."""
        require_parts(value)
        return self._import_parts(value)

    def _import_parts(self, value: Any) -> Any:
        return self._imported(value, self._import_parts)

    def import_outside(self, value: Any, remember: bool = True) -> Any:
        """Return a value from outside the mechanism, with mutable objects read-only and one box per object."""
        if value is None or type(value) in _IMMUTABLE:
            return value
        known = self._outside.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        made = self._imported(value, self.import_outside)
        if isinstance(made, Box):
            made.outside = True
        if remember and (isinstance(made, (Box, tuple)) or is_foreign(value)):
            self._outside[id(value)] = (value, made)
        return made

    def is_outside(self, value: Any) -> bool:
        """Return True if an object came from outside the mechanism."""
        return id(value) in self._outside

    def _imported(self, value: Any, inner: Callable[[Any], Any]) -> Any:
        kind = type(value)
        world = self.worlds.root if inner == self.import_outside else self.worlds.world
        if kind is float:
            return self.imported_scalar(value)
        if kind is list:
            return ListBox([inner(item) for item in value], world)
        if kind is tuple:
            return tuple([inner(item) for item in value])
        if kind in _DICTIONARIES:
            box = self.dicts.new([(key, inner(item)) for key, item in value.items()], kind)
            if kind is collections.defaultdict:
                box.factory = value.default_factory
            return box
        if kind in (set, frozenset):
            made = self.sets.new(frozen=kind is frozenset)
            made.frozen = False
            for item in value:
                self.sets.add(made, inner(item))
            made.content.plain = set(value)
            made.frozen = kind is frozenset
            return made
        if kind is collections.deque and value.maxlen is None:
            return Deque([inner(item) for item in value], world)
        if kind.__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            return self.imported_scalar(value.item())
        if isinstance(value, tuple):
            refuse_unlike_tuple(kind)
        return value

    def lifted(self, term: Term, values: Sequence[Any]) -> Any:
        """Return the value of an input or coin, with floats as pairs of rounded and exact number."""
        if not any(isinstance(value, (float, Fraction)) for value in values) and self.worlds.one_kind(values):
            return self.worlds.wrap(term)
        if hasattr(term, "value"):
            return self.imported_scalar(term.value)
        lifted = self.worlds.terms.apply(pointwise(_lift_exactly if self.exact else _lift), term)
        known = [self.imported_scalar(value) for value in values]
        if self.worlds.one_kind(known):
            return self.worlds.wrap(lifted)
        terms = self.worlds.terms
        tests = [terms.apply("eq", term, terms.const(value)) for value in values]
        return self.worlds.alternatives(list(zip(tests, known, strict=True)))

    # -- values for ordinary Python ------------------------------------------------------------------------------

    def output(self, value: Any, shown: bool = False) -> Term:
        """Return a returned value as one term; lists become tuples, floats become Python's.

        Where numbers are exact, floats become the numbers that they mean, or with ``shown`` stay what can be both.
        """
        require_parts(value)
        return self._output(value, shown)

    def _output(self, value: Any, shown: bool) -> Term:
        terms = self.worlds.terms
        finished = plain_number if shown else exactly if self.exact else rounded
        value = self.worlds.bound(value, "the returned value")
        if isinstance(value, Expression) or (isinstance(value, Symbolic) and has_frozen(value.term.values)):
            raise refused_value(
                "a mechanism cannot return a parameter that is left free; parameters are for probabilities.",
                value=value,
            )
        if isinstance(value, Ball) or (isinstance(value, Symbolic) and has_balls(value.term.values)):
            raise refused_value(
                "a mechanism cannot return an exponential, which is known to many digits but not exactly; "
                "exponentials are for probabilities.",
                value=value,
            )
        if isinstance(value, Symbolic):
            known = isinstance(value.term.values, frozenset)
            if (known or self.worlds.fractions) and has_fractions(value.term.values):
                return terms.apply(pointwise(finished), value.term)
            return value.term
        if isinstance(value, DrawnArray):
            value = value.items
        if isinstance(value, tuple):
            return terms.tuple([self._output(item, shown) for item in value])
        if isinstance(value, IteratorBox):
            raise refused_value(
                "a mechanism cannot return an iterator or generator ('yield'); return list(...).", value=value
            )
        if isinstance(value, ListBox) and not isinstance(value, Deque):
            return self._one_of([(guard, tuple(items)) for guard, items in self.sequences.rows(value)], shown)
        if isinstance(value, Alternatives):
            return self._one_of(value.options, shown)
        if (
            isinstance(value, (Deque, DictBox, SetBox, DictView, RecordValue))
            or not is_scalar(value)
            or _has_no_value(value)
        ):
            raise refused_value(
                f"a mechanism returns numbers, text, None, or lists and tuples of these; got {kind_of(value)}.",
                value=value,
            )
        return terms.const(finished(value))

    def finished(self, value: Any) -> Term:
        """Return what a run of the mechanism returns, and UNFOLLOWED where the run is not followed to its end."""
        return self.marked(self.output(value))

    def marked(self, output: Term) -> Term:
        """Return an output, UNFOLLOWED where the run is not followed."""
        terms = self.worlds.terms
        return terms.ite(self.worlds.followed, output, terms.const(UNFOLLOWED))

    def _one_of(self, options: Sequence[tuple[Term, Any]], shown: bool) -> Term:
        made = [(guard, self._output(value, shown)) for guard, value in options]
        result = made[-1][1]
        for guard, term in reversed(made[:-1]):
            result = self.worlds.terms.ite(guard, term, result)
        return result

    def tuples(self, value: Any) -> Any:
        """Return a value with lists converted to tuples, and floats compared by their exact numbers."""
        require_parts(value)
        return self._tuples(value)

    def _tuples(self, value: Any) -> Any:
        if isinstance(value, ListBox):
            return self.sequences.per_length(value, lambda items: tuple([self._tuples(item) for item in items]))
        if isinstance(value, tuple):
            return tuple([self._tuples(item) for item in value])
        if isinstance(value, Alternatives):
            return self.worlds.each(value, self._tuples)
        if isinstance(value, Symbolic) and has_fractions(value.term.values):
            return self.worlds.wrap(self.worlds.terms.apply(pointwise(_precise), value.term))
        return _precise(value)


def _has_no_value(value: Any) -> bool:
    """Return True if an object equals only itself, so that it cannot be an output."""
    plain = getattr(type(value), "__eq__", None) is object.__eq__
    return plain and not isinstance(value, enum.Enum) and value is not None


def _precise(value: Any) -> Any:
    """Return a float compared by its exact number; anything else unchanged."""
    return precisely(value) if isinstance(value, (Float, float)) else value


def _lift_exactly(value: Any) -> Any:
    return ExactFloat(value) if type(value) is float else value


def _lift(value: Any) -> Any:
    return Float(value) if type(value) is float else value
