"""Every page as a visitor meets it, with the examples: on a telephone; and a report that is taken away."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Route, expect
from tests.browser.driving import CHROMIUM, SIZE, faults, faults_of_both_themes, open_page, rests, served, settled

from privgraph_workbench.serving import shell

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]
WIDEST = (
    "() => Math.max(document.documentElement.scrollWidth, document.querySelector('[data-testid=stMain]').scrollWidth)"
)

CARDS = """() => [...document.querySelectorAll("[data-testid=stColumn]")].map(one => one.getBoundingClientRect())
    .map(({ top, bottom }) => ({ top, bottom }))"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("pages")) as running:
        yield running


def test_on_a_telephone_no_page_scrolls_sideways(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    wide = {}
    for name, (title, _) in shell.TITLES.items():
        page.goto(f"{address}/{name}")
        rests(page)
        assert title in page.title(), "the tab is called as the page"
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        wide[name] = page.evaluate(WIDEST)
    context.close()
    assert {name: width for name, width in wide.items() if width > 390} == {}


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_on_start_moves_while_its_curve_is_drawn(browser: Browser, address: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    held: list[Route] = []
    page.route("**/plotly.min.js*", lambda route: held.append(route))
    page.goto(address)
    below = page.get_by_role("heading", name="Explore")
    expect(below).to_be_visible()
    settled(page)
    page.wait_for_timeout(1000)  # icons of links come with their font
    before = below.bounding_box()
    assert held, "the curve is not drawn yet"
    for route in held:
        route.continue_()
    expect(page.locator(".js-plotly-plot .gtitle")).to_be_visible()
    page.wait_for_timeout(500)
    after = below.bounding_box()
    context.close()
    assert before is not None
    assert after is not None
    assert after["y"] == pytest.approx(before["y"], abs=2)


def test_on_a_telephone_cards_stand_at_one_distance(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}/lessons")
    rests(page)
    begin = page.get_by_role("button", name="Begin")
    expect(begin).to_have_count(6)
    cards = page.evaluate(CARDS)
    context.close()
    apart = {round(lower["top"] - upper["bottom"]) for upper, lower in pairwise(cards)}
    assert len(cards) == 6
    assert apart == {16}


def test_every_page_stands_in_a_group_of_the_bar(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{address}/lessons")
    rests(page)
    assert sorted(name for names in shell.GROUPS.values() for name in names) == sorted(shell.TITLES)
    for group, names in shell.GROUPS.items():
        page.get_by_text(group, exact=True).click()
        for name in names:
            expect(page.get_by_role("menuitem", name=shell.TITLES[name][0], exact=True)).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
    open_page(page, "data")
    page.wait_for_url(re.compile("/data"))
    page.go_back()
    page.wait_for_url(re.compile("/lessons"))
    context.close()


@pytest.mark.parametrize("path", ["lessons", "lessons?lesson=noise", "report"])
def test_contrast_names_and_structure(browser: Browser, address: str, path: str) -> None:
    context = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}/{path}")
    rests(page)
    found = faults_of_both_themes(page, path)
    context.close()
    assert found == []


def test_a_report_is_filled_kept_and_taken_away(browser: Browser, address: str, tmp_path: Path) -> None:
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.goto(f"{address}/tradeoffs?data=social")
    rests(page)
    page.get_by_role("button", name="Add to report").first.click()
    expect(page.get_by_role("link", name="In the report").first).to_be_visible()
    page.goto(f"{address}/report")  # another visit: what was kept is in the home
    settled(page)
    page.get_by_label("Title").last.fill("What privacy costs")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("link", name="Archive")).to_be_visible(timeout=120_000)
    with page.expect_download() as taken:
        page.get_by_role("link", name="Archive").click()
    path = tmp_path / "report.zip"
    taken.value.save_as(path)
    context.close()
    with zipfile.ZipFile(path) as archive:
        (tmp_path / "report.html").write_bytes(archive.read("report.html"))
        assert archive.read("report.pdf").startswith(b"%PDF")
    offline = browser.new_context(offline=True, bypass_csp=True, viewport=SIZE)
    page = offline.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.get_by_role("heading", level=1).inner_text() == "What privacy costs"
    assert all(one.startswith(("file:", "data:")) for one in asked)
    assert faults(page, "report.html") == []
    offline.close()
