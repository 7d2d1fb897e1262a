"""Sets of cases that users give: which pairs to infer, which triples to compare, which inputs to be accurate on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from taut.domains import as_tuples
from taut.support.errors import InvalidSet
from taut.support.exact import may_be_equal, quotient

__all__ = ["AccuracySet", "InferenceSet", "PrivacySet", "SetCheck"]


@dataclass(frozen=True)
class SetCheck:
    """True if a set covers all cases; true if it does.

    ``problem`` says what is wrong with it; ``uncovered`` is a triple or an input that it lacks, or one of its own that
    is not allowed.
    """

    valid: bool
    problem: str = ""
    uncovered: Any = None

    def __bool__(self) -> bool:
        return self.valid


class _Set:
    """A finite set of cases, in the order given, without repetitions.

    Parameters
    ----------
    items : iterable
        The cases; lists count as tuples.

    Raises
    ------
    InvalidSet
        If an item does not have the parts that a case of this kind has.
    """

    width: int
    what: str

    def __init__(self, items: Iterable[Any]) -> None:
        rows = []
        if not isinstance(items, Iterable):
            raise InvalidSet(f"{type(self).__name__}: expected {self.what}; got {items!r}.", value=items)
        for item in items:
            row = as_tuples(item)
            if self.width and (not isinstance(row, tuple) or len(row) != self.width):
                raise InvalidSet(f"{type(self).__name__}: expected {self.what}; got {item!r}.", value=item)
            rows.append(row)
        self.items = tuple(dict.fromkeys(rows))
        self._known = frozenset(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return as_tuples(item) in self._known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Set) and type(self) is type(other) and self._known == other._known

    def __hash__(self) -> int:
        return hash((type(self), self._known))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} items)"


class InferenceSet(_Set):
    """Pairs (x, y) whose probabilities P(A(x) = y) are computed."""

    width, what = 2, "pairs (x, y)"

    def require(self, pairs: Iterable[tuple[Any, Any]], why: str) -> None:
        """Obligation 2: every pair that is needed is in the set; the first that is not is named."""
        for pair in pairs:
            if as_tuples(pair) not in self._known:
                x, y = pair
                raise InvalidSet(f"the inference set lacks the pair (x={x!r}, y={y!r}), which {why} needs.", value=pair)


class PrivacySet(_Set):
    """Triples (x, x', y) whose ratios P(A(x) = y) / P(A(x') = y) are compared.

    The set is valid if the ratio of every triple of neighbours is that of one of its triples.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> model = randomized_response(bits(1), lam="1/5")
    >>> check = PrivacySet([((0,), (1,), (0,))]).verify(model)
    >>> check.valid, check.uncovered
    (False, ((0,), (1,), (1,)))
    """

    width, what = 3, "triples (x, x', y)"

    @property
    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """The pairs whose probabilities the triples need."""
        for x, x_prime, y in self.items:
            yield x, y
            yield x_prime, y

    def require_related(self, related: Callable[[Any, Any], bool], name: str) -> None:
        """Refuse a triple whose inputs are not neighbours."""
        for triple in self.items:
            if not related(triple[0], triple[1]):
                raise InvalidSet(
                    f"the privacy set holds {triple!r}, whose inputs are not neighbours (neighbors='{name}').",
                    value=triple,
                )

    def verify(self, model: Any, neighbors: Any = None) -> SetCheck:
        """Obligation 1, coverage: every ratio of a triple of neighbours occurs among those of the set.

        Parameters
        ----------
        model : Model
            The mechanism; all of its triples are looked at, or one per orbit.
        neighbors
            The neighbour relation; left out, the one that the mechanism declares.

        Returns
        -------
        SetCheck
            With the triple that the set misses, or with its own triple whose inputs are not neighbours.
        """
        relation = model.neighbors(neighbors)
        try:
            self.require_related(relation.related(model.space), relation.name)
        except InvalidSet as problem:
            return SetCheck(False, str(problem), problem.value)
        matrix = model.inference(self.pairs)
        covered = {quotient(matrix[x, y], matrix[x_prime, y]) for x, x_prime, y in self.items}
        for one in model.ratio_classes(neighbors):
            if not _covered(one.value, covered):
                triple = (one.witness.x, one.witness.x_prime, one.witness.y)
                return SetCheck(False, f"no triple of the set has the ratio {one.value}, as {triple} has.", triple)
        return SetCheck(True)


class AccuracySet(_Set):
    """Inputs on which accuracy is computed; valid if every input is exactly as accurate as one of them."""

    width, what = 0, "inputs x"

    def verify(self, model: Any, target: Any, alpha: Any, distance: Any = None) -> SetCheck:
        """Obligation 1, coverage: every input is exactly as accurate as one of the set.

        Parameters
        ----------
        model : Model
            The mechanism.
        target, alpha, distance
            What is called accurate, as for ``model.accuracy``.

        Returns
        -------
        SetCheck
            With an input that is not as accurate as any of the set.
        """
        covered = set(model.accuracies(self.items, target, alpha, distance=distance).values())
        for one in model.input_classes(target, alpha, distance=distance):
            if not _covered(one.value, covered):
                x = one.witness.x
                return SetCheck(False, f"no input of the set has 1-beta = {one.value}, as x={x!r} has.", x)
        return SetCheck(True)


def _covered(value: Any, among: set[Any]) -> bool:
    return value in among or any(may_be_equal(value, other) for other in among)
