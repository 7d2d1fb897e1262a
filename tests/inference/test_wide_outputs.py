"""Outputs of many values, of which each node leads on from few: counts, distributions, tables are those enumerated."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from taut import Model, OutOfTime, exp, flip, ints, mechanism, observe, uniform
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import EXACT
from taut.inference import distribution as distributions
from taut.inference.beliefs import Beliefs
from taut.inference.distribution import count_outputs, distribution
from taut.inference.table import exact_table
from taut.support.limits import limits

SEEDS = range(8)
SIDES, STEPS = 3, 40
INPUTS = list(itertools.product((0, 1), repeat=2))
Tables = tuple[list[int], list[int], list[bool]]


@mechanism
def looked_up(x: Any, first: Any, second: Any, seen: Any, p: Any) -> Any:
    a, b, step = uniform(0, SIDES - 1), flip(p), uniform(1, STEPS)
    place = (x[0] * 2 + x[1]) * SIDES + a
    observe(seen[place] or (b and step > 2))
    return (first[place] + (x[1] if b else 10 * step), second[a] * step + b)


def some_tables(seed: int) -> Tables:
    """Return lookups: some values twice, and evidence that rules out some runs, or all of an input and its draws."""
    draw = random.Random(seed)
    places = 4 * SIDES
    return (
        [draw.choice((draw.randrange(50), 7)) for _ in range(places)],
        [draw.randrange(3) for _ in range(SIDES)],
        [draw.random() < 0.5 for _ in range(places)],
    )


def model_of(tables: Tables, p: Any = "1/3") -> Model:
    return looked_up(ints(2, 0, 1), first=tables[0], second=tables[1], seen=tables[2], p=p)


def enumerated(tables: Tables, x: tuple[int, ...], p: Fraction = Fraction(1, 3)) -> dict[Any, Fraction]:
    """The masses of the outputs that evidence leaves, by going through all coins."""
    first, second, seen = tables
    masses: Counter[Any] = Counter()
    for a, b, step in itertools.product(range(SIDES), (False, True), range(1, STEPS + 1)):
        place = (x[0] * 2 + x[1]) * SIDES + a
        if seen[place] or (b and step > 2):
            y = (first[place] + (x[1] if b else 10 * step), second[a] * step + b)
            masses[y] += (p if b else 1 - p) / SIDES / STEPS  # type: ignore[assignment]
    return dict(masses)  # type: ignore[arg-type]


def values_of(relation: Relation, positions: Any) -> Any:
    return tuple(output.values[place] for output, place in zip(relation.outputs, positions, strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_distributions_and_tables_are_those_enumerated(seed: int) -> None:
    tables = some_tables(seed)
    relation = model_of(tables).channel().relation
    table = exact_table(relation, max_beliefs=10**6)
    shape = table.numbers.shape[2:]
    assert max(shape) > STEPS
    for x in INPUTS:
        expected = enumerated(tables, x)
        assert count_outputs(relation, x) == len(expected)
        found = distribution(relation, x, EXACT, max_outcomes=shape[0] * shape[1])
        assert {values_of(relation, y): mass for y, mass in found.items()} == expected
        row = [table.values[number] for number in table.numbers[x].ravel()]
        cells = zip(itertools.product(*map(range, shape)), row, strict=True)
        assert {values_of(relation, y): mass for y, mass in cells if mass} == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("p", ["1/3", exp("-1")])
def test_splitting_a_belief_gives_the_belief_after_every_value(seed: int, p: Any) -> None:
    beliefs = Beliefs(model_of(some_tables(seed), p).channel().relation)
    draw, lost = random.Random(seed), 0
    for _ in range(4):
        belief = beliefs.start
        for number, level in enumerate(beliefs.arrays.levels):
            if level.kind == "coin":
                belief = beliefs.after(number, belief)
                continue
            rest, branches = beliefs.split(number, belief)
            lost += len(branches) < level.arity
            for value in range(level.arity):
                assert branches.get(value, rest) == beliefs.after(number, belief, value)
            belief = branches[draw.choice(sorted(branches))] if branches else rest
    assert lost


def test_counting_that_would_look_at_too_much_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = some_tables(0)
    relation = model_of(tables).channel().relation
    for cells in range(0, 200, 20):
        monkeypatch.setattr(distributions, "_CELLS", cells)
        assert count_outputs(relation, (0, 1)) in (None, len(enumerated(tables, (0, 1))))
    monkeypatch.setattr(distributions, "_CELLS", 1)
    assert count_outputs(relation, (0, 1)) is None


def test_counting_looks_at_the_clock_within_one_set_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few sets of nodes there are, a set of many nodes takes long."""
    relation = wide_sum(ints(2, 0, 1)).channel().relation
    ticks = itertools.count()
    monkeypatch.setattr("taut.support.limits.clock", lambda: float(next(ticks)))
    with limits(seconds=2), pytest.raises(OutOfTime):
        count_outputs(relation, (0, 1))


@mechanism
def wide_sum(x: Any) -> Any:
    return [x[0] + uniform(0, 4000) % 3000 + uniform(0, 1), x[1]]
