"""Files that are damaged or forged: every one is refused in a sentence, and no changed value is ever confirmed."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import Ran
from tests.interfaces.cli.conftest import run as run

import taut
from taut import InvalidInput, SourceChanged, bits, exp, ints
from taut.interfaces.reports.text import sentences
from taut.mechanisms import above_threshold, exponential_mechanism, randomized_response, rr_count
from taut.support.errors import TautError, TooLarge
from taut.verification.encoding import decoded
from taut.verification.saved import load_result


@functools.cache
def kinds() -> dict[str, dict[str, Any]]:
    """Return the content of a valid file of every kind."""
    model, counted = randomized_response(bits(2), lam="1/5"), rr_count(bits(2), lam="1/5")
    rounded = exponential_mechanism(ints(1, 0, 1), base=exp("1/2"))
    bounds = {
        "privacy": model.privacy(),
        "infinite": randomized_response(bits(1), lam=0).privacy(),
        "delta": model.delta(ratio=2),
        "delta at epsilon": model.delta(1),
        "epsilon": model.epsilon("1/10"),
        "renyi": model.renyi(3),
        "zcdp": model.zcdp(),
        "accuracy": counted.accuracy(sum, 1),
        "best": counted.accuracy({x: sum(x) for x in bits(2)}, "1/2", best=True),
        "profile": above_threshold(ints(1, 0, 2), threshold=1, ratio="1/2", high=2).profile("one_step"),
        "ball": rounded.privacy(),
        "rounded epsilon": rounded.epsilon("1/100"),
        "rounded rho": rounded.zcdp(),
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, bound in bounds.items():
            path = Path(folder) / "r.json"
            bound.save(path)
            assert taut.replay(path), name
            found[name] = json.loads(path.read_text())
    return found


Place = tuple[Any, ...]
GONE = object()
MUTANTS: list[Any] = [
    GONE,
    None,
    [],
    {},
    -1,
    10**30,
    "x",
    True,
    0.5,
    [[[[1]]]],
    {"fraction": "1/0"},
    {"fraction": "3/7"},
]
MUTANTS += [{"ball": [1, 20 * 10**9, 1, 20 * 10**9]}, {"ball": [1, 3, 1, 3]}, {"ball": [1]}, {"float": "0x1p99999"}]
MUTANTS += [
    {"infinity": True},
    {"set": [{"dict": []}]},
    {"fraction": "1e99999"},
    {"fraction": "9" * 200_000},
    "\x1b[2J",
]
MUTANTS += [{"domain": {"n": 10**30, "values": [0, 1], "name": "bits(2)", "bare": False}}, "\ud800", [0, 0], "1e99999"]


def places(node: Any, at: Place = ()) -> Iterator[Place]:
    yield at
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in inner:
        yield from places(item, (*at, key))


def mutated(content: Any, at: Place, mutant: Any) -> Any:
    if not at:
        return None if mutant is GONE else mutant
    changed = copy.deepcopy(content)
    node = functools.reduce(lambda part, key: part[key], at[:-1], changed)
    if mutant is GONE:
        del node[at[-1]]
    else:
        node[at[-1]] = mutant
    return changed


def outcome_of(path: Path, content: Any) -> Any:
    """Return what replaying gives, None for a refusal; explaining it has to work as well, or be refused."""
    path.write_text(json.dumps(content))
    said = "\n".join(answered(lambda: sentences(load_result(path))) or [])
    outcome = answered(lambda: taut.replay(path))
    assert outcome is None or (said and str(outcome) and outcome.case and json.dumps(outcome.to_dict()))
    return outcome


def answered(ask: Callable[[], Any]) -> Any:
    """Return an answer, or None where it is refused in a sentence; every other error fails the test."""
    try:
        return ask()
    except TooLarge:
        raise
    except TautError as problem:
        sentence = str(problem)
    assert sentence.isprintable() and len(sentence) < 1000
    return None


@pytest.mark.parametrize("kind", kinds())
def test_every_node_may_be_anything(kind: str, tmp_path: Path) -> None:
    content = kinds()[kind]
    attained = outcome_of(tmp_path / "r.json", content).replayed
    cases = [(at, mutant) for at, mutant in itertools.product(places(content), MUTANTS) if "versions" not in at]
    chosen = random.Random(kind).sample(cases, 80)
    chosen += [(at, mutant) for at, mutant in cases if at in [("lower",), ("upper",), ("witness",), ("question",)]]
    for at, mutant in chosen:
        changed = mutated(content, at, mutant)
        outcome = outcome_of(tmp_path / "r.json", changed)
        if outcome:  # then the witness attains the value that the file has
            assert outcome.saved.confirmed_by(outcome.replayed)
            if at[0] not in ("question", "witness", "arguments"):
                assert _middle(outcome.claimed) == _middle(attained), (at, mutant)


def _middle(value: Any) -> Any:
    return getattr(value, "mid", value)  # a ball that is a little wider is the same number


@pytest.mark.parametrize("kind", kinds())
def test_no_other_value_is_confirmed(kind: str, tmp_path: Path) -> None:
    content = kinds()[kind]
    for written in ({"fraction": "101/100"}, {"fraction": "0"}, {"infinity": True}, {"ball": [1, 6, 1, 6]}, 1, 0):
        if kind == "profile":
            changed = {**content, **{end: [written, *content[end][1:]] for end in ("lower", "upper")}}
            same = content["lower"][0] == written
        else:
            changed = {**content, "lower": written, "upper": written}
            same = decoded(written) == decoded(content["lower"])
        assert same or not outcome_of(tmp_path / "r.json", changed), written
        changed = {**changed, "witness": None}
        assert not outcome_of(tmp_path / "r.json", changed), "a result without a witness confirms nothing"


def test_a_ball_is_confirmed_only_where_it_is_as_narrow_as_rounding(tmp_path: Path) -> None:
    for kind, shift in itertools.product(("privacy", "ball"), range(-100, 8, 9)):
        content = kinds()[kind]
        value = decoded(content["lower"])
        middle = round(getattr(value, "mid", value) * 2**300)
        written = {"ball": [middle, -300, 1, shift]}
        changed = {**content, "lower": written, "upper": written}
        assert not outcome_of(tmp_path / "r.json", changed)
        written = {"ball": [middle, -300, 1, -240]}
        assert outcome_of(tmp_path / "r.json", {**content, "lower": written, "upper": written})


def test_the_target_of_an_accuracy_is_evaluated_again(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    for part, other in (("alpha", {"fraction": "0"}), ("alpha", {"fraction": "2"}), ("best", True)):
        content = copy.deepcopy(kinds()["accuracy"])
        content["question"][part] = other
        if part == "best":
            content["lower"] = {"fraction": "1/2"}
        assert not outcome_of(path, content)

    def aim(x: Any) -> Any:
        return sum(x) + 1

    rr_count(bits(2), lam="1/5").accuracy(aim, 1).save(path)
    with pytest.raises(InvalidInput, match=r"'.*aim' of the saved result is not one of taut's; give it"):
        taut.replay(path)
    assert taut.replay(path, target=aim)
    with pytest.raises(SourceChanged, match="the target that is given"):
        taut.replay(path, target=max)


def test_a_relation_of_the_users_own_is_given_again(tmp_path: Path) -> None:
    path = tmp_path / "r.json"

    def up(x: Any, x_prime: Any) -> bool:
        return sum(x_prime) - sum(x) == 1

    randomized_response(bits(2), lam="1/5").privacy(up).save(path)
    with pytest.raises(InvalidInput, match="give it: --neighbors"):
        taut.replay(path)
    assert taut.replay(path, neighbors=up)
    assert not taut.replay(path, neighbors=lambda x, x_prime: sum(x_prime) < sum(x))
    kinds_path = tmp_path / "k.json"
    kinds_path.write_text(json.dumps(kinds()["privacy"]))
    with pytest.raises(InvalidInput, match="is about one_differ neighbours"):
        taut.replay(kinds_path, neighbors=up)


def test_what_is_not_json_or_without_end(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    whole = json.dumps(kinds()["privacy"])
    for text in (
        "[" * 200_000,
        '{"a":' * 100_000,
        "\x00",
        whole.replace('"4"', "9" * 1_000_000),
        whole.replace('"4"', "1e99999"),
        whole[: len(whole) // 2],
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=r"is not a result that bound\.save or --save wrote"):
            load_result(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="not text"):
        load_result(path)
    with path.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(InvalidInput, match="more than"):
        load_result(path)
    for other in ("/dev/zero", tmp_path):
        with pytest.raises(InvalidInput, match="cannot read"):
            load_result(other)


NOISY = "from taut import flip, mechanism\n@mechanism\ndef noisy(x, lam):\n    return [b ^ flip(lam) for b in x]\n"
TRACE = "import pathlib; pathlib.Path({!r}).write_text('ran')\n"


@pytest.mark.parametrize("where", ["outside", "below", "link"])
def test_no_file_is_run_that_was_not_saved_or_allowed(
    where: str, run: Callable[..., Ran], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = tmp_path_factory.mktemp("trace") / "ran"
    (tmp_path / "own.py").write_text(NOISY)
    assert run("privacy", "own.py:noisy", "x=bits(2)", "lam=1/5", "--save", "r.json").code == 0
    assert run("replay", "r.json").code == 0
    content = json.loads((tmp_path / "r.json").read_text())
    victim = (tmp_path if where == "below" else tmp_path_factory.mktemp("far")) / "victim.py"
    victim.write_text(TRACE.format(str(trace)) + NOISY)
    named = victim
    if where == "link":
        named = tmp_path / "link.py"
        named.symlink_to(victim)
    content["mechanism"]["file"] = os.fspath(named)
    (tmp_path / "s.json").write_text(json.dumps(content))
    ran = run("replay", "s.json")
    assert ran.code == 2 and "--allow" in ran.err and not trace.exists(), ran
    for allowed in (["--allow", os.fspath(victim)], ["--allow", "own.py", "--allow", os.fspath(victim.parent)]):
        ran = run("replay", "s.json", *allowed)
        assert ran.code == 0 and trace.exists(), ran


def test_replay_prints_what_it_computed_and_what_it_did_not(run: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(NOISY)
    run("privacy", "own.py:noisy", "x=bits(2)", "lam=1/5", "--save", "r.json")
    ran = run("replay", "r.json")
    assert ran.code == 0 and ran.out.splitlines() == [
        "noisy: the witness attains eps = 1.38629 (e^eps = 4 exactly) again (function)",
        "witness: x=(0, 0), x'=(1, 0), y=(0, 0); these are one_differ neighbours",
        "That nothing is worse was not recomputed; 'taut privacy own.py:noisy ...' with the same arguments recomputes "
        "it.",
    ]
    content = json.loads((tmp_path / "r.json").read_text())
    (tmp_path / "s.json").write_text(json.dumps({**content, "text": "e^eps = 1 exactly"}))
    assert run("replay", "s.json").code == run("explain", "s.json").code == 2, "no text that nothing checks"
    (tmp_path / "s.json").write_text(json.dumps({**content, "witness": None}))
    ran = run("replay", "s.json")
    assert ran.code == 1 and "nothing to replay" in ran.out and "not confirmed" in ran.err
    content["witness"]["y"] = ["\x1b]0;title\x07", 1]
    (tmp_path / "s.json").write_text(json.dumps(content))
    for command, code in (("explain", 0), ("replay", 1)):
        ran = run(command, "s.json")
        assert ran.code == code and "\x1b" not in ran.out + ran.err


def test_what_could_not_be_read_is_not_saved(tmp_path: Path) -> None:
    bound = randomized_response(bits(1), lam=Fraction(1, 10**100_001)).privacy()
    with pytest.raises(InvalidInput, match="save: this result is too large"):
        bound.save(tmp_path / "r.json")
    assert not list(tmp_path.iterdir())
