"""``--workers`` and ``--cluster``: who does what a command can have done in pieces."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from taut.support.errors import InvalidOption
from taut.support.options import options

__all__ = ["with_workers"]

Workers = Annotated[
    int | None,
    typer.Option("--workers", help="Divide the work among this many processes.", show_default=False),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Divide the work among a Dask cluster: tcp://host:8786.", show_default=False),
]


def with_workers(command: Callable[..., None]) -> Callable[..., None]:
    """The same command with the options ``--workers`` and ``--cluster``, which are in force while it runs."""

    @functools.wraps(command)
    def run(*args: Any, workers: int | None = None, cluster: str | None = None, **settings: Any) -> None:
        with _executor(workers, cluster):
            command(*args, **settings)

    signature = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in (("workers", Workers), ("cluster", Cluster))
    ]
    parameters = [*signature.parameters.values(), *added]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__
    return run


@contextlib.contextmanager
def _executor(workers: int | None, address: str | None) -> Iterator[None]:
    """The executor that was asked for; one worker is this process."""
    if workers is not None and address is not None:
        raise InvalidOption("--workers and --cluster are two ways to divide the work; give one of them.", value=workers)
    if workers is not None and workers < 1:
        raise InvalidOption(f"--workers must be at least 1; got {workers}.", value=workers)
    with contextlib.ExitStack() as stack:
        if address is not None:
            from taut.support.parallel.cluster import cluster

            stack.enter_context(_without_logs())
            stack.enter_context(options(executor=stack.enter_context(cluster(address))))
        elif workers is not None and workers > 1:
            from taut.support.parallel.local import local_workers

            stack.enter_context(options(executor=stack.enter_context(local_workers(workers))))
        yield


@contextlib.contextmanager
def _without_logs() -> Iterator[None]:
    """Silence the logs of a cluster; failures become errors of taut."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
