"""Groups of nodes that lead to different outputs, which loss distributions are split into."""

import random

import pytest

from taut.inference.loss import _apart


def _meet(a, b):
    return all(own & other for own, other in zip(a, b, strict=True))


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", range(40))
def test_groups_share_nothing_and_cannot_be_split(width, seed):
    chosen = random.Random(seed)
    masks = [[1 << chosen.randrange(9) | chosen.choice([0, 1 << chosen.randrange(9)])] * width for _ in range(12)]
    groups = _apart(masks)
    assert sorted(place for members, _ in groups for place in members) == list(range(12))
    for members, union in groups:
        assert union == [sum({bit for place in members for bit in _bits(masks[place][k])}) for k in range(width)]
        linked = {members[0]}
        while more := {b for b in members for a in linked if _meet(masks[a], masks[b])} - linked:
            linked |= more
        assert linked == set(members)
    for place, (_, union) in enumerate(groups):
        assert not any(_meet(union, other) for _, other in groups[place + 1 :])


def _bits(mask):
    return {1 << place for place in range(mask.bit_length()) if mask >> place & 1}
