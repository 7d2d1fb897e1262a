"""Questions about a query: which way to answer is chosen here, and what is hopelessly large is refused at once."""

from __future__ import annotations

from typing import Any

from taut.bounds import AccuracyBound, PrivacyBound
from taut.errors import InvalidInput, TooLarge
from taut.model import Model
from taut.report.arguments import Query
from taut.report.text import count_text
from taut.symmetry import rr_count_accuracy_set, rr_inference_set, rr_privacy_set

__all__ = ["ask_accuracy", "ask_privacy", "check_size"]

_MOST_INPUTS = 1 << 24
_EASY_INPUTS = 1 << 12
_MOST_CLIENTS = 5_000
_METHODS = ("auto", "exhaustive", "restricted")


def ask_privacy(query: Query, neighbors: Any, method: str, model: Model | None = None) -> PrivacyBound:
    """The privacy bound of a query.

    'auto' looks at all inputs, unless there are more than 4096 of them and the paper has sets for the mechanism;
    'restricted' without such sets takes those that follow from the symmetries of the mechanism.
    """
    if _restricted(query, method, "randomized_response", neighbors in ("one_differ", "one_step")):
        n = query.arguments["x"].n
        return (model or query.model()).privacy(
            neighbors, inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n)
        )
    if method == "restricted":
        return (model or query.model()).privacy(neighbors, method=method)
    check_size(query)
    return (model or query.model()).privacy(neighbors)


def ask_accuracy(
    query: Query, target: Any, alpha: Any, distance: Any, method: str, model: Model | None = None
) -> AccuracyBound:
    """The accuracy bound of a query, chosen in the same way."""
    if _restricted(query, method, "rr_count", target is sum and distance is None):
        accuracy_set = rr_count_accuracy_set(query.arguments["x"].n)
        return (model or query.model()).accuracy(target, alpha, accuracy_set=accuracy_set)
    if method == "restricted":
        return (model or query.model()).accuracy(target, alpha, distance=distance, method=method)
    check_size(query)
    return (model or query.model()).accuracy(target, alpha, distance=distance)


def check_size(query: Query) -> None:
    """Refuse, before anything is compiled, a domain that cannot be looked at input by input."""
    if query.inputs > _MOST_INPUTS:
        raise TooLarge(
            f"{query.name} has {count_text(query.inputs)} inputs here, too many to look at all of them "
            f"(at most {count_text(_MOST_INPUTS)}).",
            value=query.inputs,
        )


def _restricted(query: Query, method: str, name: str, fits: bool) -> bool:
    """Whether to use the paper's sets, which exist for bits and one mechanism."""
    if method not in _METHODS:
        raise InvalidInput(f"--method {method}: there are {', '.join(_METHODS)}.", value=method)
    known = query.entry is not None and query.name == name and fits and query.arguments["x"].values == (0, 1)
    chosen = known and (method == "restricted" or (method == "auto" and query.inputs > _EASY_INPUTS))
    if chosen and query.arguments["x"].n > _MOST_CLIENTS:
        raise TooLarge(
            f"{query.name}: the paper's sets are written out for at most {_MOST_CLIENTS} clients; "
            f"these are {query.arguments['x'].n}.",
            value=query.arguments["x"].n,
        )
    return chosen
