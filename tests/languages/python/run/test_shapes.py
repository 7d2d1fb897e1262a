"""Shapes of shipped code: generators that are given or kept, arrays, loops in loops, objects."""

import functools
import importlib
import math
import random
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import bits, category, integer, ints, mechanism
from taut.support.errors import MechanismError, UnsupportedValue

HALF = Fraction(1, 2)


def told(value, rng):
    """Draws with a generator that it is given."""
    return value if rng.random() < 0.75 else 1 - value


@pytest.mark.parametrize("rng", [np.random.default_rng(1), np.random.RandomState(1), random.Random(1)])
def test_a_generator_that_is_given_is_under_control(rng):
    model = mechanism(told)(integer(0, 1), rng=rng)
    assert model.distribution(0) == {0: Fraction(3, 4), 1: Fraction(1, 4)}


class Keeps:
    """Keeps methods of generators, in every place that an object has."""

    __slots__ = ("draw", "other")

    def __init__(self):
        self.draw = np.random.default_rng(1).random
        self.other = functools.partial(np.random.RandomState(1).randint, 0)

    def keeps(self, value):
        return (value if self.draw() < 0.75 else 1 - value) + self.other(2)


def test_methods_of_generators_that_are_kept_are_under_control():
    kept = Keeps()
    draw, other = kept.draw, kept.other.func
    found = mechanism(kept.keeps)(integer(0, 1)).distribution(0)
    assert found == {0: Fraction(3, 8), 1: HALF, 2: Fraction(1, 8)}
    assert kept.draw is draw
    assert kept.other.func == other


def rejected(data, k=3):
    """Draws another value until it differs, for one entry after the other."""
    out = np.zeros(len(data), dtype=int)
    for place, value in enumerate(data):
        other = value
        if random.random() > 0.5:
            while other == value:
                other = np.random.randint(0, k)
        out[place] = other
    return out


def test_a_loop_that_repeats_inside_a_for_loop_is_exact():
    assert mechanism(rejected)(ints(2, 0, 2)).distribution((0, 1))[0, 1] == Fraction(1, 4)
    assert mechanism(rejected)(ints(2, 0, 2)).distribution((0, 1))[2, 1] == Fraction(1, 8)


def rounds(value):
    """Comes back to the same variables in each turn of the loop around; the turns are not the same."""
    hits = value
    for _ in range(3):
        coin = 1
        while coin:
            coin = random.randrange(2)
            if random.randrange(2):
                break
        hits += coin
        coin = 1
    return hits


def test_turns_of_a_for_loop_are_told_apart():
    # coin is 1 where the break comes first (1/3), by P(1, break) = 1/4 against P(leave with 0) = 1/2
    once = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    expected = {0: Fraction(1)}
    for _ in range(3):
        expected = {
            n: expected.get(n, 0) * once[0] + expected.get(n - 1, 0) * once[1] for n in range(max(expected) + 2)
        }
    assert mechanism(rounds)(integer(0, 1)).distribution(0) == expected


class Vector:
    """A mechanism as a class, with a generator of its own and arrays."""

    def __init__(self, keep):
        self.keep = keep
        self.rng = np.random.default_rng()

    def perturb(self, x):
        x = np.atleast_2d(x)
        return np.where(self.rng.random(x.shape) < self.keep, x, 1 - x)[0]

    def __call__(self, x):
        return [self.one(bit) for bit in x]

    def one(self, bit):
        return bit if self.rng.random() < self.keep else 1 - bit


def test_objects_made_inside_and_arrays_of_arguments_are_run():
    model = mechanism(lambda x: Vector(0.75).perturb(np.array(x)))(bits(2))
    assert model.privacy().max_ratio == 3


def test_an_object_that_is_called_is_read_around_what_it_runs():
    model = mechanism(Vector(0.75))(bits(50))
    assert model.privacy().max_ratio == 3
    assert [call.values for call in model.reading.run] == [2]


def inverse(value):
    weights = np.exp([-abs(value - other) * np.log(2.0) for other in range(3)]).round(6)
    return int(np.searchsorted(np.cumsum(weights / weights.sum()), np.random.uniform()))


def test_a_cumulative_sum_is_searched():
    assert mechanism(inverse)(integer(0, 2)).distribution(1)[1] == pytest.approx(0.5)


def moved(value):
    return np.float64(1.5) - random.random() * np.float64(2.0) > value


def test_numpy_scalars_are_computed_with():
    assert mechanism(moved)(integer(0, 1)).distribution(1)[True] == Fraction(1, 4)


def paired(value):
    return zip([value, 1], [random.randrange(2), 0], strict=True)


@dataclass
class Answer:
    value: int
    sure: bool


def answered(value):
    return Answer(value ^ random.randrange(2), True)


def test_iterators_and_dataclasses_are_outputs():
    assert mechanism(paired)(integer(0, 1)).distribution(0) == {((0, 0), (1, 0)): HALF, ((0, 1), (1, 0)): HALF}
    assert mechanism(answered)(integer(0, 1)).privacy().max_ratio == 1


class Base:
    def __init__(self):
        self.rng = random.Random()

    def check(self, value):
        if value not in ("a", "b"):
            raise ValueError(f"not a category: {value}")
        return True

    def randomise(self, value):
        raise NotImplementedError


class Child(Base):
    def check(self, value):
        return super().check(value)

    def randomise(self, value):
        self.check(value)
        return value if self.rng.random() < 0.5 else "a"


def test_methods_that_use_super_are_run():
    assert mechanism(Child().randomise)(category(["a", "b"])).distribution("b") == {"a": HALF, "b": HALF}


def test_a_failure_is_told_with_its_line_and_input():
    with pytest.raises(MechanismError, match=r"test_shapes.py:\d+:1: .*'c'.* raises ValueError: not a category: c"):
        mechanism(Child().randomise)(category(["a", "c"]))


class Counts:
    def __init__(self):
        self.asked = []

    def ask(self, bit):
        self.asked.append(bit)
        return bit ^ random.randrange(2)


def test_objects_that_change_are_refused():
    with pytest.raises(UnsupportedValue, match="changes 'self'"):
        mechanism(Counts().ask)(integer(0, 1))


class CPUDispatcher:
    """Looks like a function that Numba has compiled, whose draws nobody can see."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self, *args):
        raise AssertionError("the compiled code ran")


CPUDispatcher.__module__ = "numba.core.registry"


def test_compiled_functions_are_run_as_the_python_they_are_made_of_wherever_they_are_held():
    compiled = CPUDispatcher(lambda bit: bit if random.random() < 0.75 else 1 - bit)
    held = {"one": [compiled]}
    model = mechanism(lambda bit: (compiled(bit), held["one"][0](bit)))(integer(0, 1))
    assert model.distribution(0)[1, 1] == Fraction(1, 16)


def shared(value):
    """Draws with NumPy's global generator as an object, as libraries do that are given none."""
    rng = np.random.mtrand._rand
    return value if rng.uniform() < 0.75 else 1 - value


def test_the_global_generator_is_under_control_as_an_object_too():
    assert mechanism(shared)(integer(0, 1)).distribution(0) == {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert type(np.random.mtrand._rand) is np.random.RandomState


def number():
    return random.randrange(1000)


def compared(value):
    while True:
        drawn = number()
        if drawn < 750:
            return (drawn < 250) + value


def test_a_long_number_that_a_function_returns_is_compared_and_not_listed():
    model = mechanism(compared)(integer(0, 1))
    assert model.distribution(0) == {0: Fraction(2, 3), 1: Fraction(1, 3)}
    assert model.reading.run[0].runs < 50


@pytest.mark.parametrize("bits", [100, 190])
def test_numbers_without_end_are_rounded_as_far_as_digits_reach(bits):
    def tail(value):
        u = random.random()
        return math.floor(-math.log(2 * (u - 0.5))) + value if u > 0.5 else -1

    with taut.options(max_remainder=Fraction(1, 2**bits)):
        model = mechanism(tail)(integer(0, 1))
    assert float(model.distribution(0)[3]) == pytest.approx((math.exp(-3) - math.exp(-4)) / 2)
    assert model.remainder <= Fraction(1, 2**bits)


def test_errors_are_placed_in_packages_and_never_in_what_runs_them(tmp_path, monkeypatch):
    package = tmp_path / "lib" / "site-packages" / "shipped_package"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text(
        "import hashlib, random\nimport numpy as np\n\n"
        "def hashed(value):\n    seed = random.random() < 0.5\n    return hashlib.sha1(value).digest()[0] + seed\n\n"
        "def arrayed(value):\n    seed = random.random() < 0.5\n    return np.concatenate(value, axis=7)[0] + seed\n"
    )
    monkeypatch.syspath_prepend(package.parent)
    shipped = importlib.import_module("shipped_package")
    for function, line in ((shipped.hashed, 6), (shipped.arrayed, 10)):
        with pytest.raises(TypeError, match=r"raises \w+Error") as caught:
            mechanism(function)(integer(0, 1))
        assert str(caught.value).startswith(f"__init__.py:{line}:1: ")
