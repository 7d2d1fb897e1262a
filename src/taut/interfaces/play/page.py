"""One tab of the page: the editor and the form on the left, the answer on the right."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nicegui import Client, ui

from taut.interfaces.play.controls import Controls
from taut.interfaces.play.form import Form, form_of_dict
from taut.interfaces.play.markers import marked
from taut.interfaces.play.programs import NEW, Opening, open_built_in, open_new
from taut.interfaces.play.result import Result
from taut.interfaces.play.session import LOADING, Session
from taut.interfaces.play.snippets import OnPage, command_words, copied_command, copied_python
from taut.mechanisms import CATALOG
from taut.neighbors import NAMED
from taut.questions.registry import question_forms
from taut.support.errors import TautError

__all__ = ["Page"]

_PAUSE = 0.7
"""Seconds without typing after which the form follows the program."""
_GRACE = 10.0
"""Seconds after the time limit in which the worker has to answer before it is ended."""
_NOT_YET = "First the program has to run, and its form to be filled in."
_CHANGED = "your program"
"""Menu entry of a program that was edited after it was opened."""
_REVEAL = """
if (matchMedia("(max-width: 61.99rem)").matches)
  document.querySelector('[data-testid="%s"]').scrollIntoView({behavior: "smooth", block: "start"});
"""
"""Script that scrolls to an element on narrow pages, at the breakpoint of style.css."""
_STYLE = Path(__file__).with_name("style.css")
_ON_SCHEME = """
(() => {
  const dark = () => document.body.classList.contains('body--dark');
  let last = null;
  const tell = () => { if (dark() !== last) { last = dark(); emitEvent('taut-scheme', last); } };
  new MutationObserver(tell).observe(document.body, {attributes: true, attributeFilter: ['class']});
  tell();
})();
"""


class Page:
    """The page of one tab, and its worker."""

    def __init__(self, client: Client, opening: Opening, session: Session) -> None:
        self.client = client
        self.session = session
        self._opening = opening
        self._forms: dict[str, Form] = {}
        self._inspected: str | None = None
        self._said_when_run = ""
        """The output that the program printed when it was run, before any question was asked."""
        self._generation = 0
        self._asked: tuple[str, str] | None = None
        self._dark = False
        self._typing: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._since: float | None = None
        self._limit = 0.0
        """Seconds that the running question may take."""
        self._in_hand = 0
        self._kept: tuple[Opening, str] | None = None
        """The last edited program with its origin, which the menu can bring back."""
        self._build()

    # -- the widgets ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        ui.add_css(_STYLE.read_text())
        self._mode = ui.dark_mode(None)
        with ui.element("header").classes("taut-head"):
            ui.html("taut play <span>exact privacy, at once</span>", sanitize=False, tag="h1")
            self._file = self._opening if self._opening.path else None
            names = [*([self._opening.file] if self._file else []), NEW, *CATALOG]
            self._menu = ui.select(
                names, value=self._opening.name, label="Program", on_change=lambda e: self._open(e.value)
            )
            marked(self._menu.props("dense outlined options-dense").classes("min-w-64"), "program-menu", "Program")
            ui.space()
            toggle = ui.button(icon="dark_mode", on_click=self._toggle_dark).props("flat round dense")
            marked(toggle, "dark-toggle", "Switch between light and dark")
        with ui.element("main").classes("taut-page"):
            with ui.element("div").classes("taut-left"):
                self._build_editor()
                self.controls = Controls(
                    sorted(NAMED), self._function_chosen, self._settings_changed, self._question_changed
                )
                self._build_buttons()
            with ui.element("div").classes("taut-right"):
                self.result = Result()
        ui.timer(0.2, self._tick)
        ui.on("taut-scheme", lambda event: self._scheme(bool(event.args)))

    def _build_editor(self) -> None:
        self._editor = ui.codemirror(
            self._opening.code,
            language="Python",
            theme="vscodeLight",
            on_change=lambda _: self._typed(),
            keymap={"Mod-Enter": lambda _: self.run()},
        )
        marked(self._editor.classes("taut-editor"), "editor", "The program")
        self._error = marked(ui.label("").classes("taut-error").props('role="alert"'), "error")
        self._error.set_visibility(False)

    def _build_buttons(self) -> None:
        with ui.element("div").classes("taut-buttons"):
            run = ui.button("Run", icon="play_arrow", on_click=self.run).props("unelevated no-caps")
            with marked(run, "run", "Run, Ctrl-Enter"):
                ui.label("Ctrl-Enter").classes("taut-key")
            self._stop = ui.button("Stop", icon="stop", on_click=self.stop).props("outline no-caps color=negative")
            marked(self._stop, "stop", "Stop the search and keep its interval").set_enabled(False)
            for name, words, does in (
                ("copy-python", "Copy as Python", self._copy_python),
                ("copy-command", "Copy as command", self._copy_command),
                ("download-report", "Download report", self._download),
            ):
                marked(ui.button(words, on_click=does).props("flat no-caps dense"), name, words)
        self._copied = marked(ui.label("").classes("taut-pre taut-copied").props('role="status"'), "copied")
        self._copied.set_visibility(False)

    # -- what the user does --------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Start the worker and answer the first question."""
        await self.session.start()
        self.controls.prefer(self._opening.mechanism, self._opening.texts)
        with contextlib.suppress(TimeoutError):
            await self.client.connected()
            self.client.run_javascript(_ON_SCHEME)
        self._ask_anew()

    def run(self) -> None:
        """Ask the question on the page, and scroll to the answer."""
        self._spawn(self._run(yields=False, reveals=True))

    def _ask_anew(self) -> None:
        self._spawn(self._run(yields=False))

    def stop(self) -> None:
        """Stop the search; its certified interval stays."""
        self.session.stop()

    async def close(self) -> None:
        """End the worker of a closed tab."""
        for task in list(self._tasks):
            task.cancel()
        await self.session.close()

    def _open(self, name: str) -> None:
        """Open the program chosen from the menu, unless the menu merely followed the editor."""
        code = self._editor.value or ""
        if name == self._entry(code):
            return
        if name == _CHANGED and self._kept is not None:
            self._opening, code = self._kept
        else:
            chosen = self._file if self._file and name == self._file.name else None
            self._opening = chosen or (open_new() if name == NEW else open_built_in(name))
            code = self._opening.code
        self.controls.forget()
        self.controls.prefer(self._opening.mechanism, self._opening.texts)
        self._editor.set_value(code)
        self._ask_anew()

    def _entry(self, code: str) -> str:
        """Return the entry of the menu that a program in the editor has."""
        return self._opening.name if code == self._opening.code else _CHANGED

    def _follow_menu(self) -> None:
        """Let the menu name the program that is in the editor."""
        code = self._editor.value or ""
        name = self._entry(code)
        if name == _CHANGED:
            self._kept = self._opening, code
        names = [one for one in self._menu.options if one != _CHANGED]
        self._menu.set_options([*([_CHANGED] if self._kept else []), *names], value=name)

    def _typed(self) -> None:
        """Mark the answer as outdated after an edit; update the form after a pause."""
        self._follow_menu()
        if (self._editor.value or "") != self._inspected:
            self.result.outdate()
        if self._typing is not None:
            self._typing.cancel()
        self._typing = asyncio.get_running_loop().call_later(_PAUSE, lambda: self._spawn(self._follow()))

    def _function_chosen(self) -> None:
        self._settings_changed(quick=False)

    def _settings_changed(self, quick: bool) -> None:
        self._spawn(self._run(yields=quick))

    def _question_changed(self) -> None:
        self._spawn(self._run(yields=False))

    def _toggle_dark(self) -> None:
        self._mode.value = not self._dark

    def _scheme(self, dark: bool) -> None:
        """Switch editor and pictures between light and dark with the page."""
        changed, self._dark = dark != self._dark, dark
        self._editor.set_theme("vscodeDark" if dark else "vscodeLight")
        if changed and not self.session.busy:
            self._spawn(self._redraw())

    # -- conversations with the worker ----------------------------------------------------------------------------

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self) -> None:
        """Update the form from the program without asking a question."""
        if (self._editor.value or "") == self._inspected:
            self._mark_error(None)
            if self.result.shown:
                self.result.end()  # it is the program again that the answer is about
            else:
                self._ask_anew()
            return
        self._generation += 1
        if self.session.busy:
            self.session.interrupt()  # it answers for a program that is not there any more
        if await self._inspect(self._generation):
            self.result.status.set_text("The program changed; Run, or Ctrl-Enter, asks again.")

    async def _run(self, yields: bool, reveals: bool = False) -> None:
        """Ask; of several questions in a row only the last is answered to its end.

        With ``reveals`` a narrow page scrolls to the answer, or to what is wrong.
        """
        if self._typing is not None:
            self._typing.cancel()  # the program is read now
        self._generation += 1
        mine = self._generation
        if self.session.busy:
            self.session.interrupt()
        if not await self._inspect(mine):
            if reveals and self._error.visible:
                self._reveal("error")
            return
        form = self.controls.form
        if form is None or not self.controls.check():
            return
        if reveals:
            self._reveal("answer")
        question = self.controls.question
        if self.controls.incomplete:
            self.result.begin(keep=False)
            self.result.end()
            return
        keep = self._asked == (form.name, question)
        self._asked = (form.name, question)
        self.result.begin(keep, self._letter)
        self._limit = limit = self.controls.time_limit
        request = {
            **self._program(),
            "kind": "ask",
            "mechanism": form.name,
            "settings": self.controls.texts,
            "neighbors": self.controls.neighbors,
            "question": question,
            "options": self.controls.options,
            "style": "dark" if self._dark else "light",
            "time_limit": limit,
            "yields": yields,
        }
        ended = await self._ask(request, limit + _GRACE, mine)
        if ended is not None:
            self._finish(ended)
            if reveals and self._error.visible:
                self._reveal("error")

    def _reveal(self, marker: str) -> None:
        self.client.run_javascript(_REVEAL % marker)

    async def _ask(self, request: dict[str, Any], seconds: float, mine: int) -> dict[str, Any] | None:
        """Return the last event of a request; None if something newer was asked in the meantime."""

        def take(event: dict[str, Any]) -> None:
            if mine == self._generation:
                self.result.take(event)
                if event["event"] == "part" and event["part"] == "headline":
                    self._say_found(event)
                    if "listed" in event:
                        self.controls.outputs_are_lists = event["listed"]

        with self._working():
            if mine != self._generation:
                return None
            ended = await self.session.ask(request, seconds, take)
        return ended if mine == self._generation else None

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        """Activate *Stop* inside the ``with`` block."""
        self._in_hand += 1
        if self._since is None:
            self._since = time.monotonic()
        self._stop.set_enabled(True)
        try:
            yield
        finally:
            self._in_hand -= 1
            if not self._in_hand:
                self._since = None
                self._stop.set_enabled(False)

    async def _inspect(self, mine: int) -> bool:
        """Return True if the program runs and has a mechanism; its form is on the page then."""
        code = self._editor.value or ""
        if code == self._inspected:
            self._mark_error(None)
            return True
        self.result.shown = False
        try:
            ast.parse(code)
        except (SyntaxError, ValueError) as problem:
            words = getattr(problem, "msg", str(problem))
            self._fail({"sentence": f"{words}.", "line": getattr(problem, "lineno", None), "kind": "code"})
            return False
        forms: list[dict[str, Any]] = []

        def take(event: dict[str, Any]) -> None:
            forms.extend(event.get("forms", []))

        ended = await self.session.ask({**self._program(), "kind": "inspect"}, LOADING, take)
        if mine != self._generation or self.client.is_deleted:
            return False
        if ended["event"] == "problem":
            self._fail(ended)
            return False
        self._inspected, self._said_when_run = code, ended["printed"]
        self._forms = {one["name"]: form_of_dict(one) for one in forms}
        self.controls.show(self._forms)
        self._mark_error(None)
        if ended.get("left"):
            ui_notify(self.client, ended["left"])
        return True

    async def _redraw(self) -> None:
        mine = self._generation
        style = "dark" if self._dark else "light"
        await self.session.ask({"kind": "redraw", "style": style}, 30, lambda event: self._drawn(event, mine))

    def _drawn(self, event: dict[str, Any], mine: int) -> None:
        if mine == self._generation:
            self.result.take(event)

    def _program(self) -> dict[str, Any]:
        path = self._opening.path
        folder = "" if path is None else str(path.parent)
        return {"code": self._editor.value or "", "file": self._opening.file, "folder": folder}

    # -- answers -------------------------------------------------------------------------------------------------

    def _say_found(self, event: dict[str, Any]) -> None:
        took = _seconds(min(event["took"], self._limit))
        if event["stopped"]:
            self.result.status.set_text(f"{event['label_of_mechanism']}: stopped after {took}")
            return
        reused = ", without compiling again" if event["reused"] else ""
        self.result.status.set_text(f"{event['label_of_mechanism']}: found in {took}{reused}")

    def _finish(self, ended: dict[str, Any]) -> None:
        printed = self._said_when_run + ended.get("printed", "")
        if ended["event"] == "problem":
            if ended.get("kind") == "stopped" and not self.result.shown:
                self._keep_interval(ended)
            elif ended.get("kind") != "stopped":
                self._fail(ended)
        self.result.end(printed)
        if ended.get("left"):
            ui_notify(self.client, ended["left"])

    def _keep_interval(self, ended: dict[str, Any]) -> None:
        """Show the last certified interval of a search that was stopped."""
        known = self.result.interval_so_far()
        if known is None:
            self.result.headline("", "", "", "Stopped, before anything was certain.")
        else:
            low, high = known
            number = f"{low or '?'} … {high or '?'}"
            label = f"{self._letter}, certified interval" if self._letter else "certified interval"
            self.result.headline(label, number, "", "Stopped; the number lies between these two.")
        self.result.status.set_text(ended["sentence"])

    @property
    def _letter(self) -> str:
        """The sign of the number that is asked for; empty if it has none."""
        form = question_forms().get(self.controls.question)
        return "" if form is None else form.kind.letter

    def _fail(self, problem: dict[str, Any]) -> None:
        """Show a problem beside the line or field that causes it."""
        if problem.get("kind") == "field" and self.controls.mark(problem["field"], problem["sentence"]):
            self._mark_error(None)
        else:
            line = problem.get("line")
            place = f"Line {line}: " if line else ""
            self._mark_error(f"{place}{problem['sentence']}", line)
        if not self.result.shown:  # what was found before something else failed is still true
            self.result.status.set_text("No answer.")
            self.result.blank()
        self.result.end(problem.get("printed", ""))

    def _mark_error(self, sentence: str | None, line: int | None = None) -> None:
        self._error.set_text(sentence or "")
        self._error.set_visibility(sentence is not None)
        last = (self._editor.value or "").count("\n") + 1
        if line is None or not 1 <= line <= last:
            self._editor.decorations = []
            self._editor.props["line-tooltips"] = {}
            return
        self._editor.decorations = [{"kind": "line", "line": line, "class": "taut-error-line"}]
        self._editor.props["line-tooltips"] = {line: sentence}
        self._editor.reveal_line(line)

    def _tick(self) -> None:
        """Show the seconds of a running computation."""
        if self._since is not None:
            took = time.monotonic() - self._since
            if took >= 0.3 and not self.result.shown and not self._error.visible:
                late = took >= self._limit
                how = f"{self._limit:g} s, the time limit; ending" if late else f"{took:.1f} s{self.result.step}"
                self.result.status.set_text(f"computing, {how} …")
                self.result.tick(self._limit)

    # -- to take away ----------------------------------------------------------------------------------------------

    def _chosen(self) -> OnPage | None:
        form = self.controls.form
        code = self._editor.value or ""
        if form is None or code != self._inspected or not self.controls.check():
            return None
        same = code == self._opening.code
        return OnPage(
            code,
            form,
            self.controls.texts,
            self.controls.neighbors,
            self.controls.question,
            self.controls.options,
            self._opening.built_in if same else None,
            self._opening.path if same else None,
        )

    def _copy_python(self) -> None:
        self._copy(copied_python)

    def _copy_command(self) -> None:
        self._copy(copied_command)

    def _copy(self, made: Any) -> None:
        try:
            chosen = self._chosen()
            words = None if chosen is None else made(chosen)
        except (TautError, SyntaxError) as problem:
            self._mark_error(str(problem))
            return
        if words is None:
            ui.notify(_NOT_YET)
            return
        ui.clipboard.write(words)
        self._copied.set_text(words)
        self._copied.set_visibility(True)

    async def _download(self) -> None:
        """Have the worker write the report, and send it to the browser."""
        chosen = self._chosen()
        if chosen is None:
            ui.notify(_NOT_YET)
            return
        self._generation += 1
        if self.session.busy:
            self.session.interrupt()
        found: list[dict[str, Any]] = []
        words = command_words(OnPage(**{**vars(chosen), "question": "report", "options": {}}), self._opening.file)
        self._limit = limit = self.controls.time_limit
        request = {
            **self._program(),
            "kind": "report",
            "mechanism": chosen.form.name,
            "settings": self.controls.texts,
            "neighbors": self.controls.neighbors,
            "question": self.controls.question,
            "options": self.controls.options,
            "command": [*words, "--out", "report.html"],
            "time_limit": limit,
        }
        self.result.status.set_text("writing the report …")
        with self._working():
            ended = await self.session.ask(request, limit + 2 * _GRACE, found.append)
        if ended["event"] == "problem" or not found:
            self._fail(ended)
            return
        self.result.status.set_text("")
        with self.client:
            ui.download.content(found[-1]["html"], f"report_{chosen.form.name}.html", "text/html")


def ui_notify(client: Client, words: str) -> None:
    with client:
        ui.notify(words, type="warning", multi_line=True)


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
