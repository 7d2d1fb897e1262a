"""One tab of the page, used as a person would."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from tests.browser.tools import PATIENCE, Chromium

T = TypeVar("T")
_NOT_YET = (
    NoSuchElementException,
    StaleElementReferenceException,
    ElementNotInteractableException,
    ElementClickInterceptedException,
)


class Tab:
    """Finder of controls by their markers (see ``taut.interfaces.play.markers``), which waits for results."""

    def __init__(self, browser: Chromium, handle: str) -> None:
        self.browser = browser
        self.handle = handle

    @classmethod
    def open(cls, browser: Chromium, address: str) -> Self:
        """A new tab at the address that the server printed; it waits for the first answer."""
        browser.switch_to.new_window("tab")
        browser.set_window_size(1400, 1000)
        tab = cls(browser, browser.current_window_handle)
        browser.get(address)
        tab.until(lambda: tab.text("result-number"), "the first answer")
        tab.rest()
        return tab

    def focus(self) -> None:
        """Bring the tab to the front."""
        self.browser.switch_to.window(self.handle)

    def close(self) -> None:
        """Close it; one tab of the browser stays open."""
        self.focus()
        self.browser.close()
        self.browser.switch_to.window(self.browser.window_handles[0])

    # -- what stands there ---------------------------------------------------------------------------------------

    def until(self, condition: Callable[[], T], what: str) -> T:
        """Wait for something true."""
        waiting = WebDriverWait(self.browser, PATIENCE, 0.1, ignored_exceptions=_NOT_YET)
        try:
            return waiting.until(lambda _: condition())
        except TimeoutException:
            said = self.browser.find_element(By.TAG_NAME, "body").text[:1500]
            raise AssertionError(f"waited for {what} in vain; the page says: {said}") from None

    def find(self, marker: str) -> WebElement:
        """The element with a marker."""
        return self.browser.find_element(By.CSS_SELECTOR, f'[data-testid="{marker}"]')

    def text(self, marker: str) -> str:
        """The words in an element; empty where it is not shown."""
        return self.find(marker).text.strip()

    def ratio(self) -> str | None:
        """The exact e^eps below epsilon; None where there is none."""
        found = re.search(r"e\^ε = (\S+)( = \S+)? exactly", self.text("result-decimal"))
        return None if found is None else found[1]

    def shows(self, marker: str) -> bool:
        """Whether an element is on the page and visible."""
        try:
            return self.find(marker).is_displayed()
        except (NoSuchElementException, StaleElementReferenceException):
            return False

    def value(self, marker: str) -> str:
        """What stands in a field."""
        return self._input(marker).get_attribute("value") or ""

    def options(self) -> list[str]:
        """The entries of the menu that is open."""
        return [one.text for one in self.browser.find_elements(By.CSS_SELECTOR, ".q-menu .q-item")]

    def rest(self) -> None:
        """Wait until no computation runs."""
        self.until(lambda: not self.find("stop").is_enabled(), "the end of the computation")

    def picture_size(self, marker: str) -> tuple[int, int]:
        """Width and height of a picture that the browser could draw; nothing where it could not."""
        script = "const i = arguments[0]; return i.complete ? [i.naturalWidth, i.naturalHeight] : [0, 0];"
        width, height = self.browser.execute_script(script, self.find(marker))
        return width, height

    def error_line(self) -> str | None:
        """The line of the program that is marked as wrong."""
        found = self.browser.find_elements(By.CSS_SELECTOR, ".taut-error-line")
        return found[0].text if found else None

    # -- what the user does --------------------------------------------------------------------------------------

    def click(self, marker: str) -> None:
        """Press something."""
        self.until(lambda: (self.find(marker).click(), True)[1], f"{marker} to press")

    def write(self, program: str) -> None:
        """Replace the program, as if it were pasted."""
        content = self.find("editor").find_element(By.CSS_SELECTOR, ".cm-content")
        content.click()
        content.send_keys(Keys.CONTROL, "a")
        content.send_keys(Keys.DELETE)
        self.browser.execute_cdp_cmd("Input.insertText", {"text": program})

    def keys(self, *keys: str) -> None:
        """Press keys where the cursor is, all of them at once."""
        chain = ActionChains(self.browser)
        for key in keys:
            chain.key_down(key)
        for key in reversed(keys):
            chain.key_up(key)
        chain.perform()

    def fill(self, marker: str, words: str) -> None:
        """Type into a field, in place of what stood there."""
        field = self._input(marker)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(words)
        field.send_keys(Keys.ENTER)

    def choose(self, marker: str, words: str) -> None:
        """Choose from a menu the entry that begins with these words."""
        self.until(lambda: (self._box(marker).click(), True)[1], f"{marker} to open")

        def entry() -> WebElement | None:
            found = self.browser.find_elements(By.CSS_SELECTOR, ".q-menu .q-item")
            return next((one for one in found if one.text.strip().startswith(words)), None)

        chosen = self.until(entry, f"{words!r} in the menu {marker}")
        assert chosen is not None
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", chosen)
        chosen.click()
        self.until(lambda: not self.options(), "the menu to close")

    def slide(self, marker: str, steps: int) -> None:
        """Move a slider with the arrow keys."""
        slider = self.find(marker)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", slider)
        handle = next(iter(slider.find_elements(By.CSS_SELECTOR, "[tabindex='0']")), slider)
        for _ in range(abs(steps)):
            handle.send_keys(Keys.ARROW_RIGHT if steps > 0 else Keys.ARROW_LEFT)

    def screenshot(self, path: Path) -> None:
        """Keep the whole page as a picture."""
        path.parent.mkdir(parents=True, exist_ok=True)
        width, height = self.browser.execute_script(
            "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]"
        )
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        path.write_bytes(base64.b64decode(shot["data"]))

    def _input(self, marker: str) -> WebElement:
        found = self.find(marker)
        return found if found.tag_name == "input" else found.find_element(By.TAG_NAME, "input")

    def _box(self, marker: str) -> WebElement:
        """Return the element that opens a menu; the marker may be on the input inside of it."""
        found = self.find(marker)
        return found if found.tag_name != "input" else found.find_element(By.XPATH, "./ancestor::label[1]")
