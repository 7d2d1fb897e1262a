"""Reading besides following Python: models stay unchanged, the loaded source is read, no stack overflows."""

import importlib.util
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import taut
from taut import bits, flip, helper, ints, mechanism, uniform

HEADER = "from taut import flip, mechanism\n\n\n@mechanism\n"


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Any]:
    """Write a module, load it, and forget it afterwards."""
    names = []

    def load(source: str, name: str = "written_for_a_test") -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        del sys.modules[name]


def test_a_function_whose_file_has_changed_is_refused(written: Any) -> None:
    module = written(HEADER + "def m(x):\n    return x[0] ^ flip('1/3')\n")
    assert module.m(bits(1)).probability((0,), 1) == Fraction(1, 3)
    Path(module.__file__).write_text(HEADER + "def m(x):\n    return x[0] ^ flip('1/4')\n", encoding="utf-8")
    with pytest.raises(taut.SourceUnavailable, match="changed since"):
        module.m(bits(1))


def test_a_constant_inside_an_inner_function_is_compared_too(written: Any) -> None:
    source = HEADER + "def m(x):\n    f = lambda v: v + 1\n    return f(x[0]) if flip('1/2') else [u for u in x]\n"
    module = written(source)
    module.m(bits(1))
    Path(module.__file__).write_text(source.replace("v + 1", "v + 2"), encoding="utf-8")
    with pytest.raises(taut.SourceUnavailable, match="changed since"):
        module.m(bits(1))


def test_text_elsewhere_in_the_file_may_change(written: Any) -> None:
    source = HEADER + "def m(x):\n    return x[0] ^ flip('1/3')\n"
    module = written(source)
    Path(module.__file__).write_text(source + "\n\n# a comment\nOTHER = 5\n", encoding="utf-8")
    assert module.m(bits(1)).probability((0,), 1) == Fraction(1, 3)


@mechanism
def count(x: Any) -> Any:
    return sum(bit ^ flip("1/4") for bit in x)


def unreadable(x: Any) -> Any:
    ys = []
    for v in x:
        if v:
            ys.append(open(v))
    return len(ys)


def ones(x: Any) -> Any:
    ys = []
    for v in x:
        if v:
            ys.append(v)
    return len(ys)


def test_a_refused_target_leaves_the_model_as_it_is() -> None:
    expected = count(bits(3)).accuracy(ones, 0).probability
    model = count(bits(3))
    before = model.program
    for _ in range(2):
        with pytest.raises(taut.TautError):
            model.accuracy(unreadable, 0)
    assert model.program is before
    bound = model.accuracy(ones, 0)
    assert bound.probability == expected == Fraction(27, 64)
    assert bound.verify()


def test_a_target_may_not_draw() -> None:
    with pytest.raises(taut.UnsupportedValue, match="must not be random"):
        count(bits(2)).accuracy(lambda x: flip("1/2"), 0)


def test_targets_and_distances_are_exact() -> None:
    model = mechanism(lambda x: sum(x) / 3)(bits(3))
    assert model.accuracy(lambda x: sum(x) * 0.1 / 0.3, 0).probability == 1
    assert model.accuracy(lambda x: sum(x) / 3 + 1 / 3, alpha="1/3").probability == 1


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"    if x[0] == {i}:\n        return {i}\n" for i in range(5_000)) + "    return flip('1/2')\n",
        "    return " + " and ".join(["x[0]", "x[1]"] * 5_000) + "\n",
        "    return x[0] " + "<= x[1] " * 5_000 + "\n",
        "    k = x[0]\n" + "    k = k or flip('1/2')\n" * 200 + "    return k\n",
    ],
    ids=["returns", "conjunction", "comparisons", "assignments"],
)
def test_long_programs_are_read(written: Any, body: str) -> None:
    model = written(HEADER + "def m(x):\n" + body).m(bits(2))
    assert sum(model.distribution((0, 1)).values()) == 1


def test_depth_that_is_too_large_is_refused() -> None:
    @helper
    def down(n: int) -> int:
        return 0 if n == 0 else 1 + down(n - 1)

    with pytest.raises(taut.EndlessLoop, match="nested more than"):
        mechanism(lambda x: down(300) + x[0])(ints(1, 0, 1))


def test_exp_of_a_ball_is_a_ball() -> None:
    assert abs(float(taut.exp(taut.exp(0))) - 2.718281828459045) < 1e-15


def test_real_randomness_inside_ordinary_code_is_controlled() -> None:
    class Source:
        def draw(self) -> float:
            import random

            return random.random()

    source = Source()
    model = mechanism(lambda x: 2 * source.draw() > 1 + x[0])(bits(1))
    assert model.distribution((0,)) == {True: Fraction(1, 2), False: Fraction(1, 2)}


def test_real_randomness_is_seen_also_where_the_code_hides_it() -> None:
    class Source:
        def draw(self) -> float:
            import random

            try:
                return random.random()
            except Exception:
                return 0.5

    source = Source()
    model = mechanism(lambda x: 2 * source.draw() > 1 + x[0])(bits(1))
    assert model.distribution((0,)) == {True: Fraction(1, 2), False: Fraction(1, 2)}


def test_an_object_that_ordinary_code_changes_outside_is_refused() -> None:
    class Tally:
        n = 0

        def add(self) -> int:
            self.n += 1
            return self.n

    tally = Tally()
    with pytest.raises(taut.UnsupportedValue, match="outside the mechanism"):
        mechanism(lambda x: tally.add() + x[0])(bits(1))


def test_numbers_that_are_gathered_are_numbers_too() -> None:
    """Text and floats that *args and **kwargs gather are Fractions, as named parameters are; other text stays text."""

    @mechanism
    def gathered(x: Any, *chances: Any, **named: Any) -> Any:
        return [x[0] ^ flip(1 - chances[0]), flip(1 - named["p"]), named["word"]]

    model = gathered(bits(1), "1/5", 0.3, p=0.25, word="high")
    assert model.probability((0,), (1, True, "high")) == Fraction(4, 5) * Fraction(3, 4)
    assert gathered((0,), 1.0, p="1", word="low") == (0, False, "low")


@pytest.mark.parametrize(
    "use", [lambda n: uniform(0, n), lambda n: [5, 6][n], lambda n: {0: 1}[n], lambda n: n in (7, 8)]
)
def test_a_branch_that_no_input_takes_may_have_values_without_any(use: Any) -> None:
    use = helper(use)

    @mechanism
    def impossible(x):  # type: ignore[no-untyped-def]
        number = 0
        for v in x:
            number = (
                number * 40 + v
            )  # more values than are looked at one by one: only a diagram tells which are possible
        if number < 1 and number > 1:
            return use(number)
        return flip("1/3")

    model = impossible(ints(2, 0, 39))
    assert model.distribution((39, 39)) == {0: Fraction(2, 3), 1: Fraction(1, 3)}
