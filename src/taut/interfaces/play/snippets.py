"""The question on the page as a Python program and as a command; both run unchanged and print the same number."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.interfaces.play.form import FREE_EPSILON, FREE_RANGE, Form, form_texts, questions_of_form, read_fields
from taut.interfaces.queries.literals import input_of_text
from taut.mechanisms import CATALOG
from taut.mechanisms.wrappers import WrapperEntry
from taut.program.domains import Domain
from taut.questions.field import literal
from taut.questions.registry import question_forms

__all__ = ["OnPage", "command_words", "copied_command", "copied_python"]

_SAVED = "taut_play.py"
"""The file that a command writes a changed program to."""
_FUNCTIONS = ("target", "distance")


@dataclass(frozen=True)
class OnPage:
    """The state of the page from which a snippet is made.

    Attributes:
        code, form, texts: the program, the form of the chosen mechanism, and what stands in its fields.
        neighbors: the chosen relation; empty for the mechanism's own.
        question, options: the question and what stands in its own fields.
        built_in, path: the built-in mechanism, or the file, that the program still is word for word.
    """

    code: str
    form: Form
    texts: Mapping[str, str]
    neighbors: str
    question: str
    options: Mapping[str, str]
    built_in: str | None = None
    path: Path | None = None

    def option(self, name: str, default: str) -> str:
        return self.options.get(name, "").strip() or default

    @property
    def relation(self) -> str | None:
        return self.neighbors if self.neighbors and self.neighbors != self.form.neighbors else None


# ------------------------------------------------------------------------------------------------------------- Python


def copied_python(chosen: OnPage) -> str:
    """Return a program that asks the question and prints the answer.

    Raises:
        FieldProblem: a field cannot be read.
    """
    name = chosen.form.name
    given = read_fields(chosen.form, chosen.texts)
    if chosen.built_in is not None and _is_imported(chosen):
        head = f"import taut\nfrom taut.mechanisms import {name}"
        mechanism = name
    else:
        head = f"{_without_main(chosen.code)}\n\n\nimport taut"
        mechanism = name if _is_marked(chosen) else f"taut.mechanism({name})"
    if chosen.question in ("formula", "calibration"):
        free = chosen.option("parameter", "")
        low, _, high = chosen.option("range", FREE_RANGE).partition("..")
        given = {key: value for key, value in given.items() if key != free}
        open_ended = f', {free}=taut.parameter("{free}", "{low.strip()}", "{high.strip()}")'
    else:
        open_ended = ""
    arguments = ", ".join(f"{key}={_argument(value, chosen.texts.get(key, ''))}" for key, value in given.items())
    imports = _target_import(chosen)
    lines = [head, *imports, "", f"model = {mechanism}({arguments}{open_ended})", *_asking(chosen, given)]
    return "\n".join(lines) + "\n"


def _asking(chosen: OnPage, given: Mapping[str, Any]) -> list[str]:
    """Return the lines that ask the question of a model and print the answer."""
    form = question_forms().get(chosen.question)
    if form is not None:
        more = [] if form.kind.about_target else _relation(chosen)
        return [line for one in questions_of_form(form, chosen.options) for line in one.program(more)]
    match chosen.question:
        case "formula":
            return [f"print(model.privacy({', '.join(_relation(chosen))}))"]
        case "calibration":
            limits = [f'{key}="{text}"' for key, text in _limits(chosen).items()]
            return [f"print(model.calibrate({', '.join([*limits, *_relation(chosen)])}))"]
        case "distribution":
            domains = [value for value in given.values() if isinstance(value, Domain)]
            text = chosen.option("input", "")
            x = repr(input_of_text(domains, text, "input")) if text else "model.space.at([0] * len(model.space.values))"
            return [f"for output, probability in model.distribution({x}).items():", "    print(output, probability)"]
        case "diagram":
            return ['model.draw("diagram.svg")', "print(model.size)"]
        case "symmetries":
            left = "print(group.to_dict()['representatives'], 'inputs are left to look at')"
            return ["group = model.symmetries()", "print(group)", left]
        case "claims":
            return [
                "from taut.verification.claims import claims_of",
                "",
                f"for claim in claims_of({chosen.form.name}):",
                f"    print(claim.check({chosen.form.name}))",
            ]
    raise AssertionError(chosen.question)


def _limits(chosen: OnPage) -> dict[str, str]:
    """Return the requirements of a calibration."""
    limits = {"epsilon": chosen.option("epsilon", FREE_EPSILON), "delta": chosen.option("delta", "")}
    return {key: text for key, text in limits.items() if text}


def _relation(chosen: OnPage) -> list[str]:
    """Return the relation as an argument, unless it is the mechanism's own."""
    return [] if chosen.relation is None else [f'neighbors="{chosen.relation}"']


def _argument(value: Any, text: str) -> str:
    """Return a value as Python, with taut's names spelled out."""
    if isinstance(value, Domain):
        return f"taut.{value}"
    power = re.fullmatch(r"\s*exp\((.*)\)\s*", text)
    return f'taut.exp("{power[1].strip()}")' if power else literal(value)


def _target_import(chosen: OnPage) -> list[str]:
    """Return the import of those functions of the question that are not Python's own."""
    form = question_forms().get(chosen.question)
    if form is None:
        return []
    (first, *_), names = questions_of_form(form, chosen.options), [one for one in form.fields if one.kind in _FUNCTIONS]
    functions = [getattr(first, one.name) for one in names]
    ours = [one.__name__ for one in functions if one is not None and one.__module__.startswith("taut.")]
    return [f"from taut.interfaces.queries.questions import {', '.join(ours)}"] if ours else []


def _without_main(code: str) -> str:
    """Return the program without its ``__main__`` part."""
    lines = code.splitlines()
    for node in reversed(ast.parse(code).body):
        if isinstance(node, ast.If) and re.match(r"__name__ *== *['\"]__main__", ast.unparse(node.test)):
            assert node.end_lineno is not None
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).rstrip()


def _is_marked(chosen: OnPage) -> bool:
    """Return True if the program makes the function a mechanism itself."""
    for node in ast.walk(ast.parse(chosen.code)):
        if isinstance(node, ast.FunctionDef) and node.name == chosen.form.name:
            return any("mechanism" in ast.unparse(one) for one in node.decorator_list)
    return True


def _is_imported(chosen: OnPage) -> bool:
    """Return True if the chosen mechanism is a built-in one with the arguments that the form shows."""
    entry = CATALOG.get(chosen.form.name)
    return entry is not None and not isinstance(entry, WrapperEntry)


# ------------------------------------------------------------------------------------------------------- the command


def copied_command(chosen: OnPage) -> str:
    """Return a command for the shell; a program that was changed is written to a file first.

    Raises:
        FieldProblem: a field cannot be read.
    """
    if chosen.question == "distribution":  # which no command asks for
        return f"{_written(copied_python(chosen))}python {_SAVED}\n"
    file, write = _file(chosen)
    line = "taut " + " ".join(shlex.quote(word) for word in command_words(chosen, file))
    return f"{write}{line}\n"


def command_words(chosen: OnPage, file: str | None) -> list[str]:
    """Return the words of the command after ``taut``; ``file`` holds the program, None for a built-in mechanism."""
    read_fields(chosen.form, chosen.texts)
    name = chosen.form.name
    target = name if file is None else f"{file}:{name}"
    texts = {
        field.name: chosen.texts.get(field.name, field.text).strip()
        for field in chosen.form.fields
        if chosen.texts.get(field.name, field.text).strip()
    }
    settings = [f"{key}={text}" for key, text in texts.items()]
    relation = [] if chosen.relation is None else ["--neighbors", chosen.relation]
    form = question_forms().get(chosen.question)
    if form is not None:
        typed = form_texts(form, chosen.options)
        options = [word for key, text in typed.items() for word in (f"--{key.replace('_', '-')}", text)]
        return [form.kind.name, target, *settings, *options, *([] if form.kind.about_target else relation)]
    match chosen.question:
        case "formula" | "calibration":
            texts[chosen.option("parameter", "")] = chosen.option("range", FREE_RANGE).replace(" ", "")
            settings = [f"{key}={text}" for key, text in texts.items()]
            if chosen.question == "formula":
                return ["formula", target, *settings, *relation]
            limits = [word for key, text in _limits(chosen).items() for word in (f"--{key}", text)]
            return ["calibrate", target, *settings, *limits, *relation]
        case "diagram":
            return ["draw", target, *settings, "--out", "diagram.svg"]
        case "claims":
            return ["check", target]
    return [chosen.question, target, *settings, *relation]


def _file(chosen: OnPage) -> tuple[str | None, str]:
    """Return the file in which the command finds the program, and the lines that write it."""
    if chosen.built_in is not None and chosen.question != "claims" and _is_imported(chosen):
        return None, ""
    if chosen.path is not None:
        return str(chosen.path), ""
    return _SAVED, _written(chosen.code)


def _written(code: str) -> str:
    """Return the lines that write a program to a file."""
    end = "END_OF_PROGRAM"
    while end in code:
        end += "_"
    code = code if code.endswith("\n") else code + "\n"
    return f"cat > {_SAVED} <<'{end}'\n{code}{end}\n"
