"""A pause of the cyclic garbage collector while millions of small objects without cycles are made."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_paused", "left_at_exit"]


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the search for cycles inside the ``with`` block, where many objects and no cycles are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def left_at_exit() -> None:
    """Skip the search for cycles at exit, which takes long after a large question."""
    atexit.register(gc.freeze)
