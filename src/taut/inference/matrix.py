"""Probabilities as they are returned: of all outputs of one input, and of chosen pairs (INFERENCE, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from taut.program.domains import as_tuples
from taut.support.exact import decimal, exact_text
from taut.support.pictures.notebook import html_table

__all__ = ["Distribution", "ProbabilityMatrix"]

_SHOWN = 12


class Distribution(dict[Any, Any]):
    """Outputs with their probabilities; a dict that notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = ([y, _text(mass), decimal(mass, 6)] for y, mass in self.items())
        return html_table(["output", "probability", "decimal"], rows, len(self))


class ProbabilityMatrix(Mapping[tuple[Any, Any], Any]):
    """Probabilities M[x, y] for the pairs that were asked for; prints as a table of outputs by inputs.

    >>> from fractions import Fraction
    >>> print(ProbabilityMatrix({((0,), (0,)): Fraction(4, 5), ((1,), (0,)): Fraction(1, 5)}))
    y \\ x  (0,)  (1,)
    (0,)   4/5   1/5
    """

    def __init__(self, entries: Mapping[tuple[Any, Any], Any]) -> None:
        self._entries = dict(entries)
        self.inputs = tuple(dict.fromkeys(x for x, _ in self._entries))
        self.outputs = tuple(dict.fromkeys(y for _, y in self._entries))

    def __getitem__(self, pair: tuple[Any, Any]) -> Any:
        x, y = pair
        return self._entries[as_tuples(x), as_tuples(y)]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        inputs, outputs = self.inputs[:_SHOWN], self.outputs[:_SHOWN]
        header = ["y \\ x", *map(str, inputs)]
        rows = [[str(y), *[_text(self._entries.get((x, y), "")) for x in inputs]] for y in outputs]
        widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in [header, *rows]
        ]
        if len(inputs) < len(self.inputs) or len(outputs) < len(self.outputs):
            lines.append(f"... {len(self.inputs)} inputs, {len(self.outputs)} outputs, {len(self)} probabilities")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"ProbabilityMatrix({len(self.inputs)} inputs, {len(self.outputs)} outputs, {len(self)} probabilities)"

    def _repr_html_(self) -> str:
        inputs = self.inputs[:_SHOWN]
        rows = ([y, *[_text(self._entries.get((x, y), "")) for x in inputs]] for y in self.outputs)
        table = html_table(["y \\ x", *map(str, inputs)], rows, len(self.outputs))
        return table if len(inputs) == len(self.inputs) else f"{table}<p>{len(inputs)} of {len(self.inputs)} inputs</p>"


def _text(value: Any) -> str:
    return exact_text(value) if isinstance(value, Fraction) else str(value)
