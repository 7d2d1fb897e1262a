"""Workers of other machines: a Dask cluster, which has its own ways to start, watch and replace them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from taut.errors import InvalidOption, ToolMissing

__all__ = ["cluster"]

_PATIENCE = 30
"""Seconds in which a scheduler has to answer."""


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask cluster at an address, for the ``executor`` of any question.

    They need the same version of taut; nothing of yours is sent to them, only diagrams and weights. With a client of
    your own, ``client.get_executor()`` is an executor as well.

    Parameters
    ----------
    address
        Where the cluster's scheduler listens, as in "tcp://10.0.0.5:8786".

    Raises
    ------
    ToolMissing
        dask.distributed is not installed: ``pip install 'taut[cluster]'``.
    InvalidOption
        Nobody answers at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ToolMissing(
            "a cluster needs dask.distributed, which is not installed. Install it with: pip install 'taut[cluster]'",
            value="distributed",
        ) from None
    try:
        connect: Any = Client
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidOption(
            f"cluster={address!r}: no Dask scheduler answers there ({reason}). Give its address, as in "
            "tcp://10.0.0.5:8786; 'dask scheduler' prints it.",
            value=address,
        ) from None
    try:
        yield client.get_executor()
    finally:
        client.close()
