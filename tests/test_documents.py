"""What the documents say is run: code blocks are doctests, links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
FENCE = re.compile(r"^```(\w*)\s*$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def python_blocks(text: str) -> str:
    """The document with everything but its Python blocks blanked out, so that lines keep their numbers."""
    kept, language = [], None
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence:
            language = (fence[1] or "text") if language is None else None
        kept.append(line if language == "python" and not fence else "")
    return "\n".join(kept) + "\n"


def blocks_without_prompt(text: str) -> list[int]:
    """The lines at which Python blocks start that no doctest would run."""
    lines = ["", *python_blocks(text).splitlines()]
    starts = [number for number in range(1, len(lines)) if lines[number] and not lines[number - 1]]
    return [number for number in starts if not lines[number].startswith(">>> ")]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_code_blocks_print_what_they_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not blocks_without_prompt(text), "code blocks are doctests, so that their output is checked"
    test = doctest.DocTestParser().get_doctest(python_blocks(text), {}, path.stem, str(path), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_links_to_files_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (path.parent / target).exists(), f"{path.name} links to {target}, which is not there"


def test_the_reader_of_documents_sees_wrong_output() -> None:
    """A check of the check: blank lines where prose was, and output compared."""
    text = "Some words.\n\n```python\n>>> 1 + 1\n3\n```\n\n```console\n$ make\n```\n"
    test = doctest.DocTestParser().get_doctest(python_blocks(text), {}, "sample", None, 0)
    assert [(example.lineno, example.want) for example in test.examples] == [(3, "3\n")]
    assert blocks_without_prompt("```python\nprint(1)\n```\n") == [2]
