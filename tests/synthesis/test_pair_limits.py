"""Time limits of measures of pairs: the clock is looked at within a level, and what was finished by then is kept."""

import itertools
from typing import Any

import pytest

from taut import OutOfTime, bits, flip, mechanism
from taut.inference.loss import pair_quotients
from taut.neighbors import neighbors_of
from taut.support.limits import limits
from taut.synthesis.pairs import losses as pair_walk
from taut.synthesis.pairs.losses import LossCollection
from taut.synthesis.problem import Budget
from taut.synthesis.walk import CaseOrder


@mechanism
def hidden(x: Any) -> Any:
    """Reports of a hidden bit that flips by other chances for every entry: all outputs have ratios of their own."""
    state, out = flip("1/2"), []
    for place, bit in enumerate(x):
        state = state ^ (flip(f"1/{3 + place}") if bit else flip(f"1/{7 + place}"))
        out.append(state ^ flip("1/5"))
    return out


def test_one_level_of_many_branches_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    relation, size = hidden(bits(10)).channel().relation, 10
    looks = itertools.count()
    monkeypatch.setattr("taut.support.limits.clock", lambda: float(next(looks)))
    with limits(seconds=10**6):
        pair_quotients(relation, [0] * size, [1] * size, False, 10**6)
    assert next(looks) > 2 * len(relation.arrays.levels)


def test_pairs_that_were_finished_in_the_grace_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden(bits(4))
    channel = model.channel()
    automaton = neighbors_of("one_differ").automaton(channel.space, channel.reading_order)
    order = CaseOrder(tuple(channel.sizes), ())
    whole = {case.loss.atoms for case in LossCollection(channel, automaton, order, Budget()).run()}
    inner, allowed = pair_walk.pair_loss, 0

    def late() -> Any:
        raise OutOfTime("late.", value=1)

    def few(*given: Any) -> Any:
        if next(calls) >= allowed:
            late()
        return inner(*given)

    monkeypatch.setattr(pair_walk, "pair_loss", few)
    monkeypatch.setattr(LossCollection, "_cases", lambda *_: late())
    for allowed in (1, 2, 3):
        calls = itertools.count()
        walk = LossCollection(channel, automaton, order, Budget())
        found = walk.run()
        assert found and {case.loss.atoms for case in found} <= whole
        assert walk.stopped == "time_limit" and sum(case.count for case in found) == allowed
    allowed, calls = 0, itertools.count()
    with pytest.raises(OutOfTime):
        LossCollection(channel, automaton, order, Budget()).run()
