"""Discrete Laplace and discrete Gaussian noise: the balls hold what the definitions give, to fifty digits and more."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taut
from taut import bits, discrete_gaussian, discrete_laplace, exp, geometric, integer, ints, mechanism
from taut.languages.python.distributions import DISTRIBUTIONS, gaussian_masses
from taut.support.exact import Ball

DIGITS = 90
NAMES = ("discrete_laplace", "discrete_gaussian")


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def by_definition(name: str, center: int, spread: Fraction, low: int, high: int) -> dict[int, Fraction]:
    """A draw from the integers, clamped: weights added up until they are below 10^-105 of the smallest."""
    with localcontext() as context:
        context.prec = DIGITS

        def weight(z: int) -> Decimal:
            away = abs(z - center)
            power = decimal(Fraction(away) / spread if name == "discrete_laplace" else Fraction(away**2) / (2 * spread))
            return (-power).exp()

        ends = max(abs(low - center), abs(high - center))
        last = ends
        while weight(center + last) > Decimal(10) ** -105 * weight(center + ends):
            last += 1
        masses: dict[int, Decimal] = {value: Decimal(0) for value in range(low, high + 1)}
        for z in sorted(range(center - last, center + last + 1), key=lambda z: -abs(z - center)):
            masses[min(max(z, low), high)] += weight(z)
        total = sum(masses.values())
        return {value: Fraction(mass / total) for value, mass in masses.items()}


def holds(ball: Any, value: Fraction) -> bool:
    """Return True if a ball is narrow and may hold a number that is known to some 80 digits."""
    slack = value / 10**75
    narrow = ball.radius <= abs(value) / 10**68
    return narrow and ball.lower - slack <= value <= ball.upper + slack


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=24)
@given(
    center=st.integers(-6, 6),
    spread=st.fractions(Fraction(1, 5), 6, max_denominator=12),
    low=st.integers(-5, 3),
    width=st.integers(0, 7),
)
def test_weights_are_those_of_the_definition(name: str, center: int, spread: Fraction, low: int, width: int) -> None:
    outcomes, weights = DISTRIBUTIONS[name](center, spread, low, low + width)
    expected = by_definition(name, center, spread, low, low + width)
    assert outcomes == tuple(expected)
    if width == 0:
        assert weights == (1,)
    else:
        assert all(holds(weight, expected[value]) for value, weight in zip(outcomes, weights, strict=True))
        assert sum(weights).contains(1)


@pytest.mark.parametrize("variance", [Fraction(1, 50), Fraction(1), Fraction(900), Fraction(10**6)])
def test_the_normaliser_by_poisson_summation(variance: Fraction) -> None:
    """The theta function in its other form, sigma sqrt(2 pi) times the sum over k of exp(-2 pi^2 sigma^2 k^2)."""
    import flint

    points, tails = gaussian_masses(variance, 0, 3)
    with flint.ctx.workprec(600):
        v = flint.arb(flint.fmpq(variance.numerator, variance.denominator))
        terms = [(-2 * (flint.arb.pi() * k) ** 2 * v).exp() for k in range(1, 200)]
        theta = (2 * flint.arb.pi() * v).sqrt() * (1 + 2 * sum(terms[1:], terms[0]))
        assert points[0].arb.overlaps(1 / theta) and points[0].radius < Fraction(1, 10**70)
        assert tails[0].arb.overlaps((1 + 1 / theta) / 2)
        assert tails[1].arb.overlaps((1 - 1 / theta) / 2)


def test_tails_far_out_keep_their_digits() -> None:
    _, tails = gaussian_masses(Fraction(1), 0, 40)
    assert all(tail.radius < tail.mid / 10**68 for tail in tails)
    assert all(later.upper < tail.lower for tail, later in zip(tails, tails[1:], strict=False))
    expected = by_definition("discrete_gaussian", 0, Fraction(1), 0, 40)[40]
    assert holds(tails[40], expected)


def test_a_variance_that_is_a_ball() -> None:
    wide = Ball(Fraction(2)) * (exp(1) / exp(1))
    for a, b in zip(gaussian_masses(wide, 0, 5)[1], gaussian_masses(Fraction(2), 0, 5)[1], strict=True):
        assert a.lower <= b.lower and b.upper <= a.upper


@pytest.mark.parametrize("order", [2, 3])
def test_the_renyi_divergence_of_two_centres(order: int) -> None:
    """Canonne, Kamath and Steinke 2020, Proposition 5: order/(2 variance); clamping far away takes little."""
    (_, p), (_, q) = (DISTRIBUTIONS["discrete_gaussian"](center, 3, -70, 70) for center in (0, 1))
    moment = sum(a**order / b ** (order - 1) for a, b in zip(p, q, strict=True))
    known = exp(Fraction(order * (order - 1), 6))
    assert moment.lower <= known.upper and known.upper - moment.lower < Fraction(1, 10**60)


def test_laplace_is_geometric_with_an_exponential_ratio() -> None:
    assert DISTRIBUTIONS["discrete_laplace"](1, "3/2", 0, 4) == DISTRIBUTIONS["geometric"](1, exp("-2/3"), 0, 4)


@mechanism
def laplace_count(x: Any, scale: Any) -> Any:
    return discrete_laplace(sum(x), scale, 0, len(x))


@mechanism
def gaussian_count(x: Any, variance: Any) -> Any:
    return discrete_gaussian(sum(x), variance, 0, len(x))


def test_bounds_are_those_of_the_definition() -> None:
    bound = laplace_count(bits(4), scale="3/2").privacy()  # exp(1/scale), whatever n
    assert isinstance(bound.max_ratio, Ball)
    assert bound.max_ratio.arb.overlaps(exp("2/3").arb) and bound.max_ratio.radius < Fraction(1, 10**70)
    assert bound.verify()
    n, variance = 3, Fraction(3, 2)
    gaussian = gaussian_count(bits(n), variance=variance).privacy()
    rows = [by_definition("discrete_gaussian", total, variance, 0, n) for total in range(n + 1)]
    ratios = [rows[a][y] / rows[b][y] for a in range(n + 1) for b in (a - 1, a + 1) if 0 <= b <= n for y in rows[a]]
    assert holds(gaussian.max_ratio, max(ratios))
    assert gaussian.verify()


def test_distributions_of_a_model_hold_those_of_the_definition() -> None:
    model = gaussian_count(bits(3), variance=2)
    for x in model.domain:
        for y, mass in by_definition("discrete_gaussian", sum(x), Fraction(2), 0, 3).items():
            assert holds(model.probability(x, y), mass)
    assert model.validation.conclusive


@pytest.mark.parametrize("written", [2, "2", "4/2", 2.0, Fraction(2)])
def test_parameters_may_be_written_in_any_way(written: Any) -> None:
    expected = mechanism(lambda x: discrete_gaussian(x, 2, 0, 3) + discrete_laplace(x, 2, 0, 3))(integer(0, 3))
    model = mechanism(lambda x: discrete_gaussian(x, written, 0, 3) + discrete_laplace(x, written, 0, 3))(integer(0, 3))
    assert model.distribution(1) == expected.distribution(1)


def test_centres_and_spreads_may_depend_on_inputs_and_coins() -> None:
    @mechanism
    def noisy(x: Any) -> Any:
        bar = discrete_laplace(x[0], 1, 0, 2)
        return discrete_gaussian(bar, 1 if x[1] else 2, 0, 2)

    model = noisy(ints(2, 0, 1))
    first = by_definition("discrete_laplace", 1, Fraction(1), 0, 2)
    for other, variance in ((0, 2), (1, 1)):
        rows = {bar: by_definition("discrete_gaussian", bar, Fraction(variance), 0, 2) for bar in first}
        for y in range(3):
            assert holds(model.probability((1, other), y), sum(first[bar] * rows[bar][y] for bar in first))


def test_noise_is_drawn_really_where_data_is_given() -> None:
    assert all(gaussian_count((1, 0, 1), variance=2) in range(4) for _ in range(20))
    assert all(laplace_count((1, 0, 1), scale=2) in range(4) for _ in range(20))
    assert discrete_gaussian(5, "1/100", 0, 10) in range(3, 8)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda x: discrete_gaussian(x, 0, 0, 3), "discrete_gaussian: variance must be above 0; got 0."),
        (lambda x: discrete_gaussian(x, "-1/2", 0, 3), "discrete_gaussian: variance must be above 0; got -1/2."),
        (lambda x: discrete_gaussian(x, "wide", 0, 3), "discrete_gaussian: variance 'wide': 'wide' is not a number"),
        (lambda x: discrete_gaussian(x, 10**10, 0, 3), "variance must be at most 1000000000; got 10000000000."),
        (lambda x: discrete_gaussian(x, "1/100000000", 0, 3), "here 3; got 1/100000000."),
        (lambda x: discrete_gaussian(x, 1, 3, 0), "discrete_gaussian: low must not be above high; got 3 > 0."),
        (lambda x: discrete_gaussian(x, 1, 0, "1/2"), "discrete_gaussian: high must be a whole number; got"),
        (lambda x: discrete_gaussian(x + 0.5, 1, 0, 3), "discrete_gaussian: center must be a whole number; got"),
        (lambda x: discrete_gaussian(x, 1, 0, 10**7), "discrete_gaussian: at most 1000000 outcomes; got 10000000."),
        (
            lambda x: discrete_gaussian(10**7, 10**8, 0, 3),
            "at most 1000000 away from the centre; got 10000000 with 0..3.",
        ),
        (lambda x: discrete_laplace(x, 10**8, -(10**9), 1 - 10**9), "at most 1000000 away from the centre; got 0 with"),
        (lambda x: discrete_laplace(x, 0, 0, 3), "discrete_laplace: scale must be above 0; got 0."),
        (lambda x: discrete_laplace(x, 10**10, 0, 3), "scale must be at most 1000000000; got 10000000000."),
        (lambda x: discrete_laplace(x, "1/100000000", 0, 3), "here 3; got 1/100000000."),
        (lambda x: discrete_laplace(x, None, 0, 3), "discrete_laplace: scale None: expected a number"),
    ],
)
def test_misuse_is_refused_in_one_sentence(draw: Any, said: str) -> None:
    with pytest.raises(taut.TautError) as caught:
        mechanism(draw)(integer(0, 2))
    assert said in str(caught.value) and isinstance(caught.value, ValueError | TypeError)


def test_noise_and_geometric_clamp_alike() -> None:
    """Far from the centre everything sits on one end, for all three."""
    for draw in (geometric, discrete_laplace, discrete_gaussian):
        model = mechanism(lambda x, draw=draw: draw(x, "1/3", 0, 1))(integer(-30, 30))
        assert float(model.probability(30, 1)) > 0.99 and float(model.probability(-30, 0)) > 0.99
