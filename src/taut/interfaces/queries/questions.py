"""Questions as they are typed: their fields, the targets and distances that have a name, neighbours and the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from taut.interfaces.queries.functions import load_function, named_function
from taut.interfaces.queries.query import Query
from taut.model import helper
from taut.neighbors import NAMED, Predicate, relation_names
from taut.questions.accuracy import Accuracy
from taut.questions.field import Field, words
from taut.questions.question import Question
from taut.questions.registry import named
from taut.support.errors import InvalidInput, InvalidNeighbors, meant
from taut.support.exact import number

__all__ = [
    "DISTANCES",
    "TARGETS",
    "accuracy_of",
    "check_method",
    "question_of_text",
    "questions_of_texts",
    "relation_named",
    "relation_of",
    "typed_field",
]

_METHODS = ("auto", "search", "exhaustive", "restricted")


def questions_of_texts(kind: type[Question[Any]], texts: Mapping[str, Any]) -> list[Question[Any]]:
    """Return the questions that the options of a command, or the fields of a form, ask; names stand for functions."""
    given = {one.name: _given(one, texts[one.name]) for one in kind.fields if one.name in texts}
    many = kind.listed_field()
    if many is None or many.named is None:
        return kind.several_of(given)
    chosen = [named_function(one, many.named, f"--{many.name}") for one in words(given[many.name], f"--{many.name}")]
    return [kind.of_texts({**given, many.name: one}) for one in chosen]


def question_of_text(text: str) -> Question[Any]:
    """Return the question that one text asks, such as 'delta ratio=3/2' or 'zcdp'."""
    name, _, rest = text.strip().partition(" ")
    kind = named(name)
    texts = {one.name: one.usual for one in kind.fields if one.usual}
    first = typed_field(kind)
    if rest.strip() and first is None:
        raise InvalidInput(f"'{text}': {name} is asked with nothing besides; leave '{rest.strip()}' out.", value=text)
    found = questions_of_texts(kind, {**texts, **({first.name: rest.strip()} if first and rest.strip() else {})})
    if len(found) > 1:
        raise InvalidInput(f"'{text}' asks {len(found)} questions; write one.", value=text)
    return found[0]


def typed_field(kind: type[Question[Any]]) -> Field | None:
    """Return the first field of a question that is typed in a form; None if there is none."""
    return next((one for one in kind.fields if one.label and one.kind not in ("target", "distance")), None)


def _given(field: Field, given: Any) -> Any:
    """Return the value of a field as ``read`` takes it: the functions that names stand for, repeated texts as one."""
    if field.kind in ("target", "distance") and isinstance(given, str):
        return named_function(given, TARGETS if field.kind == "target" else DISTANCES, f"--{field.name}")
    return ",".join(given) if isinstance(given, list) else given


def relation_of(query: Query, given: str | None) -> Any:
    """Return the neighbour relation that was named, or the mechanism's own."""
    return query.neighbors if given is None else relation_named(given)


def relation_named(given: str) -> Any:
    """Return the neighbour relation that was named: one of the known ones, or a predicate of a file."""
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
    """Raise InvalidInput for an unknown method."""
    if method not in _METHODS:
        raise InvalidInput(
            f"--method {method}: there are {', '.join(_METHODS)}.{meant(method, _METHODS)}", value=method
        )


def accuracy_of(alpha: str, target: str, distance: str) -> Accuracy:
    """Return the accuracy that ``--alpha``, ``--target`` and ``--distance`` ask for."""
    reach: Any = number(alpha, "--alpha")
    if reach < 0:
        raise InvalidInput(f"--alpha must not be negative; got {alpha}.", value=alpha)
    far = named_function(distance, DISTANCES, "--distance")
    return Accuracy(named_function(target, TARGETS, "--target"), reach, distance=far)


@helper
def mean(x: Any) -> Any:
    """The mean of the entries, exactly."""
    return sum(x) * Fraction(1, len(x))


@helper
def majority(x: Any) -> Any:
    """Return True if more than half of the entries are ones."""
    return 2 * sum(x) > len(x)


@helper
def argmax(x: Any) -> Any:
    """The position of the first largest entry."""
    return list(x).index(max(x))


@helper
def identity(x: Any) -> Any:
    """The database itself."""
    return list(x)


@helper
def hamming(output: Any, wanted: Any) -> Any:
    """Return the number of places in which two lists differ."""
    return sum(a != b for a, b in zip(output, wanted, strict=True))


@helper
def different(output: Any, wanted: Any) -> Any:
    """0 where the output is the target, else 1."""
    return 0 if output == wanted else 1


@helper
def largest(output: Any, wanted: Any) -> Any:
    """The largest absolute difference in any place."""
    return max(abs(a - b) for a, b in zip(output, wanted, strict=True))


TARGETS: dict[str, Callable[..., Any]] = {
    "sum": sum,
    "mean": mean,
    "max": max,
    "min": min,
    "majority": majority,
    "argmax": argmax,
    "identity": identity,
}
DISTANCES: dict[str, Callable[..., Any] | None] = {
    "absolute": None,
    "hamming": hamming,
    "largest": largest,
    "different": different,
}
