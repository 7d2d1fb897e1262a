"""Sweeps that are asked for in Python, with a mechanism and its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

from taut.interfaces.queries.query import Query
from taut.interfaces.sweeps.sweep import Sweep, run_sweep
from taut.model import Mechanism
from taut.questions.accuracy import Accuracy
from taut.questions.delta import Delta
from taut.questions.privacy import Privacy
from taut.questions.question import Question
from taut.questions.registry import registered
from taut.support.errors import InvalidInput, WrongArguments
from taut.support.exact import exact, fraction_of_text, is_number
from taut.support.parallel.executors import check_executor, using

__all__ = ["delta_of", "sweep"]


def sweep(
    mechanism: Mechanism,
    /,
    *args: Any,
    over: str | None = None,
    neighbors: Any = None,
    target: Any = None,
    alpha: Any = None,
    distance: Any = None,
    delta_at: Any = None,
    method: str = "auto",
    compose: int = 1,
    executor: Executor | None = None,
    **parameters: Any,
) -> Sweep:
    """The bounds of a mechanism at every value of one parameter; as long as only weights change, it is compiled once.

    Parameters
    ----------
    mechanism
        A mechanism.
    *args, **parameters
        Its arguments, databases as domains. One of them is given as a list of values: lam=["0.1", "0.2"], or a list of
        domains in place of the database.
    over
        Which one is swept, where several are lists.
    neighbors, method, executor
        As for ``Model.privacy``.
    compose
        The number of runs that each answer is about, but for accuracy, which each run has of its own.
    target, alpha, distance
        As for ``Model.accuracy``; without alpha there is no accuracy.
    delta_at
        Also delta at this epsilon, 1 or "1/2", or at e^epsilon given exactly, "ratio=3/2"; as ``Model.delta``.
    **parameters
        The name of another question, unless the mechanism has a parameter of this name, also asks that:
        ``epsilon="1e-6"`` with what it is asked with, several values as a tuple, ``zcdp=()`` where there is none.

    Returns
    -------
    Sweep
        ``points``, each with its ``value`` and the bounds by the names of their questions, such as ``privacy`` and
        ``accuracy``, None if not asked for. A notebook shows it as a table; ``taut.plot`` draws it, ``to_csv()`` and
        ``to_dict()`` are for other programs.

    Raises
    ------
    WrongArguments
        None of the arguments, or more than one, is a list of values.
    InvalidNumber
        Epsilon is negative, its ratio below 1, or another number is out of its range.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import rr_count
    >>> swept = sweep(rr_count, bits(4), lam=["1/10", "1/5", "2/5"], target=sum, alpha=1)
    >>> for point in swept.points:
    ...     print(point.value, point.privacy.max_ratio, point.accuracy.probability)
    1/10 9 9477/10000
    1/5 4 512/625
    2/5 3/2 297/625
    >>> swept = sweep(rr_count, bits(4), lam=["1/10", "1/5"], delta_at="ratio=2", epsilon="1/10")
    >>> [(str(point.delta.delta), str(point.epsilon.max_ratio)) for point in swept.points]
    [('5103/10000', '5561/729'), ('128/625', '387/128')]
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongArguments(f"sweep: expected a mechanism first; got {mechanism!r}.", value=mechanism)
    if (alpha is None) != (target is None):
        given, missing = ("target", "alpha") if alpha is None else ("alpha", "target")
        raise WrongArguments(f"sweep: {given} is given without {missing}; accuracy needs both.", value=alpha)
    name = mechanism.function.__name__
    questions: list[Question[Any]] = [Privacy()]
    if delta_at is not None:
        questions.append(delta_of(delta_at))
    own = inspect.signature(mechanism.function).parameters
    anything = any(one.kind is one.VAR_KEYWORD for one in own.values())  # such a word may be the mechanism's
    for word in [word for word in parameters if word in registered() and word not in own and not anything]:
        given = parameters.pop(word)
        kind: Any = registered()[word]
        questions.append(kind(*given) if isinstance(given, tuple) else kind(given))
    if alpha is not None:
        questions.append(Accuracy(target, alpha, distance=distance))
    try:
        bound = inspect.signature(mechanism.function).bind(*args, **parameters)
    except TypeError as problem:
        raise WrongArguments(f"sweep: {name}: {problem}.", value=parameters) from None
    arguments = {**{key: value for key, value in bound.arguments.items() if key not in _gathers(bound)}, **bound.kwargs}
    parameter = _swept(name, arguments, over)
    values = [_value(value) for value in arguments[parameter]]
    query = Query(name, mechanism, None, {**arguments, parameter: values[0]})
    relation = query.neighbors if neighbors is None else neighbors
    check_executor(executor, "sweep: executor", InvalidInput)
    with using(executor):
        return run_sweep(
            query, parameter, values, neighbors=relation, questions=questions, method=method, compose=compose
        )


def delta_of(given: Any) -> Delta:
    """Return the question of delta at a number or a text: 1 or "1/2" is an epsilon, "ratio=3/2" is e^epsilon exactly.

    Raises
    ------
    InvalidNumber
        Epsilon is negative, or the ratio below 1.
    """
    text = given.replace(" ", "") if isinstance(given, str) else ""
    return Delta(ratio=text.removeprefix("ratio=")) if text.startswith("ratio=") else Delta(given)


def _gathers(bound: inspect.BoundArguments) -> list[str]:
    """The name of the mechanism's **kwargs parameter, or None."""
    return [name for name, spec in bound.signature.parameters.items() if spec.kind is spec.VAR_KEYWORD]


def _value(value: Any) -> Any:
    """A value that is swept: numbers exactly, however they are written, so that they have a place on an axis."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, str):
        parsed = fraction_of_text(plain)
        return plain if parsed is None else parsed
    return exact(plain) if isinstance(plain, float) else plain


def _swept(name: str, arguments: dict[str, Any], over: str | None) -> str:
    """The argument that is a list of values."""
    lists = [key for key, value in arguments.items() if isinstance(value, Sequence) and not isinstance(value, str)]
    lists += [key for key, value in arguments.items() if hasattr(value, "tolist") and not is_number(value)]
    if over is not None:
        if over not in lists or not len(arguments[over]):
            raise InvalidInput(f"sweep: over={over!r} is not a list of values of {name}.", value=over)
        return over
    lists = [key for key in lists if len(arguments[key])]
    if len(lists) != 1:
        found = f"these are {', '.join(lists)}; say which with over=" if lists else "there is none"
        raise WrongArguments(f"sweep: give a list of values for one argument of {name}; {found}.", value=lists)
    return lists[0]
