"""The server of ``taut play``: one port of this machine behind a gate, a page per tab, and an end without leftovers."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from fastapi import FastAPI
from nicegui import Client, app, background_tasks, ui

from taut.interfaces.play.page import Page
from taut.interfaces.play.programs import Opening
from taut.interfaces.play.session import Session, end_all
from taut.support.errors import InvalidInput

__all__ = ["Guard", "bound_socket", "guarded_app", "serve"]


_HOST = "127.0.0.1"
_RECONNECT = 5.0
"""Seconds without a connection after which a tab counts as closed."""
_pages: set[Page] = set()


def bound_socket(port: int | None) -> socket.socket:
    """Return a socket on a port of this machine only; on a free one if none is named.

    Raises:
        InvalidInput: the port is taken, or may not be used.
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
    """Return the whole application behind its guard."""

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
        inner, title="taut play", dark=None, reconnect_timeout=_RECONNECT, show_welcome_message=False, favicon="🎲"
    )
    return Guard(inner, token, port)


def serve(opening: Opening, *, port: int | None, browser: bool, memory: int) -> None:
    """Serve the page until Ctrl-C.

    Raises:
        InvalidInput: the port cannot be used.
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


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_OWN = (b"none", b"same-origin")
_ENTERED = (
    b'<!DOCTYPE html><meta http-equiv="refresh" content="0;url=/"><title>taut play</title><p><a href="/">taut play</a>'
)
_REFUSED = b"403: open the address that 'taut play' printed in the terminal.\n"


class Guard:
    """An ASGI application that passes authorised requests and answers 403 to the rest.

    Guarantee:
        The application inside sees a request or a websocket only if its Host is this server's own name, its Origin (if
        it has one) is this server, no other site caused it (if the browser says who did), and it carries the token in
        its cookie. The token in the address of the first page becomes that cookie, which scripts cannot read and other
        sites cannot use. Every answer forbids the browser to load anything from elsewhere.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app = app
        self._token = token.encode()
        self._cookie = f"taut_play_{port}".encode()
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
        self._origins = {b"http://" + host for host in self._hosts}
        sources = " ".join(f"ws://{host.decode()}" for host in sorted(self._hosts))
        policy = (
            "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' {sources}; frame-ancestors 'none'; "
            "base-uri 'self'; form-action 'self'; object-src 'none'"
        )
        self._headers = [
            (b"content-security-policy", policy.encode()),
            (b"x-frame-options", b"DENY"),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cross-origin-opener-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = list(scope["headers"])
        entering = scope["type"] == "http" and self._enters(scope)
        if not self._named(headers) or not (entering or self._caused_by_page(headers)):
            await self._refuse(scope, receive, send)
        elif entering:
            cookie = self._cookie + b"=" + self._token + b"; Path=/; HttpOnly; SameSite=Strict"
            await self._answer(send, 200, _ENTERED, [(b"set-cookie", cookie), (b"content-type", b"text/html")])
        elif not self._has_cookie(headers):
            await self._refuse(scope, receive, send)
        else:
            await self.app(scope, receive, self._with_headers(send))

    def _named(self, headers: list[tuple[bytes, bytes]]) -> bool:
        """Return True if the request is for this server by one of its own names, and from its own page."""
        hosts = _values(headers, b"host")
        return len(hosts) == 1 and hosts[0] in self._hosts and set(_values(headers, b"origin")) <= self._origins

    def _caused_by_page(self, headers: list[tuple[bytes, bytes]]) -> bool:
        return all(value in _OWN for value in _values(headers, b"sec-fetch-site"))

    def _enters(self, scope: Scope) -> bool:
        """Return True if this is the first request, which has the token in its address."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        words = parse_qsl(scope["query_string"].decode("latin-1"))
        return any(name == "token" and self._is_token(value.encode()) for name, value in words)

    def _has_cookie(self, headers: list[tuple[bytes, bytes]]) -> bool:
        for line in _values(headers, b"cookie"):
            for word in line.split(b";"):
                name, _, value = word.strip().partition(b"=")
                if name == self._cookie and self._is_token(value):
                    return True
        return False

    def _is_token(self, given: bytes) -> bool:
        return hmac.compare_digest(given, self._token)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted, this is a 403
        else:
            await self._answer(send, 403, _REFUSED, [(b"content-type", b"text/plain")])

    async def _answer(self, send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]) -> None:
        fixed = [(b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store"), *self._headers]
        await send({"type": "http.response.start", "status": status, "headers": [*headers, *fixed]})
        await send({"type": "http.response.body", "body": body})

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *self._headers]}
            await send(message)

        return sending


def _values(headers: list[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]
