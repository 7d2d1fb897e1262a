"""Limits: at every cut some item may become as good as the best of all cases, whichever weights the coins have."""

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.search.test_certificate import MODELS, first_above, weighted

from taut import Model, TautError, bits, flip, ints, mechanism, observe
from taut.synthesis.search import engine
from taut.synthesis.search.bounding import Bounding

SHARES: list[Any] = [Fraction(share) for share in (1, 1, 2, 3, 7, 50)]


STEPS = first_above(ints(4, 0, 2), ratio="1/2", high=2)
ASKED = [("privacy", STEPS), ("privacy", MODELS[-1]), *itertools.product(["least", "most"], MODELS)]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, float]]:
    """The certificate and the limit of every layer; no search drops anything."""
    seen: list[tuple[Any, float]] = []

    def recorded(self: Any, frontier: Any) -> Any:
        """Look at all limits of a layer, and drop nothing."""
        self.prepare()
        layer, sign = frontier.layer, 1.0 if self.question.largest else -1.0
        logs = [self._limits_of(layer, key, group, down=frontier.down) for key, group in layer.groups.items()]
        if logs and all(one is not None for one in logs):
            finished = self.certificate.logarithm if frontier.down else self.limits.finished(layer.cut)
            best = max(float((sign * one).max(initial=-math.inf)) for one in logs)
            seen.append((self.certificate, max(best, finished)))
        return layer

    monkeypatch.setattr(Bounding, "pruned", recorded)
    monkeypatch.setattr(Bounding, "open_images", lambda self, cut, *, down: None)
    monkeypatch.setattr(engine, "quick_witness", lambda *_: ())  # which would have the worst case at once
    return seen


def leave_room(limits: list[tuple[Any, float]]) -> bool:
    return bool(limits) and all(limit >= certificate.logarithm - 1e-6 for certificate, limit in limits)


@pytest.mark.parametrize(("question", "model"), ASKED)
def test_limits_leave_room_for_the_worst_case(question: str, model: Model, limits: list[tuple[Any, float]]) -> None:
    for seed in range(6):
        try:
            ask(weighted(model, SHARES, seed), question)
        except TautError:
            continue
    assert leave_room(limits)


@mechanism
def seen_in_part(x: Any) -> Any:
    """A hidden bit by the first entry; how likely it is observed depends on it and on the second."""
    hidden = flip("1/2") if x[0] == 0 else flip("9/10")
    observe(hidden or x[1] == 0 or flip("1/10"))
    return hidden ^ flip("1/50")


def test_limits_count_the_evidence_of_both_runs_the_right_way_round(limits: list[tuple[Any, float]]) -> None:
    model = seen_in_part(bits(2))
    bound = model.privacy(lambda x, other: x[0] < other[0] and x[1] == other[1], method="search")
    assert bound.max_ratio == Fraction(125, 29) and leave_room(limits)


@mechanism
def seen_late(x: Any) -> Any:
    """Evidence by the second entry, which leaves the mass of the answer as it is."""
    own, answer = x[0] ^ flip("1/3"), flip("1/10")
    observe(answer or x[1] == 0 or flip("1/9"))
    return own, answer


def test_limits_count_the_most_evidence_for_the_least_probability(limits: list[tuple[Any, float]]) -> None:
    target = dict.fromkeys(seen_late(bits(2)).domain, (0, True))
    bound = seen_late(bits(2)).accuracy(target, 0, distance=near, method="search")
    assert bound.probability == Fraction(1, 30) and leave_room(limits)


def ask(model: Model, question: str) -> None:
    if question == "privacy":
        model.privacy("all_step", method="search")
        return
    wanted = random.Random(1).choice(sorted(model.distribution(next(iter(model.domain))), key=repr))
    target = dict.fromkeys(model.domain, wanted)
    model.accuracy(target, 0, distance=near, best=question == "most", method="search")


def near(output: Any, wanted: Any) -> Any:
    return 0 if output == wanted else 1
