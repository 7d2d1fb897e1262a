"""Draws the pictures of docs/play.md: starts ``taut play`` and photographs its page with headless Chromium.

python docs/pictures/play.py
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(__file__).parent
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)


@contextlib.contextmanager
def page(*words: str, style: str) -> Iterator[WebDriver]:
    """The page of ``taut play``, opened in a browser that prefers this style."""
    command = [sys.executable, "-m", "taut", "play", "--no-browser", *words]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    found = re.search(r"http\S+", server.stdout.readline())
    assert found is not None
    options = webdriver.ChromeOptions()
    for flag in [*FLAGS.split(), f"--user-data-dir={tempfile.mkdtemp()}"]:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or ""
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        preferred = {"features": [{"name": "prefers-color-scheme", "value": style}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", preferred)
        size = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(found[0])
        yield driver
    finally:
        driver.quit()
        server.send_signal(signal.SIGINT)
        server.wait()


def seen(driver: WebDriver, selector: str) -> bool:
    """Return True if an element is on the page and visible."""
    return any(element.is_displayed() for element in driver.find_elements(By.CSS_SELECTOR, selector))


def main() -> None:
    with page(style="light") as driver:
        WebDriverWait(driver, 120).until(lambda _: seen(driver, '[data-testid="picture-diagram"]'))
        driver.save_screenshot(str(HERE / "play.png"))
    with page("svt_no_budget", "n=16", "high=7", "threshold=3", style="dark") as driver:
        WebDriverWait(driver, 120).until(lambda _: seen(driver, '[data-testid="closing"] svg'))
        time.sleep(6)  # for the interval to have a history
        driver.save_screenshot(str(HERE / "play_dark.png"))


if __name__ == "__main__":
    main()
