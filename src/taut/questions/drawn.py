"""Results that draw themselves: one ``plot`` for all, lists of equally bad cases, and several bounds in one picture."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from taut.questions.text import Represented, shown, telling, vector_text
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY
from taut.support.limits import grace, limits
from taut.support.pictures.notebook import Picture, html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from taut.support.pictures.charts import Row

__all__ = ["ClassList", "Drawn", "SeveralBounds", "Unsaved", "not_saved"]


_DRAWING = 3.0
"""Seconds that a notebook waits for a picture."""


class Drawn(Represented):
    """A result that has a picture, which ``_figure`` draws."""

    _pictured: ClassVar[str] = "result"
    """The title of a picture that is given none."""

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None, style: str = "light"
    ) -> Picture | None:
        """Draw the answer: a bound with its worst case, a curve, a table; docs/reports.md shows which.

        Where ``progress`` was given to a search, a bound also shows how its interval closed.

        Parameters
        ----------
        path
            A file: .png, .svg or .pdf. Left out, the picture is returned, and a notebook shows it.
        title
            Written above it.
        style
            'light', or 'dark' for dark pages.

        Raises
        ------
        InvalidInput
            There is nothing to draw, the path cannot be written, or there is no such style.
        TooLarge
            The worst case has too many outputs with different probabilities.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response, rr_count
        >>> randomized_response(bits(2), lam="1/5").privacy().plot()
        Picture(title='privacy')
        >>> rr_count(bits(4), lam="1/5").worst_pairs().plot()
        Picture(title='worst cases')
        >>> rr_count(bits(4), lam="1/5").symmetries().plot()
        Picture(title='symmetries')
        """
        from taut.support.pictures.style import put  # Matplotlib takes a second to import

        return put(title or self._pictured, lambda: self._figure(title), path, style)

    def _figure(self, title: str | None) -> Figure:
        raise InvalidInput(f"plot: there is no picture of a {type(self).__name__}.", value=self)

    def _inline_picture(self) -> str:
        """Return the picture as SVG for a notebook; nothing if it fails, since the table beside it is an answer too."""
        try:
            from taut.support.pictures.style import inline_svg  # Matplotlib takes a second to import

            with grace(_DRAWING), limits(seconds=_DRAWING):
                return f"<div>{inline_svg(self._figure(None), f'taut{secrets.token_hex(4)}')}</div>"
        except Exception:
            return ""


class Unsaved:
    """A result without a single worst case; ``save`` refuses and names the results that can be saved."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refuse: only bounds whose worst case can be replayed are saved.

        Raises
        ------
        InvalidInput
            Always.
        """
        raise not_saved(self, "it is not a bound with one worst case")


def not_saved(result: Any, why: str) -> InvalidInput:
    """Return the refusal to save a result; ``why`` ends the clause "is not saved, because"."""
    return InvalidInput(
        f"save: this {type(result).__name__} is not saved, because {why}. Saved are bounds as a model returns them: "
        "one number with its worst case, or an exact profile. Keep other results as text, with str(result), or with "
        "pickle.",
        value=result,
    )


T = TypeVar("T")


class ClassList(list[T], Drawn, Unsaved):
    """A list of classes of cases, the worst first; a notebook shows it as a table of values, counts and witnesses."""

    _pictured = "worst cases"

    def to_dict(self) -> dict[str, Any]:
        """Return the classes as plain data, in their order."""
        classes: list[Any] = list(self)
        return {"classes": [one.to_dict() for one in classes]}

    def _figure(self, title: str | None) -> Figure:
        if not self:
            raise InvalidInput("plot: the list is empty, there is nothing to draw.", value=self)
        from taut.questions.figures.case_figure import classes_figure

        return classes_figure(list(self), title)

    def _repr_html_(self) -> str:
        classes: list[Any] = list(self)
        if not classes:
            return html_table(["value", "count"], [], 0)
        parts = [part.name for part in fields(classes[0].witness)]
        rows = ([shown(one.value), one.count, *[getattr(one.witness, part) for part in parts]] for one in classes)
        heads = ["value", "count", *[part.replace("_prime", "'") for part in parts]]
        return html_table(heads, rows, len(classes)) + self._inline_picture()


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
        from taut.support.pictures.charts import bars
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
    from taut.support.pictures.charts import Bar, Row
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
