"""What the page opens on: a built-in mechanism, a file, or a new program, as text for the editor."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from taut.interfaces.play.form import typed
from taut.interfaces.play.programs import program_of
from taut.interfaces.queries.functions import is_file
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.starter import starter
from taut.mechanisms import resolve
from taut.mechanisms.wrappers import WrapperEntry
from taut.support.errors import InvalidInput

__all__ = ["NEW", "Opening", "open_built_in", "open_new", "open_target"]

NEW = "new mechanism"
FILE = "mechanism.py"
"""What the program in the editor is called, unless it was opened from a file."""


@dataclass(frozen=True)
class Opening:
    """A program for the editor, the mechanism of it that is meant, and what stands in its form.

    Attributes
    ----------
    built_in
        The built-in mechanism that this is the program of.
    path
        The file that it was read from.
    """

    code: str
    file: str
    mechanism: str | None = None
    texts: dict[str, str] = field(default_factory=dict)
    built_in: str | None = None
    path: Path | None = None

    @property
    def name(self) -> str:
        """The entry of the menu of programs."""
        return self.built_in or (NEW if self.path is None else self.file)


def open_built_in(name: str) -> Opening:
    """The program of a built-in mechanism."""
    return Opening(program_of(name), FILE, name, built_in=name)


def open_new() -> Opening:
    """The program that ``taut new`` writes."""
    return Opening(starter(FILE, "mechanism_of_mine"), FILE, "mechanism_of_mine")


def open_target(target: str | None, settings: Sequence[str]) -> Opening:
    """What ``taut play TARGET NAME=VALUE...`` opens; nothing of a user's file is run here, it is only read.

    Raises
    ------
    InvalidInput
        There is no such mechanism or file, or a setting is not ``name=value``.
    """
    if target is None:
        return open_built_in("randomized_response")
    if not is_file(target):
        if target.endswith(".dice") or ".dice:" in target:
            raise InvalidInput("play: the page is for Python; 'taut run' and 'taut privacy' take Dice programs.")
        entry = resolve(target)
        if isinstance(entry, WrapperEntry) and settings:
            raise InvalidInput(
                f"play: {entry.name} opens with the mechanism that it is tried on; fill in its form on the page."
            )
        arguments = read_query(entry.name, settings).arguments
        texts = {name: typed(value) for name, value in arguments.items()} if settings else {}
        opening = open_built_in(entry.name)
        return Opening(
            opening.code,
            opening.file,
            entry.name,
            {name: text for name, text in texts.items() if text is not None},
            built_in=entry.name,
        )
    return _open_file(target, settings)


def _open_file(target: str, settings: Sequence[str]) -> Opening:
    name, _, function = target.rpartition(":") if ".py:" in target else (target, "", "")
    path = Path(name)
    if not path.is_file():
        near = difflib.get_close_matches(path.name, [one.name for one in path.parent.glob("*.py")], n=1)
        hint = f"; did you mean {near[0]}?" if near else "; 'taut new' writes one to start from."
        raise InvalidInput(f"there is no file '{path}'{hint}", value=str(path))
    try:
        code = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidInput(f"'{path}' cannot be read: {problem}.", value=str(path)) from None
    texts = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip().isidentifier():
            raise InvalidInput(f"'{setting}' is not a setting; write name=value, like lam=1/5.", value=setting)
        texts[key.strip()] = text
    return Opening(code, path.name, function or None, texts, path=path.resolve())
