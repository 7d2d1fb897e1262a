"""Text to syntax tree by hand, several times as fast as the grammar; whatever is unusual is left to the grammar.

``dice.lark`` says what a program is, and all that is refused is refused by it, with its message. This module reads
the same trees from well-formed programs, and gives up where it is in any doubt: numbers that are long or have a power,
types that are nested deeply, every mistake.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NoReturn

from taut.frontend.dice import syntax
from taut.frontend.dice.types import MOST_BITS, Type, Types

__all__ = ["TIGHTNESS", "scan"]

TIGHTNESS = {"||": 1, "&&": 2, "!": 3, "<=>": 4, "^": 5, "::": 7, "*": 9, "/": 9}
TIGHTNESS |= dict.fromkeys(("<=", ">=", "<", ">", "!="), 6)
TIGHTNESS |= dict.fromkeys(("+", "-", "==", "<<", ">>"), 8)
"""How tight the operators are; all group to the left except '::'."""

_PREFIXES = frozenset({"observe", "fst", "snd", "head", "tail", "length", "sample"})
_KEYWORDS = _PREFIXES | {"int", "bool", "list", "if", "then", "else", "true", "false", "let", "in", "fun", "flip"}
_KEYWORDS |= {"discrete", "uniform", "binomial", "iterate"}
_INFIX = frozenset(TIGHTNESS) - {"!"}
_DEEPEST_TYPE = 30

_S = r"(?:[ \t\r\n]++|//[^\n]*+)*+"
_W = r"[ \t\r\n]*+"
_WHOLE = r"-?[0-9]{1,40}(?![0-9.eE])"
_DECIMAL = r"[0-9]{1,40}\.[0-9]{0,40}(?![0-9.eE])|\.[0-9]{1,40}(?![0-9.eE])"
_NUMBER = rf"(?:{_DECIMAL}|{_WHOLE}{_W}/{_W}{_WHOLE}|{_WHOLE})(?!{_W}/)"


def _matcher(pattern: str) -> Any:
    return re.compile(pattern, re.ASCII).match


_token = _matcher(rf"{_S}(?:([A-Za-z_][A-Za-z0-9_]*)|(<=>|<<|>>|<=|>=|==|!=|::|&&|\|\||[-+*/^!<>=:()\[\]{{}},]))?")
_open = _matcher(rf"{_S}\(")
_whole = _matcher(rf"{_W}({_WHOLE})")
_flip = _matcher(rf"{_W}(?:({_NUMBER})|\({_W}({_NUMBER}){_W}\))")
_discrete = _matcher(rf"{_W}\(({_W}{_NUMBER}{_W}(?:,{_W}{_NUMBER}{_W})*)\)")
_two = _matcher(rf"{_W}\({_W}({_WHOLE}){_W},{_W}({_WHOLE}){_W}\)")
_three = _matcher(rf"{_W}\({_W}({_WHOLE}){_W},{_W}({_WHOLE}){_W},{_W}({_NUMBER}){_W}\)")


class _Doubt(Exception):
    """Something that the grammar has to decide."""


def scan(text: str, types: Types) -> syntax.File | None:
    """The tree that the grammar gives a program; None where that is not certain."""
    try:
        return _Scanner(text, types).file()
    except _Doubt:
        return None


class _Scanner:
    def __init__(self, text: str, types: Types) -> None:
        self.text = text
        self.types = types
        self.place = 0
        self._numbers: dict[str, Fraction] = {}

    def file(self) -> syntax.File:
        functions = []
        while (found := _token(self.text, self.place))[1] == "fun":
            self.place = found.end()
            functions.append(self._function())
        if found.end() == len(self.text) and not found[1] and not found[2]:
            return syntax.File(tuple(functions), None)
        main = self._expression()
        rest = _token(self.text, self.place)
        if rest.end() != len(self.text) or rest[1] or rest[2]:
            _doubt()
        return syntax.File(tuple(functions), main)

    def _function(self) -> syntax.Function:
        at, name = self._name()
        self._expect("(")
        parameters: list[syntax.Parameter] = []
        if not self._accept(")"):
            while True:
                where, parameter = self._name()
                self._expect(":")
                parameters.append(syntax.Parameter(where, parameter, self._type(0)))
                if not self._accept(","):
                    break
            self._expect(")")
        result = self._type(0) if self._accept(":") else None
        self._expect("{")
        body = self._expression()
        self._expect("}")
        return syntax.Function(at, name, tuple(parameters), result, body)

    def _type(self, depth: int) -> Type:
        found = _token(self.text, self.place)
        self.place = found.end()
        if depth > _DEEPEST_TYPE:
            _doubt()
        if found[1] == "bool":
            return self.types.bool
        if found[1] == "int":
            self._expect("(")
            width = self._width(self._whole())
            self._expect(")")
            return self.types.integer(width)
        if found[1] == "list":
            self._expect("(")
            item = self._type(depth + 1)
            self._expect(")")
            return self.types.list(item)
        if found[2] != "(":
            _doubt()
        left = self._type(depth + 1)
        self._expect(",")
        right = self._type(depth + 1)
        self._expect(")")
        return self.types.pair(left, right)

    # -- expressions: a stack of those that are begun stands in for recursion, so that any depth will do ---------------

    def _expression(self) -> Any:
        """The expression from here to the first token that cannot go on with it."""
        text = self.text
        begun: list[Any] = []
        operands: list[Any] = []
        waiting: list[tuple[str, int]] = []
        while True:
            found = _token(text, self.place)
            self.place = found.end()
            word, sign = found[1], found[2]
            frame: list[Any] | None = None
            node: Any = None
            if word is not None:
                at = found.start(1)
                if word not in _KEYWORDS:
                    opened = _open(text, self.place)
                    if opened is None:
                        node = syntax.Name(at, word)
                    else:
                        self.place = opened.end()
                        if self._accept(")"):
                            node = syntax.Call(at, word, ())
                        else:
                            frame = ["call", at, word, []]
                elif word == "if":
                    frame = ["if", at]
                elif word == "let":
                    _, name = self._name()
                    self._expect("=")
                    frame = ["let", at, name]
                elif word in _PREFIXES:
                    frame = ["prefix", at, word]
                elif word == "iterate":
                    self._expect("(")
                    _, name = self._name()
                    self._expect(",")
                    frame = ["iterate", at, name]
                else:
                    node = self._draw(word, at)
            elif sign == "(":
                frame = ["(", found.start(2)]
            elif sign == "[":
                if self._accept("]"):
                    self._expect(":")
                    node = syntax.EmptyList(found.start(2), self._type(0))
                else:
                    frame = ["[", found.start(2), []]
            elif sign == "!":
                waiting.append((sign, found.start(2)))
                continue
            else:
                _doubt()
            if frame is not None:
                begun.append((frame, operands, waiting))
                operands, waiting = [], []
                continue
            while True:  # an operand is complete
                operands.append(node)
                found = _token(text, self.place)
                sign = found[2]
                if sign in _INFIX:
                    self.place = found.end()
                    _group(operands, waiting, TIGHTNESS[sign] + (sign == "::"))
                    if sign in ("<<", ">>"):
                        amount = self._whole()
                        operand = operands.pop()
                        node = syntax.Shift(operand.at, sign, operand, amount, found.start(2))
                        continue
                    waiting.append((sign, found.start(2)))
                    break
                _group(operands, waiting, 0)
                node = operands[0]
                if not begun:
                    return node
                frame, operands, waiting = begun[-1]
                node = self._ended(frame, node, found)
                if node is None:
                    operands, waiting = [], []
                    break
                begun.pop()

    def _ended(self, frame: list[Any], node: Any, found: Any) -> Any:
        """What has ended with one of its expressions, None if another one follows."""
        kind, at = frame[0], frame[1]
        word, sign = found[1], found[2]
        if kind == "(":
            if sign == ")":
                self.place = found.end()
                return node
            return self._more(frame, "pair", node, sign == ",", found)
        if kind == "pair":
            self._close(sign == ")", found)
            return syntax.Pair(at, frame[2], node)
        if kind in ("call", "["):
            items = frame[-1]
            items.append(node)
            if sign == ",":
                self.place = found.end()
                return None
            self._close(sign == (")" if kind == "call" else "]"), found)
            return syntax.Call(at, frame[2], tuple(items)) if kind == "call" else syntax.ListLiteral(at, tuple(items))
        if kind == "if":
            return self._more(frame, "then", node, word == "then", found)
        if kind == "then":
            return self._more(frame, "else", node, word == "else", found)
        if kind == "else":
            return syntax.Conditional(at, frame[2], frame[3], node)
        if kind == "let":
            return self._more(frame, "in", node, word == "in", found)
        if kind == "in":
            return syntax.Binding(at, frame[2], frame[3], node)
        if kind == "prefix":
            return syntax.Prefix(at, frame[2], node)
        self._close(sign == ",", found)  # iterate(function, start, rounds)
        rounds = self._whole()
        self._expect(")")
        return syntax.Iterate(at, frame[2], node, rounds)

    def _more(self, frame: list[Any], kind: str, node: Any, fits: bool, found: Any) -> None:
        self._close(fits, found)
        frame[0] = kind
        frame.append(node)

    def _close(self, fits: bool, found: Any) -> None:
        if not fits:
            _doubt()
        self.place = found.end()

    def _draw(self, word: str, at: int) -> Any:
        """What begins with a word and has numbers in it."""
        text, place = self.text, self.place
        if word in ("true", "false"):
            return syntax.Truth(at, word == "true")
        if word == "int" and (found := _two(text, place)):
            node: Any = syntax.IntLiteral(at, self._width(int(found[1])), int(found[2]))
        elif word == "flip" and (found := _flip(text, place)):
            node = syntax.Flip(at, self._number(found[1] or found[2]))
        elif word == "discrete" and (found := _discrete(text, place)):
            node = syntax.Discrete(at, tuple([self._number(number) for number in found[1].split(",")]))
        elif word == "uniform" and (found := _three(text, place)) and found[3].lstrip("-").isdigit():
            node = syntax.Uniform(at, self._width(int(found[1])), int(found[2]), int(found[3]))
        elif word == "binomial" and (found := _three(text, place)):
            node = syntax.Binomial(at, self._width(int(found[1])), int(found[2]), self._number(found[3]))
        else:
            _doubt()
        self.place = found.end()
        return node

    # -- tokens --------------------------------------------------------------------------------------------------

    def _number(self, text: str) -> Fraction:
        found = self._numbers.get(text)
        if found is None:
            above, slash, below = text.partition("/")
            if slash and int(below) == 0:
                _doubt()
            found = Fraction(int(above), int(below)) if slash else Fraction(text.strip())
            self._numbers[text] = found
        return found

    def _whole(self) -> int:
        found = _whole(self.text, self.place)
        if found is None:
            _doubt()
        self.place = found.end()
        return int(found[1])

    def _width(self, width: int) -> int:
        if not 1 <= width <= MOST_BITS:
            _doubt()
        return width

    def _name(self) -> tuple[int, str]:
        found = _token(self.text, self.place)
        if found[1] is None or found[1] in _KEYWORDS:
            _doubt()
        self.place = found.end()
        return found.start(1), found[1]

    def _accept(self, sign: str) -> bool:
        found = _token(self.text, self.place)
        if found[2] != sign:
            return False
        self.place = found.end()
        return True

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            _doubt()


def _group(operands: list[Any], waiting: list[tuple[str, int]], least: int) -> None:
    """Apply the waiting operators that are at least so tight, the last one first."""
    while waiting and TIGHTNESS[waiting[-1][0]] >= least:
        operator, at = waiting.pop()
        right = operands.pop()
        if operator == "!":
            operands.append(syntax.Prefix(at, operator, right))
        else:
            left = operands.pop()
            operands.append(syntax.Binary(left.at, operator, left, right, at))


def _doubt() -> NoReturn:
    raise _Doubt
