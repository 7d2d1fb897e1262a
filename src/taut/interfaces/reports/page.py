"""A page that stands alone: sections of HTML in one file with its own style, without scripts and without network."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    """The whole file.

    Guarantee:
        Nothing is loaded from elsewhere and nothing is run: the page forbids both to the browser.
    """
    contents = "".join(f'<li><a href="#{part.anchor}">{html.escape(part.title)}</a></li>' for part in sections)
    bodies = "".join(_section(part) for part in sections)
    return Template(_PAGE).substitute(
        title=html.escape(title), style=_STYLE, lead=lead, contents=contents, sections=bodies
    )


def facts(rows: Iterable[tuple[str, str]], good: bool = True, answer: bool = True) -> str:
    """Names and values under each other; the first is the answer, unless there is none among them."""
    cells = []
    for place, (name, value) in enumerate(rows):
        mark = f' class="{"answer" if good else "answer bad"}"' if answer and place == 0 else ""
        cells.append(f"<tr{mark}><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>")
    return f'<div class="wide"><table class="facts">{"".join(cells)}</table></div>'


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def items(lines: Iterable[str]) -> str:
    """A list of texts."""
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def paragraph(text: str, kind: str = "") -> str:
    """A text; ``kind`` is 'note' for what could not be answered."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{html.escape(text)}</p>"


def code(text: str) -> str:
    """A text whose lines stay as they are."""
    return f"<pre><code>{html.escape(text.rstrip())}</code></pre>"


def figure(svg: str, words: str = "") -> str:
    """An SVG picture with a caption; a wide one scrolls sideways on a phone.

    There it keeps two thirds of its largest width, so that its letters can be read.
    """
    caption = f"<figcaption>{html.escape(words)}</figcaption>" if words else ""
    width = re.search(r"max-width: (\d+)pt", svg)
    broad = width is not None and int(width[1]) > _BROAD
    least = f' class="broad" style="--least: {int(width[1]) * 2 // 3}pt"' if width is not None and broad else ""
    return f"<figure{least}>{svg}{caption}</figure>"


def folded(summary: str, body: str) -> str:
    """HTML that a reader may unfold; on paper it is shown."""
    return f"<details><summary>{html.escape(summary)}</summary>{body}</details>"


def _cell(text: str) -> str:
    """A cell of a table; short ones stay on one line, and others have room for some words."""
    return f"<td class={'short' if len(text) <= _SHORT else 'long'}>{html.escape(text)}</td>"


def _section(part: Section) -> str:
    took = "" if part.seconds is None else f' <small class="took">{html.escape(seconds_text(part.seconds))}</small>'
    return f'<section id="{part.anchor}"><h2>{html.escape(part.title)}{took}</h2>{part.body}</section>\n'


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
<header><p class="kind">Privacy report</p><h1>$title</h1>$lead</header>
<nav><ul>$contents</ul></nav>
$sections</main>
</body>
</html>
"""

_STYLE = """
:root {
  color-scheme: light;
  --ink: #1b1f24;
  --quiet: #59636e;
  --line: #d8dee4;
  --soft: #f5f7f9;
  --ours: #0072b2;
  --bad: #b3261e;
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: #ffffff;
  color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .7rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
li { overflow-wrap: anywhere; }
.kind { color: var(--quiet); margin: 0; font-size: .9rem; }
.took { float: right; color: var(--quiet); font-weight: normal; font-size: .8rem; padding-top: .35rem; }
nav ul {
  display: flex;
  flex-wrap: wrap;
  gap: .3rem 1rem;
  list-style: none;
  margin: 1rem 0 0;
  padding: 0;
  font-size: .95rem;
}
a { color: var(--ours); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.card {
  border: 1px solid var(--line);
  border-radius: .5rem;
  padding: .7rem .9rem;
  background: var(--soft);
  overflow-wrap: anywhere;
}
.card b { display: block; font-size: 1.15rem; }
.card.bad b { color: var(--bad); }
.card span { color: var(--quiet); font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .93rem; margin: .6rem 0; }
th, td {
  text-align: left;
  vertical-align: top;
  padding: .28rem .9rem .28rem 0;
  border-bottom: 1px solid var(--line);
}
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
.facts th { color: var(--quiet); font-weight: normal; white-space: nowrap; }
.short { white-space: nowrap; }
.long { min-width: 12rem; }
.facts td { overflow-wrap: anywhere; }
.facts .answer td { font-weight: 600; }
.facts .answer.bad td { color: var(--bad); }
pre {
  background: var(--soft);
  border: 1px solid var(--line);
  border-radius: .5rem;
  padding: .8rem 1rem;
  overflow-x: auto;
  font-size: .86rem;
  line-height: 1.45;
}
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { color: var(--quiet); font-size: .9rem; }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--ours); }
.note { border-left: .25rem solid #e69f00; background: #fff8e6; padding: .5rem .8rem; }
@media (max-width: 34rem) {
  body { font-size: 15px; }
  figure { margin: 1rem -1rem; }
  figure.broad svg { min-width: var(--least); }
  .facts, .facts tbody, .facts tr, .facts th, .facts td { display: block; border: 0; padding: 0; }
  .facts tr { border-bottom: 1px solid var(--line); padding: .3rem 0; }
}
@media print {
  @page { margin: 16mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  h2 { break-after: avoid; }
  figure, .card, tr { break-inside: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .wide { overflow: visible; }
  details > :not(summary) { display: block; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
"""
