"""Several bounds of one kind, drawn together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from taut.questions.drawn import Drawn
from taut.questions.kept import Unsaved
from taut.questions.text import telling, vector_text
from taut.support.exact import INFINITY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from taut.support.pictures.bars import Row

__all__ = ["SeveralBounds"]


@dataclass(frozen=True)
class SeveralBounds(Drawn, Unsaved):
    """Divergences of one mechanism by their names, such as divergences of several orders; at least one.

    The picture has a bar per bound; a single one is drawn with its worst pair.
    """

    _pictured: ClassVar[str] = "divergences"

    bounds: Mapping[str, Any]
    head: str = ""
    """The title of the picture; that of the question if it is empty."""

    def _figure(self, title: str | None) -> Figure:
        from taut.support.pictures.bars import bars
        from taut.support.pictures.style import chart, entitle, literal

        first = next(iter(self.bounds.values()))
        if len(self.bounds) == 1:
            alone: Figure = first._figure(title)
            return alone
        kind = first.question
        assert kind is not None
        headings = {_number(bound).heading for bound in self.bounds.values() if type(bound.question) is type(kind)}
        head, across = self.head or kind.title or kind.name, headings.pop() if len(headings) == 1 else "value"
        about = "" if first.neighbors is None else f", {literal(first.neighbors)} neighbours"
        figure, axes = chart(head + about, across, "", 8.4, 1.5 + 0.5 * len(self.bounds))
        bars(axes, [_row(name, bound, kind) for name, bound in self.bounds.items()])
        return entitle(figure, title)


def _number(bound: Any) -> Any:
    return bound.question.bar(bound)


def _row(name: str, bound: Any, kind: Any) -> Row:
    """Return the bar of a bound with its worst pair; one of another kind than ``kind`` says what it is."""
    from taut.support.pictures.bars import Bar, Row
    from taut.support.pictures.style import OTHER, OURS, literal

    value, sign = _number(bound).value, "" if bound.complete else "at most "
    other = type(bound.question) is not type(kind)
    sign += f"{bound.question.label} = " if other else ""
    words = "∞" if value == INFINITY else f"{sign}{telling(value, 5)}"
    pair = (
        "" if bound.witness is None else [literal(vector_text(x), 26) for x in (bound.witness.x, bound.witness.x_prime)]
    )
    place = f"{name}\nx = {pair[0]},  x' = {pair[1]}" if pair else name
    return Row(place, [Bar(value, OTHER if other else OURS, words)])
