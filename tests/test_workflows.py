"""What CI runs is what the Makefile has, on the versions that the package names, and needs no secret."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


def test_there_are_workflows() -> None:
    assert {path.stem for path in WORKFLOWS} == {"tests", "docs", "release"}


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / ".ci" / "run"], ids=lambda path: path.name)
def test_targets_are_those_of_the_makefile(path: Path) -> None:
    called = re.findall(r"(?:run: |exec )make ((?:[a-z-]+ ?)+)", path.read_text())
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    assert called and {target for words in called for target in words.split()} <= targets


def test_every_version_that_the_package_names_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    matrix = re.search(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert matrix is not None and re.findall(r"3\.\d+", matrix[1]) == named
    assert project["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_secret_is_needed(path: Path) -> None:
    assert not re.search(r"secrets\.|password|token:(?! write)", path.read_text().split("jobs:", 1)[1])
