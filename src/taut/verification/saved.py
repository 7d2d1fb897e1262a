"""Saved results: a bound with its question and the text of its mechanism in a file, written and read."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.model.model import Model
from taut.questions.bound import Bound
from taut.questions.question import Question
from taut.questions.registry import named
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, Ball, ends, may_be_equal
from taut.support.files import read_file, write_file
from taut.support.package import __version__
from taut.verification.encoding import FORMAT, VERSION, Damaged, encoded, parsed, read_layout
from taut.verification.origin import fingerprint, function_named, origin_of, text_hash

__all__ = ["SavedResult", "load_result", "save_result"]


_ROUNDING = Fraction(1, 2**150)
"""The largest radius of a ball that is a rounded number and not an interval, relative or absolute."""


@dataclass(frozen=True)
class SavedResult:
    """A result read from a file: well-formed, but not yet checked."""

    path: Path
    language: str
    name: str
    file: Path | None
    file_sha256: str | None
    sources: Mapping[str, str]
    sha256: str
    arguments: Mapping[str, Any]
    neighbors: str | None
    question: Mapping[str, Any]
    """The kind of the question, and its parameters."""
    witness: Mapping[str, Any] | None
    """The case that attains the value; None if no case was looked at."""
    lower: Any
    upper: Any
    versions: Mapping[str, str]

    def __post_init__(self) -> None:
        assert self.asked.layout is not None
        wrong = None
        if not self.asked.layout.value.listed and ends(self.lower)[0] > ends(self.upper)[1]:
            wrong = "the lower end is above the upper one"
        wrong = wrong or self.asked.check(self)
        if wrong is not None:
            raise Damaged(wrong)

    @property
    def kind(self) -> str:
        return str(self.question["kind"])

    @property
    def exact(self) -> bool:
        """True if the interval is a single number."""
        return bool(self.lower == self.upper)

    @property
    def asked(self) -> type[Question[Any]]:
        """The question that was asked."""
        return named(self.kind)

    @property
    def complete(self) -> bool:
        """True if the two ends agree up to rounding."""
        return self.asked.settled(self)

    @property
    def attained(self) -> Any:
        """The value that the witness attains; of a profile, delta at every corner."""
        return self.upper if self.asked.attains_upper(self.question) else self.lower

    @property
    def limit(self) -> Any:
        """Return the end of the interval that no case passes."""
        return self.lower if self.asked.attains_upper(self.question) else self.upper

    @property
    def inputs(self) -> list[Any]:
        """The inputs of the witness."""
        pairs = [x for pair in self.pairs for x in pair]
        return pairs or ([] if self.witness is None else [self.witness["x"]])

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The two neighbours of the witness, or of each piece of a profile; none for a result about single inputs."""
        if self.witness is None or self.asked.about_target:
            return []
        if "pairs" in self.witness:
            return list(self.witness["pairs"])
        return [(self.witness["x"], self.witness["x_prime"])]

    def again(self, model: Model, **functions: Any) -> tuple[Any, str]:
        """Return the value that the witness attains, evaluated anew without any diagram, and how.

        Functions that were asked with are given by name, since a file has their names only.
        """
        return self.asked.again(model, self, **functions)

    def confirmed_by(self, value: Any) -> bool:
        """Return True if a value is the one that was saved: up to rounding where exp occurs, to a billionth for rho."""
        claimed = self.attained
        if isinstance(value, tuple) or value is None or INFINITY in (value, claimed):
            return bool(value == claimed)
        if isinstance(value, Ball) or isinstance(claimed, Ball):
            narrow = _radius(claimed) <= max(_radius(value), _ROUNDING * max(Fraction(1), abs(_middle(value))))
            return narrow and may_be_equal(_ball(value), _ball(claimed))
        return self.asked.confirmed(self, value)


def _ball(value: Any) -> Ball:
    return value if isinstance(value, Ball) else Ball(value)


def _radius(value: Any) -> Fraction:
    return value.radius if isinstance(value, Ball) else Fraction(0)


def _middle(value: Any) -> Fraction:
    return value.mid if isinstance(value, Ball) else Fraction(value)


_MOST_BYTES = 64 << 20


def save_result(model: Model, bound: Bound, path: Any) -> None:
    """Write a bound with everything that its replay needs.

    Raises:
        InvalidInput: the bound is of a kind that is not saved, an argument cannot be written, or the file cannot.
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

    Raises:
        InvalidInput: there is no such file, or it is not a saved result, or it is damaged.
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
