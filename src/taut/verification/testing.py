"""For tests: assertions about mechanisms, and Hypothesis strategies for their inputs.

The pytest plugin, which comes with taut, also collects every ``@taut.claim`` of a test file as a test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

from taut.model import Model
from taut.model.arguments import relation_for
from taut.neighbors import DEFAULT, PairAutomaton
from taut.program.domains import Domain, InputSpace
from taut.support.errors import InvalidInput, NoNeighbors
from taut.support.options import active
from taut.verification.claims import Verdict, check

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["assert_accurate", "assert_private", "databases", "neighbor_pairs"]


P = ParamSpec("P")


def _as_for(check: Callable[P, Verdict]) -> Callable[[Callable[..., Verdict]], Callable[P, Verdict]]:
    """Give a function the signature of another one."""

    def named(function: Callable[..., Verdict]) -> Callable[P, Verdict]:
        function.__signature__ = inspect.signature(check)  # type: ignore[attr-defined]
        return function

    return named


@_as_for(check)
def assert_private(*claim: Any, **more: Any) -> Verdict:
    """Assert that a model keeps a claimed guarantee; the arguments are those of ``taut.check``.

    Returns
    -------
    Verdict
        With the exact value and the slack.

    Raises
    ------
    AssertionError
        The claim fails, with a counterexample; or it could not be decided in the time given.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> assert_private(randomized_response(bits(8), lam="1/4"), ratio=3).slack
    Fraction(0, 1)
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    return _demanded(check(*claim, **more))


def assert_accurate(
    model: Model,
    target: Any,
    alpha: Any,
    probability: Any,
    *,
    distance: Any = None,
    method: str = "auto",
    time_limit: float | None = None,
) -> Verdict:
    """Assert that the output lies within alpha of the target with at least this probability, on every input.

    Raises
    ------
    AssertionError
        It does not, on the input that is named; or it could not be decided in the time given.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import rr_count
    >>> assert_accurate(rr_count(bits(4), lam="1/5"), sum, 1, "0.8").value
    Fraction(512, 625)
    """
    claim = (target, alpha, probability) if distance is None else (target, alpha, probability, distance)
    return _demanded(check(model, accuracy=claim, method=method, time_limit=time_limit))


def _demanded(verdict: Verdict) -> Verdict:
    __tracebackhide__ = True
    if not verdict:
        raise AssertionError(str(verdict))
    return verdict


def databases(domain: Domain | Model) -> SearchStrategy[Any]:
    """Any input of a domain, or of a model (with several databases: the tuple of them).

    Examples
    --------
    >>> from hypothesis import find
    >>> from taut import ints
    >>> found = find(databases(ints(3, 0, 5)), lambda x: sum(x) >= 7)
    >>> len(found), found in ints(3, 0, 5)
    (3, True)
    """
    from hypothesis import strategies

    space = _space(domain, "databases")
    entries = strategies.tuples(*[strategies.sampled_from(values) for values in space.values])
    return entries.map(space.database)


def neighbor_pairs(domain: Domain | Model, neighbors: Any = None) -> SearchStrategy[tuple[Any, Any]]:
    """Any ordered pair (x, x') of neighbours, all equally likely, however many there are.

    Parameters
    ----------
    domain
        A domain, or a model.
    neighbors
        As for ``model.privacy``; by default those that the model declares, else 'one_differ'.

    Raises
    ------
    NoNeighbors
        The relation relates no two inputs.

    Examples
    --------
    >>> from hypothesis import find
    >>> from taut import bits
    >>> x, x_prime = find(neighbor_pairs(bits(4)), lambda pair: sum(pair[0]) > sum(pair[1]) > 1)
    >>> sum(a != b for a, b in zip(x, x_prime))
    1
    """
    from hypothesis import strategies

    space = _space(domain, "neighbor_pairs")
    if isinstance(domain, Model):
        relation = domain.neighbors(neighbors)
    else:
        relation = relation_for(DEFAULT if neighbors is None else neighbors, space, active())
    automaton = relation.automaton(space)
    total = automaton.count_pairs()
    if not total:
        raise NoNeighbors(f"neighbor_pairs: '{relation.name}' relates no two inputs of {domain}.", value=neighbors)
    return strategies.integers(0, total - 1).map(lambda rank: _pair(automaton, space, rank))


def _pair(automaton: PairAutomaton, space: InputSpace, rank: int) -> tuple[Any, Any]:
    """Return the pair with this number among all accepted pairs."""
    state = automaton.states[0][0]
    x, x_prime = [0] * len(space.values), [0] * len(space.values)
    for layer, entry in enumerate(automaton.order):
        for step in automaton.transitions[layer][state]:
            below = automaton.pairs_from[layer + 1][step.state]
            if rank < below:
                x[entry], x_prime[entry], state = step.value, step.other, step.state
                break
            rank -= below
    return space.at(x), space.at(x_prime)


def _space(domain: Any, name: str) -> InputSpace:
    if isinstance(domain, Model):
        return domain.space
    if isinstance(domain, Domain):
        return InputSpace((domain,))
    raise InvalidInput(f"{name}: expected a domain such as bits(4), or a model; got {domain!r}.", value=domain)
