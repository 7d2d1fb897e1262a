"""The documentation site: its pages are complete, its links lead somewhere, and where the generator is, it builds."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import taut
from taut import mechanisms
from taut.interfaces import cli

ROOT = Path(__file__).parent.parent
SITE = ROOT / "docs" / "site"
SOURCES = (".md", ".rst", ".ipynb")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]  # the pages are collected once, and figures are drawn


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_build", SITE / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(build: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site") / "pages"
    build.collect(folder)
    return folder


def test_every_document_is_a_page(pages: Path, build: ModuleType) -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        name = str(path.relative_to(ROOT / "docs"))
        assert (pages / build.TAKEN.get(name, name)).exists()
    assert (pages / "project" / "readme.md").exists()
    for path in (ROOT / "examples" / "notebooks").glob("*.ipynb"):
        assert (pages / "notebooks" / path.name).exists()


def test_every_page_is_in_the_navigation(pages: Path) -> None:
    navigation = (pages / "index.md").read_text().split("```{toctree}", 1)[1]
    listed = set(re.findall(r"^(?:.+ <)?([\w/]+)>?$", navigation, re.MULTILINE))
    made = {str(path.relative_to(pages).with_suffix("")) for path in pages.rglob("*.*") if path.suffix in SOURCES}
    assert {page for page in made if not page.startswith("source/")} - {"index"} <= listed <= made


def test_links_between_pages_lead_somewhere(pages: Path, build: ModuleType) -> None:
    for page in [*pages.rglob("*.md"), *pages.rglob("*.ipynb")]:
        if page.is_relative_to(pages / "source"):
            continue
        for _, target, _ in build.LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and target.endswith((*SOURCES, ".png")):
                assert (page.parent / target).exists(), f"{page.relative_to(pages)} links to {target}"


def test_a_link_that_leads_nowhere_is_refused(build: ModuleType) -> None:
    source = ROOT / "docs" / "index.md"
    with pytest.raises(SystemExit, match=r"docs/index\.md links to nowhere\.md, which is not there"):
        build._linked("[there](nowhere.md)", source, "index.md", {}, set())


def test_the_reference_has_every_command_name_and_mechanism(pages: Path) -> None:
    commands = (pages / "reference" / "commands.md").read_text()
    assert all(f"\n## taut {name}\n" in commands for name in cli.commands())
    assert "| `--neighbors" in commands and "[default: auto]" in commands
    reference = "\n".join(path.read_text() for path in (pages / "reference").iterdir())
    shown = re.findall(r"^\.\. auto\w+:: [\w.]*?(\w+)$", reference, re.MULTILINE)
    documented = [name for name in taut.__all__ if not name.startswith("_") and getattr(taut, name).__doc__]
    assert set(documented) <= set(shown)
    assert all(f"\n## {name}\n" in reference for name in mechanisms.CATALOG)


def test_figures_are_drawn(pages: Path) -> None:
    marked = re.findall(r"<!-- figure: (\w+)", "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md")))
    assert marked and {path.stem for path in (pages / "_figures").glob("*.svg")} == set(marked)
    assert all("<svg" in path.read_text() for path in (pages / "_figures").iterdir())


def test_the_site_builds(tmp_path: Path) -> None:
    """Strict: one warning, a broken link for example, and it does not; and nothing else is said. It takes a minute."""
    why = "the site is built where its generator is: make check, make docs, or pip install 'taut[docs]'"
    for module in ("sphinx", "myst_nb", "furo", "sphinx_copybutton", "latex2mathml"):
        pytest.importorskip(module, reason=why)
    command = [
        sys.executable,
        str(SITE / "build.py"),
        "--pages",
        str(tmp_path / "pages"),
        "--out",
        str(tmp_path / "site"),
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    for page in (tmp_path / "site").rglob("*.html"):
        loaded = re.findall(r'<(?:script|link|img)[^>]*?(?:src|href)="(https?:[^"]+)"', page.read_text())
        assert not loaded, f"{page.name} needs a network: {loaded}"
