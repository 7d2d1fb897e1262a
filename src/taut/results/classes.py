"""Lists of equally bad cases, which notebooks show as tables."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from taut.notebook import html_table
from taut.results.text import shown

__all__ = ["ClassList"]

T = TypeVar("T")


class ClassList(list[T]):
    """A list of classes of cases, the worst first; a notebook shows it as a table of values, counts and witnesses."""

    def _repr_html_(self) -> str:
        classes: list[Any] = list(self)
        if not classes:
            return html_table(["value", "count"], [], 0)
        parts = [part.name for part in fields(classes[0].witness)]
        rows = ([shown(one.value), one.count, *[getattr(one.witness, part) for part in parts]] for one in classes)
        return html_table(["value", "count", *[part.replace("_prime", "'") for part in parts]], rows, len(classes))
