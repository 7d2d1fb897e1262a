"""The layout of a file with a result: for each kind of question what has to be there, and of which shape and size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.questions.field import Numbers
from taut.questions.question import Question
from taut.questions.registry import registered
from taut.support.exact import INFINITY, Ball, ends
from taut.verification.saved.encoding import decoded
from taut.verification.saved.schema import Damaged, Reader, listed, mapping, maybe, one_of, record, text, word

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
    kinds = {name: one for name, one in registered().items() if one.layout is not None}
    if not isinstance(kind, str) or kind not in kinds:
        raise Damaged(f"the kind of its question is not one of {', '.join(kinds)}")
    found: dict[str, Any] = _reader(kinds[kind])(content, "")
    return found


def _numbers(allowed: Numbers) -> Reader:
    """Read an encoded number that lies in a range, or a list of such."""
    kinds = (Fraction,) if allowed.rational else (Fraction, Ball)

    def read(value: Any, where: str) -> Any:
        number = decoded(value, where)
        if type(number) is int:
            number = Fraction(number)
        if not isinstance(number, kinds) and not (number == INFINITY == allowed.most):
            raise Damaged(f"{where} is not a number")
        if isinstance(number, Ball) and number.radius > _NARROW * max(Fraction(1), abs(Fraction(number.mid))):
            raise Damaged(f"{where} is an interval that is wider than rounding makes it")
        low, high = ends(number)
        if high < allowed.least or low > allowed.most:
            raise Damaged(f"{where} is not between {allowed.least} and {allowed.most}")
        if allowed.above and number == allowed.least:
            raise Damaged(f"{where} is {allowed.least}")
        return number

    return listed(read, 1) if allowed.listed else read


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


def _shaped(shape: Numbers | str) -> Reader:
    """Return the reader of a field of a question."""
    if isinstance(shape, Numbers):
        return _numbers(shape)
    return {"flag": one_of(True, False), "function": _read_function, "maybe function": maybe(_read_function)}[shape]


def _reader(kind: type[Question[Any]]) -> Reader:
    """Return the reader of a whole file about a question of this kind."""
    layout = kind.layout
    assert layout is not None
    shapes = {**{one.name: one.saved for one in kind.fields if one.saved is not None}, **layout.asked}
    asked = {name: _shaped(shape) for name, shape in shapes.items()}
    witness = {part: _pairs if part == "pairs" else decoded for part in layout.witness}
    value = _numbers(layout.value)
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
            "neighbors": one_of(None) if kind.about_target else _NAME,
            "question": record({"kind": one_of(kind.name), **asked}),
            "witness": maybe(record(witness)),
            "lower": value,
            "upper": value,
        }
    )
