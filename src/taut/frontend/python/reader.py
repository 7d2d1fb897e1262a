"""The reader of a mechanism: its parts, and where in the source it has come to."""

from __future__ import annotations

import abc
import ast
import collections
import enum
import types
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from taut.algebra.expression import Expression
from taut.errors import Place, UnsupportedValue
from taut.frontend.python.attributes import Attributes
from taut.frontend.python.branches import BranchLog
from taut.frontend.python.calls import Calls
from taut.frontend.python.classes import refuse_unlike_tuple
from taut.frontend.python.dicts import Dicts
from taut.frontend.python.draws import Draws, Questions
from taut.frontend.python.expressions import Expressions
from taut.frontend.python.floats import ExactFloat, Float, exactly, precisely, rounded
from taut.frontend.python.flow import Flow, Flows
from taut.frontend.python.foreign import Foreign
from taut.frontend.python.generators import Comprehensions
from taut.frontend.python.given_numbers import plain_number
from taut.frontend.python.iterators import Iterators
from taut.frontend.python.kinds import has_balls, has_fractions, has_frozen
from taut.frontend.python.lists import Lists
from taut.frontend.python.loops import Loops
from taut.frontend.python.operators import Operators
from taut.frontend.python.sequences import Sequences
from taut.frontend.python.sets import Sets
from taut.frontend.python.sizes import require_parts
from taut.frontend.python.statements import Statements
from taut.frontend.python.text import Text
from taut.frontend.python.values import (
    Alternatives,
    Box,
    Code,
    Deque,
    DictBox,
    Frame,
    IteratorBox,
    ListBox,
    Record,
    SetBox,
    Symbolic,
    View,
    is_foreign,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import PathEnds, Worlds
from taut.ir import CoinVariable, InputVariable, Term, Terms, pointwise
from taut.numbers import Ball

__all__ = ["Reader"]

_IMMUTABLE = (int, bool, str, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, abc.ABCMeta)
_DICTIONARIES = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)


class Reader:
    """Reads one mechanism: symbolically, or with ``real`` randomness as an ordinary run.

    With ``exact_numbers`` floats are the numbers that they mean and nothing is rounded; without ``may_draw`` a draw is
    refused. Targets, distances and predicates are read so.
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
    ) -> None:
        self.inputs = inputs
        self.coins = coins
        self.questions = questions
        self.max_rounds = max_rounds
        self.real = real
        self.exact = exact_numbers
        self.may_draw = may_draw
        self.subject = "the mechanism"  # who fails, in words: a target or a distance while one of them is read
        self.code = code
        self.node: ast.AST = code.source.node
        self.returned: ast.AST = self.node
        self.frames: tuple[Frame, ...] = ()
        self.depth = 0
        self.yields: Callable[[Any], Flow] | None = None
        self._outside: dict[int, tuple[Any, Any]] = {}
        self.worlds = Worlds(terms, self._feasible, questions.possible, lambda: self.place)
        self.branches = BranchLog()
        self.flows = Flows(self.worlds)
        self.operators = Operators(self)
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
        self.calls = Calls(self)
        self.expressions = Expressions(self)
        self.statements = Statements(self)

    def fork(self) -> Reader:
        """A reader of functions of what this one has read: exact, without draws, and without effects on this one."""
        made = Reader(
            self.code,
            self.worlds.terms,
            self.inputs,
            list(self.coins),
            self.questions,
            self.max_rounds,
            exact_numbers=True,
            may_draw=False,
        )
        made.worlds.evidence = self.worlds.evidence
        made.worlds.fractions = True
        return made

    @property
    def place(self) -> Place | None:
        """Where in the source the reading has come to; nowhere while a target or distance is compared outside of it."""
        if self.exact and self.depth == 0:
            return None
        return self.code.source.place(self.node)

    def alive(self) -> bool:
        """Whether the current world is possible at all."""
        return self._feasible(self.worlds.terms.true)

    def go_on(self) -> None:
        """End this path if it is impossible; asked where a search for an item would not end by itself."""
        if not self.worlds.ordinary and not self.alive():
            raise PathEnds

    def _feasible(self, guard: Term) -> bool:
        """Whether a condition can hold in this world, as far as that can be told quickly; if in doubt, it can."""
        worlds = self.worlds
        return not self.questions.surely_impossible(worlds.terms.all(worlds.evidence, worlds.world.guard, guard))

    # -- values from ordinary Python -----------------------------------------------------------------------------

    def imported_scalar(self, value: Any) -> Any:
        """A scalar from ordinary Python: floats with the number that they mean."""
        if type(value) is not float:
            return value
        if value != value:
            return value  # not a number, and refused wherever it is used
        self.worlds.fractions = True
        return ExactFloat(value) if self.exact else Float(value)

    def import_value(self, value: Any) -> Any:
        """A value from ordinary Python that nobody else knows, its lists and the like boxed."""
        require_parts(value)
        return self._import_parts(value)

    def _import_parts(self, value: Any) -> Any:
        return self._imported(value, self._import_parts)

    def import_outside(self, value: Any, remember: bool = True) -> Any:
        """A value from outside the mechanism: what can be changed is read-only, and one object is one box."""
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
        """Whether an object came from outside the mechanism."""
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
        """The value of an input or coin; if some of its values are floats, with the numbers that they mean."""
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
        """A returned value as one term; lists become tuples, and floats what Python has.

        Where numbers are exact, floats become the numbers that they mean, or with ``shown`` stay what can be both.
        """
        require_parts(value)
        return self._output(value, shown)

    def _output(self, value: Any, shown: bool) -> Term:
        terms = self.worlds.terms
        finished = plain_number if shown else exactly if self.exact else rounded
        value = self.worlds.bound(value, "the returned value")
        if isinstance(value, Expression) or (isinstance(value, Symbolic) and has_frozen(value.term.values)):
            raise UnsupportedValue(
                "a mechanism cannot return a parameter that is left free; parameters are for probabilities.",
                value=value,
            )
        if isinstance(value, Ball) or (isinstance(value, Symbolic) and has_balls(value.term.values)):
            raise UnsupportedValue(
                "a mechanism cannot return an exponential, which is known to many digits but not exactly; "
                "exponentials are for probabilities.",
                value=value,
            )
        if isinstance(value, Symbolic):
            known = isinstance(value.term.values, frozenset)
            if (known or self.worlds.fractions) and has_fractions(value.term.values):
                return terms.apply(pointwise(finished), value.term)
            return value.term
        if isinstance(value, tuple):
            return terms.tuple([self._output(item, shown) for item in value])
        if isinstance(value, IteratorBox):
            raise UnsupportedValue(
                "a mechanism cannot return an iterator or generator ('yield'); return list(...).", value=value
            )
        if isinstance(value, ListBox) and not isinstance(value, Deque):
            return self._one_of([(guard, tuple(items)) for guard, items in self.sequences.rows(value)], shown)
        if isinstance(value, Alternatives):
            return self._one_of(value.options, shown)
        if isinstance(value, (Deque, DictBox, SetBox, View, Record)) or not is_scalar(value) or _has_no_value(value):
            raise UnsupportedValue(
                f"a mechanism returns numbers, text, None, or lists and tuples of these; got {kind_of(value)}.",
                value=value,
            )
        return terms.const(finished(value))

    def _one_of(self, options: Sequence[tuple[Term, Any]], shown: bool) -> Term:
        made = [(guard, self._output(value, shown)) for guard, value in options]
        result = made[-1][1]
        for guard, term in reversed(made[:-1]):
            result = self.worlds.terms.ite(guard, term, result)
        return result

    def tuples(self, value: Any) -> Any:
        """A value with its lists made tuples, as a mechanism returns them, and floats whose exact numbers decide."""
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
    """Whether an object is equal to itself only, so that it is no output that two runs could share."""
    plain = getattr(type(value), "__eq__", None) is object.__eq__
    return plain and not isinstance(value, enum.Enum) and value is not None


def _precise(value: Any) -> Any:
    """A float whose exact number decides; anything else as it is."""
    return precisely(value) if isinstance(value, (Float, float)) else value


def _lift_exactly(value: Any) -> Any:
    return ExactFloat(value) if type(value) is float else value


def _lift(value: Any) -> Any:
    return Float(value) if type(value) is float else value
