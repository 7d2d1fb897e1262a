"""``--plot`` and ``--style``: the picture beside the answer, on every command that has one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.cli.command import Ran

COMMANDS = {
    "privacy": ["privacy", "rr", "n=2", "lam=1/5"],
    "a search": ["privacy", "above", "n=3", "--method", "search"],
    "accuracy": ["accuracy", "rr_count", "n=3", "lam=1/5", "--alpha", "1"],
    "delta": ["delta", "rr_count", "n=3", "lam=1/5", "--ratio", "2"],
    "epsilon": ["epsilon", "rr_count", "n=3", "lam=1/5", "--delta", "0.1"],
    "renyi": ["renyi", "rr_count", "n=3", "lam=1/5"],
    "renyi, several orders": ["renyi", "rr_count", "n=3", "lam=1/5", "--order", "2,4", "--zcdp"],
    "divergence": ["divergence", "rr_count", "n=3", "lam=1/5"],
    "divergences": ["divergence", "rr_count", "n=3", "lam=1/5", "--measure", "total_variation,chi_squared"],
    "tradeoff": ["tradeoff", "rr_count", "n=3", "lam=1/5"],
    "comparison": ["compare", "rr", "lam=1/5", "--sizes", "2", "--tools", "taut"],
    "worst pairs": ["worst", "rr_count", "n=3", "lam=1/5"],
    "worst inputs": ["worst", "rr_count", "n=3", "lam=1/5", "--alpha", "1"],
    "error": ["error", "rr_count", "n=3", "lam=1/5"],
    "symmetries": ["symmetries", "rr_count", "n=3", "lam=1/5"],
    "profile": ["profile", "rr", "n=2", "lam=1/5"],
    "loss": ["loss", "rr", "n=2", "lam=1/5", "--x", "00", "--x-prime", "10"],
    "formula": ["formula", "rr", "n=2", "lam=0..1/2"],
    "calibrate": ["calibrate", "rr", "n=2", "lam=0..1/2", "--ratio", "3"],
    "sweep": ["sweep", "rr", "n=2", "lam=1/5,2/5"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_answer_is_drawn_in_both_styles(name: str, run: Callable[..., Ran]) -> None:
    pictures = []
    for style in ("light", "dark"):
        done = run(*COMMANDS[name], "--plot", "p.svg", "--style", style)
        assert done.code == 0 and "wrote p.svg" in done.out, done.err
        pictures.append(Path("p.svg").read_text())
    assert pictures[0].startswith("<?xml") and "#16181d" in pictures[1] and "#16181d" not in pictures[0]


def test_json_stays_json_with_a_plot(run: Callable[..., Ran]) -> None:
    import json

    done = run("privacy", "rr", "n=2", "lam=1/5", "--plot", "p.png", "--json")
    assert json.loads(done.out)["max_ratio"] == "4" and Path("p.png").exists()


def test_a_style_or_a_path_that_there_is_not_is_refused_before_any_work(run: Callable[..., Ran]) -> None:
    done = run("privacy", "rr", "n=2", "lam=1/5", "--plot", "p.png", "--style", "blue")
    assert done.code == 2 and "light or dark; got 'blue'" in done.err and not done.out
    done = run("worst", "rr", "n=2", "lam=1/5", "--plot", "p.gif")
    assert done.code == 2 and ".png, .svg, .pdf" in done.err and not done.out


def test_an_answer_is_not_lost_for_a_picture(run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.interfaces.cli.command import failing

    from taut.questions.privacy import PrivacyBound
    from taut.support.errors import TooLarge

    monkeypatch.setattr(PrivacyBound, "plot", lambda *_, **__: failing(TooLarge("there is too much.", value=0))())
    done = run("privacy", "rr", "n=2", "lam=1/5", "--plot", "p.png")
    assert done.code == 0 and "p.png is not drawn: there is too much." in done.out and "e^eps" in done.out
