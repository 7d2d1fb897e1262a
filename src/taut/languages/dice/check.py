"""The type checker: every expression has a type, every number is in range, every name is defined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.languages.dice import syntax
from taut.languages.dice.syntax import Visit, walk
from taut.languages.dice.values import MOST_BITS, MOST_SLOTS, BoolType, IntType, ListType, PairType, Type, Types
from taut.languages.source_text import SourceText
from taut.support.errors import DiceError, DiceTypeError, TooLarge

__all__ = ["BIT", "Checked", "NumberChecks", "Signature", "check"]

_TOLERANCE = Fraction(1, 10_000)
_MOST_OUTCOMES = 1_000_000
_MOST_BINOMIAL = 10**9
_MOST_DENOMINATOR = 30_000


class NumberChecks:
    """Checks of numeric expressions; ``warnings`` lists normalised weights."""

    def __init__(self, source: SourceText, types: Types, strict: bool) -> None:
        self.source = source
        self.types = types
        self.strict = strict
        self.warnings: list[str] = []

    def int_literal(self, node: syntax.IntLiteral, scope: dict[str, Type]) -> Type:
        if not 0 <= node.value < 1 << node.width:
            raise self._unfit(
                node.at,
                f"int({node.width}, {node.value}): {_bits(node.width)} hold the numbers from 0 to "
                f"{(1 << node.width) - 1}.",
                node.value,
            )
        return self.types.integer(node.width)

    def flip(self, node: syntax.Flip, scope: dict[str, Type]) -> Type:
        self._probability(node.at, "flip", node.chance)
        return self.types.bool

    def discrete(self, node: syntax.Discrete, scope: dict[str, Type]) -> Type:
        if len(node.weights) > _MOST_OUTCOMES:
            raise self._large(node.at, f"discrete: at most {_MOST_OUTCOMES} weights are allowed.")
        for place, weight in enumerate(node.weights):
            if weight.numerator < 0:
                raise self._unfit(
                    node.at, f"discrete: the weight of {place} must not be negative; got {_shown(weight)}.", weight
                )
        total = self._total(node)
        if total != 1:
            self._nearly(node, total)
        return self.types.integer(max(1, (len(node.weights) - 1).bit_length()))

    def _total(self, node: syntax.Discrete) -> Fraction:
        """Return the sum of the weights; refuse a common denominator that is too large."""
        common = 1
        for weight in node.weights:
            below = weight.denominator
            if common % below:
                common = math.lcm(common, below)
                if common.bit_length() > _MOST_DENOMINATOR:
                    raise self._large(
                        node.at, f"discrete: the weights' common denominator has over {_MOST_DENOMINATOR} bits."
                    )
        return Fraction(sum([weight.numerator * (common // weight.denominator) for weight in node.weights]), common)

    def _nearly(self, node: syntax.Discrete, total: Fraction) -> None:
        """Accept weights that nearly sum to 1, with a warning, as Dice does; refuse others."""
        shown = _shown(total)
        if abs(total - 1) > _TOLERANCE or self.strict:
            raise self._unfit(node.at, f"discrete: the weights must sum to 1; they sum to {shown}.", total)
        self.warnings.append(
            f"{self.source.place(node.at)}: discrete: the weights sum to {shown}, not to 1; each was divided by that."
            f"{self.source.excerpt(node.at)}"
        )

    def uniform(self, node: syntax.Uniform, scope: dict[str, Type]) -> Type:
        if not 0 <= node.low < node.high <= 1 << node.width:
            raise self._unfit(
                node.at,
                f"uniform({node.width}, {node.low}, {node.high}): from a low end to a high end that is excluded, "
                f"0 <= low < high <= {1 << node.width}.",
                (node.low, node.high),
            )
        return self.types.integer(node.width)

    def binomial(self, node: syntax.Binomial, scope: dict[str, Type]) -> Type:
        self._probability(node.at, "binomial", node.chance)
        if not 0 <= node.tosses < 1 << node.width:
            raise self._unfit(
                node.at,
                f"binomial({node.width}, {node.tosses}, ...): {_bits(node.width)} hold from 0 to "
                f"{(1 << node.width) - 1} tosses.",
                node.tosses,
            )
        if node.tosses**2 * max(1, node.chance.denominator.bit_length()) > _MOST_BINOMIAL and 0 < node.chance < 1:
            raise self._large(node.at, f"binomial with {node.tosses} tosses has too many exact weights.", node.tosses)
        return self.types.integer(node.width)

    def _unfit(self, at: int, reason: str, value: Any = None) -> DiceError:
        return self.source.error(DiceError, at, reason, value)

    def _large(self, at: int, reason: str, value: Any = None) -> TooLarge:
        return self.source.error(TooLarge, at, reason, value)

    def _probability(self, at: int, what: str, chance: Fraction) -> None:
        if not 0 <= chance <= 1:
            raise self._unfit(at, f"{what}: a probability lies in [0, 1]; got {_shown(chance)}.", chance)


def _bits(width: int) -> str:
    return f"{width} bit{'s' if width > 1 else ''}"


def _shown(value: Fraction) -> str:
    """Format a number for a message: exactly if that is short, and as a decimal."""
    try:
        near = f"{float(value):.10g}"
    except OverflowError:
        return "a number beyond 1e308"
    short = max(abs(value.numerator), value.denominator).bit_length() < 100
    return f"{value} = {near}" if short and value.denominator > 1 else str(value) if short else f"about {near}"


BIT = "nth_bit"
"""The only function that Dice itself defines."""


@dataclass(frozen=True, eq=False)
class Signature:
    """A function with its types; ``result`` is None while its undeclared result type is being inferred."""

    function: syntax.Function
    result: Type | None


@dataclass(frozen=True)
class Checked:
    """The result of type checking: functions, the type of the program, unused bindings, and warnings."""

    functions: dict[str, Signature]
    result: Type | None
    warnings: tuple[str, ...]
    unused: frozenset[syntax.Binding]
    """Bindings of the program on which neither the result nor an observation depends."""


def check(file: syntax.File, source: SourceText, types: Types, strict: bool) -> Checked:
    """Check a whole file, including functions that are never called.

    Raises:
        DiceTypeError: types that do not fit, names that are not defined.
        DiceError: numbers out of their range; with ``strict``, weights whose sum is only close to 1.
        TooLarge: a value that would need too many bits.
    """
    checker = _Checker(source, types, strict, {function.name for function in file.functions})
    for function in file.functions:
        checker.define(function)
    result = checker.type_of(file.main, {}) if file.main is not None else None
    return Checked(checker.functions, result, tuple(checker.warnings), checker.unused(file.main))


class _Checker(NumberChecks):
    def __init__(self, source: SourceText, types: Types, strict: bool, names: set[str]) -> None:
        super().__init__(source, types, strict)
        self.names = names
        self.functions: dict[str, Signature] = {}
        self._looked_up: list[str] = []
        """The names of all variables looked up so far, in order."""
        self._effects = 0
        """Number of expressions so far with an effect, which matter even if their value is unused."""
        self._pure: set[str] = set()
        self._spans: dict[syntax.Binding, tuple[int, int, bool]] = {}
        """For each binding, the range of its value's names in ``_looked_up``, and True if it has an effect."""

    def define(self, function: syntax.Function) -> None:
        if function.name in self.functions:
            raise self._wrong(function.at, f"there is already a function '{function.name}'; give this one another name")
        if function.name == BIT:
            raise self._wrong(function.at, f"'{BIT}' is Dice's own function; give this one another name")
        scope: dict[str, Type] = {}
        for parameter in function.parameters:
            if parameter.name in scope:
                raise self._wrong(parameter.at, f"there is already a parameter '{parameter.name}'")
            scope[parameter.name] = self._sized(parameter.at, parameter.type)
        self.functions[function.name] = Signature(function, function.result)
        before = self._effects
        found = self.type_of(function.body, scope)
        if self._effects == before:
            self._pure.add(function.name)
        if function.result is not None and found is not function.result:
            raise self._wrong(
                function.body.at, f"'{function.name}' is declared to give {function.result}, but its body gives {found}"
            )
        self.functions[function.name] = Signature(function, found)

    def type_of(self, expression: syntax.DiceExpression, scope: dict[str, Type]) -> Type:
        found: Type = walk(self.visit(expression, scope))
        return found

    def unused(self, main: syntax.DiceExpression | None) -> frozenset[syntax.Binding]:
        """Return the bindings on which neither the program's result nor an observation depends."""
        around: list[syntax.Binding] = []
        while isinstance(main, syntax.Binding):
            around.append(main)
            main = main.body
        if not around:
            return frozenset()
        needed = set(self._looked_up[self._spans[around[-1]][1] :])
        unused = set()
        for binding in reversed(around):
            start, stop, effect = self._spans[binding]
            if effect or binding.name in needed:
                needed.discard(binding.name)
                needed.update(self._looked_up[start:stop])
            else:
                unused.add(binding)
        return frozenset(unused)

    def visit(self, node: syntax.DiceExpression, scope: dict[str, Type]) -> Visit | Type:
        """Return the type of an expression; ``scope`` is restored when the visit ends."""
        visit: Visit | Type = _VISITS[type(node)](self, node, scope)
        return visit

    # -- without operands ----------------------------------------------------------------------------------------

    def _truth(self, node: syntax.Truth, scope: dict[str, Type]) -> Type:
        return self.types.bool

    def _name(self, node: syntax.Name, scope: dict[str, Type]) -> Type:
        if node.name not in scope:
            hint = f"; a function is called with parentheses, {node.name}(...)" if node.name in self.names else ""
            raise self._wrong(node.at, f"there is no variable '{node.name}' here{hint}")
        self._looked_up.append(node.name)
        return scope[node.name]

    def _empty_list(self, node: syntax.EmptyList, scope: dict[str, Type]) -> Type:
        if not isinstance(node.type, ListType):
            raise self._wrong(node.at, f"an empty list has a list's type, like [] : list({node.type})")
        return self._sized(node.at, node.type)

    # -- with operands -------------------------------------------------------------------------------------------

    def _pair(self, node: syntax.Pair, scope: dict[str, Type]) -> Visit:
        left = yield self.visit(node.left, scope)
        right = yield self.visit(node.right, scope)
        return self._sized(node.at, self.types.pair(left, right))

    def _list_literal(self, node: syntax.ListLiteral, scope: dict[str, Type]) -> Visit:
        first = yield self.visit(node.items[0], scope)
        for item in node.items[1:]:
            found = yield self.visit(item, scope)
            if found is not first:
                raise self._wrong(item.at, f"the items of a list have one type: the first is {first}, this is {found}")
        if len(node.items) > self.types.list_bound:
            raise self._wrong(
                node.at,
                f"a list of {len(node.items)} items; lists hold up to {self.types.list_bound} "
                "(--max-list-length, else --recursion-limit, allows more)",
            )
        return self._sized(node.at, self.types.list(first))

    def _prefix(self, node: syntax.PrefixOperation, scope: dict[str, Type]) -> Visit:
        operator, operand = node.operator, node.operand
        if operator == "sample":
            raise self._wrong(node.at, "'sample' has no exact meaning, and Dice does not implement it; leave it out")
        found = yield self.visit(operand, scope)
        self._effects += operator in ("observe", "head", "tail")
        if operator in ("!", "observe"):
            self._demand(operand, found, self.types.bool, f"'{operator}'")
            return self.types.bool
        if operator in ("fst", "snd"):
            if not isinstance(found, PairType):
                raise self._wrong(operand.at, f"'{operator}' takes a pair; this is {found}", reach=operator)
            return found.left if operator == "fst" else found.right
        if not isinstance(found, ListType):
            raise self._wrong(operand.at, f"'{operator}' takes a list; this is {found}", reach=operator)
        return {"head": found.item, "tail": found, "length": self.types.length}[operator]

    def _binary(self, node: syntax.Binary, scope: dict[str, Type]) -> Visit:
        left = yield self.visit(node.left, scope)
        right = yield self.visit(node.right, scope)
        operator = node.operator
        if operator in ("&&", "||", "<=>", "^"):
            for side, found in ((node.left, left), (node.right, right)):
                self._demand(side, found, self.types.bool, f"'{operator}'")
            return self.types.bool
        if operator == "::":
            if not isinstance(right, ListType):
                raise self._wrong(node.right.at, f"what follows '::' is a list; this is {right}")
            self._demand(node.left, left, right.item, f"'::' before a {right}")
            return right
        for side, found in ((node.left, left), (node.right, right)):
            if not isinstance(found, IntType):
                raise self._wrong(side.at, f"'{operator}' takes integers; this is {found}{_hint(operator, found)}")
        if left is not right:
            raise self._wrong(node.sign, f"'{operator}' takes integers of one width; these are {left} and {right}")
        if operator == "/":
            raise self._wrong(node.sign, "'/' on integers is not implemented in Dice either; '>> k' divides by 2^k")
        return left if operator in ("+", "-", "*") else self.types.bool

    def _shift(self, node: syntax.Shift, scope: dict[str, Type]) -> Visit:
        found = yield self.visit(node.operand, scope)
        if not isinstance(found, IntType) and not (found is self.types.bool and node.amount == 0):
            raise self._wrong(node.operand.at, f"'{node.operator}' takes an integer; this is {found}")
        if node.amount < 0:
            raise self._unfit(node.sign, f"shifts are by 0 or more places; got {node.amount}.", node.amount)
        return found

    def _conditional(self, node: syntax.Conditional, scope: dict[str, Type]) -> Visit:
        test = yield self.visit(node.test, scope)
        self._demand(node.test, test, self.types.bool, "'if'")
        then = yield self.visit(node.then, scope)
        other = yield self.visit(node.other, scope)
        if then is not other:
            raise self._wrong(node.other.at, f"both branches of 'if' have one type: 'then' has {then}, 'else' {other}")
        return then

    def _binding(self, node: syntax.Binding, scope: dict[str, Type]) -> Visit:
        start, effects = len(self._looked_up), self._effects
        value = yield self.visit(node.value, scope)
        self._spans[node] = (start, len(self._looked_up), self._effects > effects)
        before = scope.get(node.name)
        scope[node.name] = value
        body = yield self.visit(node.body, scope)
        if before is None:
            del scope[node.name]
        else:
            scope[node.name] = before
        return body

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: syntax.Call, scope: dict[str, Type]) -> Visit:
        given = []
        for argument in node.arguments:
            given.append((yield self.visit(argument, scope)))
        if node.name == BIT:
            return self._nth_bit(node, given)
        signature = self._known(node.at, node.name)
        parameters = signature.function.parameters
        if len(given) != len(parameters):
            raise self._wrong(node.at, f"'{node.name}' takes {_count(len(parameters))}; got {len(given)}")
        for argument, found, parameter in zip(node.arguments, given, parameters, strict=True):
            self._demand(argument, found, parameter.type, f"'{parameter.name}' of '{node.name}'")
        return self._sized(node.at, self._result(node.at, signature))

    def _nth_bit(self, node: syntax.Call, given: list[Type]) -> Type:
        if len(given) != 2 or not isinstance(node.arguments[0], syntax.IntLiteral):
            raise self._wrong(node.at, f"{BIT} takes a literal and an integer: {BIT}(int(w, i), e)")
        literal, found = node.arguments[0], given[1]
        # Dice takes bits off one after the other, so it finds those before the last of either width.
        before_last = isinstance(found, IntType) and literal.value < min(literal.width, found.width) - 1
        if not isinstance(found, IntType) or (found.width != literal.width and not before_last):
            raise self._wrong(
                node.arguments[1].at,
                f"{BIT}(int({literal.width}, {literal.value}), e) takes an e of type int({literal.width}); "
                f"this is {found}",
            )
        if literal.value >= literal.width:
            raise self._wrong(
                literal.at, f"int({literal.width}) has the bits 0 to {literal.width - 1}, from the highest"
            )
        return self.types.bool

    def _iterate(self, node: syntax.Iterate, scope: dict[str, Type]) -> Visit:
        start = yield self.visit(node.start, scope)
        signature = self._known(node.at, node.function)
        parameters = signature.function.parameters
        if node.rounds < 0:
            raise self._unfit(node.at, f"iterate: the number of rounds is 0 or more; got {node.rounds}.", node.rounds)
        if len(parameters) != 1:
            raise self._wrong(node.at, f"iterate: '{node.function}' must take 1 argument; it takes {len(parameters)}")
        if node.rounds == 0:
            return start
        self._demand(node.start, start, parameters[0].type, f"'{parameters[0].name}' of '{node.function}'")
        result = self._sized(node.at, self._result(node.at, signature))
        if node.rounds > 1 and result is not start:
            raise self._wrong(node.at, f"iterate: '{node.function}' takes {start} but gives {result}")
        return result

    def _known(self, at: int, name: str) -> Signature:
        if name in self.functions:
            self._effects += name not in self._pure  # among them all that call themselves, and may go too deep
            return self.functions[name]
        if name in self.names:
            raise self._wrong(at, f"'{name}' is defined below; a function is defined before it is used")
        known = f"; there are {', '.join(list(self.functions)[:8])}" if self.functions else ""
        raise self._wrong(at, f"there is no function '{name}'{known}")

    def _result(self, at: int, signature: Signature) -> Type:
        if signature.result is None:
            name = signature.function.name
            raise self._wrong(at, f"'{name}' calls itself, so its type must be declared: fun {name}(...): type")
        return signature.result

    # -- inside --------------------------------------------------------------------------------------------------

    def _demand(self, node: syntax.DiceExpression, found: Type, wanted: Type, what: str) -> None:
        if found is not wanted:
            raise self._wrong(node.at, f"{what} takes {wanted}; this is {found}")

    def _sized(self, at: int, found: Type) -> Type:
        if found.slots > MOST_SLOTS:
            raise self._large(
                at, f"a value of type {found} has more than {MOST_SLOTS} parts (a list counts all it has room for)."
            )
        if isinstance(found, IntType) and found.width > MOST_BITS:
            raise self._large(at, f"an integer of {found.width} bits; at most {MOST_BITS} are allowed.")
        return found

    def _wrong(self, at: int, reason: str, reach: str = "") -> DiceTypeError:
        hint = f"; '{reach}' reaches as far right as possible, so use parentheses" if reach else ""
        return self.source.error(DiceTypeError, at, f"{reason}{hint}.")


_VISITS: dict[type[Any], Any] = {
    syntax.Truth: _Checker._truth,
    syntax.Name: _Checker._name,
    syntax.IntLiteral: _Checker.int_literal,
    syntax.Flip: _Checker.flip,
    syntax.Discrete: _Checker.discrete,
    syntax.Uniform: _Checker.uniform,
    syntax.Binomial: _Checker.binomial,
    syntax.EmptyList: _Checker._empty_list,
    syntax.Pair: _Checker._pair,
    syntax.ListLiteral: _Checker._list_literal,
    syntax.PrefixOperation: _Checker._prefix,
    syntax.Binary: _Checker._binary,
    syntax.Shift: _Checker._shift,
    syntax.Conditional: _Checker._conditional,
    syntax.Binding: _Checker._binding,
    syntax.Call: _Checker._call,
    syntax.Iterate: _Checker._iterate,
}


def _hint(operator: str, found: Type) -> str:
    """Return a hint for an operand of an integer operator that is not an integer."""
    if not isinstance(found, BoolType):
        return "; words like 'fst' and 'length' reach as far right as possible, so use parentheses"
    if operator in ("==", "!="):
        return "; write <=> or ^ for bools"
    return "; '==' is as tight as '+', so use parentheses" if operator in ("+", "-") else ""


def _count(arguments: int) -> str:
    return f"{arguments} argument{'' if arguments == 1 else 's'}"
