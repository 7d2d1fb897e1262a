"""Outputs of an exported program: the expressions of its results, and the decoding of their codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams.compile.shape import Shape, shape_of, slots_of
from taut.peers.lowering.coding import Coding
from taut.peers.lowering.expressions import Node
from taut.peers.lowering.terms import TermLowering
from taut.program import Program
from taut.program.values import IntegerRange

__all__ = ["LoweredProgram", "Outputs", "lower_program"]

_SPARSE = 4
"""An integer result is coded if its bits could hold more than this many times its number of values."""


@dataclass(frozen=True)
class Outputs:
    """The decoding of the results of a run, one code for each slot, to an output of the mechanism."""

    shape: Shape
    codings: tuple[Coding, ...]

    def decode(self, codes: Sequence[int | bool]) -> Any:
        """Return the output for the codes."""
        values = [coding.value(code) for coding, code in zip(self.codings, codes, strict=True)]
        return self.shape.decode(iter(values))

    @property
    def legend(self) -> list[str]:
        """Return one line for each slot whose codes need an explanation."""
        return [
            f"{f'result {position}' if len(self.codings) > 1 else 'the result'}: "
            + ", ".join(f"{_word(coding, code)} = {value!a}" for code, value in enumerate(coding.values))
            for position, coding in enumerate(self.codings)
            if not coding.plain
        ]


def _word(coding: Coding, code: int) -> str:
    return str(code) if coding.kind == "code" else "true" if code else "false"


@dataclass(frozen=True)
class LoweredProgram:
    """A program as core expressions: its results, its evidence, and the lowering that made them."""

    program: Program
    lowering: TermLowering
    slots: tuple[Node, ...]
    evidence: Node
    outputs: Outputs


def lower_program(program: Program) -> LoweredProgram:
    """Lower the results of a program to core expressions.

    Raises:
        TooLarge: an operation that neither Dice nor PRISM has would be written out with too many cases.
    """
    shape = shape_of(program.output)
    terms = slots_of(program.terms, program.output, shape)
    lowering = TermLowering(program, [*terms, program.evidence])
    slots, codings = [], []
    for term in terms:
        coded = lowering[term]
        coding = coded.coding
        if coding.kind == "int" and not isinstance(coded.values, IntegerRange):
            low, high = coded.node.bounds
            if 1 << max(high - min(low, 0), 1).bit_length() > _SPARSE * len(coded.values):
                coding = Coding("code", tuple(sorted(coded.values)))
        slots.append(lowering.recoded(coded, coding))
        codings.append(coding)
    evidence = lowering.truth(lowering[program.evidence])
    return LoweredProgram(program, lowering, tuple(slots), evidence, Outputs(shape, tuple(codings)))
