"""The report as people see it: opened from a file by a real, headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsers import browser as browser
from browsers import wait
from small_reports import UGLY, make_run, scores
from wordstill.explore.report import report as write_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = make_run(tmp_path_factory.mktemp("browser") / "run")
    judged = scores("run/one", "run/two")
    return write_page(run, run / "report.html", words=["river", UGLY[0]], scores=judged, title="A <b>title</b>")


@pytest.fixture
def page(browser: Any, report: Path) -> Iterator[Any]:
    """The report, freshly opened; in the end nothing may have gone wrong on the console."""
    browser.get_log("browser")
    browser.get(report.as_uri())
    wait(browser, "document.documentElement.dataset.ready === 'true'")
    painted(browser)
    yield browser
    assert browser.get_log("browser") == []


def painted(browser: Any) -> None:
    """Wait until what was asked for is on the canvas."""
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))")


def search(browser: Any, text: str) -> None:
    field = browser.find_element("id", "map-search")
    field.clear()
    field.send_keys(text)
    field.send_keys("\n")
    painted(browser)


def text_of(browser: Any, selector: str) -> str:
    return str(browser.execute_script("return document.querySelector(arguments[0]).textContent", selector))


def emulate_media(browser: Any, feature: str, value: str) -> None:
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": feature, "value": value}]})


def into_view(browser: Any, element: Any) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)


def click(browser: Any, element: Any) -> None:
    into_view(browser, element)
    element.click()


def hover(browser: Any, word: str) -> None:
    """Put the mouse on a word's point."""
    from selenium.webdriver import ActionChains

    canvas = browser.find_element("id", "map-canvas")
    into_view(browser, canvas)
    where = "const at = map.toScreen(map.words.indexOf(arguments[0]));"
    x, y = browser.execute_script(where + "return [at[0] - map.width / 2, at[1] - map.height / 2]", word)
    ActionChains(browser).move_to_element_with_offset(canvas, round(x), round(y)).perform()


def test_every_section_is_filled(page: Any) -> None:
    assert page.title == "A <b>title</b>"
    assert text_of(page, "h1") == "A <b>title</b>"
    assert len(page.find_elements("css selector", "#models-table tbody tr")) == 2
    assert len(page.find_elements("css selector", "#scores-chart .dataset")) == 3
    assert "50.0" in text_of(page, "#scores-table")
    assert "40.0 to 60.0" in text_of(page, "#scores-table")
    assert "80 %" in text_of(page, "#scores-table")
    assert "rivers" in text_of(page, "#neighbors-lists")
    assert len(page.find_elements("css selector", "#training-runs figure svg path")) == 1
    assert "aggregate" in text_of(page, "#cards-list")


def test_a_word_is_found_and_its_neighbours_in_every_model_are_shown(page: Any) -> None:
    search(page, "river")
    assert text_of(page, "#map-word h3") == "river"
    lists = page.find_elements("css selector", "#map-word .list ol")
    assert [one.find_element("css selector", "li").text.split()[0] for one in lists] == ["rivers", "rivers"]
    click(page, page.find_element("css selector", "#map-word li button"))
    assert text_of(page, "#map-word h3") == "rivers"


def test_words_are_suggested_while_one_types_and_chosen_by_the_keyboard(page: Any) -> None:
    field = page.find_element("id", "map-search")
    field.send_keys("RIVER")
    options = [one.text for one in page.find_elements("css selector", "#map-found [role=option]")]
    assert options == ["river", "rivers"]
    field.send_keys("\ue015\n")  # arrow down, enter
    assert text_of(page, "#map-word h3") == "rivers"
    field.clear()
    field.send_keys("river")
    click(page, page.find_elements("css selector", "#map-found [role=option]")[1])
    assert not page.find_element("id", "map-found").is_displayed()
    assert text_of(page, "#map-word h3") == "rivers"
    field.clear()
    field.send_keys("zzzz")
    assert text_of(page, "#map-found") == "no word of the map is like this"


def test_the_mouse_shows_and_chooses_words(page: Any) -> None:
    search(page, "queen")
    hover(page, "queen")
    tip = page.find_element("id", "map-tip")
    assert tip.is_displayed()
    assert tip.text.startswith("queen (")
    from selenium.webdriver import ActionChains

    search(page, "king")
    page.execute_script("map.word = null")
    hover(page, "king")
    ActionChains(page).click().perform()
    assert text_of(page, "#map-word h3") == "king"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_another_models_map_has_the_words_elsewhere(page: Any, motion: str) -> None:
    emulate_media(page, "prefers-reduced-motion", motion)
    place = "return [...map.places.slice(0, 20)].join()"
    before = page.execute_script(place)
    second = page.find_elements("css selector", "#map-models [role=radio]")[1]
    click(page, second)
    wait(page, "map.places === map.models[1].places")
    assert second.get_attribute("aria-checked") == "true"
    assert page.execute_script(place) != before
    search(page, "word299")
    assert "has no vector for it" in text_of(page, "#map-word")
    emulate_media(page, "prefers-reduced-motion", "")


def test_the_map_zooms_and_moves_by_wheel_keys_and_buttons_and_shows_more_labels(page: Any) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.action_chains import ScrollOrigin

    canvas = page.find_element("id", "map-canvas")
    scale = "return map.view.scale / map.whole()"
    assert page.execute_script(scale) == pytest.approx(1.0)
    assert page.execute_script("return map.labels") > 10
    into_view(page, canvas)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -600).perform()
    assert page.execute_script(scale) > 2
    page.execute_script("arguments[0].focus()", canvas)
    ActionChains(page).send_keys("0").perform()
    assert page.execute_script(scale) == pytest.approx(1.0)
    ActionChains(page).send_keys("+").send_keys("\ue014").perform()  # arrow right
    assert page.execute_script(scale) == pytest.approx(1.4)
    assert page.execute_script("return map.view.x") > 0
    click(page, page.find_element("id", "map-all"))
    ActionChains(page).drag_and_drop_by_offset(canvas, 50, 0).perform()
    assert page.execute_script("return map.view.x") < 0


@pytest.mark.parametrize("word", UGLY[:9])
def test_an_ugly_word_is_shown_and_not_run(page: Any, word: str) -> None:
    row = page.execute_script("return map.words.indexOf(arguments[0])", word)
    assert row >= 0
    page.execute_script("map.chosen(arguments[0])", row)
    painted(page)
    assert text_of(page, "#map-word h3") == word
    # An alert would make this raise; markup would make elements.
    assert page.execute_script("return document.querySelectorAll('img, main script, main b, main i').length") == 0
    assert page.execute_script("return document.scripts.length") == 2


def test_a_script_that_is_not_the_pages_own_is_stopped(browser: Any, report: Path) -> None:
    browser.get(report.as_uri())
    browser.execute_script(
        "const own = document.createElement('script'); own.textContent = 'window.ran = true';document.body.append(own);"
    )
    assert browser.execute_script("return window.ran === undefined")
    assert "Content Security Policy" in " ".join(entry["message"] for entry in browser.get_log("browser"))


def test_the_scheme_follows_the_system_and_the_button(page: Any) -> None:
    def scheme() -> str:
        return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))

    emulate_media(page, "prefers-color-scheme", "dark")
    wait(page, "document.documentElement.dataset.scheme === 'dark'")
    dark = scheme()
    click(page, page.find_element("id", "scheme"))
    assert scheme() == "rgb(255, 255, 255)" != dark
    emulate_media(page, "prefers-color-scheme", "")


def test_paper_is_white_whatever_the_scheme(page: Any) -> None:
    click(page, page.find_element("id", "scheme"))
    page.execute_script(
        "window.addEventListener('beforeprint', () => { window.printed = document.documentElement.dataset.scheme; })"
    )
    assert len(page.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000
    assert page.execute_script("return window.printed") == "light"
    assert page.execute_script("return document.documentElement.dataset.scheme") == "dark"


def test_nothing_is_wider_than_a_phone(page: Any) -> None:
    size = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        wait(page, "map.width < 360")
        search(page, "river")
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_everything_can_be_reached_by_the_tab_key(page: Any) -> None:
    from selenium.webdriver import ActionChains

    reached = set()
    for _ in range(25):
        ActionChains(page).send_keys("\ue004").perform()  # tab
        reached.add(
            page.execute_script("return document.activeElement.id || document.activeElement.getAttribute('role')")
        )
    assert {"scheme", "radio", "map-canvas", "map-in", "map-search"} <= reached
