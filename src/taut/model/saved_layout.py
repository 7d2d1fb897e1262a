"""The layout of a file with a result: for each kind of question what has to be there, and of which shape and size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.model.encoding import decoded
from taut.model.schema import Damaged, Reader, listed, mapping, maybe, one_of, record, text, word
from taut.numbers import INFINITY, Ball, ends

__all__ = ["FORMAT", "VERSION", "read_layout"]

FORMAT = "taut result"
VERSION = 2
_NARROW = Fraction(1, 2**64)
"""The largest radius of a ball in a file, relative or absolute: a wider one says nothing that could be confirmed."""


def read_layout(content: Any) -> dict[str, Any]:
    """Return the parts of a file, decoded.

    Raises
    ------
    Damaged
        A part is missing, is of another shape, or is too large; or there is one too many.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise Damaged("it is something else")
    if content.get("version") != VERSION:
        raise Damaged(f"it has version {repr(content.get('version'))[:20]} of the format; this taut reads {VERSION}")
    kind = content["question"].get("kind") if isinstance(content.get("question"), dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise Damaged(f"the kind of its question is not one of {', '.join(_KINDS)}")
    found: dict[str, Any] = _LAYOUTS[kind](content, "")
    return found


def _number(least: int, most: Any, rational: bool = False) -> Reader:
    """Read an encoded number between two others, both included; the largest may be infinity."""

    def read(value: Any, where: str) -> Any:
        number = decoded(value, where)
        if type(number) is int:
            number = Fraction(number)
        kinds = (Fraction,) if rational else (Fraction, Ball)
        if not isinstance(number, kinds) and not (number == INFINITY == most):
            raise Damaged(f"{where} is not a number")
        if isinstance(number, Ball) and number.radius > _NARROW * max(Fraction(1), abs(Fraction(number.mid))):
            raise Damaged(f"{where} is an interval that is wider than rounding makes it")
        low, high = ends(number)
        if high < least or low > most:
            raise Damaged(f"{where} is not between {least} and {most}")
        return number

    return read


def _order(value: Any, where: str) -> Any:
    order = _number(1, 100_000, rational=True)(value, where)
    if order == 1:
        raise Damaged(f"{where} is 1")
    return order


def _pairs(value: Any, where: str) -> Any:
    return tuple(
        (decoded(x, where), decoded(y, where)) for x, y in listed(listed(lambda v, _: v, 2, 2), 1)(value, where)
    )


def _values(value: Any, where: str) -> Any:
    found = decoded(value, where)
    if not isinstance(found, dict):
        raise Damaged(f"{where} is not a table of values")
    return found


_NAME, _HASH = word(most=300), word("[0-9a-f]{64}")
_FUNCTION_NAMED, _FUNCTION_LISTED = record({"name": _NAME, "sha256": maybe(_HASH)}), record({"values": _values})


def _read_function(value: Any, where: str) -> Any:
    return (_FUNCTION_LISTED if isinstance(value, dict) and "values" in value else _FUNCTION_NAMED)(value, where)


_SHARE = _number(0, 1)
_PAIR: dict[str, Reader] = {"x": decoded, "x_prime": decoded}
_RATIOS, _SHARES = listed(_number(0, INFINITY, rational=True), 1), listed(_number(0, 1, rational=True), 1)
_KINDS: dict[str, tuple[dict[str, Reader], dict[str, Reader], Reader]] = {
    "privacy": ({}, {**_PAIR, "y": decoded}, _number(0, INFINITY)),
    "delta": ({"ratio": _number(0, INFINITY)}, _PAIR, _SHARE),
    "epsilon": ({"delta": _SHARE}, _PAIR, _number(1, INFINITY, rational=True)),
    "renyi": ({"order": _order}, _PAIR, _number(1, INFINITY)),
    "zcdp": ({}, _PAIR, _number(0, INFINITY, rational=True)),
    "profile": ({"ratios": _RATIOS}, {"pairs": _pairs}, _SHARES),
    "accuracy": (
        {
            "alpha": _number(0, INFINITY),
            "best": one_of(True, False),
            "target": _read_function,
            "distance": maybe(_read_function),
        },
        {"x": decoded},
        _SHARE,
    ),
}
"""For each kind of question: what it is asked with, what its witness has, and what its value is."""


def _layout(kind: str) -> Reader:
    """Return the reader of a whole file about a question of this kind."""
    asked, witness, value = _KINDS[kind]
    mechanism = {
        "language": one_of("python", "dice"),
        "name": _NAME,
        "file": maybe(word(most=4096)),
        "file_sha256": maybe(_HASH),
        "sources": mapping(text(10_000), text()),
        "sha256": _HASH,
    }
    return record(
        {
            "format": one_of(FORMAT),
            "version": one_of(VERSION),
            "versions": record({"taut": _NAME, "python": _NAME}),
            "mechanism": record(mechanism),
            "arguments": mapping(word(r"[^\W\d]\w*"), decoded),
            "neighbors": one_of(None) if kind == "accuracy" else _NAME,
            "question": record({"kind": one_of(kind), **asked}),
            "witness": maybe(record(witness)),
            "lower": value,
            "upper": value,
        }
    )


_LAYOUTS = {kind: _layout(kind) for kind in _KINDS}
