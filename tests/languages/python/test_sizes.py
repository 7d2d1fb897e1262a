"""Sizes that are known before anything is made: what would be too large is refused with a sentence, at its place."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from taut import TautError, TooLarge, binomial, bits, flip, mechanism, uniform
from taut.languages.python.failures import count_parts, format_in_bounds, require_arrangements, require_text_method


def _squared(x: Any) -> Any:
    number = x[0] + 3
    for _ in range(60):
        number = number * number
    return number


def _averaged(x: Any) -> Any:
    number = Fraction(7, 3)
    for _ in range(60):
        number = number + 1 / number
    return number + x[0]


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a text repeated": (lambda x: "ab" * 10**9 + str(x[0]), "2000000000 characters"),
    "a text repeated as often as an input says": (lambda x: "ab" * (x[0] * 10**9), "2000000000 characters"),
    "bytes repeated": (lambda x: (b"ab" * 10**9)[x[0]], "2000000000 characters"),
    "a list repeated": (lambda x: ([x[0]] * 10**9)[0], "1000000000 items"),
    "a tuple repeated": (lambda x: ((x[0], 1) * 10**9)[0], "2000000000 items"),
    "a list of a range": (lambda x: list(range(10**9))[0] + x[0], "1000000000 items"),
    "a tuple of a range": (lambda x: tuple(range(10**9))[x[0]], "1000000000 items"),
    "a sorted range": (lambda x: sorted(range(10**9))[0] + x[0], "1000000000 items"),
    "a sum of a range": (lambda x: sum(range(10**9)) + x[0], "1000000000 items"),
    "a shift": (lambda x: (1 << 10**9) + x[0], "shift by more than a million"),
    "a shift of an input": (lambda x: x[0] << 10**9, "shift by more than a million"),
    "a power": (lambda x: 10**10**10 + x[0], "more than a million bits"),
    "a power of an input": (lambda x: (x[0] + 2) ** 10**10, "more than a million bits"),
    "a power modulo a number": (lambda x: pow(3, 2**99999, 2**99999 + 1) + x[0], "too many bits together"),
    "a factorial": (lambda x: math.factorial(10**8) % 7 + x[0], "factorial of 100000000 has more than a million bits"),
    "a factorial of an input": (lambda x: math.factorial((x[0] + 1) * 10**8) % 7, "more than a million bits"),
    "choices": (lambda x: math.comb(10**8, 5 * 10**7) % 7 + x[0], "more than a million bits"),
    "arrangements": (lambda x: math.perm(10**8) % 7 + x[0], "more than a million bits"),
    "a number that is squared again and again": (_squared, "more than a million bits"),
    "a fraction that doubles its digits": (_averaged, "more than a million bits"),
    "a product": (lambda x: len(list(itertools.product(x, repeat=60))), r"itertools.product\(...\) would have"),
    "a width in an f-string": (lambda x: f"{x[0]:>1000000000}", "1000000000 characters"),
    "a precision in an f-string": (lambda x: f"{7:.1000000000f}{x[0]}", "1000000000 characters"),
    "a width for format": (lambda x: format(x[0], "1000000000d"), "1000000000 characters"),
    "a width for format of a number": (lambda x: format(5, "1000000000d") + str(x[0]), "1000000000 characters"),
    "a width in a format": (lambda x: "{:1000000000}".format(x[0]), "1000000000 characters"),  # noqa: UP032
    "a width after a percent sign": (lambda x: "%1000000000d" % x[0], "1000000000 characters"),  # noqa: UP031
    "a padded text": (lambda x: str(x[0]).zfill(10**10), "10000000000 characters"),
    "too many tosses": (lambda x: binomial(10**9, "1/3") + x[0], "binomial"),
    "too many sides": (lambda x: uniform(0, 10**9) + x[0], "uniform"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_too_large_is_refused_at_its_place(name: str) -> None:
    function, words = REFUSED[name]
    with pytest.raises(TautError, match=words) as refused:
        mechanism(function)(bits(2)).distribution((1, 0))
    assert "test_sizes.py:" in str(refused.value)


def test_terms_that_are_shared_sixty_times_are_read() -> None:
    def doubled(x: Any) -> Any:
        total, same = x[0], x[1] == 1
        for _ in range(60):
            total = total + total
            same = (same and same) or (not same and x[0] == 1 and same)
        return total, same

    assert mechanism(doubled)(bits(2)).distribution((1, 1)) == {(2**60, True): 1}


@pytest.mark.parametrize("kind", ["tuples", "lists", "texts", "joined lists"])
def test_values_that_double_are_refused_before_they_are_made(kind: str) -> None:
    def grown(x: Any) -> Any:
        value: Any = {"tuples": (x[0], x[1]), "texts": "ab" if flip("1/2") else "c"}.get(kind, [x[0]])
        for _ in range(60):
            value = (value, value) if kind == "tuples" else [value, value] if kind == "lists" else value + value
        return value

    with pytest.raises(TooLarge, match="at most 10000000 are followed"):
        mechanism(grown)(bits(2))


def test_parts_are_counted_as_often_as_they_occur() -> None:
    def plainly(value: Any) -> int:
        return 1 + sum(map(plainly, value)) if isinstance(value, (tuple, list, dict)) else 1

    draw = random.Random(4)
    for _ in range(200):
        known: list[Any] = [0, "text", (), []]
        for _ in range(draw.randrange(1, 9)):
            known.append(draw.choice((tuple, list))(draw.choice(known) for _ in range(draw.randrange(3))))
        if isinstance(known[-1], (tuple, list)):
            assert count_parts(known[-1]) == plainly(known[-1])


def test_no_method_of_a_text_makes_a_longer_one_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.program.operations.MOST_CHARACTERS", 20)
    draw, refused = random.Random(5), 0
    for _ in range(400):
        text: Any = "".join(draw.choice("a\tb") for _ in range(draw.randrange(8)))
        size = draw.randrange(40)
        name, args = draw.choice(
            [
                (draw.choice(("ljust", "rjust", "center", "zfill", "expandtabs")), (size,)),
                ("replace", (draw.choice(("a", "b", "")), "x" * draw.randrange(9))),
            ]
        )
        if draw.random() < 0.5:
            text, args = text.encode(), tuple(arg.encode() if isinstance(arg, str) else arg for arg in args)
        try:
            require_text_method(text, name, args, {})
        except TooLarge:
            refused += 1
        else:
            assert len(getattr(text, name)(*args)) <= 20
    assert refused


@pytest.mark.parametrize("style", ["3d", "<12", "021x", ".19f", "+25.3e", ">1000"])
def test_formats_are_made_where_they_fit(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.program.operations.MOST_CHARACTERS", 20)
    long = any(int(number) > 20 for number in style.strip("+<>dxfe").split(".") if number)
    if long:
        with pytest.raises(TooLarge):
            format_in_bounds(7, style)
    else:
        assert format_in_bounds(7, style) == format(7, style)


def test_arrangements_are_counted_as_python_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 30
    monkeypatch.setattr("taut.program.operations.MOST_ITEMS", most)
    functions: list[Any] = [itertools.permutations, itertools.combinations, itertools.combinations_with_replacement]
    for function, size, width in itertools.product(functions, range(5), range(5)):
        made = [list(function(range(size), width))]
        _agree(made[0], lambda f=function, s=size, w=width: require_arrangements(f, [range(s)], r=w), most)
    for sizes, repeat in itertools.product(itertools.product(range(4), repeat=2), range(4)):
        rows = [range(size) for size in sizes]
        made_of = list(itertools.product(*rows, repeat=repeat))
        _agree(made_of, lambda r=rows, n=repeat: require_arrangements(itertools.product, r, repeat=n), most)


def _agree(made: list[Any], require: Callable[[], None], most: int) -> None:
    if len(made) > most or sum(map(len, made)) > most:
        with pytest.raises(TooLarge):
            require()
    else:
        require()
