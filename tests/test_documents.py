"""What the documents say is run: code blocks are doctests, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
FENCE = re.compile(r"^```(\w*)\s*$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
REPOSITORY_PATH = re.compile(r"\b(?:src/taut|tests|docs|benchmarks|examples)(?:/[\w.-]*\w)+")
QUOTED_PATH = re.compile(r"`([a-z_]+(?:/[a-z_]+)+(?:\.py)?|[a-z_]+/)/?`")
QUOTED_NAME = re.compile(r"`(taut(?:\.\w+)+)")
QUOTED_FILE = re.compile(r"`(\w+\.py)`")
FILES_OF_READERS = {"mine.py", "survey.py"}
"""Files that documents tell their readers to write."""
THEOREM = re.compile(r"^\*\*Theorem (\d+)", re.MULTILINE)
TREE_LINE = re.compile(r"^([a-z]+)(?:/|\.py) {2,}\S", re.MULTILINE)


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


def missing_paths(text: str, home: Path) -> list[str]:
    """The files and folders that a document names and the repository lacks; `a/b` may stand for src/taut/a/b."""
    quoted = [path for path in QUOTED_PATH.findall(text) if not any((base / path).exists() for base in bases(home))]
    return quoted + [path for path in REPOSITORY_PATH.findall(text) if not (ROOT / path).exists()]


def missing_files(text: str) -> set[str]:
    """The Python files that a document names without their folder and that no folder has."""
    folders = ("src", "tests", "docs", "examples", "benchmarks")
    known = {path.name for folder in folders for path in (ROOT / folder).rglob("*.py")}
    return set(QUOTED_FILE.findall(text)) - known - FILES_OF_READERS


def bases(home: Path) -> list[Path]:
    return [ROOT, ROOT / "src" / "taut", home]


def resolves(name: str) -> bool:
    """Look up a dotted name as a module, else as an attribute of the module before it."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
    return True


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_paths_and_modules_that_are_named_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not missing_paths(text, path.parent) and not missing_files(text)
    assert not [name for name in sorted(set(QUOTED_NAME.findall(text))) if not resolves(name)]


def test_the_tree_of_the_architecture_page_is_the_tree_of_the_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "taut"
    folders = {item.name for item in package.iterdir() if (item / "__init__.py").exists()}
    assert folders <= set(TREE_LINE.findall(text))
    assert all((package / name).exists() or (package / f"{name}.py").exists() for name in TREE_LINE.findall(text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_theorems_of_a_page_have_numbers_of_their_own(path: Path) -> None:
    numbers = THEOREM.findall(path.read_text(encoding="utf-8"))
    assert len(set(numbers)) == len(numbers)


def plain(title: str) -> str:
    """A title without case, articles and the name of the package: titles that agree in the rest look the same."""
    words = re.findall(r"\w+", title.lower())
    return " ".join(word for word in words if word not in ("a", "an", "the", "with", "of", "taut", "notebook"))


def repeated(titles: list[str]) -> list[str]:
    shown = [plain(title) for title in titles]
    return sorted({title for title in titles if shown.count(plain(title)) > 1})


def test_titles_of_the_site_are_told_apart() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    made = (ROOT / "docs" / "site" / "reference.py").read_text(encoding="utf-8")
    reference = re.findall(r'^    "\w+\.(?:md|rst)": "([^"]+)",$', made, re.MULTILINE)
    assert len(reference) >= 8
    assert not repeated(re.findall(r"^- \[([^]]+)\]", index, re.MULTILINE) + reference)
    first_lines = [path.read_text(encoding="utf-8").splitlines()[0] for path in ROOT.glob("docs/**/*.md")]
    cells = [path.read_text(encoding="utf-8") for path in ROOT.glob("examples/notebooks/*.ipynb")]
    assert not repeated(first_lines + [re.findall(r'"# (.+?)\\n"', cell)[0] for cell in cells])
    assert repeated(["The first hour", "A first hour with taut", "Tutorial"]) == [
        "A first hour with taut",
        "The first hour",
    ]


def test_the_check_of_names_sees_what_is_missing() -> None:
    text = "`src/taut/model/model.py`, `ir/terms.py`, `program/terms.py`, [x](src/taut/channel), `channel/`"
    assert missing_paths(text, ROOT) == ["ir/terms.py", "channel/", "src/taut/channel"]
    assert missing_files("`reader.py`, `mine.py`, `paper_sets.py`") == {"paper_sets.py"}
    assert resolves("taut.synthesis.search") and resolves("taut.Model") and not resolves("taut.solvers.search")


def test_the_reader_of_documents_sees_wrong_output() -> None:
    """A check of the check: blank lines where prose was, and output compared."""
    text = "Some words.\n\n```python\n>>> 1 + 1\n3\n```\n\n```console\n$ make\n```\n"
    test = doctest.DocTestParser().get_doctest(python_blocks(text), {}, "sample", None, 0)
    assert [(example.lineno, example.want) for example in test.examples] == [(3, "3\n")]
    assert blocks_without_prompt("```python\nprint(1)\n```\n") == [2]
