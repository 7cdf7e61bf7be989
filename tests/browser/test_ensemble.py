"""Weighted teachers in a real browser: a vote under dragged noise, badges that travel, contrast in both
themes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.driving import CHROMIUM, SIZE, faults_of_both_themes, profile, rests, served, settled
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_ensembles import ensemble
from tests.pages.kept_runs import keep_ensemble

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.teachers.ensembles import DEPENDENT_BADGE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no chromium at hand: install Debian's chromium"),
]
SLOW = 60_000


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of an app whose store holds one finished run of weighted teachers, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("ensemble-home")
        patch.setenv("PRIVGRAPH_HOME", str(home))
        patch.setenv("OMP_NUM_THREADS", "1")
        store = RunStore.open()
        run = keep_ensemble(store, ensemble(limit=0.8), made_answers("counts", noise=3.0))
        store.close()
        with served(home) as address:
            yield address, run


@pytest.fixture
def page(browser: Browser, place: tuple[str, str]) -> Iterator[Page]:
    """The Teachers page with that run, drawn to its end; no request leaves for another host."""
    address, run = place
    with profile(browser, address) as context:
        opened = context.new_page()
        opened.goto(f"{address}/teachers?run={run}&tab=Vote+laboratory")
        _rests(opened, "Node \\d+: .* votes, and is the label")
        yield opened


def _rests(page: Page, figure: str) -> None:
    """Wait until that figure of the page is drawn, and no other process reads a graph for it."""
    rests(page)
    expect(page.get_by_role("group", name=re.compile(figure)).locator(".main-svg").first).to_be_visible(timeout=SLOW)
    settled(page)


def _number(page: Page, label: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def test_a_slider_and_a_dragged_line_move_the_vote_and_its_price(page: Page) -> None:
    cost, passes = _number(page, "All 20, weight"), _number(page, "Passes the gate")
    before = cost.inner_text()
    slider = page.get_by_role("slider", name=re.compile("Noise on each count"))
    slider.focus()
    slider.press("ArrowLeft")
    page.wait_for_url(re.compile(r"vote\.sigma=15"), timeout=SLOW)
    expect(cost).not_to_have_text(before, timeout=SLOW)
    assert float(cost.inner_text()) > float(before)
    settled(page)

    chance, paid = passes.inner_text(), cost.inner_text()
    plot = page.get_by_role("group", name=re.compile(r"^Node \d+: .* votes, and is the label"))
    plot.scroll_into_view_if_needed()
    settled(page)
    # Lines come twice, the second time as what can be grasped; sigma comes before the threshold.
    box = plot.locator(".shapelayer path").last.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile(r"vote\.threshold=\d"), timeout=SLOW)
    expect(passes).not_to_have_text(chance, timeout=SLOW)
    assert float(passes.inner_text().rstrip("%")) > float(chance.rstrip("%"))
    assert cost.inner_text() == paid  # a threshold is free
    moved = float(re.search(r"vote\.threshold=([\d.]+)", page.url).group(1))  # type: ignore[union-attr]
    assert moved < 18
    settled(page)
    drawn = plot.evaluate("plot => plot.layout.shapes.find(one => one.name === 'threshold').x0")
    assert drawn == moved


def test_the_badge_of_data_dependent_numbers_is_in_their_file(page: Page) -> None:
    page.get_by_role("tab", name="Vote laboratory").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    _rests(page, "sound ε from")
    page.get_by_test_id("stButtonGroup").get_by_role("radio", name="data-dependent").click()
    expect(page.get_by_text(DEPENDENT_BADGE[1:]).first).to_be_visible(timeout=SLOW)
    menu = page.locator("[class*=st-key-export-teacher_epsilons-]").get_by_role("button", name="Export", exact=True)
    expect(page.locator("[class*=st-key-export-teacher_epsilons-][class*=data-dependent]").first).to_be_visible(
        timeout=SLOW
    )
    settled(page)
    menu.click()
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON", exact=True).click()
    record = json.loads(started.value.path().read_text())
    assert record["figure"] == "teacher_epsilons"
    assert DEPENDENT_BADGE in record["badges"]
    assert len(record["rows"]) == 40


def test_contrast_names_and_structure(browser: Browser, place: tuple[str, str]) -> None:
    address, run = place
    context = browser.new_context(viewport=SIZE, color_scheme="dark")
    page = context.new_page()
    found = []
    for tab, figure in (
        ("Who+pays&epsilons.number=data-dependent&epsilons.view=strip", "data-dependent ε"),
        ("Vote+laboratory", "votes, and is the label"),
    ):
        page.emulate_media(color_scheme="dark")
        page.goto(f"{address}/teachers?run={run}&tab={tab}")
        _rests(page, figure)
        found += faults_of_both_themes(page, "/teachers")
    context.close()
    assert not found, "\n".join(found)
