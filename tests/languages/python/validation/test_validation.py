"""The comparison of a reading with its function: what differs is found, what agrees is left alone, and it says so."""

import textwrap
from fractions import Fraction
from typing import Any

import pytest
from tests.languages.python.validation.reading import read
from tests.oracle.generator import GeneratedProgram, loaded

import taut
from taut import Misreading, bits, categories, flip, integer, ints, mechanism, observe, uniform
from taut.languages.python.validation import Validation, validate
from taut.languages.python.validation.exactly import FractionFloat, exact_copy
from taut.languages.python.validation.result import agree, same_distribution
from taut.support.options import Options

HEADER = "from fractions import Fraction\nfrom taut import *\n\n\n@mechanism\ndef generated(x):\n"


def written(body: str) -> GeneratedProgram:
    return GeneratedProgram(HEADER + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n", {"x": bits(2)})


def compared(runs: str, reads: str) -> Validation:
    """One function run by Python, compared with the reading of another."""
    with loaded(written(runs)) as ran, loaded(written(reads)) as misread, taut.options(validate="off"):
        reading = read(misread.mechanism.function, bits(2))
        return validate(ran.mechanism.function, reading.arguments, reading.program, reading.draws)


MISREADINGS: dict[str, tuple[str, str]] = {
    "a break is lost": (
        "for i in range(2):\n    if flip('1/2'):\n        break\nreturn i",
        "for i in range(2):\n    flip('1/2')\nreturn i",
    ),
    "a slice is not deleted": (
        "xs = [1, 2, 3]\nif flip('1/4'):\n    del xs[1:]\nreturn xs",
        "xs = [1, 2, 3]\nif flip('1/4'):\n    del xs[2:]\nreturn xs",
    ),
    "a path ends too early": (
        "n = 0\nfor v in x:\n    if v:\n        n += flip('1/2')\n    n += 1\nreturn n",
        "n = 0\nfor v in x:\n    if v:\n        n += flip('1/2')\n        break\n    n += 1\nreturn n",
    ),
    "state is changed in every branch": (
        "q = []\nif flip('1/2'):\n    q.append(1)\nreturn len(q)",
        "q = []\nflip('1/2')\nq.append(1)\nreturn len(q)",
    ),
    "an iterator is used twice": (
        "it = iter([1, flip('1/3')])\nreturn sum(list(it)), sum(list(it))",
        "it = [1, flip('1/3')]\nreturn sum(it), sum(it)",
    ),
    "what is lazy is done at once": (
        "return any(flip('1/2') for _ in range(2)), flip('1/3')",
        "a = [flip('1/2') for _ in range(2)]\nreturn all(a), flip('1/3')",
    ),
    "an observation happens too often": (
        "xs = [1]\nif flip('1/2'):\n    xs.append(2)\nfor v in xs:\n    observe(flip('1/3'))\nreturn xs",
        "xs = [1]\nif flip('1/2'):\n    xs.append(2)\nfor v in [1, 2]:\n    observe(flip('1/3'))\nreturn xs",
    ),
    "an observation is lost": ("a = flip('1/2')\nobserve(a or x[0])\nreturn a", "a = flip('1/2')\nreturn a"),
    "an alias is a copy": (
        "p = [1, flip('1/2')]\nq = p\np += [1]\nreturn len(q)",
        "p = [1, flip('1/2')]\nreturn len(p)",
    ),
    "the order of keys": ("flip('1/2')\nreturn ['b', 'a']", "flip('1/2')\nreturn ['a', 'b']"),
    "an equality": ("return (x[0] == x[1], flip('1/2'))", "return (False, flip('1/2'))"),
    "a place in a list": (
        "xs = [1, 2]\nxs.insert(min(uniform(0, 4), 2), 9)\nreturn xs",
        "xs = [1, 2]\nxs.insert(min(uniform(0, 4), 1), 9)\nreturn xs",
    ),
    "a decorator is passed over": ("return x[0] + flip('1/2') + 1", "return x[0] + flip('1/2')"),
    "text shows a number": ("return str(uniform(0, 2) / 2)", "return str(Fraction(1, 2) * uniform(0, 2))"),
    "another probability": ("return flip('1/2')", "return flip('1/3')"),
    "a probability that depends on the wrong entry": ("return flip([0.2, 0.3][x[0]])", "return flip([0.2, 0.3][x[1]])"),
    "other outcomes": ("return discrete({1: '1/2', 2: '1/2'})", "return discrete({1: '1/2', 3: '1/2'})"),
    "1 in place of True": ("return discrete({True: 1}), flip('1/2')", "return discrete({2: 1}), flip('1/2')"),
    "a draw is made twice": ("a = flip('1/2')\nreturn a, a", "return flip('1/2'), flip('1/2')"),
    "a draw is made once": ("return flip('1/2'), flip('1/2')", "a = flip('1/2')\nreturn a, a"),
    "a draw is made for certain": (
        "return x[0] and flip('1/2') and flip('1/3')",
        "a = flip('1/3')\nreturn x[0] and a",
    ),
    "an exception": ("return [1, 2][x[0] + x[1] * 2 * flip('1/2')]", "flip('1/2')\nreturn 1 + x[0]"),
    "a rare input": (
        "return flip('1/2') + (x[0] and x[1])",
        "return flip('1/2')",
    ),
    "a rare outcome": (
        "return uniform(0, 99) // 99",
        "uniform(0, 99)\nreturn 0",
    ),
}


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_found(name: str) -> None:
    runs, reads = MISREADINGS[name]
    with pytest.raises(Misreading, match="fault of taut"):
        compared(runs, reads)


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_function_that_is_read_as_it_runs_is_left_alone(name: str) -> None:
    _, reads = MISREADINGS[name]
    assert compared(reads, reads).conclusive


def test_a_difference_shows_input_coins_and_both_results() -> None:
    with pytest.raises(Misreading) as caught:
        compared("a = flip('1/3')\nreturn a, x[0]", "a = flip('1/3')\nreturn a, 1")
    message = str(caught.value)
    assert "at x=(0, 0), where flip in line 7 gives False" in message
    assert "Python returns (False, 0), but the reading says (False, 1)" in message
    assert "please report it" in message


def test_draws_that_are_read_earlier_than_python_makes_them_are_no_difference() -> None:
    """A reading may toss what Python does not come to, or toss in another order, as long as nothing depends on it."""
    early = "a, b = flip('1/3'), flip('1/5')\nreturn b if x[0] else a"
    assert compared("return flip('1/5') if x[0] else flip('1/3')", early).conclusive
    assert compared("b = flip('1/5')\na = flip('1/3')\nreturn b if x[0] else a", early).conclusive


def test_real_randomness_is_found() -> None:
    body = "import secrets\nreturn secrets.randbelow(1000)"
    with pytest.raises(Misreading):
        compared(body, "return 7")


def rounds(x: Any) -> Any:
    if 0.1 * sum(x) > 0.3:  # in floats 0.30000000000000004 > 0.3; in numbers it is not
        return "large"
    return flip("1/3")


def harmless(x: Any) -> Any:
    return 0.1 * sum(x) if flip(0.1 + 0.2) else 0.7


def test_what_depends_on_rounding_is_refused() -> None:
    with pytest.raises(taut.RoundedFloat, match=r"rounded floats.*exact numbers.*at x=\(1, 1, 1\)"):
        mechanism(rounds)(bits(3))


def test_rounding_that_changes_nothing_else_is_no_difference() -> None:
    model = mechanism(harmless)(bits(3))
    assert model.validation.conclusive
    assert model.distribution((1, 1, 1))[0.1 * 3] == Fraction(3, 10)


def test_one_number_must_be_one_output() -> None:
    with loaded(written("return 0.1 if x[0] else 0.1 * 1")) as case:
        reading = read(case.mechanism.function, bits(2))
        outputs = [taut.program.evaluate(reading.program.output, x, {}) for x in bits(2)]
        if len(set(outputs)) == 1:
            assert validate(case.mechanism.function, reading.arguments, reading.program, reading.draws).conclusive
        else:
            with pytest.raises(Misreading, match="one number is two outputs"):
                validate(case.mechanism.function, reading.arguments, reading.program, reading.draws)


@mechanism
def counting(x: Any, names: Any = ("a", "b"), *, more: Any = 0) -> Any:
    names = list(names)
    names.append(str(flip("1/4")))
    return len(names) + sum(x) + more


@mechanism
def calling(x: Any, y: Any, lam: Any) -> Any:
    observe(flip(lam) or sum(x) > 0)
    return [counting(x, more=1), *[bit ^ flip(1 - lam) for bit in y], uniform(0, 2)]


def test_databases_parameters_and_mechanisms_that_call_mechanisms() -> None:
    model = calling(bits(1), y=bits(2), lam="1/5")
    assert model.validation.runs > 50
    assert counting(bits(2), ["p"], more=3).validation.conclusive


def test_what_was_compared_is_told() -> None:
    small = mechanism(lambda x: x ^ flip("1/3"))(integer(0, 1))
    assert (small.validation.runs, small.validation.inputs, small.validation.conclusive_inputs) == (4, 2, 2)
    assert str(small.validation) == "conclusive: 4 runs by Python on 2 inputs agree"
    large = mechanism(lambda x: [bit ^ flip("1/3") for bit in x])(bits(60))
    assert not large.validation.conclusive and large.validation.runs >= 4
    assert str(large.validation).startswith("sampled: ")


def test_the_comparison_is_the_same_every_time() -> None:
    made = [mechanism(lambda x: sorted([v + uniform(0, 9) for v in x]))(ints(3, 0, 4)) for _ in range(2)]
    assert made[0].validation.runs == made[1].validation.runs
    assert made[0].validation.inputs == made[1].validation.inputs


def test_levels() -> None:
    function = mechanism(lambda x: sum(v ^ flip("1/3") for v in x))
    with taut.options(validate="off"):
        off = function(bits(12)).validation
    with taut.options(validate="thorough"):
        thorough = function(bits(12)).validation
    assert (off.runs, str(off)) == (0, "not validated: validation is switched off")
    assert thorough.runs > function(bits(12)).validation.runs
    with pytest.raises(taut.InvalidOption, match="validate must be one of"), taut.options(validate="never"):
        pass


def test_programs_without_a_function_are_not_compared() -> None:
    model = taut.formula("y <-> (x ^ t)", inputs=["x"], outputs=["y"], weights={"t": "1/5"})
    assert "no Python function" in str(model.validation)


def test_a_function_keeps_its_own_arguments() -> None:
    shared = [1, 2]

    def grows(x: Any, items: Any) -> Any:
        items = list(items)
        items.append(x[0])
        return len(items) + flip("1/2")

    assert mechanism(grows)(bits(1), shared).validation.conclusive
    assert shared == [1, 2]


def test_neither_prints_nor_warns(capsys: pytest.CaptureFixture[str]) -> None:
    reading = read(plain_noise, bits(1))

    def noisy(x: Any) -> Any:
        print("noise")
        return plain_noise(x)

    assert validate(noisy, reading.arguments, reading.program, reading.draws).runs
    assert capsys.readouterr().out == ""


def plain_noise(x: Any) -> Any:
    return x[0] ^ flip("1/2")


# -- targets, distances, predicates ------------------------------------------------------------------------------------


def test_targets_in_exact_arithmetic() -> None:
    model = mechanism(lambda x: sum(v ^ flip("1/5") for v in x))(bits(3))
    assert model.accuracy(lambda x: sum(x) / 3 * 3, 0).probability == model.accuracy(sum, 0).probability
    assert model.accuracy(lambda x: sum(0.1 * v for v in x) * 10, 0).probability == model.accuracy(sum, 0).probability


def test_predicates_in_exact_arithmetic() -> None:
    model = mechanism(lambda x: flip(["1/2", "1/2", "1/2", "1/10"][sum(x)]))(bits(3))
    assert model.privacy(lambda x, y: sum(x) / 3 - sum(y) / 3 == 1 / 3, method="search").max_ratio == Fraction(9, 5)


@pytest.mark.parametrize("asked", ["close", "gap", "value"])
def test_a_misread_target_is_found(asked: str) -> None:
    from taut.languages.python.validation.functions import TargetDistance, validate_target

    reading = read(plain_noise, bits(2))
    asked_distance = TargetDistance(lambda x: x[0] + x[1], None, Fraction(1, 2))
    made = {
        "close": lambda target: reading.event(target, None, Fraction(1, 2)),
        "gap": lambda target: reading.gap(target, None),
        "value": reading.aim,
    }[asked]
    validate_target(reading.program, made(lambda x: x[1] + x[0]), asked_distance, asked, "default")
    with pytest.raises(Misreading, match="Python gives"):
        validate_target(reading.program, made(lambda x: x[0]), asked_distance, asked, "default")


def test_a_misread_predicate_is_found() -> None:
    from taut.languages.python.tracing import trace_predicate
    from taut.languages.python.validation.functions import validate_predicate

    program = trace_predicate(
        lambda x, y: sum(x) < sum(y), [bits(3)], lambda i, c: taut.diagrams.compile.Oracle(i, c, 1000), Options()
    )

    def split(entries: Any) -> Any:
        return entries[::2], entries[1::2]

    validate_predicate(lambda x, y: sum(y) > sum(x), program, split, "default")
    with pytest.raises(Misreading, match=r"\(x, x'\)="):
        validate_predicate(lambda x, y: sum(y) >= sum(x), program, split, "default")


# -- what is the same --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read_value", "ran", "same"),
    [
        (Fraction(1, 10), 0.1, True),
        (Fraction(3, 10), 0.1 * 3, True),
        (Fraction(1, 10), 0.1000001, False),
        ((1, (True, "a")), (1, (1, "a")), True),
        ((1, 2), (1,), False),
        ("0.5", "1/2", False),
        (None, None, True),
        (None, 0, False),
        (0, False, True),
        (Fraction(10**20 + 1), 10**20, False),
        (Fraction(1, 3), Fraction(10**12, 3 * 10**12 + 1), False),
        (Fraction(1, 3), float("nan"), False),
        (taut.exp(-1), taut.exp(-1), True),
    ],
)
def test_agreement(read_value: Any, ran: Any, same: bool) -> None:
    assert agree(read_value, ran) is same


def test_distributions_are_the_same_exactly_unless_floats_are_rounded() -> None:
    third, near = Fraction(1, 3), Fraction(10**12, 3 * 10**12 + 1)
    row, other = ((0, 1), (third, 1 - third)), ((0, 1), (near, 1 - near))
    assert same_distribution(row, ((1, 0), (1 - third, third)), (third,))
    assert not same_distribution(row, other, (near,))
    assert same_distribution(row, other, (float(near),))
    assert not same_distribution(row, ((False, True), (third, 1 - third)), (third,))


def test_exact_floats_show_as_floats_and_compute_as_fractions() -> None:
    tenth, third = FractionFloat(Fraction(1, 10)), FractionFloat(Fraction(1, 3))
    assert tenth + tenth + tenth == 0.3 and tenth * 3 == FractionFloat(Fraction(3, 10))
    assert 1 - third * 3 == 0 and not 1 - third * 3
    assert third < Fraction(10**20 + 1, 3 * 10**20) and 2 / third == 6
    assert f"{tenth}" == "0.1" and isinstance(tenth, float) and hash(third * 3) == hash(1)


def test_an_exact_copy_follows_calls_closures_and_recursion() -> None:
    factor = 3

    def scaled(v: Any) -> Any:
        return v / factor

    def total(items: Any) -> Any:
        return 0 if not items else scaled(items[0]) + total(items[1:])

    assert exact_copy(thirds)(1) == 1 and thirds(1) == 1
    assert exact_copy(total)([1, 1, 1]) == total([1, 1, 1])
    assert exact_copy(tenths)((1, 1, 1)) and not tenths((1, 1, 1))


def thirds(v: Any) -> Any:
    return v if v < Fraction(1, 10) else thirds(v / 3 - 1 / 3) + 1


def tenths(x: Any) -> Any:
    return tenth_of(sum(x)) == 0.3


def tenth_of(v: Any) -> Any:
    return v * 0.1


def test_values_of_categories_that_are_floats() -> None:
    model = mechanism(lambda x: x[0] if flip("3/4") else 15.1)(categories(1, [15.1, 16.1]))
    assert model.validation.conclusive
