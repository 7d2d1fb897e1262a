"""Databases as they are typed on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.domains import Domain
from taut.interfaces.queries.literals import parse_choices, parse_value
from taut.program import Program

__all__ = ["input_of_text", "read_input"]


def read_input(program: Program, given: str, option: str) -> Any:
    """The database that is typed: its entries with commas, 0,1,0, or without if each is one letter, 010.

    Several databases are written in brackets, [0,1],[1,1].

    Raises:
        InvalidInput: it is not a database of the program's domain.
    """
    x = input_of_text(program.domains, given, option)
    program.entries(x)
    return x


def input_of_text(domains: Sequence[Domain], given: str, option: str) -> Any:
    """Read an input from text without checking that it lies in the domains.

    >>> from taut.domains import bits
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
