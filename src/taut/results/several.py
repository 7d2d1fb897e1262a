"""Several bounds of one kind, drawn together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from taut.notebook import Picture
from taut.results.divergence import DivergenceBound

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SeveralBounds"]


@dataclass(frozen=True)
class SeveralBounds:
    """Divergences of one mechanism by their names, such as Rényi divergences of several orders; at least one."""

    bounds: Mapping[str, DivergenceBound]

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None, style: str = "light"
    ) -> Picture | None:
        """Draw a bar per bound; a single one is drawn with its worst pair. See ``Bound.plot``."""
        from taut.pictures import put  # Matplotlib takes a second to import

        return put(title or "divergences", lambda: self._figure(title), path, style)

    def _figure(self, title: str | None) -> Figure:
        from taut.results.several_figure import several_figure

        if len(self.bounds) == 1:
            return next(iter(self.bounds.values()))._figure(title)
        return several_figure(self.bounds, title)
