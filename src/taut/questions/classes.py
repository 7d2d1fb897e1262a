"""Lists of equally bad cases, which notebooks show as tables."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from taut.questions.drawn import Drawn
from taut.questions.kept import Unsaved
from taut.questions.text import shown
from taut.support.errors import InvalidInput
from taut.support.pictures.notebook import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ClassList"]

T = TypeVar("T")


class ClassList(list[T], Drawn, Unsaved):
    """A list of classes of cases, the worst first; a notebook shows it as a table of values, counts and witnesses."""

    _pictured = "worst cases"

    def to_dict(self) -> dict[str, Any]:
        """The classes for machines, in their order."""
        classes: list[Any] = list(self)
        return {"classes": [one.to_dict() for one in classes]}

    def _figure(self, title: str | None) -> Figure:
        if not self:
            raise InvalidInput("plot: the list is empty, there is nothing to draw.", value=self)
        from taut.questions.figures.classes_figure import classes_figure

        return classes_figure(list(self), title)

    def _repr_html_(self) -> str:
        classes: list[Any] = list(self)
        if not classes:
            return html_table(["value", "count"], [], 0)
        parts = [part.name for part in fields(classes[0].witness)]
        rows = ([shown(one.value), one.count, *[getattr(one.witness, part) for part in parts]] for one in classes)
        heads = ["value", "count", *[part.replace("_prime", "'") for part in parts]]
        return html_table(heads, rows, len(classes)) + self._inline_picture()
