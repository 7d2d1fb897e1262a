"""Functions of a Dice file as mechanisms, beside those written in Python."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import PurePath
from typing import Any

from taut.model.decorators import Mechanism
from taut.model.dice import DiceModel, model_of, open_dice

__all__ = ["DiceMechanism", "load_dice"]


class DiceMechanism(Mechanism):
    """A function of a Dice file, or its program; called with domains and values for the parameters it gives a model."""

    language = "dice"

    def __init__(self, path: str | os.PathLike[str], function: str | None) -> None:
        self.file = open_dice(PurePath(path))
        self._called = function
        parameters = [] if function is None else [p.name for p in self.file.function(function).parameters]

        def stand_in() -> None:
            """In place of the function, for its name, its parameters and its documentation."""

        stand_in.__name__ = function or PurePath(path).stem
        stand_in.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in parameters]
        )
        stand_in.__doc__ = _comment(self.source)
        super().__init__(stand_in)

    def __call__(self, *args: Any, **keywords: Any) -> DiceModel:
        return model_of(self.file, self._called, keywords)

    @property
    def source(self) -> str:
        """The function's text, with the comment above it; the whole file for a program."""
        text = self.file.source.text
        if self._called is None:
            return text
        functions = self.file.file.functions
        starts = [_start(text, function.at) for function in functions]
        place = next(n for n, function in enumerate(functions) if function.name == self._called)
        end = starts[place + 1] if place + 1 < len(starts) else len(text)
        if place + 1 == len(starts) and self.file.file.main is not None:
            end = _start(text, self.file.file.main.at)
        return text[starts[place] : end].strip() + "\n"


def load_dice(target: str) -> DiceMechanism:
    """The mechanism that ``file.dice:function`` names, or the program of ``file.dice``."""
    path, _, function = target.partition(".dice")
    return DiceMechanism(f"{path}.dice", function.removeprefix(":") or None)


def _start(text: str, at: int) -> int:
    """Return the line at which the definition or expression at an offset starts, comment lines right above included."""
    start = text.rfind("\n", 0, at) + 1
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith("//"):
            break
        start = above
    return start


def _comment(source: str) -> str:
    """The comment at the start of a text."""
    lines = re.match(r"(?:[ \t]*//[^\n]*\n)*", source)
    return "\n".join(line.strip().lstrip("/").strip() for line in (lines[0] if lines else "").splitlines())
