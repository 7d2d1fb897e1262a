"""``taut report``: one file that stands alone, whatever the mechanism is called and returns."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import Ran

from taut.interfaces import cli
from taut.interfaces.reports import document

HOSTILE = '''
import taut
from taut import flip, mechanism

NOTE = "</code></pre><script>alert(1)</script>"

@taut.claim(x=taut.bits(2), p="1/4", ratio=3)
@taut.claim(x=taut.bits(2), p="1/4", ratio=2)
@mechanism
def evil(x, p):
    """</pre><script>alert(2)</script> <img src=http://example.org/a.png>"""
    return "<script>alert(3)</script>" if x[0] ^ flip(p) else "$\\\\frac{</svg>&"

def plain(x, p="1/4"):
    return [bit ^ flip(p) for bit in x]

def wide(x):
    return [bit ^ flip("1/3") for bit in x]
'''
DICE = """fun respond(x: bool) {
  let coin = flip 0.25 in
  if coin then !x else x
}
respond(flip 0.5)
"""
EMPTY = {"meta", "br", "img", "hr", "link", "input"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ran]:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(HOSTILE)
    Path("noisy.dice").write_text(DICE)

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr("sys.argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, printed.out, printed.err)

    return call


class Page(HTMLParser):
    """The elements of a page: which there are, whether they close, and what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.references: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs), "no handlers"
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "data")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(path: Path) -> tuple[str, Page]:
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.tags & {"script", "img", "link", "iframe", "object"}
    assert page.references and all(reference.startswith("#") for reference in page.references)
    assert len(page.ids) == len(set(page.ids)), "pictures do not share names"
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert not re.search(r"url\((?!#)|@import", text)
    return text, page


def sections(text: str) -> list[str]:
    return [name.strip() for name in re.findall(r"<section id=\"[^\"]*\"><h2>([^<]*)", text)]


def test_a_report_has_every_answer_and_lets_no_text_of_the_mechanism_become_html(run: Callable[..., Ran]) -> None:
    done = run("report", "mine.py:evil", "x=bits(2)", "p=1/4", "--out", "report.html")
    assert done.code == 0, done.err
    assert done.out.startswith("wrote report.html: evil(")
    text, _ = checked(Path("report.html"))
    answers = ["Privacy", "Epsilon at delta", "Profile", "Composition", "Rényi divergence", "Trade-off"]
    assert sections(text) == ["Mechanism", *answers, "Calibration", "Claims", "Symmetries", "Diagram", "Replay"]
    assert text.count("<svg") == 9 and "note" not in re.findall(r"<p class=\"(\w+)\"", text)
    assert "&lt;script&gt;alert(2)" in text and "alert(3)" in text
    assert "<td class=short>fails</td>" in text and "<b>1 of 2</b>" in text
    assert "Verified: yes (the function, run by Python)" in text and "taut report mine.py:evil" in text
    assert "model = evil(x=bits(2), p=&quot;1/4&quot;)" in text
    assert 'name="viewport"' in text and "@media print" in text


def test_the_program_of_a_report_runs_and_prints_its_numbers(
    run: Callable[..., Ran], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import html

    monkeypatch.syspath_prepend(".")
    assert run("report", "mine.py:plain", "x=bits(2)", "p=1/3", "--out", "report.html").code == 0
    blocks = re.findall(r"<pre><code>(.*?)</code></pre>", Path("report.html").read_text(), re.DOTALL)
    exec(html.unescape(blocks[-1]), {})
    assert "e^eps = 2 exactly" in capsys.readouterr().out


def test_accuracy_is_part_of_it_if_alpha_is_given(run: Callable[..., Ran]) -> None:
    done = run("report", "rr_count", "n=3", "lam=1/5", "--alpha", "1", "--out", "report.html", "--json")
    assert done.code == 0 and '"unanswered": {}' in done.out
    text, _ = checked(Path("report.html"))
    assert "Accuracy" in sections(text) and "112/125" in text and "--alpha 1 --target sum" in text


def test_functions_of_dice_have_reports(run: Callable[..., Ran]) -> None:
    done = run("report", "noisy.dice:respond", "x=bits(1)", "--out", "report.html")
    assert done.code == 0, done.err
    text, _ = checked(Path("report.html"))
    assert "flip 0.25" in text and "eps" in text and "e^eps = 3 exactly" in text


def test_what_cannot_be_answered_says_why_and_the_rest_is_there(run: Callable[..., Ran]) -> None:
    done = run("report", "mine.py:wide", "x=bits(40)", "--out", "report.html", "--alpha", "1")
    assert done.code == 0 and "not answered: accuracy: " in done.out, "a vector has no absolute distance to a sum"
    text, _ = checked(Path("report.html"))
    assert '<p class="note">Not answered: ' in text and "e^eps = 2 exactly" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mine.py:plain", "x=bits(2)", "--out", "report.pdf"], "ends with .html"),
        (["mine.py:plain", "x=bits(2)", "--out", "no/report.html"], "there is no folder"),
        (["mine.py:nobody", "x=bits(2)", "--out", "report.html"], "nobody"),
        (["mine.py:plain", "--out", "report.html"], "no database is given"),
        (["mine.py:plain", "x=bits(2)", "--out", "report.html", "--alpha", "-1"], "--alpha must not be negative"),
        (["mine.py:plain", "x=bits(2)", "--out", "report.html", "--neighbors", "friends"], "friends"),
        (["mine.py:plain", "x=bits(2)"], "--out"),
    ],
)
def test_bad_arguments_are_one_sentence_and_leave_no_file(
    run: Callable[..., Ran], arguments: list[str], words: str
) -> None:
    done = run("report", *arguments)
    assert done.code == 2 and words in done.err and "Traceback" not in done.err
    assert not Path("report.html").exists()


def test_broad_pictures_can_be_pushed_sideways_and_others_fit() -> None:
    from taut.interfaces.reports.page import figure

    assert figure('<svg style="width: 100%; max-width: 800pt">').startswith(
        '<figure class="broad" style="--least: 533pt">'
    )
    assert figure('<svg style="width: 100%; max-width: 460pt">').startswith("<figure>")


def test_a_section_that_takes_all_the_time_leaves_some_to_the_others(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [0.0]  # a clock that stands still but for one section, which no limit stops, as none stops a picture

    answered = document._answered

    def slow(section: Any, work: Any) -> str:
        if section.kind.name != "profile":
            return answered(section, work)
        passed[0] += 1000
        return "at last"

    monkeypatch.setattr("taut.support.limits.clock", lambda: passed[0])
    monkeypatch.setattr(document, "_answered", slow)
    done = run("report", "rr_count", "n=2", "lam=1/5", "--alpha", "1", "--time-limit", "8", "--out", "r.html")
    assert done.code == 0 and "not answered" not in done.out
    assert "at last" in Path("r.html").read_text()


def test_a_fault_in_one_section_or_picture_does_not_lose_the_report(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("no profile")

    monkeypatch.setattr("taut.questions.profile.Profile.rows", broken)
    monkeypatch.setattr("taut.questions.privacy.PrivacyBound._figure", broken)
    done = run("report", "rr_count", "n=2", "lam=1/5", "--out", "r.html")
    assert done.code == 0
    assert "not answered: profile: this is a fault in taut: ZeroDivisionError: no profile" in done.out
    text, _ = checked(Path("r.html"))
    assert "There is no picture; this is a fault in taut" in text and "1.38629" in text
