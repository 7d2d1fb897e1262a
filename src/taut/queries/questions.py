"""Questions about a query; what is hopelessly large is refused at once."""

from __future__ import annotations

from typing import Any

from taut.errors import InvalidInput, InvalidNeighbors, TooLarge
from taut.model import Model
from taut.neighbors import NAMED, Predicate, relation_names
from taut.queries.functions import load_function
from taut.queries.query import Query
from taut.results import AccuracyBound, PrivacyBound
from taut.solvers.paper_sets import rr_count_accuracy_set, rr_inference_set, rr_privacy_set
from taut.spelling import meant

__all__ = ["ask_accuracy", "ask_privacy", "check_method", "relation_named", "relation_of"]

_MOST_CLIENTS = 5_000
_METHODS = ("auto", "search", "exhaustive", "restricted")


def relation_of(query: Query, given: str | None) -> Any:
    """The neighbour relation that was named, or the mechanism's own."""
    return query.neighbors if given is None else relation_named(given)


def relation_named(given: str) -> Any:
    """The neighbour relation that was named: one of the known ones, or a predicate of a file."""
    if ".py:" in given:
        predicate = load_function(given)
        if not callable(predicate):
            raise InvalidInput(f"--neighbors {given} is not a predicate f(x, x_prime).", value=given)
        return Predicate(predicate, given)
    if given not in NAMED:
        raise InvalidNeighbors(
            f"--neighbors '{given}': there are {relation_names()}, and predicates f(x, x_prime) given as file.py:name."
            f"{meant(given, NAMED)}",
            value=given,
        )
    return given


def check_method(method: str) -> None:
    """Refuse a method that there is not."""
    if method not in _METHODS:
        raise InvalidInput(
            f"--method {method}: there are {', '.join(_METHODS)}.{meant(method, _METHODS)}", value=method
        )


def ask_privacy(
    query: Query, neighbors: Any, *, method: str = "auto", model: Model | None = None, **limits: Any
) -> PrivacyBound:
    """The privacy bound of a query; 'restricted' takes the paper's sets where there are some.

    Parameters
    ----------
    query, neighbors
        The mechanism with its arguments, and which of its inputs are neighbours.
    method
        auto, search, exhaustive or restricted.
    model
        The model to ask, if there is one already.
    **limits
        What ``Model.privacy`` takes besides: ``time_limit`` and ``progress``.
    """
    with_sets = _has_sets(query, method, "randomized_response", neighbors in ("one_differ", "one_step"))
    model = model or query.model()
    if with_sets:
        n = query.arguments["x"].n
        return model.privacy(neighbors, inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n))
    return model.privacy(neighbors, method=method, **limits)


def ask_accuracy(
    query: Query,
    target: Any,
    alpha: Any,
    distance: Any,
    *,
    method: str = "auto",
    model: Model | None = None,
    **limits: Any,
) -> AccuracyBound:
    """The accuracy bound of a query, chosen in the same way."""
    with_sets = _has_sets(query, method, "rr_count", target is sum and distance is None)
    model = model or query.model()
    if with_sets:
        return model.accuracy(target, alpha, accuracy_set=rr_count_accuracy_set(query.arguments["x"].n))
    return model.accuracy(target, alpha, distance=distance, method=method, **limits)


def _has_sets(query: Query, method: str, name: str, fits: bool) -> bool:
    """Whether to use the paper's sets, which exist for bits and one mechanism."""
    check_method(method)
    known = query.entry is not None and query.name == name and fits and query.arguments["x"].values == (0, 1)
    if not known or method != "restricted":
        return False
    if query.arguments["x"].n > _MOST_CLIENTS:
        raise TooLarge(
            f"{query.name}: the paper's sets are written out for at most {_MOST_CLIENTS} clients; "
            f"these are {query.arguments['x'].n}. --method search needs no sets.",
            value=query.arguments["x"].n,
        )
    return True
