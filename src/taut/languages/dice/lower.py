"""Lowering of syntax to terms: the program is executed once on terms, calls inlined, unreachable branches left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.languages.dice import syntax
from taut.languages.dice.check import BIT, Signature
from taut.languages.dice.integers import DiceDraws, FlipDraws, Integers, Slots
from taut.languages.dice.syntax import Visit, walk
from taut.languages.dice.values import IntType, ListType, PairType, Type, Types
from taut.languages.source_text import SourceText
from taut.program import Term, Terms
from taut.support.errors import TooLarge

__all__ = ["Lowering", "Observation", "Value"]

_MOST_STEPS = 2_000_000
_MOST_TERMS = 1_500_000


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """A value as terms, one for each slot of its type.

    A pair is its left and its right part, one after the other; a list its length and all the items it has room for,
    those beyond its length being false, 0 or empty.
    """

    type: Type
    slots: Slots


@dataclass(frozen=True, eq=False, slots=True)
class Observation:
    """An observation: its text and position, the condition under which a run reaches it, and its requirement."""

    what: str
    at: int
    path: Term
    event: Term


@dataclass(frozen=True, eq=False, slots=True)
class _CallFrame:
    """One call: its variables, its function, and the index of Dice's copy of that function.

    ``constants`` tells whether Dice makes constants of certain flips where this frame is used.
    """

    scope: dict[str, Value]
    function: str | None
    copy: int
    constants: bool = True

    @property
    def without_constants(self) -> _CallFrame:
        return _CallFrame(self.scope, self.function, self.copy, False) if self.constants else self


class Lowering:
    """One symbolic execution of a program.

    ``evidence`` is the conjunction of all observations, ``lost`` the event that a run passes the recursion limit. An
    observation in a branch counts only where that branch is taken.
    """

    def __init__(
        self,
        source: SourceText,
        types: Types,
        functions: Mapping[str, Signature],
        recursion_limit: int,
        as_dice: bool = False,
        unused: frozenset[syntax.Binding] = frozenset(),
    ) -> None:
        self.source = source
        self.types = types
        self.functions = functions
        self.recursion_limit = recursion_limit
        self.unused = unused
        self.terms = Terms()
        self.integers = Integers(self.terms)
        self.draws = (FlipDraws if as_dice else DiceDraws)(self.terms, self.integers, source)
        self.observations: list[Observation] = []
        self._demands: list[Term] = []
        self._losses: list[Term] = []
        self._path = self.terms.true
        self._steps = 0

    @property
    def evidence(self) -> Term:
        return self.terms.all(*self._demands) if self._demands else self.terms.true

    @property
    def lost(self) -> Term:
        return self.terms.any(*self._losses) if self._losses else self.terms.false

    def run(self, main: syntax.DiceExpression) -> Value:
        """Return the value of the program's expression."""
        value: Value = walk(self.visit(main, _CallFrame({}, None, 0)), self._count)
        return value

    def call(self, name: str, arguments: list[Value]) -> Value:
        """Return the value of a function on these arguments."""
        value: Value = walk(
            self._called(self.functions[name].function.at, name, arguments, _CallFrame({}, None, 0)), self._count
        )
        return value

    def default(self, type_: Type) -> Value:
        """Return the default value of a type: false, 0, the empty list, or a pair of defaults."""
        slots: list[Term] = []
        pending = [type_]
        while pending:
            part = pending.pop()
            if isinstance(part, PairType):
                pending += [part.right, part.left]
            elif isinstance(part, ListType):
                slots.append(self.terms.const(0))
                pending += [part.item] * part.bound
            elif isinstance(part, IntType):
                slots += self.integers.constant(part.width, 0)
            else:
                slots.append(self.terms.false)
        return Value(type_, tuple(slots))

    def visit(self, node: syntax.DiceExpression, frame: _CallFrame) -> Visit | Value:
        """Return the value of an expression; the frame's variables are restored when the visit ends."""
        visit: Visit | Value = _VISITS[type(node)](self, node, frame)
        return visit

    # -- without operands ----------------------------------------------------------------------------------------

    def _truth(self, node: syntax.Truth, frame: _CallFrame) -> Value:
        return Value(self.types.bool, (self.terms.const(node.value),))

    def _name(self, node: syntax.Name, frame: _CallFrame) -> Value:
        return frame.scope[node.name]

    def _int_literal(self, node: syntax.IntLiteral, frame: _CallFrame) -> Value:
        return self._integer(node.width, self.integers.constant(node.width, node.value))

    def _flip(self, node: syntax.Flip, frame: _CallFrame) -> Value:
        return Value(self.types.bool, (self.draws.flip(node.at, node.chance, constants=frame.constants),))

    def _discrete(self, node: syntax.Discrete, frame: _CallFrame) -> Value:
        self._count(len(node.weights))
        width = max(1, (len(node.weights) - 1).bit_length())
        return self._integer(width, self.draws.discrete(node.at, width, node.weights))

    def _uniform(self, node: syntax.Uniform, frame: _CallFrame) -> Value:
        self._count(node.width * node.width)
        return self._integer(node.width, self.draws.uniform(node.at, node.width, node.low, node.high))

    def _binomial(self, node: syntax.Binomial, frame: _CallFrame) -> Value:
        self._count(node.tosses)
        return self._integer(node.width, self.draws.binomial(node.at, node.width, node.tosses, node.chance))

    def _empty_list(self, node: syntax.EmptyList, frame: _CallFrame) -> Value:
        return self.default(node.type)

    # -- with operands -------------------------------------------------------------------------------------------

    def _pair(self, node: syntax.Pair, frame: _CallFrame) -> Visit:
        left = yield self.visit(node.left, frame)
        right = yield self.visit(node.right, frame)
        return Value(self.types.pair(left.type, right.type), left.slots + right.slots)

    def _list_literal(self, node: syntax.ListLiteral, frame: _CallFrame) -> Visit:
        items = []
        for item in node.items:
            items.append((yield self.visit(item, frame)))
        type_ = self.types.list(items[0].type)
        slots = [self.terms.const(len(items)), *[slot for item in items for slot in item.slots]]
        self._count(type_.slots)
        return Value(type_, tuple(slots) + self.default(type_).slots[len(slots) :])

    def _prefix(self, node: syntax.PrefixOperation, frame: _CallFrame) -> Visit:
        value = yield self.visit(node.operand, frame)
        type_, slots = value.type, value.slots
        if node.operator == "!":
            return Value(type_, (self.terms.negate(slots[0]),))
        if node.operator == "observe":
            self._observe("observe", node.at, slots[0])
            return Value(type_, (self.terms.true,))
        if node.operator == "fst":
            return Value(type_.left, slots[: type_.left.slots])
        if node.operator == "snd":
            return Value(type_.right, slots[type_.left.slots :])
        if node.operator == "length":
            width = self.types.length.width
            return self._integer(width, self.integers.of_word(width, slots[0]))
        return self._end_of_list(node, type_, slots)

    def _end_of_list(self, node: syntax.PrefixOperation, type_: ListType, slots: Slots) -> Value:
        """Return the head or the tail of a list, which must not be empty."""
        terms, item = self.terms, type_.item
        empty = terms.apply("eq", slots[0], terms.const(0))
        self._observe(node.operator, node.at, terms.negate(empty))
        if node.operator == "head":
            return Value(item, slots[1 : 1 + item.slots])
        self._count(len(slots))
        shorter = terms.ite(empty, terms.const(0), terms.apply("sub", slots[0], terms.const(1)))
        return Value(type_, (shorter, *slots[1 + item.slots :], *self.default(item).slots))

    def _chain(self, node: syntax.Binary, frame: _CallFrame) -> Visit:
        """Return a && b && ... (or a || b || ...) as one n-ary term, which is cheaper than nested binary ones."""
        operands: list[syntax.DiceExpression] = []
        rest: syntax.DiceExpression = node
        while isinstance(rest, syntax.Binary) and rest.operator == node.operator:
            operands.append(rest.right)
            rest = rest.left
        parts = []
        for operand in [rest, *reversed(operands)]:
            value = yield self.visit(operand, frame)
            parts.append(value.slots[0])
        join = self.terms.all if node.operator == "&&" else self.terms.any
        return Value(self.types.bool, (join(*parts),))

    def _binary(self, node: syntax.Binary, frame: _CallFrame) -> Visit:
        if node.operator in ("&&", "||"):
            value = yield self._chain(node, frame)
            return value
        left = yield self.visit(node.left, frame)
        right = yield self.visit(node.right, frame)
        terms, operator = self.terms, node.operator
        if operator == "::":
            return self._construct(left, right)
        if operator in ("^", "<=>"):
            unlike = self.integers.different(left.slots[0], right.slots[0])
            return Value(left.type, (unlike if operator == "^" else terms.negate(unlike),))
        width = left.type.width
        if len(left.slots) > 1:
            self._count(width * width if operator == "*" else width)
        if operator in ("+", "-", "*"):
            return Value(left.type, self.integers.binary(operator, width, left.slots, right.slots))
        return Value(self.types.bool, (terms.truth(self.integers.compare(operator, width, left.slots, right.slots)),))

    def _construct(self, item: Value, rest: Value) -> Value:
        """Prepend an item to a list; if the list is full its last item is dropped, as in Dice."""
        terms, slots = self.terms, rest.slots
        assert isinstance(rest.type, ListType)
        self._count(len(slots))
        bound = terms.const(rest.type.bound)
        longer = terms.apply("add", slots[0], terms.const(1))
        length = terms.ite(terms.apply("eq", slots[0], bound), bound, longer)
        return Value(rest.type, (length, *item.slots, *slots[1:])[: len(slots)])

    def _shift(self, node: syntax.Shift, frame: _CallFrame) -> Visit:
        value = yield self.visit(node.operand, frame)
        if value.type is self.types.bool:  # by 0 places
            return value
        return Value(value.type, self.integers.shift(node.operator, value.type.width, value.slots, node.amount))

    def _conditional(self, node: syntax.Conditional, frame: _CallFrame) -> Visit:
        guard = yield self.visit(node.test, frame.without_constants)
        test = guard.slots[0]
        path = self._path
        ways = [(node.then, self.terms.all(path, test)), (node.other, self.terms.all(path, self.terms.negate(test)))]
        open_ways = [(branch, way) for branch, way in ways if way is not self.terms.false] or ways[:1]
        if len(open_ways) == 1:
            value = yield self.visit(open_ways[0][0], frame)
            return value
        demands, losses = self._demands, self._losses
        found, kept, missed = [], [], []
        for branch, way in open_ways:
            self._demands, self._losses, self._path = [], [], way
            found.append((yield self.visit(branch, frame)))
            kept.append(self.evidence)
            missed.append(self.lost)
        self._demands, self._losses, self._path = demands, losses, path
        if kept[0] is not self.terms.true or kept[1] is not self.terms.true:
            self._demands.append(self.terms.ite(test, *kept))
        if missed[0] is not self.terms.false or missed[1] is not self.terms.false:
            self._losses.append(self.terms.ite(test, *missed))
        then, other = found
        self._count(len(then.slots))
        slots = [self.terms.ite(test, p, q) for p, q in zip(then.slots, other.slots, strict=True)]
        return Value(then.type, tuple(slots))

    def _binding(self, node: syntax.Binding, frame: _CallFrame) -> Visit:
        if node in self.unused:
            body = yield self.visit(node.body, frame)
            return body
        value = yield self.visit(node.value, frame)
        before = frame.scope.get(node.name)
        frame.scope[node.name] = value
        body = yield self.visit(node.body, frame)
        if before is None:
            del frame.scope[node.name]
        else:
            frame.scope[node.name] = before
        return body

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: syntax.Call, frame: _CallFrame) -> Visit:
        if node.name == BIT:
            literal, operand = node.arguments
            assert isinstance(literal, syntax.IntLiteral)
            value = yield self.visit(operand, frame)
            return Value(self.types.bool, (self.integers.nth_bit(value.type.width, value.slots, literal.value),))
        arguments = []
        for argument in node.arguments:
            arguments.append((yield self.visit(argument, frame.without_constants)))
        value = yield self._called(node.at, node.name, arguments, frame)
        return value

    def _iterate(self, node: syntax.Iterate, frame: _CallFrame) -> Visit:
        value = yield self.visit(node.start, frame.without_constants)
        for _ in range(node.rounds):
            value = yield self._called(node.at, node.function, [value], frame)
        return value

    def _called(self, at: int, name: str, arguments: list[Value], frame: _CallFrame) -> Visit:
        """Evaluate a call. Dice makes limit + 1 copies of a recursive function; a deeper call exceeds the limit."""
        signature = self.functions[name]
        copy = frame.copy + 1 if name == frame.function else 0
        if copy > self.recursion_limit and name == frame.function:
            assert signature.result is not None
            self._losses.append(self.terms.true)
            self.observations.append(Observation("the recursion limit", at, self._path, self.terms.false))
            return self.default(signature.result)
        names = [parameter.name for parameter in signature.function.parameters]
        inner = _CallFrame(dict(zip(names, arguments, strict=True)), name, copy)
        value = yield self.visit(signature.function.body, inner)
        return value

    # -- inside --------------------------------------------------------------------------------------------------

    def _observe(self, what: str, at: int, event: Term) -> None:
        if event is not self.terms.true:
            self._demands.append(event)
            self.observations.append(Observation(what, at, self._path, event))

    def _integer(self, width: int, slots: Slots) -> Value:
        return Value(self.types.integer(width), slots)

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > _MOST_STEPS or len(self.terms) > _MOST_TERMS:
            raise TooLarge(
                f"{self.source.name}: running the program takes more than {_MOST_STEPS} steps or {_MOST_TERMS} terms; "
                "use smaller counts in 'iterate', fewer calls, or a lower recursion limit.",
                value=self._steps,
            )


_VISITS: dict[type[Any], Any] = {
    syntax.Truth: Lowering._truth,
    syntax.Name: Lowering._name,
    syntax.IntLiteral: Lowering._int_literal,
    syntax.Flip: Lowering._flip,
    syntax.Discrete: Lowering._discrete,
    syntax.Uniform: Lowering._uniform,
    syntax.Binomial: Lowering._binomial,
    syntax.EmptyList: Lowering._empty_list,
    syntax.Pair: Lowering._pair,
    syntax.ListLiteral: Lowering._list_literal,
    syntax.PrefixOperation: Lowering._prefix,
    syntax.Binary: Lowering._binary,
    syntax.Shift: Lowering._shift,
    syntax.Conditional: Lowering._conditional,
    syntax.Binding: Lowering._binding,
    syntax.Call: Lowering._call,
    syntax.Iterate: Lowering._iterate,
}
