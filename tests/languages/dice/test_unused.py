"""Bindings that nothing depends on are read and checked, and cost nothing more; those that observe are kept."""

from __future__ import annotations

from fractions import Fraction

import pytest

from taut import DiceTypeError, dice

MANY = "".join(f"let spare{n} = discrete(0.25, 0.25, 0.5) + discrete(0.5, 0.5, 0) in\n" for n in range(50))


def test_what_is_not_asked_for_draws_no_coins() -> None:
    model = dice(MANY + "let x = flip 1/3 in let y = spare7 in let z = if x then flip 1/2 else flip 1/5 in z\n")
    assert len(model.program.coins) == 3
    assert model.joint().distribution[True] == Fraction(3, 10)


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("let x = flip 1/3 in let y = observe x in x", Fraction(1)),
        ("let x = flip 1/3 in let y = let z = observe x in flip 1/2 in x", Fraction(1)),
        ("fun f(x: bool) { observe x } let x = flip 1/3 in let y = f(x) in x", Fraction(1)),
        ("fun f(x: bool) { observe x } fun g(x: bool) { f(x) } let x = flip 1/3 in let y = g(x) in x", Fraction(1)),
        ("fun f(x: bool) { x } let x = flip 1/3 in let y = f(x) in x", Fraction(1, 3)),
        ("let x = flip 1/3 in let y = head (if x then [true] else [] : list(bool)) in x", Fraction(1)),
        ("let x = flip 1/3 in let y = tail (if x then [true] else [] : list(bool)) in x", Fraction(1)),
        ("let x = flip 1/3 in let x = !x in x", Fraction(2, 3)),
        ("let x = flip 1/3 in let y = x in let x = flip 1/5 in y", Fraction(1, 3)),
        ("let x = flip 1/3 in let x = flip 1/5 in x", Fraction(1, 5)),
        ("let x = flip 1/3 in let y = x in let y = true in y && x", Fraction(1, 3)),
        ("let x = flip 1/3 in let y = (let x = flip 1/7 in x) in let o = observe (x || y) in y", Fraction(1, 3)),
    ],
)
def test_observations_count_whoever_uses_them(text: str, true: Fraction) -> None:
    assert dice(text + "\n").joint().distribution[True] == true


def test_runs_that_go_too_deep_count_whoever_uses_them() -> None:
    text = "fun f(): bool { if flip 1/2 then true else f() } let x = flip 1/3 in let y = f() in x\n"
    with pytest.warns(UserWarning, match="recursion limit"):
        assert dice(text, recursion_limit=2).joint().lost == Fraction(1, 8)


def test_mistakes_are_refused_whoever_uses_them() -> None:
    with pytest.raises(DiceTypeError, match="takes bool"):
        dice("let x = flip 1/3 in let y = !int(2, 1) in x\n")
