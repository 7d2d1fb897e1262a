"""Every measure of mechanisms with exp encloses the truth, found by plain enumeration with 120 digits; and narrowly."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import flint
import pytest
from tests.oracle.questions import asked_first
from tests.questions.test_divergences import Triangular

from taut import (
    Ball,
    Model,
    bits,
    discrete_gaussian,
    discrete_laplace,
    exp,
    exponential,
    flip,
    geometric,
    integer,
    ints,
    measures,
    mechanism,
    observe,
)
from taut.mechanisms import randomized_response, rr_count

DIGITS = 120
NARROW = Fraction(1, 10**30)
Row = dict[Any, Any]


@dataclass(frozen=True)
class Exponential:
    """A model, and its distributions by hand."""

    name: str
    model: Callable[[], Any]
    row: Callable[[Any], Row]


def e(power: str) -> Any:
    value = Fraction(power)
    return flint.arb(flint.fmpq(value.numerator, value.denominator)).exp()


def clamped(center: int, ratio: Any, low: int, high: int) -> Row:
    """Two-sided geometric noise; what is beyond an end sits on that end."""
    return {
        k: ratio ** abs(k - center) / (1 + ratio) * (1 if k in (low, high) else 1 - ratio) for k in range(low, high + 1)
    }


def reports(x: Sequence[int]) -> Row:
    lie = e("-2")
    rows = {}
    for y in itertools.product((0, 1), repeat=len(x)):
        share = flint.arb(1)
        for own, told in zip(x, y, strict=True):
            share *= 1 - lie if own == told else lie
        rows[y] = share
    return rows


def counted(x: Sequence[int]) -> Row:
    return _added((sum(y), share) for y, share in reports(x).items())


def _added(parts: Any) -> Row:
    total: Row = {}
    for y, share in parts:
        total[y] = total.get(y, flint.arb(0)) + share
    return total


@mechanism
def noisy_sum(x: Any) -> Any:
    return geometric(sum(x), exp("-1/3"), 0, 3)


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, exp("-1/2"), 0, 2)
    for place, value in enumerate(x):
        if geometric(value, exp("-1/2"), 0, 2) >= bar:
            return place
    return len(x)


def first_above_row(x: Sequence[int]) -> Row:
    ratio = e("-1/2")
    parts = []
    for bar, share in clamped(1, ratio, 0, 2).items():
        left = share
        for place, value in enumerate(x):
            reach = sum((mass for noisy, mass in clamped(value, ratio, 0, 2).items() if noisy >= bar), flint.arb(0))
            parts.append((place, left * reach))
            left = left * (1 - reach)
        parts.append((len(x), left))
    return _added(parts)


@mechanism
def choice(x: Any) -> Any:
    return exponential([sum(x), 2 * x[0], 1 - x[1]], exp("1/2"))


def choice_row(x: Sequence[int]) -> Row:
    weights = [e("1/2") ** score for score in (sum(x), 2 * x[0], 1 - x[1])]
    return {k: weight / sum(weights) for k, weight in enumerate(weights)}


@mechanism
def two_flips(x: Any) -> Any:
    """The two orders of the same factors: equal numbers that are different balls."""
    if x == 0:
        return flip(exp("-1")), flip(exp("-3"))
    return flip(exp("-3")), flip(exp("-1"))


def two_flips_row(x: int) -> Row:
    chances = [e("-1"), e("-3")] if x == 0 else [e("-3"), e("-1")]
    return {
        (bool(a), bool(b)): (chances[0] if a else 1 - chances[0]) * (chances[1] if b else 1 - chances[1])
        for a in (0, 1)
        for b in (0, 1)
    }


@mechanism
def given_noise(x: Any) -> Any:
    noise = geometric(1, exp("-1"), 0, 2)
    observe(noise + x[0] < 3)
    return (noise + x[1]) % 3


def given_noise_row(x: Sequence[int]) -> Row:
    kept = {noise: mass for noise, mass in clamped(1, e("-1"), 0, 2).items() if noise + x[0] < 3}
    return _added(((noise + x[1]) % 3, mass / sum(kept.values())) for noise, mass in kept.items())


@mechanism
def sometimes_tells(x: Any) -> Any:
    return x if flip(exp("-4")) else None


def sometimes_tells_row(x: int) -> Row:
    return {x: e("-4"), None: 1 - e("-4")}


MECHANISMS = [
    Exponential("reports", lambda: randomized_response(bits(2), lam=exp("-2")), reports),
    Exponential("count", lambda: rr_count(bits(3), lam=exp("-2")), counted),
    Exponential("sum", lambda: noisy_sum(bits(3)), lambda x: clamped(sum(x), e("-1/3"), 0, 3)),
    Exponential("threshold", lambda: first_above(ints(2, 0, 2)), first_above_row),
    Exponential("exponential", lambda: choice(bits(2)), choice_row),
    Exponential("two orders", lambda: two_flips(integer(0, 1)), two_flips_row),
    Exponential("evidence", lambda: given_noise(bits(2)), given_noise_row),
    Exponential("infinite", lambda: sometimes_tells(integer(0, 2)), sometimes_tells_row),
]


def positive(value: Any) -> Any:
    return value.max(flint.arb(0))


TRUTHS: list[tuple[measures.Divergence, Callable[[Any, Any], Any]]] = [
    (measures.HockeyStick(1), lambda p, q: positive(p - q)),
    (measures.HockeyStick("3/2"), lambda p, q: positive(p - q * 3 / 2)),
    (measures.HockeyStick(exp("1/2")), lambda p, q: positive(p - q * e("1/2"))),
    (measures.TotalVariation(), lambda p, q: positive(p - q)),
    (measures.RenyiMoment(2), lambda p, q: p**2 / q),
    (measures.RenyiMoment(3), lambda p, q: p**3 / q**2),
    (measures.RenyiMoment("5/2"), lambda p, q: p * (p / q) ** 1 * (p / q).sqrt()),
    (measures.KullbackLeibler(), lambda p, q: p * (p / q).log()),
    (measures.ChiSquared(), lambda p, q: (p - q) * (p - q) / q),
    (measures.SquaredHellinger(), lambda p, q: p + q - 2 * (p * q).sqrt() if p * q != 0 else p + q),
    (Triangular(), lambda p, q: (p - q) * (p - q) / (p + q)),
]
UNBOUNDED = (measures.RenyiMoment, measures.KullbackLeibler, measures.ChiSquared)


def differing(model: Model) -> list[tuple[Any, Any]]:
    inputs = list(model.domain)
    if not isinstance(inputs[0], tuple):
        return [(x, z) for x in inputs for z in inputs if x != z]
    return [(x, z) for x in inputs for z in inputs if sum(a != b for a, b in zip(x, z, strict=True)) == 1]


def truth(own: Row, other: Row, measure: measures.Divergence, phi: Callable[[Any, Any], Any]) -> Any:
    total = flint.arb(0)
    for y in own.keys() | other.keys():
        p, q = own.get(y, flint.arb(0)), other.get(y, flint.arb(0))
        if q == 0 and isinstance(measure, UNBOUNDED):
            return flint.arb("inf")
        if p != 0 or not isinstance(measure, measures.RenyiMoment | measures.KullbackLeibler):
            total += phi(p, q)
    return total


def holds(value: Any, exact: Any) -> bool:
    """Return True if a number encloses one of 120 digits, up to the rounding of a hundred of them."""
    if exact == flint.arb("inf"):
        return bool(value == float("inf"))
    ball = value if isinstance(value, Ball) else Ball(value)
    slack = flint.arb(0, flint.arb(10) ** -100)
    return bool((ball.arb + slack).contains(exact))


@pytest.mark.parametrize("case", MECHANISMS, ids=lambda case: case.name)
def test_every_measure(case: Exponential) -> None:
    model = case.model()
    with flint.ctx.workdps(DIGITS):
        rows = {x: case.row(x) for x in model.domain}
        pairs = differing(model)
        losses = [model.loss(x, z) for x, z in pairs]
        for measure, phi in TRUTHS:
            found = [truth(rows[x], rows[z], measure, phi) for x, z in pairs]
            for loss, exact in zip(losses, found, strict=True):
                value = loss.divergence(measure)
                assert holds(value, exact)
                assert not isinstance(value, Ball) or value.radius < NARROW
            bound = model.divergence(measure)
            if any(one == flint.arb("inf") for one in found):
                assert bound.value == float("inf")
                continue
            worst = max(found, key=lambda one: one.mid())
            assert holds(bound.value, worst)
            shown = found[pairs.index((bound.witness.x, bound.witness.x_prime))]
            assert bool(shown > worst - flint.arb(10) ** -60)
        assert bound.verify()


@pytest.mark.parametrize("case", MECHANISMS, ids=lambda case: case.name)
def test_profiles_and_tradeoffs(case: Exponential) -> None:
    model = case.model()
    profile, curve, zcdp = model.profile(), model.tradeoff(), model.zcdp()
    with flint.ctx.workdps(DIGITS):
        rows = {x: case.row(x) for x in model.domain}
        pairs = differing(model)
        for gamma in (Fraction(1), Fraction(3, 2), Fraction(4)):
            worst = max((_delta(rows[x], rows[z], gamma) for x, z in pairs), key=lambda one: one.mid())
            low, high = profile.delta_interval(ratio=gamma)
            assert _at_most(low, worst) and _at_least(high, worst) and high - low < NARROW
        for alpha in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)):
            least = min((_least_error(rows[x], rows[z], alpha) for x, z in pairs), key=lambda one: one.mid())
            low, high = curve.interval(alpha)
            assert _at_most(low, least) and _at_least(high, least) and high - low < NARROW
        for order in (2, 3):
            moments = [truth(rows[x], rows[z], measures.RenyiMoment(order), _power(order)) for x, z in pairs]
            if any(one == flint.arb("inf") for one in moments):
                assert zcdp.upper == float("inf")
            else:
                shares = [one.log() / (order - 1) / order for one in moments]
                assert all(_at_least(zcdp.upper, share) for share in shares)
        if zcdp.upper != float("inf"):
            assert zcdp.lower <= zcdp.upper <= zcdp.lower * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize(("measure", "phi"), TRUTHS, ids=lambda part: getattr(part, "name", ""))
def test_a_part_is_enclosed_wherever_in_their_balls_the_masses_are(measure: measures.Divergence, phi: Any) -> None:
    """Two balls may be equal where the numbers in them are not."""
    radius = Fraction(1, 1000)
    for middle, other in itertools.product([Fraction(1, 3), Fraction(1, 2), Fraction(1, 5)], repeat=2):
        masses = [Ball(flint.arb(Ball(at).arb, Ball(radius).arb)) for at in (middle, other)]
        found = measure.phi(*masses)
        for p, q in itertools.product([-radius, Fraction(0), radius], repeat=2):
            exact = phi(Ball(middle + p).arb, Ball(other + q).arb)
            assert (found if isinstance(found, Ball) else Ball(found)).arb.overlaps(exact), (middle + p, other + q)


def test_wide_balls_are_refused() -> None:
    """Nothing is left of the difference of two numbers that agree in all digits."""
    from taut.inference.masses import BallMasses
    from taut.support.errors import InvalidNumber

    masses = BallMasses()
    masses.reduced((Ball(1), Ball(flint.arb(1, 0.5))))
    with pytest.raises(InvalidNumber, match="known too roughly"):
        masses.finished({(): (Ball(1), Ball(1))}, Ball(1))


@mechanism
def blind(x: Any) -> Any:
    return exponential([0, 1], exp(1)) + (0 if x[0] >= 0 else 1)


@mechanism
def blind_to_some(x: Any) -> Any:
    return [sum(x[1:]) * 0 + discrete_laplace(0, 1, -1, 1), len(x) - 1 + discrete_laplace(0, 2, -1, 1)]


@pytest.mark.parametrize("model", [blind(bits(1)), blind_to_some(bits(2))], ids=["blind", "blind to some"])
@pytest.mark.parametrize("method", ["auto", "exhaustive", "decomposition"])
def test_numbers_that_are_exact_though_their_replay_is_rounded_are_verified(model: Model, method: str) -> None:
    with asked_first("auto, first decomposition" if method == "decomposition" else method) as name:
        bounds = [model.privacy(method=name), model.delta(ratio=1, method=name), model.renyi(2, method=name)]
        for bound in (*bounds, model.profile(method=name), model.tradeoff(method=name)):
            assert bound.verify(), bound
    loss = model.loss((0,) * len(model.space.values), (1,) + (0,) * (len(model.space.values) - 1))
    assert loss.verify()
    assert not replace(bounds[0], lower=Fraction(2), upper=Fraction(2)).verify()


def test_an_interval_of_a_curve_is_verified_up_to_rounding() -> None:
    noisy = mechanism(lambda x: discrete_gaussian(x[0], "1/2", -1, 4) + (flip(exp(-1)) ^ (x[0] == x[1])))
    with asked_first("auto, first post-processing") as method:
        bound = noisy(bits(2)).profile(method=method).epsilon("1/10")
    assert not bound.exact and bound.verify()
    assert not replace(bound, lower=bound.lower * (1 + Fraction(1, 2**100))).verify()


@pytest.mark.parametrize("method", ["exhaustive", "restricted"])
def test_curves_by_a_method_are_those_by_cells(method: str) -> None:
    model = mechanism(lambda x: discrete_gaussian(sum(x), 2, 0, len(x)))(bits(2))
    for ask in (model.profile, model.tradeoff):
        named, known = ask(method=method), ask()
        assert named.verify()
        for place in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)):
            assert named.lower(place) <= min(named.upper(place), known.upper(place))
            assert known.lower(place) <= named.upper(place)


def _power(order: int) -> Callable[[Any, Any], Any]:
    return lambda p, q: p**order / q ** (order - 1)


def _delta(own: Row, other: Row, gamma: Fraction) -> Any:
    factor = flint.arb(flint.fmpq(gamma.numerator, gamma.denominator))
    zero = flint.arb(0)
    return sum((positive(own.get(y, zero) - factor * other.get(y, zero)) for y in own.keys() | other.keys()), zero)


def _least_error(own: Row, other: Row, alpha: Fraction) -> Any:
    """By duality, as a maximum over the ratios."""
    zero, share = flint.arb(0), flint.arb(flint.fmpq(alpha.numerator, alpha.denominator))
    pairs = [(own.get(y, zero), other.get(y, zero)) for y in own.keys() | other.keys()]
    slopes = [zero, *[q / p for p, q in pairs if p != 0]]
    values = [1 - t * share - sum((positive(q - t * p) for p, q in pairs), zero) for t in slopes]
    return max(values, key=lambda one: one.mid())


def _at_most(low: Fraction, exact: Any) -> bool:
    return bool(flint.arb(flint.fmpq(low.numerator, low.denominator)) <= exact + flint.arb(10) ** -100)


def _at_least(high: Fraction, exact: Any) -> bool:
    return bool(flint.arb(flint.fmpq(high.numerator, high.denominator)) >= exact - flint.arb(10) ** -100)
