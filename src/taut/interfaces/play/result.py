"""The right side of the page: the parts of an answer as they come, each in its place."""

from __future__ import annotations

import base64
import html
import re
import time
from typing import Any

from nicegui import ui

from taut.interfaces.play.closing import closing_svg
from taut.interfaces.play.markers import marked

__all__ = ["Result"]

_PICTURES = {"worst": "The worst case", "profile": "The privacy profile", "diagram": "The decision diagram"}
_LONG = 18
_SLOW = 0.4
"""Seconds after which a search is slow enough for its interval to be shown."""


class Result:
    """The part of the page that shows an answer; an old answer is dimmed until the new one replaces it."""

    def __init__(self) -> None:
        self._points: list[tuple[float, str | None, str | None]] = []
        self._told = 0.0
        """When the worker told of the interval last, by the clock of the server."""
        self._fresh: set[str] = set()
        self._cards: dict[str, Any] = {}
        self.shown = False
        """True if the number of the question that was asked last is on the page."""
        self.step = ""
        """How far the running search is, in words."""
        answer = ui.element("section").classes("taut-card").props('aria-live="polite"')
        with marked(answer, "answer", "Answer"):
            self._label = marked(ui.label("").classes("taut-quiet"), "result-label")
            self._number = marked(ui.label("").classes("taut-number"), "result-number")
            self._decimal = marked(ui.label("").classes("taut-decimal"), "result-decimal")
            self._note = marked(ui.label("").classes("taut-note"), "result-note")
            self.status = marked(ui.label("").classes("taut-quiet").props('role="status"'), "status")
            self._closing = marked(ui.html("", sanitize=False).classes("w-full"), "closing", "The closing interval")
        self._explanation = self._card("explanation", "In words")
        with self._explanation:
            self._words = marked(ui.html("", sanitize=False), "explanation")
        self._images: dict[str, tuple[Any, Any, Any]] = {}
        for name, title in _PICTURES.items():
            with self._card(f"picture-{name}", title) as card:
                heading = card.default_slot.children[0]
                image = marked(ui.element("img"), f"picture-{name}")
                missing = marked(ui.label("").classes("taut-quiet"), f"no-picture-{name}")
            self._images[name] = heading, image, missing
        with self._card("table", "Table") as card:
            self._table_title = card.default_slot.children[0]
            self._table = marked(ui.html("", sanitize=False).classes("taut-scroll"), "table")
        with self._card("facts", "Facts"):
            self._facts = marked(ui.html("", sanitize=False).classes("taut-scroll"), "facts")
            self._verified = marked(ui.label("").classes("taut-quiet"), "verified")
        with self._card("how", "How it was found"):
            self._how = marked(ui.label("").classes("taut-pre"), "how")
        with self._card("printed", "What the program printed"):
            self._printed = marked(ui.label("").classes("taut-pre"), "printed")
        for card in self._cards.values():
            card.set_visibility(False)

    def _card(self, name: str, title: str) -> Any:
        card = ui.element("section").classes("taut-card").props(f'aria-label="{title}"')
        with card:
            ui.html(title, sanitize=False, tag="h2")
        self._cards[name] = card
        return card

    def begin(self, keep: bool) -> None:
        """Dim the old answer when a question is asked; remove parts that the new answer will not have."""
        self._points, self._fresh, self.shown, self.step = [], set(), False, ""
        self._closing.set_content("")
        self.outdate()
        if not keep:
            self.blank()
            for card in self._cards.values():
                card.set_visibility(False)

    def outdate(self) -> None:
        """Mark the answer as outdated: the program in the editor has changed."""
        for element in (self._number, self._decimal, self._note, *self._cards.values()):
            element.classes(add="taut-stale")

    def blank(self) -> None:
        """Show no answer."""
        self._fresh = set()
        for label in (self._label, self._number, self._decimal, self._note):
            label.set_text("")

    def end(self, printed: str = "") -> None:
        """Finish the answer: remove old parts that it did not replace."""
        self._closing.set_content("")
        for element in (self._number, self._decimal, self._note):
            element.classes(remove="taut-stale")
        if printed:
            self._printed.set_text(printed)
            self._show("printed")
        for name, card in self._cards.items():
            card.classes(remove="taut-stale")
            if name not in self._fresh:
                card.set_visibility(False)

    def take(self, event: dict[str, Any]) -> None:
        """Show an event of the worker: a part of the answer, or the interval of the search so far."""
        if event["event"] == "interval":
            self._close_in(event)
            return
        handler = getattr(self, f"_take_{event['part']}", None)
        if handler is not None:
            handler(event)

    def interval_so_far(self) -> tuple[str | None, str | None] | None:
        """The certified interval that the running search has told of; None if it has told of nothing."""
        if not self._points:
            return None
        _, low, high = self._points[-1]
        return None if low is None and high is None else (low, high)

    def headline(self, label: str, number: str, decimal: str, note: str, good: bool = True) -> None:
        """The number and what it is."""
        self._label.set_text(label)
        self._number.set_text(number)
        self._number.classes(remove="taut-stale taut-bad taut-long")
        self._number.classes(add=" ".join(["taut-long"] * (len(number) > _LONG) + ["taut-bad"] * (not good)))
        for element, words in ((self._decimal, decimal), (self._note, note)):
            element.set_text(words)
            element.classes(remove="taut-stale")
            element.set_visibility(bool(words))
        self.shown = True

    # -- parts ---------------------------------------------------------------------------------------------------

    def _take_headline(self, event: dict[str, Any]) -> None:
        self._closing.set_content("")
        self.headline(event["label"], event["exact"], event["decimal"], event["note"], event["good"])

    def _take_sentences(self, event: dict[str, Any]) -> None:
        self._words.set_content("".join(f"<p>{html.escape(line)}</p>" for line in event["lines"]))
        self._show("explanation")

    def _take_facts(self, event: dict[str, Any]) -> None:
        rows = "".join(f"<tr><th>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in event["rows"])
        self._facts.set_content(f"<table>{rows}</table>")
        self._verified.set_text("")
        self._show("facts")

    def _take_verified(self, event: dict[str, Any]) -> None:
        self._verified.set_text(event["text"])

    def _take_how(self, event: dict[str, Any]) -> None:
        self._how.set_text(event["text"])
        self._show("how")

    def _take_table(self, event: dict[str, Any]) -> None:
        head = "".join(f"<th>{html.escape(word)}</th>" for word in event["headings"])
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in event["rows"]
        )
        self._table.set_content(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        self._table_title.set_content(html.escape(event["title"]))
        self._show("table")

    def _take_picture(self, event: dict[str, Any]) -> None:
        heading, image, missing = self._images[event["name"]]
        heading.set_content(html.escape(event["title"]))
        image.set_visibility("svg" in event)
        missing.set_visibility("svg" not in event)
        missing.set_text(event.get("missing", ""))
        if "svg" in event:
            image.props["src"] = _address(event["svg"])
            image.props["alt"] = event["title"]
            width = re.search(r'<svg[^>]*? width="([\d.]+)', event["svg"])
            image.style(f"--least: {0.75 * float(width[1]):.0f}pt" if width else "")
            image.classes(remove="taut-unstyled", add="" if event["styled"] else "taut-unstyled")
        self._show(f"picture-{event['name']}")

    def _take_redrawn(self, event: dict[str, Any]) -> None:
        self._images[event["name"]][1].props["src"] = _address(event["svg"])

    def _close_in(self, event: dict[str, Any]) -> None:
        self._points.append((event["seconds"], event["lower"], event["upper"]))
        self.step = f", step {event['done']:,} of {event['total']:,}" if event["total"] else ""
        self._told = time.monotonic()

    def tick(self, limit: float) -> None:
        """Advance the picture of a slow search with the clock.

        After the time limit, ``limit`` seconds, it stands still.
        """
        if self.shown or self.interval_so_far() is None:
            return
        now = self._points[-1][0] + time.monotonic() - self._told
        if now >= _SLOW:
            points = [(min(second, limit), low, high) for second, low, high in self._points]
            self._closing.set_content(closing_svg(points, min(now, limit)))

    def _show(self, name: str) -> None:
        self._fresh.add(name)
        self._cards[name].set_visibility(True)
        self._cards[name].classes(remove="taut-stale")


def _address(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
