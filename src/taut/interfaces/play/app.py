"""The server of ``taut play``: one port of this machine, a page per tab, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import socket
import sys
import webbrowser

import uvicorn
from fastapi import FastAPI
from nicegui import Client, app, background_tasks, ui

from taut.interfaces.play.guard import Guard
from taut.interfaces.play.opening import Opening
from taut.interfaces.play.page import Page
from taut.interfaces.play.session import Session, end_all
from taut.support.errors import InvalidInput

__all__ = ["bound_socket", "guarded_app", "serve"]

_HOST = "127.0.0.1"
_RECONNECT = 5.0
"""Seconds after which a tab that does not come back counts as closed."""
_pages: set[Page] = set()


def bound_socket(port: int | None) -> socket.socket:
    """A socket on a port of this machine only; on a free one if none is named.

    Raises
    ------
    InvalidInput
        The port is taken, or may not be used.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((_HOST, port or 0))
        found.listen(128)
    except (OSError, OverflowError) as problem:
        found.close()
        why = getattr(problem, "strerror", None) or str(problem)
        raise InvalidInput(
            f"port {port} of this machine cannot be used ({why}); name another with --port, or leave --port out for a "
            "free one.",
            value=port,
        ) from None
    return found


def guarded_app(opening: Opening, token: str, port: int, memory: int) -> Guard:
    """The whole application behind its gate."""

    waiting: list[Session] = []

    async def warm_up() -> None:
        """Start the worker of the first tab while the browser is still loading the page."""
        session = Session(memory)
        waiting.append(session)
        await session.start()

    async def page(client: Client) -> None:
        tab = Page(client, opening, waiting.pop() if waiting else Session(memory))
        _pages.add(tab)

        async def gone() -> None:
            _pages.discard(tab)
            await tab.close()

        client.on_delete(gone)
        background_tasks.create(tab.begin(), name="taut play begins")

    ui.page("/", title="taut play")(page)
    inner = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    async def close() -> None:
        await _close_pages()
        await asyncio.gather(*[session.close() for session in waiting])

    app.on_startup(warm_up)
    app.on_shutdown(close)
    ui.run_with(
        inner,
        title="taut play",
        dark=None,
        reconnect_timeout=_RECONNECT,
        show_welcome_message=False,
        favicon="🎲",
    )
    return Guard(inner, token, port)


def serve(opening: Opening, *, port: int | None, browser: bool, memory: int) -> None:
    """Serve the page until Ctrl-C.

    Raises
    ------
    InvalidInput
        The port cannot be used.
    """
    token = secrets.token_urlsafe(24)
    with contextlib.closing(bound_socket(port)) as listening:
        number = listening.getsockname()[1]
        address = f"http://{_HOST}:{number}/?token={token}"
        logging.getLogger("nicegui").setLevel(logging.ERROR)
        guarded = guarded_app(opening, token, number, memory)
        config = uvicorn.Config(
            guarded, log_level="error", lifespan="on", timeout_graceful_shutdown=1, ws="websockets-sansio"
        )
        print(
            f"taut play is at {address}\nThe address is a key to this machine: keep it. Ctrl-C ends the page.",
            flush=True,
        )
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
        if browser:
            _open_browser(address)
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            pass
        finally:
            end_all()
    print("taut play has ended.", file=sys.stderr)


def _open_browser(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


async def _close_pages() -> None:
    logging.getLogger("nicegui").setLevel(logging.CRITICAL)  # tasks that are ended with the server are no news
    await asyncio.gather(*[page.close() for page in list(_pages)], return_exceptions=True)
