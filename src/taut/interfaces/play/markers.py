"""Names of the page's controls: the ``data-testid`` of each element.

A name that ends with ``-`` is a prefix, followed by the name of a parameter, an option or a picture.
"""

from __future__ import annotations

from typing import TypeVar

from nicegui.element import Element

__all__ = ["MARKERS", "marked"]

E = TypeVar("E", bound=Element)

MARKERS = {
    "program-menu": "the program: a built-in mechanism, 'new mechanism', an opened file, or 'your program'",
    "function-menu": "which mechanism of the program; hidden where there is only one",
    "dark-toggle": "switches between light and dark",
    "editor": "the editor; its text is in .cm-content inside",
    "error": "what is wrong, in a sentence; the line in the editor has the class taut-error-line",
    "field-": "an argument of the mechanism, such as field-x and field-lam",
    "guess-": "says that the text in that field is a guess; hidden once it is changed",
    "slider-": "moves the number in that field; for a database, its number of entries",
    "neighbors": "the neighbour relation",
    "question": "the question",
    "option-": "a field of the question, such as option-epsilon, option-alpha, option-target, option-input",
    "time-limit": "seconds that an answer may take",
    "run": "asks; Ctrl-Enter does too",
    "stop": "stops the search; enabled while something is computed",
    "status": "what is being done, or how long it took",
    "copy-python": "copies the question as a Python program",
    "copy-command": "copies the question as a command",
    "copied": "the text that was copied last",
    "download-report": "downloads the file of 'taut report'",
    "answer": "the card with the number; a narrow page scrolls to it",
    "result-label": "what the number is",
    "result-number": "the number, exactly, or its certified interval",
    "result-decimal": "the number as a decimal",
    "result-note": "epsilon, and whether the number is final",
    "closing": "how the interval of a running search closes",
    "explanation": "the answer in sentences",
    "picture-": "an img: picture-worst (the worst case), picture-profile, picture-diagram",
    "no-picture-": "why there is no such picture",
    "table": "rows: orders, outputs, claims",
    "facts": "names and values",
    "how": "how the answer was found",
    "verified": "whether the worst case was replayed",
    "printed": "what the program printed",
}
"""Names with descriptions of their controls."""


def marked(element: E, name: str, label: str | None = None) -> E:
    """Give an element its name, and a label that screen readers say."""
    known = name in MARKERS or any(key.endswith("-") and name.startswith(key) for key in MARKERS)
    assert known, f"{name} is not listed"
    element.props["data-testid"] = name
    if label is not None:
        element.props["aria-label"] = label
    element.mark(name)
    return element
