"""Relations by the entries that change: how many may, and which values may become which."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from taut.domains import InputSpace
from taut.errors import InvalidNeighbors
from taut.neighbors.automaton import AnyLayer, PairAutomaton
from taut.neighbors.relation import Neighbors, named
from taut.numbers import exact, is_number

__all__ = ["AddRemove", "AllStep", "Entrywise", "OneDiffer", "OneStep"]


class Entrywise(Neighbors):
    """Inputs that differ in at least one entry and in at most ``most`` (None: in any number), each as ``allowed``.

    A state is the number of entries that have changed, as far as it matters, so entries can be read in any order.
    """

    most: int | None = 1

    def allowed(self, value: Any, other: Any) -> bool:
        """Whether an entry may change from one value to another."""
        return True

    def meant(self, value: Any) -> Any:
        """A value as ``allowed`` looks at it, or a refusal."""
        return value

    def require(self, space: InputSpace) -> None:
        """Refuse inputs for which the relation makes no sense."""

    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        self.require(space)
        last = 1 if self.most is None else self.most
        layers = {values: self._layer(values, last) for values in dict.fromkeys(space.values)}
        return PairAutomaton.of(order, [layers[space.values[e]] for e in order], 0, set(range(1, last + 1)))

    def _layer(self, values: Sequence[Any], last: int) -> AnyLayer:
        pairs = itertools.permutations(enumerate(map(self.meant, values)), 2)
        changes = [(a, b) for (a, value), (b, other) in pairs if self.allowed(value, other)]
        layer: dict[int, list[tuple[int, int, int]]] = {}
        for state in range(last + 1):
            layer[state] = [(a, a, state) for a in range(len(values))]
            if state < last or self.most is None:
                following = min(state + 1, last)
                layer[state] += [(a, b, following) for a, b in changes]
        return layer


@named
class OneDiffer(Entrywise):
    """One entry changes freely: the paper's relation. Where entries may be absent, it may become so or appear."""

    name = "one_differ"


class _Numeric(Entrywise):
    """Entries are numbers, and change by at most 1, exactly: 0.1 is 1/10."""

    def meant(self, value: Any) -> Any:
        if not is_number(value):
            raise InvalidNeighbors(
                f"neighbors='{self.name}' needs entries that are numbers; got {value!r}.", value=value
            )
        return value if isinstance(value, int) else exact(value)

    def allowed(self, value: Any, other: Any) -> bool:
        return bool(abs(value - other) <= 1)


@named
class OneStep(_Numeric):
    """One entry changes, by at most 1."""

    name = "one_step"


@named
class AllStep(_Numeric):
    """Every entry may change, by at most 1: the answers to queries of sensitivity one."""

    name = "all_step"
    most = None


@named
class AddRemove(Entrywise):
    """One entry is added or removed: it is absent (None) in one input, and has any value in the other."""

    name = "add_remove"

    def require(self, space: InputSpace) -> None:
        for domain in space.domains:
            if None not in domain.values:
                raise InvalidNeighbors(
                    f"neighbors='{self.name}' needs entries that may be absent, and those of {domain} are always "
                    f"there. Write {domain}.optional(): an absent entry is None.",
                    value=domain,
                )

    def allowed(self, value: Any, other: Any) -> bool:
        return value is None or other is None
