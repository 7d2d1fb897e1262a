"""What is shipped: every mechanism with a domain, a neighbour relation and parameters on which it can be tried."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from taut.domains import Domain, bits, ints
from taut.errors import InvalidInput
from taut.mechanisms.counting import (
    binary_tree_counter,
    geometric_count,
    histogram,
    prefix_sums,
    rr_majority,
    subsampled_geometric,
)
from taut.mechanisms.local import (
    k_ary_randomized_response,
    one_time_rappor,
    optimised_unary_encoding,
    randomized_response,
    rappor,
    rr_count,
    subset_selection,
    symmetric_unary_encoding,
)
from taut.mechanisms.selection import exponential_mechanism, permute_and_flip, report_noisy_max
from taut.mechanisms.sparse_vector import (
    above_threshold,
    sparse_vector,
    svt_no_budget,
    svt_no_query_noise,
    svt_no_threshold_noise,
    svt_noisy_value,
    svt_unscaled,
)
from taut.model import Mechanism, Model

__all__ = ["CATALOG", "Entry", "resolve"]

_ALIASES = {"rr": "randomized_response", "svt": "sparse_vector"}

Shape = Callable[[int, Mapping[str, Any]], Domain]


@dataclass(frozen=True)
class Entry:
    """A shipped mechanism and what it needs to be run without arguments.

    ``domain(n)`` gives the databases by argument name; it also takes parameters by keyword, since the values of an
    entry may depend on them. ``parameters`` has a value for every other argument that is required.
    """

    mechanism: Mechanism
    summary: str
    reference: str
    domain: Callable[..., dict[str, Domain]]
    neighbors: str
    parameters: dict[str, Any]
    default_n: int

    @property
    def name(self) -> str:
        return self.mechanism.function.__name__

    def arguments(self, n: int | None = None, **given: Any) -> dict[str, Any]:
        """All arguments by name: those given, and the defaults of the others; n only where no database is given.

        >>> arguments = CATALOG["above_threshold"].arguments(n=6, high=5)
        >>> print(arguments["x"], arguments["threshold"], arguments["ratio"])
        ints(6, 0, 5) 2 1/2
        """
        chosen = {**self.parameters, **{name: _whole(value) for name, value in given.items()}}
        databases = self.domain(self.default_n if n is None else n, **chosen)
        if n is not None and databases.keys() <= given.keys():
            named = " and ".join(databases)
            raise InvalidInput(f"{self.name}: give n or {named}, not both; got n={n} and {named} as well.", value=n)
        return {**databases, **chosen}

    def model(self, n: int | None = None, **given: Any) -> Model:
        """The mechanism on its domain.

        >>> resolve("rr").model(n=2, lam="1/4").probability((0, 0), (0, 0))
        Fraction(9, 16)
        """
        model: Model = self.mechanism(**self.arguments(n, **given))
        return model


def resolve(name: str) -> Entry:
    """The entry with this name, which may be shortened as long as only one name begins so.

    >>> resolve("geometric").name, resolve("rr").name
    ('geometric_count', 'randomized_response')

    Raises:
        InvalidInput: no name begins so, or several do.
    """
    exact = _ALIASES.get(name, name)
    if exact in CATALOG:
        return CATALOG[exact]
    found = [known for known in CATALOG if known.startswith(name)]
    if len(found) == 1:
        return CATALOG[found[0]]
    if found:
        raise InvalidInput(f"'{name}' is short for several mechanisms: {', '.join(found)}.", value=name)
    similar = difflib.get_close_matches(name, [*CATALOG, *_ALIASES], n=3)
    known = f"did you mean {' or '.join(similar)}?" if similar else f"there are {', '.join(CATALOG)}."
    raise InvalidInput(f"'{name}' is no built-in mechanism; {known}", value=name)


def _entry(mechanism: Mechanism, shape: Shape, neighbors: str, default_n: int, **parameters: Any) -> Entry:
    """An entry for a mechanism with one database, x; its docstring has the summary and the reference."""
    text = mechanism.function.__doc__ or ""
    summary = text.partition("\n")[0]
    reference = text.partition("Reference: ")[2].partition("\n")[0].rstrip(".")

    def domain(n: int, **given: Any) -> dict[str, Domain]:
        return {"x": shape(n, {**parameters, **given})}

    return Entry(mechanism, summary, reference, domain, neighbors, parameters, default_n)


def _bits(n: int, parameters: Mapping[str, Any]) -> Domain:
    return bits(n)


def _values(n: int, parameters: Mapping[str, Any]) -> Domain:
    """Values 0..k-1."""
    return ints(n, 0, _number(parameters, "k") - 1)


def _scores(n: int, parameters: Mapping[str, Any]) -> Domain:
    return ints(n, 0, 2)


def _answers(n: int, parameters: Mapping[str, Any]) -> Domain:
    """Answers 0..high."""
    return ints(n, 0, _number(parameters, "high"))


def _inner_answers(n: int, parameters: Mapping[str, Any]) -> Domain:
    """Answers 1..high-1: away from the ends, where clamping would hide what threshold noise is good for."""
    return ints(n, 1, _number(parameters, "high") - 1)


def _number(parameters: Mapping[str, Any], name: str) -> int:
    value = _whole(parameters[name])
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} must be a whole number; got {parameters[name]!r}.", value=parameters[name])
    return value


def _whole(value: Any) -> Any:
    """Whole numbers given as text as ints, so that a command line need not know which parameters count something."""
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return value
    return value


_ANSWERS: dict[str, Any] = {"threshold": 2, "ratio": "1/2", "high": 4}

CATALOG: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        _entry(randomized_response, _bits, "one_differ", 4, lam="1/5"),
        _entry(rr_count, _bits, "one_differ", 4, lam="1/5"),
        _entry(rr_majority, _bits, "one_differ", 5, lam="1/5"),
        _entry(k_ary_randomized_response, _values, "one_differ", 3, k=3, lam="1/2"),
        _entry(symmetric_unary_encoding, _values, "one_differ", 2, k=3, lam="1/4"),
        _entry(optimised_unary_encoding, _values, "one_differ", 2, k=3, lam="1/4"),
        _entry(one_time_rappor, _values, "one_differ", 2, k=3, f="1/2"),
        _entry(rappor, _values, "one_differ", 2, k=3, f="1/2", p="1/4", q="3/4"),
        _entry(subset_selection, _values, "one_differ", 2, k=4, omega=2, base=3),
        _entry(geometric_count, _bits, "one_differ", 4, ratio="1/2"),
        _entry(subsampled_geometric, _bits, "one_differ", 4, rate="1/2", ratio="1/2"),
        _entry(histogram, _values, "one_differ", 3, k=3, ratio="1/2"),
        _entry(prefix_sums, _bits, "one_differ", 4, ratio="1/2"),
        _entry(binary_tree_counter, _bits, "one_differ", 4, ratio="1/2"),
        _entry(exponential_mechanism, _scores, "all_step", 3, base=2),
        _entry(permute_and_flip, _scores, "all_step", 3, base=2),
        _entry(report_noisy_max, _answers, "all_step", 3, ratio="1/2", high=3),
        _entry(above_threshold, _answers, "all_step", 4, threshold=2, ratio="1/2", high=3),
        _entry(sparse_vector, _inner_answers, "all_step", 4, **_ANSWERS, c=2),
        _entry(svt_no_threshold_noise, _inner_answers, "all_step", 4, **_ANSWERS, c=1),
        _entry(svt_noisy_value, _inner_answers, "all_step", 4, **_ANSWERS, c=1),
        _entry(svt_unscaled, _inner_answers, "all_step", 4, **_ANSWERS, c=2),
        _entry(svt_no_query_noise, _inner_answers, "all_step", 4, **_ANSWERS),
        _entry(svt_no_budget, _inner_answers, "all_step", 4, **_ANSWERS),
    )
}
