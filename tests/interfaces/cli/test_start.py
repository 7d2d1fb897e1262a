"""First steps: ``taut`` alone, ``taut new``, ``taut explain``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import Ran, process

import taut
from taut import bits, exp, integer, ints, mechanism
from taut.mechanisms import exponential_mechanism, randomized_response, rr_count


def test_alone_it_says_what_to_do_first() -> None:
    ran = process()
    assert ran.code == 0 and "taut new mine.py" in ran.out and "taut privacy rr" in ran.out


def test_a_new_file_works_at_once(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "my_count.py"
    ran = run("new", str(path))
    assert ran.code == 0 and f"Next: taut check {path}" in ran.out
    assert run("check", str(path)).code == 0
    assert run("privacy", f"{path}:my_count", "x=bits(4)", "lam=1/5").code == 0
    environment = {**os.environ, "PYTHONPATH": str(Path(taut.__file__).parent.parent)}
    alone = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment)
    assert alone.returncode == 0 and "e^eps = 4 exactly" in alone.stdout


def test_a_file_that_is_there_is_left_alone(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("mine\n")
    ran = run("new", str(path))
    assert ran.code == 2 and "left as it is" in ran.err and path.read_text() == "mine\n"
    for name in ("mine.txt", "2.py", str(tmp_path / "no" / "mine.py")):
        assert run("new", name).code == 2
    assert not (Path.cwd() / "mine.txt").exists()


def test_a_saved_result_in_sentences(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    randomized_response(bits(3), lam="1/5").privacy().save(path)
    ran = run("explain", str(path))
    assert ran.code == 0 and "no output is more than 4 times as likely" in ran.out and "lam=1/5" in ran.out
    randomized_response(bits(3), lam="1/5").delta(ratio=2).save(path)
    assert "delta is 2/5 = 0.4" in run("explain", str(path)).out
    randomized_response(bits(3), lam="1/5").renyi(2).save(path)
    assert "order 2 is at most 13/4" in run("explain", str(path)).out
    randomized_response(bits(3), lam="1/5").zcdp().save(path)
    said = run("explain", str(path)).out
    assert "rho is 0.8317766167" in said and "stopped" not in said and "digits" not in said
    exponential_mechanism(ints(2, 0, 2), base=exp("1/2")).epsilon("1/100").save(path)
    said = run("explain", str(path)).out
    assert "eps = 0.599912 (e^eps = 1.821958096..., certainly within" in said and "stopped" not in said
    rr_count(bits(3), lam="1/5").accuracy(sum, 1, best=True).save(path)
    assert "On the best input" in run("explain", str(path)).out
    rr_count(bits(3), lam="1/5").accuracy(sum, 1).save(path)
    assert "within 1 of the target with probability 112/125" in run("explain", str(path)).out

    @mechanism
    def shown(x: int) -> int:
        return x

    shown(integer(0, 1)).privacy().save(path)
    assert "no epsilon is enough" in run("explain", str(path)).out
    assert run("explain", str(tmp_path / "none.json")).code == 2


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (["privacy", "rr", "n=2", "lam=1/5"], "no output is more than 4 times as likely"),
        (["accuracy", "rr_count", "n=2", "lam=1/5", "--alpha", "1"], "lies within 1 of the target with probability"),
        (["delta", "rr", "n=2", "lam=1/5", "--ratio", "2"], "eps = 0.693147 (e^eps = 2 exactly), delta is 2/5"),
        (
            ["epsilon", "rr", "n=2", "lam=1/5", "--delta", "1/10"],
            "delta = 0.1, eps = 1.25276 (e^eps = 7/2 = 3.5 exactly)",
        ),
        (
            ["profile", "rr", "n=2", "lam=1/5"],
            "known exactly for every epsilon, from 3/5 = 0.6 at eps = 0 down to 0",
        ),
    ],
)
def test_what_is_saved_is_explained_and_replayed(question: list[str], said: str, run: Callable[..., Ran]) -> None:
    saved = run(*question, "--save", "result.json")
    assert saved.code == 0 and "wrote result.json" in saved.out
    assert said in run("explain", "result.json").out
    assert run("replay", "result.json").code == 0
    as_json = run(*question, "--save", "again.json", "--json")
    assert as_json.code == 0 and as_json.out.startswith("{") and Path("again.json").exists()


def test_where_a_result_cannot_be_saved_is_known_before_any_work(run: Callable[..., Ran]) -> None:
    done = run("privacy", "rr", "n=2", "lam=1/5", "--save", "nowhere/result.json")
    assert done.code == 2 and not done.out and "nowhere" in done.err
    done = run("profile", "rr", "n=2", "lam=1/5", "--compose", "2", "--save", "result.json")
    assert done.code == 2 and "leave --compose out" in done.err and not Path("result.json").exists()
