"""Lowering of terms to core expressions: random choices, branches and selections; operations are in ``operations``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.diagrams.compile.shape import Shape, shape_of, slots_of
from taut.interfaces.peers.lowering.expressions import Node, TossDistribution
from taut.interfaces.peers.lowering.operations import (
    MOST_VALUES,
    NATIVE,
    Coded,
    Coding,
    Operations,
    coding_of,
    distinct,
    listed,
    union,
)
from taut.program import UNDEFINED, Apply, Coin, Const, Input, Ite, Program, Select, Term, Tuple, evaluate
from taut.program.program import children, reachable
from taut.program.values import IntegerRange
from taut.support.errors import TooLarge
from taut.support.exact import Ball
from taut.support.limits import checkpoints

__all__ = ["DIGITS", "LoweredProgram", "Outputs", "TermLowering", "lower_program"]

DIGITS = 40
"""Number of significant digits of weights that are not rational."""


class TermLowering(Operations):
    """The expressions of a program's terms; ``rounded`` is True if some weight is not rational."""

    def __init__(self, program: Program, roots: Sequence[Term]) -> None:
        super().__init__()
        self.program = program
        self.rounded = False
        self._made: dict[Term, Coded] = {}
        order = reachable(roots)
        self._draws, hidden = _private_draws(order, roots)
        for term in checkpoints(order, every=16):
            if term not in hidden and not isinstance(term, Tuple):
                self._made[term] = self._lower(term)

    def __getitem__(self, term: Term) -> Coded:
        return self._made[term]

    def _lower(self, term: Term) -> Coded:
        if isinstance(term, Const):
            return self.constant(term.value)
        if isinstance(term, Input):
            return self.input(term.index)
        if isinstance(term, Coin):
            return self._toss(term.index, None, {term: ()})
        if isinstance(term, Ite):
            return self._choice(term)
        if isinstance(term, Select):
            return self._select(term)
        assert isinstance(term, Apply), f"{type(term).__name__} has no single expression"
        if term.operation.name == "defined":
            return self._defined(term.args[0])
        args = [self._made[arg] for arg in term.args]
        if term.operation.name not in NATIVE:
            looked_at = self._few_variables(term, math.prod(len(arg.values) for arg in args))
            if looked_at is not None:
                return self._by_variables(term, looked_at)
        return self.apply(term.operation, args)

    def _few_variables(self, term: Term, most: int) -> list[Input | Coin] | None:
        """Return the inputs and coins of a term if they have fewer than ``most`` joint values, else None."""
        found: list[Input | Coin] = []
        count = 1
        for part in reachable([term]):
            if isinstance(part, (Input, Coin)):
                found.append(part)
                count *= len(self._made[part].values) if part in self._made else most
                if count >= most:
                    return None
        return found

    def _by_variables(self, term: Term, variables: Sequence[Input | Coin]) -> Coded:
        """Tabulate a term over its variables, when few combinations of its arguments' values occur.

        Membership in ten sets is ten Booleans, but one entry with five values decides them all.
        """

        def value_at(*values: Any) -> Any:
            return evaluate(term, (), {}, dict(zip(variables, values, strict=True)))

        return self.cases([self._made[variable] for variable in variables], value_at, _named(term))

    def input(self, position: int) -> Coded:
        """Return the expression of an entry, even if the program does not use it."""
        values = distinct(self.program.inputs[position].values)
        coding = coding_of(values)
        codes = [coding.code(value) for value in values]
        low, high = (None, None) if coding.kind == "bool" else (min(codes), max(codes))
        return Coded(self.build.variable(f"x{position}", low, high), coding, values)

    def _choice(self, term: Ite) -> Coded:
        test = self.truth(self._made[term.test])
        then, other = self._made[term.then], self._made[term.other]
        if test.op == "literal":
            return then if test.data else other
        values = union([then.values, other.values])
        coding = coding_of(values)
        return Coded(self.build.choose(test, self.recoded(then, coding), self.recoded(other, coding)), coding, values)

    def _select(self, term: Select) -> Coded:
        index = self._made[term.index]
        if len(index.values) > MOST_VALUES:
            raise TooLarge(
                f"'{self.program.name}': a list is read at an index with {len(index.values)} values; "
                f"at most {MOST_VALUES} can be written out.",
                value=len(index.values),
            )
        places: dict[Term, list[int | bool]] = {}
        literal = index.node.op == "literal"
        for value in [index.coding.value(index.node.data)] if literal else listed(index.values):
            item = next((item for key, item in zip(term.keys, term.items, strict=True) if key == value), None)
            if item is not None:
                places.setdefault(item, []).append(index.coding.code(value))
        if term in self._draws:
            number = min(item.index for item in term.items if isinstance(item, Coin))
            if index.node.time < number and not literal:
                return self._toss(number, index.node, places)
        items = {item: self._made.get(item) or self._made.setdefault(item, self._lower(item)) for item in places}
        if not items:
            return self.constant(None)
        values = union([item.values for item in items.values()])
        coding = coding_of(values)
        nodes = {item: self.recoded(coded, coding) for item, coded in items.items()}
        cases = {code: nodes[item] for item, codes in places.items() for code in codes}
        return Coded(self.build.case(index.node, cases), coding, values)

    def _toss(self, number: int, index: Node | None, places: Any) -> Coded:
        """Return a toss for a coin, or for the coins of one draw, each with the values of the index that select it."""
        values = distinct(value for item in places for value in self._possible(item))
        coding = coding_of(values)
        rows = [TossDistribution(tuple(codes), self._outcomes(item, coding)) for item, codes in places.items()]
        if all(len(row.outcomes) == 1 for row in rows):
            items = {code: self.build.literal(row.outcomes[0][0]) for row in rows for code in row.keys}
            node = self.build.literal(rows[0].outcomes[0][0]) if index is None else self.build.case(index, items)
            return Coded(node, coding, values)
        return Coded(self.build.toss(number, index, rows), coding, values)

    def _possible(self, item: Term) -> Iterable[Any]:
        if isinstance(item, Const):
            return (item.value,)
        assert isinstance(item, Coin)
        coin = self.program.coins[item.index]
        return [value for value, weight in zip(coin.outcomes, coin.weights, strict=True) if weight != 0]

    def _outcomes(self, item: Term, coding: Coding) -> tuple[tuple[int | bool, Fraction], ...]:
        """Return the codes of the outcomes with weights that sum to 1 exactly."""
        if isinstance(item, Const):
            return ((coding.code(item.value), Fraction(1)),)
        assert isinstance(item, Coin)
        coin = self.program.coins[item.index]
        pairs = [(value, w) for value, w in zip(coin.outcomes, coin.weights, strict=True) if w != 0]
        weights = [w for _, w in pairs]
        if any(isinstance(weight, Ball) for weight in weights):
            self.rounded = True
            weights = [_shortened(weight) for weight in weights]
            weights[weights.index(max(weights))] += 1 - sum(weights)
        return tuple((coding.code(value), Fraction(w)) for (value, _), w in zip(pairs, weights, strict=True))

    def _defined(self, term: Term) -> Coded:
        """Return the event that the outermost operation of a term succeeds."""
        if isinstance(term, Apply):
            args = [self._made[arg] for arg in term.args]
            return self.cases(args, lambda *values: term.operation(*values) is not UNDEFINED, term.operation.name)
        if isinstance(term, Select):
            return self.cases([self._made[term.index]], lambda value: value in term.keys, "index")
        return self.constant(True)


def _named(term: Term) -> str:
    return term.operation.name if isinstance(term, Apply) else type(term).__name__


def _private_draws(order: Sequence[Term], roots: Sequence[Term]) -> tuple[set[Select], set[Coin]]:
    """Return selections of coins (or constants) that nothing else uses, and these coins: each is a single toss."""
    users: dict[Term, set[Term]] = {}
    for term in order:
        for child in children(term):
            users.setdefault(child, set()).add(term)
    draws, hidden = set(), set()
    for term in order:
        if not isinstance(term, Select):
            continue
        coins = {item for item in term.items if isinstance(item, Coin)}
        plain = all(isinstance(item, (Coin, Const)) for item in term.items)
        private = all(users[coin] == {term} and coin not in roots for coin in coins) and term.index not in coins
        if coins and plain and private:
            draws.add(term)
            hidden |= coins
    return draws, hidden


def _shortened(weight: Any) -> Fraction:
    """Return a decimal near a number; never 0, so that rare outcomes stay possible."""
    middle = weight.mid if isinstance(weight, Ball) else Fraction(weight)
    size = (middle.numerator.bit_length() - middle.denominator.bit_length()) * 30103 // 100000  # its power of ten
    digits = DIGITS - size
    return Fraction(round(middle * Fraction(10) ** digits)) / Fraction(10) ** digits


_SPARSE = 4
"""An integer result is coded if its bits could hold more than this many times its number of values."""


@dataclass(frozen=True)
class Outputs:
    """The decoding of the results of a run, one code for each slot, to an output of the mechanism."""

    shape: Shape
    codings: tuple[Coding, ...]

    def decode(self, codes: Sequence[int | bool]) -> Any:
        """Return the output for the codes."""
        values = [coding.value(code) for coding, code in zip(self.codings, codes, strict=True)]
        return self.shape.decode(iter(values))

    @property
    def legend(self) -> list[str]:
        """Return one line for each slot whose codes need an explanation."""
        return [
            f"{f'result {position}' if len(self.codings) > 1 else 'the result'}: "
            + ", ".join(f"{_word(coding, code)} = {value!a}" for code, value in enumerate(coding.values))
            for position, coding in enumerate(self.codings)
            if not coding.plain
        ]


def _word(coding: Coding, code: int) -> str:
    return str(code) if coding.kind == "code" else "true" if code else "false"


@dataclass(frozen=True)
class LoweredProgram:
    """A program as core expressions: its results, its evidence, and the lowering that made them."""

    program: Program
    lowering: TermLowering
    slots: tuple[Node, ...]
    evidence: Node
    outputs: Outputs


def lower_program(program: Program) -> LoweredProgram:
    """Lower the results of a program to core expressions.

    Raises:
        TooLarge: an operation that neither Dice nor PRISM has would be written out with too many cases.
    """
    shape = shape_of(program.output)
    terms = slots_of(program.terms, program.output, shape)
    lowering = TermLowering(program, [*terms, program.evidence])
    slots, codings = [], []
    for term in terms:
        coded = lowering[term]
        coding = coded.coding
        if coding.kind == "int" and not isinstance(coded.values, IntegerRange):
            low, high = coded.node.bounds
            if 1 << max(high - min(low, 0), 1).bit_length() > _SPARSE * len(coded.values):
                coding = Coding("code", tuple(sorted(coded.values)))
        slots.append(lowering.recoded(coded, coding))
        codings.append(coding)
    evidence = lowering.truth(lowering[program.evidence])
    return LoweredProgram(program, lowering, tuple(slots), evidence, Outputs(shape, tuple(codings)))
