"""The corpus of mistakes: how one is entered, and what its refusal must say."""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

from taut import (
    flip,
    geometric,
    mechanism,
)

Fragment = str | tuple[str, ...]


@dataclass(frozen=True)
class Mistake:
    """One thing a user does wrong, and what the refusal must say."""

    name: str
    commit: Callable[[], object]
    fragments: tuple[Fragment, ...]
    base: type[Exception]

    def places(self) -> set[int]:
        """Return the offending lines of mechanism code, empty if the mistake is not inside a mechanism."""
        lines, first = inspect.getsourcelines(self.commit)
        return {number for number, line in enumerate(lines, first) if "# here" in line}


MISTAKES: list[Mistake] = []


def mistake(
    *fragments: Fragment, base: type[Exception] = Exception
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Put the decorated function into the corpus; ``base`` is the built-in error a caller would expect."""

    def enter(commit: Callable[[], object]) -> Callable[[], object]:
        MISTAKES.append(Mistake(commit.__name__, commit, fragments, base))
        return commit

    return enter


def says(sentence: str, fragment: Fragment) -> bool:
    """Tell whether the sentence holds the fragment (one of them, if several); numbers must stand by themselves."""
    if isinstance(fragment, tuple):
        return any(says(sentence, one) for one in fragment)
    if re.match(r"-?\d", fragment):
        return re.search(rf"(?<![\w./]){re.escape(fragment)}(?![\w/]|\.\d)", sentence) is not None
    return fragment.casefold() in sentence.casefold()


def column(*numbers: int) -> tuple[str, ...]:
    """The ways to name a column of the first line; give two numbers where counting from 0 or 1 may differ."""
    return tuple(form.format(number) for number in numbers for form in ("1:{}", "column {}", "position {}"))


@mechanism
def respond(x, lam):
    """Each client reports its bit, flipped with probability lam."""
    return [bit ^ flip(lam) for bit in x]


@mechanism
def noisy(x):
    """A single number with noise."""
    return geometric(x, "1/2", 0, 10)
