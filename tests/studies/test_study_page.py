"""The page of a study's tables: words in it stay data, and a real browser folds, sorts and filters it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsers import browser as browser
from browsers import wait
from small_reports import UGLY
from wordstill.cli import main
from wordstill.studies.contract import Study, Table
from wordstill.studies.paper_formats import as_page

ROWS = [
    ["skip-gram", "here: 5 words", "9.5 (50 %)"],
    ["skip-gram", "paper: Wikipedia", "70.0"],
    ["GloVe", "here: 5 words", "10.5 (50 %)"],
    ["CBOW", "here: 5 words", "there is no student 'cbow'"],
    *([word, "here", "-"] for word in UGLY),
]
FIRST = Table("First & <b>bold</b>", ["row", "made of", "WS353"], ROWS, ["a <i>note</i>"], [1])
SECOND = Table("Second", ["row", "made of", "words"], [["x", "here", "</script><script>alert(1)</script>"]])


def made_study() -> Study:
    return Study(FIRST.title, [], FIRST.head, FIRST.rows, lambda: None, ["{{data}}"], [FIRST, SECOND])  # type: ignore[arg-type, return-value]


def data_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    return dict(json.loads(found))


def test_words_stay_data_and_nothing_is_fetched() -> None:
    page = as_page(made_study())
    assert page.count("<script") == 2
    assert "<img" not in page
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page) == []
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    data = data_of(page)
    assert data["tables"][0]["title"] == FIRST.title
    assert data["tables"][0]["published"] == [1]
    shown = [row[0] for row in data["tables"][0]["rows"]]
    assert shown[:4] == ["skip-gram", "skip-gram", "GloVe", "CBOW"]
    assert set(UGLY[:9]) <= set(shown)
    assert {"tab\\there", "line\\u2028end"} <= set(shown)
    assert data["notes"] == ["{{data}}"]


def test_any_study_writes_a_page_and_replaces_only_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wordstill.cli.study.study", lambda *_: made_study())
    monkeypatch.chdir(tmp_path)
    call = ["study", "context-to-vec-table4", "vectors.txt", "--lexicon", "lexicon.txt", "--html", "page.html"]
    for _ in range(2):
        assert main(call) == 0
        assert "a page: page.html" in capsys.readouterr().out
    assert len(data_of(Path("page.html").read_text(encoding="utf-8"))["tables"]) == 2
    Path("page.html").write_text("<p>mine</p>")
    assert main(call) == 2
    assert Path("page.html").read_text() == "<p>mine</p>"


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """The page, freshly opened; in the end nothing may have gone wrong on the console."""
    path = tmp_path / "study.html"
    path.write_text(as_page(made_study()), encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    wait(browser, "document.documentElement.dataset.ready === 'true'")
    yield browser
    assert browser.get_log("browser") == []


def first_column(page: Any) -> list[str]:
    rows = page.find_elements("css selector", "#table-0 tbody tr")
    return [row.find_element("css selector", "th").text for row in rows if row.is_displayed()]


@pytest.mark.slow
def test_a_reader_sorts_folds_and_chooses_rows(page: Any) -> None:
    assert page.find_element("css selector", "h1").text == FIRST.title
    assert first_column(page)[:4] == ["skip-gram", "skip-gram", "GloVe", "CBOW"]
    heading = page.find_element("css selector", "#table-0 thead th:nth-child(3)")
    heading.find_element("css selector", "button").click()
    # Numbers by their size, not by their letters; then words, then what is not there.
    assert first_column(page)[:4] == ["skip-gram", "GloVe", "skip-gram", "CBOW"]
    assert heading.get_attribute("aria-sort") == "descending"
    heading.find_element("css selector", "button").click()
    assert first_column(page)[-3:] == ["skip-gram", "GloVe", "skip-gram"]
    heading.find_element("css selector", "button").click()
    assert first_column(page)[:4] == ["skip-gram", "skip-gram", "GloVe", "CBOW"]
    assert heading.get_attribute("aria-sort") is None

    everyone, ours, published = page.find_elements("css selector", "#origins button")
    published.click()
    assert first_column(page) == ["skip-gram"]
    ours.click()
    assert first_column(page)[:2] == ["skip-gram", "GloVe"]
    everyone.click()
    assert len(first_column(page)) == len(ROWS)

    page.find_element("css selector", "#table-0 summary").click()
    assert first_column(page) == []
    assert page.find_element("css selector", "#table-1 td:nth-child(3)").text == SECOND.rows[0][2]
