"""Results in files that last: all that is needed to replay them years later."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taut.model.model import Model
from taut.questions.bound import Bound
from taut.support.errors import InvalidInput
from taut.support.files import read_file, write_file
from taut.support.version import __version__
from taut.verification.saved.encoding import encoded
from taut.verification.saved.layout import FORMAT, VERSION, read_layout
from taut.verification.saved.origin import fingerprint, function_named, origin_of, text_hash
from taut.verification.saved.result import SavedResult
from taut.verification.saved.schema import Damaged, parsed

__all__ = ["SavedResult", "load_result", "save_result"]

_MOST_BYTES = 64 << 20


def save_result(model: Model, bound: Bound, path: Any) -> None:
    """Write a bound with everything that its replay needs.

    Raises
    ------
    InvalidInput
        The bound is of a kind that is not saved, an argument cannot be written, or the file cannot.
    """
    origin = origin_of(model)
    target = Path(path)
    place = None if origin.file is None else os.path.relpath(origin.file.resolve(), target.resolve().parent)
    question = bound.question
    shapes = {one.name: one.saved for one in question.fields}
    asked = {name: _encoded(value, name, shapes.get(name)) for name, value in question.saved_fields(bound).items()}
    lower, upper = question.saved_interval(bound)
    case = question.saved_witness(bound) if bound.witnessed else None
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
        "question": {"kind": question.name, **asked},
        "witness": case and {part: encoded(value, "the witness") for part, value in case.items()},
        "lower": encoded(lower, "the value"),
        "upper": encoded(upper, "the value"),
    }
    data = json.dumps(content, indent=2).encode("ascii") + b"\n"
    try:
        _read(target, data)
    except Damaged as problem:
        raise InvalidInput(f"save: this result is too large for a file, or odd: {problem}.", value=path) from None
    write_file(target, data)


def _encoded(value: Any, name: str, shape: Any) -> Any:
    """Return a field of a question as it stands in a file."""
    if shape in ("function", "maybe function"):
        return _function(value)
    return value if shape == "flag" else encoded(value, name)


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
        advice = f"; ask about a mechanism with 'taut privacy {place}:NAME'" if place.suffix == ".py" else ""
        raise InvalidInput(
            f"'{place}' is not a result that bound.save or --save wrote: {problem}{advice}.", value=str(path)
        ) from None


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
