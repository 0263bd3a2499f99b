"""Measure how long a report takes to write, and how long to open in Chromium. Prints JSON.

  python benchmarks/report.py                       made-up vectors: 38,000 words of 384 dimensions, two models
  python benchmarks/report.py run/aggregate run/closed

`opened` is the time from navigation until the page has drawn its map, in a fresh headless browser, from a file; it is
null where Chromium or selenium is missing. Scores are left out: how long they take is what benchmarks/evaluation.py
measures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from wordstill import WordVectors
from wordstill.explore.report import report

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
# When the map was on the screen, in milliseconds after the page began to load.
DRAWN = """
const done = arguments[0];
const shown = () => requestAnimationFrame(() => done(performance.now()));
const look = () => (map.labels === undefined ? requestAnimationFrame(look) : shown());
look();
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="*", help="vectors or run folders (made-up ones)")
    parser.add_argument("--words", type=int, default=38_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--models", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    vectors: Any = options.vectors or {
        f"model {number}": made_up(options.words, options.dimensions, number) for number in range(options.models)
    }
    with tempfile.TemporaryDirectory() as folder:
        started, worked = time.perf_counter(), time.process_time()
        path = report(vectors, Path(folder, "report.html"), scores=[])
        measured = {
            "models": options.vectors or options.models,
            "written_seconds": round(time.perf_counter() - started, 1),
            "written_processor_seconds": round(time.process_time() - worked, 1),
            "megabytes": round(path.stat().st_size / 1e6, 2),
            "opened_seconds": [opened(path) for _ in range(options.repeats)],
        }
    print(json.dumps(measured, indent=2))


def made_up(words: int, dimensions: int, seed: int) -> WordVectors:
    """Make random vectors in clusters, so that the map has something to show."""
    generator = np.random.default_rng(seed)
    centres = generator.standard_normal((500, dimensions), dtype=np.float32)
    near = generator.standard_normal((words, dimensions), dtype=np.float32)
    return WordVectors([f"word{number}" for number in range(words)], centres[np.arange(words) % 500] + near)


def opened(path: Path) -> float | None:
    """Return the seconds until a fresh browser shows the map."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return None
    if program is None or driver is None:
        return None
    options = webdriver.ChromeOptions()
    options.binary_location = program
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=Service(driver))
        try:
            browser.get(path.as_uri())
            return round(float(browser.execute_async_script(DRAWN)) / 1000, 2)
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
