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
    """The claims of an object of a test file, one test for each; None if it has none."""
    if "taut.claims" not in sys.modules:  # without it nobody has made a claim
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
        """The verdict, or what is wrong with the claim; no traceback, which would show lines of taut."""
        from taut.errors import TautError

        if isinstance(excinfo.value, ClaimFailure):
            return f"{self.name.partition('[')[0]}: {excinfo.value}"
        if isinstance(excinfo.value, TautError):
            return f"{self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the mechanism stands."""
        code = inspect.unwrap(self.mechanism.function).__code__
        return self.path, code.co_firstlineno - 1, self.name


def _mechanism(obj: object) -> Any:
    """The mechanism that an object is, or may be made of; None if it has no claims."""
    from taut.claims import claims_of
    from taut.model.decorators import Mechanism, mechanism

    if not isinstance(obj, Mechanism) and not inspect.isfunction(obj):
        return None
    if not claims_of(obj):
        return None
    return obj if isinstance(obj, Mechanism) else mechanism(obj)


def _items(collector: pytest.Collector, name: str, mechanism: Any) -> Iterator[ClaimItem]:
    from taut.claims import claims_of

    for claim in claims_of(mechanism):
        yield ClaimItem.from_parent(collector, name=f"{name}[{claim.words}]", mechanism=mechanism, claim=claim)
