"""The surroundings of the page: other tabs, other sites, other screens, no network."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.browser.conftest import SCREENSHOTS
from tests.browser.tab import Tab
from tests.browser.tools import Chromium, Server

ATTACK = """<!DOCTYPE html><title>another site</title><script>
const found = {};
const done = () => Object.keys(found).length === 4 && (document.title = JSON.stringify(found));
const origin = "%s", address = "%s";
const read = (name, url) => fetch(url, {credentials: "include"})
  .then(answer => found[name] = "read " + answer.status, () => found[name] = "refused").then(done);
read("page", origin + "/");
read("token", address);
const path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket";
const socket = new WebSocket(origin.replace("http", "ws") + path);
socket.onopen = () => { found.socket = "open"; done(); };
socket.onerror = () => { found.socket ??= "refused"; done(); };
const script = document.createElement("script");
script.src = origin + "/_nicegui/x/static/nicegui.js";
script.onload = () => { found.script = "loaded"; done(); };
script.onerror = () => { found.script = "refused"; done(); };
document.head.append(script);
</script>"""


@contextmanager
def _another_site(words: str) -> Iterator[str]:
    """A site on another port of this machine, under another name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(words.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{site.server_port}/"
    finally:
        site.shutdown()
        site.server_close()


def test_two_tabs_do_not_disturb_each_other(tab: Tab, server: Server, chromium: Chromium) -> None:
    others = server.workers()
    second = Tab.open(chromium, server.address)
    second.until(lambda: server.workers() - others, "a process of its own")
    second.fill("field-lam", "1/3")
    second.until(lambda: second.ratio() == "2", "the answer in the second tab")
    tab.focus()
    assert (tab.ratio(), tab.value("field-lam")) == ("4", "1/5")
    second.focus()
    second.write("while True:\n    pass\n")
    second.click("run")
    tab.focus()
    tab.fill("field-lam", "1/4")
    tab.until(lambda: tab.ratio() == "3", "an answer while the other tab computes")
    second.close()
    tab.focus()
    # Those of tabs that earlier tests have closed may end meanwhile.
    tab.until(lambda: server.workers() <= others, "the end of the closed tab's process")


def test_reload_starts_afresh(tab: Tab, server: Server) -> None:
    tab.fill("field-lam", "1/3")
    tab.until(lambda: tab.ratio() == "2", "the answer")
    tab.browser.refresh()
    tab.until(lambda: tab.ratio() == "4", "the first answer")
    tab.rest()


def test_another_site_reaches_nothing(tab: Tab, server: Server, chromium: Chromium) -> None:
    with _another_site(ATTACK % (server.origin, server.address)) as address:
        chromium.get(address)
        found = json.loads(tab.until(lambda: chromium.title.startswith("{") and chromium.title, "what it could do"))
    assert found == dict.fromkeys(("page", "token", "socket", "script"), "refused")
    chromium.get(server.address)
    tab.until(lambda: tab.ratio() == "4", "the page for its owner")


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong", "/_nicegui/x/static/nicegui.js", "/?file=/etc/passwd"]
)
def test_without_the_token_there_is_nothing(server: Server, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(server.origin + path, timeout=60)
    assert refused.value.code == 403
    assert b"token" not in refused.value.read().lower().replace(b"taut play", b"")


def test_nothing_comes_from_elsewhere(tab: Tab, server: Server, chromium: Chromium) -> None:
    chromium.get_log("performance")
    chromium.refresh()
    tab.until(lambda: tab.ratio() == "4", "the answer")
    tab.rest()
    asked = set()
    for entry in chromium.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            asked.add(message["params"].get("url") or message["params"]["request"]["url"])
    own = (server.origin + "/", server.origin.replace("http", "ws") + "/", "data:", "blob:")
    assert any(address.startswith("ws://") for address in asked)
    assert not [address for address in asked if not address.startswith(own)]


@pytest.mark.parametrize("width", [390, 820])
def test_narrow_screens(tab: Tab, width: int) -> None:
    tab.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    )
    try:
        tab.until(lambda: tab.browser.execute_script("return innerWidth") == width, "the narrow screen")
        wide = tab.browser.execute_script("return document.documentElement.scrollWidth")
        tab.screenshot(SCREENSHOTS / f"width_{width}.png")
        assert wide <= width
        tab.click("run")
        place = "return document.querySelector('[data-testid=answer]').getBoundingClientRect().top"
        tab.until(lambda: abs(tab.browser.execute_script(place)) < 2, "the page to scroll to the answer")
        tab.rest()
        assert not tab.browser.find_elements("css selector", ".q-tooltip")
    finally:
        tab.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_dark(tab: Tab) -> None:
    names = ("picture-worst", "picture-profile")
    light = {name: tab.find(name).get_attribute("src") for name in names}
    tab.click("dark-toggle")
    for name in names:
        tab.until(lambda name=name: tab.find(name).get_attribute("src") != light[name], f"{name} in dark")
    background = tab.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in background.strip("rgba()").split(",")[:3]) < 200


def test_nothing_goes_wrong_in_the_console(tab: Tab, chromium: Chromium) -> None:
    chromium.get_log("browser")
    tab.click("run")
    tab.rest()
    chromium.refresh()
    tab.until(lambda: tab.text("result-number"), "the answer")
    assert not [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
