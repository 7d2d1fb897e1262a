"""Goals: the target that outputs are to come close to, as it is typed."""

from __future__ import annotations

from typing import Any

from taut.interfaces.queries.functions import named_function
from taut.interfaces.queries.targets import DISTANCES, TARGETS
from taut.questions.accuracy import Accuracy
from taut.support.errors import InvalidInput
from taut.support.exact import number

__all__ = ["goal_of"]


def goal_of(alpha: str, target: str, distance: str) -> Accuracy:
    """Return the accuracy that ``--alpha``, ``--target`` and ``--distance`` ask for."""
    reach: Any = number(alpha, "--alpha")
    if reach < 0:
        raise InvalidInput(f"--alpha must not be negative; got {alpha}.", value=alpha)
    far = named_function(distance, DISTANCES, "--distance")
    return Accuracy(named_function(target, TARGETS, "--target"), reach, distance=far)
