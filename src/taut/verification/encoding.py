"""Saved results: encoding of values, readers of JSON that nobody vouches for, and the layout of the file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import flint

from taut.program import AtLeast, AtMost
from taut.program.domains import Domain, bits, ints
from taut.program.domains import integer as integers
from taut.questions.field import Numbers
from taut.questions.question import Question
from taut.questions.registry import registered
from taut.support.errors import InvalidInput, shortened
from taut.support.exact import INFINITY, Ball, ball_of, ends, exact_text

__all__ = [
    "FORMAT",
    "VERSION",
    "Damaged",
    "Reader",
    "decoded",
    "encoded",
    "integer",
    "listed",
    "mapping",
    "maybe",
    "one_of",
    "parsed",
    "read_layout",
    "record",
    "text",
    "word",
]


MOST_DIGITS = 100_000
"""Limit for the digits of one whole number, so that no arithmetic with it takes long."""
_MOST_TEXT = 1 << 24
Reader = Callable[[Any, str], Any]
"""A function that takes a value and its place in the file, such as 'question.ratio', and returns the decoded value or
raises Damaged."""


class Damaged(ValueError):
    """A value that is not of the expected shape, with its place in the file."""


def parsed(data: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        Damaged: the text is not JSON, is nested too deeply, or has a number of more than 100,000 digits.
    """
    try:
        return json.loads(data.decode("utf-8"), parse_int=integer)
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise Damaged("it is not text in UTF-8") from None
    except json.JSONDecodeError as problem:
        raise Damaged(f"it is not JSON (line {problem.lineno})") from None


def integer(digits: str) -> int:
    """Return a whole number of at most 100,000 digits, even where Python would refuse to convert them."""
    if len(digits) > MOST_DIGITS:
        raise Damaged(f"a number has {len(digits)} digits; at most {MOST_DIGITS} are read")
    return int(flint.fmpz(digits))


def text(most: int = _MOST_TEXT) -> Reader:
    """Read any text."""

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise _unexpected(value, where, f"text of at most {most} characters")
        return value

    return read


def word(pattern: str = ".*", most: int = 1000) -> Reader:
    """Read a line of printable text that matches a pattern."""

    def read(value: Any, where: str) -> str:
        if not (isinstance(value, str) and len(value) <= most and value.isprintable() and re.fullmatch(pattern, value)):
            raise _unexpected(value, where, "a name" if pattern == ".*" else f"text like {pattern}")
        return value

    return read


def one_of(*allowed: Any) -> Reader:
    """Read one of some values, of the same type."""

    def read(value: Any, where: str) -> Any:
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise _unexpected(value, where, " or ".join(map(repr, allowed)))
        return value

    return read


def maybe(inner: Reader) -> Reader:
    """Read null as None, and everything else by another reader."""
    return lambda value, where: None if value is None else inner(value, where)


def listed(inner: Reader, least: int = 0, most: int = 1_000_000) -> Reader:
    """Read a list with ``least`` to ``most`` items as a tuple."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise _unexpected(value, where, f"a list of {least} to {most} items" if least != most else f"{most} items")
        return tuple(inner(item, f"{where}[{place}]") for place, item in enumerate(value))

    return read


def mapping(key: Reader, inner: Reader, most: int = 10_000) -> Reader:
    """Read an object with any keys."""

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > most:
            raise _unexpected(value, where, f"an object of at most {most} entries")
        return {key(name, where): inner(item, f"{where}.{name}") for name, item in value.items()}

    return read


def record(fields: Mapping[str, Reader]) -> Reader:
    """Read an object with exactly these keys."""

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _unexpected(value, where, f"an object with {', '.join(fields) or 'nothing in it'}")
        for name in [*fields, *value]:
            if name not in value:
                raise Damaged(f"{where or 'it'} lacks '{name}'")
            if name not in fields:
                raise Damaged(f"{where or 'it'} has {_brief(name)}, which means nothing there")
        return {name: inner(value[name], f"{where}.{name}".lstrip(".")) for name, inner in fields.items()}

    return read


def _unexpected(value: Any, where: str, wanted: str) -> Damaged:
    return Damaged(f"{where or 'it'} is {_brief(value)}, not {wanted}")


def _brief(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)} entries"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of more than 40 digits"
    return shortened(repr(value))


_MOST_DEPTH = 60
_MOST_ENTRIES = 1_000_000
_MOST_BITS, _MOST_POWER = 100_000, 10_000_000
"""Limits for the mantissas of a ball, and for its powers of two; larger ones would be numbers of gigabytes."""
_FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


def encoded(value: Any, what: str) -> Any:
    """Encode a value for JSON; ``what`` names it in errors.

    >>> from taut import bits
    >>> encoded((1, Fraction(1, 5), "a"), "y")
    [1, {'fraction': '1/5'}, 'a']
    >>> decoded(encoded({"x": bits(2)}, "arguments"))
    {'x': Domain(n=2, values=(0, 1), name='bits(2)', bare=False)}

    Raises
    ------
    InvalidInput
        The value is of a kind that cannot be written, such as a function.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"infinity": True} if value == INFINITY else {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"fraction": exact_text(value)}
    if isinstance(value, Ball):
        mid, radius = value.parts()
        return {"ball": [*mid, *radius]}
    if isinstance(value, Domain):
        parts = {"n": value.n, "values": encoded(value.values, what), "name": value.name, "bare": value.bare}
        return {"domain": parts}
    if isinstance(value, (tuple, list)):
        return [encoded(item, what) for item in value]
    if isinstance(value, (frozenset, set)):
        return {"set": [encoded(item, what) for item in sorted(value, key=repr)]}
    if isinstance(value, dict):
        return {"dict": [[encoded(key, what), encoded(item, what)] for key, item in value.items()]}
    if isinstance(value, (AtLeast, AtMost)):
        return {"at_least" if isinstance(value, AtLeast) else "at_most": value.bound}
    raise InvalidInput(f"save: {what} cannot be written to a file: {value!r}.", value=value)


def decoded(written: Any, where: str = "value", depth: int = 0) -> Any:
    """Return the value that was encoded.

    Raises:
        Damaged: ``encoded`` does not write this, or it is too large.
    """
    if depth > _MOST_DEPTH:
        raise Damaged(f"{where[:40]}... is nested more than {_MOST_DEPTH} times")
    if isinstance(written, list):
        return tuple(decoded(item, f"{where}[{place}]", depth + 1) for place, item in enumerate(written))
    if isinstance(written, float):
        raise Damaged(f"{where} is the bare float {written}, which is never written")
    if not isinstance(written, dict):
        return written
    kind, inner = next(iter(written.items())) if len(written) == 1 else ("", None)
    if kind not in _KINDS:
        raise Damaged(f"{where} is an object that is not one of {', '.join(_KINDS)}")
    try:
        return _KINDS[kind](inner, where, depth + 1)
    except (TypeError, ArithmeticError) as problem:  # such as sets of what cannot be hashed
        raise Damaged(f"{where} is not a {kind}: {problem}") from None


def _float(written: Any, where: str, _: int) -> float:
    try:
        value = float.fromhex(text(100)(written, where))
    except ValueError:
        raise Damaged(f"{where} is not a float") from None
    if math.isnan(value):
        raise Damaged(f"{where} is not a number")
    return value


def _fraction(written: Any, where: str, _: int) -> Fraction:
    found = _FRACTION.fullmatch(text()(written, where))
    if found is None:
        raise Damaged(f"{where} is not a fraction like 1/5")
    return Fraction(integer(found[1]), integer(found[2] or "1"))


def _ball(written: Any, where: str, _: int) -> Ball:
    parts = listed(_whole, 4, 4)(written, where)
    mantissas, powers = parts[::2], parts[1::2]
    if mantissas[1] < 0 or any(abs(one).bit_length() > _MOST_BITS for one in mantissas):
        raise Damaged(f"{where} has a mantissa that no ball has")
    if any(abs(one) > _MOST_POWER for one in powers):
        raise Damaged(f"{where} has a power of two beyond {_MOST_POWER}")
    mid, radius = zip(mantissas, powers, strict=True)
    return ball_of(mid, radius)


def _whole(value: Any, where: str) -> int:
    if type(value) is not int:
        raise Damaged(f"{where} is not a whole number")
    return value


def _domain(written: Any, where: str, depth: int) -> Domain:
    parts = record({"n": _whole, "values": listed(_as_is, 1), "name": text(), "bare": one_of(True, False)})
    found = parts(written, where)
    n, values, name, bare = found["n"], decoded(list(found["values"]), where, depth), found["name"], found["bare"]
    if not 0 <= n <= _MOST_ENTRIES or (bare and n != 1) or len(set(values)) != len(values):
        raise Damaged(f"{where} is not a domain")
    plain, form = name, ""
    for kind in ("list", "array"):
        if name.endswith(f".as_{kind}()"):
            plain, form = name.removesuffix(f".as_{kind}()"), kind
    if plain not in _names(n, values, bare):
        raise Damaged(f"{where} has other values than its name says")
    return Domain(n, values, name, bare, form)


def _as_is(value: Any, where: str) -> Any:
    return value


def _names(n: int, values: tuple[Any, ...], bare: bool) -> Iterator[str]:
    """Yield the names that the makers of domains give to a domain with these parts."""
    first, last = values[0], values[-1]
    if all(
        type(value) is int and value == place for place, value in enumerate(values, first if type(first) is int else 0)
    ):
        yield integers(first, last).name if bare else ints(n, first, last).name
        if values == (0, 1) and not bare:
            yield bits(n).name
    yield f"category({list(values)!r})" if bare else f"categories({n}, {list(values)!r})"
    if last is None and len(values) > 1:
        yield from (f"{name}.optional()" for name in _names(n, values[:-1], bare))


def _set(written: Any, where: str, depth: int) -> frozenset[Any]:
    return frozenset(decoded(item, where, depth) for item in listed(_as_is)(written, where))


def _dict(written: Any, where: str, depth: int) -> dict[Any, Any]:
    pairs = listed(listed(_as_is, 2, 2))(written, where)
    found = {decoded(key, where, depth): decoded(item, where, depth) for key, item in pairs}
    if len(found) != len(pairs):
        raise Damaged(f"{where} has a key twice")
    return found


def _infinity(written: Any, where: str, _: int) -> float:
    one_of(True)(written, where)
    return INFINITY


def _at_least(written: Any, where: str, _: int) -> AtLeast:
    return AtLeast(_whole(written, where))


def _at_most(written: Any, where: str, _: int) -> AtMost:
    return AtMost(_whole(written, where))


_KINDS: dict[str, Callable[[Any, str, int], Any]] = {
    "infinity": _infinity,
    "float": _float,
    "fraction": _fraction,
    "ball": _ball,
    "domain": _domain,
    "set": _set,
    "dict": _dict,
    "at_least": _at_least,
    "at_most": _at_most,
}


FORMAT = "taut result"
VERSION = 2
_NARROW = Fraction(1, 2**64)
"""The largest radius of a ball in a file, relative or absolute; a replay could not confirm a wider one."""


def read_layout(content: Any) -> dict[str, Any]:
    """Return the parts of a file, decoded.

    Raises:
        Damaged: a field is missing, unknown, of another shape, or too large.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise Damaged("it has other contents")
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
