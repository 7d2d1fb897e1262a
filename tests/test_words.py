"""Limits on the wording of docstrings and documents, so that plain words stay plain."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.test_documents import DOCUMENTS, FENCE

import taut

ROOT = Path(__file__).parent.parent
CLAUSE = re.compile(r"(What|Whether|Which|How|Where|Who|Whose|Why)\b")

MOST_CLAUSES = 5
"""Docstrings of src that begin with a clause ("Whether ..."). This number may only go down."""
RETIRED = {
    r"\b[Qq]uotients?\b": "ratio",
    r"\b[Gg]oals?\b": "target",
    r"\b[Aa]imed\b": "directed",
    r"\b[Aa]djacent (databases|inputs|datasets)\b": "neighbours",
    r"\b[Nn]oise with(out)? ends\b": "unbounded noise, clamped noise",
    r"What the mechanism observes": "the evidence",
    r"\b(More|less) than the roundings? of\b": "margin above the rounding error",
}
"""Words that docs/glossary.md has decided against, each with the word to write instead."""
DIVISIONS = ("support/algebra/", "languages/python/", "interfaces/peers/")
"""Folders of src whose quotients are of polynomials and integers."""
OBSCURE = r"^(So|As|Up to so) (many|much|few)\b|\b[Ww]hoever\b|\bsomebody's\b|\bwhat it is worth\b"
"""Beginnings and words of docstrings that readers had to decode."""
MOST_README_LINES = 150
STRANGE = (
    "few differ before",
    "tells as much",
    "by the same walk",
    "which attain ",
    "Wanted was",
    "found by exhaustive",
    "decide what is asked next",
    "the paper's relation",
    "time, room or patience",
    "it is something else",
    "Also this:",
    "the same as ratio",
    "still counts as close",
)
"""Phrases of messages that new users had to decode."""
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


def without_code(text: str) -> str:
    """Return the prose of a text: no doctests, fenced blocks, names in backticks, and names of parameters."""
    prose, fenced = [], False
    for line in text.split(">>>", 1)[0].splitlines() if "```" not in text else text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not re.fullmatch(r"\s*\w+( : .+)?", line):
            prose.append(re.sub(r"`[^`]*`", "", line))
    return "\n".join(prose)


def retired_words(text: str, allowed: str = "") -> list[str]:
    """Return advice for each retired word of a text; words in ``allowed`` may stay."""
    return [
        f"{found[0]}: write {word}"
        for pattern, word in RETIRED.items()
        if word != allowed
        for found in re.finditer(pattern, without_code(text))
    ]


def fences_not_run(text: str) -> int:
    """Count the fenced blocks of a document that are not Python."""
    languages = [fence[1] for fence in map(FENCE.match, text.splitlines()) if fence][::2]
    return sum(language != "python" for language in languages)


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    paths = sorted((ROOT / "src").rglob("*.py"))
    found = {str(path.relative_to(ROOT)): len(clauses(path.read_text(encoding="utf-8"))) for path in paths}
    most = Counter(found).most_common(5)
    assert sum(found.values()) <= MOST_CLAUSES, f"begin a docstring with a verb or a noun; most clauses are in {most}"


def test_the_glossary_is_followed() -> None:
    """Documents, but for the glossary itself and old versions in the changelog, and docstrings of src."""
    found = {}
    for path in DOCUMENTS:
        if path.name not in ("glossary.md", "CHANGELOG.md", "remainder.md"):
            found[str(path.relative_to(ROOT))] = retired_words(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "src/taut").rglob("*.py")):
        name = str(path.relative_to(ROOT / "src/taut"))
        allowed = "ratio" if name.startswith(DIVISIONS) else ""
        texts = docstrings(path.read_text(encoding="utf-8"))
        found[name] = [advice for text in texts for advice in retired_words(text, allowed)]
    assert {name: advice for name, advice in found.items() if advice} == {}


def test_docstrings_have_no_words_to_decode() -> None:
    paths = sorted((ROOT / "src/taut").rglob("*.py"))
    texts = {path.name: list(docstrings(path.read_text(encoding="utf-8"))) for path in paths}
    assert [
        (name, text[:80]) for name, all_of_it in texts.items() for text in all_of_it if re.search(OBSCURE, text)
    ] == []


def test_the_changelog_has_a_line_per_change() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = text.split("\n## ")[1]
    assert first.splitlines()[0].split()[0] in (taut.__version__, "Unreleased")
    assert re.findall(r"^### (.+)$", first, re.MULTILINE) == ["Added", "Changed", "Fixed"]
    groups = re.compile(r"(?:- [^a-z].*\.|[A-Z].*[:.]|### .*|)$")
    assert [line for line in first.splitlines()[1:] if not groups.match(line)] == []


def test_the_readme_is_two_screens_long() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_README_LINES, "move details of the README to docs/"


def files_of_commands(text: str) -> set[str]:
    """Return the programs that commands of a document name, without those that ``taut new`` writes."""
    commands = re.findall(r"\btaut ([a-z]+) ([^`#|\n]*)", text)
    named = [(command, word) for command, words in commands for word in re.findall(r"[\w./]+\.(?:py|dice)\b", words)]
    return {word for _, word in named} - {word for command, word in named if command == "new"}


def test_programs_that_the_readme_names_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(files_of_commands(text)) if not (ROOT / name).exists()] == []
    top = text.splitlines()[:30]
    for wanted in ("pip install", "taut new mine.py", "taut check mine.py", "taut play", "eps = ", ".png)"):
        assert any(wanted in line for line in top), f"{wanted} is not among the first thirty lines"


def strange_words(source: str) -> list[str]:
    """Return the strings of a module that have a phrase which readers did not understand."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    texts = [node.value for node in nodes if isinstance(node.value, str)]
    return [text for text in texts if any(phrase in text for phrase in STRANGE)]


def test_phrases_that_were_not_understood_stay_away() -> None:
    paths = sorted((ROOT / "src").rglob("*.py"))
    found = {str(path.relative_to(ROOT)): strange_words(path.read_text(encoding="utf-8")) for path in paths}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_epsilon_has_one_place_that_writes_it() -> None:
    """Other modules of questions and interfaces take the text of epsilon from ``questions/ratio.py``."""
    paths = [path for folder in ("questions", "parameters") for path in (ROOT / "src/taut" / folder).rglob("*.py")]
    written = re.compile(r'f"[^"\n]*(?<!at )e\^eps (?:=|<=|between) \{')
    assert [path.name for path in paths if written.search(path.read_text(encoding="utf-8"))] == []


def titles() -> Iterator[tuple[str, str]]:
    """Yield the path and the title of every document and notebook."""
    for path in DOCUMENTS:
        yield (
            str(path.relative_to(ROOT)),
            path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").strip(),
        )
    for path in sorted((ROOT / "examples/notebooks").glob("*.ipynb")):
        first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        yield str(path.relative_to(ROOT)), first.partition("\n")[0].removeprefix("# ").strip()


def test_titles_are_told_apart() -> None:
    found: dict[str, list[str]] = {}
    for path, title in titles():
        assert title and not title.startswith("#"), f"{path} does not begin with a title"
        found.setdefault(title.casefold(), []).append(path)
    assert [paths for paths in found.values() if len(paths) > 1] == []


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
    assert files_of_commands("`taut new a.py` `taut check a.py` $ taut run b.dice # x.py") == {"b.dice"}
    assert strange_words("f(f'{x} tells as much')") == [" tells as much"]
    assert retired_words("The quotient, a `goal`.\n```\naimed\n```\n") == ["quotient: write ratio"]
    assert re.search(OBSCURE, "So many rounds.") and not re.search(OBSCURE, "Many rounds.")
    assert fences_not_run("```python\n>>> 1\n1\n```\n```console\n$ make\n```\n```\nplain\n```\n") == 2
