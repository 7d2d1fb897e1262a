"""Results in files that last: all that is needed to replay them years later."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut._version import __version__
from taut.errors import InvalidInput, TooLarge
from taut.files import write_file
from taut.measures import HockeyStick, RenyiMoment
from taut.model.encoding import decoded, encoded
from taut.model.model import Model
from taut.model.origin import fingerprint, origin_of
from taut.numbers import quotient
from taut.results import (
    AccuracyBound,
    Bound,
    DeltaBound,
    PairWitness,
    PrivacyBound,
    PrivacyProfile,
    RenyiBound,
)
from taut.results.curve import Curve, lines_of

__all__ = ["SavedResult", "load_result", "save_result"]

_FORMAT = "taut result"
_VERSION = 1
_MOST_OUTPUTS = 100_000
_NEEDED = {
    "privacy": ("x", "x_prime", "y"),
    "accuracy": ("x", "outputs"),
    "delta": ("x", "x_prime", "ratio"),
    "renyi": ("x", "x_prime", "order"),
    "profile": ("pairs", "ratios"),
}


def save_result(model: Model, close: Callable[[Any, Any], bool] | None, bound: Bound, path: Any) -> None:
    """Write a bound with everything that its replay needs; ``close`` tells close outputs, for a bound on accuracy.

    Raises
    ------
    InvalidInput
        The bound is of a kind that is not saved, an argument cannot be written, or the file cannot.
    """
    origin = origin_of(model)
    target = Path(path)
    place = None if origin.file is None else os.path.relpath(origin.file.resolve(), target.resolve().parent)
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "versions": {"taut": __version__, "python": platform.python_version()},
        "mechanism": {
            "language": origin.language,
            "name": origin.name,
            "file": None if place is None else Path(place).as_posix(),
            "sources": dict(origin.sources),
            "sha256": fingerprint(origin.sources),
        },
        "arguments": {name: encoded(value, f"the argument {name}") for name, value in origin.arguments.items()},
        "neighbors": bound.neighbors,
        "question": _question(model, bound, close),
        "attained": encoded(_attained(bound), "the value"),
        "result": bound.to_dict(),
        "text": str(bound),
    }
    write_file(target, json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n")


def _question(model: Model, bound: Bound, close: Callable[[Any, Any], bool] | None) -> dict[str, Any]:
    """What was asked, and the case that attains the answer."""
    case = {"witnessed": bound.witnessed}
    if isinstance(bound, PrivacyBound):
        one = bound.witness
        return {"kind": "privacy", **case, "x": _case(one.x), "x_prime": _case(one.x_prime), "y": _case(one.y)}
    if isinstance(bound, AccuracyBound):
        x = bound.witness.x
        outputs = None
        if bound.witnessed and close is not None:
            try:
                outputs = [encoded(y, "an output") for y in model.distribution(x) if close(x, y)]
            except TooLarge:
                outputs = None
        if outputs is None or len(outputs) > _MOST_OUTPUTS:
            raise InvalidInput("save: the outputs that are close to the target are too many to write down.", value=x)
        return {"kind": "accuracy", **case, "x": _case(x), "alpha": encoded(bound.alpha, "alpha"), "outputs": outputs}
    if isinstance(bound, (DeltaBound, RenyiBound)):
        pair = {"x": _case(bound.witness.x), "x_prime": _case(bound.witness.x_prime)}
        if isinstance(bound, DeltaBound):
            return {"kind": "delta", **case, **pair, "ratio": encoded(bound.ratio, "the ratio")}
        return {"kind": "renyi", **case, **pair, "order": encoded(bound.order, "the order")}
    if isinstance(bound, PrivacyProfile) and bound.exact and not bound.parts:
        pairs = [(pair.x, pair.x_prime) for pair in bound.pairs]
        return {"kind": "profile", **case, "pairs": _case(pairs), "ratios": encoded(bound.places, "a ratio")}
    raise InvalidInput(
        f"save: this {type(bound).__name__} is not saved; bounds of privacy, delta, Rényi moments and accuracy are, "
        "and exact profiles of one mechanism.",
        value=bound,
    )


def _attained(bound: Bound) -> Any:
    """The value that a witness attains; of a profile, delta at every corner."""
    return [bound.lower(place) for place in bound.places] if isinstance(bound, PrivacyProfile) else bound.attained


def _case(value: Any) -> Any:
    return encoded(value, "the witness")


@dataclass(frozen=True)
class SavedResult:
    """A result that was read from a file."""

    path: Path
    language: str
    name: str
    file: Path | None
    sources: Mapping[str, str]
    sha256: str
    arguments: Mapping[str, Any]
    neighbors: str | None
    question: Mapping[str, Any]
    attained: Any
    text: str
    versions: Mapping[str, str]
    result: Mapping[str, Any]
    """The bound as ``to_dict`` gave it."""

    @property
    def exact(self) -> bool:
        """Whether the value was known exactly."""
        return bool(self.result["exact"])

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The two neighbours of the witness, or of each piece of a profile; none for a result about single inputs."""
        if self.question["kind"] == "profile":
            return list(self.question["pairs"])
        return [] if "x_prime" not in self.question else [(self.question["x"], self.question["x_prime"])]

    def again(self, model: Model) -> tuple[Any, str]:
        """The value that the witness attains, evaluated anew without any diagram, and how."""
        asked = self.question
        if asked["kind"] == "privacy":
            (p, how), (q, _) = (model.replayed(asked[x], asked["y"]) for x in ("x", "x_prime"))
            return quotient(p, q), how
        if asked["kind"] == "accuracy":
            parts = [model.replayed(asked["x"], y) for y in asked["outputs"]]
            hows = dict.fromkeys(how for _, how in parts)
            return sum(share for share, _ in parts), ", ".join(hows) or "no output is close"
        if asked["kind"] == "profile":
            losses = [model.replayed_loss(PairWitness(*pair)) for pair in self.pairs]
            curve = Curve(line for loss, _ in losses for line in lines_of(loss.rational(up=False)))
            hows = dict.fromkeys(how for _, how in losses)
            return tuple(curve(place) for place in asked["ratios"]), ", ".join(hows)
        loss, how = model.replayed_loss(PairWitness(asked["x"], asked["x_prime"]))
        measure = HockeyStick(asked["ratio"]) if asked["kind"] == "delta" else RenyiMoment(asked["order"])
        return loss.divergence(measure), how


def load_result(path: str | os.PathLike[str]) -> SavedResult:
    """Read a file that ``bound.save`` wrote.

    Raises
    ------
    InvalidInput
        There is no such file, or it is something else, or damaged.
    """
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"'{place}' is not a result that bound.save wrote: it is not text.", value=path) from None
    except OSError as problem:
        raise InvalidInput(f"cannot read '{place}': {problem.strerror or problem}.", value=path) from None
    try:
        content = json.loads(text)
    except ValueError as problem:
        raise InvalidInput(f"'{place}' is not a result that bound.save wrote: {problem}.", value=path) from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InvalidInput(f"'{place}' is not a result that bound.save wrote, or --save.", value=path)
    if content.get("version") != _VERSION:
        raise InvalidInput(
            f"'{place}' has version {content.get('version')!r} of the format; this taut reads {_VERSION}.", value=path
        )
    try:
        return _read(place, content)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as problem:
        raise InvalidInput(f"'{place}' is damaged: {type(problem).__name__}: {problem}.", value=path) from None


def _read(place: Path, content: Mapping[str, Any]) -> SavedResult:
    mechanism = content["mechanism"]
    sources = {str(name): str(text) for name, text in mechanism["sources"].items()}
    if fingerprint(sources) != mechanism["sha256"]:
        raise ValueError("its source does not have the hash that stands beside it")
    file = None if mechanism["file"] is None else place.parent / mechanism["file"]
    question = {name: decoded(value) for name, value in content["question"].items()}
    for needed in _NEEDED[question["kind"]]:
        question[needed]  # a KeyError tells what is missing
    return SavedResult(
        place,
        str(mechanism["language"]),
        str(mechanism["name"]),
        file,
        sources,
        str(mechanism["sha256"]),
        {name: decoded(value) for name, value in content["arguments"].items()},
        content["neighbors"],
        question,
        decoded(content["attained"]),
        str(content["text"]),
        content["versions"],
        dict(content["result"]),
    )
