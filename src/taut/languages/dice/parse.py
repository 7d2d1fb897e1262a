"""The parser: operator precedence with an explicit stack; ``tests/languages/dice/grammar.lark`` is the grammar."""

from __future__ import annotations

from typing import Any

from taut.languages.dice import syntax
from taut.languages.dice.tokens import KEYWORDS, PREFIXES, Tokens, next_token
from taut.languages.dice.values import Type, Types
from taut.languages.source_text import SourceText

__all__ = ["parse"]

_TIGHTNESS = {"||": 1, "&&": 2, "!": 3, "<=>": 4, "^": 5, "::": 7, "*": 9, "/": 9}
_TIGHTNESS |= dict.fromkeys(("<=", ">=", "<", ">", "!="), 6)
_TIGHTNESS |= dict.fromkeys(("+", "-", "==", "<<", ">>"), 8)
"""Precedence of the operators; all group to the left except '::'."""
_INFIX = frozenset(_TIGHTNESS) - {"!"}
_CLOSING = {
    "(": (")", ","),
    "pair": (")",),
    "call": (")", ","),
    "[": ("]", ","),
    "if": ("then",),
    "then": ("else",),
    "let": ("in",),
    "iterate": (",",),
}
"""For each kind of frame, the tokens that may follow its expression; other frames end with their expression."""

_NO_OPERAND = frozenset({"then", "else", "in", "fun", "bool", "list"})
_NEXT_PART = {"(": "pair", "if": "then", "then": "else", "let": "in"}
"""The next kind of a frame after its first or next part."""


def parse(source: SourceText, types: Types) -> syntax.File:
    """Parse a program; raise DiceSyntaxError at the first invalid token.

    Raises:
        DiceSyntaxError: the text is not a Dice program.
        DiceError: a number that cannot be what it is given as.
        TooLarge: a number with more than 400 digits, or an integer type of more than 1024 bits.
    """
    return _Parser(source, types).file()


class _Parser(Tokens):
    def __init__(self, source: SourceText, types: Types) -> None:
        super().__init__(source)
        self.types = types

    def file(self) -> syntax.File:
        functions = []
        while (found := next_token(self.text, self.place))[1] == "fun":
            self.place = found.end()
            functions.append(self._function())
        main = None if self.at_end() else self._expression()
        return syntax.File(tuple(functions), main)

    def _function(self) -> syntax.Function:
        at, name = self.name()
        self.expect("(")
        parameters: list[syntax.Parameter] = []
        if not self.accept(")"):
            place, parameter = self.name("a name or ')'")
            while True:
                self.expect(":")
                parameters.append(syntax.Parameter(place, parameter, self._type()))
                if not self.accept(","):
                    break
                place, parameter = self.name()
            self.expect(")", "')' or ','")
        result = self._type() if self.accept(":") else None
        self.expect("{", "'{'" if result else "'{' or ':'")
        body = self._expression("}")
        self.expect("}")
        return syntax.Function(at, name, tuple(parameters), result, body)

    def _type(self) -> Type:
        begun: list[list[Type] | None] = []
        while True:
            found = next_token(self.text, self.place)
            word, sign = found[1], found[2]
            if word not in ("bool", "int", "list") and sign != "(":
                self.refuse("a type")
            self.place = found.end()
            made: Type = self.types.bool
            if word == "int":
                self.expect("(")
                made = self.types.integer(self.width())
                self.expect(")")
            elif word != "bool":
                if word == "list":
                    self.expect("(")
                begun.append(None if word == "list" else [])
                continue
            while begun:
                left = begun[-1]
                if left == []:
                    self.expect(",")
                    left.append(made)
                    break
                self.expect(")")
                made = self.types.list(made) if left is None else self.types.pair(left[0], made)
                begun.pop()
            else:
                return made

    # -- expressions: a stack of those that are begun stands in for recursion, so that any depth will do ---------------

    def _expression(self, end: str | None = None) -> Any:
        """Parse the expression up to ``end`` (None: the end of the text)."""
        text = self.text
        begun: list[Any] = []
        operands: list[Any] = []
        waiting: list[tuple[str, int]] = []
        while True:
            found = next_token(text, self.place)
            word, sign = found[1], found[2]
            frame: list[Any] | None = None
            node: Any = None
            if word is not None:
                at = found.start(1)
                if word not in KEYWORDS:
                    self.place = found.end()
                    if not self.accept("("):
                        node = syntax.Name(at, word)
                    elif self.accept(")"):
                        node = syntax.Call(at, word, ())
                    else:
                        frame = ["call", at, word, []]
                elif word in PREFIXES:
                    self.place = found.end()
                    frame = ["prefix", at, word]
                else:
                    frame, node = self._keyword(word, at, found.end())
            elif sign == "(":
                self.place = found.end()
                frame = ["(", found.start(2)]
            elif sign == "[":
                self.place = found.end()
                if self.accept("]"):
                    self.expect(":")
                    node = syntax.EmptyList(found.start(2), self._type())
                else:
                    frame = ["[", found.start(2), []]
            elif sign == "!":
                self.place = found.end()
                waiting.append((sign, found.start(2)))
                continue
            else:
                self.refuse("an expression")
            if frame is not None:
                begun.append((frame, operands, waiting))
                operands, waiting = [], []
                continue
            while True:  # an operand is complete
                operands.append(node)
                found = next_token(text, self.place)
                sign = found[2]
                if sign in _INFIX:
                    self.place = found.end()
                    _group(operands, waiting, _TIGHTNESS[sign] + (sign == "::"))
                    if sign in ("<<", ">>"):
                        # a shift takes a number and no operand: a tighter operator behind it takes the shifted value
                        amount = self.whole()
                        operand = operands.pop()
                        node = syntax.Shift(operand.at, sign, operand, amount, found.start(2))
                        continue
                    waiting.append((sign, found.start(2)))
                    break
                _group(operands, waiting, 0)
                node = operands[0]
                if not begun:
                    if sign == end and (end or self.at_end()):
                        return node
                    self.refuse_after_operand(f"'{end}'" if end else "the end")
                frame, operands, waiting = begun[-1]
                if closing := _CLOSING.get(frame[0]):
                    if (sign or found[1]) not in closing:
                        self.refuse_after_operand(*[f"'{token}'" for token in closing])
                    self.place = found.end()
                node = self._ended(frame, node, sign)
                if node is None:
                    operands, waiting = [], []
                    break
                begun.pop()

    def _keyword(self, word: str, at: int, end: int) -> tuple[list[Any] | None, Any]:
        """Return the frame of an expression that begins with a keyword, or the expression if it is complete."""
        if word in _NO_OPERAND:
            self.refuse("an expression")
        self.place = end
        if word == "if":
            return ["if", at], None
        if word == "int":
            return None, syntax.IntLiteral(at, *self.numbers("width", "whole"))
        if word == "discrete":
            return None, syntax.Discrete(at, self.numbers())
        if word == "flip":
            opened = self.accept("(")
            chance = self.number()
            if opened:
                self.expect(")")
            return None, syntax.Flip(at, chance)
        if word in ("true", "false"):
            return None, syntax.Truth(at, word == "true")
        if word == "uniform":
            return None, syntax.Uniform(at, *self.numbers("width", "whole", "whole"))
        if word == "binomial":
            return None, syntax.Binomial(at, *self.numbers("width", "whole", "number"))
        if word == "iterate":
            self.expect("(")
        _, name = self.name()
        self.expect("," if word == "iterate" else "=")
        return [word, at, name], None

    def _ended(self, frame: list[Any], node: Any, sign: str | None) -> Any:
        """Return the expression that ends with its part ``node``; None if another part follows."""
        kind, at = frame[0], frame[1]
        if kind in _NEXT_PART and not (kind == "(" and sign == ")"):
            frame[0] = _NEXT_PART[kind]
            frame.append(node)
            return None
        if kind == "(":
            return node
        if kind == "pair":
            return syntax.Pair(at, frame[2], node)
        if kind in ("call", "["):
            items = frame[-1]
            items.append(node)
            if sign == ",":
                return None
            return syntax.Call(at, frame[2], tuple(items)) if kind == "call" else syntax.ListLiteral(at, tuple(items))
        if kind == "else":
            return syntax.Conditional(at, frame[2], frame[3], node)
        if kind == "in":
            return syntax.Binding(at, frame[2], frame[3], node)
        if kind == "prefix":
            return syntax.PrefixOperation(at, frame[2], node)
        rounds = self.whole()  # iterate(function, start, rounds)
        self.expect(")")
        return syntax.Iterate(at, frame[2], node, rounds)


def _group(operands: list[Any], waiting: list[tuple[str, int]], least: int) -> None:
    """Apply the waiting operators of at least precedence ``least``, last one first."""
    while waiting and _TIGHTNESS[waiting[-1][0]] >= least:
        operator, at = waiting.pop()
        right = operands.pop()
        if operator == "!":
            operands.append(syntax.PrefixOperation(at, operator, right))
        else:
            left = operands.pop()
            operands.append(syntax.Binary(left.at, operator, left, right, at))
