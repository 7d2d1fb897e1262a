"""The gallery of claims: every verdict and every exact number is what the page says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery_page", ROOT / "examples" / "gallery" / "page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = gallery()
DOCUMENT = (ROOT / "docs" / "gallery.md").read_text().splitlines()


def rows(lines: list[str]) -> list[list[str]]:
    """The cells of a table, without the counterexamples: of several that are equally bad, any may be shown."""
    return [line.split(" | ")[:-1] for line in lines if line.startswith("| ") and not line.startswith("| Mechanism")]


def test_every_file_is_on_the_page() -> None:
    assert {path.stem for path in PAGE.HERE.glob("*.py")} - {"page"} == set(PAGE.FILES)


@pytest.mark.parametrize("name", PAGE.FILES)
def test_the_page_is_true(name: str) -> None:
    start = next(number for number, line in enumerate(DOCUMENT) if line.startswith(f"### [{name}]"))
    end = next((n for n in range(start + 1, len(DOCUMENT)) if DOCUMENT[n].startswith("### ")), len(DOCUMENT))
    made = PAGE.table(name)
    assert rows(made) and rows(made) == rows(DOCUMENT[start:end])
    assert [line for line in made if line.startswith("- ")] == [
        line for line in DOCUMENT[start:end] if line.startswith("- ")
    ]
