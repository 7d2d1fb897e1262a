"""Random Dice programs: what is compiled is what running them directly gives, as Dice's own text, with ==."""

from __future__ import annotations

import warnings
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.languages.dice.direct import run_directly

from taut import DiceWarning, ImpossibleEvidence, dice, options
from taut.program import enumerate_outcomes

Type = str | tuple[str, "Type", "Type"]
TYPES: list[Type] = ["bool", "int(1)", "int(2)", "int(3)", "int(9)", ("pair", "bool", "int(2)"), "list(bool)"]
CHANCES = ["0.5", "1/3", ".25", "1", "0", "9e-1"]


def spelled(type_: Type) -> str:
    return type_ if isinstance(type_, str) else f"({spelled(type_[1])}, {spelled(type_[2])})"


@st.composite
def expressions(draw: st.DrawFn, type_: Type, depth: int, scope: dict[str, Type], functions: dict[str, Type]) -> str:
    """A well-typed expression, in parentheses."""

    def inner(wanted: Type, more: dict[str, Type] | None = None) -> str:
        return draw(expressions(wanted, depth - 1, {**scope, **(more or {})}, functions))

    leaves = [f"({name})" for name, known in scope.items() if known == type_]
    leaves.append(draw(constants(type_)))
    if depth == 0:
        return draw(st.sampled_from(leaves))
    forms = ["leaf", "if", "let", "call", "project"]
    if type_ == "bool":
        forms += ["connective", "not", "compare", "observe", "bit", "head"]
    elif isinstance(type_, str) and type_.startswith("int"):
        forms += ["arithmetic", "shift", "arithmetic"]
    elif type_ == "list(bool)":
        forms += ["cons", "tail", "cons"]
    else:
        forms += ["pair", "pair"]
    form = draw(st.sampled_from(forms))
    some = draw(st.sampled_from(TYPES))
    width = draw(st.sampled_from([1, 2, 3, 9]))
    if form == "if":
        return f"(if {inner('bool')} then {inner(type_)} else {inner(type_)})"
    if form == "let":
        name = draw(st.sampled_from(["x", "y", "_"]))
        return f"(let {name} = {inner(some)} in {inner(type_, {name: some})})"
    if form == "call" and type_ in functions.values():
        name = next(name for name, known in functions.items() if known == type_)
        return f"{name}({inner(type_)})" if draw(st.booleans()) else f"iterate({name}, {inner(type_)}, 2)"
    if form == "project":
        return (
            f"(fst ({inner(type_)}, {inner(some)}))"
            if draw(st.booleans())
            else f"(snd ({inner(some)}, {inner(type_)}))"
        )
    if form == "connective":
        return f"({inner('bool')} {draw(st.sampled_from(['&&', '||', '^', '<=>']))} {inner('bool')})"
    if form == "not":
        return f"(! {inner('bool')})"
    if form == "compare":
        sign = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
        return f"({inner(f'int({width})')} {sign} {inner(f'int({width})')})"
    if form == "observe":
        return f"(observe {inner('bool')})"
    if form == "bit":
        return f"nth_bit(int({width}, {draw(st.integers(0, min(width, 2**width) - 1))}), {inner(f'int({width})')})"
    if form == "head":
        return f"(head {inner('list(bool)')})"
    if form == "arithmetic":
        return f"({inner(type_)} {draw(st.sampled_from(['+', '-', '*']))} {inner(type_)})"
    if form == "shift":
        return f"({inner(type_)} {draw(st.sampled_from(['<<', '>>']))} {draw(st.integers(0, 4))})"
    if form == "cons":
        return f"({inner('bool')} :: {inner(type_)})"
    if form == "tail":
        return f"(tail {inner(type_)})"
    if form == "pair":
        return f"({inner(type_[1])}, {inner(type_[2])})"
    return draw(st.sampled_from(leaves))


@st.composite
def constants(draw: st.DrawFn, type_: Type) -> str:
    """A random or constant expression without operands."""
    chance = draw(st.sampled_from(CHANCES))
    if type_ == "bool":
        return draw(st.sampled_from(["true", "false", f"flip {chance}", f"flip({chance})"]))
    if type_ == "list(bool)":
        return draw(st.sampled_from(["([] : list(bool))", f"[flip {chance}]", "[true, false, true]"]))
    if not isinstance(type_, str):
        return f"({draw(constants(type_[1]))}, {draw(constants(type_[2]))})"
    width = int(type_[4:-1])
    high = draw(st.integers(1, min(4, 2**width)))
    low = draw(st.integers(0, high - 1))
    forms = [f"int({width}, {low})", f"uniform({width}, {low}, {high})", f"binomial({width}, {high - 1}, {chance})"]
    if width == 2:
        forms.append(draw(st.sampled_from(["discrete(0.2, 0.3, 0.5)", "discrete(1/2, 0, 1/4, 1/4)"])))
    return draw(st.sampled_from(forms))


@st.composite
def programs(draw: st.DrawFn) -> str:
    functions: dict[str, Type] = {}
    text = ""
    for name in draw(st.sampled_from([[], ["f"], ["f", "g"]])):
        type_ = draw(st.sampled_from(TYPES))
        body = draw(expressions(type_, 2, {"x": type_}, functions))
        if draw(st.booleans()):
            body = f"if flip 1/2 then {body} else {name}({body})"
        text += f"fun {name}(x: {spelled(type_)}): {spelled(type_)} {{ {body} }}\n"
        functions[name] = type_
    return text + draw(expressions(draw(st.sampled_from(TYPES)), 3, {}, functions))


@settings(max_examples=36, deadline=None)
@given(text=programs())
def test_compiled_is_what_running_gives(text: str) -> None:
    truth, evidence = run_directly(text, limit=3, bound=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiceWarning)
        model = dice(text, recursion_limit=3, max_list_length=4)
    try:
        joint = model.joint()
    except ImpossibleEvidence:
        assert evidence == 0
        return
    assert joint.evidence == evidence
    assert {model.text(value): weight for value, weight in joint.distribution.items()} == truth
    assert enumerate_outcomes(model.program, ()) == joint.distribution == model.distribution()
    with options(order="program"):
        assert model.joint() == joint
    assert joint.evidence + joint.lost <= 1
    assert model.bdd_size >= 1


@settings(max_examples=60, deadline=None)
@given(
    tokens=st.lists(
        st.tuples(st.sampled_from(["", "!", "!!", "observe ", "let z = a in "]), st.sampled_from("abc")),
        min_size=2,
        max_size=6,
    ),
    signs=st.lists(st.sampled_from(["&&", "||", "^", "<=>"]), min_size=5, max_size=5),
)
def test_operators_group_as_in_the_table(tokens: list[tuple[str, str]], signs: list[str]) -> None:
    """Without parentheses: everything is a bool, so that every grouping is well-typed."""
    body = " ".join(f"{prefix}{name} {sign}" for (prefix, name), sign in zip(tokens, signs, strict=False))
    text = f"let a = flip 1/3 in let b = flip 1/5 in let c = flip 1/7 in {body.rsplit(' ', 1)[0]}"
    truth, evidence = run_directly(text)
    if not evidence:
        return
    model = dice(text)
    assert {model.text(value): weight for value, weight in model.joint().distribution.items()} == truth
    assert model.joint().evidence == Fraction(evidence)
