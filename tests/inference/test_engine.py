"""The choice among inference engines: by cost, with the reason told, and at whatever cost if nothing else is left."""

from __future__ import annotations

from typing import Any

import pytest

from taut import bits, dice
from taut.inference.elimination.masses import ByTables
from taut.inference.engine import ByRelation, EnginePlan, InferenceQuery, weighed
from taut.inference.sums import BySumOfParts
from taut.mechanisms import rr_count
from taut.program import enumerate_outcomes
from taut.support.errors import DiagramTooLarge
from taut.support.options import Options


class Engine:
    """An engine with a cost, which answers with its own name; it notes the nodes that it was given."""

    def __init__(self, name: str, cost: int | None, needs: int = 0, thorough: bool = False) -> None:
        self.name, self.cost, self.needs, self.thorough = name, cost, needs, thorough
        self.given: list[int | None] = []

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        return None if self.thorough and not thorough else EnginePlan(self.cost, self.masses, f"it is {self.name}")

    def masses(self, nodes: int | None) -> dict[Any, Any]:
        self.given.append(nodes)
        if nodes is not None and nodes < self.needs:
            raise DiagramTooLarge("too large.", value=nodes)
        return {self.name: 1}


def query(program: Any = None, **given: Any) -> InferenceQuery:
    return InferenceQuery("any", (), program, Options(), lambda _: pytest.fail("not asked for"), **given)


def test_the_first_that_is_surely_cheap_answers() -> None:
    engines = [Engine("untold", None), Engine("dear", 7), Engine("free", 0), Engine("free too", 0)]
    found = weighed(query(), engines)
    assert (found.masses, found.engine, found.why) == ({"free": 1}, "free", "it is free")
    assert [engine.given for engine in engines] == [[], [], [None], []]


def test_an_untold_cost_is_tried_within_the_least_that_is_known() -> None:
    small, large = Engine("diagram", None, needs=5), Engine("diagram", None, needs=50)
    assert weighed(query(), [small, Engine("dear", 90), Engine("tables", 7)]).engine == "diagram"
    assert weighed(query(), [large, Engine("dear", 90), Engine("tables", 7)]).engine == "tables"
    assert small.given == large.given == [7]


def test_what_is_planned_thoroughly_comes_last() -> None:
    class Refusing(Engine):
        def masses(self, nodes: int | None) -> dict[Any, Any]:
            raise DiagramTooLarge("too large.", value=nodes)

    late = Engine("tables", 10**9, thorough=True)
    assert weighed(query(), [Refusing("diagram", None), late]).engine == "tables"
    with pytest.raises(DiagramTooLarge):
        weighed(query(), [Refusing("diagram", None)])


def test_all_engines_give_the_enumerated_distribution() -> None:
    x = (0, 1) * 16
    counted = rr_count(bits(32), lam="1/5")
    asked = InferenceQuery(counted.name, x, counted.program, Options(), lambda _: (counted.channel(), x))
    by_sums, by_relation = (weighed(asked, [engine]) for engine in (BySumOfParts(), ByRelation()))
    assert by_sums.masses == by_relation.masses and (by_sums.engine, by_relation.engine) == ("sums", "relation")
    model = dice("let a = flip 1/3 in let b = if a then flip 1/5 else flip 2/7 in (a, b)\n")
    asked = InferenceQuery(model.name, (), model.program, Options(), lambda _: (model.channel(), ()))
    found = [weighed(asked, [engine]).masses for engine in (ByTables(), ByRelation())]
    assert found[0] == found[1] == enumerate_outcomes(model.program, ())
