"""What a database can be: tuples of entries, or a single number."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from taut.errors import InvalidDomain, InvalidInput

__all__ = ["Domain", "as_tuples", "bits", "categories", "database_of", "entries_of", "integer", "ints"]


@dataclass(frozen=True)
class Domain:
    """All tuples of ``n`` entries, each one of ``values``; with ``bare`` a single entry, given without a tuple.

    >>> bits(3).size, list(ints(1, 0, 2)), (0, 1) in bits(2)
    (8, [(0,), (1,), (2,)], True)
    """

    n: int
    values: tuple[Hashable, ...]
    name: str
    bare: bool = False

    @property
    def size(self) -> int:
        """The number of databases, however large."""
        return int(len(self.values) ** self.n)

    def __iter__(self) -> Iterator[Any]:
        for entries in itertools.product(self.values, repeat=self.n):
            yield entries[0] if self.bare else entries

    def __contains__(self, x: object) -> bool:
        try:
            self.entries(x)
        except InvalidInput:
            return False
        return True

    def entries(self, x: Any) -> tuple[Any, ...]:
        """The entries of a database of this domain, as the domain spells them, or a refusal that says what is wrong."""
        if self.bare:
            given: Sequence[Any] = (x,)
        elif isinstance(x, str) or not isinstance(x, Sequence):
            raise InvalidInput(f"{x!r} is no database of {self.name}: expected {self.n} entries in a tuple.", value=x)
        else:
            given = x
        if len(given) != self.n:
            raise InvalidInput(
                f"{_short(x)} is no database of {self.name}: it has {len(given)} entries, not {self.n}.", value=x
            )
        spelling = {value: value for value in self.values}
        try:
            return tuple([spelling[entry] for entry in given])
        except (KeyError, TypeError):
            pass
        for position, entry in enumerate(given):
            if entry not in self.values:
                place = "" if self.bare else f" at position {position}"
                raise InvalidInput(
                    f"{_short(x)} is no database of {self.name}: {entry!r}{place} is not one of "
                    f"{_listing(self.values)}.",
                    value=x,
                )
        raise AssertionError("an entry that is no value was there before")

    def __str__(self) -> str:
        return self.name


def as_tuples(value: Any) -> Any:
    """A database or an output with its lists made tuples, as they are kept and compared."""
    if not isinstance(value, (list, tuple)):
        return value
    kinds = set(map(type, value))
    if list in kinds or tuple in kinds:
        return tuple([as_tuples(item) for item in value])
    return value if type(value) is tuple else tuple(value)


def entries_of(domains: Sequence[Domain], x: Any) -> tuple[Any, ...]:
    """The entries of all databases of an input, one after the other, or a refusal; one database stands alone."""
    if len(domains) == 1:
        return domains[0].entries(x)
    if isinstance(x, str) or not isinstance(x, Sequence) or len(x) != len(domains):
        names = ", ".join(map(str, domains))
        raise InvalidInput(f"{x!r} is no input: expected a tuple of {len(domains)} databases, of {names}.", value=x)
    return tuple(entry for domain, part in zip(domains, x, strict=True) for entry in domain.entries(part))


def database_of(domains: Sequence[Domain], entries: Sequence[Any]) -> Any:
    """The input whose entries these are: the inverse of ``entries_of``."""
    parts, start = [], 0
    for domain in domains:
        chosen = tuple(entries[start : start + domain.n])
        parts.append(chosen[0] if domain.bare else chosen)
        start += domain.n
    return parts[0] if len(parts) == 1 else tuple(parts)


def bits(n: int) -> Domain:
    """Databases of n bits, 0 or 1."""
    return Domain(_length(n, "bits"), (0, 1), f"bits({n})")


def ints(n: int, low: int, high: int) -> Domain:
    """Databases of n integers from low to high, both included."""
    _length(n, "ints")
    return Domain(n, _interval(low, high, f"ints({n}, {low}, {high})"), f"ints({n}, {low}, {high})")


def categories(n: int, values: Iterable[Hashable]) -> Domain:
    """Databases of n entries, each one of the given values."""
    _length(n, "categories")
    try:
        chosen = tuple(values)
        distinct = len(set(chosen))
    except TypeError:
        raise InvalidDomain(
            f"categories({n}, {values!r}): expected a list of hashable values, like ['a', 'b'].", value=values
        ) from None
    if not chosen:
        raise InvalidDomain(f"categories({n}, {values!r}): there must be at least one value.", value=values)
    if distinct != len(chosen):
        repeated = next(value for value in chosen if chosen.count(value) > 1)
        raise InvalidDomain(f"categories({n}, {values!r}): {repeated!r} stands there twice.", value=values)
    return Domain(n, chosen, f"categories({n}, {list(chosen)!r})")


def integer(low: int, high: int) -> Domain:
    """A single integer from low to high, given and returned bare."""
    name = f"integer({low}, {high})"
    return Domain(1, _interval(low, high, name), name, bare=True)


def _length(n: Any, maker: str) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise InvalidDomain(f"{maker}({n!r}): the number of entries must be a whole number, 0 or more.", value=n)
    return n


def _interval(low: Any, high: Any, name: str) -> tuple[int, ...]:
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, int):
            raise InvalidDomain(f"{name}: both ends must be whole numbers; got {end!r}.", value=end)
    if low > high:
        raise InvalidDomain(f"{name}: low must not be above high; got {low} > {high}.", value=(low, high))
    if high - low >= 1_000_000:
        raise InvalidDomain(f"{name}: at most 1000000 values an entry; got {high - low + 1}.", value=(low, high))
    return tuple(range(low, high + 1))


def _listing(values: Sequence[Any]) -> str:
    if len(values) > 8:
        return f"{values[0]!r}, {values[1]!r}, ..., {values[-1]!r}"
    return ", ".join(repr(value) for value in values)


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 80 else text[:77] + "..."
