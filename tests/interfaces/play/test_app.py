"""The gate: what does not come from the page itself, with its token, never reaches the application."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from taut.interfaces.play.app import Guard

TOKEN, PORT = "the-secret", 4711
COOKIE = f"taut_play_{PORT}={TOKEN}"
OWN = f"127.0.0.1:{PORT}"


class Inside:
    """An application that remembers who came in."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen.append(scope["type"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"inside"})
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})


def answer(
    kind: str, headers: dict[str, str | list[str]], path: str = "/", query: str = "", method: str = "GET"
) -> tuple[list[dict[str, Any]], list[str]]:
    inside = Inside()
    pairs = [
        (name.encode(), one.encode())
        for name, value in headers.items()
        for one in ([value] if isinstance(value, str) else value)
    ]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": pairs, "method": method}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect" if kind == "websocket" else "http.request"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    asyncio.run(Guard(inside, TOKEN, PORT)(scope, receive, send))
    return sent, inside.seen


REFUSED: dict[str, dict[str, Any]] = {
    "no token": {"host": OWN},
    "wrong token": {"host": OWN, "cookie": f"taut_play_{PORT}=the-secreT"},
    "empty token": {"host": OWN, "cookie": f"taut_play_{PORT}="},
    "longer token": {"host": OWN, "cookie": COOKIE + "x"},
    "token of another port": {"host": OWN, "cookie": f"taut_play_1={TOKEN}"},
    "token in another header": {"host": OWN, "authorization": f"Bearer {TOKEN}"},
    "foreign origin": {"host": OWN, "cookie": COOKIE, "origin": "http://evil.example"},
    "null origin": {"host": OWN, "cookie": COOKIE, "origin": "null"},
    "origin of another port": {"host": OWN, "cookie": COOKIE, "origin": "http://127.0.0.1:80"},
    "origin over tls": {"host": OWN, "cookie": COOKIE, "origin": f"https://{OWN}"},
    "two origins": {"host": OWN, "cookie": COOKIE, "origin": [f"http://{OWN}", "http://evil.example"]},
    "foreign host": {"host": "evil.example", "cookie": COOKIE},
    "foreign host with our port": {"host": f"evil.example:{PORT}", "cookie": COOKIE},
    "host of another port": {"host": "127.0.0.1:80", "cookie": COOKIE},
    "host without port": {"host": "127.0.0.1", "cookie": COOKIE},
    "no host": {"cookie": COOKIE},
    "two hosts": {"host": [OWN, "evil.example"], "cookie": COOKIE},
    "another site caused it": {"host": OWN, "cookie": COOKIE, "sec-fetch-site": "cross-site"},
    "another port caused it": {"host": OWN, "cookie": COOKIE, "sec-fetch-site": "same-site"},
}


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("path", ["/", "/_nicegui/3.18.0/static/nicegui.css", "/_nicegui_ws/socket.io/"])
@pytest.mark.parametrize("case", REFUSED)
def test_refused(kind: str, path: str, case: str) -> None:
    sent, seen = answer(kind, REFUSED[case], path)
    assert not seen
    if kind == "http":
        assert sent[0]["status"] == 403
        assert not any(name == b"set-cookie" for name, _ in sent[0]["headers"])
    else:
        assert [message["type"] for message in sent] == ["websocket.close"]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        {"host": OWN, "cookie": COOKIE},
        {"host": f"localhost:{PORT}", "cookie": f"other=1; {COOKIE}", "origin": f"http://localhost:{PORT}"},
        {"host": OWN, "cookie": COOKIE, "origin": f"http://{OWN}", "sec-fetch-site": "same-origin"},
    ],
)
def test_the_page_itself_passes(kind: str, headers: dict[str, str | list[str]]) -> None:
    _, seen = answer(kind, headers)
    assert seen == [kind]


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use() -> None:
    sent, seen = answer("http", {"host": OWN, "sec-fetch-site": "cross-site"}, query=f"token={TOKEN}")
    assert not seen
    headers = dict(sent[0]["headers"])
    assert sent[0]["status"] == 200
    assert headers[b"set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict".encode()
    assert TOKEN.encode() not in sent[1]["body"]


@pytest.mark.parametrize(
    ("kind", "path", "query", "method", "headers"),
    [
        ("http", "/", "token=wrong", "GET", {"host": OWN}),
        ("http", "/", "token=", "GET", {"host": OWN}),
        ("http", "/", f"Token={TOKEN}", "GET", {"host": OWN}),
        ("http", "/elsewhere", f"token={TOKEN}", "GET", {"host": OWN}),
        ("http", "/", f"token={TOKEN}", "POST", {"host": OWN}),
        ("http", "/", f"token={TOKEN}", "GET", {"host": "evil.example"}),
        ("http", "/", f"token={TOKEN}", "GET", {"host": OWN, "origin": "http://evil.example"}),
        ("websocket", "/", f"token={TOKEN}", "GET", {"host": OWN}),
    ],
)
def test_the_token_in_the_address_is_for_the_first_page_only(
    kind: str, path: str, query: str, method: str, headers: dict[str, str | list[str]]
) -> None:
    sent, seen = answer(kind, headers, path, query, method)
    assert not seen
    assert sent[0].get("status", 403) == 403


def test_every_answer_forbids_to_load_from_elsewhere_and_to_be_framed() -> None:
    for headers in ({"host": OWN, "cookie": COOKIE}, {"host": OWN}):
        sent, _ = answer("http", headers)
        found = dict(sent[0]["headers"])
        assert b"default-src 'self'" in found[b"content-security-policy"]
        assert b"http" not in found[b"content-security-policy"].replace(b"ws://", b"")
        assert found[b"x-frame-options"] == b"DENY"
