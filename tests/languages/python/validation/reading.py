"""Reading a function without the comparison that follows, so that a test can compare it with something else."""

from collections.abc import Callable
from typing import Any

from taut.diagrams.compile import Oracle
from taut.languages.python.reading import Reading
from taut.languages.python.tracing import trace
from taut.support.options import active

__all__ = ["read"]


def read(function: Callable[..., Any], *args: Any, **keywords: Any) -> Reading:
    """What the front end reads of a plain function."""
    limits = active()
    return trace(function, args, keywords, lambda inputs, coins: Oracle(inputs, coins, limits.max_nodes), limits)
