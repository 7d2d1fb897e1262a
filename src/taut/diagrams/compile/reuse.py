"""Programs that differ in the weights of their coins only: one relation serves them all."""

from __future__ import annotations

from typing import Any

from taut.diagrams.compile.relation import Relation, compile_program
from taut.program import Apply, Coin, Const, Input, Program, Select
from taut.program.program import children, reachable
from taut.support.options import Options

__all__ = ["RelationCache", "structure"]


class RelationCache:
    """Compiles a program, or gives the relation of one with the same structure the program's weights."""

    def __init__(self) -> None:
        self._known: dict[Any, Relation] = {}
        self.compilations = 0

    def __call__(self, program: Program, options: Options) -> Relation:
        key = structure(program), options
        if key not in self._known:
            self.compilations += 1
            self._known[key] = compile_program(program, options)
        return self._known[key].reweighted(program.coins)


def structure(program: Program) -> Any:
    """A program without its weights, as a value that can be compared.

    Guarantee:
        Programs with equal structures have the same relation but for the weights, at which compilation never looks.
    """
    order = reachable([program.output, program.evidence])
    place = {term: number for number, term in enumerate(order)}
    rows: list[Any] = []
    for term in order:
        parts = tuple(place[part] for part in children(term))
        if isinstance(term, Const):
            rows.append(("const", _typed(term.value)))
        elif isinstance(term, (Input, Coin)):
            rows.append((type(term).__name__, term.index))
        elif isinstance(term, Apply):
            rows.append((term.operation, parts))
        else:
            rows.append((type(term).__name__, _typed(term.keys) if isinstance(term, Select) else (), parts))
    variables = tuple((variable.name, _typed(variable.values)) for variable in program.inputs)
    coins = tuple((_typed(coin.outcomes), coin.draw, coin.dice) for coin in program.coins)
    return program.name, program.domains, variables, coins, tuple(rows), place[program.output], place[program.evidence]


def _typed(value: Any) -> Any:
    """A key under which True differs from 1, and 0.0 from -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_typed, value))
    return (float, repr(value)) if type(value) is float and value == 0 else (type(value), value)
