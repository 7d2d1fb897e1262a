"""Text to syntax tree by the grammar in ``dice.lark``, with a message where a text is not a program."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from taut.errors import DiceError, DiceSyntaxError, TooLarge
from taut.frontend.dice import syntax
from taut.frontend.dice.scan import TIGHTNESS
from taut.frontend.dice.source import Source
from taut.frontend.dice.types import MOST_BITS, Type, Types
from taut.numbers import fraction_of_text

__all__ = ["parse"]

_MOST_DIGITS = 400
_MOST_POWER = 1_000
Node = Any
"""What a rule makes of its children: an expression, a type, a number, a tuple of those."""


def parse(source: Source, types: Types) -> syntax.File:
    """Read a program, or refuse it at the place where it stops being one.

    Raises:
        DiceSyntaxError: the text is not a Dice program.
        DiceError: a number that cannot be what it is given as.
        TooLarge: a number with more than 400 digits, or an integer type of more than 1024 bits.
    """
    try:
        tree = _parser().parse(source.text)
    except UnexpectedCharacters as problem:
        at = problem.pos_in_stream or 0
        raise source.error(DiceSyntaxError, at, f"{source.text[at]!r} cannot stand in a Dice program.") from None
    except UnexpectedToken as problem:
        raise _unexpected(source, problem) from None
    return _Builder(source, types).build(tree)


@cache
def _parser() -> Lark:
    grammar = files("taut.frontend.dice").joinpath("dice.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _unexpected(source: Source, problem: UnexpectedToken) -> DiceSyntaxError:
    """The error at a token that cannot stand where it does, in terms of the token before."""
    token = problem.token
    at_end = token.type == "$END"
    at = len(source.text.rstrip()) if at_end else token.start_pos or 0
    before = _token_before(source.text, at)
    expected = _expectation(problem.accepts)
    where = f" after '{before}'" if before else ""
    got = "the program ends" if at_end else f"got '{_cut(str(token))}'"
    hint = ""
    if str(token).startswith("-") and token.type == "WHOLE" and "MINUS" in problem.accepts:
        hint = " A minus that touches a digit belongs to the number."
    elif token.type == "WHOLE" and "FLIP" in problem.accepts:
        hint = " A number is written int(width, value)."
    return source.error(DiceSyntaxError, at, f"expected {expected}{where}, but {got}.{hint}", value=str(token))


def _token_before(text: str, at: int) -> str:
    last = ""
    for token in _parser().lex(text[:at]):
        last = str(token)
    return _cut(last)


_WORDS = {
    "WHOLE": "a whole number",
    "NAME": "a name",
    "FLOAT": "a number",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "RSQB": "']'",
    "COMMA": "','",
    "COLON": "':'",
    "EQUAL": "'='",
    "THEN": "'then'",
    "ELSE": "'else'",
    "IN": "'in'",
    "$END": "the end",
}


def _expectation(accepts: set[str]) -> str:
    if "FLIP" in accepts:
        return "an expression"
    if "BOOL" in accepts:
        return "a type"
    if "FLOAT" in accepts:
        return "a number"
    named = [word for terminal, word in _WORDS.items() if terminal in accepts]
    if "PLUS" in accepts:
        named.insert(0, "an operator")
    return " or ".join(named) or "something else"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


class _Builder:
    """Makes syntax of parse trees, children first; a stack stands in for recursion, so that any depth will do."""

    def __init__(self, source: Source, types: Types) -> None:
        self.source = source
        self.types = types

    def build(self, root: Tree[Token]) -> syntax.File:
        values: list[Node] = []
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if not isinstance(node, Tree):
                values.append(node)
            elif not ready:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children))
            else:
                first = len(values) - len(node.children)
                parts = values[first:]
                del values[first:]
                make: Callable[..., Node] = getattr(self, f"make_{node.data}")
                values.append(make(*parts))
        file: syntax.File = values[0]
        return file

    # -- files ---------------------------------------------------------------------------------------------------

    def make_start(self, *parts: Node) -> syntax.File:
        functions = tuple(part for part in parts if isinstance(part, syntax.Function))
        main = parts[-1] if len(parts) > len(functions) else None
        return syntax.File(functions, main)

    def make_function(self, word: Token, name: Token, parameters: Node, result: Node, body: Node) -> syntax.Function:
        return syntax.Function(_at(name), str(name), parameters or (), result, body)

    def make_parameters(self, *parameters: Node) -> tuple[Node, ...]:
        return parameters

    def make_parameter(self, name: Token, type_: Type) -> syntax.Parameter:
        return syntax.Parameter(_at(name), str(name), type_)

    # -- types ---------------------------------------------------------------------------------------------------

    def make_bool_type(self, word: Token) -> Type:
        return self.types.bool

    def make_int_type(self, word: Token, width: Token) -> Type:
        return self.types.integer(self._width(width))

    def make_pair_type(self, parenthesis: Token, left: Type, right: Type) -> Type:
        return self.types.pair(left, right)

    def make_list_type(self, word: Token, item: Type) -> Type:
        return self.types.list(item)

    # -- numbers -------------------------------------------------------------------------------------------------

    def make_number(self, first: Token, second: Token | None = None) -> Fraction:
        if second is not None:
            below = self._whole(second)
            if below == 0:
                raise self.source.error(DiceError, _at(second), "a fraction must not be divided by 0.")
            return Fraction(self._whole(first), below)
        if first.type == "WHOLE":
            return Fraction(self._whole(first))
        self._short(first)
        text = str(first)
        digits, _, power = text.lower().partition("e")
        if power and abs(int(power)) > _MOST_POWER:
            raise self.source.error(
                TooLarge, _at(first), f"'{_cut(text)}': powers of ten go up to {_MOST_POWER}.", value=text
            )
        value = fraction_of_text(text) if digits.strip(".") else None
        if value is None:
            raise self.source.error(
                DiceSyntaxError, _at(first), f"'{_cut(text)}' is not a number; write 0.5, 1/2 or 5e-1.", value=text
            )
        return value

    def _whole(self, token: Token) -> int:
        self._short(token)
        return int(token)

    def _short(self, token: Token) -> None:
        if len(token) > _MOST_DIGITS:
            raise self.source.error(
                TooLarge, _at(token), f"a number of {len(token)} digits; at most {_MOST_DIGITS} are allowed."
            )

    def _width(self, token: Token) -> int:
        width = self._whole(token)
        if width < 1:
            raise self.source.error(DiceError, _at(token), f"an integer has at least 1 bit; got {width}.", value=width)
        if width > MOST_BITS:
            raise self.source.error(
                TooLarge, _at(token), f"an integer of {width} bits; at most {MOST_BITS} are allowed.", value=width
            )
        return width

    # -- expressions ---------------------------------------------------------------------------------------------

    def make_true(self, word: Token) -> syntax.Expression:
        return syntax.Truth(_at(word), True)

    def make_false(self, word: Token) -> syntax.Expression:
        return syntax.Truth(_at(word), False)

    def make_name(self, name: Token) -> syntax.Expression:
        return syntax.Name(_at(name), str(name))

    def make_call(self, name: Token, arguments: Node) -> syntax.Expression:
        return syntax.Call(_at(name), str(name), arguments or ())

    def make_arguments(self, *arguments: Node) -> tuple[Node, ...]:
        return arguments

    def make_int_literal(self, word: Token, width: Token, value: Token) -> syntax.Expression:
        return syntax.IntLiteral(_at(word), self._width(width), self._whole(value))

    def make_flip(self, word: Token, chance: Fraction) -> syntax.Expression:
        return syntax.Flip(_at(word), chance)

    def make_discrete(self, word: Token, *weights: Fraction) -> syntax.Expression:
        return syntax.Discrete(_at(word), weights)

    def make_uniform(self, word: Token, width: Token, low: Token, high: Token) -> syntax.Expression:
        return syntax.Uniform(_at(word), self._width(width), self._whole(low), self._whole(high))

    def make_binomial(self, word: Token, width: Token, tosses: Token, chance: Fraction) -> syntax.Expression:
        return syntax.Binomial(_at(word), self._width(width), self._whole(tosses), chance)

    def make_pair(self, parenthesis: Token, left: Node, right: Node) -> syntax.Expression:
        return syntax.Pair(_at(parenthesis), left, right)

    def make_list_literal(self, bracket: Token, *items: Node) -> syntax.Expression:
        return syntax.ListLiteral(_at(bracket), items)

    def make_empty_list(self, bracket: Token, type_: Type) -> syntax.Expression:
        return syntax.EmptyList(_at(bracket), type_)

    def make_iterate(self, word: Token, function: Token, start: Node, rounds: Token) -> syntax.Expression:
        return syntax.Iterate(_at(word), str(function), start, self._whole(rounds))

    def make_expression(self, *parts: Node) -> syntax.Expression:
        """Operands and operators in a row, grouped as Dice's parser groups them.

        An operator waits until one follows that is not tighter. A shift takes a number and not an operand: it is done
        as soon as what stands before it is grouped, so that a tighter operator behind it takes the shifted value.
        """
        operands: list[Node] = []
        waiting: list[Token] = []
        rest = iter(parts)
        for part in rest:
            if not isinstance(part, Token):
                operands.append(part)
                continue
            if part.type != "NOT":
                self._group(operands, waiting, TIGHTNESS[str(part)] + (part.type == "CONS"))
            if part.type in ("LEFT", "RIGHT"):
                amount = self._whole(next(rest))
                operand = operands.pop()
                operands.append(syntax.Shift(operand.at, str(part), operand, amount, _at(part)))
            else:
                waiting.append(part)
        self._group(operands, waiting, 0)
        expression: syntax.Expression = operands[0]
        return expression

    def _group(self, operands: list[Node], waiting: list[Token], least: int) -> None:
        """Apply the waiting operators that are at least so tight, the last one first."""
        while waiting and TIGHTNESS[str(waiting[-1])] >= least:
            operator = waiting.pop()
            right = operands.pop()
            if operator.type == "NOT":
                operands.append(syntax.Prefix(_at(operator), str(operator), right))
            else:
                left = operands.pop()
                operands.append(syntax.Binary(left.at, str(operator), left, right, _at(operator)))

    def make_prefix(self, operator: Token, operand: Node) -> syntax.Expression:
        return syntax.Prefix(_at(operator), str(operator), operand)

    def make_conditional(self, word: Token, test: Node, then: Node, other: Node) -> syntax.Expression:
        return syntax.Conditional(_at(word), test, then, other)

    def make_binding(self, word: Token, name: Token, value: Node, body: Node) -> syntax.Expression:
        return syntax.Binding(_at(word), str(name), value, body)


def _at(token: Token) -> int:
    return token.start_pos or 0
