"""Workers on other machines: a Dask cluster, which starts, watches and replaces them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from taut.support.errors import InvalidOption, ToolMissing

__all__ = ["cluster"]

_PATIENCE = 10
"""Seconds that a scheduler has to answer, and then to provide a worker."""


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Connect to the Dask cluster at an address, for the ``executor`` of any question.

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
        That is no address, nobody answers there, it is not a scheduler who does, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ToolMissing(
            "a cluster needs dask.distributed, which is not installed. Install it with: pip install 'taut[cluster]'",
            value="distributed",
        ) from None
    make: Any = Client
    try:
        _require_scheduler(address)
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as error:  # whatever it is: what answers there need not speak the language of schedulers
        raise InvalidOption(
            f"cluster={address!r}: no Dask scheduler answers there ({_reason(error)}). Give its address, as in "
            "tcp://10.0.0.5:8786; 'dask scheduler' prints it.",
            value=address,
        ) from None
    try:
        _require_workers(client, address)
        yield client.get_executor()
    finally:
        client.close()


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"not in {_PATIENCE} seconds"
    if isinstance(error, (OSError, ValueError)) and str(error):
        return str(error).splitlines()[0].rstrip(".")
    return "something else does"


def _require_scheduler(address: str) -> None:
    """Raise an error unless a scheduler answers at the address.

    The check precedes the creation of a client, since a client without a scheduler blocks for a minute.
    """
    from distributed.comm import addressing, core
    from distributed.security import Security

    connect: Any = core.connect
    where: Any = addressing.get_address_host_port
    security: Any = Security

    async def greet() -> None:
        comm = await connect(address, timeout=_PATIENCE, **security().get_connection_args("client"))
        await comm.close()

    if not address.startswith("inproc:"):  # which is in this process, and has no port
        socket.create_connection(where(address), _PATIENCE).close()  # Dask would try again and again
    with ThreadPoolExecutor(1) as elsewhere:  # notebooks have a loop of their own
        elsewhere.submit(lambda: asyncio.run(asyncio.wait_for(greet(), _PATIENCE))).result()


def _require_workers(client: Any, address: str) -> None:
    """Refuse a scheduler without workers, which would never finish any work."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise InvalidOption(
            f"cluster={address!r}: the scheduler there has no workers. Start some with 'dask worker {address}'.",
            value=address,
        ) from None
