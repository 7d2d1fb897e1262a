"""Results that cannot be written to a file, and the one sentence that says so."""

from __future__ import annotations

import os
from typing import Any

from taut.support.errors import InvalidInput

__all__ = ["Unsaved", "not_saved"]


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
    """The refusal to save a result; ``why`` ends the clause "is not saved, because"."""
    return InvalidInput(
        f"save: this {type(result).__name__} is not saved, because {why}. Saved are bounds as a model returns them: "
        "one number with its worst case, or an exact profile. Keep other results as text, with str(result), or with "
        "pickle.",
        value=result,
    )
