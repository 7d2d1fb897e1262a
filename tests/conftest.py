"""Settings for all tests: random examples are the same in every run, and a case of the corpus stays with one worker."""

import os

import pytest
from hypothesis import HealthCheck, settings
from tests.corpus.case import Case

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("fixed", derandomize=True, database=None, deadline=None, suppress_health_check=SLOW)
settings.register_profile("hunt", parent=settings.get_profile("fixed"), derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep all tests of one case on one worker, so that its model is compiled once per run."""
    for item in items:
        case = getattr(item, "callspec", None) and item.callspec.params.get("case")  # type: ignore[attr-defined]
        if isinstance(case, Case):
            item.add_marker(pytest.mark.xdist_group(case.name))
