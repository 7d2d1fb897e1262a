"""Results in files: what is saved is replayed from the file alone, and refused when the source has changed."""

from __future__ import annotations

import json
import pickle
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut import Ball, InvalidInput, SourceChanged, bits, exp, flip, ints, measures, mechanism
from taut.interfaces.queries.functions import load_function
from taut.interfaces.reports.text import sentences
from taut.mechanisms import above_threshold, exponential_mechanism, randomized_response, rr_count
from taut.verification.encoding import decoded, encoded

MINE = """
from fractions import Fraction
from taut import flip, helper, mechanism

LAM = Fraction(1, 5)

@helper
def turned(bit, lam):
    return bit ^ flip(lam)

@mechanism
def noisy(x):
    return [turned(bit, LAM) for bit in x]

def unrelated(x):
    return x
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def saved(mine: Path) -> Path:
    path = mine.with_name("result.json")
    load_function(f"{mine}:noisy")(bits(3)).privacy().save(path)
    return path


def changed(mine: Path, old: str, new: str) -> None:
    """Another file at the same place, read anew."""
    import sys

    assert old in mine.read_text()
    mine.write_text(mine.read_text().replace(old, new))
    for name in [name for name in sys.modules if name.startswith("_taut_mine_")]:
        del sys.modules[name]


_INEXACT = [lambda model: model.privacy(), lambda model: model.epsilon("1/100"), lambda model: model.zcdp()]
"""Questions whose answers are rounded where probabilities have exp."""


@pytest.mark.parametrize("ask", _INEXACT)
def test_rounding_is_not_an_open_end_but_other_values_are_refused(ask: Any, tmp_path: Path) -> None:
    bound, path = ask(exponential_mechanism(ints(2, 0, 2), base=exp("1/2"))), tmp_path / "r.json"
    assert bound.complete and bound.verify()
    bound.save(path)
    content = json.loads(path.read_text())
    content["lower"] = content["upper"] = {"fraction": "3/2"}
    path.write_text(json.dumps(content))
    assert not taut.replay(path)


def test_bounds_of_all_kinds(tmp_path: Path) -> None:
    model, counted = randomized_response(bits(3), lam="1/5"), rr_count(bits(3), lam="1/5")
    bounds = [
        model.privacy(),
        model.delta(ratio=2),
        model.delta(1),
        model.renyi(3),
        model.epsilon("1/10"),
        model.zcdp(),
        counted.accuracy(sum, 1),
        counted.accuracy(sum, 1, best=True),
        *[ask(exponential_mechanism(ints(2, 0, 2), base=exp("1/2"))) for ask in _INEXACT],
    ]
    for number, bound in enumerate(bounds):
        bound.save(tmp_path / f"{number}.json")
        again = taut.replay(tmp_path / f"{number}.json")
        assert again and again.method == "function" and again.related is not False
        assert bound.verify()
        assert not bound.exact or isinstance(again.replayed, Ball) or again.replayed == bound.attained


def test_profiles(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    for model, neighbors in (
        (rr_count(bits(4), lam="1/5"), "one_differ"),
        (above_threshold(ints(2, 0, 2), threshold=1, ratio="1/2", high=2), "all_step"),
    ):
        profile = model.profile(neighbors)
        profile.save(path)
        again = taut.replay(path)
        assert again and again.related is True and again.replayed == tuple(map(profile.lower, profile.places))
        assert "again" in str(again) and again.to_dict()["replayed"][0] == str(profile.delta(ratio=1))
        assert len(again.saved.pairs) == len(profile.pairs) > 0
        assert "known exactly for every epsilon" in " ".join(sentences(again.saved))
        whole = path.read_text()
        content = json.loads(whole)
        content["lower"][0] = content["upper"][0] = {"fraction": "7/9"}
        path.write_text(json.dumps(content))
        assert not taut.replay(path) and "not delta = 7/9" in str(taut.replay(path))
        content = json.loads(whole)
        content["witness"]["pairs"][0][1] = content["witness"]["pairs"][0][0]
        path.write_text(json.dumps(content))
        assert taut.replay(path).related is False, "an input is not its own neighbour"
        content = json.loads(whole)
        del content["witness"]["pairs"]
        path.write_text(json.dumps(content))
        with pytest.raises(InvalidInput, match="lacks 'pairs'"):
            taut.replay(path)


def test_a_file_is_replayed_from_its_folder(mine: Path) -> None:
    again = taut.replay(saved(mine))
    assert again and again.replayed == 4 and again.related is True
    assert "(e^eps = 4 exactly) again" in str(again) and again.to_dict()["replayed"] == "4"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("turned(bit, LAM) for", "turned(bit, 2 * LAM) for", "noisy"),
        ("bit ^ flip(lam)", "bit ^ flip(lam / 2)", "turned"),
        ("Fraction(1, 5)", "Fraction(1, 4)", "LAM"),
    ],
)
def test_a_changed_source_is_refused(mine: Path, old: str, new: str, what: str) -> None:
    path = saved(mine)
    changed(mine, old, new)
    with pytest.raises(SourceChanged, match=r"mine.py' has changed since the result was saved, so it is not run"):
        taut.replay(path)
    with pytest.raises(SourceChanged, match=f"'{what}' has changed since the result was saved"):
        taut.replay(path, allow=[mine])


def test_what_the_mechanism_does_not_use_may_change(mine: Path) -> None:
    path = saved(mine)
    changed(mine, "    return x\n", "    return not x\n")
    assert taut.replay(path, allow=[mine])


def test_a_value_that_is_wrong_is_not_confirmed(mine: Path) -> None:
    path = saved(mine)
    content = json.loads(path.read_text())
    content["lower"] = content["upper"] = {"fraction": "7/2"}
    path.write_text(json.dumps(content))
    again = taut.replay(path)
    assert not again and again.replayed == 4 and "not eps = 1.25276 (e^eps = 7/2" in str(again)


def test_a_pair_that_is_not_related_is_not_confirmed(mine: Path) -> None:
    path = saved(mine)
    content = json.loads(path.read_text())
    content["witness"]["x_prime"] = [1, 1, 1]
    path.write_text(json.dumps(content))
    assert not taut.replay(path) and "not one_differ neighbours" in str(taut.replay(path))


def test_local_functions_are_given_again(tmp_path: Path) -> None:
    @mechanism
    def local(x: Any) -> Any:
        return x[0] ^ flip("1/5")

    path = tmp_path / "local.json"
    local(bits(1)).privacy().save(path)
    with pytest.raises(InvalidInput, match="cannot be found by its name"):
        taut.replay(path)
    assert taut.replay(path, mechanism=local)


def test_files_that_are_not_results(tmp_path: Path, mine: Path) -> None:
    path = saved(mine)
    whole = path.read_text()
    for text, words in [
        ("", "not a result that bound.save or --save wrote"),
        ("[]", "not a result that bound.save or --save wrote"),
        (whole[:-40], "not a result that bound.save or --save wrote"),
        (whole.replace('"version": 2', '"version": 9'), "version 9"),
        (whole.replace("turned(bit, LAM)", "turned(bit, LAW)"), "does not have the hash"),
        (whole.replace('"privacy"', '"gossip"'), "the kind of its question"),
        (whole.replace('"question"', '"answer"'), "the kind of its question"),
    ]:
        path.write_text(text)
        with pytest.raises(InvalidInput, match=words):
            taut.replay(path)
    with pytest.raises(InvalidInput, match="cannot read"):
        taut.replay(tmp_path / "nothing.json")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="only results of mechanisms"):
        taut.formula("y1 <-> (x1 ^ t1)", ["x1"], ["y1"], {"t1": "1/5"}).privacy().save(tmp_path / "a.json")
    with pytest.raises(InvalidInput, match="cannot write"):
        randomized_response(bits(2), lam="1/5").privacy().save(tmp_path / "none" / "a.json")
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_results_that_are_not_saved_say_so_in_one_sentence(tmp_path: Path) -> None:
    model, counted = randomized_response(bits(2), lam="1/5"), rr_count(bits(2), lam="1/5")
    free = randomized_response(bits(1), lam=taut.parameter("lam", 0, "1/2"))
    for result in [
        exponential_mechanism(ints(2, 0, 2), base=exp("1/2")).profile(),
        model.profile().compose(3),
        model.profile().compose(3).epsilon("1/10"),
        model.tradeoff(),
        model.divergence(measures.ChiSquared()),
        model.delta(1, adaptive=True),
        pickle.loads(pickle.dumps(model.privacy())),
        model.loss((0, 0), (1, 0)),
        model.worst_pairs(),
        model.symmetries(),
        counted.error(sum).mean,
        counted.worst_inputs(sum, 1),
        free.privacy(),
        free.calibrate(epsilon=1),
    ]:
        kind = type(result).__name__
        with pytest.raises(InvalidInput, match=f"save: this {kind} is not saved, because .* Saved are bounds as a"):
            result.save(tmp_path / "a.json")
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_dice_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "noisy.dice"
    source.write_text(textwrap.dedent("fun noisy(x: bool) : bool { x <=> flip 0.8 }\nnoisy(true)\n"))
    from taut.model import load_dice

    load_dice(f"{source}:noisy")(x=bits(1)).privacy().save(tmp_path / "d.json")
    assert taut.replay(tmp_path / "d.json").replayed == 4
    source.write_text(source.read_text().replace("0.8", "0.9"))
    with pytest.raises(SourceChanged):
        taut.replay(tmp_path / "d.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.fractions() | st.text(max_size=3),
    lambda inner: st.tuples(inner, inner) | st.frozensets(st.integers() | st.text(max_size=2), max_size=3),
    max_leaves=6,
)


@given(values)
def test_values_come_back(value: Any) -> None:
    again = decoded(json.loads(json.dumps(encoded(value, "value"))))
    assert again == value and type(again) is type(value)


def test_balls_and_domains_come_back() -> None:
    for value in (exp("1/3"), Ball(Fraction(1, 3)), bits(3), ints(2, -1, 5), taut.integer(0, 3), bits(2).optional()):
        again = decoded(json.loads(json.dumps(encoded(value, "value"))))
        same = (again.mid, again.radius) == (value.mid, value.radius) if isinstance(value, Ball) else again == value
        assert same
    with pytest.raises(InvalidInput, match="the argument f cannot be written"):
        encoded(len, "the argument f")
