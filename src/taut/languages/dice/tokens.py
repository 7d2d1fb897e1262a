"""Tokens of a Dice program: words, signs and numbers, taken one by one."""

from __future__ import annotations

import re
from collections.abc import Callable
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

# Numbers as people write them, which are read several at a time; all others are taken token by token.
_SPACES = r"[ \t\r\n]*+"
_SHORT_WHOLE = r"-?[0-9]{1,40}(?![0-9.eE])"
_SHORT_DECIMAL = r"[0-9]{1,40}\.[0-9]{0,40}(?![0-9.eE])|\.[0-9]{1,40}(?![0-9.eE])"
_SHORT = rf"(?:{_SHORT_DECIMAL}|{_SHORT_WHOLE}{_SPACES}/{_SPACES}{_SHORT_WHOLE}|{_SHORT_WHOLE})(?!{_SPACES}/)"


def _matcher(pattern: str) -> Any:
    return re.compile(pattern, re.ASCII).match


next_token = _matcher(rf"{_BLANKS}(?:({_NAME})|({_SIGN}))?")
"""Match blanks and comments, then a word or a sign (groups 1 and 2); neither group before a number."""
_any_token = _matcher(rf"{_BLANKS}(?:(?P<float>{_FLOAT})|(?P<whole>-?[0-9]++)|(?P<name>{_NAME})|(?P<sign>{_SIGN}))?")
_short_number = _matcher(rf"{_SPACES}({_SHORT})")
_short_list = _matcher(rf"{_SPACES}\(([-0-9./, \t\r\n]*+)\)")
_is_whole = _matcher(rf"{_SPACES}{_SHORT_WHOLE}{_SPACES}\Z")
_is_number = _matcher(rf"{_SPACES}{_SHORT}{_SPACES}\Z")


class Tokens:
    """A position in a program; taking a token advances it."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.text = source.text
        self.place = 0
        self._short = {"width": _Known(_width_of), "whole": _Known(_whole_of), "number": _Known(_number_of)}

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
            try:
                value: Fraction = self._short["number"][short[1]]
            except ValueError:
                pass
            else:
                self.place = short.end()
                return value
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
        """Take numbers in parentheses: one of each kind ('width', 'whole', 'number'), by default any positive number.

        Numbers in ordinary notation are looked up by their text, since programs repeat them.
        """
        if short := _short_list(self.text, self.place):
            parts = short[1].split(",")
            try:
                if kinds:
                    found = tuple([self._short[kind][part] for kind, part in zip(kinds, parts, strict=True)])
                else:
                    known = self._short["number"]
                    found = tuple([known[part] for part in parts])
            except ValueError:
                pass
            else:
                self.place = short.end()
                return found
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


class _Known(dict[str, Any]):
    """Cache of numbers by their text, blanks included; ValueError for other texts."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    def __missing__(self, text: str) -> Any:
        value = self[text] = self.read(text)
        return value


def _whole_of(text: str) -> int:
    if not _is_whole(text):
        raise ValueError
    return int(text)


def _width_of(text: str) -> int:
    width = _whole_of(text)
    if not 1 <= width <= MOST_BITS:
        raise ValueError
    return width


def _number_of(text: str) -> Fraction:
    if not _is_number(text):
        raise ValueError
    above, slash, below = text.partition("/")
    if not slash:
        return Fraction(text.strip())
    if int(below) == 0:
        raise ValueError
    return Fraction(int(above), int(below))
