"""The numbers and cases of results as text, for people and as plain data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from taut.support.exact import INFINITY, Ball, decimal, ends, exact_text, fraction_of_text

__all__ = [
    "Represented",
    "as_typed",
    "between",
    "brief",
    "brief_interval",
    "case_text",
    "class_dict",
    "equals",
    "float_dict",
    "found_by",
    "outward",
    "plain",
    "plain_case",
    "represented",
    "rounded_up",
    "short_text",
    "shown",
    "surely",
    "telling",
    "text_of",
    "vector_text",
]

_LONG = 16
_LARGEST = 10**4300
"""An integer from which on Python refuses to convert by default."""


class Represented:
    """Base of dataclasses of results: they print as dataclasses do, whatever number of digits their numbers have."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__repr__" not in vars(cls) and cls.__repr__ in (object.__repr__, _as_dataclass):
            # set before ``dataclass`` looks, which keeps a method of the class itself
            cls.__repr__ = _as_dataclass  # type: ignore[method-assign]


def _as_dataclass(self: Any) -> str:
    if not is_dataclass(self):
        return object.__repr__(self)
    parts = [f"{part.name}={represented(getattr(self, part.name))}" for part in fields(self) if part.repr]
    return f"{type(self).__qualname__}({', '.join(parts)})"


def represented(value: Any) -> str:
    """Return what ``repr`` returns, also for numbers with more digits than Python converts by default.

    >>> represented((Fraction(1, 3), {"a": [2]}))
    "(Fraction(1, 3), {'a': [2]})"
    """
    try:
        return repr(value)
    except ValueError:
        if not isinstance(value, (int, Fraction, tuple, list, Mapping)):
            raise
    if isinstance(value, int):
        return exact_text(value)
    if isinstance(value, Fraction):
        return f"Fraction({exact_text(value.numerator)}, {exact_text(value.denominator)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{represented(key)}: {represented(one)}' for key, one in value.items())}}}"
    if hasattr(value, "_fields"):
        named = zip(value._fields, map(represented, value), strict=True)
        return f"{type(value).__name__}({', '.join(f'{name}={one}' for name, one in named)})"
    inner = ", ".join(map(represented, value))
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def shown(value: Any) -> str:
    """Return a number for people: exact if that is short, else a decimal with the exact value left to ``str``."""
    if value == INFINITY:
        return "infinity"
    if isinstance(value, Ball):
        if value.radius:
            return f"{telling(value)}... (certainly within {_rounded_up(value.radius)})"
        value = value.mid
    if not isinstance(value, Fraction):
        return str(value)
    text, near = exact_text(value), decimal(value)
    if _is_long(text):
        what = "integer" if value.denominator == 1 else "fraction"
        return f"about {telling(value)} (an exact {what} of {sum(map(str.isdigit, text))} digits)"
    if value.denominator == 1:
        return text
    return f"{text} = {near}" if fraction_of_text(near) == value else f"{text} = {near}..."


def brief(value: Any) -> str:
    """Return a number for the title of a picture: exact if that is short, else a decimal.

    >>> brief(Fraction(95, 864)), brief(Fraction(1, 3**40)), brief(INFINITY)
    ('95/864 = 0.10995...', '8.2252633e-20...', 'infinity')
    >>> brief(Fraction(1999997, 1000000)), brief(Fraction(67108239, 64))
    ('1999997/1000000 = 1.999997', '67108239/64 = 1048566...')
    """
    if value == INFINITY:
        return "infinity"
    if isinstance(value, Ball) and not value.radius:
        value = value.mid
    if not isinstance(value, Fraction):
        return f"{decimal(value, 8)}..." if isinstance(value, Ball) else str(value)
    text, near = exact_text(value), telling(value, _digits(value, 5))
    if len(text) > 16:
        return f"{telling(value, _digits(value, 8))}..."
    if value.denominator == 1:
        return text
    return f"{text} = {near}" if fraction_of_text(near) == value else f"{text} = {near}..."


def _digits(value: Fraction, least: int) -> int:
    """Return how many digits to show: ``least``, or all before the decimal point."""
    whole = int(abs(value))
    return max(least, len(str(whole))) if whole < 10**15 else least


def as_typed(value: Any) -> str:
    """Return a number that was asked with: as a decimal if that is exact and short.

    >>> as_typed(Fraction(1, 1000)), as_typed(Fraction(1, 3))
    ('0.001', '1/3 = 0.3333333333...')
    """
    near = decimal(value, 6)
    return near if isinstance(value, Fraction) and fraction_of_text(near) == value else shown(value)


def brief_interval(low: Any, high: Any) -> str:
    """Return a bound for the title of a picture: the number, or both ends where their shown digits differ."""
    least, most = brief(low), brief(high)
    return f"= {most}" if least == most else f"between {least} and {most}"


def between(low: Any, high: Any) -> str:
    """Format a number that lies between two others, or is both; a narrow interval by its middle and how far off.

    >>> between(Fraction(1, 2), Fraction(1, 2)), between(Fraction(1, 3), Fraction(1, 2))
    ('1/2 = 0.5', 'between 1/3 = 0.3333333333... and 1/2 = 0.5')
    >>> between(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**8))
    '0.333333338... (certainly within 5e-09)'
    """
    if low == high:
        return shown(high)
    if low == INFINITY or high == INFINITY:
        return f"between {_end(low, up=False)} and {_end(high, up=True)}"
    least, most = Fraction(ends(low)[0]), Fraction(ends(high)[1])
    if most - least > abs(most) / 10**6:
        return f"between {_end(low, up=False)} and {_end(high, up=True)}"
    radius = (most - least) / 2
    agreed = len(str(int(abs(most) / radius)))
    return f"{telling(least + radius, min(10, agreed + 1))}... (certainly within {_rounded_up(radius)})"


def equals(name: str, low: Any, high: Any) -> str:
    """Format a bound with its name: the number, or the interval in which it certainly lies.

    >>> equals("delta", Fraction(1, 6), Fraction(1, 6)), equals("delta", Fraction(0), Fraction(1, 2))
    ('delta = 1/6 = 0.1666666667... exactly', 'delta between 0 and 1/2 = 0.5')
    """
    if low == high:
        return f"{name} = {surely(high)}"
    words = between(low, high)
    return f"{name} {words}" if words.startswith("between") else f"{name} = {words}"


def _end(value: Any, *, up: bool) -> str:
    """Format an end of an interval: exactly if that is short, else with ten digits, rounded outwards."""
    if isinstance(value, Ball) or (isinstance(value, Fraction) and _is_long(exact_text(value))):
        return outward(value, 10, up=up)
    return shown(value)


def outward(value: Any, digits: int, up: bool, infinity: str = "infinity") -> str:
    """Format an end of a certified interval with ``digits`` digits, rounded outwards.

    >>> outward(Fraction(2, 3), 3, up=False), outward(Fraction(2, 3), 3, up=True), outward(INFINITY, 3, up=True)
    ('0.666', '0.667', 'infinity')
    """
    if abs(value) == INFINITY:
        return infinity if value > 0 else f"-{infinity}"
    exact = Fraction(ends(value)[1 if up else 0])
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)
    return f"{rounded:f}" if -5 < rounded.adjusted() < 15 else f"{rounded:e}"


def rounded_up(value: Any, digits: int = 6, *, below: Any = None) -> str:
    """Format a number rounded up, with ``digits`` digits, or more if needed to show that it is at most ``below``.

    >>> rounded_up(Fraction(2, 3)), rounded_up(INFINITY)
    ('0.666667', 'infinity')
    >>> rounded_up(Fraction("1.0000001")), rounded_up(Fraction("1.0000001"), below=Fraction("1.0000005"))
    ('1.00001', '1.0000001')
    """
    text = outward(value, digits, up=True)
    while (
        value != INFINITY
        and below is not None
        and digits < 17
        and fraction_of_text(text) > ends(below)[0] >= ends(value)[1]
    ):
        digits += 1
        text = outward(value, digits, up=True)
    return text


def surely(value: Any, comma: str = "") -> str:
    """Return a number for people, marked as exact or with the radius of its ball; infinity is a word.

    >>> surely(Fraction(4)), surely(INFINITY)
    ('4 exactly', 'infinity')
    """
    if isinstance(value, Ball) and not value.radius:
        value = value.mid
    says = value == INFINITY or isinstance(value, Ball) or (isinstance(value, Fraction) and _is_long(exact_text(value)))
    return shown(value) if says else f"{shown(value)}{comma} exactly"


def found_by(method: str) -> str:
    """Return how a bound was found, as sentences end.

    >>> found_by("exhaustive"), found_by("search")
    ('found by enumeration', 'found by search')
    """
    names = {"exhaustive": "found by enumeration", "restricted": "found on a restricted set of cases"}
    return names.get(method, f"found by {method}")


def telling(value: Any, digits: int = 10) -> str:
    """Return a number with enough digits to differ from the whole number beside it.

    >>> telling(Fraction(1999997, 1000000), 4), telling(1 + Fraction(2, 10**11), 4), telling(Fraction(2))
    ('1.999997', '1 + 2e-11', '2')
    """
    if isinstance(value, Ball):
        value = value.mid
    if value == INFINITY:
        return decimal(value)
    near = round(value)
    if value == near or not 0 < abs(near) < 10**15:
        return decimal(value, digits)
    for text in (decimal(value, digits), decimal(value, max(digits, 8))):
        if abs(near) >= 10**digits or fraction_of_text(text) != near:
            return text
    sign = "+" if value > near else "-"
    return f"{near} {sign} {decimal(abs(value - near), 2)}"


def text_of(value: Any) -> Any:
    """Return a number as plain data: fractions as 'p/q', infinity as 'inf', balls by middle and radius.

    Those are floats, or decimals as text where they are too large or too small for a float.
    """
    if value == INFINITY:
        return "inf"
    if isinstance(value, Ball):
        return {"mid": _float_or_text(value.mid), "radius": _float_or_text(value.radius)}
    return exact_text(value) if isinstance(value, Fraction) else str(value)


def float_dict(name: str, value: float, least: Any) -> dict[str, Any]:
    """Return the upper end of an interval as plain data; None if it is infinite, and another entry that is true if
    ``least``, the lower end, is infinite as well.

    >>> float_dict("rho", INFINITY, Fraction(2)), float_dict("rho", INFINITY, INFINITY)
    ({'rho': None, 'infinite': False}, {'rho': None, 'infinite': True})
    """
    return {name: None if abs(value) == INFINITY else value, "infinite": least == INFINITY}


def _float_or_text(value: Fraction) -> float | str:
    fits = value == 0 or Fraction(1, 10**300) < abs(value) < 10**300
    return float(value) if fits else decimal(value, 17)


def plain(value: Any) -> Any:
    """Return a database or an output as plain data: tuples as lists, numbers that are no integers as text, and so are
    integers with more digits than Python converts by default.
    """
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Fraction) or (type(value) is int and abs(value) >= _LARGEST):
        return exact_text(value)
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def plain_case(witness: Any) -> dict[str, Any] | None:
    """Return a worst case for JSON: its inputs and its output; None if there is none."""
    if witness is None:
        return None
    return {part.name: plain(getattr(witness, part.name)) for part in fields(witness) if part.compare}


def class_dict(group: Any) -> dict[str, Any]:
    """Return a class of equally bad cases as plain data: its value, how many cases there are, and one of them."""
    return {"value": text_of(group.value), "count": group.count, "witness": plain_case(group.witness)}


def vector_text(value: Any) -> str:
    """Return a database or an output; over 16 entries as runs.

    >>> vector_text((0, 1)), vector_text((1,) * 3 + (0,) * 17)
    ('(0, 1)', '1^3 0^17')
    """
    if isinstance(value, (tuple, list)):
        if len(value) > _LONG:
            runs = [(vector_text(entry), len(list(same))) for entry, same in itertools.groupby(value)]
            words = [f"{entry}^{length}" if length > 1 else entry for entry, length in runs]
            if len(words) > 4 * _LONG:
                words = [*words[: 2 * _LONG], "...", *words[-_LONG:]]
            return " ".join(words)
        inner = ", ".join(vector_text(entry) for entry in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return exact_text(value) if isinstance(value, Fraction) else represented(value)


def case_text(value: Any) -> str:
    """Return a database or an output as Python prints it; in runs if it, or a part of it, has over 16 entries.

    >>> case_text(("no", 1)), case_text((0,) * 20)
    ("('no', 1)", '0^20')
    """
    if _has_runs(value):
        return vector_text(value)
    if type(value) is Fraction:
        return exact_text(value)
    return represented(value) if type(value) in (int, tuple, list) else str(value)


def _has_runs(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and (len(value) > _LONG or any(map(_has_runs, value)))


def short_text(x: Any) -> str:
    """Return a database for the legend of a plot: cut in the middle where it is long.

    >>> short_text((0, 1, 2) * 40)
    '0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 ... 0 1 2 0 1 2'
    """
    text = vector_text(x).replace("$", r"\$")
    return text if len(text) <= 46 else f"{text[:30].strip()} ... {text[-12:].strip()}"


def _is_long(text: str) -> bool:
    return len(text) > 24


def _rounded_up(radius: Fraction) -> str:
    """Return a small positive number with one digit, never less than it is.

    >>> _rounded_up(Fraction(11, 10**76)), _rounded_up(Fraction(95, 1000))
    ('2e-75', '0.1')
    """
    power = int((radius.numerator.bit_length() - radius.denominator.bit_length() - 2) * math.log10(2)) - 1
    while Fraction(10) ** (power + 1) <= radius:
        power += 1
    digit = math.ceil(radius / Fraction(10) ** power)
    return decimal(digit * Fraction(10) ** power, 1)
