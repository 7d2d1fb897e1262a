"""Bounds by brute force: every ratio and every accuracy, from distributions found by running plain Python.

Nothing of taut takes part but the list of databases that a domain has.
"""

import inspect
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.corpus.case import Case
from tests.oracle.native import native_distribution

from taut import Domain

__all__ = ["STEPS", "Related", "Table", "add_remove", "all_step", "one_differ", "one_step", "quotient", "table_of"]

Entries = tuple[Any, ...]
Related = Callable[[Entries, Entries], bool]
"""A relation between databases, each given by its entries."""


def quotient(p: Fraction, q: Fraction) -> Fraction | float | None:
    """p / q, with p / 0 infinite and 0 / 0 nothing."""
    if q:
        return p / q
    return math.inf if p else None


def one_differ(a: Entries, b: Entries) -> bool:
    return len([1 for v, w in zip(a, b, strict=True) if v != w]) == 1


def one_step(a: Entries, b: Entries) -> bool:
    changed = [(v, w) for v, w in zip(a, b, strict=True) if v != w]
    return len(changed) == 1 and all(abs(v - w) <= 1 for v, w in changed)


def all_step(a: Entries, b: Entries) -> bool:
    changed = [(v, w) for v, w in zip(a, b, strict=True) if v != w]
    return bool(changed) and all(abs(v - w) <= 1 for v, w in changed)


def add_remove(a: Entries, b: Entries) -> bool:
    changed = [(v, w) for v, w in zip(a, b, strict=True) if v != w]
    return len(changed) == 1 and None in changed[0]


STEPS: dict[str, Related] = {"one_step": one_step, "all_step": all_step}
"""The relations by name that only make sense for numbers."""


@dataclass(frozen=True)
class Table:
    """A mechanism as a table: for every input the outputs that are possible, and the input's entries."""

    rows: Mapping[Any, Mapping[Any, Fraction]]
    entries: Mapping[Any, Entries]

    @property
    def outputs(self) -> set[Hashable]:
        """All outputs that some input can give."""
        return {y for row in self.rows.values() for y in row}

    @property
    def numeric(self) -> bool:
        """Whether all entries are numbers."""
        return all(isinstance(entry, int | Fraction) for row in self.entries.values() for entry in row)

    def probability(self, x: Any, y: Any) -> Fraction:
        return self.rows[x].get(y, Fraction(0))

    def ratio(self, x: Any, x_prime: Any, y: Any) -> Fraction | float | None:
        return quotient(self.probability(x, y), self.probability(x_prime, y))

    def pairs(self, related: Related) -> list[tuple[Any, Any]]:
        """All ordered pairs of different inputs that are related."""
        found = []
        for x, own in self.entries.items():
            for x_prime, other in self.entries.items():
                if own != other and related(own, other):
                    found.append((x, x_prime))
        return found

    def ratios(self, pairs: Iterable[tuple[Any, Any]]) -> dict[Fraction | float, int]:
        """All different ratios, the largest first, with the number of ordered triples (x, x', y) that have them."""
        counts: Counter[Fraction | float] = Counter()
        outputs = self.outputs
        for x, x_prime in pairs:
            for y in outputs:
                value = self.ratio(x, x_prime, y)
                if value is not None:
                    counts[value] += 1
        return dict(sorted(counts.items(), reverse=True))

    def accuracy(self, x: Any, aim: Any, alpha: Any, distance: Callable[[Any, Any], Any] | None = None) -> Fraction:
        """The probability that the output on x is within alpha of a value; alpha itself counts."""
        return sum((p for y, p in self.rows[x].items() if _gap(distance, y, aim) <= alpha), start=Fraction(0))

    def accuracies(
        self,
        target: Callable[[Any], Any] | Mapping[Any, Any],
        alpha: Any,
        distance: Callable[[Any, Any], Any] | None = None,
    ) -> dict[Fraction, int]:
        """All different accuracies, the lowest first, with the number of inputs that have them."""
        counts: Counter[Fraction] = Counter()
        for x in self.rows:
            aim = target[x] if isinstance(target, Mapping) else target(x)
            counts[self.accuracy(x, aim, alpha, distance)] += 1
        return dict(sorted(counts.items()))


def table_of(case: Case) -> Table:
    """The table of a case; each is computed once."""
    if case.name not in _TABLES:
        names = inspect.signature(inspect.unwrap(case.mechanism)).parameters
        domains = [case.databases[name] for name in names if name in case.databases]
        rows, entries = {}, {}
        for x, arguments in case.inputs():
            rows[x] = native_distribution(case.mechanism, arguments)
            parts = [x] if len(domains) == 1 else list(x)
            entries[x] = tuple(
                entry for domain, part in zip(domains, parts, strict=True) for entry in _split(domain, part)
            )
        _TABLES[case.name] = Table(rows, entries)
    return _TABLES[case.name]


_TABLES: dict[str, Table] = {}


def _split(domain: Iterable[Any], part: Any) -> Entries:
    assert isinstance(domain, Domain)
    return (part,) if domain.bare else tuple(part)


def _gap(distance: Callable[[Any, Any], Any] | None, y: Any, aim: Any) -> Any:
    return abs(y - aim) if distance is None else distance(y, aim)
