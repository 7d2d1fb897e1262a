"""``taut.replay``: a saved result, checked again on the mechanism as it is now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.interfaces.queries.functions import load_function
from taut.interfaces.queries.questions import DISTANCES, TARGETS
from taut.mechanisms import CATALOG
from taut.model import Mechanism, Model, load_dice, mechanism
from taut.neighbors import NAMED
from taut.questions.text import shown, text_of, vector_text
from taut.support.errors import InvalidInput, SourceChanged, TautError
from taut.verification.origin import fingerprint, function_named, sources_of, text_hash
from taut.verification.saved import SavedResult, load_result

__all__ = ["Replayed", "replay"]

_FEW = 4
"""Number of values of a profile in a sentence."""


@dataclass(frozen=True)
class Replayed:
    """Outcome of replaying a saved result: the value that was saved, and the one that the witness attains now."""

    saved: SavedResult
    claimed: Any
    replayed: Any
    """The value that the witness attains now; None if there is no witness, or neither input gives its output."""
    holds: bool
    related: bool | None
    """True if the two inputs of the witness are neighbours; None for a result about single inputs."""
    method: str

    def __bool__(self) -> bool:
        return self.holds and self.related is not False

    def __str__(self) -> str:
        name = self.saved.name
        if self.saved.witness is None:
            return f"{name}: no case was looked at when the result was saved, so there is nothing to replay"
        if self.related is False:
            return f"{name}: the two inputs of the witness are not {self.saved.neighbors} neighbours"
        if self.replayed is None:
            return f"{name}: neither input of the witness gives its output ({self.method})"
        if not self.holds:
            return (
                f"{name}: the witness attains {self._said(self.replayed)}, not {self._said(self.claimed)} as was saved "
                f"({self.method})"
            )
        return f"{name}: the witness attains {self._said(self.replayed)} again ({self.method})"

    def _said(self, value: Any) -> str:
        return _shown(value) if isinstance(value, (list, tuple)) else self.saved.asked.valued(value)

    @property
    def case(self) -> str:
        """The witness that was evaluated."""
        saved = self.saved
        if saved.asked.about_target:
            return f"witness: {', '.join(f'x={vector_text(x)}' for x in saved.inputs)}"
        pairs = "; ".join(f"x={vector_text(x)}, x'={vector_text(x_prime)}" for x, x_prime in saved.pairs)
        output = f", y={vector_text(saved.witness['y'])}" if saved.witness and "y" in saved.witness else ""
        return f"witness: {pairs}{output}; these are {saved.neighbors} neighbours"

    @property
    def not_recomputed(self) -> str:
        """Return the part of the result that the replay does not confirm, with the command that computes it."""
        saved = self.saved
        place = saved.name if saved.file is None else ":".join(filter(None, [str(saved.file), saved.name]))
        other = "better" if saved.question.get("best") else "worse"
        what = f"nothing is {other}" if saved.complete else f"nothing passes {self._said(saved.limit)}"
        return f"That {what} was not recomputed; 'taut {saved.kind} {place} ...' with the same arguments recomputes it."

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        return {
            "mechanism": self.saved.name,
            "kind": self.saved.kind,
            "text": str(self),
            "claimed": _text(self.claimed),
            "replayed": None if self.replayed is None else _text(self.replayed),
            "holds": bool(self),
            "method": self.method,
            "neighbors": self.saved.neighbors,
            "related": self.related,
            "not_recomputed": self.not_recomputed,
            "saved_with": dict(self.saved.versions),
        }


def _shown(value: Any) -> str:
    """Return a value for people; of a profile, the first values of delta."""
    if not isinstance(value, tuple):
        return shown(value)
    few = ", ".join(str(text_of(one)) for one in value[:_FEW])
    return f"delta = {few}{', ...' if len(value) > _FEW else ''} at its corners"


def _text(value: Any) -> Any:
    return [text_of(one) for one in value] if isinstance(value, tuple) else text_of(value)


def replay(
    path: str | os.PathLike[str],
    mechanism: Any = None,
    *,
    neighbors: Any = None,
    target: Any = None,
    distance: Any = None,
    allow: Iterable[str | os.PathLike[str]] = (),
) -> Replayed:
    """Check a result that ``bound.save`` wrote: the mechanism has not changed, and the witness attains the value.

    The file is not trusted. A Python file that it names is run only if it stands below the working directory and its
    text is the one that was there when the result was saved, or if it is allowed. Everything that the result says of
    its witness is evaluated again; that no other case is worse is not.

    Parameters
    ----------
    path
        The file.
    mechanism
        The mechanism, if it cannot be found by its file and name (because it was defined inside a function, or in a
        notebook). Nothing else is run then.
    neighbors
        The relation, if it is not one that has a name in taut and not the mechanism's own.
    target, distance
        The functions of a bound on accuracy, if they are your own.
    allow
        Files that may be run wherever they stand and although other parts of them have changed, and folders of such.

    Returns
    -------
    Replayed
        True as a condition if the result is confirmed.

    Raises
    ------
    SourceChanged
        The mechanism, or something that it calls, is not what it was when the result was saved.
    InvalidInput
        The file is not a saved result, the mechanism is not where it was or must not be run, or a function is missing.
    """
    result = load_result(path)
    found = _find(result, [Path(one) for one in allow]) if mechanism is None else _as_mechanism(mechanism)
    now = _sources(found, result)
    if fingerprint(now) != result.sha256:
        raise _changed(result, now)
    if result.witness is None:
        return Replayed(result, result.attained, None, False, None, "")
    functions = _functions(result, target=target, distance=distance)
    try:
        model: Model = found(**result.arguments)
        for x in result.inputs:
            model.space.entries(x)
        related = _related(result, model, neighbors)
        value, how = result.again(model, **functions) if related is not False else (None, "not evaluated")
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as problem:
        if isinstance(problem, TautError):
            raise
        raise InvalidInput(
            f"'{result.path}' cannot be replayed: its arguments or its witness do not suit '{result.name}' "
            f"({type(problem).__name__}: {problem}).",
            value=str(path),
        ) from None
    return Replayed(result, result.attained, value, result.confirmed_by(value), related, how)


def _related(result: SavedResult, model: Model, given: Any) -> bool | None:
    """Return whether the inputs of the witness are neighbours; None if it has a single one."""
    if not result.pairs:
        return None
    if given is None and result.neighbors not in NAMED and model.neighbors(None).name != result.neighbors:
        raise InvalidInput(
            f"the relation '{result.neighbors}' of the saved result is not one of taut's; give it: --neighbors "
            "file.py:name, or neighbors= in Python.",
            value=result.neighbors,
        )
    if given is None:
        relation = model.neighbors(result.neighbors if result.neighbors in NAMED else None)
    elif result.neighbors in NAMED and given != result.neighbors:
        raise InvalidInput(f"the saved result is about {result.neighbors} neighbours, not {given!r}.", value=given)
    else:
        relation = model.neighbors(given)
    neighbors = relation.related(model.space)
    return all(neighbors(*pair) for pair in result.pairs)


def _functions(result: SavedResult, **given: Any) -> dict[str, Any]:
    """Return the functions that a question was asked with, such as the target and the distance of accuracy."""
    known: dict[str, Mapping[str, Any]] = {"target": TARGETS, "distance": DISTANCES}
    kinds = {one.name: one.kind for one in result.asked.fields if one.saved in ("function", "maybe function")}
    return {
        name: None
        if result.question[name] is None
        else _function(result.question[name], given[kind], known[kind], name)
        for name, kind in kinds.items()
    }


def _function(saved: Mapping[str, Any], given: Any, known: Mapping[str, Any], what: str) -> Any:
    if "values" in saved:
        return saved["values"]
    if given is None:
        named = {function_named(one)[0]: one for one in known.values() if one is not None}
        if saved["name"] in named:
            return named[saved["name"]]
        raise InvalidInput(
            f"the {what} '{saved['name']}' of the saved result is not one of taut's; give it: --{what} file.py:name, "
            f"or {what}= in Python.",
            value=saved["name"],
        )
    name, sha256 = function_named(given)
    if (name, sha256) != (saved["name"], saved["sha256"]):
        raise SourceChanged(
            f"the {what} that is given, '{name}', is not the '{saved['name']}' of the saved result, or has changed.",
            value=name,
        )
    return given


def _as_mechanism(given: Any) -> Mechanism:
    return given if isinstance(given, Mechanism) else mechanism(given)


def _find(result: SavedResult, allowed: list[Path]) -> Mechanism:
    """Return the mechanism where it stood when the result was saved, if its file may be run."""
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
    if result.language == "python" and ("." in result.name or "<" in result.name):
        raise InvalidInput(
            f"'{result.name}' is not at the top of its file, so it cannot be found by its name; give it: "
            f"taut.replay({str(result.path)!r}, mechanism=...).",
            value=result.name,
        )
    _check_allowed(result, result.file, allowed)
    if result.language == "dice":
        return load_dice(f"{result.file}:{result.name}" if result.name else str(result.file))
    return _as_mechanism(load_function(f"{result.file}:{result.name}"))


def _check_allowed(result: SavedResult, file: Path, allowed: list[Path]) -> None:
    """Refuse a file that the user has not allowed, unless it is below the working directory and unchanged."""
    real = file.resolve()
    if any(real.is_relative_to(place.resolve()) for place in allowed):
        return
    how = f"taut replay --allow {file}, or taut.replay(..., allow=[...])"
    if not real.is_relative_to(Path.cwd().resolve()):
        raise InvalidInput(
            f"the saved result would run '{file}', which is not below the working directory; if you trust that file, "
            f"allow it: {how}.",
            value=str(file),
        )
    if result.language == "python" and text_hash(real) != result.file_sha256:
        raise SourceChanged(
            f"'{file}' has changed since the result was saved, so it is not run; if you trust it, allow it, and what "
            f"the mechanism uses is compared: {how}.",
            value=str(file),
        )


def _sources(found: Mechanism, result: SavedResult) -> Mapping[str, str]:
    if result.language == "dice":
        file = found.file  # type: ignore[attr-defined]
        return {Path(file.source.name).name: file.source.text}
    return sources_of(found.function)


def _changed(result: SavedResult, now: Mapping[str, str]) -> SourceChanged:
    """Return the error for a changed mechanism, with the first line that differs."""
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
