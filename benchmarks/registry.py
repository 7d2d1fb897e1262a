"""The one registry of cases: what is measured, under which name, and which answer is right."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Case", "case", "growth", "load", "select"]

_CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """One measurement: a function, its arguments, and what is known about the outcome.

    Attributes
    ----------
    name
        Its name everywhere: in results, on the page, in documents. ``function[n=8,method=search]``.
    module
        The module of ``benchmarks.cases`` that has the function; its last part is the suite.
    function, parameters
        What is called. A generator function prepares before its first ``yield``, uncounted; its ``return`` is the
        answer. The answer is a text, or a text and a dictionary of further facts.
    answer
        The text that must come out; None accepts any.
    family, size
        Cases of one family differ in size alone; three or more of them make a growth curve.
    growth
        ``"power"``: seconds are fitted by size^b. ``"exponential"``: by b^size.
    tool, question
        Who answers. Cases with one question and different tools stand side by side on the page.
    needs
        Modules that must be importable; with a leading ``!``, executables that must be on the path.
    quick
        Whether it belongs to the two minutes of ``--quick``.
    limit
        CPU seconds after which it is stopped, start-up included.
    """

    name: str
    module: str
    function: Callable[..., Any]
    parameters: dict[str, Any]
    answer: str | None = None
    family: str | None = None
    size: float | None = None
    growth: str = "power"
    tool: str = "taut"
    question: str | None = None
    needs: tuple[str, ...] = ()
    quick: bool = False
    limit: float = 120.0

    @property
    def suite(self) -> str:
        return self.module.rpartition(".")[2]

    def missing(self) -> str | None:
        """Return what has to be installed before this can run; None if nothing."""
        for need in self.needs:
            there = shutil.which(need[1:]) if need.startswith("!") else importlib.util.find_spec(need)
            if there is None:
                return f"{need.lstrip('!')} is not installed"
        return None


def case(
    *,
    answer: str | None = None,
    family: str | None = None,
    size: float | None = None,
    growth: str = "power",
    tool: str = "taut",
    question: str | None = None,
    needs: Sequence[str] = (),
    quick: bool = False,
    limit: float = 120.0,
    **parameters: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add one case: the decorated function with these parameters. Decorate again for another.

    See ``Case`` for what the keywords mean; all others are parameters of the function.

    Raises
    ------
    ValueError
        There is a case of this name already, or no such kind of growth.
    """
    if growth not in ("power", "exponential"):
        raise ValueError(f"growth is 'power' or 'exponential'; got {growth!r}.")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        shown = ",".join(f"{key}={value}" for key, value in parameters.items())
        name = f"{function.__name__}[{shown}]" if shown else function.__name__
        if name in _CASES:
            known = _CASES[name]
            raise ValueError(f"case {name} of {function.__module__} is already in {known.module}; rename one.")
        _CASES[name] = Case(
            name, function.__module__, function, parameters, answer, family, size, growth, tool, question,
            tuple(needs), quick, limit,
        )  # fmt: skip
        return function

    return register


def growth(
    parameter: str, sizes: Iterable[float], *, family: str, kind: str = "power", **common: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a family of cases: the decorated function at several sizes, each twice the one before if power is meant.

    An ``answer`` may be a function of the size; ``quick`` may be the sizes that are quick.
    """
    chosen = list(sizes)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for size in chosen:
            given = dict(common)
            if callable(given.get("answer")):
                given["answer"] = given["answer"](size)
            if isinstance(given.get("quick"), list | tuple | set):
                given["quick"] = size in given["quick"]
            case(**{parameter: size}, family=family, size=size, growth=kind, **given)(function)
        return function

    return register


def load() -> dict[str, Case]:
    """All cases by name, in the order in which files and decorators stand."""
    from benchmarks import cases

    for module in sorted(module.name for module in pkgutil.iter_modules(cases.__path__)):
        importlib.import_module(f"benchmarks.cases.{module}")
    return dict(_CASES)


def load_module(module: str) -> dict[str, Case]:
    """The cases of one module, without importing the others."""
    importlib.import_module(module)
    return {name: found for name, found in _CASES.items() if found.module == module}


def select(
    found: Iterable[Case], suites: Sequence[str] = (), only: Sequence[str] = (), quick: bool = False
) -> Iterator[Case]:
    """Select cases by suite, by text in the name or family, and by quickness."""
    for one in found:
        named = not only or any(part in one.name or part in (one.family or "") for part in only)
        if (not suites or one.suite in suites) and named and (one.quick or not quick):
            yield one
