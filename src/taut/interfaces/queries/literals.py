"""Values and databases as they are typed: numbers, domains, lists, words. Nothing is evaluated as Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from taut.program import Program
from taut.program.domains import Domain, bits, categories, category, integer, ints
from taut.support.algebra.expression import parameter
from taut.support.errors import InvalidInput, meant
from taut.support.exact import decimal, exp, fraction_of_text

__all__ = ["input_of_text", "parse_choices", "parse_value", "read_input"]


_MOST_STEPS = 10_000
_TOKEN = re.compile(r"""\s*(?: ([\[\](),]) | "([^"]*)" | '([^']*)' | ([^\s\[\](),"']+) )""", re.VERBOSE)
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}
_MAKERS: dict[str, tuple[Callable[..., Any], str]] = {
    "bits": (bits, "bits(n)"),
    "ints": (ints, "ints(n,low,high)"),
    "categories": (categories, "categories(n,[a,b])"),
    "category": (category, "category([a,b])"),
    "integer": (integer, "integer(low,high)"),
    "exp": (exp, "exp(power)"),
}

_CHANGES = {
    ".optional": "entries that may be absent are written",
    ".as_list": "databases that are given as lists are written",
    ".as_array": "databases that are given as arrays are written",
}
_OF_VALUES = ("categories", "category")


def parse_value(text: str, name: str) -> Any:
    """Return the value of a text such as 3, 1/5, 0.2, true, none, [a, b], bits(8) or ints(6,0,3); any other word is
    itself.

    >>> parse_value("1/5", "lam"), parse_value("[1, a, 0.5]", "v"), parse_value("bits(2)", "x").size
    (Fraction(1, 5), [1, 'a', Fraction(1, 2)], 4)
    >>> parse_value("bits(2).optional()", "x").values
    (0, 1, None)

    An interval such as 0..1/2 leaves the number free:

    >>> parse_value("0..1/2", "lam")
    <lam for 0 <= lam <= 1/2>

    Raises:
        InvalidInput: the text is empty, or its brackets do not fit.
    """
    reader = _Reader(text, name)
    value = reader.value()
    if reader.tokens:
        raise reader.refusal(f"nothing may follow after a value, but '{reader.tokens[0][1]}' does")
    return value


def parse_choices(text: str, name: str) -> list[Any] | None:
    """Return the values of a range low:high:step (high included where it is met) or of a comma list; None for one
    value.

    Between whole numbers the step may be left out, and is 1.

    >>> [str(value) for value in parse_choices("0.1:0.4:0.1", "lam")]
    ['1/10', '1/5', '3/10', '2/5']
    """
    if ":" in text:
        return _range(text, name)
    parts = _split(text)
    return [parse_value(part, name) for part in parts] if len(parts) > 1 else None


def _range(text: str, name: str) -> list[Any]:
    parts = text.split(":")
    numbers = [fraction_of_text(part) for part in parts]
    if len(parts) == 2 and None not in numbers and any(end.denominator != 1 for end in numbers if end is not None):
        low, high = (Fraction(end) for end in numbers if end is not None)
        tenth = decimal((high - low) / 10, 4) if high > low else "0.05"
        raise InvalidInput(
            f"{name}={text}: the step is missing; write low:high:step, such as {name}={text}:{tenth} for ten steps.",
            value=text,
        )
    if len(parts) not in (2, 3) or None in numbers:
        raise InvalidInput(f"{name}={text}: a range is low:high:step, three numbers such as 0.05:0.5:0.05.", value=text)
    low, high, step = [*[number for number in numbers if number is not None], Fraction(1)][:3]
    if step <= 0 or low > high:
        raise InvalidInput(f"{name}={text}: a range needs low <= high and a step above 0.", value=text)
    steps = (high - low) // step + 1
    if steps > _MOST_STEPS:
        raise InvalidInput(f"{name}={text}: at most {_MOST_STEPS} values; these are {steps}.", value=text)
    return [_plain(low + step * position) for position in range(steps)]


def _split(text: str) -> list[str]:
    """Return the parts between commas that stand in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _plain(number: Fraction) -> Any:
    return int(number) if number.denominator == 1 else number


class _Reader:
    """A recursive descent over the tokens of one value; each token is its kind and its text."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.tokens: list[tuple[str, str]] = []
        start = 0
        rest = text.rstrip()
        while start < len(rest):
            token = _TOKEN.match(rest, start)
            if token is None:
                raise self.refusal("a quote is never closed")
            mark, double, single, word = token.groups()
            if mark is not None:
                self.tokens.append(("mark", mark))
            elif word is not None:
                self.tokens.append(("word", word))
            else:
                self.tokens.append(("text", double if double is not None else single))
            start = token.end()

    def value(self, depth: int = 0) -> Any:
        if not self.tokens:
            raise self.refusal("a value is missing")
        if depth > 20:
            raise self.refusal("brackets are nested too deeply")
        kind, token = self.tokens.pop(0)
        if kind == "text":
            return token
        if kind == "mark":
            if token != "[":
                raise self.refusal(f"'{token}' stands where a value should")
            return self.items("]", depth)
        if self.tokens[:1] == [("mark", "(")]:
            self.tokens.pop(0)
            made = self.made(token, self.items(")", depth))
            while self.tokens[:1] and self.tokens[0][0] == "word" and self.tokens[0][1] in _CHANGES:
                made = self.changed(made)
            return made
        if token.lower() in _WORDS:
            return _WORDS[token.lower()]
        low, dots, high = token.partition("..")
        if dots and fraction_of_text(low) is not None and fraction_of_text(high) is not None:
            return parameter(self.name, low, high)
        number = fraction_of_text(token)
        if number is None:
            return token
        return int(number) if re.fullmatch(r"[+-]?\d+", token) else number

    def items(self, end: str, depth: int) -> list[Any]:
        items: list[Any] = []
        if self.tokens[:1] == [("mark", end)]:
            self.tokens.pop(0)
            return items
        while True:
            items.append(self.value(depth + 1))
            token = self.tokens.pop(0)[1] if self.tokens else None
            if token == end:
                return items
            if token != ",":
                raise self.refusal(f"a '{end}' is missing")

    def made(self, maker: str, args: list[Any]) -> Any:
        if maker not in _MAKERS:
            known = ", ".join(how for _, how in _MAKERS.values())
            raise self.refusal(f"there is no '{maker}(...)'; there are {known}", meant(maker, _MAKERS))
        function, how = _MAKERS[maker]
        if len(args) != how.count(",") + 1 - (maker in _OF_VALUES):
            raise self.refusal(f"it is written {how}")
        if maker in _OF_VALUES and not isinstance(args[-1], list):
            raise self.refusal(f"it is written {how}")
        return function(*args)

    def changed(self, made: Any) -> Domain:
        """Return the domain before .optional(), .as_list() or .as_array(), changed so."""
        name = self.tokens[0][1]
        if self.tokens[1:3] != [("mark", "("), ("mark", ")")] or not isinstance(made, Domain):
            raise self.refusal(f"{_CHANGES[name]} as in bits(n){name}()")
        del self.tokens[:3]
        changed: Domain = getattr(made, name[1:])()
        return changed

    def refusal(self, why: str, rest: str = "") -> InvalidInput:
        return InvalidInput(f"{self.name}={self.text}: {why}.{rest}", value=self.text)


def read_input(program: Program, given: str, option: str) -> Any:
    """Return the database that is typed: its entries with commas, 0,1,0, or without if each is one letter, 010.

    Several databases are written in brackets, [0,1],[1,1].

    Raises:
        InvalidInput: it is not a database of the program's domain.
    """
    x = input_of_text(program.domains, given, option)
    program.entries(x)
    return x


def input_of_text(domains: Sequence[Domain], given: str, option: str) -> Any:
    """Read an input from text without checking that it lies in the domains.

    >>> from taut.program.domains import bits
    >>> input_of_text([bits(3)], "010", "--x")
    (0, 1, 0)
    """
    domain = domains[0] if len(domains) == 1 else None
    word = given.strip()
    letters = domain is not None and not domain.bare and all(len(str(value)) == 1 for value in domain.values)
    if letters and len(word) > 1 and word.isalnum():
        values: list[Any] | None = [parse_value(letter, option) for letter in word]
    else:
        values = parse_choices(word, option) if not word.startswith("[") or "],[" in word.replace(" ", "") else None
    if values is None:
        values = [parse_value(word, option)]
    if domain is not None:
        entries = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        x: Any = entries[0] if domain.bare else tuple(entries)
    else:
        x = tuple(tuple(part) if isinstance(part, list) else part for part in values)
    return x
