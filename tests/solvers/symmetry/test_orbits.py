"""Orbits cover every case exactly once, and are those of the group by brute force."""

import itertools
from collections import Counter
from typing import Any

import pytest
from tests.solvers.symmetry.small import SMALL, every_small, outputs, positions

from taut import InvalidNeighbors
from taut.neighbors import neighbors_of
from taut.solvers.symmetry import Orbits, Permutation


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
    relation: Any = neighbors_of(neighbors)
    values = [variable.values for variable in model.relation.inputs]
    everything = [tuple(v[p] for v, p in zip(values, x, strict=True)) for x in positions(model)]
    related = sum(relation.related_entries(a, b) for a in everything for b in everything)
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
    orbits = model._orbit_ratios(neighbors)
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


def test_relations_without_structure_are_refused() -> None:
    with pytest.raises(InvalidNeighbors, match="symmetries need"):
        SMALL["rr"].privacy(lambda x, other: x[0] != other[0], method="restricted")
