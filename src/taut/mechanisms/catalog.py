"""The catalogue of built-in mechanisms, each with a domain, a neighbour relation and default parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from taut.model import Mechanism
from taut.model.decorators import BOOLEAN, PROBABILITY, RATIO, Range, above, optional, whole
from taut.program.domains import Domain
from taut.support.errors import InvalidInput, meant

if TYPE_CHECKING:
    from taut.model import Model

__all__ = ["CATALOG", "MOST", "PARAMETERS", "SHORT_NAMES", "Entry", "built_in", "resolve"]


@dataclass(frozen=True)
class Entry:
    """A built-in mechanism with the defaults for running it without arguments.

    Attributes:
        mechanism: the mechanism; its docstring has the summary and the reference, and it carries its neighbour
            relation.
        database: the domain of its database x, made of n and those parameters that it names.
        parameters: a value for every other argument that is required.
        default_n: the number of entries if none is given.
    """

    mechanism: Mechanism
    database: Callable[..., Domain]
    parameters: dict[str, Any]
    default_n: int

    @property
    def name(self) -> str:
        return self.mechanism.function.__name__

    @property
    def summary(self) -> str:
        return (self.mechanism.function.__doc__ or "").partition("\n")[0]

    @property
    def reference(self) -> str:
        return (self.mechanism.function.__doc__ or "").partition("Reference: ")[2].partition("\n")[0].rstrip(".")

    @property
    def neighbors(self) -> str:
        """Return the neighbour relation of the mechanism."""
        return str(self.mechanism.neighbors)

    @property
    def source(self) -> str:
        """Return the source of the mechanism without its registering decorator."""
        return re.sub(r"\A.*?(?=^ *@(\w+\.)?mechanism$)", "", self.mechanism.source, flags=re.DOTALL | re.MULTILINE)

    def domain(self, n: int, **given: Any) -> Domain:
        """Return the domain of x; the values of an entry may depend on parameters."""
        chosen = {**self.parameters, **given}
        named = inspect.signature(self.database).parameters
        try:
            return self.database(**{name: n if name == "n" else chosen[name] for name in named})
        except InvalidInput as problem:
            problem.message = f"{self.name}: {problem.message}"
            raise

    def arguments(self, n: int | None = None, **given: Any) -> dict[str, Any]:
        """Return all arguments by name: those given, else defaults; n only if no database is given.

        >>> arguments = CATALOG["above_threshold"].arguments(n=6, high=5)
        >>> print(arguments["x"], arguments["threshold"], arguments["ratio"])
        ints(6, 0, 5) 2 1/2
        """
        chosen = self.mechanism.checked({**self.parameters, **given})
        if "x" not in given:
            return {"x": self.domain(self.default_n if n is None else n, **chosen), **chosen}
        if n is not None:
            raise InvalidInput(f"{self.name}: give n or x, not both; got n={n} and x as well.", value=n)
        return {"x": given["x"], **chosen}

    def model(self, n: int | None = None, **given: Any) -> Model:
        """Return the model of the mechanism on its domain.

        >>> resolve("rr").model(n=2, lam="1/4").probability((0, 0), (0, 0))
        Fraction(9, 16)
        """
        model: Model = self.mechanism(**self.arguments(n, **given))
        return model


MOST = 100_000
"""Limit for numbers of entries, values, answers and so on."""
PARAMETERS: dict[str, Range] = {
    **dict.fromkeys(["lam", "f", "p", "q", "rate"], PROBABILITY),
    "ratio": RATIO,
    "threshold_ratio": optional(RATIO),
    "base": above(0),
    "k": whole(1, MOST),
    "omega": whole(1, "k"),
    "c": whole(1, MOST),
    "high": whole(0, MOST),
    "threshold": whole(-MOST, MOST),
    "strict": BOOLEAN,
}
"""The parameters of built-in mechanisms with their allowed values."""
CATALOG: dict[str, Entry] = {}
SHORT_NAMES: dict[str, str] = {}


def built_in(
    database: Callable[..., Domain],
    *,
    n: int,
    neighbors: str = "one_differ",
    short: str | None = None,
    allowed: Mapping[str, Range] | None = None,
    **parameters: Any,
) -> Callable[[Mechanism], Mechanism]:
    """Register a mechanism as built-in; the decorator stands above ``@mechanism``.

    Parameters:
        database: the domain of its argument x, made of n and those parameters that it names.
        n: the default number of entries.
        neighbors: the neighbour relation of the mechanism.
        short: a second name.
        allowed: the allowed values of parameters, where they differ from ``PARAMETERS``.
        **parameters: what it is tried with: a value for every required argument but x.
    """

    def register(mechanism: Mechanism) -> Mechanism:
        named = inspect.signature(mechanism.function).parameters
        ranges = {name: PARAMETERS[name] for name in named if name in PARAMETERS}
        mechanism.neighbors, mechanism.allowed = neighbors, {**ranges, **(allowed or {})}
        entry = Entry(mechanism, database, parameters, n)
        CATALOG[entry.name] = entry
        if short is not None:
            SHORT_NAMES[short] = entry.name
        return mechanism

    return register


def resolve(name: str) -> Entry:
    """Return the entry with this name, or with the only name that begins with it.

    Raises
    ------
    InvalidInput
        No name begins so, or several do.

    Examples
    --------
    >>> resolve("geometric").name, resolve("rr").name
    ('geometric_count', 'randomized_response')
    """
    if not name:
        raise InvalidInput("no mechanism is named; 'taut list' has those that are built in.", value=name)
    exact = SHORT_NAMES.get(name, name)
    if exact in CATALOG:
        return CATALOG[exact]
    longer = [known for known in CATALOG if known.startswith(name)]
    if len(longer) == 1:
        return CATALOG[longer[0]]
    if longer:
        raise InvalidInput(f"'{name}' is short for several mechanisms: {', '.join(longer)}.", value=name)
    known = meant(name, [*CATALOG, *SHORT_NAMES]) or " 'taut list' has those that are; one of your own is file.py:name."
    raise InvalidInput(f"'{name}' is not a built-in mechanism.{known}", value=name)
