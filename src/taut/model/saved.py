"""Results in files that last: all that is needed to replay them years later."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taut._version import __version__
from taut.errors import InvalidInput
from taut.files import read_file, write_file
from taut.frontend.python.validation import Goal
from taut.model.encoding import encoded
from taut.model.model import Model
from taut.model.origin import fingerprint, function_named, origin_of, text_hash
from taut.model.saved_layout import FORMAT, VERSION, read_layout
from taut.model.saved_result import SavedResult
from taut.model.schema import Damaged, parsed
from taut.results import (
    AccuracyBound,
    Bound,
    DeltaBound,
    EpsilonBound,
    PrivacyBound,
    PrivacyProfile,
    RenyiBound,
    ZcdpBound,
)
from taut.results.kept import not_saved

__all__ = ["SavedResult", "load_result", "save_result"]

_MOST_BYTES = 64 << 20


def save_result(model: Model, goal: Goal | None, bound: Bound, path: Any) -> None:
    """Write a bound with everything that its replay needs; ``goal`` has the target of a bound on accuracy.

    Raises
    ------
    InvalidInput
        The bound is of a kind that is not saved, an argument cannot be written, or the file cannot.
    """
    origin = origin_of(model)
    target = Path(path)
    place = None if origin.file is None else os.path.relpath(origin.file.resolve(), target.resolve().parent)
    lower, upper = _interval(bound)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "versions": {"taut": __version__, "python": platform.python_version()},
        "mechanism": {
            "language": origin.language,
            "name": origin.name,
            "file": None if place is None else Path(place).as_posix(),
            "file_sha256": None if origin.file is None else text_hash(origin.file),
            "sources": dict(origin.sources),
            "sha256": fingerprint(origin.sources),
        },
        "arguments": {name: encoded(value, f"the argument {name}") for name, value in origin.arguments.items()},
        "neighbors": bound.neighbors,
        "question": _question(bound, goal),
        "witness": _witness(bound),
        "lower": encoded(lower, "the value"),
        "upper": encoded(upper, "the value"),
    }
    data = json.dumps(content, indent=2).encode("ascii") + b"\n"
    try:
        _read(target, data)
    except Damaged as problem:
        raise InvalidInput(f"save: this result is too large for a file, or odd: {problem}.", value=path) from None
    write_file(target, data)


def _question(bound: Bound, goal: Goal | None) -> dict[str, Any]:
    """Return what was asked."""
    if isinstance(bound, PrivacyBound):
        return {"kind": "privacy"}
    if isinstance(bound, AccuracyBound):
        assert goal is not None
        functions = {"target": _function(goal.target), "distance": _function(goal.distance)}
        return {"kind": "accuracy", "alpha": encoded(goal.alpha, "alpha"), "best": bound.best, **functions}
    if isinstance(bound, PrivacyProfile):
        if not bound.exact:
            raise not_saved(bound, "only exact profiles are: this one is rounded, or was not finished")
        return {"kind": "profile", "ratios": encoded(bound.places, "a ratio")}
    if isinstance(bound, DeltaBound):
        return {"kind": "delta", "ratio": encoded(bound.ratio, "the ratio")}
    if isinstance(bound, EpsilonBound):
        return {"kind": "epsilon", "delta": encoded(bound.delta, "delta")}
    if isinstance(bound, RenyiBound):
        return {"kind": "renyi", "order": encoded(bound.order, "the order")}
    assert isinstance(bound, ZcdpBound), "bounds of other kinds are refused by Bound.save"
    return {"kind": "zcdp"}


def _witness(bound: Bound) -> dict[str, Any] | None:
    """Return the case that attains the answer, if one was looked at."""
    if not bound.witnessed:
        return None
    if isinstance(bound, PrivacyProfile):
        return {"pairs": encoded([(pair.x, pair.x_prime) for pair in bound.pairs], "the witness")}
    parts = ["x"] if isinstance(bound, AccuracyBound) else ["x", "x_prime"]
    parts += ["y"] if isinstance(bound, PrivacyBound) else []
    return {part: encoded(getattr(bound.witness, part), "the witness") for part in parts}


def _interval(bound: Bound) -> tuple[Any, Any]:
    """Return both ends; of a profile, delta at every corner."""
    if isinstance(bound, PrivacyProfile):
        deltas = [bound.lower(place) for place in bound.places]
        return deltas, deltas
    return bound.lower, bound.upper


def _function(function: Any) -> Any:
    if function is None:
        return None
    if isinstance(function, Mapping):
        return {"values": encoded(dict(function), "the target")}
    name, sha256 = function_named(function)
    return {"name": name, "sha256": sha256}


def load_result(path: str | os.PathLike[str]) -> SavedResult:
    """Read a file that ``bound.save`` wrote; nothing of the mechanism is run.

    Raises
    ------
    InvalidInput
        There is no such file, or it is something else, or damaged.
    """
    place = Path(path)
    data = read_file(place, _MOST_BYTES)
    try:
        return _read(place, data)
    except Damaged as problem:
        raise InvalidInput(f"'{place}' is not a result that bound.save wrote: {problem}.", value=str(path)) from None


def _read(place: Path, data: bytes) -> SavedResult:
    if len(data) > _MOST_BYTES:
        raise Damaged(f"it has more than {_MOST_BYTES} bytes")
    found = read_layout(parsed(data))
    mechanism = found["mechanism"]
    if fingerprint(mechanism["sources"]) != mechanism["sha256"]:
        raise Damaged("its source does not have the hash that stands beside it")
    file = None if mechanism["file"] is None else place.parent / mechanism["file"]
    return SavedResult(
        place,
        mechanism["language"],
        mechanism["name"],
        file,
        mechanism["file_sha256"],
        mechanism["sources"],
        mechanism["sha256"],
        found["arguments"],
        found["neighbors"],
        found["question"],
        found["witness"],
        found["lower"],
        found["upper"],
        found["versions"],
    )
