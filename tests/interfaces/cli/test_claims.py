"""``taut check`` and ``taut replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from taut import bits
from taut.mechanisms import randomized_response

CLAIMS = """
import taut
from taut import bits, flip, mechanism

@taut.claim(x=bits(3), lam="1/4", ratio=3)
@mechanism
def good(x, lam):
    return [bit ^ flip(lam) for bit in x]

@taut.claim(lam="1/5", epsilon=1)
@mechanism
def bad(x, lam):
    return [bit ^ flip(lam) for bit in x]

def other(x):
    return x
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "claims_of_mine.py"
    path.write_text(CLAIMS)
    return str(path)


def test_a_file(run: Any, file: str, tmp_path: Path) -> None:
    xml = tmp_path / "out.xml"
    ran = run("check", file, "x=bits(3)", "--junit", str(xml))
    assert ran.code == 1 and "holds" in ran.out and "bad: fails: eps <= 1" in ran.out
    suite = ElementTree.parse(xml).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert run("check", f"{file}:good").code == 0
    data = json.loads(run("check", file, "x=bits(3)", "--json").out)
    assert [one["status"] for one in data] == ["holds", "fails"]
    failing = data[1]["counterexample"]
    assert failing["event"] == [[0, 0, 0]] and failing["probability"] == "64/125"
    for one in data:  # each answer can be asked again from the file alone
        assert one["arguments"] and one["domain"] == {"x": "bits(3)"} and one["versions"]["taut"]
        assert one["verification"]["done"] and one["verification"]["holds"]


def test_a_claim_that_makes_no_sense_in_json(run: Any, file: str) -> None:
    data = json.loads(run("check", f"{file}:bad", "--json").out)
    assert [one["status"] for one in data] == ["error"] and "x is not given" in data[0]["error"]
    assert data[0]["mechanism"] == "bad" and data[0]["versions"]["python"]


def test_a_claim_in_options(run: Any) -> None:
    assert run("check", "rr", "n=4", "lam=1/5", "--ratio", "4").code == 0
    assert run("check", "rr", "n=4", "lam=1/5", "--epsilon", "1", "--delta", "0.3").code == 0
    ran = run("check", "rr", "n=4", "lam=1/5", "--epsilon", "1", "--delta", "0.2")
    assert ran.code == 1 and "fails: delta <= 0.2 at eps = 1" in ran.out
    assert run("check", "rr_count", "n=4", "lam=1/5", "--alpha", "1", "--probability", "0.8").code == 0
    assert run("check", "rr", "n=4", "--ratio", "4", "--neighbors", "all_step").code == 1


def test_undecided(run: Any) -> None:
    ran = run("check", "above", "n=40", "threshold=4", "high=8", "ratio=2/3", "--ratio", "20", "--time-limit", "0.5")
    assert ran.code in (1, 3, 4), "an interval, a counterexample found before, or no time to read the mechanism"


def test_refusals(run: Any, file: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("def f(x):\n    return x\n")
    for arguments, words in [
        ([], "name a file with claims"),
        (["nothing.py"], "there is no file"),
        ([str(empty)], "there is no claim in"),
        ([f"{file}:none"], "has no 'none'"),
        (["rr", "n=3"], "name a file with claims"),
        (["rr", "--delta", "0.1"], "delta needs epsilon"),
        (["rr", "--epsilon", "-1"], "must not be negative"),
        (["rr", "--alpha", "1"], "go together"),
        (["n=3", "--epsilon", "1"], "name the mechanism"),
        ([file, "--neighbors", "one_step"], "go with a claim in options"),
        ([file, "--junit", str(tmp_path / "no" / "out.xml")], "cannot write"),
    ]:
        ran = run("check", *arguments)
        assert ran.code == 2 and words in ran.err and len(ran.err.splitlines()) == 1, (arguments, ran)
    ran = run("check", file)
    assert ran.code == 2 and "claim on 'bad': x is not given" in ran.out, "the other claim is checked all the same"


def test_replay(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    randomized_response(bits(3), lam="1/5").privacy().save(path)
    ran = run("replay", str(path))
    assert ran.code == 0 and "attains eps = 1.38629 (e^eps = 4 exactly) again (function)" in ran.out
    assert json.loads(run("replay", str(path), "--json").out)["holds"] is True
    path.write_text(path.read_text().replace('"fraction": "4"', '"fraction": "5"'))
    ran = run("replay", str(path))
    assert ran.code == 1 and "not confirmed" in ran.err
    assert run("replay", str(tmp_path / "none.json")).code == 2


def test_arguments_that_no_claim_leaves_open_are_refused(run: Any, file: str) -> None:
    assert run("check", f"{file}:bad", "x=bits(2)").code == 1
    ran = run("check", file, "lamb=1/5", "x=bits(2)")
    assert ran.code == 2 and "no mechanism here has 'lamb'" in ran.err and "Did you mean 'lam'?" in ran.err
    ran = run("check", file, "lam=1/5", "x=bits(2)")
    assert ran.code == 2 and "the claims give lam themselves" in ran.err


def test_questions_take_the_domain_of_a_claim(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "counts.py"
    path.write_text(
        "import taut\n"
        "@taut.claim(x=taut.bits(2), ratio='1/2', max_ratio=2)\n"
        "@taut.mechanism\n"
        "def count(x, ratio):\n    return taut.geometric(sum(x), ratio, 0, len(x))\n"
        "@taut.mechanism\n"
        "def forgot(x):\n    y = sum(x) + taut.flip('1/3')\n"
    )
    assert json.loads(run("privacy", f"{path}:count", "--json").out)["max_ratio"] == "2"
    assert json.loads(run("privacy", f"{path}:count", "ratio=1/3", "--json").out)["max_ratio"] == "3"
    assert "count(x=bits(2))" in run("check", str(path)).out
    ran = run("privacy", f"{path}:forgot", "x=bits(2)")
    assert ran.code == 2 and "'forgot' returns nothing on any path; its last line may lack 'return'" in ran.err
    assert "no database is given" in run("privacy", f"{path}:forgot").err
    assert "ask about a mechanism with 'taut privacy" in run("explain", str(path)).err


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        ("x=bits(3), epsilon=-1", "epsilon must not be negative"),
        ("x=bits(3), epsilon='abc'", "'abc' is not a number"),
        ("x=bits(3), accuracy=(sum, 1)", "accuracy is written accuracy=(target, alpha, probability)"),
        ("x=bits(3), epsiln=1", "nothing is claimed; give epsilon="),
        ("x=bits(3), epsiln=1", "Did you mean 'epsilon'?"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused_with_its_place(
    run: Any, tmp_path: Path, claimed: str, words: str
) -> None:
    path = tmp_path / "strange.py"
    path.write_text(f"import taut\nfrom taut import bits\n\n@taut.claim({claimed})\ndef f(x):\n    return x[0]\n")
    ran = run("check", str(path))
    assert ran.code == 2 and ran.err.startswith("taut: strange.py:4: claim: ") and words in ran.err, ran
