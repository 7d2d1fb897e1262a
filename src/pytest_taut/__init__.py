"""The pytest plugin of taut: every ``@taut.claim`` of a test file is a test.

This package stands beside ``taut`` so that pytest can load it without importing taut: a test run that does not use
taut pays nothing for it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["ClaimFailure", "ClaimItem"]


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[ClaimItem] | None:
    """Return the claims of an object of a test file, one test for each; None if it has none."""
    if "taut.verification.claims" not in sys.modules:  # without it nobody has made a claim
        return None
    mechanism = _mechanism(obj)
    if mechanism is None:
        return None
    return list(_items(collector, name, mechanism)) or None


class ClaimFailure(AssertionError):
    """A claim that fails, or that could not be decided."""

    def __init__(self, verdict: Any) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


class ClaimItem(pytest.Item):
    """One claim of a mechanism."""

    def __init__(self, *, mechanism: Any, claim: Any, **parts: Any) -> None:
        super().__init__(**parts)
        self.mechanism, self.claim = mechanism, claim

    def runtest(self) -> None:
        """Check the claim."""
        verdict = self.claim.check(self.mechanism)
        if not verdict:
            raise ClaimFailure(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the verdict, or the error in the claim, without a traceback through taut."""
        from taut.support.errors import TautError

        if isinstance(excinfo.value, ClaimFailure):
            return f"{self.name.partition('[')[0]}: {excinfo.value}"
        if isinstance(excinfo.value, TautError):
            return f"{self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the file, line and name of the mechanism."""
        code = inspect.unwrap(self.mechanism.function).__code__
        return self.path, code.co_firstlineno - 1, self.name


def _mechanism(obj: object) -> Any:
    """Return the mechanism of an object, or make one of it; None if it has no claims."""
    from taut.model.decorators import Mechanism, mechanism
    from taut.verification.claims import claims_of

    if not isinstance(obj, Mechanism) and not inspect.isfunction(obj):
        return None
    if not claims_of(obj):
        return None
    return obj if isinstance(obj, Mechanism) else mechanism(obj)


def _items(collector: pytest.Collector, name: str, mechanism: Any) -> Iterator[ClaimItem]:
    from taut.verification.claims import claims_of

    for claim in claims_of(mechanism):
        of = f"{claim.databases}: " if claim.databases else ""
        yield ClaimItem.from_parent(collector, name=f"{name}[{of}{claim.words}]", mechanism=mechanism, claim=claim)
