"""The form follows the program: fields from the signature, texts from defaults, claims and calls."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from taut.interfaces.play.form import (
    Field,
    FieldProblem,
    Form,
    form_of_dict,
    forms_of,
    read_field,
    read_fields,
    resized,
    slider_of,
)
from taut.interfaces.play.programs import program_of
from taut.interfaces.queries import starter
from taut.interfaces.queries.functions import load_functions
from taut.mechanisms import CATALOG
from taut.program.domains import Domain


def forms(code: str, folder: Path) -> dict[str, Form]:
    path = folder / "mine.py"
    path.write_text(code)
    return {form.name: form for form in forms_of(load_functions(str(path)), code)}


def texts(form: Form) -> dict[str, str]:
    return {field.name: field.text for field in form.fields}


HEAD = "import taut\nfrom taut import *\n"


def test_the_first_parameter_is_a_database_and_known_names_have_usual_values(tmp_path: Path) -> None:
    form = forms(HEAD + "@mechanism\ndef f(data, lam, ratio, strange): return data\n", tmp_path)["f"]
    assert texts(form) == {"data": "bits(4)", "lam": "1/5", "ratio": "1/2", "strange": ""}
    assert [field.kind for field in form.fields] == ["domain", "number", "number", "value"]
    assert all(field.required for field in form.fields)


def test_defaults_of_the_signature(tmp_path: Path) -> None:
    code = HEAD + "@mechanism\ndef f(x, a=3, b='1/7', c=None, d=True, e=[1, 'u'], g=0.25, h=len): return x\n"
    form = forms(code, tmp_path)["f"]
    assert texts(form) == {"x": "bits(4)", "a": "3", "b": "1/7", "c": "none", "d": "true", "e": "[1, u]", "g": "0.25"}
    assert not any(field.required for field in form.fields[1:])
    given = read_fields(form, texts(form))
    assert given == {**given, "a": 3, "b": Fraction(1, 7), "c": None, "d": True, "e": [1, "u"], "g": Fraction(1, 4)}


def test_claims_and_calls_say_what_a_mechanism_is_tried_with(tmp_path: Path) -> None:
    claimed = HEAD + "@taut.claim(x=ints(2, 0, 2), lam='1/3', ratio=9)\n@mechanism\ndef f(x, lam): return x\n"
    assert texts(forms(claimed, tmp_path)["f"]) == {"x": "ints(2, 0, 2)", "lam": "1/3"}
    called = HEAD + "@mechanism\ndef g(x, lam): return x\nif __name__ == '__main__':\n    g(bits(7), lam='2/9')\n"
    assert texts(forms(called, tmp_path / "..")["g"]) == {"x": "bits(7)", "lam": "2/9"}


def test_plain_functions_are_offered_where_nothing_is_marked(tmp_path: Path) -> None:
    assert list(forms(HEAD + "def f(x): return x\ndef g(): return 1\n", tmp_path)) == ["f"]
    both = tmp_path / "both"
    both.mkdir()
    assert list(forms(HEAD + "def h(x): return x\n@mechanism\ndef f(x): return h(x)\n", both)) == ["f"]


def test_the_starter_and_every_built_in_program_fill_their_form(tmp_path: Path) -> None:
    for name, code in {"own": starter("own.py", "own"), **{name: program_of(name) for name in CATALOG}}.items():
        folder = tmp_path / name
        folder.mkdir()
        form = forms(code, folder)[name]
        given = read_fields(form, texts(form))
        assert isinstance(given["x"], Domain), name
        assert form_of_dict(form.to_dict()) == form


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("domain", "4", "is a database"),
        ("domain", "bits(", "a value is missing"),
        ("domain", "bites(3)", "there is no 'bites"),
        ("number", "abc", "is a number"),
        ("number", "1/0", "is a number"),
        ("number", "__import__('os')", "there is no"),
        ("number", "", "needs a value"),
        ("number", "  ", "needs a value"),
        ("boolean", "maybe", "true or false"),
    ],
)
def test_wrong_text_is_refused_with_the_name_of_its_field(kind: str, text: str, words: str) -> None:
    with pytest.raises(FieldProblem, match=words.replace("(", r"\(")) as refusal:
        read_field(Field("lam", kind, "", True), text)
    assert refusal.value.value == "lam"


@pytest.mark.parametrize(("text", "value"), [("1/5", Fraction(1, 5)), ("0.2", Fraction(1, 5)), ("3", 3), ('"w"', "w")])
def test_numbers_are_read_exactly(text: str, value: object) -> None:
    assert read_field(Field("lam", "number", "", True), text) == value


def test_sliders_and_sizes() -> None:
    for text in ("abc", "true", "[1]", "integer(0,3)", "exp(1/2)", ""):
        assert slider_of("a", text) is None
    assert slider_of("k", "3") is not None and slider_of("k", "3").whole  # type: ignore[union-attr]
    assert slider_of("a", "7/2").high == "7"  # type: ignore[union-attr]
    assert resized("categories(2,[a,b])", 4) == "categories(4,[a,b])"
