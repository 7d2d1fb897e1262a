"""Witnesses are whole: outputs that no step decides, inputs that nothing reads and coins that nobody sees."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.search.test_engine import RELATIONS, THOROUGH, check_accuracy, check_privacy

from taut import Model, bits, categories, flip, ints, mechanism, observe


@mechanism
def vanishing(x):
    bit = flip("1/3") + x[0] * 0
    return [bit * 0, bit + bit]


@mechanism
def settled(x):
    return "always"


@mechanism
def alike(x):
    bit = x[0] ^ flip("1/3")
    return [bit, 1, bit, bit and bit]


@mechanism
def early(x):
    """An index that is settled early, between constants."""
    for index, value in enumerate(x):
        if flip("1/2" if value else "1/5"):
            return [0, index, "stopped"]
    return [0, len(x), "stopped"]


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("given_mechanism", [vanishing, settled, alike, early], ids=lambda given: given.__name__)
def test_outputs_that_no_step_decides(given_mechanism: Any, neighbors: str) -> None:
    check_privacy(given_mechanism(bits(3)), neighbors)
    check_privacy(given_mechanism(ints(2, 1, 1)), neighbors)


PARTS = ("constant", "nothing of a coin", "nothing of an entry", "coin", "entry", "again", "twice", "sum")


@mechanism
def assembled(x, parts, evidence):
    """Components of given kinds; some coins are drawn in vain, some entries are never looked at."""
    unseen = flip("1/7")
    bit = x[0] ^ flip("1/3")
    if evidence:
        observe(bit or flip("1/2"))
    shown = []
    for part in parts:
        if part == "constant":
            shown.append("c")
        elif part == "nothing of a coin":
            shown.append(unseen * 0)
        elif part == "nothing of an entry":
            shown.append(x[-1] * 0 + 1)
        elif part == "coin":
            shown.append(flip("2/5"))
        elif part == "entry":
            shown.append(x[-1] ^ flip("1/4"))
        elif part == "again":
            shown.append(bit)
        elif part == "twice":
            shown.append(bit + bit)
        else:
            shown.append(sum(x) * bit)
    return shown


def is_shown(output: Any, target: Any) -> int:
    return 0 if target in output else 1


@settings(THOROUGH, max_examples=max(30, THOROUGH.max_examples // 3))
@given(
    parts=st.lists(st.sampled_from(PARTS), max_size=5),
    domain=st.sampled_from([bits(1), bits(2), bits(4), ints(2, 0, 2), ints(3, 1, 1), ints(2, 0, 0)]),
    evidence=st.booleans(),
    neighbors=st.sampled_from(RELATIONS),
)
def test_components_that_say_nothing(parts: list[str], domain: Any, evidence: bool, neighbors: str) -> None:
    model: Model = assembled(domain, parts=parts, evidence=evidence)
    check_privacy(model, neighbors)
    check_accuracy(model, lambda x: x[0], 0, is_shown)


def test_entries_with_one_value_beside_others() -> None:
    @mechanism
    def pair(x, y):
        return [x[0], y[0] ^ flip("1/3"), x[0]]

    check_privacy(pair(categories(1, "a"), bits(2)), "one_differ")
