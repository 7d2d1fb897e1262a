"""The extension point: a question of thirty lines, defined in this file, is asked, claimed, saved, swept and
calibrated."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import InvalidInput, InvalidNumber, WrongArguments, bits
from taut.interfaces.reports.text import sentences
from taut.mechanisms import randomized_response
from taut.questions.divergence import ChiSquared, TotalVariation
from taut.questions.field import Numbers, asked, at_least
from taut.questions.pair_measure import Divergence
from taut.questions.pairs import DivergenceQuestion
from taut.questions.question import known_questions, question
from taut.questions.registry import named, registered
from taut.verification.saved import load_result


@dataclass(frozen=True)
class ScaledChiSquared(Divergence):
    """The chi-squared divergence, times a scale."""

    scale: Any
    algebraic = True

    def phi(self, p: Any, q: Any) -> Any:
        return ChiSquared().phi(p, q) if q == 0 else self.scale * ChiSquared().phi(p, q)


@question
class Toy(DivergenceQuestion[Any]):
    """The largest chi-squared divergence of neighbours, times a scale."""

    name = "toy"
    title = "Toy"
    weight = 1.0

    scale: Any = asked(
        at_least(0, "toy: scale"), help="The factor.", label="scale", first="2", saved=Numbers(0, 1000, rational=True)
    )

    def to_measure(self) -> ScaledChiSquared:
        return ScaledChiSquared(self.scale)


del known_questions["toy"]  # other tests look at the registry as users find it


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """The toy question, registered for the length of a test."""
    monkeypatch.setitem(known_questions, "toy", Toy)
    return Toy


@pytest.fixture
def model() -> Any:
    return randomized_response(bits(3), lam="1/5")


def test_registry(toy: Any) -> None:
    assert list(registered())[-1] == "toy" and named("toy") is toy
    assert [field.name for field in toy.fields] == ["scale", "adaptive"]
    assert toy.help() == "The largest chi-squared divergence of neighbours, times a scale."
    with pytest.raises(InvalidInput, match=r"no question 'toys'.* Did you mean 'toy'"):
        named("toys")


def test_model(toy: Any, model: Any) -> None:
    bound = model.ask(toy("2"))
    assert (bound.value, bound.lower, bound.exact) == (Fraction(9, 2), Fraction(9, 2), True)
    assert bound.value == 2 * model.divergence(ChiSquared()).value
    assert bound.verify() and bound.question == toy(2)
    assert model.toy(2) == bound == model.toy(scale=2)
    assert model.toy(2, neighbors="one_step", method="search").method == "search"
    assert pickle.loads(pickle.dumps(bound)) == bound
    with pytest.raises(InvalidNumber, match="toy: scale must be at least 0; got -1"):
        model.toy(-1)
    with pytest.raises(AttributeError, match="no attribute 'toys'"):
        _ = model.toys


def test_showing(toy: Any, model: Any) -> None:
    bound = model.toy(2)
    rows = bound.question.rows(bound)
    assert rows[:2] == [("toy", "9/2 = 4.5, exactly"), ("scale", "2")]
    assert ("x", "(0, 0, 0)") in rows and ("neighbours", "one_differ") in rows
    assert bound.question.headline(bound).upper == Fraction(9, 2)
    table = toy.compared("rr", [bound, model.toy(3)])
    assert [row[1] for row in table.rows] == ["9/2 = 4.5", "27/4 = 6.75"]


def test_claims(toy: Any, model: Any) -> None:
    verdict = taut.check(model, toy=(2, 5))
    assert verdict.holds and verdict.slack == Fraction(1, 2) and verdict.claim == "toy <= 5"
    failed = taut.check(model, epsilon=2, toy=(2, "9/4"))
    assert failed.holds is False and len(failed.parts) == 2 and failed.counterexample is not None
    with pytest.raises(InvalidInput, match=r"claim: toy is written toy=\(scale, limit\); got 5"):
        taut.check(model, toy=5)
    claimed = taut.claim(bits(2), lam="1/5", toy=(1, 3))(randomized_response)
    assert taut.verification.claims.claims_of(claimed)[0].check(claimed)
    with pytest.raises(WrongArguments, match="there is no 'toys'"):
        taut.check(model, toys=5)


def test_saving(toy: Any, model: Any, tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    bound = model.toy(2)
    bound.save(path)
    assert taut.replay(path) and str(taut.replay(path)).endswith("the witness attains 9/2 = 4.5 again (function)")
    told = sentences(load_result(path))
    assert "For one_differ neighbours the toy is 9/2 = 4.5." in told
    path.write_text(path.read_text().replace('"kind": "toy"', '"kind": "toys"'))
    with pytest.raises(InvalidInput, match=r"the kind of its question is not one of .*, toy"):
        load_result(path)


def test_sweep(toy: Any) -> None:
    swept = taut.sweep(randomized_response, bits(3), lam=["1/10", "1/5"], toy=2)
    expected = [randomized_response(bits(3), lam=lam).toy(2).value for lam in ("1/10", "1/5")]
    assert [point.toy.value for point in swept.points] == expected
    assert swept.table()[0] == ["lam", "eps", "e^eps", "toy"]
    assert swept.to_csv().splitlines()[0].endswith("toy,toy_decimal")
    assert swept.to_dict()["points"][0]["toy"]["value"] == str(expected[0])
    taut.plot(swept)


def test_free_parameters(toy: Any) -> None:
    model = randomized_response(bits(2), lam=taut.parameter("lam", 0, "1/2"))
    for value in ("1/10", "1/5", "2/5"):
        assert model.toy(2).at(value) == randomized_response(bits(2), lam=value).toy(2).value
        assert model.ask(toy(3), method="restricted").at(value) == 3 * model.toy(1).at(value)
    assert model.toy(2).at(0) == taut.INFINITY
    found = model.calibrate(toy=(2, "9/2"))
    assert found.exact and found.contains("1/5") and not found.contains("19/100")


def test_divergences_have_closed_forms_where_they_are_algebraic() -> None:
    from taut.questions.divergence import LargestDivergence

    model = randomized_response(bits(2), lam=taut.parameter("lam", 0, "1/2"))
    for measure in (ChiSquared(), TotalVariation()):
        closed = model.ask(LargestDivergence(measure))
        for value in ("0", "1/5", "1/3", "1/2"):
            assert closed.at(value) == randomized_response(bits(2), lam=value).divergence(measure).value
    with pytest.raises(InvalidInput, match="'divergence' needs numbers, and lam is left free"):
        model.ask(LargestDivergence("kullback_leibler"))
    found = model.calibrate(zcdp="1/2")
    assert not found.exact and found.contains(found.best)
