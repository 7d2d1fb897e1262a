"""``taut run`` and Dice functions as mechanisms: what is printed, counted and warned of."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tests.languages.dice.test_corpus import Ask, ask

import taut
from taut import DiceError, DiceTypeError, DiceWarning, WrongArguments, bits, categories, dice, integer, ints
from taut.program import enumerate_outcomes

__all__ = ["ask"]

WIDE = "fun f(x: bool) { if x then flip 1/3 else flip 1/5 }\n" + "".join(
    f"let x{place} = f({f'x{place - 1}' if place else 'true'}) in\n" for place in range(60)
)
WIDE += "let seen = observe (x0 || x59) in\n" + "".join(f"(x{place}, " for place in range(59)) + "x59" + ")" * 59

SURVEY = """// What people say.
fun rr(x: (bool, (bool, bool))) {
  ((fst x) ^ flip 1/5, ((fst (snd x)) ^ flip 1/5, (snd (snd x)) ^ flip 1/5))
}
// How many say yes.
fun count(x: list(bool)): int(3) {
  if (length x) == int(4, 0) then int(3, 0)
  else (if (head x) ^ flip 1/5 then int(3, 1) else int(3, 0)) + count(tail x)
}
fun moved(x: int(3), by: int(3)) { x + by + discrete(1/4, 1/2, 1/4, 0, 0) }
fun kept(x: list(bool)): list(bool) {
  if (length x) == int(4, 0) then x else if flip 1/2 then (head x) :: kept(tail x) else kept(tail x)
}
"""


def test_text_json_and_dice_table(ask: Ask) -> None:
    Path("p.dice").write_text("let x = flip 1/3 in let o = observe x || flip 1/2 in (x, discrete(1/3, 1/3, 1/3))")
    code, out, err = ask("run", "p.dice", "--show-size")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "value       probability  decimal",
        "(true, 0)   1/6          0.1666666667",
        "(true, 1)   1/6          0.1666666667",
        "(true, 2)   1/6          0.1666666667",
        "(false, 0)  1/6          0.1666666667",
        "(false, 1)  1/6          0.1666666667",
        "(false, 2)  1/6          0.1666666667",
        "evidence: 2/3 = 0.6666666667",
        "size: 8 binary nodes",
    ]
    found = json.loads(ask("run", "p.dice", "--json", "--show-size")[1])
    assert found["distribution"][0] == {"value": "(true, 0)", "probability": "1/6"}
    assert (found["evidence"], found["lost"], found["size"]) == ("2/3", "0", 8)
    code, out, _ = ask("run", "p.dice", "--table", "dice", "--show-size")
    assert out.split("\n") == [
        "================[ Joint Distribution ]================",
        "Value\tProbability\t",
        *[f"({x}, {n})\t{'0.166666667' if n < 3 else '0'}\t" for x in ("true", "false") for n in range(4)],
        "",
        "================[ Final compiled BDD size ]================",
        "8",
        "",
        "",
    ]


def test_dice_lists_every_value_of_a_type(ask: Ask) -> None:
    Path("p.dice").write_text("[flip 1/2]")
    _, out, _ = ask("run", "p.dice", "--table", "dice", "--max-list-length", "2")
    rows = [line.split("\t")[:2] for line in out.splitlines()[2:-1]]
    assert rows == [
        ["[]", "0"], ["[true]", "0.5"], ["[false]", "0.5"], ["[true, true]", "0"], ["[true, false]", "0"],
        ["[false, true]", "0"], ["[false, false]", "0"],
    ]  # fmt: skip
    Path("p.dice").write_text("int(32, 1)")
    assert ask("run", "p.dice", "--table", "dice")[0] == 3
    assert ask("run", "p.dice")[0] == 0


@pytest.mark.parametrize(
    ("program", "size"),
    [
        ("flip 1.0", 1),
        ("true", 1),
        ("int(3,7)", 1),
        ("int(3,1)", 2),
        ("flip 0.5", 3),
        ("let x = flip 0.3 in (x, !x)", 4),
        ("(flip 0.2, (flip 0.2, flip 0.2))", 5),
        ("(flip 0.2," * 49 + "flip 0.2" + ")" * 49, 52),
        ("uniform(2, 0, 4)", 4),
        ("uniform(10, 0, 4)", 4),
        ("flip 0.5 && flip 0.5", 4),
        ("let x = flip 0.5 in let y = flip 0.5 in x ^ y", 5),
        ("discrete(1/4, 1/4, 1/4, 1/4)", 6),
        ("binomial(2, 2, 1/2)", 6),
        ("binomial(3, 5, 0.0)", 25),
    ],
)
def test_sizes_as_dice_counts_them(program: str, size: int) -> None:
    assert dice(program).bdd_size == size


def test_what_dice_does_quietly(ask: Ask) -> None:
    Path("p.dice").write_text("discrete(0.33333, 0.33333, 0.33333)")
    code, out, err = ask("run", "p.dice")
    assert code == 0 and out.count("1/3") == 3
    assert err.startswith("taut: warning: p.dice:1:1: discrete: the weights sum to 99999/100000 = 0.99999")
    assert ask("run", "p.dice", "--strict")[0] == 2
    Path("p.dice").write_text("fun f(): bool { if flip 1/2 then true else f() } f()")
    code, out, err = ask("run", "p.dice", "--recursion-limit", "3")
    assert code == 0 and "evidence: 15/16" in out
    assert "runs of probability 1/16 = 0.0625 pass the recursion limit of 3" in err
    assert json.loads(ask("run", "p.dice", "--json")[1])["lost"] == "1/2048"
    code, out, err = ask("run", "p.dice", "--strict")
    assert (code, out) == (2, "") and err.startswith("taut: p.dice:1:44: some runs pass")


def test_warnings_and_strictness_in_python() -> None:
    with pytest.warns(DiceWarning, match="sum to 99999/100000"):
        dice("discrete(0.33333, 0.33333, 0.33333)")
    with pytest.warns(DiceWarning, match="recursion limit of 10"):
        dice("fun f(): bool { if flip 1/2 then true else f() } f()")
    for text in ("discrete(0.33333, 0.33333, 0.33333)", "fun f(): bool { if flip 1/2 then true else f() } f()"):
        with pytest.raises(DiceError):
            dice(text, strict=True)
    assert dice("fun f(n: bool): bool { if n then true else f(!n) } f(false)", strict=True).joint().lost == 0


def test_functions_are_mechanisms() -> None:
    model = dice(SURVEY, function="rr", inputs={"x": bits(3)})
    bound = model.privacy()
    assert bound.max_ratio == 4 and bound.verify()
    assert model.distribution((0, 1, 0)) == enumerate_outcomes(model.program, (0, 1, 0))
    assert model.fix((0, 0, 0)).bdd_size == 5
    counted = dice(SURVEY, function="count", inputs={"x": bits(4)})
    assert counted.privacy().max_ratio == 4
    assert counted.accuracy(sum, alpha=1).probability == Fraction(512, 625)
    assert counted.distribution((1, 1, 1, 1)) == taut.mechanisms.rr_count(bits(4), lam="1/5").distribution((1, 1, 1, 1))
    moved = dice(SURVEY, function="moved", inputs={"x": integer(0, 3), "by": 2})
    assert moved.distribution(1) == {3: Fraction(1, 4), 4: Fraction(1, 2), 5: Fraction(1, 4)}
    assert moved.distribution(1) == dice(SURVEY, function="moved", inputs={"x": ints(1, 0, 3), "by": 2}).distribution(
        (1,)
    )
    kept = dice(SURVEY, function="kept", inputs={"x": bits(2)})
    assert kept.distribution((0, 1)) == dict.fromkeys([(), (False,), (True,), (False, True)], Fraction(1, 4))
    close = kept.accuracy(lambda x: sum(x), alpha=0, distance=lambda y, aim: abs(sum(y) - aim))
    assert close.probability == Fraction(1, 4) and close.witness.x == (1, 1)


@pytest.mark.parametrize(
    ("function", "inputs", "error", "words"),
    [
        ("rr", {"x": bits(2)}, DiceTypeError, "a domain of 3 entries; got bits"),
        ("rr", {"x": ints(3, 0, 2)}, DiceTypeError, "0 or 1, not 2"),
        ("rr", {"x": categories(3, ["a", "b"])}, DiceTypeError, "not 'a'"),
        ("count", {"x": bits(11)}, DiceTypeError, "at most 10 entries"),
        ("moved", {"x": integer(0, 8), "by": 1}, DiceTypeError, "from 0 to 7, not 8"),
        ("moved", {"x": integer(0, 7), "by": 8}, DiceTypeError, "got 8"),
        ("moved", {"x": integer(0, 7)}, WrongArguments, "'by' is missing"),
        ("moved", {"x": 1, "by": 1, "z": 1}, WrongArguments, "no parameter 'z'"),
        ("rr", {"x": (1, 0)}, DiceTypeError, "3 items"),
        ("rr", {"x": 1}, DiceTypeError, "a sequence"),
        ("none", {}, WrongArguments, "there are rr, count"),
    ],
)
def test_inputs_that_do_not_fit(function: str, inputs: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        dice(SURVEY, function=function, inputs=inputs)


def test_functions_on_the_command_line(ask: Ask) -> None:
    Path("survey.dice").write_text(SURVEY)
    assert json.loads(ask("privacy", "survey.dice:rr", "x=bits(3)", "--json")[1])["max_ratio"] == "4"
    found = json.loads(ask("accuracy", "survey.dice:count", "x=bits(4)", "--alpha", "1", "--json")[1])
    assert found["probability"] == "512/625"
    assert ask("worst", "survey.dice:count", "x=bits(3)", "--alpha", "0")[0] == 0
    assert ask("sweep", "survey.dice:moved", "x=integer(0,1)", "by=0:3:1")[0] == 0
    assert ask("draw", "survey.dice:rr", "x=bits(3)", "--out", "rr.dot")[0] == 0 and Path("rr.dot").exists()
    shown = json.loads(ask("show", "survey.dice:count", "--json")[1])
    assert shown["source"].startswith("// How many say yes.\nfun count") and shown["source"].endswith("}\n")
    assert shown["documentation"] == "How many say yes."
    code, _, err = ask("privacy", "survey.dice:rr", "x=bits(2)")
    assert code == 2 and "a domain of 3 entries" in err
    assert ask("privacy", "survey.dice:nothing", "x=bits(2)")[0] == 2
    assert ask("privacy", "survey.dice:rr")[0] == 2
    code, _, err = ask("run", "survey.dice:rr")
    assert code == 2 and "names a function" in err
    assert ask("run", "survey.dice")[0] == 2


def test_without_a_table_the_number_of_values_does_not_matter(ask: Ask) -> None:
    Path("wide.dice").write_text(WIDE + "\n")
    first, last = Fraction(1, 3), {True: Fraction(0), False: Fraction(0)}
    for start, weight in ((True, first), (False, 1 - first)):
        chance = Fraction(start)
        for _ in range(59):
            chance = chance / 3 + (1 - chance) / 5
        last[start] = weight * chance
    expected = first + last[False]
    code, out, err = ask("run", "wide.dice", "--skip-table", "--show-size")
    assert (code, err) == (0, "")
    seen, size = out.splitlines()
    assert seen == f"evidence: {float(expected):.10g}" or seen.startswith(f"evidence: {expected} = ")
    assert int(size.removeprefix("size: ").removesuffix(" binary nodes")) > 60
    found = json.loads(ask("run", "wide.dice", "--skip-table", "--json")[1])
    assert found == {"evidence": str(expected), "lost": "0"}
    assert ask("run", "wide.dice", "--skip-table", "--table", "dice")[1] == ""
    Path("never.dice").write_text("let x = flip 1/2 in let o = observe (x && !x) in x")
    code, _, err = ask("run", "never.dice", "--skip-table")
    assert code == 2 and "never.dice:1:29" in err


def test_the_plain_command_line_has_the_options_of_the_command(ask: Ask) -> None:
    import typer

    from taut.interfaces.cli.common import app
    from taut.interfaces.cli.dice_run import OPTIONS, read_plainly

    ask("run", "--help")
    parameters = typer.main.get_command(app).commands["run"].params  # type: ignore[attr-defined]
    options = {parameter.opts[0] for parameter in parameters if parameter.opts[0].startswith("--")}
    assert options - {"--help", "--max-memory"} == OPTIONS.keys()  # what has the second is read by Typer
    assert read_plainly(["p.dice", "--table", "dice", "--json"]) == {
        "program": Path("p.dice"),
        "table": "dice",
        "json": True,
    }
    for unusual in (["--help"], [], ["p.dice", "q.dice"], ["p.dice", "--max-nodes"], ["p.dice", "--max-nodes", "x"]):
        assert read_plainly(unusual) is None
    assert read_plainly(["p.dice", "--max-nodes=5"]) is None and read_plainly(["p.dice", "-h"]) is None
