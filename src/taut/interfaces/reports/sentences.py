"""A saved result in sentences, for a reader who did not ask the question."""

from __future__ import annotations

from typing import Any

from taut.domains import Domain
from taut.questions.text import shown, vector_text
from taut.support.exact import Ball
from taut.verification.saved.files import SavedResult

__all__ = ["sentences"]


def sentences(saved: SavedResult) -> list[str]:
    """Return what the file says was asked and found, what that means, and how to check it; nothing is computed."""
    databases = [f"{name} from {value}" for name, value in saved.arguments.items() if isinstance(value, Domain)]
    settings = [f"{name}={_setting(value)}" for name, value in saved.arguments.items() if not isinstance(value, Domain)]
    about = f"'{saved.name or saved.path.stem}', with {', '.join([*databases, *settings])}"
    lines = [f"This result is about the mechanism {about}.", saved.asked.found(saved)]
    if not saved.complete:
        lines.append("The value is only known to lie in an interval: the computation was stopped.")
    if saved.witness is not None:
        lines.append(saved.asked.worst(saved))
    versions = ", ".join(f"{name} {version}" for name, version in saved.versions.items())
    lines.append(f"It was computed with {versions}. 'taut replay {saved.path}' checks it again.")
    return lines


def _setting(value: Any) -> str:
    """A parameter as it was given: numbers plainly, text in quotes."""
    return shown(value) if isinstance(value, Ball) else vector_text(value)
