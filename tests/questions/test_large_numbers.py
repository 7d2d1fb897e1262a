"""Numbers of very many digits: logarithms, words of a grid, powers of e, and runs without number."""

import random
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from taut import TooLarge, bits, flip, mechanism
from taut.composition.certified import power_of_e
from taut.composition.grid import _BITS, _WORDS, _less
from taut.mechanisms import randomized_response
from taut.questions.ratio import epsilon_of, logarithm_above
from taut.questions.renyi import RenyiMoment
from taut.support.exact import Ball, float_above
from taut.synthesis.pairs.worst_pair.ceilings import _rounded_up


def some_fractions() -> list[Fraction]:
    draw = random.Random(1)
    plain = [Fraction(draw.randrange(1, 10**6), draw.randrange(1, 10**6)) for _ in range(50)]
    close = [1 + Fraction(sign, 2**power) for sign in (-1, 1) for power in (3, 60, 400, 1100, 3000)]
    huge = [Fraction(draw.getrandbits(9000) + 1, draw.getrandbits(size) + 1) for size in (10, 8990, 20000)]
    return [value for value in [*plain, *close, *huge] if value != 1]


@pytest.mark.parametrize("divisor", [Fraction(1), Fraction(7), Fraction(3, 100)])
def test_the_float_above_a_logarithm_is_that_of_many_more_bits(divisor: Fraction) -> None:
    for value in some_fractions():
        with flint.ctx.workprec(100_000):
            logarithm = flint.arb(flint.fmpq(value.numerator, value.denominator)).log()
            exact = Ball(logarithm / flint.arb(flint.fmpq(divisor.numerator, divisor.denominator)))
            expected = float_above(exact.upper)
            assert expected == float_above(exact.lower)
        assert logarithm_above(value, divisor) == expected
    assert logarithm_above(Fraction(1), divisor) == 0


def test_logarithms_take_no_more_bits_for_more_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    inner = flint.ctx.workprec
    monkeypatch.setattr("taut.questions.ratio.flint.ctx", Recorder(inner, asked))
    epsilon_of(Fraction(3**100_000, 2**100_000))
    assert asked == [256]


class Recorder:
    """Stands for flint's context and notes the precisions."""

    def __init__(self, inner: object, asked: list[int]) -> None:
        self.inner, self.asked = inner, asked

    def workprec(self, bits: int) -> object:
        self.asked.append(bits)
        return self.inner(bits)  # type: ignore[operator]


def test_words_less_an_amount_of_any_size_are_those_of_integers() -> None:
    draw = random.Random(2)
    numbers = [0, 1, 2**32, 2**64 - 1, 2**_BITS - 1, *[draw.getrandbits(draw.randrange(1, _BITS)) for _ in range(50)]]
    data = b"".join(number.to_bytes(4 * _WORDS, "little") for number in numbers)
    words = np.frombuffer(data, dtype="<u4").reshape(-1, _WORDS)
    for amount in (0, 1, 2**31, 2**32, 2**32 + 5, 2**40, 2**63, 2**64 + 1, 2**95, 2**_BITS - 1, 2**_BITS, 2**200):
        found = [int.from_bytes(row.tobytes(), "little") for row in _less(words, amount)]
        assert found == [max(0, number - amount) for number in numbers]


@pytest.mark.parametrize("power", [9, 23, 400])
def test_very_many_runs_are_refused_with_a_sentence(power: int) -> None:
    once = randomized_response(bits(2), lam="1/5").profile()
    with pytest.raises(TooLarge, match="Compose fewer runs"):
        once.compose(10**power).epsilon("1e-6")


def test_runs_of_which_each_may_tell_all_are_refused_where_digits_become_too_many() -> None:
    once = told(bits(1)).profile()
    assert once.compose(3).delta(ratio=100) == 1 - Fraction(9, 10) ** 3
    with pytest.raises(TooLarge, match="too many digits"):
        once.compose(10**8)


@mechanism
def told(x: Any) -> Any:
    return x[0] if flip("1/10") else 2 + (x[0] ^ flip("1/3"))


def test_powers_of_e_beyond_all_use_are_refused() -> None:
    assert abs(power_of_e(1000.0) / power_of_e(999.0) - power_of_e(1.0)) < Fraction(1, 10**9)
    with pytest.raises(TooLarge, match="too many to be written down"):
        power_of_e(1e9)


def test_moments_of_very_many_digits_are_refused() -> None:
    loss = randomized_response(bits(1), lam="1/5").loss((0,), (1,))
    assert loss.divergence(RenyiMoment(1000)) == Fraction(4, 5) * 4**999 + Fraction(1, 5) * Fraction(1, 4) ** 999
    with pytest.raises(TooLarge, match="digits here"):
        loss.divergence(RenyiMoment(10**8))


def test_ceilings_are_rounded_up_by_little_however_large_they_are() -> None:
    draw = random.Random(3)
    for above, below in ((10, 3000), (3000, 3000), (9000, 3000), (3000, 10), (1, 5000)):
        value = flint.fmpq(draw.getrandbits(above) | 1, draw.getrandbits(below) | 1)
        found = _rounded_up(value)
        assert value <= found <= value * (1 + flint.fmpq(1, 2**60))
