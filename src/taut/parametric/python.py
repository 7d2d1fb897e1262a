"""Sweeps that are asked for in Python, with a mechanism and its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

from taut.errors import InvalidInput, WrongArguments
from taut.model import Mechanism
from taut.numbers import exact, fraction_of_text, is_number
from taut.parallel.executors import check_executor, using
from taut.parametric.sweep import Accuracy, DeltaAt, Sweep, run_sweep
from taut.queries.query import Query

__all__ = ["sweep"]


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
    renyi: Any = None,
    method: str = "auto",
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
    target, alpha, distance
        As for ``Model.accuracy``; without alpha there is no accuracy.
    delta_at
        Also delta at this epsilon, 1 or "1/2", or at e^epsilon given exactly, "ratio=3/2"; as ``Model.delta``.
    renyi
        Also the Rényi moment of this order; as ``Model.renyi``.

    Returns
    -------
    Sweep
        ``points``, each with its ``value`` and the bounds ``privacy``, ``delta``, ``renyi`` and ``accuracy``, None if
        not asked for. A notebook shows it as a table; ``taut.plot`` draws it, ``to_csv()`` and ``to_dict()`` are for
        other programs.

    Raises
    ------
    WrongArguments
        None of the arguments, or more than one, is a list of values.
    InvalidNumber
        Epsilon is negative, its ratio below 1, or the order at most 1.

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
    >>> swept = sweep(rr_count, bits(4), lam=["1/10", "1/5"], delta_at="ratio=2", renyi=2)
    >>> [(str(point.delta.delta), str(point.renyi.moment)) for point in swept.points]
    [('5103/10000', '951851/157563'), ('128/625', '130691/63308')]
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongArguments(f"sweep: expected a mechanism first; got {mechanism!r}.", value=mechanism)
    if (alpha is None) != (target is None):
        given, missing = ("target", "alpha") if alpha is None else ("alpha", "target")
        raise WrongArguments(f"sweep: {given} is given without {missing}; accuracy needs both.", value=alpha)
    name = mechanism.function.__name__
    try:
        bound = inspect.signature(mechanism.function).bind(*args, **parameters)
    except TypeError as problem:
        raise WrongArguments(f"sweep: {name}: {problem}.", value=parameters) from None
    arguments = {**{key: value for key, value in bound.arguments.items() if key not in _gathers(bound)}, **bound.kwargs}
    parameter = _swept(name, arguments, over)
    values = [_value(value) for value in arguments[parameter]]
    query = Query(name, mechanism, None, {**arguments, parameter: values[0]})
    accuracy = None if alpha is None else Accuracy(target, alpha, distance)
    relation = query.neighbors if neighbors is None else neighbors
    delta = None if delta_at is None else DeltaAt.read(delta_at)
    check_executor(executor, "sweep: executor", InvalidInput)
    with using(executor):
        return run_sweep(
            query, parameter, values, neighbors=relation, accuracy=accuracy, delta=delta, renyi=renyi, method=method
        )


def _gathers(bound: inspect.BoundArguments) -> list[str]:
    """The name of **kwargs, whose values are parameters like others."""
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
