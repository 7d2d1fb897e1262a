"""The server as others meet it: raw requests and websockets on its port, its beginning and its end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interfaces.cli.command import process
from tests.interfaces.play.server import Served, served
from tests.interfaces.play.talk import running

import taut

pytest.importorskip("nicegui", reason="the extra taut[play] is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as one:
        yield one


def test_the_way_in(server: Served) -> None:
    status, headers, _ = server.get(f"/?token={server.token}")
    assert status == 200
    assert headers["set-cookie"] == f"{server.cookie}; Path=/; HttpOnly; SameSite=Strict"
    status, headers, body = server.get("/", Cookie=server.cookie)
    assert status == 200
    assert b"taut play" in body
    assert "default-src 'self'" in headers["content-security-policy"]


def test_everything_that_the_page_loads_comes_from_the_page(server: Served) -> None:
    _, _, body = server.get("/", Cookie=server.cookie)
    text = body.decode()
    loaded = re.findall(r"""(?:src|href)=["']([^"']+)["']|from ["']([^"']+)["']|"(/_nicegui[^"]+)\"""", text)
    paths = {path for group in loaded for path in group if path}
    assert paths
    assert not [path for path in paths if path.startswith(("http:", "https:", "//"))]
    asset = next(path for path in paths if path.startswith("/_nicegui") and path.endswith((".js", ".css")))
    assert server.get(asset, Cookie=server.cookie)[0] == 200
    for headers in ({}, {"Cookie": server.cookie + "x"}, {"Cookie": server.cookie, "Origin": "http://evil.example"}):
        assert server.get(asset, **headers)[0] == 403


@pytest.mark.parametrize("path", ["/", "/_nicegui_ws/socket.io/?EIO=4&transport=polling", "/docs", "/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "PUT"])
def test_raw_requests_are_refused(server: Served, path: str, method: str) -> None:
    own = server.cookie
    for headers in (
        {},
        {"Cookie": f"taut_play_{server.port}=wrong"},
        {"Cookie": own, "Origin": "http://evil.example"},
        {"Cookie": own, "Host": "evil.example"},
        {"Cookie": own, "Host": f"evil.example:{server.port}"},
        {"Cookie": own, "Sec_Fetch_Site": "cross-site"},
    ):
        status, answered, body = server.get(path, method, **headers)
        assert status == 403, headers
        assert "access-control-allow-origin" not in answered
        assert server.token.encode() not in body


def handshake(server: Served, **headers: str) -> str:
    """The first line of the answer to a websocket handshake."""
    own = {
        "Host": f"127.0.0.1:{server.port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
        lines = [
            "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
            *[f"{k}: {v}" for k, v in own.items()],
        ]
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        return raw.recv(4096).decode(errors="replace").splitlines()[0]


def test_websockets(server: Served) -> None:
    own = {"Cookie": server.cookie}
    assert " 101 " in handshake(server, **own) + " "
    assert " 101 " in handshake(server, **own, Origin=f"http://127.0.0.1:{server.port}") + " "
    for headers in (
        {},
        {"Cookie": f"taut_play_{server.port}=wrong"},
        {**own, "Origin": "http://evil.example"},
        {**own, "Origin": "null"},
        {**own, "Host": "evil.example"},
        {**own, "Sec-Fetch-Site": "cross-site"},
    ):
        assert " 403 " in handshake(server, **headers) + " ", headers


def test_it_listens_on_this_machine_only(server: Served) -> None:
    others = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with (
            pytest.raises((ConnectionError, TimeoutError)),
            socket.create_connection((address, server.port), timeout=5),
        ):
            pass


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_end_leaves_nothing_behind(how: signal.Signals) -> None:
    mark = f"{how.name}-{time.time_ns()}"
    with served(TAUT_PLAY_TEST=mark) as one:
        one.get("/", Cookie=one.cookie)
        while len(running(mark)) < 3:  # the server, a supervisor and a worker
            time.sleep(0.05)
        code, errors = one.end(how)
        assert code == 0
        assert "Traceback" not in errors
        assert "taut play has ended." in errors
        assert not running(mark)


def test_a_server_that_is_killed_leaves_no_worker_behind() -> None:
    mark = f"killed-{time.time_ns()}"
    with served(TAUT_PLAY_TEST=mark) as one:
        one.get("/", Cookie=one.cookie)
        while len(running(mark)) < 3:
            time.sleep(0.05)
        one.end(signal.SIGKILL)
        asyncio.run(_none_running(mark))


async def _none_running(mark: str) -> None:
    while running(mark):
        await asyncio.sleep(0.05)


def test_the_port_that_is_asked_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = process("play", "--no-browser", "--port", str(port))
        assert done.code == 2
        assert f"port {port} of this machine cannot be used" in done.err
        assert "--port" in done.err
    with served("--port", str(port)) as one:
        assert one.port == port


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "not a built-in mechanism"),
        (["absent.py"], "there is no file 'absent.py'"),
        (["rr", "lam"], "is not a setting"),
        (["rr", "lam=2"], "lam must be a probability"),
        (["rr", "--port", "0"], "--port"),
        (["rr", "--memory", "0"], "--memory"),
    ],
)
def test_what_cannot_be_opened_is_a_sentence(words: list[str], said: str) -> None:
    done = process("play", "--no-browser", *words)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "nicegui.py").write_text("raise ModuleNotFoundError(\"No module named 'nicegui'\", name='nicegui')\n")
    source = str(Path(taut.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"}
    command = [sys.executable, "-m", "taut", "play", "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 2
    assert "pip install 'taut[play]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_command_line_loads_nothing_of_the_page() -> None:
    code = "import sys, taut.interfaces.cli; taut.interfaces.cli.load_commands('privacy'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "taut.interfaces.cli.asking" in loaded
    assert not {"nicegui", "fastapi", "uvicorn", "taut.interfaces.play"} & set(loaded)
