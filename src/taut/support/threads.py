"""Matrix products on one thread: waiting threads cost more than they save."""

from __future__ import annotations

import functools
from typing import Any

import numpy.typing as npt

__all__ = ["product"]

_SMALL = 1 << 15
"""Number of multiplications up to which a product always uses one thread."""


@functools.cache
def _libraries() -> Any:
    """Return the loaded matrix libraries; finding them takes a moment."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Any:
    """Return a @ b, computed by the calling thread."""
    if a.size * (b.shape[-1] if b.ndim > 1 else 1) <= _SMALL:
        return a @ b
    with _libraries().limit(limits=1):
        return a @ b
