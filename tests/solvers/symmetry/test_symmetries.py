"""Symmetries that are found hold by brute force, their orbits cover everything exactly once, claims are told apart."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.generator import GeneratedProgram, loaded, programs

from taut import (
    InvalidNeighbors,
    InvalidSymmetry,
    Model,
    NoNeighbors,
    TautError,
    bits,
    categories,
    discrete,
    exp,
    flip,
    geometric,
    integer,
    ints,
    mechanism,
    observe,
    uniform,
)
from taut.ir import enumerate_outcomes
from taut.measures import LargestRatio
from taut.mechanisms import (
    above_threshold,
    exponential_mechanism,
    histogram,
    k_ary_randomized_response,
    permute_and_flip,
    prefix_sums,
    randomized_response,
    report_noisy_max,
    rr_count,
    sparse_vector,
    subset_selection,
    symmetric_unary_encoding,
)
from taut.neighbors import neighbors_of
from taut.solvers import Budget, Problem
from taut.solvers.by_symmetry import BySymmetry
from taut.solvers.symmetry import Orbits, Permutation


def orbit_classes(model: Model, neighbors: Any) -> list[Any]:
    """All different quotients with their counts, from one triple of each orbit."""
    return BySymmetry().classes(Problem(model.channel(), neighbors_of(neighbors), LargestRatio()), Budget())


# -- mechanisms --------------------------------------------------------------------------------------------------


@mechanism
def planted(x: Any, lam: Any, mu: Any, odd: Any) -> Any:
    """Randomized response in which one client has another lambda."""
    return [bit ^ flip(mu if i == odd else lam) for i, bit in enumerate(x)]


@mechanism
def backwards(x: Any, lam: Any) -> Any:
    """Randomized response, the answers given in the opposite order."""
    return [bit ^ flip(lam) for bit in x][::-1]


@mechanism
def noise_only(x: Any) -> Any:
    """Only the first entry matters, and the second output is pure noise."""
    return [x[0] ^ flip("1/3"), uniform(0, 2)]


@mechanism
def products(x: Any, z: Any) -> Any:
    """Records spread over two databases."""
    return sum(a * b for a, b in zip(x, z, strict=True)) + flip("1/3")


@mechanism
def mixed(x: Any, z: Any) -> Any:
    return geometric(sum(x) + z[0], "1/2", 0, 3)


@mechanism
def told_lies(x: Any, lam: Any) -> Any:
    """Randomized response of which we know that it lied to somebody."""
    coins = [flip(lam) for _ in x]
    observe(any(coins))
    return [bit ^ coin for bit, coin in zip(x, coins, strict=True)]


@mechanism
def top_two(x: Any) -> Any:
    """Two different indices, at random or by size."""
    first = discrete({0: "1/3", 1: "1/3", 2: "1/3"})
    second = (first + 1 + flip("1/2")) % 3
    return [first, second] if x[first] >= x[second] else [second, first]


@mechanism
def pairs_of_entries(x: Any) -> Any:
    """Blocks of two entries matter together."""
    return (x[0] and not x[1]) + (x[2] and not x[3]) + flip("1/4")


@mechanism
def letters(x: Any) -> Any:
    return [discrete({v: "1/2" if v == entry else "1/4" for v in ("a", "b", "c")}) for entry in x]


@mechanism
def constant(x: Any) -> Any:
    return 7


SMALL: dict[str, Model] = {
    "rr": randomized_response(bits(3), lam="1/5"),
    "rr_count": rr_count(bits(4), lam="1/5"),
    "fair": randomized_response(bits(3), lam="1/2"),
    "backwards": backwards(bits(3), lam="1/5"),
    "planted": planted(bits(4), "1/3", "1/4", 2),
    "noise_only": noise_only(bits(3)),
    "products": products(bits(2), bits(2)),
    "mixed": mixed(bits(2), ints(1, 0, 2)),
    "told_lies": told_lies(bits(3), "1/3"),
    "top_two": top_two(ints(3, 0, 1)),
    "pairs": pairs_of_entries(bits(4)),
    "letters": letters(categories(2, ["a", "b", "c"])),
    "constant": constant(ints(2, 0, 2)),
    "integer": mechanism(lambda x: geometric(x, "1/2", 0, 4))(integer(0, 4)),
    "k_ary": k_ary_randomized_response(ints(2, 0, 2), k=3, lam="1/3"),
    "unary": symmetric_unary_encoding(ints(2, 0, 2), k=3, lam="1/4"),
    "histogram": histogram(ints(3, 0, 1), k=2, ratio="1/2"),
    "noisy_max": report_noisy_max(ints(3, 0, 1), ratio="1/2", high=1),
    "exponential": exponential_mechanism(ints(3, 0, 2), base=2),
    "permute_and_flip": permute_and_flip(ints(3, 0, 1), base=2),
    "above": above_threshold(ints(3, 0, 1), threshold=1, ratio="1/2", high=1),
    "sparse": sparse_vector(ints(3, 0, 1), threshold=1, ratio="1/2", high=1, c=1),
    "prefix": prefix_sums(bits(3), ratio="1/2"),
    "subsets": subset_selection(ints(2, 0, 2), k=3, omega=2, base=3),
}
every_small = pytest.mark.parametrize("name", SMALL)


def positions(model: Model) -> list[tuple[int, ...]]:
    return list(itertools.product(*[range(len(variable.values)) for variable in model.relation.inputs]))


def outputs(model: Model) -> list[tuple[int, ...]]:
    return list(itertools.product(*[range(len(variable.values)) for variable in model.relation.outputs]))


def truth(model: Model) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction]:
    """All probabilities, by positions, from the enumerator."""
    found = {}
    for x in positions(model):
        entries = [v.values[place] for v, place in zip(model.relation.inputs, x, strict=True)]
        row = enumerate_outcomes(model.program, model.program.database(entries))
        codes = {tuple(model.relation.encode(y) or ()): p for y, p in row.items()}
        for y in outputs(model):
            found[x, y] = codes.get(y, Fraction(0))
    return found


def holds(model: Model, permutation: Permutation, table: Any = None) -> bool:
    table = table or truth(model)
    return all(
        table[tuple(permutation.applied("input", x)), tuple(permutation.applied("output", y))] == p
        for (x, y), p in table.items()
    )


# -- what is found -----------------------------------------------------------------------------------------------


@every_small
def test_what_is_found_holds(name: str) -> None:
    model = SMALL[name]
    table = truth(model)
    group = model.symmetries()
    assert group.complete and all(holds(model, g, table) and holds(model, g.inverse, table) for g in group.generators)
    assert str(group) and repr(group) and group.to_dict() and (group.exact or group.error < Fraction(1, 2**100))


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


@settings(max_examples=40, deadline=None)
@given(program=programs())
def test_random_programs(program: GeneratedProgram) -> None:
    with loaded(program) as case:
        try:
            model = case.mechanism(**case.databases, **case.parameters)
            if len(positions(model)) * len(outputs(model)) > 2000:
                return
            table = truth(model)
        except TautError:
            return
        assert all(holds(model, g, table) for g in model.symmetries().generators)
        try:
            exhaustive = model.ratio_classes()
        except NoNeighbors:
            return
        assert [(a.value, a.count) for a in orbit_classes(model, "one_differ")] == [
            (a.value, a.count) for a in exhaustive
        ]


@settings(max_examples=60, deadline=None)
@given(
    chances=st.lists(st.sampled_from(["1/2", "1/3", "1/4"]), min_size=2, max_size=4),
    how=st.sampled_from(["list", "sum", "any"]),
)
def test_clients_are_exchangeable_exactly_if_their_noise_is_alike(chances: list[str], how: str) -> None:
    @mechanism
    def clients(x: Any, chances: Any, how: Any) -> Any:
        answers = [bit ^ flip(chance) for bit, chance in zip(x, chances, strict=True)]
        return answers if how == "list" else sum(answers) if how == "sum" else any(answers)

    model = clients(bits(len(chances)), [Fraction(chance) for chance in chances], how)
    if how == "list" or "1/2" not in chances:
        classes = {tuple(sorted(one.inputs)) for one in model.symmetries().classes if one.inputs}
        wanted = {tuple(i for i, c in enumerate(chances) if c == chance) for chance in chances}
        assert classes == wanted
    exhaustive = [(a.value, a.count) for a in model.ratio_classes()]
    assert [(a.value, a.count) for a in orbit_classes(model, "one_differ")] == exhaustive


# -- the paper's cases -------------------------------------------------------------------------------------------


def test_randomized_response_with_many_clients() -> None:
    n = 500
    model = randomized_response(bits(n), lam="1/5")
    group = model.symmetries()
    assert group.exact and group.cost("one_differ").representatives == 2 * n and group.input_orbits().count == 1
    assert len(model.privacy_set()) == 2 * n and len(model.inference_set()) == n + 1
    bound = model.privacy(method="restricted")
    assert bound.max_ratio == 4 and bound.count == n * 2 ** (2 * n - 1) and bound.verify()
    ratios = [(one.value, one.count) for one in model.worst_pairs()]
    assert ratios == [(4, n * 2 ** (2 * n - 1)), (Fraction(1, 4), n * 2 ** (2 * n - 1))]


def test_one_different_client_among_many() -> None:
    n = 60
    model = planted(bits(n), "1/5", "1/4", 30)
    group = model.symmetries()
    assert group.exact and sorted(one.size for one in group.classes) == [1, n - 1]
    ratios = [(one.value, one.count) for one in model.worst_pairs(top=2)]
    assert ratios == [(4, (n - 1) * 2 ** (2 * n - 1)), (3, 2 ** (2 * n - 1))]
    assert not model.check_symmetry(entries={29: 30, 30: 29}, outputs={29: 30, 30: 29})
    assert model.check_symmetry(entries={29: 31, 31: 29}, outputs={29: 31, 31: 29}).exact


def test_the_count_has_one_input_for_each_number_of_ones() -> None:
    n = 100
    model = rr_count(bits(n), lam="1/5")
    group = model.symmetries()
    assert group.exact and [count for _, count in group.inputs()] == [math.comb(n, i) for i in range(n + 1)]
    assert len(model.accuracy_set(sum)) == n + 1


def test_worst_inputs_beyond_what_can_be_listed() -> None:
    n = 30
    model = rr_count(bits(n), lam="1/5")
    worst = model.worst_inputs(sum, 3, top=3)
    assert [one.count for one in worst] == [2, 2 * n, 2 * math.comb(n, 2)]
    restricted = model.accuracy(sum, 3, method="restricted")
    assert restricted.probability == worst[0].value and restricted.verify() and restricted.count == 2
    assert model.accuracy_set(sum).verify(model, sum, 3)
    assert sum(one.count for one in model.input_classes(sum, 3)) == 2**n
    pairs = model.worst_pairs(top=2)
    assert pairs[0].value == 4 and pairs[0].count == n * 2**n and len(pairs) == 2
    assert model.privacy_set().verify(model)


@pytest.mark.parametrize("name", ["rr_count", "mixed", "noisy_max", "exponential", "products"])
def test_accuracy_with_symmetries_is_accuracy(name: str) -> None:
    model = SMALL[name]
    several = isinstance(model.domain, tuple)
    target: Any = (lambda x: sum(x[0]) + x[1][0]) if several else (lambda x: x[0])
    for aim in (target, (lambda x: 0)):
        found = model.accuracy_set(aim)
        assert found.verify(model, aim, 0) and found.verify(model, aim, 1)
        restricted, exhaustive = model.accuracy(aim, 1, method="restricted"), model.accuracy(aim, 1)
        assert restricted.probability == exhaustive.probability and restricted.count == exhaustive.count


def test_a_target_that_tells_entries_apart_is_not_taken_for_symmetric() -> None:
    model = rr_count(bits(5), lam="1/5")
    assert len(model.accuracy_set(sum)) == 6
    assert len(model.accuracy_set(lambda x: x[0] + sum(x[1:]) * 2)) > 6
    assert model.accuracy_set(lambda x: 3 * x[0]).verify(model, lambda x: 3 * x[0], 1)


def test_an_output_that_moves_with_the_entries_is_followed() -> None:
    model = exponential_mechanism(ints(3, 0, 2), base=2)
    best = lambda x: x.index(max(x))  # noqa: E731
    assert model.accuracy_set(best).verify(model, best, 0)


# -- which hold and which do not ---------------------------------------------------------------------------------


def test_order_matters_above_a_threshold() -> None:
    assert all(one.size == 1 for one in SMALL["above"].symmetries().classes)
    # of equal noisy scores the first is reported
    assert all(one.size == 1 for one in SMALL["noisy_max"].symmetries().classes)
    assert above_threshold(ints(3, 0, 2), threshold=1, ratio="1/2", high=3).symmetries().trivial
    assert "nothing may be moved" in str(report_noisy_max(ints(3, 0, 2), ratio="1/2", high=2).symmetries())


def test_selection_moves_the_index_along() -> None:
    (one,) = [one for one in SMALL["exponential"].symmetries().classes if one.inputs]
    assert one.size == 3 and one.pointers == {("output", 0): (0, 1, 2)}
    assert "move along" in str(SMALL["exponential"].symmetries())


def test_a_different_client_stands_alone() -> None:
    classes = [sorted(one.inputs) for one in SMALL["planted"].symmetries().classes]
    assert classes == [[0, 1, 3], [2]]
    check = SMALL["planted"].check_symmetry(entries={1: 2, 2: 1}, outputs={1: 2, 2: 1})
    assert not check and check.counterexample is not None
    case = check.counterexample
    assert SMALL["planted"].probability(case.x, case.y) == case.probability != case.probability_moved
    assert SMALL["planted"].probability(case.x_moved, case.y_moved) == case.probability_moved
    with pytest.raises(InvalidSymmetry, match="no symmetry"):
        check.demand()


@every_small
def test_every_exchange_is_decided_as_by_brute_force(name: str) -> None:
    model = SMALL[name]
    table = truth(model)
    inputs = model.relation.inputs
    for i, j in itertools.combinations(range(len(inputs)), 2):
        if inputs[i].values == inputs[j].values:
            check = model.check_symmetry(entries={i: j, j: i})
            wanted = Permutation(
                {
                    ("input", i): (("input", j), tuple(range(len(inputs[i].values)))),
                    ("input", j): (("input", i), tuple(range(len(inputs[i].values)))),
                }
            )
            assert bool(check) == holds(model, wanted, table)
            if check:
                assert check.exact and str(check)
                check.demand()
            elif name != "told_lies":
                assert check.counterexample is not None and check.exact
                assert check.counterexample.probability != check.counterexample.probability_moved


def test_claims_about_values_and_outputs() -> None:
    assert SMALL["rr"].check_symmetry(values={1: {0: 1, 1: 0}}, output_values={1: {0: 1, 1: 0}})
    assert SMALL["rr"].check_symmetry(values={0: 1, 1: 0}, output_values={0: 1, 1: 0})
    assert not SMALL["rr"].check_symmetry(values={0: 1, 1: 0})
    assert SMALL["rr_count"].check_symmetry(values={0: 1, 1: 0}, outputs=lambda y: 4 - y)
    assert SMALL["rr_count"].check_symmetry(values={0: 1, 1: 0}, outputs={0: 4, 1: 3, 3: 1, 4: 0})
    assert SMALL["rr"].check_symmetry(entries=[1, 2, 0], outputs=[1, 2, 0])
    assert SMALL["backwards"].check_symmetry(entries=[1, 2, 0], outputs=[2, 0, 1])
    assert SMALL["told_lies"].check_symmetry(entries=[1, 0, 2], outputs=[1, 0, 2])


@pytest.mark.parametrize(
    "claim",
    [
        {"entries": {0: 1}},
        {"entries": [0, 1]},
        {"entries": 5},
        {"entries": {0: 7, 7: 0}},
        {"values": {0: 1}},
        {"values": {5: 6, 6: 5}},
        {"values": {0: {0: 1}}},
        {"outputs": lambda y: y},
        {"outputs": {0: 9, 9: 0}},
    ],
)
def test_what_is_no_permutation_is_refused(claim: Any) -> None:
    with pytest.raises(InvalidSymmetry):
        SMALL["rr"].check_symmetry(**claim)
    with pytest.raises(InvalidSymmetry):
        SMALL["rr_count"].check_symmetry(outputs=5)


def test_relations_without_structure_are_refused() -> None:
    with pytest.raises(InvalidNeighbors, match="symmetries need"):
        SMALL["rr"].privacy(lambda x, other: x[0] != other[0], method="restricted")


def test_weights_with_exp_are_unknowns() -> None:
    group = randomized_response(bits(4), lam=exp("-2")).symmetries()
    assert not group.exact and group.error < Fraction(1, 2**100) and "2^-1" in group.method
    assert [one.size for one in group.classes] == [4] and group.classes[0].local
    mixed_lam = planted(bits(3), exp("-2"), exp("-3"), 0).symmetries()
    assert [sorted(one.inputs) for one in mixed_lam.classes] == [[0], [1, 2]]
    bound = randomized_response(bits(4), lam=exp("-2")).privacy(method="restricted")
    assert "wrong with probability below" in bound.method and bound.count == 4 * 2**7


# -- permutations ------------------------------------------------------------------------------------------------


@given(st.permutations(range(4)), st.permutations(range(3)), st.permutations(range(3)))
def test_permutations_form_a_group(places: list[int], values: list[int], others: list[int]) -> None:
    one = Permutation({("input", i): (("input", places[i]), tuple(values)) for i in range(4)})
    other = Permutation({("input", i): (("input", i), tuple(others)) for i in range(4)})
    x = [0, 2, 1, 1]
    assert one.then(other).applied("input", x) == other.applied("input", one.applied("input", x))
    assert one.inverse.applied("input", one.applied("input", x)) == x and not one.then(one.inverse)
    assert one.then(other).inverse == other.inverse.then(one.inverse)
