"""Closed forms against brute force: at random rational values, with ``==``, ends of the interval included."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import (
    INFINITY,
    ImpossibleEvidence,
    InvalidDistribution,
    InvalidInput,
    InvalidNumber,
    InvalidProbability,
    TautError,
    UnsupportedValue,
    binomial,
    bits,
    discrete,
    exponential,
    flip,
    geometric,
    ints,
    mechanism,
    observe,
    parameter,
)
from taut.mechanisms import above_threshold, k_ary_randomized_response, randomized_response, rr_count
from taut.parameters.model import ParametricModel
from taut.program import enumerate_outcomes
from taut.support.algebra.expression import Undecided
from taut.support.algebra.rational import RationalFunction
from taut.support.algebra.roots import Root


@mechanism
def switching(x, p):  # type: ignore[no-untyped-def]
    return discrete([p, (1 - p) / 2, (1 - p) / 2]) if x[0] else discrete(["1/4", "1/4", "1/2"])


@mechanism
def gated(x, p):  # type: ignore[no-untyped-def]
    return x[0] ^ flip("1/4") if flip(p) else 2


@mechanism
def conditioned(x, p):  # type: ignore[no-untyped-def]
    noisy = [bit ^ flip(p) for bit in x]
    observe(sum(noisy) >= 1)
    return noisy


@mechanism
def chosen(x, p):  # type: ignore[no-untyped-def]
    return [flip(p if bit else 1 - p) for bit in x]


@mechanism
def touching(x, p):  # type: ignore[no-untyped-def]
    return flip((p**2 - Fraction(1, 2)) ** 2) if x[0] else flip("1/3")


@mechanism
def scaled(x, p):  # type: ignore[no-untyped-def]
    return flip(p * sum(x)), binomial(sum(x), p)


@mechanism
def looped(x, p):  # type: ignore[no-untyped-def]
    count = 0
    while count < 3 and flip(p / (1 + p)):
        count += 1
    return count + x[0] if flip(0.5 * p) else count


@mechanism
def noisy_index(x, r):  # type: ignore[no-untyped-def]
    bar = geometric(1, r, 0, 2)
    for place, value in enumerate(x):
        if geometric(value, r**2, 0, 2) >= bar:
            return place
    return len(x)


@mechanism
def weighed(x, base):  # type: ignore[no-untyped-def]
    return exponential([x.count(value) for value in range(3)], base)


HALF, WHOLE = ("0", "1/2"), ("0", "1")
MODELS: dict[str, Callable[[], ParametricModel]] = {
    "randomized_response": lambda: randomized_response(bits(3), lam=parameter("lam", *HALF)),
    "rr_count": lambda: rr_count(bits(3), lam=parameter("lam", *HALF)),
    "k_ary": lambda: k_ary_randomized_response(ints(2, 0, 2), k=3, lam=parameter("lam", *WHOLE)),
    "above_threshold": lambda: above_threshold(ints(2, 0, 2), threshold=1, ratio=parameter("ratio", 0, "9/10"), high=2),
    "switching": lambda: switching(bits(1), p=parameter("p", *WHOLE)),
    "gated": lambda: gated(bits(1), p=parameter("p", *WHOLE)),
    "conditioned": lambda: conditioned(bits(2), p=parameter("p", "1/10", "1/2")),
    "chosen": lambda: chosen(bits(2), p=parameter("p", *WHOLE)),
    "touching": lambda: touching(bits(1), p=parameter("p", *WHOLE)),
    "scaled": lambda: scaled(bits(2), p=parameter("p", *HALF)),
    "looped": lambda: looped(bits(1), p=parameter("p", *WHOLE)),
    "noisy_index": lambda: noisy_index(ints(2, 0, 2), r=parameter("r", "1/10", "4/5")),
    "weighed": lambda: weighed(ints(2, 0, 2), base=parameter("base", "1/3", 3)),
}


class Known:
    """A model with all its closed forms, made once."""

    made: ClassVar[dict[str, "Known"]] = {}

    def __init__(self, name: str) -> None:
        self.model = MODELS[name]()
        self.privacy = self.model.privacy("one_differ")
        self.delta = self.model.delta(ratio="3/2", neighbors="one_differ")
        self.moment = self.model.renyi(2, neighbors="one_differ")
        self.accuracy = self.model.accuracy(lambda x: x[0], 0, distance=lambda y, t: 0 if y == t else 1)

    @classmethod
    def of(cls, name: str) -> "Known":
        if name not in cls.made:
            cls.made[name] = cls(name)
        return cls.made[name]


def rows_at(model: ParametricModel, value: Fraction) -> dict[Any, dict[Any, Fraction]]:
    """The distributions of all inputs at a value, by the enumerator, of the program that is read with the number."""
    program = model.at(value).program
    rows = {}
    for x in model.domain:
        masses = enumerate_outcomes(program, x)
        total = sum(masses.values())
        rows[x] = {y: mass / total for y, mass in masses.items() if mass}
    return rows


def outputs(own: Any, other: Any) -> list[tuple[Fraction, Fraction]]:
    """The probabilities of every output of two inputs."""
    return [(own.get(y, Fraction(0)), other.get(y, Fraction(0))) for y in {*own, *other}]


def worst(rows: Any, pairs: Any, value: Callable[[list[tuple[Fraction, Fraction]]], Any]) -> Any:
    return max(value(outputs(rows[x], rows[x_prime])) for x, x_prime in pairs)


def ratio(pairs: list[tuple[Fraction, Fraction]]) -> Any:
    return max((p / q if q else math.inf) for p, q in pairs)


def delta(pairs: list[tuple[Fraction, Fraction]]) -> Any:
    return sum(max(Fraction(0), p - Fraction(3, 2) * q) for p, q in pairs)


def moment(pairs: list[tuple[Fraction, Fraction]]) -> Any:
    return math.inf if any(p and not q for p, q in pairs) else sum(p * p / q for p, q in pairs if p)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_closed_forms_are_what_brute_force_finds(name: str, data: Any) -> None:
    known = Known.of(name)
    parameters = known.model.parameter
    places = [piece.high for bound in (known.privacy, known.delta) for piece in bound.pieces]
    special = [parameters.low, *[place for place in places if isinstance(place, Fraction)]]
    inside = st.fractions(min_value=parameters.low, max_value=parameters.high, max_denominator=60)
    value = data.draw(st.one_of(inside, st.sampled_from(special)))
    rows = rows_at(known.model, value)
    pairs = [(x, z) for x in rows for z in rows if sum(a != b for a, b in zip(x, z, strict=True)) == 1]
    assert known.privacy.at(value) == worst(rows, pairs, ratio)
    assert known.delta.at(value) == worst(rows, pairs, delta)
    assert known.moment.at(value) == worst(rows, pairs, moment)
    assert known.accuracy.at(value) == min(rows[x].get(x[0], Fraction(0)) for x in rows)
    witness = known.privacy.witness_at(value)
    p, q = rows[witness.x].get(witness.y, 0), rows[witness.x_prime].get(witness.y, 0)
    assert (p / q if q else math.inf if p else None) == known.privacy.at(value)
    for x in rows:
        found = {y: chance(value) for y, chance in known.model.distribution(x).items()}
        assert {y: chance for y, chance in found.items() if chance} == rows[x]


def test_the_worst_output_changes_at_an_exact_border() -> None:
    pieces = k_ary_randomized_response(ints(1, 0, 2), k=3, lam=parameter("lam", *WHOLE)).privacy().pieces
    assert [(piece.low, piece.high) for piece in pieces] == [(0, Fraction(2, 3)), (Fraction(2, 3), 1)]
    assert [str(piece.value) for piece in pieces] == ["(2 - 2*lam)/lam", "lam/(2 - 2*lam)"]
    assert pieces[0].witness.y != pieces[1].witness.y
    first, second, third = switching(bits(1), p=parameter("p", *WHOLE)).privacy().pieces
    assert isinstance(first.high, Root) and first.high == second.low and abs(float(second.high) - (1 - 2**-0.5)) < 1e-12
    low, high = second.high.interval(Fraction(1, 10**40)) if isinstance(second.high, Root) else (0, 1)
    assert second.value(low) > third.value(low) and second.value(high) < third.value(high)


def test_single_values_that_are_not_what_is_around_them() -> None:
    bound = gated(bits(1), p=parameter("p", *WHOLE)).privacy()
    assert [bound.at(value) for value in (0, "1/1000", 1)] == [1, 3, 3]
    assert [(single.place, single.value) for single in bound.points] == [(0, 1)] and "0 at p = 0 only" in str(bound)
    infinite = touching(bits(1), p=parameter("p", *WHOLE)).privacy()
    (pole,) = infinite.pieces[0].poles
    assert isinstance(pole, Root) and "(infinite at 0.7071067812...)" in str(infinite)
    assert scaled(bits(2), p=parameter("p", *HALF)).privacy().at("1/4") == INFINITY


def test_text_latex_and_machines() -> None:
    bound = randomized_response(bits(2), lam=parameter("lam", *HALF)).privacy()
    start = "eps = ln((1 - lam)/lam) for 0 < lam <= 1/2 (infinite at 0), at x=(0, 0), x'=(1, 0), y=(0, 0)"
    assert str(bound).startswith(start) and bound.latex() == r"\frac{1 - \lambda}{\lambda}" and bound("1/5") == 4
    data = bound.to_dict()
    assert data["pieces"][0]["value"] == "(1 - lam)/lam" and data["pieces"][0]["infinite_at"] == ["0"]
    assert "cases" in switching(bits(1), p=parameter("p", *WHOLE)).privacy().latex()
    assert data["exact"] and "(1 - lam)/lam" in bound._repr_html_()


@pytest.mark.parametrize("name", ["rr_count", "k_ary", "conditioned"])
def test_one_case_of_each_orbit_gives_the_same(name: str) -> None:
    model = MODELS[name]()
    every, few = model.privacy(method="exhaustive"), model.privacy(method="restricted")
    assert [piece.value for piece in every.pieces] == [piece.value for piece in few.pieces]
    assert few.exact and few.stats["orbits"] < every.stats["triples"]
    assert model.renyi(2, method="restricted").pieces[0].value == model.renyi(2).pieces[0].value


def test_symmetries_are_proved_for_all_values() -> None:
    bound = randomized_response(bits(40), lam=parameter("lam", *HALF)).privacy()
    assert bound.exact and bound.method == "restricted" and bound.at("1/5") == 4

    @mechanism
    def alike_at_a_third(x, p):  # type: ignore[no-untyped-def]
        return [x[0] ^ flip(p), x[1] ^ flip("1/3")]

    model = alike_at_a_third(bits(2), p=parameter("p", *HALF))
    assert model.privacy(method="restricted").at("1/5") == model.privacy(method="exhaustive").at("1/5") == 4


def test_samples_are_never_called_exact() -> None:
    bound = rr_count(bits(3), lam=parameter("lam", *HALF)).privacy(method="sampled")
    assert not bound.exact and len(bound.proved_at) == 9 and bound.at("1/5") == 4
    assert "attained; proved maximal at lam = 1/20, 1/10" in str(bound) and "only" in str(bound)
    assert not rr_count(bits(3), lam=parameter("lam", *HALF)).accuracy(sum, 1, method="sampled").exact
    assert "proved minimal" in str(rr_count(bits(3), lam=parameter("lam", *HALF)).accuracy(sum, 1, method="sampled"))


@mechanism
def one_coin(x, p):  # type: ignore[no-untyped-def]
    return flip(p)


@mechanism
def rare(x, p):  # type: ignore[no-untyped-def]
    """Each input has an output of its own that is impossible at some values, irrational ones among them."""
    return flip((p**2 - Fraction(1, 2)) ** 2), flip(p * (1 - p)) and x[0]


@pytest.mark.parametrize("model", [one_coin, rare, gated, chosen, touching], ids=lambda model: model.__name__)
def test_samples_have_a_value_where_all_of_their_outputs_are_impossible(model: Any) -> None:
    free = model(bits(1), p=parameter("p", *WHOLE))
    sampled, proved = free.privacy(method="sampled"), free.privacy(method="exhaustive")
    for value in [Fraction(step, 20) for step in range(21)]:
        assert 1 <= sampled.at(value) <= proved.at(value)
        assert value not in sampled.proved_at or sampled.at(value) == proved.at(value)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x, p: geometric(x, p, 0, 2),
        lambda x, p: geometric(2 * x, p**2 / 2, 0, 3),
        lambda x, p: binomial(2 + x, p),
        lambda x, p: exponential([x, 1, 0], 1 + p),
        lambda x, p: discrete([p, 1 - p]) + x * flip(p / 2),
    ],
)
def test_a_parameter_may_have_another_interval_in_another_model(draw: Any) -> None:
    @mechanism
    def drawn(x, p):  # type: ignore[no-untyped-def]
        return draw(x[0], p)

    for low, high in (("0", "9/10"), ("0", "1/2"), ("1/4", "1/2"), ("0", "9/10")):
        bound = drawn(bits(1), p=parameter("p", low, high)).privacy()
        for value in (Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)):
            assert bound.at(value) == drawn(bits(1), p=value).privacy().max_ratio
        with pytest.raises(InvalidInput):
            bound.at("19/20")


@mechanism
def two(x, p, q):  # type: ignore[no-untyped-def]
    return [bit ^ (flip(p) and flip(q)) for bit in x]


def test_several_parameters() -> None:
    model = two(bits(2), p=parameter("p", *HALF), q=parameter("q", *WHOLE))
    assert str(model.probability((0, 0), (0, 1))) == "p*q*(1 - p*q)"
    assert model.distribution((0, 0))[0, 0](p="1/2", q="1/3") == Fraction(25, 36)
    assert model.at(p="1/4", q="1/3").privacy().max_ratio == 11
    for ask in (model.privacy, lambda: model.calibrate(epsilon=1), lambda: model.at("1/3")):
        with pytest.raises(InvalidInput, match="need a single parameter; p, q are left free"):
            ask()
    for values in ({"p": "1/4"}, {"p": 1, "q": 1}, {"p": 0, "q": 0, "z": 0}):
        with pytest.raises(InvalidInput, match=r"is missing|outside|is not one of them"):
            model.at(**values)


def test_expressions_as_arguments() -> None:
    lam = parameter("lam", *HALF)
    assert two(bits(1), p=lam, q=1 - lam).privacy().at("1/4") == two(bits(1), p="1/4", q="3/4").privacy().max_ratio

    @mechanism
    def listed(x, weights):  # type: ignore[no-untyped-def]
        return discrete(weights) if x[0] else discrete(weights[::-1])

    model = listed(bits(1), weights=[lam, lam / 2, 1 - 3 * lam / 2])
    assert model.privacy().at("1/4") == listed(bits(1), weights=["1/4", "1/8", "5/8"]).privacy().max_ratio
    assert isinstance(model.probability((1,), 0), RationalFunction)


@mechanism
def bad_flip(x, lam):  # type: ignore[no-untyped-def]
    return flip(2 * lam) if x[0] else flip(lam)


@mechanism
def bad_branch(x, lam):  # type: ignore[no-untyped-def]
    return flip(lam) if lam < Fraction(1, 4) else x[0]


@mechanism
def bad_output(x, lam):  # type: ignore[no-untyped-def]
    return x[0] + lam


@mechanism
def bad_random_branch(x, lam):  # type: ignore[no-untyped-def]
    rate = lam if x[0] else 1 - lam
    return flip(rate) if rate == lam else 1


@mechanism
def bad_ratio(x, lam):  # type: ignore[no-untyped-def]
    return geometric(x[0], 2 * lam, 0, 3)


@mechanism
def bad_base(x, lam):  # type: ignore[no-untyped-def]
    return exponential([x[0], 1], lam)


@mechanism
def bad_division(x, lam):  # type: ignore[no-untyped-def]
    return flip(Fraction(1, 9) / lam)


@mechanism
def bad_sum(x, lam):  # type: ignore[no-untyped-def]
    return discrete([lam, lam])


@pytest.mark.parametrize(
    ("function", "high", "kind", "words"),
    [
        (bad_flip, "3/4", InvalidProbability, r"2\*lam does not at lam = 3/4"),
        (bad_branch, "1/2", Undecided, "depends on the value of lam"),
        (bad_output, "1/2", UnsupportedValue, "cannot return a parameter"),
        (bad_random_branch, "1/2", TautError, "depends on the value of lam"),
        (bad_ratio, "1/2", InvalidDistribution, r"2\*lam does not at lam = 1/2"),
        (bad_base, "1/2", InvalidDistribution, "lam is not at lam = 0"),
        (bad_division, "1/2", TautError, "which is 0 at lam = 0"),
        (bad_sum, "1/2", InvalidDistribution, "must sum to 1"),
    ],
)
def test_refusals_name_the_place(function: Any, high: str, kind: type[TautError], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        function(bits(1), lam=parameter("lam", 0, high))
    assert "test_parametric.py:" in str(caught.value) and "\n" not in str(caught.value)


def test_a_comparison_that_is_certain_is_decided() -> None:
    @mechanism
    def careful(x, lam):  # type: ignore[no-untyped-def]
        return x[0] ^ flip(lam if lam <= Fraction(1, 2) else 1 - lam)

    assert careful(bits(1), lam=parameter("lam", 0, "1/2")).privacy().at("1/5") == 4


def test_questions_that_are_refused() -> None:
    model = randomized_response(bits(2), lam=parameter("lam", *HALF))
    with pytest.raises(InvalidInput, match=r"ask an ordinary model, as in model.at\(lam='1/4'\).profile"):
        model.profile()
    for ask in (lambda: model.privacy(method="search"), lambda: model.privacy().at("3/4")):
        with pytest.raises(InvalidInput, match=r"method must be one of|outside 0\.\.1/2"):
            ask()
    for ask in (lambda: model.delta(1), lambda: model.delta(ratio="1/2"), lambda: model.renyi("3/2")):
        with pytest.raises(InvalidNumber):
            ask()

    @mechanism
    def impossible(x, lam):  # type: ignore[no-untyped-def]
        observe(flip(lam))
        return x[0] ^ flip("1/3")

    with pytest.raises(ImpossibleEvidence, match="if lam = 0"):
        impossible(bits(1), lam=parameter("lam", *HALF)).privacy()
    free = parameter("free", *HALF)

    @mechanism
    def hidden(x):  # type: ignore[no-untyped-def]
        return x[0] ^ flip(free)

    with pytest.raises(InvalidInput, match="uses the parameter free without having it as an argument"):
        hidden(bits(1))


def test_plot(tmp_path: Any) -> None:
    bound = switching(bits(1), p=parameter("p", *WHOLE)).privacy()
    for name in ("a.png", "b.svg", "c.pdf"):
        bound.plot(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    for wrong in ("a.txt", "missing/a.png"):
        with pytest.raises(InvalidInput):
            bound.plot(tmp_path / wrong)
