"""A server of ``taut play`` in a process of its own, for tests that speak to it over its port."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Served", "served"]


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    port: int
    token: str

    @property
    def cookie(self) -> str:
        return f"taut_play_{self.port}={self.token}"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """The answer to a raw request: status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            host = headers.pop("Host", f"127.0.0.1:{self.port}")
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", host)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it; the exit code, and what it wrote to standard error."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=120)
        return self.process.returncode, errors


@contextlib.contextmanager
def served(*words: str, **env: str) -> Iterator[Served]:
    """Provide a server, and end it afterwards."""
    command = [sys.executable, "-m", "taut", "play", "--no-browser", *words]
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env={**os.environ, **env}, **options)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
        assert found is not None, line + (process.communicate()[1] if process.poll() is not None else "")
        yield Served(process, int(found[1]), found[2])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
