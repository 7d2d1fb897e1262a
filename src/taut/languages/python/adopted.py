"""Programs of another front end, for which targets and distances in Python are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from taut.languages.python.calls import code_of
from taut.languages.python.draws import Questions
from taut.languages.python.reader import Reader
from taut.languages.python.reading import Reading
from taut.program import Program, Select, Term, Tuple
from taut.support.options import Options

__all__ = ["reading_of"]


def reading_of(program: Program, x: Any, ask: Callable[..., Questions], options: Options) -> Reading:
    """Return a reading of a program with the database ``x``, given as terms or tuples of terms."""
    inputs, coins = list(program.inputs), list(program.coins)
    reader = Reader(code_of(_elsewhere), program.terms, inputs, coins, ask(inputs, coins), options.max_rounds)
    reader.worlds.evidence = program.evidence
    return Reading(program, reader, _value(reader, program.output), _value(reader, x), level=options.validate)


def _elsewhere() -> None:
    """A stand-in for the code of a program that is not written in Python."""


def _value(reader: Reader, term: Term | tuple[Any, ...]) -> Any:
    """Return a term as a value of the interpreter: tuples are opened, different tuples become alternatives."""
    if isinstance(term, tuple):
        return tuple([_value(reader, part) for part in term])
    if isinstance(term, Tuple):
        return tuple([_value(reader, part) for part in term.items])
    if isinstance(term, Select) and any(isinstance(item, Tuple) for item in term.items):
        options = zip(term.keys, term.items, strict=True)
        return reader.worlds.alternatives(
            [
                (reader.worlds.terms.apply("eq", term.index, reader.worlds.terms.const(key)), _value(reader, item))
                for key, item in options
            ]
        )
    return reader.worlds.wrap(term)
