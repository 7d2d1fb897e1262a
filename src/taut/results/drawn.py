"""What can be drawn: one ``plot`` for all results, into a file or a notebook, light or dark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from taut.errors import InvalidInput
from taut.notebook import Picture
from taut.results.inline import inline_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawn"]


class Drawn:
    """A result that has a picture; a kind of result says in ``_figure`` which."""

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
            What to write above it.
        style
            'light', or 'dark' for dark pages.

        Raises
        ------
        InvalidInput
            There is nothing to draw, the path cannot be written, or there is no such style.
        TooLarge
            The worst case has more outputs, and these more different probabilities, than can be drawn.

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
        from taut.pictures import put  # Matplotlib takes a second to import

        return put(title or self._pictured, lambda: self._figure(title), path, style)

    def _figure(self, title: str | None) -> Figure:
        raise InvalidInput(f"plot: there is no picture of a {type(self).__name__}.", value=self)

    def _inline_picture(self) -> str:
        """The picture for a notebook, or nothing where it cannot be made."""
        return inline_picture(lambda: self._figure(None))
