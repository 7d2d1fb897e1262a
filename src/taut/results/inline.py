"""Pictures inside what notebooks show: drawn if that is quick, and left out where there is none."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from taut.limits import grace, limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["inline_picture"]

_DRAWING = 3.0
"""Seconds that a notebook waits for a picture."""


def inline_picture(draw: Callable[[], Figure]) -> str:
    """A picture as SVG for a page; nothing where it cannot be made, since the table beside it is an answer too."""
    try:
        from taut.pictures import inline_svg  # Matplotlib takes a second to import

        with grace(_DRAWING), limits(seconds=_DRAWING):
            return f"<div>{inline_svg(draw(), f'taut{secrets.token_hex(4)}')}</div>"
    except Exception:
        return ""
