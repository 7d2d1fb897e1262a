"""Assertions that fail with a counterexample."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec

from taut.model import Model
from taut.verification.claims import Verdict
from taut.verification.claims.check import check

__all__ = ["assert_accurate", "assert_private"]

P = ParamSpec("P")


def _as_for(check: Callable[P, Verdict]) -> Callable[[Callable[..., Verdict]], Callable[P, Verdict]]:
    """Give a function the signature of another one."""

    def named(function: Callable[..., Verdict]) -> Callable[P, Verdict]:
        function.__signature__ = inspect.signature(check)  # type: ignore[attr-defined]
        return function

    return named


@_as_for(check)
def assert_private(*claim: Any, **more: Any) -> Verdict:
    """Assert that a model keeps a claimed guarantee; the arguments are those of ``taut.check``.

    Returns
    -------
    Verdict
        With the exact value and the slack.

    Raises
    ------
    AssertionError
        The claim fails, with a counterexample; or it could not be decided in the time given.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> assert_private(randomized_response(bits(8), lam="1/4"), ratio=3).slack
    Fraction(0, 1)
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    return _demanded(check(*claim, **more))


def assert_accurate(
    model: Model,
    target: Any,
    alpha: Any,
    probability: Any,
    *,
    distance: Any = None,
    method: str = "auto",
    time_limit: float | None = None,
) -> Verdict:
    """Assert that the output lies within alpha of the target with at least this probability, on every input.

    Raises
    ------
    AssertionError
        It does not, on the input that is named; or it could not be decided in the time given.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import rr_count
    >>> assert_accurate(rr_count(bits(4), lam="1/5"), sum, 1, "0.8").value
    Fraction(512, 625)
    """
    claim = (target, alpha, probability) if distance is None else (target, alpha, probability, distance)
    return _demanded(check(model, accuracy=claim, method=method, time_limit=time_limit))


def _demanded(verdict: Verdict) -> Verdict:
    __tracebackhide__ = True
    if not verdict:
        raise AssertionError(str(verdict))
    return verdict
