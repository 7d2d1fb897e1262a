"""Functions that cannot be read are run instead, as Python runs them; those that remember earlier runs are refused."""

import collections
import enum
import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from taut import UnsupportedValue, flip, ints, mechanism, options
from taut.support.errors import TautError, UnsupportedSyntax

DOMAIN = ints(2, 0, 2)
HALF = Fraction(1, 2)


class Color(enum.Enum):
    RED = 0
    GREEN = 1
    BLUE = 2


@dataclass(frozen=True, order=True)
class Point:
    a: int
    b: int = 0


def enum_member(x: Any) -> Any:
    return Color(x[0]).name, flip("1/2")


def decimal_text(x: Any) -> Any:
    return str(Decimal(x[0]) / 4), flip("1/2")


def modulus(x: Any) -> Any:
    return abs(complex(3 * x[0], 4 * x[0])), flip("1/2")


def bounded_deque(x: Any) -> Any:
    last = collections.deque(x, maxlen=2)
    last.append(flip("1/2"))
    return list(last)


def random_direction(x: Any) -> Any:
    return sorted([2, 0, 1], reverse=bool(flip("1/2"))), x[0]


def subtracted(x: Any) -> Any:
    counts = collections.Counter(x)
    counts.subtract({0: 1})
    return sorted(counts.items()), sorted(counts.elements()) if min(counts.values()) >= 0 else 0, flip("1/2")


def cut_cycle(x: Any) -> Any:
    turns = itertools.cycle(x)
    return list(itertools.islice(turns, 1, 6, 2)), next(turns), flip("1/2")


def comparator(x: Any) -> Any:
    return sorted(x, key=functools.cmp_to_key(lambda a, b: b - a)), flip("1/2")


def translated(x: Any) -> Any:
    return "abc"[x[0] :].translate({99: "z"}), flip("1/2")


def caught(x: Any) -> Any:
    try:
        return x[0] // x[1]
    except ZeroDivisionError:
        return -1 - flip("1/2")


def handled(x: Any) -> Any:
    """No exception is being handled beside the function's own."""
    try:
        raise KeyError(x[0])
    except KeyError as error:
        return error.__context__ is None, flip("1/2")


def raised_again(x: Any) -> Any:
    try:
        raise
    except RuntimeError as error:
        return type(error).__name__, x[0] + flip("1/2")


RUN: list[Callable[..., Any]] = [
    enum_member,
    decimal_text,
    modulus,
    bounded_deque,
    random_direction,
    subtracted,
    cut_cycle,
    comparator,
    translated,
    caught,
    handled,
    raised_again,
]


def tuples(value: Any) -> Any:
    return tuple(map(tuples, value)) if isinstance(value, (list, tuple)) else value


def by_python(function: Callable[..., Any], x: Any, monkeypatch: pytest.MonkeyPatch) -> dict[Any, Fraction]:
    """The distribution of a function with at most one fair coin: both of its outcomes are tried."""
    outcomes: collections.Counter[Any] = collections.Counter()
    for coin in (False, True):
        monkeypatch.setitem(function.__globals__, "flip", lambda _, coin=coin: coin)
        outcomes[tuples(function(x))] += 1
    monkeypatch.undo()
    return {output: count * HALF for output, count in outcomes.items()}


@pytest.mark.parametrize("function", RUN, ids=lambda function: function.__name__)
def test_what_cannot_be_read_is_run(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanism(function)(DOMAIN)
    assert not model.reading.read
    for x in model.domain:
        assert model.distribution(x) == by_python(function, x, monkeypatch)


def test_ordered_dataclasses_are_compared_as_tuples() -> None:
    def compared(x: Any) -> Any:
        point = Point(x[0], flip("1/2"))
        return point < Point(1), Point(1) <= point, point > Point(x[1], 0)

    model = mechanism(compared)(DOMAIN)
    assert model.reading.read
    assert model.distribution((1, 1)) == {(False, True, False): HALF, (False, True, True): HALF}
    assert model.distribution((0, 2)) == {(True, False, False): 1}


class Held:
    count = 0
    log: list[int] = []  # noqa: RUF012 - shared on purpose

    @classmethod
    def bump(cls) -> int:
        cls.count += 1
        return cls.count


TURNS = itertools.count()


def marked() -> None:
    """A function with an attribute that another function changes."""


def changes_its_default(x: Any, seen: list[int] = []) -> Any:  # noqa: B006 - a slip of users
    seen.append(1)
    return len(seen) % 2, flip("1/2")


def changes_a_class(x: Any) -> Any:
    Held.count += 1
    return Held.count % 2


def changes_a_list_of_a_class(x: Any) -> Any:
    try:
        Held.log.append(x[0])
        return len(Held.log) % 2
    except KeyError:
        return 5


def changes_a_function(x: Any) -> Any:
    try:
        marked.count = getattr(marked, "count", 0) + 1  # type: ignore[attr-defined]
        return marked.count % 2  # type: ignore[attr-defined]
    except KeyError:
        return 5


def moves_an_iterator(x: Any) -> Any:
    try:
        return next(TURNS) % 2 + x[0]
    except KeyError:
        return 5


MEMORIES = [
    changes_its_default,
    changes_a_class,
    changes_a_list_of_a_class,
    changes_a_function,
    moves_an_iterator,
]


@pytest.mark.parametrize("function", MEMORIES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("validate", ["off", "default"])
def test_a_function_that_remembers_earlier_runs_is_refused(function: Callable[..., Any], validate: str) -> None:
    with options(validate=validate), pytest.raises((UnsupportedValue, UnsupportedSyntax)) as caught_:
        mechanism(function)(DOMAIN).privacy()
    assert re.search("run would see|run may move on", str(caught_.value))


def order_of_text(x: Any) -> Any:
    return list({"a", "b", str(x[0])})


def identity(x: Any) -> Any:
    return [x[0] + 500 is x[1] + 500]


@pytest.mark.parametrize("function", [order_of_text, identity], ids=lambda function: function.__name__)
def test_what_python_decides_by_accident_is_not_run(function: Callable[..., Any]) -> None:
    with pytest.raises(TautError) as caught_:
        mechanism(function)(DOMAIN).privacy()
    assert "Nor can" not in str(caught_.value)


def test_a_function_that_is_run_and_returns_nothing_has_forgotten_to() -> None:
    def forgot(x: Any) -> Any:
        try:
            x[0] + flip("1/2")
        except KeyError:
            pass

    with pytest.raises(UnsupportedValue, match="may lack 'return'"):
        mechanism(forgot)(DOMAIN).privacy()
