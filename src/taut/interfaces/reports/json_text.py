"""Answers for programs, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from taut.questions.text import text_of
from taut.support.exact import INFINITY, Ball

__all__ = ["json_text"]


def json_text(value: Any) -> str:
    """Return JSON in ASCII with fractions as 'p/q' and other values as text."""
    return json.dumps(_plain(value), indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (Fraction, Ball)) or value == INFINITY:
        return text_of(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
