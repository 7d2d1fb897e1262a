"""The cyclic garbage collector, paused while millions of small objects are made that hold no cycles."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_paused", "left_at_exit"]


@contextmanager
def collector_paused() -> Iterator[None]:
    """Do not search for cycles meanwhile: the search looks at every object again and again, and finds none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def left_at_exit() -> None:
    """Let the process end without a last search for cycles, which after a large question takes longer than the rest."""
    atexit.register(gc.freeze)
