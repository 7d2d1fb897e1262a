"""Answers with letters that XML, JSON or UTF-8 cannot hold are written with escapes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st
from tests.interfaces.cli.command import process

from taut.interfaces.cli.output import printable
from taut.interfaces.reports.formats import Case, json_text, junit_xml

anything = st.text(st.characters(), max_size=8)  # with control characters, lone surrogates and non-characters


@given(anything, anything)
@example("\ud800", "\uffff")
@example("\x00", "\ufffe")
def test_junit_parses_again(place: str, text: str) -> None:
    whole = junit_xml("taut", [Case(place, text, "fails", text, 0.5), Case(place, text, "holds", text, 0.5)])
    root = ElementTree.fromstring(whole.encode())
    assert len(root.findall("testcase")) == 2
    if text.isascii() and text.isprintable():
        assert root.findall("testcase")[0].get("name") == text


@given(anything)
@example("\ud800")
def test_json_comes_back(text: str) -> None:
    assert json.loads(json_text({"text": text}).encode("ascii")) == {"text": text}


@given(anything)
@example("\x1b]0;title\x07")
def test_nothing_for_a_terminal_to_obey_is_left(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert shown.replace("\n", "").isprintable()
    assert shown == text or not text.isprintable()


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        "from taut import bits, claim, mechanism\n"
        + "".join(
            f"@claim(x=bits(1), ratio=1)\n@mechanism\ndef f{number}(x):\n    return 'a' if x[0] else {odd!a}\n"
            for number, odd in enumerate(["\ud800", "\uffff", "\x1b"])
        )
    )
    for number in range(3):
        target = [f"odd.py:f{number}", "x=bits(1)"]
        for words in (
            ["privacy", *target],
            ["privacy", *target, "--json"],
            ["privacy", *target, "--save", "z.json"],
            ["explain", "z.json"],
            ["replay", "z.json"],
            ["report", *target, "--out", "z.html"],
        ):
            ran = process(*words, cwd=tmp_path)
            assert ran.code == 0 and ran.err == "" and "\x1b" not in ran.out, (words, ran)
    assert process("check", "odd.py", "--junit", "z.xml", cwd=tmp_path).code == 1
    assert ElementTree.parse(tmp_path / "z.xml").getroot().get("failures") == "3"
