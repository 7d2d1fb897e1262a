"""``taut.replay``: a saved result, checked again on the mechanism as it is now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.errors import InvalidInput, SourceChanged
from taut.mechanisms import CATALOG
from taut.model import Mechanism, Model, load_dice, mechanism
from taut.model.origin import fingerprint, sources_of
from taut.model.saved import SavedResult, load_result
from taut.numbers import Ball, may_be_equal
from taut.queries.functions import load_function
from taut.results.text import shown, text_of

__all__ = ["Replayed", "replay"]

_FEW = 4
"""Values of a profile that are told in a sentence."""


@dataclass(frozen=True)
class Replayed:
    """What became of a saved result: the value that was saved, and the one that the witness attains now."""

    saved: SavedResult
    claimed: Any
    replayed: Any
    holds: bool
    related: bool | None
    """Whether the two inputs of the witness are neighbours; None if the relation was a user's own, or there is none."""
    method: str

    def __bool__(self) -> bool:
        return self.holds and self.related is not False

    def __str__(self) -> str:
        if self.related is False:
            return f"{self.saved.name}: the two inputs of the witness are not {self.saved.neighbors} neighbours"
        if not self.holds:
            return (
                f"{self.saved.name}: the witness attains {_shown(self.replayed)}, not {_shown(self.claimed)} as was "
                f"saved ({self.method})"
            )
        return f"{self.saved.name}: the witness attains {_shown(self.replayed)} again ({self.method})"

    def to_dict(self) -> dict[str, Any]:
        """The outcome for machines."""
        return {
            "mechanism": self.saved.name,
            "text": self.saved.text,
            "claimed": _text(self.claimed),
            "replayed": _text(self.replayed),
            "holds": bool(self),
            "method": self.method,
            "neighbors": self.saved.neighbors,
            "related": self.related,
            "saved_with": dict(self.saved.versions),
        }


def _shown(value: Any) -> str:
    """A value for people; of a profile, the first values of delta."""
    if not isinstance(value, tuple):
        return shown(value)
    few = ", ".join(str(text_of(one)) for one in value[:_FEW])
    return f"delta = {few}{', ...' if len(value) > _FEW else ''} at its corners"


def _text(value: Any) -> Any:
    return [text_of(one) for one in value] if isinstance(value, tuple) else text_of(value)


def replay(path: str | os.PathLike[str], mechanism: Any = None) -> Replayed:
    """Check a result that ``bound.save`` wrote: the mechanism has not changed, and the witness attains the value.

    Parameters
    ----------
    path
        The file.
    mechanism
        The mechanism, if it cannot be found by its file and name (because it was defined inside a function, or in a
        notebook).

    Returns
    -------
    Replayed
        True as a condition if the result is confirmed.

    Raises
    ------
    SourceChanged
        The mechanism, or something that it calls, is not what it was when the result was saved.
    InvalidInput
        The file is not a saved result, or the mechanism is not where it was.
    """
    result = load_result(path)
    found = _find(result) if mechanism is None else _as_mechanism(mechanism)
    now = _sources(found, result)
    if fingerprint(now) != result.sha256:
        raise _changed(result, now)
    model: Model = found(**result.arguments)
    related = None
    if result.pairs and result.neighbors is not None and _is_named(result.neighbors):
        neighbors = model.neighbors(result.neighbors).related(model.space)
        related = all(neighbors(*pair) for pair in result.pairs)
    if not result.question["witnessed"]:
        return Replayed(result, result.attained, result.attained, True, related, "holds for every mechanism")
    value, how = result.again(model)
    same = may_be_equal(_ball(value), _ball(result.attained)) if _balls(value, result.attained) else None
    return Replayed(
        result, result.attained, value, bool(value == result.attained) if same is None else same, related, how
    )


def _balls(*values: Any) -> bool:
    return any(isinstance(value, Ball) for value in values)


def _ball(value: Any) -> Any:
    return value if isinstance(value, Ball) else Ball(value)


def _is_named(neighbors: str) -> bool:
    from taut.neighbors import NAMED

    return neighbors in NAMED


def _as_mechanism(given: Any) -> Mechanism:
    return given if isinstance(given, Mechanism) else mechanism(given)


def _find(result: SavedResult) -> Mechanism:
    """The mechanism where it stood when the result was saved."""
    if result.file is None:
        if result.name not in CATALOG:
            raise InvalidInput(f"there is no built-in mechanism '{result.name}' in this version of taut.")
        return CATALOG[result.name].mechanism
    if not result.file.is_file():
        raise InvalidInput(
            f"the mechanism '{result.name}' stood in '{result.file}', and there is no such file now; its source is in "
            f"'{result.path}', under \"sources\".",
            value=str(result.file),
        )
    if result.language == "dice":
        return load_dice(f"{result.file}:{result.name}" if result.name else str(result.file))
    if "." in result.name or "<" in result.name:
        raise InvalidInput(
            f"'{result.name}' is not at the top of its file, so it cannot be found by its name; give it: "
            f"taut.replay({str(result.path)!r}, mechanism=...).",
            value=result.name,
        )
    return _as_mechanism(load_function(f"{result.file}:{result.name}"))


def _sources(found: Mechanism, result: SavedResult) -> Mapping[str, str]:
    if result.language == "dice":
        file = found.file  # type: ignore[attr-defined]
        return {Path(file.source.name).name: file.source.text}
    return sources_of(found.function)


def _changed(result: SavedResult, now: Mapping[str, str]) -> SourceChanged:
    """The refusal, with the first line that is different."""
    for name in [*result.sources, *now]:
        before, after = (texts.get(name, "").strip().splitlines() for texts in (result.sources, now))
        for line in range(max(len(before), len(after))):
            old, new = (lines[line].strip() if line < len(lines) else "" for lines in (before, after))
            if old != new:
                return SourceChanged(
                    f"'{name}' has changed since the result was saved (line {line + 1} was '{old}', is '{new}'), so "
                    "the result says nothing about it; ask again, and save anew.",
                    value=name,
                )
    return SourceChanged(f"'{result.name}' has changed since the result was saved; ask again, and save anew.")
