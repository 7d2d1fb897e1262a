"""The two programs of a test in a browser: the server that is tried, and the browser that tries it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 180.0
"""Seconds to wait for anything: much more than it takes, since no test may depend on how fast the machine is."""


class Server:
    """``taut play`` in a process of its own; ended with Ctrl-C."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self.said: list[str] = []

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "taut", "play", "--no-browser", *self._arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                self.address = found[0]
                break
        else:
            raise AssertionError(f"the server ended: {''.join(self.said)}")
        self.origin = self.address.partition("/?")[0]
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def _listen(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(self.process.stdout)

    def workers(self) -> set[int]:
        """The supervisors of the processes that compute, one per tab."""
        found = set()
        for entry in Path("/proc").iterdir():
            try:
                ours = entry.name.isdigit() and b"taut.interfaces.play.supervisor" in (entry / "cmdline").read_bytes()
                if ours and f"\nPPid:\t{self.process.pid}\n" in (entry / "status").read_text():
                    found.add(int(entry.name))
            except OSError:
                continue
        return found

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        workers = self.workers()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._listener.join()
            assert self.process.stdout is not None
            self.process.stdout.close()
        left = [pid for pid in workers if _alive(pid)]
        assert not left, f"processes {left} outlived the server"
        assert not any("Traceback" in line for line in self.said), "".join(self.said)


def _alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


class Chromium(webdriver.Chrome):
    """Headless Chromium, quiet towards the network, with what it asks for kept in its log."""

    def __init__(self, profile: Path, downloads: Path) -> None:
        self.downloads = downloads
        options = Options()
        options.binary_location = _which("chromium")
        for word in (
            "headless=new",
            "no-sandbox",
            "disable-gpu",
            "disable-quic",
            "disable-dev-shm-usage",
            "no-first-run",
            "disable-background-networking",
            "disable-component-update",
            "disable-sync",
            "force-color-profile=srgb",
            "window-size=1400,1000",
            f"user-data-dir={profile}",
        ):
            options.add_argument(f"--{word}")
        options.add_experimental_option(
            "prefs",
            {
                "download.default_directory": str(downloads),
                "download.prompt_for_download": False,
                "profile.content_settings.exceptions.clipboard": {"*": {"setting": 1}},
            },
        )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(options=options, service=Service(_which("chromedriver")))
        self.set_page_load_timeout(PATIENCE)
        self.set_script_timeout(PATIENCE)


def _which(program: str) -> str:
    found = shutil.which(program)
    assert found is not None
    return found
