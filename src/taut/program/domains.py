"""Domains of databases (tuples of entries, or a single number), and spaces of inputs of one or several databases."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from taut.support.errors import InvalidDomain, InvalidInput, shortened
from taut.support.exact import exact, is_number
from taut.support.process import cached_property

__all__ = ["Domain", "InputSpace", "as_tuples", "bits", "categories", "category", "integer", "ints"]


@dataclass(frozen=True)
class Domain:
    """All tuples of ``n`` entries with values in ``values``; with ``bare``, a single entry without a tuple.

    ``form`` is the type that the mechanism gets: a tuple, or a "list" or "array" with the same entries.

    >>> bits(3).size, list(ints(1, 0, 2)), (0, 1) in bits(2)
    (8, [(0,), (1,), (2,)], True)
    """

    n: int
    values: tuple[Hashable, ...]
    name: str
    bare: bool = False
    form: str = field(default="", repr=False)

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
        """Return the entries of a database, as the domain spells them, or refuse it with a reason."""
        if self.bare:
            given: Sequence[Any] = (x,)
        elif isinstance(x, str) or not isinstance(x, Sequence):
            raise InvalidInput(
                f"{x!r} is not a database of {self.name}: expected {self.n} entries in a tuple.", value=x
            )
        else:
            given = x
        if len(given) != self.n:
            raise InvalidInput(
                f"{shortened(repr(x), 80)} is not a database of {self.name}: it has {len(given)} "
                f"{'entry' if len(given) == 1 else 'entries'}, not {self.n}.",
                value=x,
            )
        spelling = {value: value for value in self.values}
        entries: list[Any] = []
        try:
            for entry in given:
                entries.append(spelling[entry])
        except (KeyError, TypeError):
            where = "" if self.bare else f" at position {len(entries)}"
            raise InvalidInput(
                f"{shortened(repr(x), 80)} is not a database of {self.name}: {given[len(entries)]!r}{where} is not "
                f"one of {_listing(self.values)}.",
                value=x,
            ) from None
        return tuple(entries)

    def optional(self) -> Domain:
        """Return the domain whose entries may also be absent (None), so that the length stays n.

        Returns
        -------
        Domain
            The same entries, with None as their last value.

        Raises
        ------
        InvalidDomain
            None is a value of the entries already.

        Examples
        --------
        >>> from taut import bits
        >>> print(bits(1).optional(), list(bits(1).optional()))
        bits(1).optional() [(0,), (1,), (None,)]
        """
        if None in self.values:
            raise InvalidDomain(f"{self.name}: its entries may be None, that is absent, already.", value=self)
        return replace(self, values=(*self.values, None), name=f"{self.name}.optional()")

    def as_list(self) -> Domain:
        """Return the domain whose databases reach the mechanism as lists, which it may change.

        Returns
        -------
        Domain
            The same databases; in witnesses and queries they are tuples as ever.

        Examples
        --------
        >>> from taut import bits
        >>> bits(2).as_list().given((0, 1))
        [0, 1]
        """
        return self._formed("list")

    def as_array(self) -> Domain:
        """Return the domain whose databases reach the mechanism as arrays of NumPy's; a single value as one of size 1.

        Such a mechanism is run on every input, so the domain must be small.

        Returns
        -------
        Domain
            The same databases; in witnesses and queries they are tuples, or single values, as ever.

        Examples
        --------
        >>> from taut import ints
        >>> ints(2, 0, 3).as_array().given((0, 3)).shape
        (2,)
        """
        return self._formed("array")

    def _formed(self, form: str) -> Domain:
        if self.form:
            raise InvalidDomain(f"{self.name}: its databases are given as one {self.form} already.", value=self)
        return replace(self, form=form, name=f"{self.name}.as_{form}()")

    def given(self, x: Any) -> Any:
        """Return a database in the form that the mechanism gets."""
        if not self.form:
            return x
        entries = [x] if self.bare else list(x)
        if self.form == "list":
            return entries
        numpy = importlib.import_module("numpy")
        return numpy.array(entries)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class InputSpace:
    """The inputs of a mechanism: a database, or a tuple of several; entries are numbered through all of them.

    >>> space = InputSpace((bits(2), integer(5, 7)))
    >>> space.size, space.positions(((0, 1), 7)), space.database((0, 1, 7))
    (12, (0, 1, 2), ((0, 1), 7))
    """

    domains: tuple[Domain, ...]

    @cached_property
    def values(self) -> tuple[tuple[Hashable, ...], ...]:
        """The values of each entry."""
        return tuple(domain.values for domain in self.domains for _ in range(domain.n))

    @cached_property
    def different_values(self) -> tuple[tuple[Hashable, ...], ...]:
        """The values that entries have, those of equal entries once."""
        return tuple(dict.fromkeys(domain.values for domain in self.domains if domain.n))

    @property
    def size(self) -> int:
        """The number of inputs, however large."""
        return math.prod(domain.size for domain in self.domains)

    def entries(self, x: Any) -> tuple[Any, ...]:
        """Return the entries of all databases of x, one after the other, or refuse x with a reason."""
        if len(self.domains) == 1:
            return self.domains[0].entries(x)
        if isinstance(x, str) or not isinstance(x, Sequence) or len(x) != len(self.domains):
            names = ", ".join(str(domain) for domain in self.domains)
            count = len(self.domains)
            raise InvalidInput(f"{x!r} is not an input: expected a tuple of {count} databases, of {names}.", value=x)
        return tuple(entry for domain, part in zip(self.domains, x, strict=True) for entry in domain.entries(part))

    def database(self, entries: Sequence[Any]) -> Any:
        """Return the input with these entries: the inverse of ``entries``."""
        parts, start = [], 0
        for domain in self.domains:
            chosen = tuple(entries[start : start + domain.n])
            parts.append(chosen[0] if domain.bare else chosen)
            start += domain.n
        return parts[0] if len(parts) == 1 else tuple(parts)

    def positions(self, x: Any) -> tuple[int, ...]:
        """Return the position of each entry's value in the entry's domain, or refuse x with a reason."""
        return tuple(index[entry] for index, entry in zip(self._index, self.entries(x), strict=True))

    def at(self, positions: Sequence[int]) -> Any:
        """Return the input at these positions: the inverse of ``positions``."""
        return self.database([values[position] for values, position in zip(self.values, positions, strict=True)])

    @cached_property
    def _index(self) -> list[dict[Any, int]]:
        by_domain = [{value: position for position, value in enumerate(domain.values)} for domain in self.domains]
        return [index for domain, index in zip(self.domains, by_domain, strict=True) for _ in range(domain.n)]


def as_tuples(value: Any) -> Any:
    """Return a database or output with its lists converted to tuples, as they are stored and compared."""
    if not isinstance(value, (list, tuple)):
        return value
    kinds = set(map(type, value))
    if list in kinds or tuple in kinds:
        return tuple([as_tuples(item) for item in value])
    return value if type(value) is tuple else tuple(value)


def bits(n: int) -> Domain:
    """Return the domain of all databases of n bits, 0 or 1."""
    return Domain(_length(n, "bits"), (0, 1), f"bits({n})")


def ints(n: int, low: int, high: int) -> Domain:
    """Return the domain of all databases of n integers from low to high, both included."""
    _length(n, "ints")
    return Domain(n, _interval(low, high, f"ints({n}, {low}, {high})"), f"ints({n}, {low}, {high})")


def categories(n: int, values: Iterable[Hashable]) -> Domain:
    """Return the domain of all databases of n entries, each one of the given values."""
    _length(n, "categories")
    try:
        chosen = tuple(values)
        meant = [_meant(value) for value in chosen]
        distinct = len(set(meant))
    except TypeError:
        raise InvalidDomain(
            f"categories({n}, {values!r}): expected a list of hashable values, like ['a', 'b'].", value=values
        ) from None
    if not chosen:
        raise InvalidDomain(f"categories({n}, {values!r}): there must be at least one value.", value=values)
    if distinct != len(chosen):
        repeated = next(value for value, what in zip(chosen, meant, strict=True) if meant.count(what) > 1)
        raise InvalidDomain(f"categories({n}, {values!r}): {repeated!r} stands there twice.", value=values)
    return Domain(n, chosen, f"categories({n}, {list(chosen)!r})")


def category(values: Iterable[Hashable]) -> Domain:
    """Return a single value, one of those given, given and returned bare.

    >>> print(category(["no", "yes"]), list(category(["no", "yes"])))
    category(['no', 'yes']) ['no', 'yes']
    """
    made = categories(1, values)
    return replace(made, name=f"category({list(made.values)!r})", bare=True)


def integer(low: int, high: int) -> Domain:
    """Return the domain of a single integer from low to high, given and returned bare."""
    name = f"integer({low}, {high})"
    return Domain(1, _interval(low, high, name), name, bare=True)


_MOST_ENTRIES = 10_000_000
"""Limit for the entries of a database; the number of databases alone has as many bits as there are entries."""


def _length(n: Any, maker: str) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise InvalidDomain(f"{maker}({n!r}): the number of entries must be a whole number, 0 or more.", value=n)
    if n > _MOST_ENTRIES:
        raise InvalidDomain(f"{maker}({n}): at most {_MOST_ENTRIES} entries can be read.", value=n)
    return n


def _interval(low: Any, high: Any, name: str) -> tuple[int, ...]:
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, int):
            raise InvalidDomain(f"{name}: both ends must be whole numbers; got {end!r}.", value=end)
    if low > high:
        raise InvalidDomain(f"{name}: low must not be above high; got {low} > {high}.", value=(low, high))
    if high - low >= 1_000_000:
        raise InvalidDomain(f"{name}: at most 1000000 values per entry; got {high - low + 1}.", value=(low, high))
    return tuple(range(low, high + 1))


def _meant(value: Any) -> Any:
    """Return a number as the decimal that was typed: 0.1 and Fraction(1, 10) are one value."""
    return exact(value) if is_number(value) and math.isfinite(value) else value


def _listing(values: Sequence[Any]) -> str:
    if len(values) > 8:
        return f"{values[0]!r}, {values[1]!r}, ..., {values[-1]!r}"
    return ", ".join(repr(value) for value in values)
