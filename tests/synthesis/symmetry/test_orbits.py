"""Orbits cover every case exactly once, and are those of the group by brute force."""

import itertools
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.synthesis.symmetry.small import SMALL, every_small, orbit_classes, outputs, positions

from taut import InternalFault, bits, ints, parameter
from taut.mechanisms import exponential_mechanism, permute_and_flip, randomized_response
from taut.neighbors import neighbors_of
from taut.program.domains import InputSpace
from taut.synthesis.symmetry import Orbits, Permutation
from taut.synthesis.symmetry.contents import NeighborSteps
from taut.synthesis.symmetry.permutation import arities_of
from taut.synthesis.symmetry.records import Record, RecordClass


@every_small
@pytest.mark.parametrize("neighbors", ["one_differ", "one_step", "all_step"])
def test_orbits_cover_every_case_once(name: str, neighbors: str) -> None:
    model = SMALL[name]
    group = model.symmetries()
    inputs, number = len(positions(model)), len(outputs(model))
    for orbits, total in ((group.input_orbits(), inputs), (group.pair_orbits(), inputs * number)):
        listed = list(orbits)
        assert len(listed) == orbits.count == len(orbits) and sum(orbit.size for orbit in listed) == total
    if name == "letters" and neighbors != "one_differ":
        return
    automaton = neighbors_of(neighbors).automaton(model.space)
    related = sum(automaton.related(a, b) for a in positions(model) for b in positions(model))
    triples = group.triple_orbits(neighbors)
    listed = list(triples)
    assert len(listed) == triples.count and sum(orbit.size for orbit in listed) == related * number
    assert group.cost(neighbors).representatives == triples.count


@every_small
@pytest.mark.parametrize("neighbors", ["one_differ", "one_step", "all_step"])
def test_counts_are_those_of_exhaustive_synthesis(name: str, neighbors: str) -> None:
    model = SMALL[name]
    if name == "letters" and neighbors != "one_differ":
        return
    exhaustive = model.ratio_classes(neighbors)
    orbits = orbit_classes(model, neighbors)
    assert [(one.value, one.count) for one in orbits] == [(one.value, one.count) for one in exhaustive]
    bound = model.privacy(neighbors, method="restricted")
    assert bound.max_ratio == exhaustive[0].value and bound.count == exhaustive[0].count
    assert bound.verify() and bound.method == "restricted"
    assert model.privacy_set(neighbors).verify(model, neighbors)


def orbit_sizes(orbits: Orbits) -> Counter[int]:
    return Counter(orbit.size for orbit in orbits)


def closure(items: list[Any], moves: list[Any]) -> Counter[int]:
    """The sizes of orbits by brute force."""
    seen: set[Any] = set()
    sizes: Counter[int] = Counter()
    for item in items:
        if item in seen:
            continue
        orbit, queue = {item}, [item]
        for here in queue:
            for move in moves:
                there = move(here)
                if there not in orbit:
                    orbit.add(there)
                    queue.append(there)
        seen |= orbit
        sizes[len(orbit)] += 1
    return sizes


@every_small
def test_orbits_are_those_of_the_group(name: str) -> None:
    model = SMALL[name]
    group = model.symmetries()
    used = [g for one in group.classes for g in (*one.swaps, *one.local)]

    def mover(g: Permutation) -> Any:
        return lambda pair: (tuple(g.applied("input", pair[0])), tuple(g.applied("output", pair[1])))

    pairs = list(itertools.product(positions(model), outputs(model)))
    assert orbit_sizes(group.pair_orbits()) == closure(pairs, [mover(g) for g in used])


@pytest.mark.parametrize("name", ["rr", "rr_count", "noisy_max", "above"])
def test_any_relation_keeps_the_symmetries_that_preserve_it(name: str) -> None:
    """Relations that single out entries, values or inputs, listed or by a predicate: some symmetries are lost."""
    model = SMALL[name]
    inputs = list(model.domain)
    relations: list[Any] = [
        lambda x, other: x[0] != other[0],
        lambda x, other: x[0] == other[0] and x[1] != other[1],
        lambda x, other: x[1] != other[1] or x[2] != other[2],
        [(inputs[0], inputs[-1]), (inputs[1], inputs[0])],
        list(itertools.pairwise(inputs)),
    ]
    for relation in relations:
        exhaustive = model.ratio_classes(relation)
        orbits = orbit_classes(model, relation)
        assert [(one.value, one.count) for one in orbits] == [(one.value, one.count) for one in exhaustive]
        assert model.privacy(relation, method="restricted").max_ratio == exhaustive[0].value


def random_relations(inputs: list[Any], source: random.Random) -> list[Any]:
    """Predicates and listed pairs: single pairs, a share of all, and pairs that agree but for some entries."""
    every = [(a, b) for a in inputs for b in inputs if a != b]
    some = set(source.sample(every, source.randint(1, len(every))))
    relations: list[Any] = [source.sample(every, 1), sorted(some), lambda a, b: (a, b) in some]
    if isinstance(inputs[0], tuple) and not isinstance(inputs[0][0], tuple):
        free = set(source.sample(range(len(inputs[0])), source.randint(1, len(inputs[0]))))
        relations.append(lambda a, b: a != b and all(a[i] == b[i] for i in range(len(a)) if i not in free))
    return relations


@every_small
def test_no_relation_loses_a_case(name: str) -> None:
    """Random relations, most of which keep no symmetry: outputs that name a record, or belong to one, stay."""
    model, source = SMALL[name], random.Random(name)
    inputs = [model.space.at(row) for row in positions(model)]
    for relation in random_relations(inputs, source):
        exhaustive, orbits = model.ratio_classes(relation), orbit_classes(model, relation)
        assert [(one.value, one.count) for one in orbits] == [(one.value, one.count) for one in exhaustive]


@pytest.mark.parametrize("maker", [exponential_mechanism, permute_and_flip])
def test_no_relation_loses_a_case_of_a_closed_form(maker: Any) -> None:
    free, source = maker(bits(3), base=parameter("b", 1, 4)), random.Random(5)
    for relation in random_relations(list(bits(3)), source):
        restricted = free.privacy(relation, method="restricted")
        for base in (1, 2, "7/2"):
            assert restricted.at(base) == maker(bits(3), base=base).privacy(relation, method="exhaustive").max_ratio


@pytest.mark.parametrize("name", ["exponential", "permute_and_flip", "top_two"])
def test_orbits_that_lack_cases_are_a_fault(name: str) -> None:
    """Outputs that no record is said to be named by, or that are named twice, would be left out, or counted twice."""
    group = SMALL[name].symmetries()
    (whole,) = [one for one in group.classes if one.pointers]
    others = [one for one in group.classes if one is not whole]
    alone = [whole.part(place, place + 1) for place in range(whole.size)]
    assert sum(orbit.size for orbit in replace(group, classes=(*others, *alone)).pair_orbits()) > 0
    for wrong in ([*alone, alone[-1]], alone[:-1]):
        broken = replace(group, classes=(*others, *wrong))
        with pytest.raises(InternalFault, match="cases"):
            list(broken.pair_orbits())


def test_a_relation_that_permuting_entries_preserves_keeps_the_group() -> None:
    model = randomized_response(bits(30), lam="1/5")
    group = model.symmetries()
    more = model.neighbors(lambda x, other: sum(x) < sum(other))
    steps = NeighborSteps(more, group.space, group.classes, arities_of(group.relation))
    assert [one.size for one in steps.preserving(group.classes)] == [30]
    assert group.triple_orbits("one_differ").count < group.triple_orbits(more).count < 10**7


@pytest.mark.parametrize(
    ("names", "relation", "sizes"),
    [
        ((0, 1, 2), "one_step", [2]),
        ((2, 1, 0), "one_step", [2]),
        ((0, 2, 1), "one_step", [1, 1]),
        ((1, 2, 0), "all_step", [1, 1]),
        ((0, 2, 1), "one_differ", [2]),
    ],
)
def test_records_whose_values_correspond_in_another_order(
    names: tuple[int, ...], relation: str, sizes: list[int]
) -> None:
    """Exchanging two entries whose values correspond in another order may keep no steps."""
    records = tuple(Record((("input", entry),), (values,)) for entry, values in enumerate([(0, 1, 2), names]))
    classes, arities = [RecordClass(records)], {("input", 0): 3, ("input", 1): 3}
    steps = NeighborSteps(neighbors_of(relation), InputSpace((ints(2, 0, 2),)), classes, arities)
    assert [one.size for one in steps.preserving(classes)] == sizes
