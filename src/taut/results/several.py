"""Several bounds of one kind, drawn together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from taut.results.divergence import DivergenceBound
from taut.results.drawn import Drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SeveralBounds"]


@dataclass(frozen=True)
class SeveralBounds(Drawn):
    """Divergences of one mechanism by their names, such as Rényi divergences of several orders; at least one.

    The picture has a bar per bound; a single one is drawn with its worst pair.
    """

    _pictured: ClassVar[str] = "divergences"

    bounds: Mapping[str, DivergenceBound]

    def _figure(self, title: str | None) -> Figure:
        from taut.results.several_figure import several_figure

        if len(self.bounds) == 1:
            return next(iter(self.bounds.values()))._figure(title)
        return several_figure(self.bounds, title)
