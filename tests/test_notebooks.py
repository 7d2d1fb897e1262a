"""The notebooks of the course: kept without outputs, with answers to their exercises; they run from top to bottom."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_there_are_notebooks_and_the_overview_names_them() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"first_hour", "shuffling", "the_paper"}
    overview = (ROOT / "examples" / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+\.ipynb)\)", overview)) == {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_says_what_it_needs_how_long_it_takes_and_what_comes_next(path: Path) -> None:
    found = cells(path)
    assert "**You need**" in text(found[0]) and "**It takes**" in text(found[0])
    assert "## What next" in text(found[-1])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    prose = [text(cell) for cell in cells(path) if cell["cell_type"] == "markdown"]
    links = re.findall(r"\]\(([^)\s]+)\)", "\n".join(prose))
    assert links and all("://" in link or (path.parent / link).exists() for link in links)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path: Path) -> None:
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_is_followed_by_a_cell_for_an_answer_and_a_possible_one(path: Path) -> None:
    found = cells(path)
    exercises = [number for number, cell in enumerate(found) if "**Exercise" in text(cell)]
    own = [number for number, cell in enumerate(found) if text(cell) == "# Your answer:"]
    answers = [number for number, cell in enumerate(found) if "hide-cell" in cell["metadata"].get("tags", [])]
    assert own == [number + 1 for number in exercises] and answers == [number + 2 for number in exercises]
    numbers = [int(re.findall(r"\*\*Exercise (\d+)\.\*\*", text(found[number]))[0]) for number in exercises]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    why = "notebooks are run where nbclient and ipykernel are: pip install 'taut[dev]'"
    nbclient = pytest.importorskip("nbclient", reason=why)
    nbformat = pytest.importorskip("nbformat", reason=why)
    pytest.importorskip("ipykernel", reason=why)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    work = tmp_path / "work"
    work.mkdir()
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(work)}}
    )
    client.execute()  # raises with the cell and its traceback
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any({"image/svg+xml", "image/png"} & set(output.get("data", {})) for output in shown), "a picture is shown"
    assert not list(work.iterdir()), "a notebook leaves nothing behind where it was started"
