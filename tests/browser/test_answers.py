"""From nothing to a number with its worst case and its pictures, as a newcomer would."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.browser.tab import Tab

OWN = '''from taut import bits, flip, mechanism


@mechanism
def quiz(answers, honest="3/4"):
    """How many questions were answered with yes; who is not honest answers at random."""
    return sum(bit if flip(honest) else flip("1/2") for bit in answers)


if __name__ == "__main__":
    print(quiz(bits(3)).privacy())
'''
QUESTIONS = {
    "Privacy": {},
    "Delta": {"option-epsilon": "ratio=3/2"},
    "Rényi": {"option-order": "2,3"},
    "Trade-off": {"option-alpha": "1/5"},
    "Accuracy": {"option-alpha": "1"},
    "Distribution": {"option-input": "1,0,1"},
    "Closed form": {"option-range": "1/10..9/10"},
    "Decision diagram": {},
    "Symmetries": {},
}


def _asked(tab: Tab) -> None:
    """The question has been answered."""
    tab.until(lambda: tab.text("result-number") or tab.shows("picture-diagram"), "an answer")
    tab.rest()


def test_first_visit_answers_at_once(tab: Tab) -> None:
    assert tab.ratio() == "4"
    tab.until(lambda: "(0, 0, 0, 0)" in tab.text("explanation"), "the words")
    for picture in ("picture-worst", "picture-profile", "picture-diagram"):
        tab.until(lambda name=picture: min(tab.picture_size(name)) > 50, picture)
    tab.until(lambda: "verified: yes" in tab.text("verified"), "the replay")


def test_own_mechanism(tab: Tab) -> None:
    tab.write(OWN)
    tab.until(lambda: tab.shows("field-honest"), "a field for the new parameter")
    tab.fill("field-answers", "bits(3)")
    tab.click("run")
    tab.until(lambda: tab.text("result-decimal") == "e^ε = 7 exactly", "e^eps of an honest answer")
    tab.until(lambda: "quiz" in tab.text("explanation"), "the words")
    tab.until(lambda: min(tab.picture_size("picture-worst")) > 50, "the picture")
    assert not tab.shows("error")


def test_the_menu_names_the_program_in_the_editor(tab: Tab) -> None:
    tab.write("import random\n\n\ndef tell(bit):\n    return bit ^ (random.random() < 0.25)\n")
    tab.until(lambda: tab.value("program-menu") == "your program", "the name of the changed program")
    tab.until(lambda: "A guess" in tab.text("guess-bit"), "that the domain is a guess")
    tab.choose("program-menu", "rr_count")
    tab.until(lambda: tab.value("program-menu") == "rr_count" and "rr_count" in tab.text("editor"), "the built-in")
    tab.choose("program-menu", "your program")
    tab.until(lambda: "random.random" in tab.text("editor"), "the program that was typed")
    tab.until(lambda: tab.shows("field-bit"), "its form")
    tab.fill("field-bit", "integer(0, 2)")
    tab.until(lambda: not tab.shows("guess-bit"), "no word of a guess about what was typed")


def test_new_mechanism_from_the_menu(tab: Tab) -> None:
    tab.choose("program-menu", "new mechanism")
    tab.until(lambda: "@mechanism" in tab.text("editor"), "the starter")
    _asked(tab)
    tab.choose("question", "Claims")
    tab.until(lambda: tab.shows("table") and "holds" in tab.text("table"), "the verdict on its claim")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question(tab: Tab, question: str) -> None:
    tab.write(OWN)
    tab.until(lambda: tab.shows("field-honest"), "the form")
    tab.fill("field-answers", "bits(3)")
    tab.choose("question", question)
    for marker, words in QUESTIONS[question].items():
        tab.until(lambda name=marker: tab.shows(name), marker)
        tab.fill(marker, words)
    tab.click("run")
    tab.until(lambda: tab.text("result-number"), "an answer")
    kinds = ("picture-worst", "picture-diagram", "table")
    tab.until(lambda: any(tab.shows(kind) for kind in kinds), "a picture or a table")
    tab.until(lambda: not tab.shows("error"), "an answer without a mistake")  # fields were filled one after the other
    tab.rest()
    shown = [name for name in ("picture-worst", "picture-profile", "picture-diagram") if tab.shows(name)]
    for name in shown:
        tab.until(lambda name=name: min(tab.picture_size(name)) > 50, name)


def test_fraction_and_decimal_are_the_same(tab: Tab) -> None:
    for words, number in (("1/5", "4"), ("0.25", "3"), ("1/3", "2"), ("0.2", "4")):
        tab.fill("field-lam", words)
        tab.until(lambda number=number: tab.ratio() == number, f"{number} at lam={words}")


def test_wrong_text_is_marked_at_its_field(tab: Tab) -> None:
    tab.fill("field-lam", "a fifth")
    tab.until(lambda: "a fifth" in tab.browser.find_element("css selector", ".q-field--error").text, "the mark")
    tab.fill("field-lam", "1/5")
    tab.until(lambda: not tab.browser.find_elements("css selector", ".q-field--error"), "the mark to go")
    tab.until(lambda: tab.ratio() == "4", "the answer")


def test_slider_redraws_without_compiling(tab: Tab) -> None:
    before = tab.find("picture-worst").get_attribute("src")
    tab.slide("slider-lam", 5)
    tab.until(lambda: "without compiling again" in tab.text("status"), "an answer from the same diagram")
    tab.rest()
    lam = Fraction(tab.value("field-lam"))
    assert lam != Fraction(1, 5)
    tab.until(lambda: (ratio := tab.ratio()) is not None and Fraction(ratio) == (1 - lam) / lam, "its number")
    tab.until(lambda: tab.find("picture-worst").get_attribute("src") != before, "its picture")


def test_slider_of_the_size(tab: Tab) -> None:
    tab.slide("slider-x", 2)
    tab.until(lambda: tab.value("field-x") == "bits(6)", "two entries more")
    tab.until(lambda: "bits(6)" in tab.text("status"), "its answer")
    assert tab.ratio() == "4"


def test_control_enter_runs(tab: Tab) -> None:
    tab.write(OWN.replace("3/4", "1/2"))
    tab.until(lambda: tab.shows("field-honest"), "the form")
    tab.fill("field-answers", "bits(2)")
    tab.write(OWN.replace("3/4", "1/3"))
    tab.keys("\ue009", "\ue007")
    tab.until(lambda: tab.ratio() == "2", "the answer to Ctrl-Enter")


def test_copies_give_the_same_number(tab: Tab, tmp_path: Path) -> None:
    tab.choose("question", "Delta")
    tab.until(lambda: tab.shows("option-epsilon"), "the field")
    tab.fill("option-epsilon", "ratio=2")
    tab.until(lambda: tab.text("result-number") == "2/5", "delta")
    for button, start in (("copy-python", "print("), ("copy-command", "taut ")):
        tab.click(button)
        tab.until(lambda: tab.shows("copied"), "the copy")
        tab.until(lambda start=start: tab.text("copied").rpartition("\n")[2].startswith(start), "its words")
        words = tab.text("copied")
        if button == "copy-python":
            (tmp_path / "copied.py").write_text(words)
            command = [sys.executable, "copied.py"]
        else:
            first, *rest = shlex.split(words.splitlines()[-1])
            assert first == "taut"
            command = [sys.executable, "-m", "taut", *rest]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert re.search(r"\b2/5\b", done.stdout), done.stdout


def test_report_is_downloaded(tab: Tab) -> None:
    for old in tab.browser.downloads.iterdir():
        old.unlink()
    tab.click("download-report")
    (report,) = tab.until(lambda: list(tab.browser.downloads.glob("*.html")), "the file")
    tab.rest()
    words = report.read_text()
    assert "randomized_response" in words and "<svg" in words
    assert not re.search(r'(src|href)="https?://', words)
