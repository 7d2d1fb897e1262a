"""Unbounded noise against plain Python: random programs that use tails sufficiently, and that almost do.

The truth runs the function on all draws up to a distance: what is farther away has a probability of less than a
millionth, and every probability of the model may differ from the truth by that at most. A tail that was not sufficient,
or a mark at a wrong place, would differ by much more, since numbers beyond the marks are asked for as well.
"""

import importlib.util
import itertools
import json
import pickle
import random
from fractions import Fraction

import pytest
from tests.oracle.questions import asked_first

import taut
from taut import AtLeast, AtMost, bits, discrete_gaussian, discrete_laplace, geometric, integer, ints, mechanism
from taut.program import enumerate_outcomes

_REACH = 20
_LOST = Fraction(1, 2**18)


def test_what_people_write_is_exact():
    count = mechanism(lambda x: sum(x) + geometric(0, "1/2"))(bits(3))
    assert count.remainder == 0
    assert count.privacy().max_ratio == 2 and count.privacy().verify()
    assert count.probability((1, 0, 1), 17) == Fraction(1, 3) * Fraction(1, 2**15)
    assert count.probability((1, 0, 1), AtLeast(4)) == Fraction(2, 3) * Fraction(1, 4)
    assert count.distribution((1, 0, 1))[AtMost(-1)] == Fraction(2, 3) * Fraction(1, 8)
    clamped = mechanism(lambda x: geometric(sum(x), "1/2", 0, 3))(bits(3))
    for order in (2, 3):
        assert count.renyi(order).moment == clamped.renyi(order).moment
    assert count.profile().corners == clamped.profile().corners
    assert [(c.alpha, c.beta) for c in count.tradeoff().corners] == [
        (c.alpha, c.beta) for c in clamped.tradeoff().corners
    ]
    assert count.accuracy(sum, 2).probability == 1 - Fraction(2, 3) * Fraction(1, 4)
    assert count.error(sum).mean.value == Fraction(4, 3)
    assert count.error(sum).mean_square.value == 4


@pytest.mark.parametrize(
    ("function", "output"),
    [
        (lambda x: min(max(geometric(sum(x), "1/2"), 4), 4), 4),
        (lambda x: 1 if geometric(sum(x) + 1, "1/2", None, 3) >= 4 else -1, -1),
        (lambda x: geometric(sum(x), "2/3", 0) >= 0, True),
    ],
)
def test_noise_of_which_the_output_tells_nothing(function, output):
    model = mechanism(function)(bits(2))
    assert model.validation.runs
    assert [coin.outcomes for coin in model.program.coins if len(coin.outcomes) != len(list(coin.weights))] == []
    assert all(model.distribution(x) == {output: 1} for x in model.domain)
    with asked_first("auto, first decomposition") as method:
        assert (model.privacy(method=method).max_ratio, model.delta(ratio=1, method=method).delta) == (1, 0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: sum(x) + geometric(0, "1/2"),
        lambda x: max(0, sum(x) + geometric(0, "1/2")),
        lambda x: min(max(sum(x) + geometric(0, "1/2"), 0), len(x)),
        lambda x: geometric(sum(x), "1/2"),
    ],
)
def test_a_thousand_people_are_decomposed(function):
    model = mechanism(function)(bits(300))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (2, "decomposition")
    assert model.delta(ratio=1).delta == Fraction(1, 3)


def test_numbers_of_a_histogram_and_its_tails():
    model = mechanism(lambda x: [c + discrete_laplace(0, 2) for c in x])(ints(3, 0, 2))
    assert model.remainder == 0
    assert abs(float(model.privacy("one_step").epsilon) - 0.5) < 1e-12


def test_draws_that_are_compared_with_draws_leave_a_remainder():
    model = mechanism(lambda x: geometric(x, "1/2") >= geometric(1, "1/2"))(integer(0, 1))
    assert 0 < model.remainder <= Fraction(1, 2**100)
    assert model.delta(ratio=1).remainder == model.remainder


@pytest.mark.parametrize(
    "function",
    [
        lambda x: discrete_gaussian(x, 4),
        lambda x: geometric(x, "1/2") % 2,
        lambda x: geometric(x, "1/2") + geometric(0, "1/2"),
        lambda x: geometric(geometric(x, "1/2"), "1/3"),
    ],
)
def test_what_tails_do_not_tell_leaves_a_remainder(function):
    model = mechanism(function)(integer(0, 1))
    assert 0 < model.remainder <= Fraction(1, 2**100)
    assert sum(model.distribution(0).values()) == 1 or not model.exact


def test_an_output_far_from_all_centres_is_not_taken_for_a_branch_that_never_happens():
    def far(x):
        return 1 if x + geometric(0, "1/2") > 40 else 0

    model = mechanism(far)(integer(0, 1))
    assert model.remainder == 0
    assert model.probability(0, 1) == Fraction(2, 3) * Fraction(1, 2**41)
    assert model.probability(1, 1) == Fraction(2, 3) * Fraction(1, 2**40)


def test_marks_are_values():
    assert pickle.loads(pickle.dumps(AtLeast(3))) == AtLeast(3) != AtMost(3)
    assert {AtLeast(3): 1}[AtLeast(3)] == 1 and AtLeast(3) != 3
    assert str(AtLeast(3)) == ">= 3" and str(AtMost(-1)) == "<= -1"


@mechanism
def stable_count(x):
    noisy = sum(x) + geometric(0, "1/2")
    return noisy if noisy > 5 else None


def test_a_witness_in_a_tail_is_saved_and_replayed(tmp_path):
    bound = stable_count(bits(2)).privacy()
    assert bound.witness.y == AtLeast(6)
    bound.save(tmp_path / "count.json")
    assert taut.replay(tmp_path / "count.json").holds
    assert json.loads(json.dumps(bound.to_dict()))["witness"]


def test_clamped_noise_that_is_added_is_told():
    bound = mechanism(lambda x: sum(x) + geometric(0, "1/2", -5, 5))(bits(2)).privacy()
    assert bound.max_ratio == taut.INFINITY
    assert "clamped to -5..5" in bound.note and bound.note in str(bound) and bound.to_dict()["note"] == bound.note
    for fine in (lambda x: geometric(sum(x), "1/2", 0, 2), lambda x: sum(x) + geometric(0, "1/2")):
        assert not mechanism(fine)(bits(2)).privacy().note
    assert not mechanism(lambda x: x)(bits(2)).privacy().note


def test_one_run_draws_from_noise_without_ends():
    random.seed(5)
    noisy = mechanism(lambda x: x + geometric(0, "1/2"))
    found = [noisy(3) for _ in range(300)]
    assert min(found) < -1 and max(found) > 6
    assert abs(sum(found) / 300 - 3) < 0.5
    assert all(geometric(0, "1/2", low=-1) >= -1 and discrete_laplace(0, 2, high=1) <= 1 for _ in range(50))
    squares = [discrete_gaussian(0, 4) ** 2 for _ in range(2000)]
    assert 3.3 < sum(squares) / 2000 < 4.7


def test_samples_have_numbers_in_place_of_marks():
    model = mechanism(lambda x: x + geometric(0, "1/2"))(integer(0, 1))
    found = model.sample(0, 300, seed=1)
    assert all(type(y) is int for y in found) and max(found) > 3


# -- random programs ---------------------------------------------------------------------------------------------------

_STEPS = [
    "a = a + 1",
    "a = -a",
    "a = 2 * a",
    "a = a - x[0]",
    "a = a + sum(x)",
    "a = x[1] - a",
    "a = max(a, -2)",
    "a = min(a, 3)",
    "a = abs(a)",
    "a = a if a > 2 else 0",
    "a = a if x[0] == 1 else 4",
    "a = round(a)",
    "a = a + (a > 1)",
    "a = a * x[0]",
]
_ENDS = [
    "return a",
    "return [a, a > 3]",
    "return [a, x[0] + b]",
    "return [a, a]",
    "return [a, a - 3]",
    "return a if b > 1 else None",
    "return a if b > 1 else b",
    "return a > b",
    "return a + b",
    "return a % 2",
    "return [a > 0, b < -1]",
    "return [a, b, 9]",
    "return a if a > 6 else None",
    "return (a > 0) + (b > 0) + (a > 5)",
    "return [a if a > 3 else -1, a < -7]",
    "return a // 2",
    "return [b] if a > 1 else [a, b]",
]
_NOISE = ["geometric({c}, '1/2')", "geometric({c}, '1/2', low=-1)", "geometric({c}, '1/2', high=4)"]
_CENTERS = ["0", "sum(x)", "x[0]", "1 - x[1]"]


def _program(source, number):
    def noise():
        return source.choices(_NOISE, [6, 1, 1])[0].format(c=source.choice(_CENTERS))

    lines = [f"a = {noise()}", f"b = {noise()}"]
    lines += source.sample(_STEPS, source.randrange(4)) + [source.choice(_ENDS)]
    return f"def f{number}(x):\n" + "".join(f"    {line}\n" for line in lines)


def _truth(code, name, x):
    """The masses of the function's outputs over all draws up to a distance."""
    drawn = []

    def geometric(center, ratio, low=None, high=None):
        value = center + drawn.pop()
        value = value if low is None else max(value, low)
        return value if high is None else min(value, high)

    space = {"geometric": geometric}
    exec(code, space)
    masses = {}
    two = "b" in code.split("return", 1)[1]
    for za, zb in itertools.product(range(-_REACH, _REACH + 1), range(-_REACH, _REACH + 1) if two else [0]):
        drawn[:] = [zb, za]
        weight = 1 << 2 * _REACH - abs(za) - abs(zb)
        y = space[name](x)
        y = tuple(y) if isinstance(y, list) else y
        masses[y] = masses.get(y, 0) + weight
    return {y: Fraction(mass, (9 if two else 3) << 2 * _REACH) for y, mass in masses.items()}


def _asked(model, x, truth):
    """True if the probability of a number in a tail is found by the model itself."""
    y = max(truth, key=str)
    return abs(model.probability(x, y) - truth[y]) <= _LOST + model.remainder


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    source = random.Random(20)
    codes = [_program(source, number) for number in range(8)]
    path = tmp_path_factory.mktemp("ends") / "programs.py"
    path.write_text("from taut import geometric\n\n\n" + "\n\n".join(codes))
    spec = importlib.util.spec_from_file_location("ends_programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(code, getattr(module, f"f{number}")) for number, code in enumerate(codes)]


def test_random_programs_have_the_probabilities_of_plain_python(programs):
    exact = 0
    for code, function in programs:
        model = mechanism(function)(bits(2))
        exact += model.remainder == 0
        for x in ((0, 0), (1, 0)):
            truth = _truth(code, function.__name__, x)
            found = model.distribution(x)
            assert abs(sum(found.values()) - 1) == 0, code
            assert model.remainder or enumerate_outcomes(model.program, x) == found, code
            assert model.program.ends is None or not model.program.ends.groups or _asked(model, x, truth), code
            likely = sorted(truth, key=truth.get, reverse=True)
            for y in likely[:20] + likely[20:100:9]:
                marked, share = model.program.ends.share(y) if model.program.ends else (y, 1)
                mass = found.get(marked, 0) * share
                assert abs(mass - truth[y]) <= _LOST + model.remainder, (code, x, y, mass, truth[y])
                if truth[y] > 64 * _LOST and model.remainder == 0:
                    assert mass > 0
    assert 3 <= exact <= 12


def test_random_programs_lose_nothing_by_their_marks(programs):
    """Given its mark an output is distributed in the same way on all inputs, by the truth as well."""
    for code, function in programs:
        model = mechanism(function)(bits(2))
        ends = model.program.ends
        if model.remainder or ends is None or not ends.groups:
            continue
        shares = {}
        for x in ((0, 0), (1, 1)):
            truth, marked = _truth(code, function.__name__, x), {}
            for y, mass in truth.items():
                marked[ends.marked(y)] = marked.get(ends.marked(y), 0) + mass
            for y, mass in truth.items():
                whole = marked[ends.marked(y)]
                if whole > Fraction(1, 2**6):
                    shares.setdefault(y, []).append(mass / whole)
        for y, found in shares.items():
            assert max(found) - min(found) < Fraction(1, 2**9), (code, y)
