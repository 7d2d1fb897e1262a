"""Counting pairs of numbers in blocks: each key has its count and its first case, in whatever order the blocks come."""

import random

import numpy as np
import pytest

from taut import bits, mechanism
from taut.neighbors.blocks import blocks
from taut.synthesis.exhaustive import tally as counting
from taut.synthesis.exhaustive.tally import tally
from taut.synthesis.walk import CaseOrder


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("few", [0, 1 << 12])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_blocks_does_not_matter(
    seed: int, few: int, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_FEW_KEYS", few)
    monkeypatch.setattr(counting, "_MOST_KEYS", few)
    model = mechanism(lambda x: x)(bits(3))
    automaton = model.neighbors("one_differ").automaton(model.space)
    order = CaseOrder((2, 2, 2), (2,), listed)
    table = np.random.default_rng(seed).integers(0, 3, (2, 2, 2, 2)).astype(np.int32)
    parts = list(blocks(automaton, 4, listed=listed))
    expected: dict[int, list[int]] = {}
    for part in parts:
        for number in range(table[part.own][..., 0].size):
            x, z = part.pair(number)
            for y in range(2):
                key = int(table[(*x, y)]) * 3 + int(table[(*z, y)])
                expected.setdefault(key, []).append(order.number(x, z, (y,)))
    random.Random(seed).shuffle(parts)
    found = tally(table, table, 3, parts, order, 10)
    got = {key: (n, case) for key, n, case in zip(*map(list, (found.keys, found.counts, found.first)), strict=True)}
    assert got == {key: (len(cases), min(cases)) for key, cases in expected.items()}
