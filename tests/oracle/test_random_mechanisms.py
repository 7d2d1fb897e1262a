"""Random mechanisms: running them as plain Python, enumerating their terms and folding their diagrams all agree."""

import contextlib
import os
import textwrap
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.oracle.native import native_distribution

import taut
from taut import Domain, ImpossibleEvidence, Model, UnsupportedSyntax, UnsupportedValue, bits, categories, integer, ints
from taut.program import enumerate_outcomes

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "90"))
THOROUGH = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
NEVER = "what no mechanism returns"
MAY_BE_REFUSED = frozenset({"grow"})
"""Programs with this, lists that change while they are run through, stand in ``FOUND`` only."""


def check_program(program: GeneratedProgram, order: str = "auto") -> None:
    """Compare every way to a distribution, on every input; a failure shows the program."""
    with loaded(program) as case, taut.options(order=order):
        try:
            model = case.mechanism(**case.databases, **case.parameters)
            free = case.mechanism(**case.databases, **case.parameters)
            assert free.relation.arrays.size == free.size
            expected = {}
            for x, arguments in case.inputs():
                try:
                    expected[x] = native_distribution(case.mechanism, arguments)
                except ZeroDivisionError:
                    check_impossible(model, free, x)
                    continue
                check_input(model, free, x, expected[x])
            check_pairs(free, expected)
        except Exception as problem:
            problem.add_note(f"order={order}\n{program!r}")
            raise


def check_input(model: Model, free: Model, x: Any, expected: dict[Any, Fraction]) -> None:
    assert enumerate_outcomes(model.program, x) == expected, f"enumerated, at x={x!r}"
    assert model.distribution(x) == expected, f"input fixed, at x={x!r}"
    assert free.distribution(x) == expected, f"inputs free, at x={x!r}"
    for one in (model, free):
        assert {y: one.probability(x, y) for y in expected} == expected, f"probability, at x={x!r}"
        assert sum(one.probability(x, y) for y in expected) == 1
        assert one.probability(x, NEVER) == 0
        floats = one.distribution(x, semiring="float64")
        assert floats.keys() == expected.keys()
        assert all(abs(floats[y] - expected[y]) < 1e-9 for y in expected), f"float64, at x={x!r}"
        assert set(one.sample(x, 8, seed=1)) <= expected.keys(), f"sample, at x={x!r}"


def check_impossible(model: Model, free: Model, x: Any) -> None:
    for one in (model, free):
        with pytest.raises(ImpossibleEvidence):
            one.distribution(x)
        with pytest.raises(ImpossibleEvidence):
            one.probability(x, NEVER)
        with pytest.raises(ImpossibleEvidence):
            one.sample(x)
    with pytest.raises(ImpossibleEvidence):
        enumerate_outcomes(model.program, x)


def check_pairs(free: Model, expected: dict[Any, dict[Any, Fraction]]) -> None:
    """All inputs against all outputs at once."""
    outputs = [*dict.fromkeys(y for row in expected.values() for y in row), NEVER]
    pairs = [(x, y) for x in expected for y in outputs]
    if not pairs:
        return
    matrix = free.inference(pairs)
    assert all(matrix[x, y] == expected[x].get(y, 0) for x, y in pairs)
    floats = free.batch(pairs)
    assert all(abs(found - expected[x].get(y, 0)) < 1e-9 for (x, y), found in zip(pairs, floats, strict=True))


@THOROUGH
@given(program=programs(without=MAY_BE_REFUSED))
def test_every_way_to_a_distribution_agrees(program: GeneratedProgram) -> None:
    check_program(program)


@pytest.mark.parametrize("order", ["program", "interleaved", "search"])
@settings(parent=THOROUGH, max_examples=max(1, EXAMPLES // 4))
@given(program=programs(without=MAY_BE_REFUSED))
def test_no_order_changes_an_answer(order: str, program: GeneratedProgram) -> None:
    check_program(program, order)


FOUND: dict[str, tuple[Domain, str]] = {
    "text is added in the order written": (
        categories(1, ["c", "d"]),
        """
        a = "a" if flip("1/2") else "b"
        return "z" + x[0] + a + x[0], a + "z", "z" + a
        """,
    ),
    "text grows": (
        bits(2),
        """
        text = ""
        for bit in x:
            text = ("1" if bit ^ flip("1/3") else "0") + text + "."
        return text
        """,
    ),
    "a number among truths is true": (
        bits(1),
        """
        a = flip("1/3") if x[0] else 1
        return 5 if a else 6
        """,
    ),
    "a truth among numbers is true": (
        bits(1),
        """
        a = 1 if x[0] else flip("1/3")
        b = True if flip("1/3") else 1
        return "yes" if a and b else "no"
        """,
    ),
    "1 and True are written differently": (
        bits(1),
        """
        a = True if flip("1/3") else 1
        b = 0 if x[0] else False
        return str(a), f"{b}", isinstance(a, bool), isinstance(b, bool), b is False
        """,
    ),
    "a random value that has one value only": (
        bits(1),
        """
        n = 1 if flip("1/2") else True
        return list(range(n)), [0, 1][:n]
        """,
    ),
    "numbers beyond machine size": (
        bits(1),
        """
        a = uniform(0, 300) * 10**20
        return (a + x[0]) // 10**20 % 2
        """,
    ),
    "the larger of a truth and a number": (bits(1), 'return str(max(flip("1/3"), 1)), str(min(x[0], False))'),
    "a list or a truth": (
        integer(-1, 1),
        """
        if x:
            return 0 > x
        return (0,)
        """,
    ),
    "a list of lists or a list": (
        bits(2),
        """
        if flip("1/2"):
            return [x]
        return x
        """,
    ),
    "an empty list within a list or not": (
        bits(1),
        """
        if flip("1/3"):
            return [[]]
        if flip("1/3"):
            return [[x[0]]]
        return []
        """,
    ),
    "a list that changes in a branch within a branch": (
        bits(1),
        """
        v = [0]
        if x[0]:
            if flip("1/3"):
                v.append(1)
            v.append(5)
        return v
        """,
    ),
    "a list that is inserted into in rounds": (
        ints(2, 0, 2),
        """
        v = [0]
        if x[0]:
            for i in range(3):
                if i + x[1] >= 1:
                    v.insert(1, i)
        return v
        """,
    ),
    "one of two lists grows in place": (
        bits(1),
        """
        a, b = [0], [1]
        c = a if flip("1/3") else b
        c += [7]
        d = a if x[0] else b
        d += (8,)
        return a, b, c, d
        """,
    ),
    "a list is written at a place that depends on its length": (
        bits(1),
        """
        v = [2, x[0]]
        if flip("1/3"):
            v.insert(1, 0)
        v[v[0] % len(v)] = 9
        v[len(v) - 1] += 4
        return v
        """,
    ),
    "an item is deleted from the longer list only": (
        bits(1),
        """
        v = [1, 2]
        if flip("1/3"):
            v.append(x[0])
        if len(v) == 3:
            del v[2]
        return v
        """,
    ),
    "an item is deleted from one of two lists": (
        bits(1),
        """
        a, b = [0, 1], [2, 3]
        c = a if flip("1/3") else b
        del c[0]
        return a, b
        """,
    ),
    "a list that grows while it is run through": (
        bits(1),
        """
        items = [x[0]]
        for item in items:
            if len(items) < 3:
                items.append(item + flip("1/3"))
        return items
        """,
    ),
    "an item that changes while its list is run through": (
        bits(1),
        """
        items = [0, x[0]]
        for item in items:
            items[1] += item + 1 + flip("1/3")
        return items
        """,
    ),
    "a list that shrinks while it is run through": (
        bits(1),
        """
        items = [0, 1, x[0]]
        for item in items:
            if flip("1/2"):
                items.remove(item)
        return items
        """,
    ),
    "keys that come in a random order": (
        bits(1),
        """
        d = {}
        if flip("1/3"):
            d["a"] = 1
            d["b"] = 2
        else:
            d["b"] = 2
            d["a"] = x[0]
        return list(d), list(d.values())
        """,
    ),
    "what is run through once is used up": (
        bits(1),
        """
        pairs = enumerate(x)
        both = zip(x, x)
        odd = (v for v in x if flip("1/3"))
        return list(pairs), list(pairs), list(both), sum(1 for _ in both), sum(odd), sum(odd)
        """,
    ),
    "any stops at the first": (
        bits(2),
        """
        seen = []
        found = any(seen.append(v) or flip("1/2") for v in x)
        return found, seen
        """,
    ),
}
"""Programs on which the ways once parted."""


@pytest.mark.parametrize("name", FOUND)
def test_programs_that_were_once_wrong(name: str) -> None:
    domain, body = FOUND[name]
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    header = "from taut import discrete, flip, mechanism, observe, uniform\n\n\n@mechanism\ndef generated(x):\n"
    program = GeneratedProgram(header + lines + "\n", {"x": domain})
    refusals = (UnsupportedValue, UnsupportedSyntax) if name in REFUSED else ()
    with contextlib.suppress(*refusals):
        check_program(program)


REFUSED = frozenset(
    {
        "an item that changes while its list is run through",
        "a list that grows while it is run through",
        "a list that shrinks while it is run through",
        "keys that come in a random order",
        "what is run through once is used up",
        "any stops at the first",
    }
)
"""Those that may be refused rather than followed."""
