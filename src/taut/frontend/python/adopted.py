"""Programs that another front end has read, so that targets and distances written in Python can be read for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from taut.frontend.python.calls import code_of
from taut.frontend.python.draws import Questions
from taut.frontend.python.reader import Reader
from taut.frontend.python.trace import Reading
from taut.ir import Program, Select, Term, Tuple
from taut.options import Options

__all__ = ["reading_of"]


def reading_of(program: Program, x: Any, ask: Callable[..., Questions], options: Options) -> Reading:
    """A reading of a program whose database is ``x``: terms, in tuples where it has several entries."""
    inputs, coins = list(program.inputs), list(program.coins)
    reader = Reader(code_of(_elsewhere), program.terms, inputs, coins, ask(inputs, coins), options.max_rounds)
    reader.worlds.evidence = program.evidence
    return Reading(program, reader, _value(reader, program.output), _value(reader, x), level=options.validate)


def _elsewhere() -> None:
    """In place of the code of a program that is not written in Python."""


def _value(reader: Reader, term: Term | tuple[Any, ...]) -> Any:
    """A term as the interpreter holds it: tuples opened, one of several tuples as alternatives."""
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
