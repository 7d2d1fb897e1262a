"""Products of matrices by one thread: threads that wait for each other cost more than they bring."""

from __future__ import annotations

import functools
from typing import Any

import numpy.typing as npt

__all__ = ["product"]

_SMALL = 1 << 15
"""Multiplications up to which a product is computed by one thread in any case."""


@functools.cache
def _libraries() -> Any:
    """The libraries for matrices that are loaded; to look for them takes a moment."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Any:
    """a @ b, computed by the thread that asks for it."""
    if a.size * (b.shape[-1] if b.ndim > 1 else 1) <= _SMALL:
        return a @ b
    with _libraries().limit(limits=1):
        return a @ b
