"""The questions that taut knows: the built-in ones, and those that were registered besides.

Naming them loads none of them: the module of a built-in question is called like the question.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from taut.support.errors import InvalidInput, meant

if TYPE_CHECKING:
    from taut.questions.question import Question, QuestionForm

__all__ = ["BUILT_IN", "named", "question_forms", "registered", "sentences"]

BUILT_IN: Mapping[str, str] = {
    "privacy": "The exact epsilon of a mechanism, with a worst pair of neighbours and output.",
    "delta": "The smallest delta for which a mechanism is (epsilon, delta)-private, with a worst pair and event.",
    "epsilon": "The smallest epsilon for which a mechanism is (epsilon, delta)-private, with a worst pair.",
    "profile": "Delta for every epsilon at once, with the worst pair on each piece; of several runs with --compose.",
    "renyi": "The largest Rényi divergence of neighbours, exact for whole orders; with --zcdp also rho.",
    "zcdp": "The smallest rho for which a mechanism is rho-zero-concentrated private, rounded up, with a worst pair.",
    "tradeoff": (
        "The least error of the second kind with which neighbours can be told apart, for every error of the first."
    ),
    "divergence": (
        "The largest divergence of neighbours by any measure that is a sum over outputs, such as total variation."
    ),
    "accuracy": "The exact 1-beta, the probability to come within alpha of a target, with a worst input.",
    "error": "The exact mean, mean square and variance of the distance to a target, each with its worst input.",
}
"""The names, in the order of menus and reports, with the sentence that each begins its help with."""


def registered() -> Mapping[str, type[Question[Any]]]:
    """Return all questions by name, the built-in ones first."""
    for name in BUILT_IN:
        importlib.import_module(f"taut.questions.{name}")
    known = {one.name: one for one in _known()}
    return {**{name: known[name] for name in BUILT_IN}, **known}


def question_forms() -> Mapping[str, QuestionForm]:
    """Return the entries of a menu of all questions, by name."""
    return {name: form for kind in registered().values() for name, form in kind.forms().items()}


def sentences() -> dict[str, str]:
    """Return the help of all questions by name, without loading any."""
    return {**BUILT_IN, **{one.name: one.help() for one in _known() if one.name not in BUILT_IN}}


def named(name: str) -> type[Question[Any]]:
    """Return the question of a name.

    Raises:
        InvalidInput: there is none.
    """
    if name in BUILT_IN:
        importlib.import_module(f"taut.questions.{name}")
    known = {one.name: one for one in _known()}
    if name not in known:
        names = list(registered())
        there = f"there are {', '.join(names)}.{meant(name, names)}"
        raise InvalidInput(f"there is no question '{name}'; {there}", value=name)
    return known[name]


def _known() -> list[type[Question[Any]]]:
    """Return the questions that were loaded or registered in this process so far."""
    module = sys.modules.get("taut.questions.question")
    return [] if module is None else list(module.known_questions.values())
