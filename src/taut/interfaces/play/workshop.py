"""The state of a worker between questions: the program as it was last run, its diagrams, the last pictures."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from taut.diagrams.compile.relation import RelationCache
from taut.interfaces.play.form import FieldProblem, Form, forms_of, read_fields
from taut.interfaces.play.questions import PageQuestion, Part, answer, target_chosen
from taut.interfaces.queries.functions import load_functions
from taut.interfaces.queries.query import Query
from taut.model import Mechanism, mechanism
from taut.questions.text import outward
from taut.support.errors import InvalidInput, TautError, TooLarge
from taut.support.options import options

__all__ = ["Workshop"]

_TOO_MUCH = (
    "The program needs more memory than the page allows. Make the mechanism or its domain smaller, or start 'taut "
    "play' with a larger --memory."
)


class Workshop:
    """Runs programs and answers requests about them, one after the other.

    Programs stand in ``folder``, which the caller removes; a question may make the process grow by ``memory`` bytes.
    """

    def __init__(self, folder: Path, memory: int) -> None:
        self._memory = memory
        self._folder = folder
        self._version = 0
        self._code: tuple[str, str, str] | None = None
        self._functions: dict[str, Any] = {}
        self._forms: dict[str, Form] = {}
        self._path = Path()
        self._relations: dict[str, RelationCache] = {}
        self._drawn: dict[str, Callable[[str], str]] = {}
        import taut.support.pictures.style  # noqa: F401 - takes a second, which the first question need not wait for

    def answer(self, request: dict[str, Any], tell: Callable[[Any], None]) -> Iterator[Part]:
        """Yield the parts of the answer to a request, by its kind."""
        kind = request["kind"]
        if kind == "redraw":
            yield from self._redrawn(request["style"])
            return
        self._load(request["code"], request["file"], request.get("folder", ""))
        if kind == "inspect":
            yield {"part": "forms", "forms": [form.to_dict() for form in self._forms.values()]}
            return
        seconds = request["time_limit"]
        with options(time_limit=seconds, max_memory=self._memory):
            query = self._query(request)
            if kind == "report":
                yield self._report(request, query)
                return
            yield from self._answered(request, query, tell)

    def interval(self, now: Any) -> dict[str, Any]:
        """Return a closing interval as plain data: both ends as decimals, None where they are not known."""
        return {
            "done": now.done,
            "total": now.total,
            "lower": None if now.lower is None else outward(now.lower, 10, False, "∞"),
            "upper": None if now.upper is None else outward(now.upper, 10, True, "∞"),
        }

    def problem(self, problem: BaseException, trace: str) -> dict[str, Any]:
        """Return the error as one sentence, with the line of the program or the field of the form where it occurred."""
        if any(
            isinstance(one, MemoryError) and not isinstance(one, TautError) for one in (problem, problem.__context__)
        ):
            return {"kind": "memory", "sentence": _TOO_MUCH}
        if isinstance(problem, FieldProblem):
            return {"kind": "field", "sentence": str(problem), "field": problem.value}
        if isinstance(problem, SyntaxError) and not isinstance(problem, TautError):
            return {"kind": "code", "sentence": f"{problem.msg}.", "line": problem.lineno, "column": problem.offset}
        if isinstance(problem, TautError):
            return self._taut_problem(problem)
        if isinstance(problem, SystemExit):
            return {
                "kind": "code",
                "sentence": "The program ended itself with sys.exit().",
                "line": self._line(problem),
            }
        sentence = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
        line = self._line(problem)
        if line is None:
            sentence = f"This is a fault in taut: {sentence}"
        return {"kind": "code", "sentence": sentence, "line": line, "trace": trace[-4000:]}

    def _taut_problem(self, problem: TautError) -> dict[str, Any]:
        kind = "large" if isinstance(problem, TooLarge) else "code"
        place = problem.place
        if place is not None and place.file == self._path.name:
            return {"kind": kind, "sentence": problem.message, "line": place.line, "column": place.column}
        words = str(problem).replace(f"{self._path.parent}{os.sep}", "")
        match = re.match(rf"{re.escape(self._path.name)}:(\d+): (.*)", words, flags=re.DOTALL)
        if match is not None:
            return {"kind": kind, "sentence": match[2], "line": int(match[1])}
        return {"kind": kind, "sentence": words, "line": self._line(problem)}

    def _line(self, problem: BaseException) -> int | None:
        """Return the last line of the program that was being run."""
        line, trace = None, problem.__traceback__
        while trace is not None:
            if Path(trace.tb_frame.f_code.co_filename) == self._path:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def _load(self, code: str, file: str, folder: str) -> None:
        """Run the program, unless it is the one that was run last."""
        if self._code == (code, file, folder):
            return
        self._code, self._functions, self._forms = None, {}, {}
        self._version += 1
        home = self._folder / str(self._version)
        home.mkdir()
        if self._version > 1:
            shutil.rmtree(self._folder / str(self._version - 1), ignore_errors=True)
        self._path = home / Path(file).name
        self._path.write_text(code, encoding="utf-8")
        compile(code, str(self._path), "exec")
        if folder and folder not in sys.path:
            sys.path.insert(0, folder)  # what stands beside a file that was opened can be imported
        self._functions = load_functions(str(self._path))
        self._forms = {form.name: form for form in forms_of(self._functions, code)}
        if not self._forms:
            raise InvalidInput(
                "there is no mechanism in this program: write a function of a database, such as def mine(x, lam):, "
                "with @mechanism above it."
            )
        self._code = code, file, folder
        self._relations = {}

    def _query(self, request: dict[str, Any]) -> Query:
        name = request["mechanism"]
        if name not in self._forms:
            raise InvalidInput(f"there is no '{name}' in this program; there are {', '.join(self._forms)}.", value=name)
        value = self._functions[name]
        given = read_fields(self._forms[name], request["settings"])
        made = value if isinstance(value, Mechanism) else mechanism(value)
        return Query(f"{self._path.name}:{name}", made, None, given)

    def _answered(self, request: dict[str, Any], query: Query, tell: Callable[[Any], None]) -> Iterator[Part]:
        start = time.perf_counter()
        relations = self._relations.setdefault(request["mechanism"], RelationCache())
        compiled = relations.compilations
        model = query.model().compiled_by(relations)
        self._drawn = {}
        asked = PageQuestion(
            query,
            model,
            request["question"],
            request.get("options", {}),
            request.get("neighbors", ""),
            request["style"],
            tell,
            self._drawn.__setitem__,
        )
        for place, part in enumerate(answer(asked)):
            if place == 0:
                part["label_of_mechanism"] = query.label
                part["took"] = time.perf_counter() - start
                part.setdefault("stopped", False)
                part["reused"] = relations.compilations == compiled
            yield part

    def _redrawn(self, style: str) -> Iterator[Part]:
        for name, draw in list(self._drawn.items()):
            yield {"part": "redrawn", "name": name, "svg": draw(style)}

    def _report(self, request: dict[str, Any], query: Query) -> Part:
        from taut.interfaces.reports.document import write_report

        accuracy = target_chosen(request["question"], request.get("options", {}))
        relation = request.get("neighbors") or query.neighbors
        made = write_report(query, relation, accuracy, request["command"])
        return {"part": "report", "html": made.html, "unanswered": [list(pair) for pair in made.unanswered]}
