"""The right side of the page: the parts of an answer as they come, and the interval of a running search."""

from __future__ import annotations

import base64
import html
import math
import re
import time
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from taut.interfaces.play.markers import marked
from taut.interfaces.reports.page import facts, table

__all__ = ["Result", "closing_svg"]


_PICTURES = {"worst": "The worst case", "profile": "The privacy profile", "diagram": "The decision diagram"}
_LONG = 18
_SLOW = 0.4
"""Seconds after which a search is slow enough for its interval to be shown."""


class Result:
    """The part of the page that shows an answer; an old answer is dimmed until the new one replaces it."""

    def __init__(self) -> None:
        self._points: list[tuple[float, str | None, str | None]] = []
        self._letter = ""
        """The sign of the number that is asked for."""
        self._told = 0.0
        """Time of the worker's last interval, by the server's clock."""
        self._fresh: set[str] = set()
        self._cards: dict[str, Any] = {}
        self.shown = False
        """True if the number of the question that was asked last is on the page."""
        self.step = ""
        """The progress of the running search, in words."""
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

    def begin(self, keep: bool, letter: str = "") -> None:
        """Dim the old answer when a question is asked; remove parts that the new answer will not have."""
        self._letter = letter
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
        """Return the certified interval that the running search has told of; None if it has told of nothing."""
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
        self._facts.set_content(facts(event["rows"], answer=False))
        self._verified.set_text("")
        self._show("facts")

    def _take_verified(self, event: dict[str, Any]) -> None:
        self._verified.set_text(event["text"])

    def _take_how(self, event: dict[str, Any]) -> None:
        self._how.set_text(event["text"])
        self._show("how")

    def _take_table(self, event: dict[str, Any]) -> None:
        self._table.set_content(table(event["headings"], event["rows"]))
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
            image.style(
                ""
                if width is None
                else f"--least: {0.75 * float(width[1]):.0f}pt; --most: {1.3 * float(width[1]):.0f}pt"
            )
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
            self._closing.set_content(closing_svg(points, min(now, limit), self._letter))

    def _show(self, name: str) -> None:
        self._fresh.add(name)
        self._cards[name].set_visibility(True)
        self._cards[name].classes(remove="taut-stale")


def _address(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


_WIDTH, _HEIGHT = 640, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 10, 490, 14, 126
_MOST = 400
"""Points that are drawn; of more, evenly spaced ones."""
_Corners = list[tuple[float, float]]


def closing_svg(points: Sequence[tuple[float, str | None, str | None]], now: float, letter: str = "") -> str:
    """Return an SVG element; each point has its second, the lower and the upper end as decimals, None if not known.

    ``letter`` names the number.

    >>> closing_svg([(0.5, "1", None), (1.0, "2", "4")], 1.5).count("<path")
    3
    """
    kept = [points[place] for place in sorted({*range(0, len(points), -(-len(points) // _MOST)), len(points) - 1})]
    ends = [[(one[0], _height(one[side])) for one in kept if one[side] is not None] for side in (1, 2)]
    heights = [height for known in ends for _, height in known if math.isfinite(height)] or [0.0, 1.0]
    low, high, last = min(heights), max(heights), max(points[-1][0], now, 0.1)
    logarithmic = 0 < 20 * low < high

    def corner(second: float, height: float) -> tuple[float, float]:
        share = 1.0 if math.isinf(height) else (height - low) / ((high - low) or 1.0)
        if logarithmic and math.isfinite(height):
            share = math.log(height / low) / math.log(high / low)
        return _LEFT + (_RIGHT - _LEFT) * second / last, _BOTTOM - (_BOTTOM - _TOP) * share

    lower, upper = (_steps([corner(*one) for one in known]) for known in ends)
    shade = f'<path d="{_path(_area(lower, upper))}Z" fill="var(--taut-blue)" fill-opacity="0.14"/>'
    words = f"The certified interval after {last:.1f} seconds: {points[-1][1] or '?'} to {points[-1][2] or '?'}"
    least, most = f"{letter} at least".strip(), f"{letter} at most".strip()
    quiet = f'y="{_HEIGHT - 6}" font-size="11" fill="currentColor" opacity="0.7"'
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width: 100%; height: auto">'
        f"<title>{words}</title>{shade if lower and upper else ''}"
        f"{_curve(lower, 'var(--taut-blue)', least, points[-1][1], 12)}"
        f"{_curve(upper, 'var(--taut-orange)', most, points[-1][2], -4)}"
        f'<text x="{_LEFT}" {quiet}>0 s</text><text x="{_RIGHT}" text-anchor="end" {quiet}>{last:.1f} s</text></svg>'
    )


def _steps(corners: _Corners) -> _Corners:
    """Step corners: each end stays until it improves."""
    following = [*(x for x, _ in corners[1:]), float(_RIGHT)]
    return [point for (x, y), then in zip(corners, following, strict=False) for point in ((x, y), (then, y))]


def _area(lower: _Corners, upper: _Corners) -> _Corners:
    """Return the outline of the area between both ends, from when both are known."""
    if not lower or not upper:
        return []
    begin = max(lower[0][0], upper[0][0])
    sides = [
        [(begin, [y for x, y in side if x <= begin][-1]), *[c for c in side if c[0] > begin]] for side in (lower, upper)
    ]
    return [*sides[0], *reversed(sides[1])]


def _path(corners: _Corners) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def _curve(corners: _Corners, color: str, word: str, value: str | None, lift: int) -> str:
    """Return an end of the interval with its last value beside it; nothing while it is not known."""
    if not corners or value is None:
        return ""
    y = min(max(corners[-1][1] + lift, 12), _BOTTOM + 4)
    line = f'<path d="{_path(corners)}" fill="none" stroke="{color}" stroke-width="2"/>'
    return f'{line}<text x="{_RIGHT + 4}" y="{y:.1f}" font-size="11" fill="{color}">{word} {value}</text>'


def _height(text: str | None) -> float:
    try:
        return float(text or "inf")
    except ValueError:
        return math.inf
