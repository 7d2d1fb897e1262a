"""One ``plot`` for all results, into a file or a notebook, light or dark."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, ClassVar

from taut.support.errors import InvalidInput
from taut.support.limits import grace, limits
from taut.support.pictures.notebook import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawn"]

_DRAWING = 3.0
"""Seconds that a notebook waits for a picture."""


class Drawn:
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
