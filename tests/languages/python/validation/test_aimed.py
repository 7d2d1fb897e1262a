"""Misreadings in branches that are too rare for samples: a reader with a fault is refused, a correct one is not."""

import ast
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest
from tests.oracle.generator import GeneratedProgram, loaded

from taut import Misreading, integer, mechanism, uniform
from taut.languages.python.comparisons import Comparisons
from taut.languages.python.expressions import Expressions
from taut.languages.python.validation.observed import Observed
from taut.program import Term

HEADER = "from fractions import Fraction\nimport taut\nfrom taut import *\n\n\n"

RARE: dict[str, str] = {
    "one value of a wide draw": """
        noise = uniform(0, 99999)
        if noise == {k}:  # rare
            return x
        return 2""",
    "a few values below a million": """
        noise = uniform(0, 10**6 - 1)
        if abs(noise - {k}) < 3:  # rare
            return x
        return 2""",
    "two coins": """
        a, b = uniform(0, 999), uniform(0, 999)
        if a == {k} % 1000 and b == {k} // 100:  # rare
            return x
        return 2""",
    "one coin inside a branch of another": """
        a, b = uniform(0, 999), uniform(0, 999)
        if a == {k} % 1000:
            if b == {k} // 100:  # rare
                return x
        return 2""",
    "input and coin": """
        noise = uniform(0, 99999)
        if noise - 3 * x == {k}:  # rare
            return x
        return 2""",
    "numbers inside min and abs": """
        noise = uniform(0, 99999)
        if min(abs(noise - {k}), 500) < 10:  # rare
            return x
        return 2""",
    "an elif": """
        noise = uniform(0, 99999)
        if noise >= 90000:
            return 3
        elif noise == {k}:  # rare
            return x
        return 2""",
    "a conditional expression": """
        noise = uniform(0, 99999)
        return x if {k} <= noise < {k} + 5 else 2  # rare""",
    "a helper inside a helper": """
        return outer(x, uniform(0, 99999), {k})""",
    "a comprehension's condition": """
        draws = [uniform(0, 99999), uniform(0, 9)]
        return sum([x + 1 for draw in draws if draw == {k}])  # rare""",
    "a loop": """
        n = uniform(0, 99999)
        while n > 99990:  # rare
            n, x = n - 5, x + 1
        return x""",
    "a place in a list": """
        noise = uniform(0, 99999)
        if noise in [{k}, {k} + 7, 10**7]:  # rare
            return x
        return 2""",
    "the largest of three": """
        a, b = uniform(0, 99999), uniform(0, 9)
        if max(b, a - 99980, 3) >= 19:  # rare
            return x
        return 2""",
    "a number taken as true": """
        noise = uniform(0, 99999) - {k}
        if noise:  # rare
            return 2
        return x""",
}
HELPERS = """
@helper
def inner(x, noise, k):
    return x if noise == k else 2  # rare


@helper
def outer(x, noise, k):
    return inner(x, noise, k)


"""


def program(name: str, k: int) -> GeneratedProgram:
    lines = [line.removeprefix("    ") for line in RARE[name].format(k=k).splitlines()[1:]]
    head = HEADER + (HELPERS if "helper" in name else "") + "@mechanism\ndef generated(x):\n"
    return GeneratedProgram(head + "\n".join(lines) + "\n", {"x": integer(0, 1)})


def rare_condition(written: GeneratedProgram) -> str:
    """The condition in the line that is marked, as the syntax tree shows it."""
    line = next(number for number, text in enumerate(written.text.splitlines(), 1) if text.endswith("# rare"))
    marked = written.text.splitlines()[line - 1].strip()
    for node in ast.walk(ast.parse(written.text)):
        test = getattr(node, "test", None) or (node.ifs[0] if isinstance(node, ast.comprehension) else None)
        if test is not None and test.lineno == line:
            return ast.unparse(test)
    raise AssertionError(marked)


@contextmanager
def decided(condition: str, side: bool) -> Iterator[None]:
    """A reader that wrongly takes a random condition for certain."""
    plain = Expressions.evaluate

    def evaluate(self: Expressions, node: ast.expr) -> Any:
        value = plain(self, node)
        return side if ast.unparse(node) == condition else value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Expressions, "evaluate", evaluate)
        yield


@contextmanager
def other_comparison(name: str, instead: str) -> Iterator[None]:
    """A reader that takes one random comparison for another."""
    plain = Comparisons.compare

    def compare(self: Comparisons, asked: str, a: Any, b: Any) -> Any:
        return plain(self, instead if asked == name else asked, a, b)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Comparisons, "compare", compare)
        yield


@pytest.mark.parametrize("name", RARE)
def test_a_condition_that_is_taken_for_certain_is_found(name: str) -> None:
    written = program(name, random.Random(name).randrange(100, 90_000))
    condition = rare_condition(written)
    with decided(condition, condition == "noise"), loaded(written) as case, pytest.raises(Misreading):
        case.mechanism(**case.databases)


@pytest.mark.parametrize("name", RARE)
def test_rare_branches_that_are_read_right_are_accepted_and_reached(name: str) -> None:
    with loaded(program(name, random.Random(name).randrange(100, 90_000))) as case:
        validation = case.mechanism(**case.databases).validation
    assert not validation.unreached and validation.branches >= 2
    assert f"all {validation.branches} branches reached by Python" in str(validation)


BOUNDARIES: dict[str, str] = {
    "one draw": "return x if uniform(0, 99999) {op} {k} else 2",
    "the sum of two draws": "return x if uniform(0, 49999) + uniform(0, 49999) {op} {k} else 2",
    "a draw and an input": "return x + 1 if uniform(0, 99999) * 2 {op} 2 * {k} + 2 * x else 0",
    "a condition inside another": "n = uniform(0, 99999)\nif n % 2 == {k} % 2:\n    return n {op} {k}\nreturn 5",
    "a comprehension": "return [v for v in (x, x + 1) if uniform(0, 99999) {op} {k} + v]",
    "a loop": "n, left = uniform(0, 99999), 1\nwhile left and n {op} {k}:\n    left, x = 0, 2\nreturn x",
}


@pytest.mark.parametrize(("op", "name", "instead"), [("<", "lt", "le"), ("<=", "le", "lt"), (">=", "ge", "gt")])
@pytest.mark.parametrize("where", BOUNDARIES)
def test_a_comparison_that_is_wrong_at_one_value_is_found(where: str, op: str, name: str, instead: str) -> None:
    body = BOUNDARIES[where].format(op=op, k=random.Random(where + op).randrange(10_000, 90_000))
    lines = "\n".join("    " + line for line in body.splitlines())
    written = GeneratedProgram(HEADER + "@mechanism\ndef generated(x):\n" + lines + "\n", {"x": integer(0, 1)})
    with loaded(written) as case:
        case.mechanism(**case.databases)
        with other_comparison(name, instead), pytest.raises(Misreading):
            case.mechanism(**case.databases)


def harmless(x: Any) -> Any:
    noise, more = uniform(0, 99999), 0
    if noise == 4321:
        more = 0
    return x + more


def test_a_side_that_python_takes_against_the_reading_is_a_misreading_even_where_nothing_follows() -> None:
    with decided("noise == 4321", False), pytest.raises(Misreading, match="noise == 4321 in line .* is true in Python"):
        mechanism(harmless)(integer(0, 1))
    assert mechanism(harmless)(integer(0, 1)).validation.reached == 2


def guarded(x: Any) -> Any:
    noise = uniform(0, 999)
    if x > 5:
        return 7
    return noise


def test_a_branch_that_only_the_reading_takes_is_told_with_its_probability() -> None:
    plain = Expressions.note

    def note(self: Expressions, node: ast.expr, test: Term | None, decides: bool = True) -> None:
        terms = self.terms
        event = terms.apply("ge", terms.coin(0, self.reader.coins[0].outcomes), terms.const(997))
        plain(self, node, event if ast.unparse(node) == "x > 5" else test, decides)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Expressions, "note", note)
        validation = mechanism(guarded)(integer(0, 1)).validation
    (branch,) = validation.unreached
    assert (branch.condition, branch.side, branch.probability) == ("x > 5", True, Fraction(3, 1000))
    assert (validation.branches, validation.reached) == (2, 1)
    assert (
        "the branch where x > 5 is true was not reached by Python, though the reading says it has probability"
        in str(validation)
    )
    told = json.loads(json.dumps(validation.to_dict()))
    assert (told["unreached"][0]["probability"], told["reached"], told["branches"]) == ("3/1000", 1, 2)
    plainly = mechanism(guarded)(integer(0, 1)).validation
    assert (plainly.branches, plainly.unreached) == (1, ())  # impossible for both


def test_the_aimed_runs_are_the_same_every_time() -> None:
    with loaded(program("two coins", 4321)) as case:
        first, second = [case.mechanism(**case.databases).validation for _ in range(2)]
    assert (first.runs, first.inputs, first.branches) == (second.runs, second.inputs, second.branches)


def state(x: Any) -> Any:
    def inside(v: Any) -> Any:
        return 1 if 0 < v < 10 else 0 if not v else 2

    n = uniform(0, 20) + x
    while n > 12 or n in (3, 4):
        n = n - 5 if n > 12 else 0
    chosen = [v for v in (n, 3) if v != 3 if inside(v)]
    return chosen, min(n, 3), sorted([n, 4, 1]), any(chosen), abs(n - 4), (lambda v: v == 2)(n)


def test_the_observed_copy_computes_what_the_function_does() -> None:
    observed = Observed()
    copied = observed.copy(state)
    assert copied is not state and observed.copy(max) is max
    model = mechanism(state)(integer(0, 1))
    assert model.validation.conclusive and model.validation.branches == model.validation.reached > 12
