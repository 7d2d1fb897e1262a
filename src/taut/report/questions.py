"""Questions about a query: which way to answer is chosen here, and what is hopelessly large is refused at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from taut.errors import InvalidInput, TooLarge
from taut.model import Model
from taut.neighbors import Custom, neighbors_of
from taut.report.arguments import Query, load_function
from taut.report.text import count_text
from taut.results import AccuracyBound, Interval, PrivacyBound
from taut.solvers.symmetry import rr_count_accuracy_set, rr_inference_set, rr_privacy_set

__all__ = ["How", "ask_accuracy", "ask_privacy", "relation_of"]

_MOST_INPUTS = 1 << 24
_MOST_CLIENTS = 5_000
_METHODS = ("auto", "search", "exhaustive", "restricted")


@dataclass(frozen=True)
class How:
    """The way to a bound: the method, how long it may take, and who is told of the interval."""

    method: str = "auto"
    time_limit: float | None = None
    progress: Callable[[Interval], None] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        return {"method": self.method, "time_limit": self.time_limit, "progress": self.progress}


def relation_of(query: Query, given: str | None) -> Any:
    """The neighbour relation that was named, or the mechanism's own."""
    if given is None:
        return query.neighbors
    if ".py:" in given:
        predicate = load_function(given)
        if not callable(predicate):
            raise InvalidInput(f"--neighbors {given} is no predicate f(x, x_prime).", value=given)
        return Custom(predicate, given)
    neighbors_of(given)
    return given


def ask_privacy(query: Query, neighbors: Any, how: How, model: Model | None = None) -> PrivacyBound:
    """The privacy bound of a query; 'restricted' takes the paper's sets where there are some."""
    if _has_sets(query, how, "randomized_response", neighbors in ("one_differ", "one_step")):
        n = query.arguments["x"].n
        return (model or query.model()).privacy(
            neighbors, inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n)
        )
    return (model or query.model()).privacy(neighbors, **how.arguments)


def ask_accuracy(
    query: Query, target: Any, alpha: Any, distance: Any, how: How, model: Model | None = None
) -> AccuracyBound:
    """The accuracy bound of a query, chosen in the same way."""
    if _has_sets(query, how, "rr_count", target is sum and distance is None):
        accuracy_set = rr_count_accuracy_set(query.arguments["x"].n)
        return (model or query.model()).accuracy(target, alpha, accuracy_set=accuracy_set)
    return (model or query.model()).accuracy(target, alpha, distance=distance, **how.arguments)


def _has_sets(query: Query, how: How, name: str, fits: bool) -> bool:
    """Whether to use the paper's sets, which exist for bits and one mechanism."""
    if how.method not in _METHODS:
        raise InvalidInput(f"--method {how.method}: there are {', '.join(_METHODS)}.", value=how.method)
    if how.method == "exhaustive" and query.inputs > _MOST_INPUTS:
        raise TooLarge(
            f"{query.name} has {count_text(query.inputs)} inputs here, too many to look at all of them "
            f"(at most {count_text(_MOST_INPUTS)}); --method search needs no list.",
            value=query.inputs,
        )
    known = query.entry is not None and query.name == name and fits and query.arguments["x"].values == (0, 1)
    if not known or how.method != "restricted":
        return False
    if query.arguments["x"].n > _MOST_CLIENTS:
        raise TooLarge(
            f"{query.name}: the paper's sets are written out for at most {_MOST_CLIENTS} clients; "
            f"these are {query.arguments['x'].n}. --method search needs no sets.",
            value=query.arguments["x"].n,
        )
    return True
