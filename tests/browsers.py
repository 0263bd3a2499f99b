"""A real, headless Chromium, for tests of pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1200,900"),
    # A page that scrolls smoothly would move away under the mouse.
    "--force-prefers-reduced-motion",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests; its log of the page's errors is kept."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the browser is driven by selenium")
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("chromium or chromedriver is not installed (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        chromium = webdriver.Chrome(options=options, service=Service(driver))
        chromium.set_script_timeout(20)
        yield chromium
        chromium.quit()


def wait(browser: Any, condition: str, seconds: float = 20) -> None:
    """Wait until an expression of JavaScript is true."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, seconds).until(lambda chromium: chromium.execute_script(f"return {condition}"))
