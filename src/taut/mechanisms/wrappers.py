"""Mechanisms that run another mechanism: amplification, shuffling, repetition and choice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.languages.python import flip
from taut.mechanisms.catalog import CATALOG, MOST, Entry, resolve
from taut.model import Mechanism, mechanism
from taut.model.decorators import PROBABILITY, Range, optional, whole
from taut.program.domains import Domain, categories
from taut.support.errors import InvalidInput, TautError, TooLarge, WrongArguments

__all__ = ["Wrapper", "WrapperEntry", "wrapper"]


Prepare = Callable[[dict[str, Any], Entry | None], dict[str, Any]]
"""A function that prepares the arguments for the body; it also gets the entry of a built-in inner mechanism."""


class Wrapper(Mechanism):
    """A mechanism with another mechanism as an argument: a mechanism, a function, or the name of a built-in one.

    Arguments that it does not take itself are passed on by name. Models compare the neighbours that the inner mechanism
    is made for.
    """

    def __init__(self, function: Callable[..., Any], inner: str, prepare: Prepare) -> None:
        super().__init__(function)
        self.inner = inner
        self.prepare = prepare

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from taut.languages.python.scripted import active_script

        if active_script() is not None:  # a part of another mechanism, which is read as it stands
            return self.function(*args, **keywords)
        given = self._flat(args, keywords)
        plain = Mechanism(self.function, self.neighbors_with(given))
        return plain(**self.prepared(given))

    def prepared(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments for the body, with the inner mechanism as a callable."""
        arguments = self.checked(self._flat((), given))
        entry, inner = self.wrapped(arguments[self.inner])
        arguments[self.inner] = inner
        own = inspect.signature(self.function).parameters
        handed = {name: value for name, value in arguments.items() if name not in own}
        self._fits(inner, handed)
        return self.prepare(arguments, entry)

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, its own and those of the inner mechanism, each checked."""
        own = inspect.signature(self.function).parameters
        _, inner = self.wrapped(given[self.inner])
        handed = {name: value for name, value in given.items() if name not in own}
        return {**super().checked(given), **inner.checked(handed)}

    def neighbors_with(self, arguments: Mapping[str, Any]) -> Any:
        """Return the neighbour relation of the inner mechanism."""
        return self.wrapped(arguments[self.inner])[1].neighbors

    def _flat(self, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments by name, including those for the inner mechanism."""
        from taut.languages.python.tracing import bind_arguments

        bound = bind_arguments(self.function, args, keywords)
        (gathered,) = [p.name for p in inspect.signature(self.function).parameters.values() if p.kind is p.VAR_KEYWORD]
        return {**{name: value for name, value in bound.items() if name != gathered}, **bound[gathered]}

    def wrapped(self, given: Any) -> tuple[Entry | None, Mechanism]:
        """Return the inner mechanism, with its entry if it is built-in; a plain function becomes a mechanism."""
        name = self.function.__name__
        if isinstance(given, str):
            entry: Entry | None = resolve(given)
        else:
            entry = next((known for known in CATALOG.values() if known.mechanism is given), None)
        if isinstance(entry, WrapperEntry):
            raise InvalidInput(
                f"{name}: {self.inner}={entry.name} takes a mechanism itself; write a function that calls it with all "
                "its arguments, and give that.",
                value=given,
            )
        if entry is not None:
            return entry, entry.mechanism
        if isinstance(given, Mechanism):
            return None, given
        if not callable(given):
            raise WrongArguments(
                f"{name}: {self.inner} must be a mechanism, a function, or the name of a built-in mechanism; got "
                f"{given!r}.",
                value=given,
            )
        return None, Mechanism(given)

    def _fits(self, inner: Mechanism, handed: Mapping[str, Any]) -> None:
        """Refuse unknown or missing parameters of the inner mechanism."""
        from taut.languages.python.tracing import bind_arguments

        try:
            bind_arguments(inner.function, (None,), handed)
        except TautError as problem:
            problem.message = f"{self.function.__name__}: {problem.message}"
            raise


@dataclass(frozen=True)
class WrapperEntry(Entry):
    """A wrapper with a default inner mechanism, which provides the database and further parameters."""

    @property
    def wrapper(self) -> Wrapper:
        assert isinstance(self.mechanism, Wrapper)
        return self.mechanism

    def domain(self, n: int, **given: Any) -> Domain:
        chosen = {**self.parameters, **given}
        inner, _ = self.wrapper.wrapped(chosen[self.wrapper.inner])
        if inner is not None:
            return inner.domain(n, **given)
        x = chosen.get("x")
        if isinstance(x, Domain):
            return x
        raise InvalidInput(
            f"{self.name}: with {self.wrapper.inner} of your own, write the database as a domain, like 'x=bits(4)'.",
            value=chosen[self.wrapper.inner],
        )

    def arguments(self, n: int | None = None, **given: Any) -> dict[str, Any]:
        inner, _ = self.wrapper.wrapped(given.get(self.wrapper.inner, self.parameters[self.wrapper.inner]))
        if inner is not None:
            given = {**inner.parameters, **given}
            n = inner.default_n if n is None and "x" not in given else n
        return super().arguments(n, **given)


def wrapper(
    inner: str,
    *,
    prepare: Prepare = lambda arguments, _: arguments,
    allowed: Mapping[str, Range] | None = None,
    **tried: Any,
) -> Callable[[Mechanism], Wrapper]:
    """Register a mechanism that runs another one; the decorator stands above ``@mechanism``.

    Parameters:
        inner: the argument that is the inner mechanism; ``**parameters`` of the function are handed on to it.
        prepare: a function that prepares the arguments for the body.
        allowed: the allowed values of its own parameters.
        **tried: what it is tried with: the inner mechanism, by name, and a value for every other required argument.
    """

    def register(mechanism: Mechanism) -> Wrapper:
        made = Wrapper(mechanism.function, inner, prepare)
        made.allowed = allowed or {}
        entry = WrapperEntry(made, lambda: None, tried, resolve(tried[inner]).default_n)  # type: ignore[arg-type, return-value]
        CATALOG[entry.name] = entry
        return made

    return register


_MOST_REPORTS = 4096


def _sampling(arguments: dict[str, Any], entry: Entry | None) -> dict[str, Any]:
    """Return the arguments with a rate or a size, exactly one of them; the default is a rate of 1/2."""
    x, rate, size = arguments["x"], arguments["rate"], arguments["size"]
    if rate is not None and size is not None:
        raise WrongArguments(f"subsampled: give rate or size, not both; got rate={rate} and size={size}.", value=size)
    if size is None:
        return {**arguments, "rate": Fraction(1, 2) if rate is None else rate}
    records = x.n if isinstance(x, Domain) else len(x)
    if isinstance(size, bool) or not isinstance(size, (int, Fraction)) or size % 1 or not 0 <= size <= records:
        raise WrongArguments(
            f"subsampled: size must be a whole number from 0 to the {records} records of x; got {size}.", value=size
        )
    return {**arguments, "size": int(size)}


def _reporting(arguments: dict[str, Any], entry: Entry | None) -> dict[str, Any]:
    """Return the arguments with ``local`` as a function of one client's value, and the list of possible reports."""
    x, local, reports = arguments["x"], arguments["local"], arguments["reports"]
    handed = {name: value for name, value in arguments.items() if name not in ("x", "local", "reports")}
    if isinstance(x, Domain) and x.bare:
        raise InvalidInput(f"shuffled: x must be a database with an entry per client; got {x}.", value=x)
    if reports is not None and not (isinstance(reports, (list, tuple)) and reports):
        raise WrongArguments(f"shuffled: reports must be a list of all that a client can send; got {reports!r}.")
    domain = x if isinstance(x, Domain) else None if entry is None else entry.domain(1, **handed)
    sent = None
    if entry is not None:
        assert domain is not None
        sent = _sent_by_one(local, domain.values, handed)
        local = _one_client(local)
    elif reports is None:
        if domain is None:
            raise WrongArguments(
                "shuffled: where x is data, reports must be given: a list of all that a client can send."
            )
        sent = _outputs(_first_client(local), domain.values, handed)
    if reports is None:
        assert sent is not None
        reports = _in_order(sent)
    return {**arguments, "local": local, "reports": [_frozen(report) for report in reports]}


def _one_client(local: Mechanism) -> Mechanism:
    """Return the mechanism of one client, given one that returns a list of reports."""

    @mechanism
    def report(value: Any, **parameters: Any) -> Any:
        return local([value], **parameters)[0]

    return report


def _first_client(local: Mechanism) -> Mechanism:
    """Return the mechanism of a single client, given a function of its value, on a database of one entry."""

    @mechanism
    def first(x: Any, **parameters: Any) -> Any:
        return local(x[0], **parameters)

    return first


def _sent_by_one(local: Mechanism, values: tuple[Any, ...], handed: dict[str, Any]) -> set[Any]:
    """Return the possible reports of one client; refuse a mechanism that does not return one report per client."""
    outputs = _outputs(local, values, handed)
    if not all(isinstance(y, tuple) and len(y) == 1 for y in outputs):
        name, shown = local.function.__name__, next(y for y in outputs if not (isinstance(y, tuple) and len(y) == 1))
        raise InvalidInput(
            f"shuffled: local={name} does not return a list with one report per client; for one client it may return "
            f"{shown!r}.",
            value=name,
        )
    return {y[0] for y in outputs}


def _outputs(made: Mechanism, values: tuple[Any, ...], handed: dict[str, Any]) -> set[Any]:
    """Return all possible outputs of a mechanism on a database of one entry."""
    model = made(categories(1, values), **handed)
    outputs: set[Any] = set()
    for x in model.domain:
        outputs.update(model.distribution(x))
        if len(outputs) > _MOST_REPORTS:
            raise TooLarge(
                f"shuffled: a client can send {len(outputs)} different reports or more; at most {_MOST_REPORTS} are "
                "counted.",
                value=len(outputs),
            )
    return outputs


def _in_order(reports: set[Any]) -> list[Any]:
    try:
        return sorted(reports)
    except TypeError:  # of several kinds, such as None and numbers
        return sorted(reports, key=lambda report: (type(report).__name__, repr(report)))


def _frozen(report: Any) -> Any:
    return tuple(map(_frozen, report)) if isinstance(report, (list, tuple)) else report


@wrapper("local", prepare=_reporting, local="k_ary_randomized_response")
@mechanism
def shuffled(x: Any, local: Any, reports: Any = None, **parameters: Any) -> Any:
    """The histogram of the clients' reports, one per client; a shuffler hides who sent which.

    ``local`` is what one client does: a function of its value and of the parameters, or a built-in local mechanism (by
    name or itself), such as k_ary_randomized_response, symmetric_unary_encoding or one_time_rappor. Parameters are
    handed on to it. The counts are in the order of ``reports``, by default all reports that can be sent, sorted.

    Reference: Bittau et al. 2017; Cheu, Smith, Ullman, Zeber and Zhilyaev 2019.

    >>> from taut import bits, flip
    >>> shuffled(bits(2), local="randomized_response", lam="1/4").distribution((0, 1))
    {(0, 2): Fraction(3, 16), (1, 1): Fraction(5, 8), (2, 0): Fraction(3, 16)}
    >>> shuffled(bits(2), local=lambda bit: bit ^ flip("1/4")).distribution((0, 0))
    {(0, 2): Fraction(1, 16), (1, 1): Fraction(3, 8), (2, 0): Fraction(9, 16)}
    """
    if reports is None:
        raise ValueError("shuffled inside another mechanism needs reports, a list of all that a client can send")
    counts = dict.fromkeys(reports, 0)
    for value in x:
        report = local(value, **parameters)
        counts[tuple(report) if isinstance(report, list) else report] += 1
    return list(counts.values())


@wrapper("mechanism", allowed={"runs": whole(1, MOST)}, mechanism="geometric_count", runs=2)
@mechanism
def composed(x: Any, mechanism: Any, runs: Any, **parameters: Any) -> Any:
    """The outputs of several runs of a mechanism on the same database.

    Parameters of the mechanism are handed on to it. e^eps is that of one run to the power of the number of runs,
    exactly; what composition saves is seen with a delta.

    Reference: Dwork, McSherry, Nissim and Smith 2006; Kairouz, Oh and Viswanath 2015.

    >>> from taut import bits
    >>> composed(bits(1), mechanism="rr_count", runs=2, lam="1/4").distribution((0,))
    {(0, 0): Fraction(9, 16), (0, 1): Fraction(3, 16), (1, 0): Fraction(3, 16), (1, 1): Fraction(1, 16)}
    """
    return [mechanism(x, **parameters) for _ in range(runs)]


@wrapper("mechanism", prepare=_sampling, allowed={"rate": optional(PROBABILITY)}, mechanism="geometric_count", absent=0)
@mechanism
def subsampled(x: Any, mechanism: Any, absent: Any, rate: Any = None, size: Any = None, **parameters: Any) -> Any:
    """The output of a mechanism on a random sample of the records, which costs less privacy: nobody knows who is in it.

    Each record is in the sample with probability ``rate`` (1/2 if nothing is said), or exactly ``size`` of them are and
    all samples of that size are alike. ``absent`` is what stands in the place of the other records, such as 0 for a
    sum; with absent="dropped" nothing does, and the sample is shorter. Parameters of the mechanism are handed on to it.

    Reference: Li, Qardaji and Su 2012; Balle, Barthe and Gaboardi 2018.

    >>> from taut import bits
    >>> subsampled(bits(2), mechanism="geometric_count", absent=0, rate="1/2", ratio="1/2").distribution((1, 0))
    {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}
    >>> subsampled(bits(2), mechanism="geometric_count", absent="dropped", size=1, ratio="1/2").distribution((1, 0))
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    sample = []
    wanted = size
    for place, record in enumerate(x):
        keep = flip(rate if size is None else wanted * Fraction(1, len(x) - place))
        if size is not None:
            wanted -= keep
        if keep:
            sample.append(record)
        elif absent != "dropped":
            sample.append(absent)
    return mechanism(sample, **parameters)
