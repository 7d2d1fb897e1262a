"""Named records of answers, as text that a person can read and compare."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import taut

__all__ = ["answer", "differences", "masked", "read", "written"]

Records = dict[str, list[str]]
"""The lines of each answer, by the question."""

_HEAD = "## "
_MASKS = [
    (re.compile(r"\bseconds=[\d.e-]+"), "seconds=<seconds>"),
    (re.compile(r"'\w*seconds': [\d.e-]+"), "'seconds': <seconds>"),
    (re.compile(r'"(\w*seconds)": [\d.e-]+'), r'"\1": "<seconds>"'),
    (re.compile(r"((<|&lt;) ?)?(?<![\w.])\d+(\.\d+)?(e-\d+)? s\b"), "<seconds>"),
    (re.compile(r'\btime="[\d.]+"'), 'time="<seconds>"'),
    (re.compile(r"""(radius"?'?: )"?[\d.]+e-\d+"?"""), r"\1<radius>"),
    (re.compile(r"± [\d.]+e-\d+"), "± <radius>"),
    (re.compile(r"within [\d.]+e-\d+"), "within <radius>"),
    (re.compile(r"""\b([Pp])ython( |</th><td>|['"]?: ['"])\d+\.\d+\.\d+"""), r"\1ython\2<version>"),
    (re.compile(r"""\btaut( |</th><td>|['"]?: ['"])""" + re.escape(taut.__version__)), r"taut\1<version>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "<date>"),
    (re.compile(r" at 0x[0-9a-f]+"), " at <address>"),
]
"""Parts of an answer that differ from run to run, from machine to machine or from version to version."""


def masked(text: str) -> str:
    """Return the text with seconds, versions, dates and addresses replaced by their names.

    >>> masked('"build_seconds": 0.015, "versions": {"python": "3.11.7"}; time build 0.0096 s')
    '"build_seconds": "<seconds>", "versions": {"python": "<version>"}; time build <seconds>'
    """
    for pattern, name in _MASKS:
        text = pattern.sub(name, text)
    return text


def answer(ask: Callable[[], Any], brief: bool = False) -> list[str]:
    """Ask, and describe the result by its public views, in brief without ``repr``; a refusal is an answer too."""
    try:
        return _described(ask(), brief)
    except (taut.TautError, AssertionError) as problem:
        return _lines("refused", f"{type(problem).__name__}: {problem}")


def _described(result: Any, brief: bool) -> list[str]:
    lines = _lines("str", str(result))
    if not brief and repr(result) != str(result):
        lines += _lines("repr", re.sub(r"stats=\{.*?\}(?=, \w+=|\))", "stats=<below>", repr(result)))
    if hasattr(result, "to_dict"):
        lines += _entries("dict", result.to_dict())
    if hasattr(result, "explain"):
        lines += _lines("explain", result.explain().replace(str(result), "<str>"))
    if hasattr(result, "verify"):
        lines += _verified(result)
    return lines


def _verified(result: Any) -> list[str]:
    """The outcome of a verification; where the claimed number is attained again, it is not repeated."""
    try:
        found = result.verify()
    except taut.TautError as problem:
        return _lines("verify", f"{type(problem).__name__}: {problem}")
    if found.holds and found.claimed == found.replayed:
        return [f"verify: holds by {found.method}"]
    return _lines("verify", str(found))


def _entries(name: str, data: Any) -> list[str]:
    """One line per entry of a dictionary, and per item of a list of dictionaries or lists."""
    if isinstance(data, Mapping) and data:
        return [line for key, value in data.items() for line in _entries(f"{name}.{key}", value)]
    if isinstance(data, list) and data and isinstance(data[0], (Mapping, list)):
        return [f"{name}[{place}]: {_json(item)}" for place, item in enumerate(data)]
    if name.endswith(("seconds", ".saved_with.taut", ".saved_with.python")):
        return []
    return [f"{name}: {'<radius>' if name.endswith('.radius') else _json(data)}"]


def _json(data: Any) -> str:
    """Text of JSON, with ``str`` of what JSON has not: fractions and domains of a sweep."""
    return masked(json.dumps(data, ensure_ascii=False, default=str))


def _lines(name: str, text: str) -> list[str]:
    """The lines of a text behind its name; further lines are indented."""
    first, *others = masked(text).split("\n")
    return [f"{name}: {first}".rstrip(), *[f"    {line}".rstrip() for line in others]]


def written(records: Records) -> str:
    """Return the text of records, one under the other."""
    return "\n".join("\n".join([_HEAD + name, *lines, ""]) for name, lines in records.items())


def read(text: str) -> Records:
    """Return the records of a text that :func:`written` made.

    >>> read(written({"a": ["1", "2"], "b": []}))
    {'a': ['1', '2'], 'b': []}
    """
    records = {}
    for part in re.split(rf"^{_HEAD}", text, flags=re.MULTILINE)[1:]:
        name, *lines = part.rstrip("\n").split("\n")
        records[name] = lines
    return records


def differences(wanted: Records, found: Records) -> list[str]:
    """Say which records differ and in which lines: ``-`` was recorded, ``+`` is answered now."""
    said = []
    for name in dict.fromkeys([*wanted, *found]):
        old, new = wanted.get(name), found.get(name)
        if old is None or new is None:
            said.append(f"{name}: {'is not recorded' if old is None else 'is no longer asked'}")
        elif old != new:
            said += [f"{name}:", *[line for line in difflib.ndiff(old, new) if line[0] in "+-"]]
    return said
