"""Meetings: the best combination is the one that multiplying all of them gives, however they are looked at."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import pytest
from tests.synthesis.search.test_hull import layer_of, question

from taut import INFINITY
from taut.synthesis.search import meet
from taut.synthesis.search.question import SearchBudget

Pair = tuple[list[int], list[int]]
SIZES = (1, 2, 7, 10**3, 10**12, 10**40)
"""Entries that differ so much that what floats leave out of a vector matters."""


def drawn_pairs(draw: random.Random, count: int, zeros: bool) -> list[Pair]:
    def vector() -> list[int]:
        entries = [draw.choice(SIZES) * draw.randint(1, 9) for _ in range(2)]
        return [entry * (draw.random() > 0.2) for entry in entries] if zeros else entries

    return [(vector(), vector()) for _ in range(count)]


def quotient(above: Pair, below: Pair) -> Any:
    """The ratio of the two runs' masses; None where there is neither, which is no outcome."""
    mass, mass_prime = (sum(b * f for b, f in zip(*run, strict=True)) for run in zip(above, below, strict=True))
    return None if mass == 0 else INFINITY if mass_prime == 0 else Fraction(mass, mass_prime)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("matrices", [True, False])
def test_the_best_of_all_combinations_is_met(largest: bool, matrices: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if matrices:
        monkeypatch.setattr(meet, "_WORTH", 1)
        monkeypatch.setattr(meet, "_SPARSE", 1)
        monkeypatch.setattr(meet, "_GATHERED", 1 << 30)
    asked, draw = replace(question(), largest=largest), random.Random(5)
    for _ in range(60):
        # in blocks of a few rows the first ones tell what the others have to beat
        monkeypatch.setattr(meet, "_CELLS", draw.choice([1, 12, 1 << 21]))
        above, below = (drawn_pairs(draw, draw.randint(1, 9), largest and draw.random() < 0.3) for _ in range(2))
        values = {
            (row, column): value
            for row, own in enumerate(above)
            for column, other in enumerate(below)
            if (value := quotient(own, other)) is not None
        }
        best = (max if largest else min)(values.values(), default=None)
        bars = [None] if best in (None, INFINITY) else [None, best, best * 2, best / 2]
        for bar in bars:
            beaten = None if bar is None else flint.fmpq(bar.numerator, bar.denominator)
            met = meet.meet(asked, layer_of(above), layer_of(below), beaten, SearchBudget())
            if best is None or (bar is not None and not (best > bar if largest else best < bar)):
                assert met is None
            else:
                assert met is not None and met.items is not None
                assert best == values[met.items]
                assert met.value == (best if best == INFINITY else flint.fmpq(best.numerator, best.denominator))
