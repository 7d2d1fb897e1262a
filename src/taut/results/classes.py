"""Lists of equally bad cases, which notebooks show as tables."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from taut.errors import InvalidInput
from taut.notebook import Picture, html_table
from taut.results.inline import inline_picture
from taut.results.text import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ClassList"]

T = TypeVar("T")


class ClassList(list[T]):
    """A list of classes of cases, the worst first; a notebook shows it as a table of values, counts and witnesses."""

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None, style: str = "light"
    ) -> Picture | None:
        """Draw a bar per class, the worst on top.

        Parameters
        ----------
        path
            A file: .png, .svg or .pdf. Left out, the picture is returned, and a notebook shows it.
        title
            What to write above it.
        style
            'light', or 'dark' for dark pages.

        Raises
        ------
        InvalidInput
            The list is empty, the path cannot be written, or there is no such style.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> rr_count(bits(4), lam="1/5").worst_pairs().plot()
        Picture(title='worst cases')
        """
        if not self:
            raise InvalidInput("plot: the list is empty, there is nothing to draw.", value=self)
        from taut.pictures import put  # Matplotlib takes a second to import

        return put(title or "worst cases", lambda: self._figure(title), path, style)

    def _figure(self, title: str | None = None) -> Figure:
        from taut.results.classes_figure import classes_figure

        return classes_figure(list(self), title)

    def _repr_html_(self) -> str:
        classes: list[Any] = list(self)
        if not classes:
            return html_table(["value", "count"], [], 0)
        parts = [part.name for part in fields(classes[0].witness)]
        rows = ([shown(one.value), one.count, *[getattr(one.witness, part) for part in parts]] for one in classes)
        return html_table(["value", "count", *[part.replace("_prime", "'") for part in parts]], rows, len(classes)) + (
            inline_picture(self._figure)
        )
