"""Settings for all tests: random examples are the same in every run, and a case of the corpus stays with one worker."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests.corpus.case import Case

if TYPE_CHECKING:
    from taut.interfaces.paper import Reproduction

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("fixed", derandomize=True, database=None, deadline=None, suppress_health_check=SLOW)
settings.register_profile("hunt", parent=settings.get_profile("fixed"), derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


SLOW_FILES = (
    *("oracle", "laws", "mechanisms", "published", "synthesis", "neighbors", "golden"),
    *("interfaces/paper", "interfaces/compare", "interfaces/cli", "interfaces/play", "interfaces/peers"),
    *("interfaces/test_sweep.py", "interfaces/test_sweep_python.py"),
    *("test_documents.py", "test_examples.py", "test_gallery.py", "test_model.py"),
    *("languages/dice/test_random_programs.py", "languages/python/test_formula.py", "languages/python/test_dimacs.py"),
    *("languages/python/test_mistakes.py", "languages/python/validation", "diagrams/test_drawing.py"),
    *("inference/test_channel.py", "questions/test_corpus.py"),
)
"""Folders and files of tests that take seconds, or call other programs; ``make test-fast`` leaves them out."""
LONG_FILES = (
    *("test_documents.py", "test_examples.py", "test_gallery.py", "test_notebooks.py", "test_site.py"),
    *("interfaces/cli/test_compare.py", "interfaces/cli/test_paper.py", "browser", "interfaces/play"),
    *("golden", "synthesis/hubs", "synthesis/pairs"),
)
"""Those whose single tests are the longest: they are begun first, so that no worker is left with one at the end."""


@pytest.fixture(scope="session")
def quick_paper() -> tuple[Reproduction, list[str]]:
    """The quick reproduction of the paper, made once for all who look at it, and the names of its steps."""
    from taut.interfaces.paper import reproduce  # which loads much that most tests do not need

    steps: list[str] = []
    return reproduce(True, steps.append), steps


def pytest_runtest_teardown() -> None:
    """Set Python's limit of printed digits again, which a command that ran in this process has lifted."""
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tiers, begin with long tests, keep all of one case on one worker: it is compiled once per run."""
    for item in items:
        if _among(item.path, SLOW_FILES):
            item.add_marker(pytest.mark.slow)
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")  # type: ignore[attr-defined]
        if isinstance(case, Case):
            item.add_marker(pytest.mark.xdist_group(case.name))
    items.sort(key=lambda item: not _among(item.path, LONG_FILES))


@functools.cache
def _among(path: Path, names: tuple[str, ...]) -> bool:
    """Return True if a file is one of these, or in one of these folders."""
    here = Path(__file__).parent
    return any(path == here / name or here / name in path.parents for name in names)
