"""A page that stands alone: sections of HTML in one file with its own style, without scripts and without network."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from taut.questions.rows import seconds_text

__all__ = ["Section", "code", "facts", "figure", "folded", "items", "page", "paragraph", "table"]

_SHORT = 26
_BROAD = 480


@dataclass(frozen=True)
class Section:
    """A section of a page: name, HTML, and optionally the seconds that it took."""

    title: str
    body: str
    seconds: float | None = None

    @property
    def anchor(self) -> str:
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Return the whole file.

    Guarantee:
        Nothing is loaded from elsewhere and nothing is run: the page forbids both to the browser.
    """
    contents = "".join(f'<li><a href="#{part.anchor}">{html.escape(part.title)}</a></li>' for part in sections)
    bodies = "".join(_section(part) for part in sections)
    whole, style = (Path(__file__).with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".html", ".css"))
    parts = {"style": f"\n{style}", "lead": lead, "contents": contents, "sections": bodies}
    return Template(whole).substitute(title=html.escape(title), **parts)


def facts(rows: Iterable[tuple[str, str]], good: bool = True, answer: bool = True) -> str:
    """Return names and values under each other; the first is the answer, unless there is none among them."""
    cells = []
    for place, (name, value) in enumerate(rows):
        mark = f' class="{"answer" if good else "answer bad"}"' if answer and place == 0 else ""
        cells.append(f"<tr{mark}><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>")
    return f'<div class="wide"><table class="facts">{"".join(cells)}</table></div>'


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def items(lines: Iterable[str]) -> str:
    """Return a list of texts."""
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a text; ``kind`` is 'note' for what could not be answered."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{html.escape(text)}</p>"


def code(text: str) -> str:
    """Return a text whose lines stay as they are."""
    return f"<pre><code>{html.escape(text.rstrip())}</code></pre>"


def figure(svg: str, words: str = "") -> str:
    """Return an SVG picture with a caption; a wide one scrolls sideways on a phone.

    There it keeps two thirds of its largest width, so that its letters can be read.
    """
    caption = f"<figcaption>{html.escape(words)}</figcaption>" if words else ""
    width = re.search(r"max-width: (\d+)pt", svg)
    broad = width is not None and int(width[1]) > _BROAD
    least = f' class="broad" style="--least: {int(width[1]) * 2 // 3}pt"' if width is not None and broad else ""
    return f"<figure{least}>{svg}{caption}</figure>"


def folded(summary: str, body: str) -> str:
    """Return HTML that a reader may unfold; on paper it is shown."""
    return f"<details><summary>{html.escape(summary)}</summary>{body}</details>"


def _cell(text: str) -> str:
    """Return a cell of a table; short ones stay on one line, and others have room for some words."""
    return f"<td class={'short' if len(text) <= _SHORT else 'long'}>{html.escape(text)}</td>"


def _section(part: Section) -> str:
    took = "" if part.seconds is None else f' <small class="took">{html.escape(seconds_text(part.seconds))}</small>'
    return f'<section id="{part.anchor}"><h2>{html.escape(part.title)}{took}</h2>{part.body}</section>\n'
