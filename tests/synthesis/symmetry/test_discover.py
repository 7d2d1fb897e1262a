"""Symmetries that are found hold by brute force, and those that should be found are."""

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.synthesis.symmetry.small import SMALL, every_small, holds, orbit_classes, outputs, planted, positions, truth

from taut import NoNeighbors, TautError, bits, exp, flip, ints, mechanism
from taut.mechanisms import above_threshold, randomized_response, report_noisy_max


@every_small
def test_what_is_found_holds(name: str) -> None:
    model = SMALL[name]
    table = truth(model)
    group = model.symmetries()
    assert group.complete and all(holds(model, g, table) and holds(model, g.inverse, table) for g in group.generators)
    assert str(group) and repr(group) and group.to_dict() and (group.exact or group.error < Fraction(1, 2**100))


@settings(max_examples=24, deadline=None)
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


@settings(max_examples=36, deadline=None)
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


def test_weights_with_exp_are_unknowns() -> None:
    group = randomized_response(bits(4), lam=exp("-2")).symmetries()
    assert not group.exact and group.error < Fraction(1, 2**100) and "2^-1" in group.method
    assert [one.size for one in group.classes] == [4] and group.classes[0].local
    mixed_lam = planted(bits(3), exp("-2"), exp("-3"), 0).symmetries()
    assert [sorted(one.inputs) for one in mixed_lam.classes] == [[0], [1, 2]]
    bound = randomized_response(bits(4), lam=exp("-2")).privacy(method="restricted")
    assert "wrong with probability below" in bound.method and bound.count == 4 * 2**7
