"""Hypothesis strategies: databases of a domain, and pairs of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taut.domains import Domain, InputSpace
from taut.model import Model
from taut.model.predicates import relation_for
from taut.neighbors import DEFAULT, PairAutomaton
from taut.support.errors import InvalidInput, NoNeighbors
from taut.support.options import active

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["databases", "neighbor_pairs"]


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
    """The pair with this number among all accepted pairs."""
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
