"""Shuffling, composition and subsampling of any mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.domains import Domain, categories
from taut.languages.python import flip
from taut.mechanisms.catalog import MOST, Entry
from taut.mechanisms.wrapping import wrapper
from taut.model import Mechanism, mechanism
from taut.model.parameters import PROBABILITY, optional, whole
from taut.support.errors import InvalidInput, TooLarge, WrongArguments

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
