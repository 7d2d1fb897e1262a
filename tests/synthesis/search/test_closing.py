"""Closing: runs that are equal so far are taken for settled only where they can be completed to a whole pair."""

import itertools
import random
from fractions import Fraction
from typing import Any

import taut
from taut import bits, discrete, flip, mechanism, observe

RELATED = [((own, *rest), (1 - own, *rest)) for own in (0, 1) for rest in itertools.product((0, 1), repeat=2)]


@mechanism
def died_later(x: Any, rows: Any, dies: Any, show: Any) -> Any:
    """A draw that depends on the first entry; some of its outcomes contradict a 0 in the others."""
    r = discrete(rows[x[0]])
    for entry in x[1:]:
        observe(not (r in dies and entry == 0))
    return (r, x[1] if flip("1/3") else 0) if show else r


def test_what_the_related_pairs_cannot_complete_is_not_taken() -> None:
    """Above the later entries both runs may have the same masses, and an outcome that no related pair can have."""
    draw = random.Random(1)
    for _ in range(60):
        weights = [draw.randint(1, 4) for _ in range(2)]
        drawn = ([4, *weights], [4, *reversed(weights)])
        rows = [{place: Fraction(part, sum(row)) for place, part in enumerate(row)} for row in drawn]
        dies, show = draw.choice([(1,), (1, 2), (1, 2)]), draw.random() < 0.5
        pairs = draw.sample(RELATED, draw.randint(3, 4))
        with taut.options(order=draw.choice(["auto", "program"])):
            model = died_later(bits(3), rows=rows, dies=dies, show=show)
            searched, listed = (model.privacy(pairs, method=method) for method in ("search", "exhaustive"))
        assert searched.max_ratio == listed.max_ratio and searched.verify()
