"""One server and one headless browser for all flows; they are skipped where Chromium or the page's extra is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.tab import Tab
    from tests.browser.tools import Chromium, Server

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs all of them: the browser and the server are started once."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


def _missing() -> str | None:
    """Return what is missing for tests in a browser."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: apt-get install chromium chromium-driver)"
    for module in ("nicegui", "selenium"):
        try:
            __import__(module)
        except ModuleNotFoundError:
            return f"{module} is not installed (pip install 'taut[play]' selenium)"
    return None


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """``taut play`` as a user starts it, opened on randomized response."""
    if (lacks := _missing()) is not None:
        pytest.skip(lacks)
    from tests.browser.tools import Server

    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def chromium(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A browser with a profile of its own."""
    from tests.browser.tools import Chromium

    with Chromium(tmp_path_factory.mktemp("profile"), tmp_path_factory.mktemp("downloads")) as browser:
        yield browser


@pytest.fixture(scope="module")
def lasting_tab(server: Server, chromium: Chromium) -> Iterator[Tab]:
    """A tab that is shared by all tests of a module."""
    from tests.browser.tab import Tab

    opened = Tab.open(chromium, server.address)
    yield opened
    opened.close()


@pytest.fixture
def survivor(lasting_tab: Tab, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Return the tab that earlier tests of the module have used."""
    lasting_tab.focus()
    yield lasting_tab
    _keep(lasting_tab, request)


@pytest.fixture
def tab(server: Server, chromium: Chromium, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A new tab."""
    from tests.browser.tab import Tab

    opened = Tab.open(chromium, server.address)
    yield opened
    _keep(opened, request)
    opened.close()


def _keep(tab: Tab, request: pytest.FixtureRequest) -> None:
    """Keep a picture of how a test left the page, in build/screenshots."""
    tab.focus()
    tab.screenshot(SCREENSHOTS / f"{request.node.name.removeprefix('test_')}.png")
