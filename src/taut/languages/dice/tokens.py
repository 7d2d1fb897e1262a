"""Tokens of a Dice program: words, signs and numbers, taken one by one."""

from __future__ import annotations

import functools
import re
from fractions import Fraction
from typing import Any, NoReturn

from taut.languages.dice.values import MOST_BITS
from taut.languages.source_text import SourceText
from taut.support.errors import DiceError, DiceSyntaxError, TooLarge, shortened
from taut.support.exact import fraction_of_text

__all__ = ["KEYWORDS", "PREFIXES", "Tokens", "next_token"]

PREFIXES = frozenset({"observe", "fst", "snd", "head", "tail", "length", "sample"})
"""Prefix words whose operand extends as far right as possible."""
KEYWORDS = PREFIXES | {"int", "bool", "list", "if", "then", "else", "true", "false", "let", "in", "fun", "flip"}
KEYWORDS |= {"discrete", "uniform", "binomial", "iterate"}
_ENDS = frozenset({")", "]", "}", ",", "then", "else", "in"})
"""Tokens that end an expression; a misplaced one does not indicate a missing operator."""

_MOST_DIGITS = 400
_MOST_POWER = 1_000

_BLANKS = r"(?:[ \t\r\n]++|//[^\n]*+)*+"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
# a minus that touches a digit belongs to the number
_SIGN = r"<=>|<<|>>|<=|>=|==|!=|::|&&|\|\||-(?![0-9])|[+*/^!<>=:()\[\]{},]"
# a lone '.' is a number to Dice's lexer, and then a mistake
_FLOAT = r"[0-9]*+\.[0-9]*+(?:[eE][+-]?[0-9]++)?|[0-9]++[eE][+-]?[0-9]++"


def _matcher(pattern: str) -> Any:
    return re.compile(pattern, re.ASCII).match


next_token = _matcher(rf"{_BLANKS}(?:({_NAME})|({_SIGN}))?")
"""Match blanks and comments, then a word or a sign (groups 1 and 2); neither group before a number."""
_any_token = _matcher(rf"{_BLANKS}(?:(?P<float>{_FLOAT})|(?P<whole>-?[0-9]++)|(?P<name>{_NAME})|(?P<sign>{_SIGN}))?")
_short_number = _matcher(r"[ \t\r\n]*+([0-9]{1,40}\.[0-9]{1,40}|\.[0-9]{1,40})(?![0-9.eE])")


class Tokens:
    """A position in a program; taking a token advances it."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.place = 0

    # -- names and signs ---------------------------------------------------------------------------------------------

    def name(self, expected: str = "a name") -> tuple[int, str]:
        """Take a name; return its offset and the name."""
        found = next_token(self.text, self.place)
        if found[1] is None or found[1] in KEYWORDS:
            self.refuse(expected)
        self.place = found.end()
        return found.start(1), found[1]

    def accept(self, sign: str) -> bool:
        """Take a sign if it is the next token."""
        found = next_token(self.text, self.place)
        if found[2] != sign:
            return False
        self.place = found.end()
        return True

    def expect(self, sign: str, expected: str = "") -> None:
        """Take a sign, or refuse the next token."""
        if not self.accept(sign):
            self.refuse(expected or f"'{sign}'")

    def at_end(self) -> bool:
        """Return True if only blanks and comments follow."""
        found = _any_token(self.text, self.place)
        return found.lastgroup is None and found.end() == len(self.text)

    # -- numbers -----------------------------------------------------------------------------------------------------

    def whole(self) -> int:
        """Take a whole number."""
        return int(self._digits("whole")[1])

    def width(self) -> int:
        """Take the number of bits of an integer."""
        at, digits = self._digits("whole")
        width = int(digits)
        if width < 1:
            raise self.source.error(DiceError, at, f"an integer has at least 1 bit; got {width}.", value=width)
        if width > MOST_BITS:
            reason = f"an integer of {width} bits; at most {MOST_BITS} are allowed."
            raise self.source.error(TooLarge, at, reason, value=width)
        return width

    def number(self) -> Fraction:
        """Take a whole number, a decimal or a fraction."""
        if short := _short_number(self.text, self.place):
            self.place = short.end()
            return _decimal(short[1])
        at, digits = self._digits("whole", "float")
        if digits.lstrip("-").isdigit():
            if not self.accept("/"):
                return Fraction(int(digits))
            at, below = self._digits("whole")
            if int(below) == 0:
                raise self.source.error(DiceError, at, "a fraction must not be divided by 0.")
            return Fraction(int(digits), int(below))
        mantissa, _, power = digits.lower().partition("e")
        if power and abs(int(power)) > _MOST_POWER:
            reason = f"'{shortened(digits, 40)}': powers of ten go up to {_MOST_POWER}."
            raise self.source.error(TooLarge, at, reason, value=digits)
        decimal = fraction_of_text(digits) if mantissa.strip(".") else None
        if decimal is None:
            reason = f"'{shortened(digits, 40)}' is not a number; write 0.5, 1/2 or 5e-1."
            raise self.source.error(DiceSyntaxError, at, reason, value=digits)
        return decimal

    def numbers(self, *kinds: str) -> tuple[Any, ...]:
        """Take numbers in parentheses: one of each kind ('width', 'whole', 'number'), or numbers."""
        self.expect("(")
        taken = [getattr(self, kinds[0])() if kinds else self.number()]
        for kind in kinds[1:]:
            self.expect(",")
            taken.append(getattr(self, kind)())
        while not kinds and self.accept(","):
            taken.append(self.number())
        self.expect(")", "" if kinds else "')' or ','")
        return tuple(taken)

    def _digits(self, *kinds: str) -> tuple[int, str]:
        found = _any_token(self.text, self.place)
        if found.lastgroup not in kinds:
            self.refuse("a number" if "float" in kinds else "a whole number")
        self.place = found.end()
        at, digits = found.start(found.lastgroup), found[found.lastgroup]
        if len(digits) > _MOST_DIGITS:
            reason = f"a number of {len(digits)} digits; at most {_MOST_DIGITS} are allowed."
            raise self.source.error(TooLarge, at, reason)
        return at, digits

    # -- errors ------------------------------------------------------------------------------------------------------

    def refuse(self, expected: str) -> NoReturn:
        """Raise the error at the next token, described by the token before it."""
        found = _any_token(self.text, self.place)
        kind, at = found.lastgroup, found.end()
        if kind is not None:
            at, token = found.start(kind), found[kind]
            got = f"got '{shortened(token, 40)}'"
        elif at == len(self.text):
            at, token = len(self.text.rstrip()), ""
            got = "the program ends"
        else:
            raise self.source.error(DiceSyntaxError, at, f"{self.text[at]!r} cannot stand in a Dice program.")
        before = self._last_before(at)[1]
        where = f" after '{shortened(before, 40)}'" if before else ""
        hint = ""
        if kind == "whole" and token.startswith("-") and expected.startswith("an operator"):
            hint = " A minus that touches a digit belongs to the number."
        elif kind == "whole" and expected == "an expression":
            hint = " A number is written int(width, value)."
        raise self.source.error(DiceSyntaxError, at, f"expected {expected}{where}, but {got}.{hint}", value=token)

    def refuse_after_operand(self, *closing: str) -> NoReturn:
        """Raise the error at a token that neither continues the expression nor is in ``closing``."""
        words = list(closing)
        found = _any_token(self.text, self.place)
        if found.lastgroup and found[found.lastgroup] not in _ENDS:
            kind, token = self._last_before(self.place)
            called = kind == "name" and token not in KEYWORDS
            words[1 if "'}'" in closing else 0 : 0] = ["'('"] if called else []
            words.insert(0, "an operator")
        self.refuse(" or ".join(words))

    def _last_before(self, end: int) -> tuple[str, str]:
        kind, token, text, place = "", "", self.text[:end], 0
        while (found := _any_token(text, place)).lastgroup:
            kind, token, place = found.lastgroup, found[found.lastgroup], found.end()
        return kind, token


@functools.lru_cache(maxsize=4096)
def _decimal(text: str) -> Fraction:
    """Return a short decimal; programs repeat them."""
    return Fraction(text)
