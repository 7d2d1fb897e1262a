"""``taut.check``: whether a model keeps a claimed guarantee."""

from __future__ import annotations

import time
from typing import Any

from taut.model import Model
from taut.questions.claimed import Verdict, together
from taut.support.errors import InvalidInput
from taut.support.options import check_seconds
from taut.verification.claims.claim import requirements

__all__ = ["check"]


def check(
    model: Model,
    epsilon: Any = None,
    delta: Any = None,
    *,
    neighbors: Any = None,
    method: str = "auto",
    time_limit: float | None = None,
    **claimed: Any,
) -> Verdict:
    """Return True if a model keeps a claimed guarantee, decided exactly.

    Parameters
    ----------
    model
        A mechanism on a domain.
    epsilon, delta, **claimed
        The claim, as for ``taut.claim``: also ``ratio``, ``accuracy`` and the names of other questions.
    neighbors, method, time_limit
        As for ``model.ask``; the limit is for all parts together.

    Returns
    -------
    Verdict
        ``holds`` is True, False or, where only an interval is known that does not tell, None. ``value`` is the exact
        number, ``slack`` how much better it is than the claim, ``counterexample`` where the claim fails.

    Raises
    ------
    WrongArguments, InvalidNumber, InvalidProbability
        Nothing is claimed, or something that makes no sense.

    Examples
    --------
    >>> import taut
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> model = randomized_response(bits(2), lam="1/5")
    >>> print(taut.check(model, epsilon="1.4"))
    holds: eps <= 1.4 for one_differ neighbours; eps = 1.38629 (e^eps = 4 exactly), slack 0.0137056
    >>> verdict = taut.check(model, epsilon=1, delta="1/10")
    >>> verdict.holds, verdict.counterexample.probability, verdict.counterexample.probability_prime
    (False, Fraction(4, 5), Fraction(1, 5))
    >>> bool(verdict.counterexample.replay())
    True
    """
    if not isinstance(model, Model):
        raise InvalidInput(
            f"check: expected a model, a mechanism called with a domain such as f(bits(4)); got {model!r}.", value=model
        )
    check_seconds(time_limit, "time_limit", InvalidInput)
    parts = requirements(epsilon=epsilon, delta=delta, **claimed)
    end = None if time_limit is None else time.monotonic() + time_limit
    verdicts = []
    for part in parts:
        left = None if end is None else max(end - time.monotonic(), 0.01)
        verdicts.append(part.verdict(model, neighbors=neighbors, method=method, time_limit=left))
    return together(verdicts)
