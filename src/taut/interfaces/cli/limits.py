"""Options that stand for questions, made from the registry: limits of their numbers, or what is asked besides."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from taut.interfaces.queries.questions import question_of_text, typed_field
from taut.questions.question import Question
from taut.questions.registry import registered

__all__ = ["with_limits", "with_questions"]

_Command = Callable[..., None]


def with_limits(wanted: Callable[[type[Question[Any]]], bool], begin: str) -> Callable[[_Command], _Command]:
    """Give a command an option for each keyword of the questions that are wanted, in the place of ``limits``.

    The command receives those that were typed as its argument ``limits``; ``begin`` begins their help. Questions about
    a target are left to the options of the command itself.
    """
    kinds = [kind for kind in registered().values() if wanted(kind) and not kind.about_target]
    said = {word: (kind, words) for kind in kinds for word, words in kind.limits().items()}
    options = [_option(word, str | None, f"{begin}{words}.", None) for word, (_, words) in said.items()]

    def read(typed: dict[str, Any]) -> dict[str, Any]:
        return {word: _parts(said[word][0], word, text) for word, text in typed.items()}

    return _with_options("limits", options, read)


def with_questions(begin: str) -> Callable[[_Command], _Command]:
    """Give a command an option for each question about neighbours but e^epsilon and delta, in the place of ``also``.

    The command receives the questions that were asked for as its argument ``also``.
    """
    kinds = [kind for name, kind in registered().items() if name not in ("privacy", "delta") and not kind.about_target]
    options = []
    for kind in kinds:
        field, words = typed_field(kind), f"{begin}{kind.title or kind.name}"
        if field is None:
            options.append(_option(kind.name, bool, f"{words}.", False))
        else:
            options.append(_option(kind.name, str | None, f"{words}. {field.help}", None))

    def read(typed: dict[str, Any]) -> list[Question[Any]]:
        return [question_of_text(name if text is True else f"{name} {text}") for name, text in typed.items()]

    return _with_options("also", options, read)


def _with_options(
    place: str, options: list[inspect.Parameter], read: Callable[[dict[str, Any]], Any]
) -> Callable[[_Command], _Command]:
    """Replace an argument of a command by options, from which ``read`` makes its value."""

    def made(command: _Command) -> _Command:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            typed = {one.name: given.pop(one.name) for one in options}
            command(**given, **{place: read({name: one for name, one in typed.items() if one not in (None, False)})})

        parameters: list[inspect.Parameter] = []
        for one in inspect.signature(command, eval_str=True).parameters.values():
            parameters += options if one.name == place else [one.replace(kind=one.KEYWORD_ONLY)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        del run.__wrapped__
        return run

    return made


def _option(word: str, kind: Any, words: str, default: Any) -> inspect.Parameter:
    help_text = words[0].upper() + words[1:]
    annotation = Annotated[kind, typer.Option(f"--{word}", help=help_text, show_default=False)]
    return inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _parts(kind: type[Question[Any]], word: str, text: str) -> Any:
    """Return the limit as claims are written: with the required fields before it, if the question has some."""
    return text.split(",") if word == kind.name and any(one.required for one in kind.fields) else text
