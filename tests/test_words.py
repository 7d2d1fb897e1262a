"""Limits on the wording of docstrings and documents, so that plain words stay plain."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.test_documents import DOCUMENTS, FENCE

ROOT = Path(__file__).parent.parent
CLAUSE = re.compile(r"(What|Whether|Which|How|Where|Who|Whose|Why)\b")

MOST_CLAUSES = 60
"""Docstrings of src that begin with a clause ("Whether ..."). This number may only go down."""
MOST_README_LINES = 150
MOST_FENCES_NOT_RUN = 30
"""Fenced blocks of documents that are not Python, so that no doctest runs them. This number may only go down."""


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and functions, and the strings below its assignments."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        for place, statement in enumerate(body):
            after = place > 0 and isinstance(body[place - 1], (ast.Assign, ast.AnnAssign, ast.AugAssign))
            if (after or (place == 0 and documented)) and isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value.strip()


def clauses(source: str) -> list[str]:
    """Return the docstrings that begin with a clause instead of a verb or a noun."""
    return [text for text in docstrings(source) if CLAUSE.match(text)]


def fences_not_run(text: str) -> int:
    """Count the fenced blocks of a document that are not Python."""
    languages = [fence[1] for fence in map(FENCE.match, text.splitlines()) if fence][::2]
    return sum(language != "python" for language in languages)


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    paths = sorted((ROOT / "src").rglob("*.py"))
    found = {str(path.relative_to(ROOT)): len(clauses(path.read_text(encoding="utf-8"))) for path in paths}
    most = Counter(found).most_common(5)
    assert sum(found.values()) <= MOST_CLAUSES, f"begin a docstring with a verb or a noun; most clauses are in {most}"


def test_the_readme_is_two_screens_long() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_README_LINES, "move details of the README to docs/"


def test_code_in_documents_is_run() -> None:
    found = {str(path.relative_to(ROOT)): fences_not_run(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
    most = Counter(found).most_common(5)
    assert sum(found.values()) <= MOST_FENCES_NOT_RUN, (
        f"write examples as Python with prompts; most others are in {most}"
    )


def test_the_counters_count() -> None:
    """Check the checks on small samples."""
    source = '"""Whether."""\nA = 1\n"""How many."""\n"""What is not below A."""\n'
    source += 'def f():\n    """Whereas is another word."""\n'
    assert clauses(source) == ["Whether.", "How many."]
    assert fences_not_run("```python\n>>> 1\n1\n```\n```console\n$ make\n```\n```\nplain\n```\n") == 2
